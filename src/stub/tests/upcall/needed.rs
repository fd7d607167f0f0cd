//! Whether the machine would notice a fault: with any one instruction left out, a receiver fails.

use super::trial;
use crate::stub::tests::aarch64::Aarch64;
use crate::stub::tests::assigned_for;
use crate::stub::tests::machine::Receivers;
use crate::stub::tests::x86_64::X86_64;
use crate::stub::{Arguments, upcall};
use crate::types::Target;
use crate::types::target::{APPLE_AARCH64, LINUX_AARCH64, LINUX_X86_64};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn try_without_each<P: Receivers>(target: &'static Target, prototype: &str) {
    let assignment = assigned_for(target, prototype);
    for arguments in [Arguments::Pointers, Arguments::Slots] {
        let upcall = upcall(&assignment, arguments, P::NATIVE);
        let code = P::emit_upcall(&upcall);
        let run = |code: &[P::Instruction]| {
            // The stack may be aligned by chance.
            for seed in 1..6u64 {
                let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                trial::run::<P>(&assignment, arguments, &upcall, code, seed);
            }
        };
        let count = P::decode(&code).len();
        run(&P::decode(&code));
        for left_out in 0..count {
            let mut code = P::decode(&code);
            code.remove(left_out);
            assert!(
                catch_unwind(AssertUnwindSafe(|| run(&code))).is_err(),
                "{prototype} runs without instruction {left_out} in {arguments:?}"
            );
        }
    }
}

const PROTOTYPES: [&str; 10] = [
    "void f(void)",
    "int f(char, unsigned short, long, float, double)",
    "signed char f(_Float16)",
    "unsigned f(long, long, long, long, long, long, long, long, short, __int128, char)",
    "struct { char c[15]; } f(struct { char c[3]; }, struct { char c[13]; })",
    "struct { _Float16 f[3]; } f(struct { float f[3]; }, m128)",
    "three_longs f(three_longs, struct { char c[77]; }, wide)",
    "_Float16 f(empty, struct { double f[4]; }, struct { float f[2]; }, int)",
    "long double f(struct { char c[7]; }, float, struct { long l; char c[3]; })",
    "struct { char c[3]; } f(struct { short s[3]; }, struct { _Float16 f[3]; })",
];

#[test]
fn every_instruction_is_needed() {
    for prototype in PROTOTYPES {
        for attribute in ["", "__attribute__((ms_abi)) "] {
            try_without_each::<X86_64>(&LINUX_X86_64, &format!("{attribute}{prototype}"));
        }
        for target in [&LINUX_AARCH64, &APPLE_AARCH64] {
            try_without_each::<Aarch64>(target, prototype);
        }
    }
    try_without_each::<X86_64>(&LINUX_X86_64, "m256 f(m256, struct { m256 v; }, int)");
    try_without_each::<X86_64>(&LINUX_X86_64, "long double _Complex f(long double)");
    // On the stack some are packed.
    let scalars = "float, signed char, unsigned, short, _Float16, int";
    for target in [&LINUX_AARCH64, &APPLE_AARCH64] {
        let longs = ["long, double"; 8].join(", ");
        try_without_each::<Aarch64>(target, &format!("int f({longs}, {scalars})"));
        try_without_each::<Aarch64>(target, "struct { m128 v[4]; } f(struct { m128 v[4]; })");
    }
}

//! Whether the machine would notice a fault: with any one instruction left out, a stub fails.

use super::Aarch64;
use crate::stub::tests::machine::Processor;
use crate::stub::tests::{assigned_for, trial};
use crate::stub::{Arguments, plan};
use crate::types::Target;
use crate::types::target::{APPLE_AARCH64, LINUX_AARCH64};
use std::panic::catch_unwind;

/// `mov xzr, xzr`
const NOTHING: [u8; 4] = 0xaa1f_03ff_u32.to_le_bytes();

fn try_without_each(target: &'static Target, prototype: &str, arguments: Arguments) {
    let assignment = assigned_for(target, prototype);
    for errno in [None, Some(Aarch64::ERRNO[0]), Some(Aarch64::ERRNO[3])] {
        let plan = plan(&assignment, arguments, Aarch64::ENTRY, errno);
        let code = Aarch64::emit(&plan);
        let run = |code: &[u8]| {
            trial::run_code::<Aarch64>(&assignment, arguments, &plan, code, 20_261_130);
        };
        run(&code);
        for at in (0..code.len()).step_by(4) {
            let mut code = code.clone();
            code[at..at + 4].copy_from_slice(&NOTHING);
            assert!(
                catch_unwind(|| run(&code)).is_err(),
                "{prototype} runs without the instruction at {at:#x}"
            );
        }
    }
}

#[test]
fn every_instruction_is_needed() {
    for prototype in [
        "void f(void)",
        "int f(char, unsigned short, long, float, double)",
        "signed char f(_Float16)",
        "unsigned f(long, long, long, long, long, long, long, long, short, __int128, char)",
        "struct { char c[15]; } f(struct { char c[3]; }, struct { char c[13]; })",
        "struct { _Float16 f[3]; } f(struct { float f[3]; }, m128)",
        "three_longs f(three_longs, struct { char c[77]; }, wide)",
        "_Float16 f(struct { char c[13000]; }, struct { double f[4]; })",
        "void f(struct { char c __attribute__((aligned(8192))); })",
    ] {
        for target in [&LINUX_AARCH64, &APPLE_AARCH64] {
            for arguments in [Arguments::Pointers, Arguments::Slots] {
                try_without_each(target, prototype, arguments);
            }
        }
    }
}

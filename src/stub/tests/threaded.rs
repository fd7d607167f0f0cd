//! Programs of threaded code as texts, and their numbers of snippets.

use super::random::{Random, prototype};
use super::{ENTRY, ERRNO, assigned, assigned_for, declarations, planned};
use crate::abi::{Assignment, Processor, assign, processor};
use crate::decl::parse_signature;
use crate::stub::threaded::{Program, Word, aarch64, receiver, x86_64};
use crate::stub::{Arguments, plan, upcall};
use crate::types::Convention;
use crate::types::target::{APPLE_AARCH64, LINUX_AARCH64, LINUX_X86_64};
use Arguments::{Pointers, Slots};
use std::collections::HashMap;
use std::fmt::Display;

fn check(program: impl Display, expected: &[&str]) {
    let text = program.to_string();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines, expected);
}

fn check_call(prototype: &str, arguments: Arguments, expected: &[&str]) {
    check(
        x86_64::program(&planned(prototype, arguments), arguments),
        expected,
    );
}

#[test]
fn registers_are_loaded_together() {
    check_call(
        "void f(void)",
        Pointers,
        &["enter pointers", "call and return"],
    );
    check_call(
        "int f(int, int)",
        Pointers,
        &[
            "enter, pointers rdi:4 rsi:4 0x10000",
            "call, store rax:4 and return",
        ],
    );
    check_call(
        "int f(int, short)",
        Slots,
        &[
            "enter, slots rdi:4 rsi:2s 0x10000",
            "call, store rax:4s, extended, and return",
        ],
    );
    check_call(
        "double f(double, float)",
        Pointers,
        &[
            "enter, pointers xmm0:8 xmm1:4 0x10000",
            "call, store xmm0:8 and return",
        ],
    );
    // Vector registers first, and the array's register last.
    check_call(
        "void f(long, long, long, char, double)",
        Pointers,
        &[
            "enter, pointers xmm0:8 0x4",
            "pointers rdx:8 rcx:1s 0x30002",
            "pointers rdi:8 rsi:8 0x10000",
            "call and return",
        ],
    );
}

#[test]
fn aggregates_are_loaded_by_their_address() {
    check_call(
        "two_longs f(two_longs)",
        Pointers,
        &[
            "enter pointers",
            "load rdi, rsi from 0x0",
            "call, store rax, rdx and return",
        ],
    );
    check_call(
        "two_doubles f(int, two_doubles)",
        Slots,
        &[
            "enter slots indirect",
            "load xmm0, xmm1 from 0x8",
            "slots rdi:4 0x0",
            "call, store xmm0, xmm1 and return",
        ],
    );
    check_call(
        "void f(struct { char c[7]; })",
        Pointers,
        &[
            "enter pointers",
            "address in element 0x0",
            "load rdi:7 0x0",
            "call and return",
        ],
    );
}

#[test]
fn words_are_pushed() {
    check_call(
        "long f(long, long, long, long, long, long, long, float)",
        Pointers,
        &[
            "enter odd, push pointers 8: 0x6",
            "pointers xmm0:4 0x7",
            "pointers rdx:8 rcx:8 r8:8 r9:8 0x5000400030002",
            "pointers rdi:8 rsi:8 0x10000",
            "call, store rax:8 and return",
        ],
    );
    check_call(
        "void f(three_longs, struct { char c[17]; })",
        Pointers,
        &[
            "enter pointers",
            "address in element 0x8",
            "push 1 bytes at 0x10",
            "push 2 words at 0x0",
            "push 3 words of 0x0",
            "call and return",
        ],
    );
    // The result's address is the first argument, and what is handed over points to it.
    check_call(
        "three_longs f(long double)",
        Slots,
        &[
            "enter slots indirect",
            "push 2 words of 0x0",
            "call and return",
        ],
    );
}

#[test]
fn an_area_that_is_aligned_or_large_is_allocated() {
    check_call(
        "void f(wide)",
        Pointers,
        &[
            "enter pointers",
            "allocate 0x20 0xffffffffffffffe0",
            "address in element 0x0",
            "copy 4 words 0x0",
            "call and return",
        ],
    );
    check_call(
        "void f(struct { char c[1001]; })",
        Pointers,
        &[
            "enter pointers",
            "allocate 0x3f0 0xfffffffffffffff0",
            "address in element 0x0",
            "copy words 0x0 0x7d",
            "copy 1 bytes 0x3e8000003e8",
            "call and return",
        ],
    );
    let microsoft = "__attribute__((ms_abi)) void f(two_longs)";
    check_call(
        microsoft,
        Pointers,
        &[
            "enter pointers",
            "allocate 0x30 0xfffffffffffffff0",
            "address in element 0x0",
            "copy 2 words 0x2000000000",
            "load rcx with area + 0x20",
            "call and return",
        ],
    );
}

#[test]
fn what_no_single_snippet_does_after_the_call() {
    let plan = plan(&assigned("short f(int)"), Slots, ENTRY, Some(ERRNO));
    check(
        x86_64::program(&plan, Slots),
        &[
            "enter, slots rdi:4 0x0",
            "call",
            "keep errno 0xffffffffffffffd8 0xfffffffffffffff8",
            "take rax",
            "extend 2s",
            "store taken:8 at 0x0",
            "return",
        ],
    );
    check_call(
        "long double _Complex f(void)",
        Pointers,
        &[
            "enter pointers",
            "call",
            "store st(0) at 0x0",
            "store zero:4 at 0xa",
            "store zero:2 at 0xe",
            "store st(0) at 0x10",
            "store zero:4 at 0x1a",
            "store zero:2 at 0x1e",
            "return",
        ],
    );
    check_call(
        "m256 f(void)",
        Pointers,
        &[
            "enter pointers",
            "call",
            "store xmm0:32 at 0x0",
            "return from wide",
        ],
    );
}

#[test]
fn calls_on_aarch64() {
    let check_call = |prototype, expected: &[&str]| {
        let assignment = assigned_for(&LINUX_AARCH64, prototype);
        let entry = crate::stub::aarch64::ENTRY;
        let plan = plan(&assignment, Pointers, entry, None);
        check(aarch64::program(&plan, Pointers), expected);
    };
    check_call(
        "int f(int, short, double)",
        &[
            "enter pointers",
            "pointers v0:8 0x2",
            "pointers x1:2s 0x1",
            "pointers x0:4 0x0",
            "call, store x0:4 and return",
        ],
    );
    check_call(
        "three_longs f(long, long, long, long, long, long, long, long, long, int)",
        &[
            "enter pointers",
            "allocate 0x10 0xfffffffffffffff0",
            "copy pointers 8 4: 0x0 0x90008",
            "load x8 with result",
            "pointers x0:8 x1:8 x2:8 x3:8 0x3000200010000",
            "pointers x4:8 x5:8 x6:8 x7:8 0x7000600050004",
            "call and return",
        ],
    );
}

fn check_receiver(prototype: &str, arguments: Arguments, expected: &[&str]) {
    let upcall = upcall(&assigned(prototype), arguments, Convention::SysV64);
    check(receiver::program(&upcall, Processor::X86_64), expected);
}

#[test]
fn receivers_point_to_saved_registers() {
    check_receiver(
        "int f(int, int)",
        Pointers,
        &[
            "enter, save general 0x60",
            "addresses 2 0x0 0xffffffffffffffd0 0xffffffffffffffd8",
            "call and return general:4s",
        ],
    );
    check_receiver(
        "double f(double, long)",
        Slots,
        &[
            "enter, store general 0: 8 - 0x80 0x8",
            "store vectors 0: 8 0 0x0",
            "call and return vector:8",
        ],
    );
    check_receiver(
        "long f(long, long, long, long, long, long, long, int)",
        Slots,
        &[
            "enter, store 6 general 0xb0",
            "values 8 4s: 0x30 0x10 0x18",
            "call and return general:8",
        ],
    );
    check_receiver(
        "two_doubles f(int, unsigned char, two_doubles, int, long, float, int, short, long, _Bool)",
        Slots,
        &[
            "enter, save general, 4 vectors 0x130",
            "store general 0: 4s 1 0x0 0x8",
            "store general 1: 4s 8 0x18 0x20",
            "store general 2: 4s 2s 0x30 0x38",
            "store vectors 1: 4 0 0x28",
            "addresses 1 0x10 0xfffffffffffffef0",
            "values 8: 0x40 0x10",
            "value 1: 0x18 0x48",
            "values 8 8: 0x50 0xffffffffffffff20 0xffffffffffffff30",
            "call and return two vectors, by the slot",
        ],
    );
    check_receiver(
        "three_longs f(three_longs)",
        Pointers,
        &[
            "enter, save general 0x40",
            "addresses 1 0x0 0x10",
            "call and return address",
        ],
    );
}

/// An entry subtracts less than a page at once, whatever of it the saved registers would have taken.
#[test]
fn receivers_of_large_frames_touch_every_page() {
    for words in 440..520 {
        let list = vec!["long"; words].join(", ");
        let upcall = upcall(
            &assigned(&format!("void f({list})")),
            Slots,
            Convention::SysV64,
        );
        let Program(program) = receiver::program(&upcall, Processor::X86_64);
        let allocates = program
            .iter()
            .any(|word| matches!(word, Word::Snippet(receiver::Snippet::Allocate)));
        let Some(Word::Operand(below)) = program.get(1) else {
            panic!("an entry says how much it takes");
        };
        assert!(*below < 4096, "{words} words: {below}");
        assert_eq!(allocates, upcall.frame_size + 96 >= 4096, "{words} words");
    }
}

#[test]
fn receivers_put_together_what_is_one_value() {
    check_receiver(
        "void f(two_doubles)",
        Pointers,
        &[
            "enter, save general, 4 vectors 0xe0",
            "addresses 1 0x0 0xffffffffffffff00",
            "values 8 8: 0x10 0xffffffffffffff20 0xffffffffffffff30",
            "call and return nothing",
        ],
    );
}

/// No two snippets have the same number, and none has one that the table does not.
#[test]
fn numbers_of_snippets() {
    struct Seen(HashMap<u32, String>);
    impl Seen {
        fn meet<S: Display + Copy>(
            &mut self,
            Program(words): &Program<S>,
            number: fn(S) -> u32,
            count: u32,
        ) {
            for word in words {
                if let Word::Snippet(snippet) = word {
                    let number = number(*snippet);
                    let text = snippet.to_string();
                    assert!(number < count, "{text}");
                    let known = self.0.entry(number).or_insert_with(|| text.clone());
                    assert_eq!(*known, text);
                }
            }
        }
    }
    let mut seen = [(); 3].map(|()| Seen(HashMap::new()));
    let [intel, arm, receivers] = &mut seen;
    let mut meet = |assignment: &Assignment| {
        for arguments in [Pointers, Slots] {
            let processor = processor(assignment.convention);
            let native = match processor {
                Processor::X86_64 => Convention::SysV64,
                Processor::Aarch64 => Convention::Aapcs64,
            };
            for errno in [None, Some(ERRNO)] {
                match processor {
                    Processor::X86_64 => {
                        let plan = plan(assignment, arguments, ENTRY, errno);
                        let program = x86_64::program(&plan, arguments);
                        intel.meet(&program, x86_64::Snippet::number, x86_64::first::COUNT);
                    }
                    Processor::Aarch64 => {
                        let entry = crate::stub::aarch64::ENTRY;
                        let plan = plan(assignment, arguments, entry, errno);
                        let program = aarch64::program(&plan, arguments);
                        arm.meet(&program, aarch64::Snippet::number, aarch64::first::COUNT);
                    }
                }
            }
            let upcall = upcall(assignment, arguments, native);
            let program = receiver::program(&upcall, processor);
            receivers.meet(&program, receiver::Snippet::number, receiver::first::COUNT);
        }
    };
    for (target, attribute) in [
        (&LINUX_X86_64, ""),
        (&LINUX_X86_64, "__attribute__((ms_abi)) "),
        (&LINUX_AARCH64, ""),
        (&APPLE_AARCH64, ""),
    ] {
        let declarations = declarations(target);
        let mut random = Random(5);
        for _ in 0..3000 {
            let text = format!("{attribute}{}", prototype(&mut random));
            let signature = parse_signature(Some(&declarations), target, &text).unwrap();
            meet(&assign(&signature).unwrap());
        }
    }
    assert!(seen.iter().all(|seen| seen.0.len() > 60));
}

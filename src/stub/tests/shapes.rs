//! Stubs of very many signatures, run in the machine.

use super::random::{Random, SCALARS, prototype};
use super::{assigned_for, declarations, trial};
use crate::abi::{Assignment, assign};
use crate::decl::parse_signature;
use crate::stub::Arguments;
use crate::types::Target;
use crate::types::target::{APPLE_AARCH64, LINUX_AARCH64, LINUX_X86_64};

/// Every convention: whose it is, and how a prototype names it.
const CONVENTIONS: [(&Target, &str); 4] = [
    (&LINUX_X86_64, ""),
    (&LINUX_X86_64, "__attribute__((ms_abi)) "),
    (&LINUX_AARCH64, ""),
    (&APPLE_AARCH64, ""),
];

/// All kinds of stub for one assignment.
fn try_all(assignment: &Assignment, seed: u64) {
    for arguments in [Arguments::Pointers, Arguments::Slots] {
        for errno in [false, true] {
            trial::run(assignment, arguments, errno, seed);
        }
    }
}

/// Says which signature failed.
struct Tried(&'static Target, String);

impl Drop for Tried {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the stub of {} on {}", self.1, self.0.name);
        }
    }
}

/// By every convention.
fn try_prototype(prototype: &str) {
    for (target, attribute) in CONVENTIONS {
        let tried = Tried(target, format!("{attribute}{prototype}"));
        try_all(&assigned_for(target, &tried.1), prototype.len() as u64);
    }
}

/// Each position has a register or a place on the stack of its own.
#[test]
fn every_scalar_in_every_position() {
    for scalar in SCALARS {
        for filler in ["long", "double", "char"] {
            for position in 0..13 {
                let mut list = vec![filler; position];
                list.push(scalar);
                list.push("float");
                try_prototype(&format!("void f({})", list.join(", ")));
            }
        }
        try_prototype(&format!("{scalar} f(void)"));
        try_prototype(&format!("{} f(int, double)", scalar));
    }
}

#[test]
fn every_size() {
    for size in 0..=80 {
        let value = format!("struct {{ char c[{size}]; }}");
        try_prototype(&format!("{value} f(void)"));
        try_prototype(&format!("void f({value}, long, {value}, {value}, {value})"));
        try_prototype(&format!(
            "{value} f(long, long, long, long, long, long, long, {value}, char)"
        ));
    }
    // In vector registers there are odd sizes too.
    for lanes in 1..=8 {
        let value = format!("struct {{ _Float16 f[{lanes}]; }}");
        try_prototype(&format!("{value} f({value}, {value}, double, {value})"));
        let value = format!("struct __attribute__((packed)) {{ double d; char c[{lanes}]; }}");
        try_prototype(&format!("{value} f({value}, {value})"));
    }
}

/// From a page on the frame is made page by page; at every size near its borders.
#[test]
fn large_frames() {
    for size in (4040..4160)
        .chain(8180..8200)
        .chain([255, 256, 257, 300, 65_537, 1 << 20])
    {
        let value = format!("struct {{ char c[{size}]; }}");
        try_prototype(&format!("int f({value}, int)"));
    }
}

/// Offsets that no instruction of AArch64 has room for, behind a copy and in one.
#[test]
fn huge_frames() {
    for (target, _) in CONVENTIONS {
        let large = "struct { char c[17000003]; }";
        let prototype = format!("__int128 f({large}, three_longs, char)");
        let tried = Tried(target, prototype);
        let assignment = assigned_for(target, &tried.1);
        trial::run(&assignment, Arguments::Pointers, false, 5);
    }
}

/// Aligning a frame moves the stack pointer once more: that may skip no page either, wherever the stack is.
#[test]
fn large_aligned_frames() {
    let run = |prototype: String| {
        for (target, attribute) in CONVENTIONS {
            let tried = Tried(target, format!("{attribute}{prototype}"));
            let assignment = assigned_for(target, &tried.1);
            for seed in 1..20 {
                trial::run(&assignment, Arguments::Pointers, false, seed);
            }
        }
    };
    for size in (3960..4120).step_by(8) {
        run(format!(
            "int f(struct {{ char c[{size}]; }}, wide, long double)"
        ));
    }
    for align in [64, 1024, 4096, 8192, 65536] {
        let aligned = format!("struct {{ char c __attribute__((aligned({align}))); }}");
        for size in (0..4200).step_by(232) {
            run(format!("void f({aligned}, struct {{ char c[{size}]; }})"));
        }
    }
}

#[test]
fn two_hundred_parameters() {
    for one in [
        "long",
        "double",
        "char",
        "two_doubles",
        "long double",
        "struct { char c[3]; }",
    ] {
        try_prototype(&format!("three_longs f({})", vec![one; 200].join(", ")));
    }
}

#[test]
fn variadic_calls() {
    for (target, attribute) in CONVENTIONS {
        let declarations = declarations(target);
        let text = format!("{attribute}int f(int, ...)");
        let open = parse_signature(Some(&declarations), target, &text).unwrap();
        for doubles in 0..12 {
            for name in ["int", "long double", "m128", "m256", "two_longs"] {
                let mut extra = vec![declarations.find_type("double").unwrap(); doubles];
                extra.push(declarations.find_type(name).unwrap());
                let call = open.complete_variadic(&extra).unwrap();
                let _tried = Tried(target, format!("{text} of {doubles} doubles and {name}"));
                try_all(&assign(&call).unwrap(), 7);
            }
        }
    }
}

#[test]
fn random_signatures() {
    for (target, attribute) in CONVENTIONS {
        let declarations = declarations(target);
        let mut random = Random(20_261_130);
        for _ in 0..4000 {
            let tried = Tried(target, format!("{attribute}{}", prototype(&mut random)));
            let signature = parse_signature(Some(&declarations), target, &tried.1);
            let signature = signature.unwrap_or_else(|error| panic!("{error}"));
            try_all(&assign(&signature).unwrap(), random.next());
        }
    }
}

//! Receivers of very many signatures, run in the machine.

use super::trial;
use crate::abi::{Assignment, assign};
use crate::decl::parse_signature;
use crate::stub::tests::aarch64::Aarch64;
use crate::stub::tests::machine::Receivers;
use crate::stub::tests::random::{Random, SCALARS, prototype};
use crate::stub::tests::x86_64::X86_64;
use crate::stub::tests::{assigned_for, declarations};
use crate::stub::{Arguments, upcall};
use crate::types::target::{APPLE_AARCH64, LINUX_AARCH64, LINUX_X86_64};
use crate::types::{Convention, Target};

/// Every convention: whose it is, and how a prototype names it.
const CONVENTIONS: [(&Target, &str); 4] = [
    (&LINUX_X86_64, ""),
    (&LINUX_X86_64, "__attribute__((ms_abi)) "),
    (&LINUX_AARCH64, ""),
    (&APPLE_AARCH64, ""),
];

fn run(assignment: &Assignment, arguments: Arguments, seed: u64) {
    match assignment.convention {
        Convention::SysV64 | Convention::Win64 => run_on::<X86_64>(assignment, arguments, seed),
        Convention::Aapcs64 | Convention::Apple64 => run_on::<Aarch64>(assignment, arguments, seed),
        Convention::Default => unreachable!("an assignment's convention is a real one"),
    }
}

fn run_on<P: Receivers>(assignment: &Assignment, arguments: Arguments, seed: u64) {
    let upcall = upcall(assignment, arguments, P::NATIVE);
    for upcall in [upcall.clone().with_frame(), upcall] {
        let code = P::decode(&P::emit_upcall(&upcall));
        trial::run::<P>(assignment, arguments, &upcall, &code, seed);
    }
}

/// Both kinds of receiver for one assignment.
fn try_both(assignment: &Assignment, seed: u64) {
    for arguments in [Arguments::Pointers, Arguments::Slots] {
        run(assignment, arguments, seed);
    }
}

/// Says which signature failed.
struct Tried(&'static Target, String);

impl Drop for Tried {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the receiver of {} on {}", self.1, self.0.name);
        }
    }
}

/// By every convention.
fn try_prototype(prototype: &str) {
    for (target, attribute) in CONVENTIONS {
        let tried = Tried(target, format!("{attribute}{prototype}"));
        try_both(&assigned_for(target, &tried.1), prototype.len() as u64);
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
        try_prototype(&format!("{scalar} f(int, double)"));
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

/// On AArch64's stacks structs stand as their members want it, and less aligned than they want it
/// themselves.
#[test]
fn every_alignment() {
    let fillers = [vec!["long"; 9], vec!["double"; 9], vec!["char"; 9]]
        .concat()
        .join(", ");
    for align in [8, 16, 32, 64] {
        for members in [
            "char c;",
            "long a;",
            "long a; char c;",
            "double d[4];",
            "float f[3];",
        ] {
            let value = format!("struct __attribute__((aligned({align}))) {{ {members} }}");
            try_prototype(&format!(
                "{value} f({value}, {fillers}, {value}, float, {value})"
            ));
        }
    }
}

/// From a page on the frame is made page by page; at every size near its borders.
#[test]
fn large_frames() {
    for count in (1..20).chain(480..530).chain([1000, 1500, 4000]) {
        for one in ["long", "double", "short"] {
            let list = vec![one; count].join(", ");
            try_prototype(&format!("long double f({list})"));
            // Aligned further than the stack is.
            try_prototype(&format!("double f(m256, {list})"));
        }
    }
}

/// Parameters of which nothing travels have some memory all the same.
#[test]
fn nothing_travels() {
    try_prototype("empty f(empty, int, empty)");
    for count in [1, 2, 3, 100, 4000] {
        let list = vec!["int : 32;"; count].join(" ");
        let longs = ["long"; 8].join(", ");
        try_prototype(&format!("int f({longs}, struct {{ {list} }}, int)"));
        try_prototype(&format!("struct {{ {list} }} f(long, double)"));
        try_prototype(&format!(
            "struct __attribute__((aligned(16))) {{ {list} }} f(char)"
        ));
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
fn random_signatures() {
    for (target, attribute) in CONVENTIONS {
        let declarations = declarations(target);
        let mut random = Random(20_261_130);
        for _ in 0..4000 {
            let tried = Tried(target, format!("{attribute}{}", prototype(&mut random)));
            let signature = parse_signature(Some(&declarations), target, &tried.1);
            let signature = signature.unwrap_or_else(|error| panic!("{error}"));
            try_both(&assign(&signature).unwrap(), random.next());
        }
    }
}

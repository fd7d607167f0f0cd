//! `farcall disasm`.

use crate::run::{fails, header, prints};

/// The instructions of each part, without places and bytes.
fn instructions(text: &str) -> Vec<Vec<String>> {
    let mut parts = Vec::new();
    for line in text.lines() {
        if line.ends_with(" bytes:") {
            parts.push(Vec::new());
        } else if let (Some(part), Some(rest)) = (parts.last_mut(), line.get(7..)) {
            let assembly = rest.get(32..).unwrap_or_default();
            let assembly = assembly.split([';', '#']).next().unwrap_or_default();
            part.push(assembly.trim().to_owned());
        }
    }
    parts
}

#[test]
fn the_stub_and_the_entry() {
    let text = prints(&["disasm", "int add(int, int)"]);
    assert!(
        text.starts_with("int add(int, int)\n\nstub for pointers, "),
        "{text}"
    );
    let parts = instructions(&text);
    let [stub, entry] = parts.as_slice() else {
        panic!("{text}");
    };
    assert_eq!(stub[0], "endbr64");
    for expected in ["mov edi, [rax]", "mov esi, [rax]", "call r11", "ret"] {
        assert!(stub.iter().any(|one| one == expected), "{text}");
    }
    // A short stub is repeated in the entry.
    assert_eq!(entry[2..], stub[1..]);
    assert!(entry[1].starts_with("mov r11, "), "{text}");
}

/// What an instruction's comment says, in the first part that has the instruction.
fn comment<'t>(text: &'t str, instruction: &str) -> &'t str {
    let line = text.lines().find(|line| line.contains(instruction));
    let line = line.unwrap_or_else(|| panic!("{instruction} is not in {text}"));
    line.split_once(['#', ';'])
        .map_or("", |(_, comment)| comment.trim())
}

#[test]
fn comments_say_what_is_moved() {
    let text = prints(&[
        "disasm",
        "--errno",
        "long double _Complex f(double, struct { int a, b, c; }, long double, char, ...)",
    ]);
    for (instruction, expected) in [
        ("push rdi", "keep the result's address"),
        (
            "push qword ptr [rax+8]",
            "parameter 3, bytes 8-15, to the stack",
        ),
        ("movsd xmm0, [rax]", "parameter 1"),
        ("mov rdi, [rax]", "parameter 2, bytes 0-7"),
        ("mov esi, [rax+8]", "parameter 2, bytes 8-11"),
        ("movsx edx, byte ptr [rax]", "parameter 4"),
        ("mov eax, 1", "how many vector registers are used"),
        ("call r11", "the function"),
        (", fs:[", "errno"),
        ("pop rcx", "the result's address"),
        ("fstp tbyte ptr [rcx+0x10]", "the result, bytes 16-25"),
        (
            "mov dword ptr [rcx+0xa], 0",
            "the result, bytes 10-13, zero",
        ),
        ("mov r11, 0", "the function's address goes here"),
    ] {
        assert_eq!(comment(&text, instruction), expected, "{text}");
    }
    let text = prints(&[
        "disasm",
        "--slots",
        "--syntax=att",
        "struct { char c[20]; } f(long, char)",
    ]);
    assert_eq!(comment(&text, "mov (%rdi), %rdi"), "the result's address");
    assert_eq!(comment(&text, "movsbl 8(%rsi)"), "parameter 2");
    let text = prints(&[
        "disasm",
        "--slots",
        "void f(int, int, int, int, int, int, int)",
    ]);
    assert_eq!(comment(&text, "push r10"), "parameter 7, to the stack");
    // There is no result.
    assert_eq!(comment(&text, "push rdi"), "");
}

#[test]
fn a_long_stub_is_jumped_to() {
    let parameters = vec!["long"; 40].join(", ");
    let text = prints(&["disasm", &format!("void f({parameters})")]);
    let parts = instructions(&text);
    assert!(parts[1][2].starts_with("jmp "), "{text}");
    assert_eq!(parts[1].len(), 3);
}

#[test]
fn slots() {
    let pointers = prints(&["disasm", "int add(int, int)"]);
    let slots = prints(&["disasm", "--slots", "int add(int, int)"]);
    assert!(slots.contains("stub for slots, "), "{slots}");
    assert_ne!(pointers, slots);
    assert!(slots.contains("mov edi, [rsi]"), "{slots}");
}

#[test]
fn syntaxes() {
    let text = prints(&["disasm", "--syntax", "att", "int add(int, int)"]);
    assert!(text.contains("mov (%rax), %edi"), "{text}");
    let intel = prints(&["disasm", "--syntax=intel", "int add(int, int)"]);
    assert_eq!(intel, prints(&["disasm", "int add(int, int)"]));
}

#[test]
fn errno() {
    let without = prints(&["disasm", "int add(int, int)"]);
    let with = prints(&["disasm", "--errno", "int add(int, int)"]);
    assert!(with.contains("fs:") && !without.contains("fs:"), "{with}");
}

#[test]
fn declared_functions() {
    let text = prints(&["disasm", "--decls", header(), "length"]);
    assert!(text.contains("movsd xmm1, [rax+8]"), "{text}");
}

#[test]
fn mistakes() {
    let message = fails(1, &["disasm", "int f("]);
    assert!(message.contains("1:7: expected"), "{message}");
}

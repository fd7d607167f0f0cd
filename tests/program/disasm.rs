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
            let assembly = assembly.split(';').next().unwrap_or_default();
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

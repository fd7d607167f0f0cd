//! `farcall disasm`.

use crate::run::{fails, farcall_reading, header, prints};

/// The instructions of each part, without places and bytes.
fn instructions(text: &str) -> Vec<Vec<String>> {
    let mut parts = Vec::new();
    for line in text.lines() {
        if line.ends_with(" bytes:") {
            parts.push(Vec::new());
        } else if let (Some(part), Some(rest)) = (parts.last_mut(), line.get(7..)) {
            // The bytes, two blanks, the instruction, two blanks and a comment.
            let (_, assembly) = rest.split_once("  ").unwrap_or_default();
            let assembly = assembly.trim_start().split("  ").next().unwrap_or_default();
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
    ["; ", "# ", "// "]
        .iter()
        .find_map(|mark| line.split_once(mark))
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
fn comments_on_copies() {
    let text = prints(&[
        "disasm",
        "--abi=win64",
        "struct { char c[3]; } f(struct { long long a[2]; }, double)",
    ]);
    for (instruction, expected) in [
        (
            "mov [rsp+0x20], r10",
            "parameter 1, bytes 0-7, to the stack",
        ),
        ("mov rcx, rdi", "the result's address"),
        ("lea rdx, [rsp+0x20]", "address of parameter 1's copy"),
        ("movsd xmm2, [rax]", "parameter 2"),
    ] {
        assert_eq!(comment(&text, instruction), expected, "{text}");
    }
}

#[test]
fn aarch64() {
    let text = prints(&[
        "disasm",
        "--arch=aarch64",
        "--errno",
        "struct { short a[3]; } f(char, struct { char a[24]; }, double, struct { float x, y, z; })",
    ]);
    let parts = instructions(&text);
    assert_eq!(parts[0][0], "bti c");
    assert_eq!(parts[0].last().map(String::as_str), Some("ret"));
    for (instruction, expected) in [
        ("str x0, [sp", "keep the result's address"),
        ("ldrb w0, [x9]", "parameter 1"),
        ("ldp x10, x11, [x9]", "parameter 2, bytes 0-15"),
        (
            "stp x10, x11, [sp]",
            "parameter 2, bytes 0-15, to the stack",
        ),
        ("ldr d0, ", "parameter 3"),
        ("ldp s1, s2, ", "parameter 4, bytes 0-7"),
        ("mov x1, sp", "address of parameter 2's copy"),
        ("blr x17", "the function"),
        ("ldr w10, [x9, #0x10]         // errno", "errno"),
        ("str w10, [x9, ", "keep errno"),
        ("ldur x9, [x29", "the result's address"),
        ("str w0, [x9]", "the result, bytes 0-3"),
        ("strh w0, [x9, #0x4]", "the result, bytes 4-5"),
        ("mov x17, ", "the function's address goes here"),
    ] {
        assert_eq!(comment(&text, instruction), expected, "{text}");
    }
    let text = prints(&[
        "disasm",
        "--abi=aapcs64",
        "--slots",
        "struct { long a[3]; } f(long, char)",
    ]);
    assert_eq!(comment(&text, "ldr x0, [x0]"), "the result's address");
    assert_eq!(comment(&text, "mov x8, x0"), "the result's address");
    assert_eq!(comment(&text, "ldrb w1, [x1, #0x8]"), "parameter 2");
    assert_eq!(comment(&text, "br x17"), "the function");
    let parameters = vec!["long"; 40].join(", ");
    let text = prints(&["disasm", "--abi=apple64", &format!("void f({parameters})")]);
    assert_eq!(comment(&text, "  b 0x4"), "the stub");
    let message = fails(
        2,
        &["disasm", "--arch=aarch64", "--syntax=att", "int f(int)"],
    );
    assert!(
        message
            .contains("--syntax is for x86_64: the instructions of aarch64 are written in one way"),
        "{message}"
    );
}

/// The bytes are those of the listing.
#[test]
fn bytes() {
    for abi in ["sysv64", "win64", "aapcs64", "apple64"] {
        let prototype = "double f(int, ...)";
        let line = prints(&["disasm", "--bytes", "--abi", abi, prototype, "double"]);
        let text = prints(&["disasm", "--abi", abi, prototype, "double"]);
        let (_, stub) = text.split_once("bytes:\n").expect("a stub");
        let (stub, _) = stub.split_once("\n\n").expect("its end");
        let listed: String = stub
            .lines()
            .filter_map(|line| line.get(7..)?.split("  ").next())
            .flat_map(str::split_whitespace)
            .collect();
        assert_eq!(line, listed + "\n", "{abi}");
        let slots = prints(&[
            "disasm", "--bytes", "--slots", "--abi", abi, prototype, "double",
        ]);
        assert_ne!(line, slots, "{abi}");
    }
    let input = "double f(int, ...)\tdouble\nint f(\n";
    let output = farcall_reading(input, &["disasm", "--bytes", "--arch", "aarch64", "-"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        lines[0],
        prints(&[
            "disasm",
            "--bytes",
            "--arch=aarch64",
            "double f(int, ...)",
            "double"
        ])
        .trim_end()
    );
    assert!(
        lines[1].starts_with("error: prototype:1:7: expected"),
        "{text}"
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "farcall: 1 of 2 prototypes are wrong\n"
    );
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

/// A callback's code, with the same options as a call's.
#[test]
fn callbacks() {
    let prototype = "int compare(const void *, const void *)";
    let text = prints(&["disasm", "--callback", prototype]);
    let parts = instructions(&text);
    let [receiver, thunk] = parts.as_slice() else {
        panic!("{text}");
    };
    assert!(text.contains("receiver for pointers, "), "{text}");
    assert!(text.contains("thunk of a callback, 32 bytes"), "{text}");
    assert_eq!(receiver[0], "endbr64");
    assert_eq!(receiver.last().map(String::as_str), Some("ret"));
    assert_eq!(thunk[0], "endbr64");
    assert_eq!(thunk.last().map(String::as_str), Some("int3"));
    for (instruction, expected) in [
        ("mov rdx, [r11+0x10]", "the handler's user"),
        ("call qword ptr [r11+8]", "the handler"),
        ("lea r11, [", "the callback's record"),
        ("jmp qword ptr [", "the receiver, as the record says"),
    ] {
        assert_eq!(comment(&text, instruction), expected, "{text}");
    }
    let slots = prints(&["disasm", "--callback", "--slots", "--syntax=att", prototype]);
    assert!(slots.contains("receiver for slots, "), "{slots}");
    assert!(slots.contains("mov %rdi, -0x"), "{slots}");

    let text = prints(&["disasm", "--callback", "--abi=apple64", prototype]);
    let parts = instructions(&text);
    assert_eq!(parts[0][0], "bti c");
    for (instruction, expected) in [
        ("ldp x16, x2, [x17, #0x8]", "the handler and its user"),
        ("blr x16", "the handler"),
        ("adr x17, ", "the callback's record"),
        ("  br x16", "the receiver"),
    ] {
        assert_eq!(comment(&text, instruction), expected, "{text}");
    }

    let win64 = ["disasm", "--callback", "--bytes", "--abi=win64", prototype];
    let sysv64 = ["disasm", "--callback", "--bytes", "--abi=sysv64", prototype];
    assert!(prints(&win64).len() > prints(&sysv64).len());
    assert!(prints(&sysv64).starts_with("f30f1efa5548"));
}

#[test]
fn what_no_callback_is() {
    let message = fails(
        1,
        &["disasm", "--callback", "int printf(const char *, ...)"],
    );
    assert!(
        message.contains("a variadic function cannot be a callback: name its parameters"),
        "{message}"
    );
    let message = fails(2, &["disasm", "--callback", "--errno", "int f(int)"]);
    assert!(
        message.contains("--errno is for calls: a callback changes nothing of it"),
        "{message}"
    );
}

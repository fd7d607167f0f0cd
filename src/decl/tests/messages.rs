//! Messages in full: `messages.txt` has a text after each `>`, and below it what is said about it.

use super::declarations;
use crate::decl::{Declarations, function, parse_signature};
use crate::types::target::LINUX_X86_64;

/// What the names in the sections on types and constants are looked for in.
const KNOWN: &str = "struct point { int x; }; typedef struct point point_t; int puts(const char *);
    enum color { RED_ONE, GREEN_ONE }; struct half; int var;";

fn message(section: &str, text: &str) -> String {
    let error = match section {
        "declarations" => Declarations::new(&LINUX_X86_64).add(text).err(),
        "prototypes" => parse_signature(None, &LINUX_X86_64, text).err(),
        "types" => declarations(KNOWN).find_type(text).err(),
        "functions" => function(Some(&declarations(KNOWN)), &LINUX_X86_64, text).err(),
        "constants" => declarations(KNOWN).constant(text).err(),
        _ => panic!("{section}"),
    };
    error
        .unwrap_or_else(|| panic!("not refused: {text}"))
        .message
}

#[test]
fn messages_in_full() {
    let mut section = "";
    let mut cases = 0;
    for block in include_str!("messages.txt").split("\n\n") {
        let Some((first, expected)) = block.trim_matches('\n').split_once('\n') else {
            section = block.trim().strip_prefix("== ").unwrap_or(section);
            continue;
        };
        let text = first
            .strip_prefix('>')
            .unwrap_or_else(|| panic!("{block}"))
            .trim_start();
        let text = text.replace("\\n", "\n").replace("\\t", "\t");
        let said = message(section, &text);
        let said: Vec<&str> = said.lines().map(str::trim_end).collect();
        let expected: Vec<&str> = expected.lines().map(str::trim_end).collect();
        assert_eq!(said, expected, "{text}");
        cases += 1;
    }
    assert!(cases > 160, "{cases}");
}

#[test]
fn other_texts() {
    let mut declarations = declarations("\nstruct s { int a; };");
    assert_eq!(
        declarations
            .add("struct s { int b; };")
            .unwrap_err()
            .message,
        "1:8: \"struct s\" is defined differently on line 2 of an earlier text\n    \
         struct s { int b; };\n           ^"
    );
}

#[test]
fn control_characters_and_long_words() {
    let long = "a".repeat(100);
    let message = super::refusal(&format!("{long} x;\u{1b}[31m")).message;
    let shown = "a".repeat(60);
    assert_eq!(
        message.lines().next(),
        Some(&*format!("1:1: unknown type name \"{shown}...\""))
    );
    let message = super::refusal("int x\u{1b}[31m;").message;
    assert!(message.contains("    int x\u{fffd}[31m;"), "{message}");
}

#[test]
fn lines_end_in_many_ways() {
    let message = super::refusal("int a;\r\nint b(\r\n").message;
    assert!(message.starts_with("2:7: "), "{message}");
    assert!(message.ends_with("\n    int b(\n          ^"), "{message}");
}

//! Documented limits hold, and nothing that is nested however deep overflows the stack.

use super::{declarations, refusal};
use crate::decl::{Declarations, MAX_DEPTH, MAX_SOURCE, parse_signature};
use crate::error::Status;
use crate::types::MAX_PARAMS;
use crate::types::target::LINUX_X86_64;

/// `open` so many times, `middle`, and `close` as often.
fn nested(open: &str, middle: &str, close: &str, times: usize) -> String {
    format!("{}{middle}{}", open.repeat(times), close.repeat(times))
}

/// What can be nested: what opens a level, what stands innermost, and what closes it.
const NESTS: [(&str, &str, &str, &str, &str); 25] = [
    ("int ", "(", "x", ")", ";"),
    ("int ", "*", "x", "", ";"),
    ("int ", "(*", "x", ")(void)", ";"),
    ("int x", "[2]", "", "", ";"),
    ("int x", "(int (*)", "(int)", ")", ";"),
    ("int x", "(int y", "(int)", ")", ";"),
    ("", "struct { ", "int a;", " } b;", ";"),
    ("", "union { ", "int a;", " };", ";"),
    ("int x[", "(", "1", ")", "];"),
    ("int x[", "-", "1", "", "];"),
    ("int x[", "~ !", "1", "", "];"),
    ("int x[", "1 ? ", "1", " : 2", "];"),
    ("int x[", "0 ? 1 : ", "1", "", "];"),
    (
        "int x[",
        "1 || 1 && 1 | 1 ^ 1 & 1 == 1 < 1 << 1 + 1 * (",
        "1",
        ")",
        "];",
    ),
    ("int x[", "sizeof ", "1", "", "];"),
    ("int x[", "sizeof(int[", "1", "])", "];"),
    ("int x[", "(int)", "1", "", "];"),
    ("int x[", "sizeof(struct { int a : ", "1", "; })", "];"),
    ("int x[", "sizeof(enum { A = ", "1", " })", "];"),
    ("", "__typeof__(", "int", ")", " x;"),
    ("", "_Atomic(", "int", ")", " x;"),
    ("", "_Alignas(", "8", ")", " int x;"),
    (
        "",
        "__attribute__((aligned(sizeof(",
        "int",
        "))))",
        " int x;",
    ),
    (
        "",
        "__attribute__((aligned(_Alignof(struct { int a ",
        "",
        "; }))))",
        " int x;",
    ),
    (
        "int x(",
        "int a[sizeof(int (*)(int b, int c[b + ",
        "1",
        "]))]",
        ");",
    ),
];

/// Runs on a stack of its own size.
fn on_stack(kib: usize, run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(kib << 10).spawn(run);
    thread.unwrap().join().unwrap();
}

#[test]
fn nothing_overflows_the_stack() {
    // Built without optimization frames are several times larger.
    on_stack(if cfg!(debug_assertions) { 2048 } else { 192 }, || {
        for (before, open, middle, close, after) in NESTS {
            for times in [10, MAX_DEPTH as usize / 2, MAX_DEPTH as usize, 100_000] {
                for text in [
                    format!("{before}{}{after}", nested(open, middle, close, times)),
                    format!("{before}{}", open.repeat(times)),
                    format!("{}{middle}{close}", open.repeat(times)),
                ] {
                    // It may be right or wrong; what matters is that there is an answer.
                    let _ = Declarations::new(&LINUX_X86_64).add(&text);
                    let _ = Declarations::new(&LINUX_X86_64).find_type(&text);
                    let _ = parse_signature(None, &LINUX_X86_64, &text);
                }
            }
        }
    });
}

#[test]
fn what_c_asks_for_is_within_the_limits() {
    // C11, 5.2.4.1: 63 levels of each.
    for (before, open, middle, close, after) in [NESTS[0], NESTS[2], NESTS[6], NESTS[8], NESTS[9]] {
        let text = format!("{before}{}{after}", nested(open, middle, close, 63));
        let added = Declarations::new(&LINUX_X86_64).add(&text);
        if let Err(error) = added {
            // Names within names, and what is negative.
            assert_ne!(error.status, Status::Limit, "{error}");
        }
    }
    declarations(&format!("int {}x{};", "(".repeat(200), ")".repeat(200)));
    declarations(&format!("int x[{}1{}];", "(".repeat(100), ")".repeat(100)));
    declarations(&format!("int {}x;", "*".repeat(200)));
}

#[test]
fn too_deep_is_a_limit() {
    let deep = format!("int x[{}1{}];", "(".repeat(300), ")".repeat(300));
    let error = refusal(&deep);
    assert_eq!(error.status, Status::Limit);
    assert!(
        error.message.contains(
            "nested too deeply: the limit is 256 levels, of which a type within another takes 4"
        ),
        "{error}"
    );
    let error = refusal(&format!("int {}x;", "*".repeat(300)));
    assert_eq!(error.status, Status::Limit);
    assert!(error.message.contains("too many pointers"), "{error}");
}

#[test]
fn sizes_of_texts() {
    let mut large = "int f(void);".to_owned();
    large.push_str(&" ".repeat(MAX_SOURCE - large.len()));
    declarations(&large);
    large.push(' ');
    let error = refusal(&large);
    assert_eq!(error.status, Status::Limit);
    assert_eq!(
        error.message,
        "the text has 16777217 bytes: the limit is 16777216"
    );
    assert_eq!(
        parse_signature(None, &LINUX_X86_64, &large)
            .unwrap_err()
            .status,
        Status::Limit
    );
    let none = Declarations::new(&LINUX_X86_64)
        .find_type(&large)
        .unwrap_err();
    assert_eq!(none.status, Status::Limit);
}

#[test]
fn many_parameters() {
    let list = vec!["int"; MAX_PARAMS].join(",");
    let signature = parse_signature(None, &LINUX_X86_64, &format!("void f({list})")).unwrap();
    assert_eq!(signature.function().params.len(), MAX_PARAMS);
    let error = parse_signature(None, &LINUX_X86_64, &format!("void f({list}, int)")).unwrap_err();
    assert_eq!(error.status, Status::Limit);
    let named: Vec<String> = (0..60_000).map(|index| format!("int p{index}")).collect();
    declarations(&format!("void f({});", named.join(", ")));
}

#[test]
fn texts_that_could_take_long() {
    let started = std::time::Instant::now();
    // Each of these is quadratic, or worse, if done without care.
    let many = 20_000;
    let mut text = String::new();
    for index in 0..many {
        text.push_str(&format!(
            "typedef struct {{ int a; }} t{index}; struct s{index} {{ t{index} a; }};"
        ));
    }
    declarations(&format!(
        "{text}{}",
        text.replace("typedef struct { int a; }", "typedef int u")
            .replace("typedef int u t", "typedef int u")
            .replace("struct s", "struct r")
    ));
    // One name that hides a typedef, again and again.
    let list = vec!["T T"; 1]
        .into_iter()
        .chain(vec!["int T"; 50_000])
        .collect::<Vec<_>>();
    declarations(&format!("typedef int T; void f({});", list.join(", ")));
    // The same record, member for member.
    let members: String = (0..many)
        .map(|index| format!("struct {{ int a; }} m{index};"))
        .collect();
    let record = format!("struct big {{ {members} }};");
    declarations(&format!("{record}{record}"));
    // Copies of it.
    let copies: String = (0..many)
        .map(|index| format!("typedef struct big c{index} __attribute__((aligned(16)));"))
        .collect();
    let error = refusal(&format!("{record}{copies}"));
    assert_eq!(error.status, Status::Limit);
    // Lengths that are tried twice.
    let _ = Declarations::new(&LINUX_X86_64).add(&nested(
        "int x(int n, int a[n + sizeof(int (*)(",
        "int",
        "))])",
        60,
    ));
    let chain: String = (0..many)
        .map(|i| format!("typedef p{i} *p{};", i + 1))
        .collect();
    declarations(&format!("typedef int p0;{chain}{chain}"));
    // What is tried, and thought better of.
    declarations(&"_Static_assert(sizeof ((char *)0)[0] == 1, \"\");\n".repeat(many));
    declarations(&"int f(int n, int a[n]);\n".repeat(many));
    // Texts of types that grow twofold with each.
    let twice: String = (0..60)
        .map(|i| {
            format!(
                "typedef struct {{ t{i} *a, *b; }} t{0}; typedef void g{0}(g{i} *, g{i} *);",
                i + 1
            )
        })
        .collect();
    let text = format!("typedef int t0; typedef int g0; {twice} typedef int t60; typedef int g60;");
    assert!(refusal(&text).message.len() < 100_000);
    let text = text.replace("typedef int t60;", "");
    assert!(refusal(&text).message.len() < 100_000);
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn sizes_of_types() {
    for text in [
        "int x[0x7fffffffffffffff];",
        "char x[0x100000000][0x100000000];",
        "struct s { char a[1ul << 56], b[1ul << 56]; };",
    ] {
        assert_eq!(refusal(text).status, Status::Limit, "{text}");
    }
    assert_eq!(refusal("int x[(__int128)1 << 100];").status, Status::Syntax);
    assert_eq!(
        refusal("struct s { int a : 0xfffffffff; };").status,
        Status::Syntax
    );
}

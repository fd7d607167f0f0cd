//! Constant expressions and enumerators.

use super::{declarations, refusal};
use crate::decl::Declarations;
use crate::types::Kind;
use crate::types::target::{LINUX_AARCH64, LINUX_X86_64, WINDOWS_X86_64};

fn value(expression: &str) -> i64 {
    declarations(&format!("enum {{ A = {expression} }};"))
        .constant("A")
        .unwrap()
}

#[test]
fn expressions() {
    // What gcc makes of them on x86-64.
    for (expression, expected) in [
        ("1 + 2 * 3", 7),
        ("3 ?: 2", 3),
        ("0 ?: 2", 2),
        ("1 ?: 1 / 0", 1),
        ("0 ?: 0 ?: 5", 5),
        ("(-1 ?: 1u) > 0", 1),
        ("(1 + 2) * 3", 9),
        ("10 - 3 - 2", 5),
        ("100 / 7 % 5", 4),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("1 << 4 | 1", 17),
        ("0xff & ~0xf", 240),
        ("6 ^ 3", 5),
        ("1 < 2", 1),
        ("2 <= 1", 0),
        ("3 > 2 > 1", 0),
        ("2 >= 2 && 3 != 4 || 0", 1),
        ("!0 + !5", 1),
        ("-1 < 0u", 0),
        ("-1 < (long)0u", 1),
        ("1 ? 2 : 3", 2),
        ("0 ? 2 : 0 ? 3 : 4", 4),
        ("1 ? 2 : 1 / 0", 2),
        ("0 && 1 / 0", 0),
        ("1 || 1 % 0", 1),
        ("0 ? 1 << 99 : 5", 5),
        ("- - 5", 5),
        ("+(-5)", -5),
        ("~0", -1),
        ("-1 >> 1", -1),
        ("-1u >> 28", 15),
        ("0x7fffffff + 1 > 0", 0),
        ("0xffffffff + 1", 0),
        ("0xffffffffL + 1", 4294967296),
        ("4294967295 + 1", 4294967296),
        ("0777", 511),
        ("0b1011", 11),
        ("10ull / 3", 3),
        ("1LU << 40", 1099511627776),
        ("(unsigned char)300", 44),
        ("(signed char)200", -56),
        ("(_Bool)7", 1),
        ("(bool)0", 0),
        ("(int)-1 == -1", 1),
        ("(unsigned)-1 > 0", 1),
        ("(char)200", -56),
        ("(short)0x18000 + 1", -32767),
        ("(enum e { X = 3 })X", 3),
        ("true + false", 1),
        ("sizeof(int)", 4),
        ("sizeof(long double)", 16),
        ("sizeof(int[3][2])", 24),
        ("sizeof(struct { char a; int b; })", 8),
        ("sizeof(int (*)(void))", 8),
        ("sizeof(void)", 1),
        ("sizeof 1", 4),
        ("sizeof 1L", 8),
        ("sizeof(1 + 1LL)", 8),
        ("sizeof 'a'", 4),
        ("sizeof(char) * 3 + 1", 4),
        ("-sizeof(int) > 0", 1),
        ("_Alignof(double)", 8),
        ("__alignof__(char[7])", 1),
        ("_Alignof(max)", 16),
        ("'a'", 97),
        ("'\\n'", 10),
        ("'\\''", 39),
        ("'\\\\'", 92),
        ("'\"'", 34),
        ("'\\0'", 0),
        ("'\\101'", 65),
        ("'\\x41'", 65),
        ("'\\xff'", -1),
        ("'ab'", 24930),
        ("'abcd'", 1633837924),
        ("L'\\xff'", 255),
        ("u'\\u20ac'", 0x20ac),
        ("U'\u{20ac}'", 0x20ac),
        ("u8'a'", 97),
        ("(__int128)1 << 100 >> 98", 4),
        ("(unsigned __int128)-1 > 0", 1),
        ("((__int128)1 << 64) / 4 == 0x4000000000000000", 1),
        ("__builtin_offsetof(struct s, c)", 12),
        ("__builtin_offsetof(struct s, b[1].y)", 8),
        ("offsetof(struct s, d)", 16),
        ("sizeof table", 12),
        ("sizeof(table) / sizeof(int)", 3),
    ] {
        let text = format!(
            "struct s {{ int a; struct {{ char x, y; }} b[2]; short pad; int c; struct {{ char d; }}; }};
             typedef long double max; extern int table[3]; enum {{ A = {expression} }};"
        )
        .replace("char x, y; } b[2]; short pad", "short x, y; } b[2]");
        let expected = match expression {
            "__builtin_offsetof(struct s, b[1].y)" => 10,
            _ => expected,
        };
        assert_eq!(
            declarations(&text).constant("A").unwrap(),
            expected,
            "{expression}"
        );
    }
}

#[test]
fn of_the_target() {
    let of = |target, expression: &str| {
        let mut declarations = Declarations::new(target);
        declarations
            .add(&format!("enum {{ A = {expression} }};"))
            .unwrap();
        declarations.constant("A").unwrap()
    };
    assert_eq!(of(&LINUX_AARCH64, "'\\xff'"), 255);
    assert_eq!(of(&LINUX_AARCH64, "(char)200"), 200);
    assert_eq!(of(&WINDOWS_X86_64, "sizeof(long)"), 4);
    assert_eq!(of(&WINDOWS_X86_64, "sizeof(1L)"), 4);
    assert_eq!(of(&WINDOWS_X86_64, "sizeof(4294967295)"), 8);
    assert_eq!(of(&WINDOWS_X86_64, "L'\\xffff' == -1"), 0);
    assert_eq!(of(&LINUX_X86_64, "sizeof(4294967295)"), 8);
    assert_eq!(of(&LINUX_X86_64, "sizeof(0xffffffff)"), 4);
}

#[test]
fn enumerators_count_on() {
    let declarations = declarations(
        "enum color { RED, GREEN = 5, BLUE, NEGATIVE = -3, NEXT, SAME = BLUE, SUM = RED + GREEN * 2, };
         enum { BIG = 0xffffffffffffffff, WIDE = 1LL << 40 };
         int array[SUM + 1];",
    );
    for (name, value) in [
        ("RED", 0),
        ("GREEN", 5),
        ("BLUE", 6),
        ("NEGATIVE", -3),
        ("NEXT", -2),
        ("SAME", 6),
        ("SUM", 10),
        ("BIG", -1),
        ("WIDE", 1 << 40),
    ] {
        assert_eq!(declarations.constant(name).unwrap(), value, "{name}");
    }
    assert_eq!(value("0"), 0);
}

#[test]
fn the_type_of_an_enumeration() {
    for (body, kind) in [
        ("{ A }", Kind::U32),
        ("{ A = -1 }", Kind::I32),
        ("{ A = 0x7fffffff, B = -0x7fffffff - 1 }", Kind::I32),
        ("{ A = 0xffffffff }", Kind::U32),
        ("{ A = 0xffffffff, B = -1 }", Kind::I64),
        ("{ A = 0x100000000 }", Kind::U64),
        ("{ A = 0xffffffffffffffff }", Kind::U64),
        ("{ A } __attribute__((packed))", Kind::U8),
        ("{ A = -128, B = 127 } __attribute__((packed))", Kind::I8),
        ("{ A = 256 } __attribute__((packed))", Kind::U16),
        ("{ A = -129 } __attribute__((packed))", Kind::I16),
        ("{ A = 65536 } __attribute__((packed))", Kind::U32),
        (": unsigned char { A = 3 }", Kind::U8),
        (": long { A }", Kind::I64),
    ] {
        let declarations = declarations(&format!("enum e {body};"));
        let ty = declarations.find_type("enum e").unwrap();
        assert_eq!(ty.get().value_kind(), kind, "{body}");
        let kind_size = kind.layout(&LINUX_X86_64).unwrap().0;
        assert_eq!(ty.get().size(), kind_size, "{body}");
    }
    let windows = {
        let mut declarations = Declarations::new(&WINDOWS_X86_64);
        declarations.add("enum e { A = 0x100000000 };").unwrap();
        declarations.find_type("enum e").unwrap()
    };
    assert_eq!(windows.get().value_kind(), Kind::U64);
    assert!(
        refusal("enum { A = 0xffffffffffffffff, B = -1 };")
            .message
            .contains("no integer type")
    );
}

#[test]
fn assertions() {
    declarations(
        "_Static_assert(sizeof(int) == 4, \"int\"); static_assert(1);
         struct s { int a; _Static_assert(1 + 1 == 2, \"sum\" \"s\"); };
         _Static_assert(sizeof(((struct s *)0)->a) == 4, \"not understood, passed over\");",
    );
    let error = refusal("_Static_assert(sizeof(long) == 4, \"long is short\");");
    assert_eq!(
        error.message,
        "1:1: this assertion does not hold: \"long is short\"\n    \
         _Static_assert(sizeof(long) == 4, \"long is short\");\n    ^"
    );
}

//! Layouts of structs, unions and enumerations. The numbers are those of gcc 12 and clang 19 for
//! x86-64, which agree, and of clang 19 for AArch64.

use crate::decl::Declarations;
use crate::types::target::{LINUX_AARCH64, LINUX_X86_64};
use crate::types::{Data, Target, TypeRef};

/// Size, alignment, and the members' first bits.
type Layout = (u64, u32, &'static [u64]);

/// The first bit of a member, named by a path as in `d.b`.
fn position(ty: TypeRef<'_>, path: &str) -> Option<u64> {
    let (name, rest) = path
        .split_once('.')
        .map_or((path, None), |(name, rest)| (name, Some(rest)));
    let Data::Record(record) = &ty.node.data else {
        return None;
    };
    record.fields.iter().flatten().find_map(|field| {
        let bit = field.offset * 8 + u64::from(field.bit_offset);
        let member = ty.follow(&field.link);
        let within = match &field.name {
            None => position(member, path),
            Some(found) if found.to_bytes() != name.as_bytes() => None,
            Some(_) => rest.map_or(Some(0), |rest| position(member, rest)),
        };
        within.map(|within| bit + within)
    })
}

fn check(text: &str, name: &str, members: &[&str], target: &'static Target, expected: Layout) {
    let mut declarations = Declarations::new(target);
    declarations
        .add(text)
        .unwrap_or_else(|error| panic!("{error}"));
    let ty = declarations.find_type(name).unwrap();
    let view = ty.get();
    let positions: Vec<u64> = members
        .iter()
        .map(|path| position(view, path).unwrap_or_else(|| panic!("{text}: no {path}")))
        .collect();
    assert_eq!(
        (view.size(), view.align(), &positions[..]),
        expected,
        "{}: {text}",
        target.name
    );
}

fn case(text: &str, name: &str, members: &[&str], x86_64: Layout, aarch64: Layout) {
    check(text, name, members, &LINUX_X86_64, x86_64);
    check(text, name, members, &LINUX_AARCH64, aarch64);
}

#[test]
#[rustfmt::skip]
fn layouts_are_those_of_the_compilers() {
    case("struct s { char a; int b; short c; };", "struct s", &["a", "b", "c"], (12, 4, &[0, 32, 64]), (12, 4, &[0, 32, 64]));
    case("struct s { char a; double b; char c; };", "struct s", &["a", "b", "c"], (24, 8, &[0, 64, 128]), (24, 8, &[0, 64, 128]));
    case("struct s { long double a; char b; };", "struct s", &["a", "b"], (32, 16, &[0, 128]), (32, 16, &[0, 128]));
    case("struct s { char a; __int128 b; };", "struct s", &["a", "b"], (32, 16, &[0, 128]), (32, 16, &[0, 128]));
    case("struct s { _Bool a; float _Complex b; double _Complex c; };", "struct s", &["a", "b", "c"], (32, 8, &[0, 32, 128]), (32, 8, &[0, 32, 128]));
    case("struct s { char a; long double _Complex b; };", "struct s", &["a", "b"], (48, 16, &[0, 128]), (48, 16, &[0, 128]));
    case("struct s { _Float16 a; char b; };", "struct s", &["a", "b"], (4, 2, &[0, 16]), (4, 2, &[0, 16]));
    case("union s { char a[3]; short b; long c; };", "union s", &["a", "b", "c"], (8, 8, &[0, 0, 0]), (8, 8, &[0, 0, 0]));
    case("struct s { char a; struct { short b; char c; } d; char e; };", "struct s", &["a", "d.b", "d.c", "e"], (8, 2, &[0, 16, 32, 48]), (8, 2, &[0, 16, 32, 48]));
    case("struct s { char a; struct { short b; union { int c; char d; }; }; char e; };", "struct s", &["a", "b", "c", "d", "e"], (16, 4, &[0, 32, 64, 64, 96]), (16, 4, &[0, 32, 64, 64, 96]));
    case("struct s { int a : 3; int b : 7; unsigned c : 24; };", "struct s", &["a", "b", "c"], (8, 4, &[0, 3, 32]), (8, 4, &[0, 3, 32]));
    case("struct s { char a : 3; char b : 6; };", "struct s", &["a", "b"], (2, 1, &[0, 8]), (2, 1, &[0, 8]));
    case("struct s { int a : 3; int : 0; int b : 2; };", "struct s", &["a", "b"], (8, 4, &[0, 32]), (8, 4, &[0, 32]));
    case("struct s { char a; int : 0; char b; };", "struct s", &["a", "b"], (5, 1, &[0, 32]), (8, 4, &[0, 32]));
    case("struct s { char a; int : 5; char b; };", "struct s", &["a", "b"], (3, 1, &[0, 16]), (4, 4, &[0, 16]));
    case("struct s { char a; long long : 40; char b; };", "struct s", &["a", "b"], (7, 1, &[0, 48]), (8, 8, &[0, 48]));
    case("struct s { char a : 1; long b : 40; int c : 30; };", "struct s", &["a", "b", "c"], (16, 8, &[0, 1, 64]), (16, 8, &[0, 1, 64]));
    case("struct s { _Bool a : 1; _Bool b : 1; char c; };", "struct s", &["a", "b", "c"], (2, 1, &[0, 1, 8]), (2, 1, &[0, 1, 8]));
    case("struct s { short a; int b : 20; char c; };", "struct s", &["a", "b", "c"], (8, 4, &[0, 32, 56]), (8, 4, &[0, 32, 56]));
    case("struct __attribute__((packed)) s { char a; int b; short c; };", "struct s", &["a", "b", "c"], (7, 1, &[0, 8, 40]), (7, 1, &[0, 8, 40]));
    case("struct s { char a; int b; short c; } __attribute__((packed));", "struct s", &["a", "b", "c"], (7, 1, &[0, 8, 40]), (7, 1, &[0, 8, 40]));
    case("struct s { char a; int b __attribute__((packed)); short c; };", "struct s", &["a", "b", "c"], (8, 2, &[0, 8, 48]), (8, 2, &[0, 8, 48]));
    case("struct __attribute__((packed)) s { char a : 3; int b : 30; long c : 40; };", "struct s", &["a", "b", "c"], (10, 1, &[0, 3, 33]), (10, 1, &[0, 3, 33]));
    case("struct __attribute__((packed, aligned(4))) s { char a; long b; };", "struct s", &["a", "b"], (12, 4, &[0, 8]), (12, 4, &[0, 8]));
    case("struct s { char a; int b; } __attribute__((aligned(16)));", "struct s", &["a", "b"], (16, 16, &[0, 32]), (16, 16, &[0, 32]));
    case("struct s { char a; int b; } __attribute__((aligned));", "struct s", &["a", "b"], (16, 16, &[0, 32]), (16, 16, &[0, 32]));
    case("struct s { char a; int b __attribute__((aligned(16))); char c; };", "struct s", &["a", "b", "c"], (32, 16, &[0, 128, 160]), (32, 16, &[0, 128, 160]));
    case("struct s { char a; _Alignas(8) char b; _Alignas(double) char c; };", "struct s", &["a", "b", "c"], (24, 8, &[0, 64, 128]), (24, 8, &[0, 64, 128]));
    case("struct s { char a; __attribute__((aligned(8))) char b, c; };", "struct s", &["a", "b", "c"], (24, 8, &[0, 64, 128]), (24, 8, &[0, 64, 128]));
    case("typedef int big __attribute__((aligned(16))); struct s { char a; big b; char c; };", "struct s", &["a", "b", "c"], (32, 16, &[0, 128, 160]), (32, 16, &[0, 128, 160]));
    case("typedef int big __attribute__((aligned(16)));", "big", &[], (4, 16, &[]), (4, 16, &[]));
    case("typedef long small __attribute__((aligned(2))); struct s { char a; small b; };", "struct s", &["a", "b"], (10, 2, &[0, 16]), (10, 2, &[0, 16]));
    case("typedef __attribute__((aligned(8))) struct { char a; } t; struct s { char a; t b; };", "struct s", &["a", "b"], (16, 8, &[0, 64]), (16, 8, &[0, 64]));
    case("typedef float v4 __attribute__((vector_size(16))); struct s { char a; v4 b; };", "struct s", &["a", "b"], (32, 16, &[0, 128]), (32, 16, &[0, 128]));
    case("struct s { char a; __attribute__((vector_size(8))) short b; char c; };", "struct s", &["a", "b", "c"], (24, 8, &[0, 64, 128]), (24, 8, &[0, 64, 128]));
    // More than AArch64's registers hold.
    case("typedef double v8 __attribute__((vector_size(64))); struct s { char a; v8 b; char c; };", "struct s", &["a", "b", "c"], (192, 64, &[0, 512, 1024]), (96, 16, &[0, 128, 640]));
    case("struct s { int n; char data[]; };", "struct s", &["n", "data"], (4, 4, &[0, 32]), (4, 4, &[0, 32]));
    case("struct s { char n; double data[]; };", "struct s", &["n", "data"], (8, 8, &[0, 64]), (8, 8, &[0, 64]));
    case("struct s { char n; int none[0]; };", "struct s", &["n", "none"], (4, 4, &[0, 32]), (4, 4, &[0, 32]));
    case("struct s { }; struct t { char a; struct s b; int c; };", "struct t", &["a", "b", "c"], (8, 4, &[0, 8, 32]), (8, 4, &[0, 8, 32]));
    case("#pragma pack(push, 2)\nstruct s { char a; int b; double c; };\n#pragma pack(pop)\n", "struct s", &["a", "b", "c"], (14, 2, &[0, 16, 48]), (14, 2, &[0, 16, 48]));
    case("#pragma pack(1)\nstruct s { char a; int b : 5; int c : 30; short d; };\n#pragma pack()\n", "struct s", &["a", "b", "c", "d"], (8, 1, &[0, 8, 13, 48]), (8, 1, &[0, 8, 13, 48]));
    case("#pragma pack(push, 1)\nstruct i { char a; int b; };\n#pragma pack(pop)\nstruct s { char a; struct i b; int c; };", "struct s", &["a", "b.b", "c"], (12, 4, &[0, 16, 64]), (12, 4, &[0, 16, 64]));
    case("#pragma pack(4)\nstruct s { char a; _Alignas(8) char b; double c; };\n#pragma pack()\n", "struct s", &["a", "b", "c"], (16, 4, &[0, 32, 64]), (16, 4, &[0, 32, 64]));
    case("_Pragma(\"pack(push, 2)\") struct s { char a; long b; }; _Pragma(\"pack(pop)\")", "struct s", &["a", "b"], (10, 2, &[0, 16]), (10, 2, &[0, 16]));
    case("enum e { A, B };", "enum e", &[], (4, 4, &[]), (4, 4, &[]));
    case("enum e { A = -1, B };", "enum e", &[], (4, 4, &[]), (4, 4, &[]));
    case("enum e { A = 0x80000000 };", "enum e", &[], (4, 4, &[]), (4, 4, &[]));
    case("enum e { A = 0x100000000 };", "enum e", &[], (8, 8, &[]), (8, 8, &[]));
    case("enum e { A = -1, B = 0x80000000 };", "enum e", &[], (8, 8, &[]), (8, 8, &[]));
    case("enum __attribute__((packed)) e { A, B = 255 };", "enum e", &[], (1, 1, &[]), (1, 1, &[]));
    case("enum e { A = -1, B = 128 } __attribute__((packed));", "enum e", &[], (2, 2, &[]), (2, 2, &[]));
    case("enum e { A, B }; struct s { char a; enum e b : 2; enum e c; };", "struct s", &["a", "b", "c"], (8, 4, &[0, 8, 32]), (8, 4, &[0, 8, 32]));
    case("struct s { char a; int (*f)(struct s *, int); char b; };", "struct s", &["a", "f", "b"], (24, 8, &[0, 64, 128]), (24, 8, &[0, 64, 128]));
    case("struct s { char a[3]; short b[2][3]; char c; };", "struct s", &["a", "b", "c"], (18, 2, &[0, 32, 128]), (18, 2, &[0, 32, 128]));
    case("struct s { wchar_t a; char b; };", "struct s", &["a", "b"], (8, 4, &[0, 32]), (8, 4, &[0, 32]));
    case("struct s { char a; _Atomic struct { char x[8]; } b; };", "struct s", &["a", "b"], (16, 8, &[0, 64]), (16, 8, &[0, 64]));
    case("struct s { char a; _Atomic(float _Complex) b; };", "struct s", &["a", "b"], (16, 8, &[0, 64]), (16, 8, &[0, 64]));
    case("union s { int a : 3; char b; long c : 33; };", "union s", &["a", "b", "c"], (8, 8, &[0, 0, 0]), (8, 8, &[0, 0, 0]));
    case("union __attribute__((packed)) s { int a; char b[5]; };", "union s", &["a", "b"], (5, 1, &[0, 0]), (5, 1, &[0, 0]));
    case("struct s { int a : 31; int b : 1; int c : 1; unsigned long d : 63; };", "struct s", &["a", "b", "c", "d"], (16, 8, &[0, 31, 32, 64]), (16, 8, &[0, 31, 32, 64]));
    case("struct s { unsigned char a : 4, : 3, b : 5; unsigned short c : 9; };", "struct s", &["a", "b", "c"], (4, 2, &[0, 8, 16]), (4, 2, &[0, 8, 16]));
    case("struct s { char a; __attribute__((aligned(4))) int b : 3; int c : 2; };", "struct s", &["a", "b", "c"], (8, 4, &[0, 32, 35]), (8, 4, &[0, 32, 35]));
    case("struct s { int a : 3; int b : 5 __attribute__((packed)); char c; };", "struct s", &["a", "b", "c"], (4, 4, &[0, 3, 8]), (4, 4, &[0, 3, 8]));
}

/// A typedef's alignment counts for bit-fields too, and one that fills an aligned integer has that
/// integer's. The numbers are gcc 12's, on both processors; clang 19 has others.
#[test]
fn bit_fields_of_realigned_types() {
    let types = "typedef unsigned short short_8 __attribute__((aligned(8)));
        typedef int int_8 __attribute__((aligned(8)));
        typedef int int_32 __attribute__((aligned(32)));
        typedef int int_1 __attribute__((aligned(1)));
        typedef long long_2 __attribute__((aligned(2)));";
    let both = |text: &str, name: &str, members: &[&str], expected: Layout| {
        let text = format!("{types} {text};");
        case(&text, name, members, expected, expected);
    };
    both(
        "struct s { int a : 1; short_8 b : 8; }",
        "struct s",
        &["b"],
        (16, 8, &[64]),
    );
    both(
        "struct s { char a : 1; int_8 b : 3; }",
        "struct s",
        &["b"],
        (16, 8, &[64]),
    );
    both(
        "struct s { char a; int_8 b : 3; char c; }",
        "struct s",
        &["b", "c"],
        (16, 8, &[64, 72]),
    );
    both(
        "struct s { long a; long b; int_32 c : 1; }",
        "struct s",
        &["c"],
        (32, 32, &[128]),
    );
    both("union u { int_1 a : 16; }", "union u", &["a"], (2, 2, &[0]));
    both("union u { int_1 a : 15; }", "union u", &["a"], (2, 1, &[0]));
    both(
        "struct s { long_2 a : 64; }",
        "struct s",
        &["a"],
        (8, 8, &[0]),
    );
    both(
        "struct s { char a; int_1 b : 32; }",
        "struct s",
        &["b"],
        (5, 1, &[8]),
    );
    both(
        "struct s { short a; int_1 b : 16; }",
        "struct s",
        &["b"],
        (4, 2, &[16]),
    );
}

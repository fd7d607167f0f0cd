//! Layouts of bit-fields. The numbers are those that gcc 12 and clang 19 agree on for x86-64, and of
//! clang 19 for AArch64 Linux; macOS has those of x86-64.

use super::{aligned, case, enumeration, m, pack, packed, record, union};
use crate::types::Scalar::*;
use crate::types::target::{LINUX_X86_64, WINDOWS_X86_64};

#[test]
#[rustfmt::skip]
fn bit_fields_straddle() {
    case("struct { int a : 3; int b : 7; int c : 24; }", record(vec![m(Int).bits(3), m(Int).bits(7), m(Int).bits(24)]), (8, 4, &[0, 3, 32]), (8, 4, &[0, 3, 32]));
    case("struct { int a : 31; int b : 1; int c : 1; }", record(vec![m(Int).bits(31), m(Int).bits(1), m(Int).bits(1)]), (8, 4, &[0, 31, 32]), (8, 4, &[0, 31, 32]));
    case("struct { char a : 3; char b : 6; }", record(vec![m(Char).bits(3), m(Char).bits(6)]), (2, 1, &[0, 8]), (2, 1, &[0, 8]));
    case("struct { char a; int b : 20; int c : 5; }", record(vec![m(Char), m(Int).bits(20), m(Int).bits(5)]), (8, 4, &[0, 8, 32]), (8, 4, &[0, 8, 32]));
    case("struct { char a; int b : 30; }", record(vec![m(Char), m(Int).bits(30)]), (8, 4, &[0, 32]), (8, 4, &[0, 32]));
    case("struct { short a; int b : 16; char c; }", record(vec![m(Short), m(Int).bits(16), m(Char)]), (8, 4, &[0, 16, 32]), (8, 4, &[0, 16, 32]));
    case("struct { short a : 9; short b : 9; }", record(vec![m(Short).bits(9), m(Short).bits(9)]), (4, 2, &[0, 16]), (4, 2, &[0, 16]));
    case("struct { char a : 1; long b : 40; int c : 30; }", record(vec![m(Char).bits(1), m(Long).bits(40), m(Int).bits(30)]), (16, 8, &[0, 1, 64]), (16, 8, &[0, 1, 64]));
    case("struct { long a : 33; long b : 31; }", record(vec![m(Long).bits(33), m(Long).bits(31)]), (8, 8, &[0, 33]), (8, 8, &[0, 33]));
    case("struct { long a : 33; long b : 32; }", record(vec![m(Long).bits(33), m(Long).bits(32)]), (16, 8, &[0, 64]), (16, 8, &[0, 64]));
    case("struct { int a : 3; char b; int c : 3; }", record(vec![m(Int).bits(3), m(Char), m(Int).bits(3)]), (4, 4, &[0, 8, 16]), (4, 4, &[0, 8, 16]));
    case("struct { long long a : 1; short b : 16; int c : 16; }", record(vec![m(LongLong).bits(1), m(Short).bits(16), m(Int).bits(16)]), (8, 8, &[0, 16, 32]), (8, 8, &[0, 16, 32]));
    case("struct { unsigned a : 4; unsigned char b : 5; unsigned short c : 9; }", record(vec![m(UnsignedInt).bits(4), m(UnsignedChar).bits(5), m(UnsignedShort).bits(9)]), (4, 4, &[0, 8, 16]), (4, 4, &[0, 8, 16]));
    case("struct { int a : 32; char b : 8; }", record(vec![m(Int).bits(32), m(Char).bits(8)]), (8, 4, &[0, 32]), (8, 4, &[0, 32]));
    case("union { int a : 3; long b : 33; char c : 8; }", union(vec![m(Int).bits(3), m(Long).bits(33), m(Char).bits(8)]), (8, 8, &[0, 0, 0]), (8, 8, &[0, 0, 0]));
    case("union { short a : 9; }", union(vec![m(Short).bits(9)]), (2, 2, &[0]), (2, 2, &[0]));
}

#[test]
#[rustfmt::skip]
fn bit_fields_of_no_width() {
    case("struct { char a; int : 0; char c; }", record(vec![m(Char), m(Int).bits(0).unnamed(), m(Char)]), (5, 1, &[0, 32]), (8, 4, &[0, 32]));
    case("struct { int a : 3; int : 0; int c : 3; }", record(vec![m(Int).bits(3), m(Int).bits(0).unnamed(), m(Int).bits(3)]), (8, 4, &[0, 32]), (8, 4, &[0, 32]));
    case("struct { int a : 3; char : 0; int c : 3; }", record(vec![m(Int).bits(3), m(Char).bits(0).unnamed(), m(Int).bits(3)]), (4, 4, &[0, 8]), (4, 4, &[0, 8]));
    case("struct { char a : 3; long : 0; char c : 3; }", record(vec![m(Char).bits(3), m(Long).bits(0).unnamed(), m(Char).bits(3)]), (9, 1, &[0, 64]), (16, 8, &[0, 64]));
    case("struct { char a; int : 0; }", record(vec![m(Char), m(Int).bits(0).unnamed()]), (4, 1, &[0]), (4, 4, &[0]));
    case("struct { int : 0; }", record(vec![m(Int).bits(0).unnamed()]), (0, 1, &[]), (0, 4, &[]));
    case("struct { int : 0; char b; }", record(vec![m(Int).bits(0).unnamed(), m(Char)]), (1, 1, &[0]), (4, 4, &[0]));
    case("struct { char a : 1; _Bool : 0; char c : 1; }", record(vec![m(Char).bits(1), m(Bool).bits(0).unnamed(), m(Char).bits(1)]), (2, 1, &[0, 8]), (2, 1, &[0, 8]));
    case("struct { char a; long : 0; char : 0; char d; }", record(vec![m(Char), m(Long).bits(0).unnamed(), m(Char).bits(0).unnamed(), m(Char)]), (9, 1, &[0, 64]), (16, 8, &[0, 64]));
    case("union { char a; int : 0; }", union(vec![m(Char), m(Int).bits(0).unnamed()]), (1, 1, &[0]), (4, 4, &[0]));
    case("struct packed { char a; int : 0; char c; }", packed(record(vec![m(Char), m(Int).bits(0).unnamed(), m(Char)])), (5, 1, &[0, 32]), (8, 4, &[0, 32]));
    case("pack(1) struct { char a; int : 0; char c; }", pack(record(vec![m(Char), m(Int).bits(0).unnamed(), m(Char)]), 1), (5, 1, &[0, 32]), (8, 4, &[0, 32]));
    case("struct { char a; int : 0 aligned(8); char c; }", record(vec![m(Char), m(Int).bits(0).unnamed().aligned(8), m(Char)]), (9, 1, &[0, 64]), (16, 8, &[0, 64]));
}

#[test]
#[rustfmt::skip]
fn bit_fields_without_a_name() {
    case("struct { char a; int : 5; char c; }", record(vec![m(Char), m(Int).bits(5).unnamed(), m(Char)]), (3, 1, &[0, 16]), (4, 4, &[0, 16]));
    case("struct { int : 5; char b; }", record(vec![m(Int).bits(5).unnamed(), m(Char)]), (2, 1, &[8]), (4, 4, &[8]));
    case("struct { char a; long : 40; char c; }", record(vec![m(Char), m(Long).bits(40).unnamed(), m(Char)]), (7, 1, &[0, 48]), (8, 8, &[0, 48]));
    case("struct { char a : 3; char : 6; char c : 3; }", record(vec![m(Char).bits(3), m(Char).bits(6).unnamed(), m(Char).bits(3)]), (3, 1, &[0, 16]), (3, 1, &[0, 16]));
    case("struct { int : 5; }", record(vec![m(Int).bits(5).unnamed()]), (1, 1, &[]), (4, 4, &[]));
    case("union { char a; int : 5; }", union(vec![m(Char), m(Int).bits(5).unnamed()]), (1, 1, &[0]), (4, 4, &[0]));
    case("struct { char a; int : 30; char c; }", record(vec![m(Char), m(Int).bits(30).unnamed(), m(Char)]), (9, 1, &[0, 64]), (12, 4, &[0, 64]));
    case("struct { char a; int : 5 packed; char c; }", record(vec![m(Char), m(Int).bits(5).unnamed().packed(), m(Char)]), (3, 1, &[0, 16]), (3, 1, &[0, 16]));
    case("struct packed { char a; int : 5; char c; }", packed(record(vec![m(Char), m(Int).bits(5).unnamed(), m(Char)])), (3, 1, &[0, 16]), (3, 1, &[0, 16]));
    case("pack(2) struct { char a; int : 5; char c; }", pack(record(vec![m(Char), m(Int).bits(5).unnamed(), m(Char)]), 2), (3, 1, &[0, 16]), (4, 2, &[0, 16]));
    case("struct { char a; int : 5 aligned(8); char c; }", record(vec![m(Char), m(Int).bits(5).unnamed().aligned(8), m(Char)]), (10, 1, &[0, 72]), (16, 8, &[0, 72]));
}

#[test]
#[rustfmt::skip]
fn bit_fields_of_bool_and_enum() {
    case("struct { _Bool a : 1; _Bool b : 1; char c; }", record(vec![m(Bool).bits(1), m(Bool).bits(1), m(Char)]), (2, 1, &[0, 1, 8]), (2, 1, &[0, 1, 8]));
    case("struct { _Bool a : 1; int b : 7; _Bool c : 1; _Bool d; }", record(vec![m(Bool).bits(1), m(Int).bits(7), m(Bool).bits(1), m(Bool)]), (4, 4, &[0, 1, 8, 16]), (4, 4, &[0, 1, 8, 16]));
    case("struct { int a : 7; _Bool b : 1; }", record(vec![m(Int).bits(7), m(Bool).bits(1)]), (4, 4, &[0, 7]), (4, 4, &[0, 7]));
    case("struct { int a : 8; _Bool b : 1; }", record(vec![m(Int).bits(8), m(Bool).bits(1)]), (4, 4, &[0, 8]), (4, 4, &[0, 8]));
    case("struct { char a; enum { A } b : 2; enum { A } c; }", record(vec![m(Char), m(enumeration(UnsignedInt)).bits(2), m(enumeration(UnsignedInt))]), (8, 4, &[0, 8, 32]), (8, 4, &[0, 8, 32]));
    case("struct { char a; enum { A = 1ull << 40 } b : 33; char c; }", record(vec![m(Char), m(enumeration(UnsignedLong)).bits(33), m(Char)]), (8, 8, &[0, 8, 48]), (8, 8, &[0, 8, 48]));
    case("struct { enum packed { A } a : 3; enum packed { A } b : 6; }", record(vec![m(enumeration(UnsignedChar)).bits(3), m(enumeration(UnsignedChar)).bits(6)]), (2, 1, &[0, 8]), (2, 1, &[0, 8]));
    case("struct { enum packed { A } a : 7; _Bool b : 1; enum { A } c : 30; }", record(vec![m(enumeration(UnsignedChar)).bits(7), m(Bool).bits(1), m(enumeration(UnsignedInt)).bits(30)]), (8, 4, &[0, 7, 32]), (8, 4, &[0, 7, 32]));
}

#[test]
#[rustfmt::skip]
fn packed_bit_fields() {
    case("struct packed { char a : 3; int b : 30; long c : 40; }", packed(record(vec![m(Char).bits(3), m(Int).bits(30), m(Long).bits(40)])), (10, 1, &[0, 3, 33]), (10, 1, &[0, 3, 33]));
    case("struct { int a : 3; int b : 5 packed; char c; }", record(vec![m(Int).bits(3), m(Int).bits(5).packed(), m(Char)]), (4, 4, &[0, 3, 8]), (4, 4, &[0, 3, 8]));
    case("struct { char a; int b : 30 packed; char c; }", record(vec![m(Char), m(Int).bits(30).packed(), m(Char)]), (6, 1, &[0, 8, 40]), (6, 1, &[0, 8, 40]));
    case("struct { int a : 7; int b : 31 packed; int c : 1; }", record(vec![m(Int).bits(7), m(Int).bits(31).packed(), m(Int).bits(1)]), (8, 4, &[0, 7, 38]), (8, 4, &[0, 7, 38]));
    case("struct packed { short a : 9; short b : 9; }", packed(record(vec![m(Short).bits(9), m(Short).bits(9)])), (3, 1, &[0, 9]), (3, 1, &[0, 9]));
    case("struct packed { _Bool a : 1; int b : 32; char c; }", packed(record(vec![m(Bool).bits(1), m(Int).bits(32), m(Char)])), (6, 1, &[0, 1, 40]), (6, 1, &[0, 1, 40]));
    case("struct packed { int a : 3; int b; int c : 3; }", packed(record(vec![m(Int).bits(3), m(Int), m(Int).bits(3)])), (6, 1, &[0, 8, 40]), (6, 1, &[0, 8, 40]));
    case("struct packed aligned(4) { char a; int b : 30; }", aligned(packed(record(vec![m(Char), m(Int).bits(30)])), 4), (8, 4, &[0, 8]), (8, 4, &[0, 8]));
    case("union packed { int a : 9; char b; }", packed(union(vec![m(Int).bits(9), m(Char)])), (2, 1, &[0, 0]), (2, 1, &[0, 0]));
}

#[test]
#[rustfmt::skip]
fn bit_fields_under_pragma_pack() {
    // The pragma goes before the attribute: it alone decides how the record is aligned.
    case("pack(1) struct { char a; int b : 5; int c : 30; short d; }", pack(record(vec![m(Char), m(Int).bits(5), m(Int).bits(30), m(Short)]), 1), (8, 1, &[0, 8, 13, 48]), (8, 1, &[0, 8, 13, 48]));
    case("pack(2) struct { char a; int b : 30; char c; }", pack(record(vec![m(Char), m(Int).bits(30), m(Char)]), 2), (6, 2, &[0, 8, 40]), (6, 2, &[0, 8, 40]));
    case("pack(4) struct { int a : 31; int b : 2; }", pack(record(vec![m(Int).bits(31), m(Int).bits(2)]), 4), (8, 4, &[0, 31]), (8, 4, &[0, 31]));
    case("pack(8) struct { char a : 3; long b : 62; char c; }", pack(record(vec![m(Char).bits(3), m(Long).bits(62), m(Char)]), 8), (16, 8, &[0, 3, 72]), (16, 8, &[0, 3, 72]));
    case("pack(2) struct { short a; int b : 17; short c : 9; }", pack(record(vec![m(Short), m(Int).bits(17), m(Short).bits(9)]), 2), (6, 2, &[0, 16, 33]), (6, 2, &[0, 16, 33]));
    case("pack(4) struct { char a; int b : 5 packed; char c; }", pack(record(vec![m(Char), m(Int).bits(5).packed(), m(Char)]), 4), (4, 4, &[0, 8, 16]), (4, 4, &[0, 8, 16]));
    case("pack(2) struct packed { int a : 5; char b; }", pack(packed(record(vec![m(Int).bits(5), m(Char)])), 2), (2, 2, &[0, 8]), (2, 2, &[0, 8]));
    case("pack(4) struct { char a; int b : 5 aligned(2); char c; }", pack(record(vec![m(Char), m(Int).bits(5).aligned(2), m(Char)]), 4), (4, 4, &[0, 16, 24]), (4, 4, &[0, 16, 24]));
    case("pack(1) struct aligned(4) { char a; int b : 5; char c; }", pack(aligned(record(vec![m(Char), m(Int).bits(5), m(Char)]), 4), 1), (4, 4, &[0, 8, 16]), (4, 4, &[0, 8, 16]));
    case("pack(1) struct { char a; char : 0 aligned(4); int c : 9; }", pack(record(vec![m(Char), m(Char).bits(0).unnamed().aligned(4), m(Int).bits(9)]), 1), (6, 1, &[0, 32]), (8, 4, &[0, 32]));
    case("pack(2) union { int a : 3; long b : 33; }", pack(union(vec![m(Int).bits(3), m(Long).bits(33)]), 2), (6, 2, &[0, 0]), (6, 2, &[0, 0]));
}

#[test]
#[rustfmt::skip]
fn aligned_bit_fields() {
    case("struct { char a; int b : 3 aligned(4); int c : 2; }", record(vec![m(Char), m(Int).bits(3).aligned(4), m(Int).bits(2)]), (8, 4, &[0, 32, 35]), (8, 4, &[0, 32, 35]));
    case("struct { char a; int b : 3 aligned(8); char c; }", record(vec![m(Char), m(Int).bits(3).aligned(8), m(Char)]), (16, 8, &[0, 64, 72]), (16, 8, &[0, 64, 72]));
    case("struct { int a : 3; int b : 5 aligned(2); int c : 5; }", record(vec![m(Int).bits(3), m(Int).bits(5).aligned(2), m(Int).bits(5)]), (4, 4, &[0, 16, 21]), (4, 4, &[0, 16, 21]));
    case("struct { char a : 1; char b : 2 aligned(1); char c : 3; }", record(vec![m(Char).bits(1), m(Char).bits(2).aligned(1), m(Char).bits(3)]), (2, 1, &[0, 8, 10]), (2, 1, &[0, 8, 10]));
    case("struct { int a : 3; int b : 5 aligned(16); char c; }", record(vec![m(Int).bits(3), m(Int).bits(5).aligned(16), m(Char)]), (32, 16, &[0, 128, 136]), (32, 16, &[0, 128, 136]));
    case("struct { char a; int b : 3 aligned(4) packed; int c : 2; }", record(vec![m(Char), m(Int).bits(3).aligned(4).packed(), m(Int).bits(2)]), (8, 4, &[0, 32, 35]), (8, 4, &[0, 32, 35]));
    case("struct packed { char a : 3; int b : 9 aligned(2); }", packed(record(vec![m(Char).bits(3), m(Int).bits(9).aligned(2)])), (4, 2, &[0, 16]), (4, 2, &[0, 16]));
    case("union { char a; int b : 3 aligned(16); }", union(vec![m(Char), m(Int).bits(3).aligned(16)]), (16, 16, &[0, 0]), (16, 16, &[0, 0]));
}

/// Where gcc and clang disagree for x86-64 it is gcc that is followed.
#[test]
#[rustfmt::skip]
fn aligned_bit_fields_of_gcc() {
    let x86_64 = |text: &str, of: super::Record, expected: super::Layout| {
        let ty = super::make(&LINUX_X86_64, of);
        let view = ty.get();
        assert_eq!((view.size(), view.align(), &super::positions(view)[..]), expected, "{text}");
    };
    x86_64("struct { char a : 3; long long b : 33 aligned(4); char c; }", record(vec![m(Char).bits(3), m(LongLong).bits(33).aligned(4), m(Char)]), (16, 8, &[0, 64, 104]));
    x86_64("pack(2) struct { char a : 8; int b : 32 aligned(32); void *c; }", pack(record(vec![m(Char).bits(8), m(Int).bits(32).aligned(32), m(Pointer)]), 2), (14, 2, &[0, 16, 48]));
    x86_64("pack(8) struct { char a : 1; char b : 5 aligned(16); int c : 3; }", pack(record(vec![m(Char).bits(1), m(Char).bits(5).aligned(16), m(Int).bits(3)]), 8), (16, 8, &[0, 64, 69]));
}

/// Microsoft's rules, as gcc 12 has them for mingw-w64; of those without packing or unions clang 19 has
/// the same.
#[test]
#[rustfmt::skip]
fn bit_fields_of_windows() {
    let windows = |text: &str, of: super::Record, expected: super::Layout| {
        let ty = super::make(&WINDOWS_X86_64, of);
        let view = ty.get();
        assert_eq!((view.size(), view.align(), &super::positions(view)[..]), expected, "{text}");
    };
    // Neighbours share a unit if their types have the same size.
    windows("struct { char a : 3; int b : 5; }", record(vec![m(Char).bits(3), m(Int).bits(5)]), (8, 4, &[0, 32]));
    windows("struct { long a : 3; long long b : 5; }", record(vec![m(Long).bits(3), m(LongLong).bits(5)]), (16, 8, &[0, 64]));
    windows("struct { int a : 3; long b : 5; unsigned c : 24; }", record(vec![m(Int).bits(3), m(Long).bits(5), m(UnsignedInt).bits(24)]), (4, 4, &[0, 3, 8]));
    windows("struct { int a : 3; int b : 30; }", record(vec![m(Int).bits(3), m(Int).bits(30)]), (8, 4, &[0, 32]));
    windows("struct { _Bool a : 1; char b : 7; }", record(vec![m(Bool).bits(1), m(Char).bits(7)]), (1, 1, &[0, 1]));
    windows("struct { enum { A } a : 2; int b : 2; }", record(vec![m(enumeration(UnsignedInt)).bits(2), m(Int).bits(2)]), (4, 4, &[0, 2]));
    // Nothing else is in a unit.
    windows("struct { int a : 3; char b; }", record(vec![m(Int).bits(3), m(Char)]), (8, 4, &[0, 32]));
    windows("struct { char a; int b : 3; }", record(vec![m(Char), m(Int).bits(3)]), (8, 4, &[0, 32]));
    windows("struct { int a : 3; int b; int c : 3; }", record(vec![m(Int).bits(3), m(Int), m(Int).bits(3)]), (12, 4, &[0, 32, 64]));
    // Without a name they count all the same.
    windows("struct { char a; int : 5; char c; }", record(vec![m(Char), m(Int).bits(5).unnamed(), m(Char)]), (12, 4, &[0, 64]));
    // Of no width only behind a bit-field.
    windows("struct { char a; int : 0; char c; }", record(vec![m(Char), m(Int).bits(0).unnamed(), m(Char)]), (2, 1, &[0, 8]));
    windows("struct { char a : 1; int : 0; char c : 1; }", record(vec![m(Char).bits(1), m(Int).bits(0).unnamed(), m(Char).bits(1)]), (8, 4, &[0, 32]));
    windows("struct { char a : 1; int : 0; long long : 0; char c : 1; }", record(vec![m(Char).bits(1), m(Int).bits(0).unnamed(), m(LongLong).bits(0).unnamed(), m(Char).bits(1)]), (8, 4, &[0, 32]));
    windows("struct { int : 0; }", record(vec![m(Int).bits(0).unnamed()]), (0, 1, &[]));
    // Where a unit begins, an alignment counts.
    windows("struct { int a : 3; int b : 5 aligned(8); }", record(vec![m(Int).bits(3), m(Int).bits(5).aligned(8)]), (8, 8, &[0, 3]));
    windows("struct { int a : 3; int b : 30 aligned(8); }", record(vec![m(Int).bits(3), m(Int).bits(30).aligned(8)]), (16, 8, &[0, 64]));
    windows("struct { char a; char b : 3 aligned(4); }", record(vec![m(Char), m(Char).bits(3).aligned(4)]), (8, 4, &[0, 32]));
    // Packing lowers alignments, and leaves units as large as they are.
    windows("struct packed { char a : 3; int b : 5; }", packed(record(vec![m(Char).bits(3), m(Int).bits(5)])), (5, 1, &[0, 8]));
    windows("pack(2) struct { char a : 3; int b : 5; }", pack(record(vec![m(Char).bits(3), m(Int).bits(5)]), 2), (6, 2, &[0, 16]));
    windows("struct { char a; int b : 5 packed; int c : 30; }", record(vec![m(Char), m(Int).bits(5).packed(), m(Int).bits(30)]), (12, 4, &[0, 8, 40]));
    windows("struct packed { char a : 3; int : 0; char b; }", packed(record(vec![m(Char).bits(3), m(Int).bits(0).unnamed(), m(Char)])), (4, 4, &[0, 8]));
    windows("union { int a : 3; char b; }", union(vec![m(Int).bits(3), m(Char)]), (4, 4, &[0, 0]));
    windows("union { char a : 3; long long : 5; }", union(vec![m(Char).bits(3), m(LongLong).bits(5).unnamed()]), (8, 8, &[0]));
    windows("union { char a : 3; long long : 0; }", union(vec![m(Char).bits(3), m(LongLong).bits(0).unnamed()]), (1, 1, &[0]));
    windows("pack(1) union { int a : 9; }", pack(union(vec![m(Int).bits(9)]), 1), (2, 1, &[0]));
}

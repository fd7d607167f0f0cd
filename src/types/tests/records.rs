//! Layouts of structs and unions without bit-fields. The numbers are those that gcc 12 and clang 19
//! agree on for x86-64, and of clang 19 for AArch64 Linux and macOS.

use super::{
    aligned, array, case, enumeration, flexible, m, pack, packed, realigned, record, union, vector,
};
use crate::types::Scalar::*;

#[test]
#[rustfmt::skip]
fn natural_layout() {
    case("struct {  }", record(vec![]), (0, 1, &[]), (0, 1, &[]));
    case("struct { char a; }", record(vec![m(Char)]), (1, 1, &[0]), (1, 1, &[0]));
    case("struct { char a; int b; short c; }", record(vec![m(Char), m(Int), m(Short)]), (12, 4, &[0, 32, 64]), (12, 4, &[0, 32, 64]));
    case("struct { char a; double b; char c; }", record(vec![m(Char), m(Double), m(Char)]), (24, 8, &[0, 64, 128]), (24, 8, &[0, 64, 128]));
    case("struct { char a; __int128 b; }", record(vec![m(Char), m(Int128)]), (32, 16, &[0, 128]), (32, 16, &[0, 128]));
    case("struct { long double a; char b; }", record(vec![m(LongDouble), m(Char)]), (32, 16, &[0, 128]), (32, 16, &[0, 128]));
    case("struct { _Bool a; float _Complex b; double _Complex c; }", record(vec![m(Bool), m(ComplexFloat), m(ComplexDouble)]), (32, 8, &[0, 32, 128]), (32, 8, &[0, 32, 128]));
    case("struct { char a; long double _Complex b; }", record(vec![m(Char), m(ComplexLongDouble)]), (48, 16, &[0, 128]), (48, 16, &[0, 128]));
    case("struct { _Float16 a; char b; }", record(vec![m(Float16), m(Char)]), (4, 2, &[0, 16]), (4, 2, &[0, 16]));
    case("struct { char a; void * b; short c; }", record(vec![m(Char), m(Pointer), m(Short)]), (24, 8, &[0, 64, 128]), (24, 8, &[0, 64, 128]));
    case("union { char a; int b; double c; }", union(vec![m(Char), m(Int), m(Double)]), (8, 8, &[0, 0, 0]), (8, 8, &[0, 0, 0]));
    case("union { char a[3]; short b; }", union(vec![m(array(Char, 3)), m(Short)]), (4, 2, &[0, 0]), (4, 2, &[0, 0]));
    case("union {  }", union(vec![]), (0, 1, &[]), (0, 1, &[]));
    case("union { long double a; char b; }", union(vec![m(LongDouble), m(Char)]), (16, 16, &[0, 0]), (16, 16, &[0, 0]));
}

#[test]
#[rustfmt::skip]
fn packed_layout() {
    case("struct packed { char a; int b; short c; }", packed(record(vec![m(Char), m(Int), m(Short)])), (7, 1, &[0, 8, 40]), (7, 1, &[0, 8, 40]));
    case("struct packed { char a; double b; char c packed; long d; }", packed(record(vec![m(Char), m(Double), m(Char).packed(), m(Long)])), (18, 1, &[0, 8, 72, 80]), (18, 1, &[0, 8, 72, 80]));
    case("struct { char a; int b packed; short c; }", record(vec![m(Char), m(Int).packed(), m(Short)]), (8, 2, &[0, 8, 48]), (8, 2, &[0, 8, 48]));
    case("struct { char a; int b aligned(2) packed; short c; }", record(vec![m(Char), m(Int).aligned(2).packed(), m(Short)]), (8, 2, &[0, 16, 48]), (8, 2, &[0, 16, 48]));
    case("struct packed { char a; long double b; }", packed(record(vec![m(Char), m(LongDouble)])), (17, 1, &[0, 8]), (17, 1, &[0, 8]));
    case("union { char a; int b packed; }", union(vec![m(Char), m(Int).packed()]), (4, 1, &[0, 0]), (4, 1, &[0, 0]));
    case("union packed { int a; char b[3]; }", packed(union(vec![m(Int), m(array(Char, 3))])), (4, 1, &[0, 0]), (4, 1, &[0, 0]));
    case("struct packed { char a; struct { char a; double b; } b; char c; }", packed(record(vec![m(Char), m(record(vec![m(Char), m(Double)])), m(Char)])), (18, 1, &[0, 8, 136]), (18, 1, &[0, 8, 136]));
    case("struct packed { char a; int b aligned(4); char c; }", packed(record(vec![m(Char), m(Int).aligned(4), m(Char)])), (12, 4, &[0, 32, 64]), (12, 4, &[0, 32, 64]));
    case("struct packed aligned(4) { char a; int b; }", aligned(packed(record(vec![m(Char), m(Int)])), 4), (8, 4, &[0, 8]), (8, 4, &[0, 8]));
    case("struct packed aligned(2) { int a; short b; }", aligned(packed(record(vec![m(Int), m(Short)])), 2), (6, 2, &[0, 32]), (6, 2, &[0, 32]));
}

#[test]
#[rustfmt::skip]
fn pragma_pack() {
    case("pack(1) struct { char a; int b; double c; }", pack(record(vec![m(Char), m(Int), m(Double)]), 1), (13, 1, &[0, 8, 40]), (13, 1, &[0, 8, 40]));
    case("pack(2) struct { char a; int b; double c; }", pack(record(vec![m(Char), m(Int), m(Double)]), 2), (14, 2, &[0, 16, 48]), (14, 2, &[0, 16, 48]));
    case("pack(4) struct { char a; int b; double c; }", pack(record(vec![m(Char), m(Int), m(Double)]), 4), (16, 4, &[0, 32, 64]), (16, 4, &[0, 32, 64]));
    case("pack(8) struct { char a; int b; double c; }", pack(record(vec![m(Char), m(Int), m(Double)]), 8), (16, 8, &[0, 32, 64]), (16, 8, &[0, 32, 64]));
    case("pack(8) struct { char a; long double b; }", pack(record(vec![m(Char), m(LongDouble)]), 8), (24, 8, &[0, 64]), (24, 8, &[0, 64]));
    case("pack(4) struct { char a; int b aligned(16); char c; }", pack(record(vec![m(Char), m(Int).aligned(16), m(Char)]), 4), (12, 4, &[0, 32, 64]), (12, 4, &[0, 32, 64]));
    case("pack(4) struct { char a; int b aligned(2); char c; }", pack(record(vec![m(Char), m(Int).aligned(2), m(Char)]), 4), (12, 4, &[0, 32, 64]), (12, 4, &[0, 32, 64]));
    case("pack(2) struct { char a; struct { char a; } aligned(16) b; char c; }", pack(record(vec![m(Char), m(aligned(record(vec![m(Char)]), 16)), m(Char)]), 2), (20, 2, &[0, 16, 144]), (20, 2, &[0, 16, 144]));
    case("pack(2) union { char a; double b; }", pack(union(vec![m(Char), m(Double)]), 2), (8, 2, &[0, 0]), (8, 2, &[0, 0]));
    case("pack(2) struct aligned(8) { char a; int b; }", pack(aligned(record(vec![m(Char), m(Int)]), 8), 2), (8, 8, &[0, 16]), (8, 8, &[0, 16]));
    case("pack(4) struct packed { char a; double b; short c; }", pack(packed(record(vec![m(Char), m(Double), m(Short)])), 4), (11, 1, &[0, 8, 72]), (11, 1, &[0, 8, 72]));
    case("pack(8) struct { char a; int aligned(16) b; char c; }", pack(record(vec![m(Char), m(realigned(Int, 16)), m(Char)]), 8), (16, 8, &[0, 64, 96]), (16, 8, &[0, 64, 96]));
}

#[test]
#[rustfmt::skip]
fn aligned_members_and_records() {
    case("struct { char a; int b aligned(16); char c; }", record(vec![m(Char), m(Int).aligned(16), m(Char)]), (32, 16, &[0, 128, 160]), (32, 16, &[0, 128, 160]));
    case("struct { char a; char b aligned(8); char c aligned(2); }", record(vec![m(Char), m(Char).aligned(8), m(Char).aligned(2)]), (16, 8, &[0, 64, 80]), (16, 8, &[0, 64, 80]));
    case("struct { char a; int b aligned(1); }", record(vec![m(Char), m(Int).aligned(1)]), (8, 4, &[0, 32]), (8, 4, &[0, 32]));
    case("struct { char a; int aligned(16) b; char c; }", record(vec![m(Char), m(realigned(Int, 16)), m(Char)]), (32, 16, &[0, 128, 160]), (32, 16, &[0, 128, 160]));
    case("struct aligned(16) { char a; int b; }", aligned(record(vec![m(Char), m(Int)]), 16), (16, 16, &[0, 32]), (16, 16, &[0, 32]));
    case("struct aligned(2) { char a; int b; }", aligned(record(vec![m(Char), m(Int)]), 2), (8, 4, &[0, 32]), (8, 4, &[0, 32]));
    case("struct aligned(64) { char a; }", aligned(record(vec![m(Char)]), 64), (64, 64, &[0]), (64, 64, &[0]));
    case("union { char a; int b aligned(32); }", union(vec![m(Char), m(Int).aligned(32)]), (32, 32, &[0, 0]), (32, 32, &[0, 0]));
    case("struct aligned(16) {  }", aligned(record(vec![]), 16), (0, 16, &[]), (0, 16, &[]));
    case("struct { int a; struct { char a; } aligned(16) b; int c; }", record(vec![m(Int), m(aligned(record(vec![m(Char)]), 16)), m(Int)]), (48, 16, &[0, 128, 256]), (48, 16, &[0, 128, 256]));
}

#[test]
#[rustfmt::skip]
fn nested_and_arrays() {
    case("struct { char a; struct { short a; char b; } b; char c; }", record(vec![m(Char), m(record(vec![m(Short), m(Char)])), m(Char)]), (8, 2, &[0, 16, 48]), (8, 2, &[0, 16, 48]));
    case("struct { char a; struct { char a; double b; } b; }", record(vec![m(Char), m(record(vec![m(Char), m(Double)]))]), (24, 8, &[0, 64]), (24, 8, &[0, 64]));
    case("struct { char a; union { int a; char b[6]; } b; char c; }", record(vec![m(Char), m(union(vec![m(Int), m(array(Char, 6))])), m(Char)]), (16, 4, &[0, 32, 96]), (16, 4, &[0, 32, 96]));
    case("struct { char a; struct { char a; int b; } packed b; int c; }", record(vec![m(Char), m(packed(record(vec![m(Char), m(Int)]))), m(Int)]), (12, 4, &[0, 8, 64]), (12, 4, &[0, 8, 64]));
    case("struct { char a; struct { int a : 3; } b; char c; }", record(vec![m(Char), m(record(vec![m(Int).bits(3)])), m(Char)]), (12, 4, &[0, 32, 64]), (12, 4, &[0, 32, 64]));
    case("struct { char a; char b[3]; short c; }", record(vec![m(Char), m(array(Char, 3)), m(Short)]), (6, 2, &[0, 8, 32]), (6, 2, &[0, 8, 32]));
    case("struct { char a; short b[2][3]; char c; }", record(vec![m(Char), m(array(array(Short, 3), 2)), m(Char)]), (16, 2, &[0, 16, 112]), (16, 2, &[0, 16, 112]));
    case("struct { char a; struct { } b; int c; }", record(vec![m(Char), m(record(vec![])), m(Int)]), (8, 4, &[0, 8, 32]), (8, 4, &[0, 8, 32]));
    case("struct { struct { } a; char b; }", record(vec![m(record(vec![])), m(Char)]), (1, 1, &[0, 0]), (1, 1, &[0, 0]));
    case("union { struct { short a; char b; } a; struct { char a; double b; } b; }", union(vec![m(record(vec![m(Short), m(Char)])), m(record(vec![m(Char), m(Double)]))]), (16, 8, &[0, 0]), (16, 8, &[0, 0]));
    case("struct { char a; float b vector_size(16); char c; }", record(vec![m(Char), m(vector(Float, 4)), m(Char)]), (48, 16, &[0, 128, 256]), (48, 16, &[0, 128, 256]));
    case("struct { char a; short b vector_size(4); char c; }", record(vec![m(Char), m(vector(Short, 2)), m(Char)]), (12, 4, &[0, 32, 64]), (12, 4, &[0, 32, 64]));
    case("struct { char a; enum { A } b; enum packed { A } c; enum { A = 1ull << 40 } d; }", record(vec![m(Char), m(enumeration(UnsignedInt)), m(enumeration(UnsignedChar)), m(enumeration(UnsignedLong))]), (24, 8, &[0, 32, 64, 128]), (24, 8, &[0, 32, 64, 128]));
}

#[test]
#[rustfmt::skip]
fn zero_length_and_flexible_arrays() {
    case("struct { char a; int b[0]; }", record(vec![m(Char), m(array(Int, 0))]), (4, 4, &[0, 32]), (4, 4, &[0, 32]));
    case("struct { char a; int b[0]; char c; }", record(vec![m(Char), m(array(Int, 0)), m(Char)]), (8, 4, &[0, 32, 32]), (8, 4, &[0, 32, 32]));
    case("struct { double a[0]; char b; }", record(vec![m(array(Double, 0)), m(Char)]), (8, 8, &[0, 0]), (8, 8, &[0, 0]));
    case("struct { double a[0]; }", record(vec![m(array(Double, 0))]), (0, 8, &[0]), (0, 8, &[0]));
    case("struct { int a; char b[]; }", record(vec![m(Int), m(flexible(Char))]), (4, 4, &[0, 32]), (4, 4, &[0, 32]));
    case("struct { char a; double b[]; }", record(vec![m(Char), m(flexible(Double))]), (8, 8, &[0, 64]), (8, 8, &[0, 64]));
    case("union { int a[0]; char b; }", union(vec![m(array(Int, 0)), m(Char)]), (4, 4, &[0, 0]), (4, 4, &[0, 0]));
}

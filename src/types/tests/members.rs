//! Members by path.

use crate::decl::Declarations;
use crate::error::Status;
use crate::types::target::LINUX_X86_64;
use crate::types::{Type, member};

fn find(text: &str) -> Type {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations
        .add(
            "struct point { int x, y; };
             struct all {
                 char c;
                 struct point p, q[3];
                 struct { short s; union { int i; float f; }; };
                 int m[2][3];
                 float v __attribute__((vector_size(16)));
                 int bits : 3;
                 struct point *to;
                 char tail[];
             };
             struct many { int a, b, c, d, e, f, g, h, i, j; };
             struct later;",
        )
        .unwrap();
    declarations.find_type(text).unwrap()
}

#[test]
fn paths() {
    let all = find("struct all");
    for (path, offset, name) in [
        ("c", 0, "char"),
        ("p", 4, "struct point"),
        ("p.y", 8, "int"),
        ("q", 12, "struct point[3]"),
        ("q[0]", 12, "struct point"),
        ("q[2].y", 32, "int"),
        ("s", 36, "short"),
        ("i", 40, "int"),
        ("f", 40, "float"),
        ("m[1]", 56, "int[3]"),
        ("m[1][2]", 64, "int"),
        ("m[ 1 ][2]", 64, "int"),
        ("v[3]", 92, "float"),
        ("to", 104, "struct point *"),
        ("tail[5]", 117, "char"),
    ] {
        let (ty, found) = member(&all, path).unwrap();
        assert_eq!(
            (found, ty.get().name().to_str().unwrap()),
            (offset, name),
            "{path}"
        );
    }
    let (ty, offset) = member(&find("struct point[4]"), "[3].y").unwrap();
    assert_eq!((offset, ty.get().name()), (28, c"int"));
}

#[test]
fn paths_that_lead_nowhere() {
    use Status::{Argument, NotFound};
    let all = "struct all";
    for (ty, path, status, message) in [
        (
            all,
            "",
            Argument,
            "path: expected a member's name, got \"\"",
        ),
        (
            all,
            "nope",
            NotFound,
            "nope: struct all has no member nope; it has c, p, q, m, v, bits, to, tail",
        ),
        (
            "struct many",
            "k",
            NotFound,
            "k: struct many has no member k; it has a, b, c, d, e, f, g, h, ...",
        ),
        ("struct { }", "k", NotFound, "k: struct { } has no member k"),
        (
            all,
            "q[3]",
            NotFound,
            "q[3]: index 3 is past the end of struct point[3] (3 elements)",
        ),
        (
            all,
            "v[4]",
            NotFound,
            "v[4]: index 4 is past the end of float __attribute__((vector_size(16))) (4 elements)",
        ),
        (
            all,
            "q[x]",
            Argument,
            "q[x]: expected a number in [], got \"x\"",
        ),
        (
            all,
            "q[]",
            Argument,
            "q[]: expected a number in [], got \"\"",
        ),
        (
            all,
            "q[-1]",
            Argument,
            "q[-1]: expected a number in [], got \"-1\"",
        ),
        (all, "q[1", Argument, "q[1: expected ']'"),
        (
            all,
            "q[1]x",
            Argument,
            "q[1]x: expected '.' or '[' before \"x\"",
        ),
        (
            all,
            ".p",
            Argument,
            ".p: expected a member's name at its beginning",
        ),
        (
            all,
            "p.",
            Argument,
            "p.: expected a member's name after '.'",
        ),
        (
            all,
            "p..x",
            Argument,
            "p..x: expected a member's name after '.'",
        ),
        (
            all,
            "p.[0]",
            Argument,
            "p.[0]: expected a member's name after '.'",
        ),
        (
            all,
            "p[0]",
            Argument,
            "p[0]: struct point (8 bytes) has no elements",
        ),
        (
            all,
            "c.x",
            Argument,
            "c.x: char is no struct or union, so has no member x",
        ),
        (
            all,
            "to.x",
            Argument,
            "to.x: struct point * is no struct or union, so has no member x",
        ),
        (
            all,
            "bits",
            Argument,
            "bits: bits is a bit-field, which has no byte offset; fc_type_field tells its bits",
        ),
        (
            "struct later",
            "x",
            Argument,
            "x: struct later is incomplete",
        ),
        (
            all,
            "tail[18446744073709551614]",
            Argument,
            "tail[18446744073709551614]: index 18446744073709551614 is out of range",
        ),
    ] {
        let error = member(&find(ty), path).unwrap_err();
        assert_eq!(
            (error.message.as_str(), error.status),
            (message, status),
            "{path}"
        );
    }
}

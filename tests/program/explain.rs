//! `farcall explain`. What the text says is tested where it is made; here, that it is the right one.

use crate::run::{fails, header, prints};

#[test]
fn a_prototype() {
    let text = prints(&["explain", "double f(struct { float x, y, z; }, int)"]);
    for part in ["xmm0", "xmm1", "rdi", "stub"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_declared_function() {
    let by_name = prints(&["explain", "--decls", header(), "length"]);
    let by_type = prints(&[
        "explain",
        "--decls",
        header(),
        "double length(struct point)",
    ]);
    assert_eq!(by_name, by_type);
    assert!(by_name.contains("xmm1"), "{by_name}");
}

#[test]
fn a_variadic_function() {
    let text = prints(&["explain", "int printf(const char *, ...)"]);
    assert!(text.contains("al"), "{text}");
}

#[test]
fn the_convention_is_this_machines_own() {
    let prototype = "long f(long, double)";
    assert_eq!(
        prints(&["explain", prototype]),
        prints(&["explain", "--abi", "sysv64", prototype])
    );
}

/// A convention is explained, or it is said that this version does not know it yet.
#[test]
fn conventions() {
    for abi in ["sysv64", "win64", "aapcs64", "apple64"] {
        let output = crate::run::farcall(&["explain", "--abi", abi, "long f(long, double)"]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => assert_eq!(error, ""),
            Some(1) => assert_eq!(
                error,
                format!(
                    "farcall: f: this version of farcall does not call by the {abi} convention\n"
                )
            ),
            other => panic!("{abi}: {other:?}"),
        }
    }
}

#[test]
fn mistakes() {
    let message = fails(1, &["explain", "double f(doubel)"]);
    assert!(message.contains("1:10: unknown type name"), "{message}");
    assert!(
        message.contains("\n    double f(doubel)\n             ^"),
        "{message}"
    );
    let message = fails(1, &["explain", "f"]);
    assert!(message.contains("a name alone"), "{message}");
}

//! `farcall symbols`.

use crate::run::{fails, library, prints};

fn names(arguments: &[&str]) -> Vec<String> {
    let text = prints(&[&["symbols"], arguments].concat());
    let name = |line: &str| {
        line.split_whitespace()
            .last()
            .unwrap_or_default()
            .to_owned()
    };
    text.lines().map(name).collect()
}

#[test]
fn what_a_library_exports() {
    let text = prints(&["symbols", library()]);
    assert!(
        text.lines().any(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            words[0] == "function"
                && words[1].parse::<u64>().is_ok_and(|size| size > 0)
                && words[2] == "twice"
        }),
        "{text}"
    );
    assert!(
        text.contains("actual_name") && !text.contains("renamed"),
        "{text}"
    );
    assert!(!text.contains("handled"), "{text}");
    let names = names(&[library()]);
    assert!(names.is_sorted());
}

#[test]
fn patterns() {
    assert_eq!(
        names(&[library(), "same_*"]),
        ["same_flags", "same_half", "same_number", "same_tagged"]
    );
    assert_eq!(names(&[library(), "[mu]*e[rd]"]), ["measured", "upper"]);
    assert_eq!(names(&[library(), "w?de"]), ["wide"]);
    // Without one of these characters, a part of the name.
    assert_eq!(names(&[library(), "_color"]), ["next_color"]);
}

#[test]
fn versions() {
    let current = names(&["libc.so.6", "glob"]);
    assert!(
        current.iter().any(|name| name.starts_with("glob@@GLIBC_")),
        "{current:?}"
    );
    let all = names(&["--all", "libc.so.6", "glob"]);
    assert!(all.iter().any(|name| !name.contains("@@")), "{all:?}");
    assert!(current.len() < all.len());
}

#[test]
fn mistakes() {
    for (arguments, expected) in [
        (
            &["libno_such_library.so"][..],
            "library libno_such_library.so: not found",
        ),
        (
            &["libm.so.6", "cosin"],
            "exports no name that matches cosin; did you mean",
        ),
        (&["libm.so.6", "[a"], "pattern [a: "),
        (
            &["libm.so.6", "no_such_name_at_all"],
            "exports no name that matches no_such_name_at_all\n",
        ),
        (&["/etc/passwd"], "/etc/passwd: "),
    ] {
        let message = fails(1, &[&["symbols"], arguments].concat());
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

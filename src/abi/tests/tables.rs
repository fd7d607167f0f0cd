//! What the table says: `tables.txt` has prototypes after `==`, behind the name of a convention that is
//! not sysv64, with the types of extra arguments after a bar, and the table that each is to give.

use super::{call_on, signature_on};
use crate::abi::{assign, open_table, table};
use crate::types::target as targets;

fn drawn(case: &str) -> String {
    let (target, case) = match case.split_once(": ") {
        Some(("win64", case)) => (&targets::WINDOWS_X86_64, case),
        Some(("aapcs64", case)) => (&targets::LINUX_AARCH64, case),
        Some(("apple64", case)) => (&targets::APPLE_AARCH64, case),
        _ => (&targets::LINUX_X86_64, case),
    };
    let signature = match case.split_once(" | ") {
        Some((prototype, extra)) => {
            call_on(target, prototype, &extra.split("; ").collect::<Vec<_>>())
        }
        None => signature_on(target, case),
    };
    match signature.function().open {
        true => open_table(&signature, "known later").unwrap(),
        false => table(&signature, &assign(&signature).unwrap(), "stub"),
    }
}

#[test]
fn every_line() {
    let text = include_str!("tables.txt");
    let mut count = 0;
    for block in text.split("== ").skip(1) {
        let (case, expected) = block.split_once('\n').unwrap();
        assert_eq!(drawn(case), expected.trim_end().to_owned() + "\n", "{case}");
        count += 1;
    }
    assert!(count >= 18);
}

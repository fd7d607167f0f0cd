//! What the table says: `tables.txt` has prototypes after `==`, with the types of extra arguments
//! after a bar, and the table that each is to give.

use super::{call, signature};
use crate::abi::{assign, open_table, table};

fn drawn(case: &str) -> String {
    let signature = match case.split_once(" | ") {
        Some((prototype, extra)) => call(prototype, &extra.split("; ").collect::<Vec<_>>()),
        None => signature(case),
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
    assert!(count >= 7);
}

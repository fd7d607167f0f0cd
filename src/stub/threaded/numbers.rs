//! The numbers of snippets: those of a family stand in a row, in the order of what they differ in.

use super::width::Width;

/// Makes constants of families and how many snippets each has: the number of its first one, and the
/// number of all.
macro_rules! families {
    ($($(#[$doc:meta])* $name:ident: $count:expr;)*) => {
        families!(@ 0; $($(#[$doc])* $name: $count;)*);
    };
    (@ $first:expr;) => {
        /// How many snippets there are.
        pub const COUNT: u32 = $first;
    };
    (@ $first:expr; $(#[$doc:meta])* $name:ident: $count:expr; $($rest:tt)*) => {
        #[allow(missing_docs, reason = "the snippets of this name are described")]
        pub const $name: u32 = $first;
        families!(@ $name + $count; $($rest)*);
    };
}

pub(super) use families;

/// Where a number stands in a list that has it.
pub(super) fn position(list: &[u32], number: u32) -> u32 {
    let found = list.iter().position(|one| *one == number);
    debug_assert!(found.is_some(), "{number} is none of {list:?}");
    found.unwrap_or(0) as u32
}

/// Digits as one number, the first the lowest.
pub(super) fn digits(base: u32, widths: &[Width]) -> u32 {
    let digits = widths.iter().rev().map(|width| *width as u32);
    digits.fold(0, |number, digit| {
        debug_assert!(digit < base);
        number * base + digit
    })
}

/// Its number among the widths of 1 and 2 bytes.
pub(super) fn narrow(width: Width) -> u32 {
    (width as u32).saturating_sub(Width::Two as u32)
}

//! Arguments that are loaded together: how each fills its register, and where it is.

use crate::abi::Extension;
use crate::stub::plan::{Address, Arguments, Move};
use std::fmt;

/// How an argument fills a general register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// No argument.
    None,
    /// 8 bytes.
    Eight,
    /// 4 bytes; the upper half is zero.
    Four,
    /// 2 bytes with zeros above them.
    Two,
    /// 2 bytes with their sign.
    SignedTwo,
    /// 1 byte with zeros above it.
    One,
    /// 1 byte with its sign.
    SignedOne,
}

/// How a value fills a general register, if a snippet has that width.
pub(super) fn width(size: u32, extension: Extension) -> Option<Width> {
    match (size, extension) {
        (8, _) => Some(Width::Eight),
        (4, _) => Some(Width::Four),
        (2, Extension::Sign) => Some(Width::SignedTwo),
        (2, _) => Some(Width::Two),
        (1, Extension::Sign) => Some(Width::SignedOne),
        (1, _) => Some(Width::One),
        _ => None,
    }
}

/// A value that begins in the array, or where an element of it points: the element and where it
/// is.
pub(super) fn element(one: &Move) -> Option<(u32, Arguments)> {
    match (one.from, one.offset) {
        (Address::Element(index), 0) => Some((index, Arguments::Slots)),
        (Address::Pointee(index), 0) => Some((index, Arguments::Pointers)),
        _ => None,
    }
}

/// The bytes that are read for a register: a slot has 8 bytes, whatever its value has.
pub(super) fn loaded(one: &Move) -> u32 {
    match one.from {
        Address::Element(_) if !one.size.is_power_of_two() && one.offset == 0 => 8,
        _ => one.size,
    }
}

/// One register's value, to be loaded with others.
pub(super) type Loaded = Option<(u32, Arguments, Width)>;

/// What registers are given from one form of arguments, if any of them is.
pub(super) fn together<const COUNT: usize>(
    registers: &[Loaded],
    form: Arguments,
) -> Option<([Width; COUNT], [u32; COUNT])> {
    let mut widths = [Width::None; COUNT];
    let mut indexes = [0; COUNT];
    for (place, one) in registers.iter().enumerate() {
        if let Some((index, from, width)) = *one
            && from == form
        {
            widths[place] = width;
            indexes[place] = index;
        }
    }
    let is_used = widths.iter().any(|width| *width != Width::None);
    is_used.then_some((widths, indexes))
}

pub(super) fn source(from: Arguments) -> &'static str {
    match from {
        Arguments::Pointers => "pointers",
        Arguments::Slots => "slots",
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Width::None => "-",
            Width::Eight => "8",
            Width::Four => "4",
            Width::Two => "2",
            Width::SignedTwo => "2s",
            Width::One => "1",
            Width::SignedOne => "1s",
        })
    }
}

/// A list of registers with what each is given.
pub(super) fn registers(
    f: &mut fmt::Formatter<'_>,
    names: &[String],
    widths: &[Width],
) -> fmt::Result {
    for (name, width) in std::iter::zip(names, widths) {
        if *width != Width::None {
            write!(f, " {name}:{width}")?;
        }
    }
    Ok(())
}

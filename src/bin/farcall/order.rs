//! Which of two values is the smaller one.

use crate::convert::{whole, word};
use crate::memory;
use crate::number::Whole;
use crate::pointer::is_char;
use crate::print::bit_field;
use farcall::types::target::LongDouble;
use farcall::types::{Data, Kind, TypeRef};
use std::cmp::Ordering;

/// Whether values of a type are in an order: numbers, strings, and what is made of them.
pub(crate) fn has_order(ty: TypeRef<'_>) -> bool {
    let kind = ty.value_kind();
    match &ty.node.data {
        Data::Record(record) => {
            !record.is_union
                && record.fields.iter().flatten().all(|field| {
                    let member = ty.follow(&field.link);
                    member.is_complete() && has_order(member)
                })
        }
        Data::Array { element, .. } | Data::Vector { element, .. } => has_order(ty.follow(element)),
        _ => kind.is_integer() || kind.is_float() || is_string(ty),
    }
}

/// How the values are ordered that two pointers, given by their bytes, point to; equal, if one cannot be read.
/// Where the type is plain `char` they point to strings.
pub(crate) fn compared(ty: TypeRef<'_>, first: &[u8], second: &[u8]) -> Ordering {
    let (first, second) = (word(first) as u64, word(second) as u64);
    if is_char(ty) {
        return strings(first, second);
    }
    let size = ty.size() as usize;
    let (mut left, mut right) = (vec![0; size], vec![0; size]);
    match memory::read(first, &mut left) && memory::read(second, &mut right) {
        true => values(ty, &left, &right),
        false => Ordering::Equal,
    }
}

/// A pointer to plain `char`.
fn is_string(ty: TypeRef<'_>) -> bool {
    match &ty.node.data {
        Data::Pointer {
            pointee: Some(link),
            ..
        } => is_char(ty.follow(link)),
        _ => false,
    }
}

/// As strcmp has it; NULL comes first.
fn strings(first: u64, second: u64) -> Ordering {
    let text = |address: u64| match address {
        0 => None,
        address => memory::string(address),
    };
    text(first).cmp(&text(second))
}

/// How two values are ordered: structs by their first member that differs, arrays by their first element.
fn values(ty: TypeRef<'_>, left: &[u8], right: &[u8]) -> Ordering {
    let kind = ty.value_kind();
    match &ty.node.data {
        Data::Record(record) => {
            let orders = record.fields.iter().flatten().map(|field| {
                let member = ty.follow(&field.link);
                let at = field.offset as usize;
                match field.bits {
                    Some(_) if field.name.is_none() => Ordering::Equal,
                    Some(bits) => {
                        let number =
                            |bytes: &[u8]| bit_field(member, &bytes[at..], field.bit_offset, bits);
                        integers(&number(left), &number(right))
                    }
                    None => {
                        let part = at..at + member.size() as usize;
                        values(member, &left[part.clone()], &right[part])
                    }
                }
            });
            first_difference(orders)
        }
        Data::Array { element, .. } | Data::Vector { element, .. } => {
            let element = ty.follow(element);
            let size = element.size().max(1) as usize;
            let pairs = left.chunks_exact(size).zip(right.chunks_exact(size));
            first_difference(pairs.map(|(left, right)| values(element, left, right)))
        }
        _ if is_string(ty) => strings(word(left) as u64, word(right) as u64),
        _ if kind.is_float() => floats(value_bits(ty), left, right),
        _ => integers(&whole(kind, left), &whole(kind, right)),
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn integers(left: &Whole, right: &Whole) -> Ordering {
    let signed = |value: &Whole| match value.is_negative {
        true => (false, !value.magnitude),
        false => (true, value.magnitude),
    };
    signed(left).cmp(&signed(right))
}

/// The bits of a floating type that have a meaning.
fn value_bits(ty: TypeRef<'_>) -> u32 {
    match (ty.value_kind(), ty.node.target.long_double) {
        (Kind::LongDouble, LongDouble::X87) => 80,
        _ => ty.size() as u32 * 8,
    }
}

/// All formats are a sign and a magnitude that grows with its bits; NaNs lie beyond the infinities.
fn floats(bits: u32, left: &[u8], right: &[u8]) -> Ordering {
    let number = |bytes: &[u8]| {
        let bits_of = word(bytes) << (128 - bits);
        let magnitude = bits_of << 1;
        Whole {
            is_negative: bits_of >> 127 == 1 && magnitude != 0,
            magnitude: magnitude >> 1,
        }
    };
    integers(&number(left), &number(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered() {
        let doubles = [
            f64::NEG_INFINITY,
            -2.5,
            -2.25,
            0.0,
            1e-300,
            1.0,
            f64::INFINITY,
        ];
        for (at, left) in doubles.iter().enumerate() {
            for (other, right) in doubles.iter().enumerate() {
                let order = floats(64, &left.to_le_bytes(), &right.to_le_bytes());
                assert_eq!(order, at.cmp(&other), "{left} {right}");
            }
        }
        let zeros = (0.0f32.to_le_bytes(), (-0.0f32).to_le_bytes());
        assert_eq!(floats(32, &zeros.0, &zeros.1), Ordering::Equal);
        let numbers = [i128::MIN, -3, -2, 0, 1, i128::MAX];
        for (at, &left) in numbers.iter().enumerate() {
            for (other, &right) in numbers.iter().enumerate() {
                let order = integers(&Whole::of(left), &Whole::of(right));
                assert_eq!(order, at.cmp(&other), "{left} {right}");
            }
        }
    }
}

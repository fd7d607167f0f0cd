//! Integer arithmetic as C does it: types that decide the width, and values that wrap.

use super::lexer::Kind;
use super::names::Value;
use crate::types::Kind as TypeKind;

/// Bits of an integer kind.
fn width(kind: TypeKind) -> u32 {
    match kind {
        TypeKind::Bool | TypeKind::I8 | TypeKind::U8 => 8,
        TypeKind::I16 | TypeKind::U16 => 16,
        TypeKind::I32 | TypeKind::U32 => 32,
        TypeKind::I64 | TypeKind::U64 => 64,
        _ => 128,
    }
}

/// A value of a kind: what fits it of some bits.
pub(super) fn wrap(bits: i128, kind: TypeKind) -> Value {
    let unused = 128 - width(kind);
    let bits = match kind {
        TypeKind::Bool => i128::from(bits != 0),
        _ if kind.is_signed() => (bits << unused) >> unused,
        _ => ((bits as u128) << unused >> unused) as i128,
    };
    Value { bits, kind }
}

/// A cast.
pub(super) fn convert(value: Value, kind: TypeKind) -> Value {
    wrap(value.bits, kind)
}

/// What a comparison gives.
pub(super) fn truth(holds: bool) -> Value {
    Value {
        bits: i128::from(holds),
        kind: TypeKind::I32,
    }
}

/// What is narrower than `int` becomes one (C11, 6.3.1.1p2).
pub(super) fn promoted(kind: TypeKind) -> TypeKind {
    if width(kind) < 32 {
        TypeKind::I32
    } else {
        kind
    }
}

/// The type that two operands are brought to (C11, 6.3.1.8).
pub(super) fn common(a: TypeKind, b: TypeKind) -> TypeKind {
    let (a, b) = (promoted(a), promoted(b));
    match width(a).cmp(&width(b)) {
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Equal if a.is_signed() => b,
        std::cmp::Ordering::Equal => a,
    }
}

/// The value of two operands and the operator between them, or what is wrong with it.
pub(super) fn apply(operator: Kind, left: Value, right: Value) -> Result<Value, String> {
    match operator {
        Kind::And => return Ok(truth(left.bits != 0 && right.bits != 0)),
        Kind::Or => return Ok(truth(left.bits != 0 || right.bits != 0)),
        Kind::ShiftLeft | Kind::ShiftRight => return shift(operator, left, right),
        _ => {}
    }
    let kind = common(left.kind, right.kind);
    let (a, b) = (convert(left, kind).bits, convert(right, kind).bits);
    // Only 128 bits do not fit the 127 of a value without its sign.
    let wide = kind == TypeKind::U128;
    let less = if wide { (a as u128) < b as u128 } else { a < b };
    let bits = match operator {
        Kind::Equal => return Ok(truth(a == b)),
        Kind::NotEqual => return Ok(truth(a != b)),
        Kind::Mark(b'<') => return Ok(truth(less)),
        Kind::Mark(b'>') => return Ok(truth(!less && a != b)),
        Kind::AtMost => return Ok(truth(less || a == b)),
        Kind::AtLeast => return Ok(truth(!less)),
        Kind::Mark(b'/' | b'%') if b == 0 => return Err("a division by zero".to_owned()),
        Kind::Mark(b'/') if wide => (a as u128 / b as u128) as i128,
        Kind::Mark(b'%') if wide => (a as u128 % b as u128) as i128,
        Kind::Mark(b'/') => a.wrapping_div(b),
        Kind::Mark(b'%') => a.wrapping_rem(b),
        Kind::Mark(b'*') => a.wrapping_mul(b),
        Kind::Mark(b'+') => a.wrapping_add(b),
        Kind::Mark(b'-') => a.wrapping_sub(b),
        Kind::Mark(b'&') => a & b,
        Kind::Mark(b'^') => a ^ b,
        Kind::Mark(b'|') => a | b,
        _ => return Err("this operator has no place in a constant".to_owned()),
    };
    Ok(wrap(bits, kind))
}

fn shift(operator: Kind, left: Value, right: Value) -> Result<Value, String> {
    let kind = promoted(left.kind);
    let a = convert(left, kind).bits;
    let bits = width(kind);
    let Some(count) = u32::try_from(right.bits).ok().filter(|&count| count < bits) else {
        return Err(format!(
            "a shift by {} bits of a value of {bits}",
            right.bits
        ));
    };
    Ok(wrap(
        match operator {
            Kind::ShiftLeft => a << count,
            _ if kind == TypeKind::U128 => ((a as u128) >> count) as i128,
            _ => a >> count,
        },
        kind,
    ))
}

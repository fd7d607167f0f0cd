//! Values of one type as values of another, as C converts them implicitly. What would lose
//! something is an error.

use crate::float;
use crate::number::Whole;
use farcall::types::{Kind, TypeRef};

/// The number that an integer's bytes are.
pub(crate) fn whole(kind: Kind, bytes: &[u8]) -> Whole {
    let above = 128 - 8 * bytes.len().clamp(1, 16) as u32;
    let value = word(bytes) << above;
    match kind.is_signed() {
        true => Whole::of(value.cast_signed() >> above),
        false => Whole {
            is_negative: false,
            magnitude: value >> above,
        },
    }
}

/// At most 16 bytes as a number.
pub(crate) fn word(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    let length = bytes.len().min(16);
    all[..length].copy_from_slice(&bytes[..length]);
    u128::from_le_bytes(all)
}

/// The bytes of a value as another type.
pub(crate) fn converted(
    from: TypeRef<'_>,
    bytes: &[u8],
    to: TypeRef<'_>,
) -> Result<Vec<u8>, String> {
    let (source, target) = (from.value_kind(), to.value_kind());
    let refused = || {
        Err(format!(
            "expected {}, got {}",
            to.describe(),
            from.describe()
        ))
    };
    if source == target && source.is_scalar() {
        return Ok(bytes.to_vec());
    }
    if source.is_integer() {
        let value = whole(source, bytes);
        if target == Kind::Bool {
            return Ok(vec![u8::from(value.magnitude != 0)]);
        }
        if target.is_integer() {
            let range = Whole::range(to.size() as u32 * 8, target.is_signed());
            return match value.is_within(range) {
                true => Ok(value.bits().to_le_bytes()[..to.size() as usize].to_vec()),
                false => Err(format!(
                    "{value} does not fit in {} ({} to {})",
                    to.describe(),
                    range.0,
                    range.1
                )),
            };
        }
        let real = target.complex_part().unwrap_or(target);
        return match float::parse(real, &value.to_string()) {
            Some(bytes) => Ok(padded(bytes, to)),
            None => refused(),
        };
    }
    let is_real = source.is_float();
    let target_part = target.complex_part().unwrap_or(target);
    if is_real && target_part.is_float() {
        return match float::converted(source, bytes, target_part) {
            Some(bytes) => Ok(padded(bytes, to)),
            None => refused(),
        };
    }
    if let (Some(source), Some(target)) = (source.complex_part(), target.complex_part()) {
        let (real, imaginary) = bytes.split_at(bytes.len() / 2);
        let parts = [real, imaginary].map(|part| float::converted(source, part, target));
        if let [Some(real), Some(imaginary)] = parts {
            return Ok([real, imaginary].concat());
        }
    }
    match !source.is_scalar() && from.compatible_with(to) {
        true => Ok(bytes.to_vec()),
        false => refused(),
    }
}

/// The real part of a complex number, with an imaginary part of zero.
fn padded(mut bytes: Vec<u8>, to: TypeRef<'_>) -> Vec<u8> {
    bytes.resize(to.size() as usize, 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use farcall::code::target;
    use farcall::types::{Scalar, Type};

    fn convert(from: Scalar, bytes: &[u8], to: Scalar) -> Result<Vec<u8>, String> {
        let (from, to) = (Type::scalar(from, target()), Type::scalar(to, target()));
        converted(from.get(), bytes, to.get())
    }

    #[test]
    fn numbers() {
        let long = (-5i64).to_le_bytes();
        assert_eq!(
            convert(Scalar::Long, &long, Scalar::Int).unwrap(),
            (-5i32).to_le_bytes()
        );
        assert_eq!(
            convert(Scalar::Long, &long, Scalar::UnsignedChar).unwrap_err(),
            "-5 does not fit in unsigned char (0 to 255)"
        );
        assert_eq!(
            convert(Scalar::Long, &long, Scalar::Double).unwrap(),
            (-5f64).to_le_bytes()
        );
        assert_eq!(convert(Scalar::Long, &long, Scalar::Bool).unwrap(), [1]);
        // Exactly the float, not the double that prints alike.
        assert_eq!(
            convert(Scalar::Float, &0.1f32.to_le_bytes(), Scalar::Double).unwrap(),
            f64::from(0.1f32).to_le_bytes()
        );
        assert_eq!(
            convert(Scalar::Double, &0.5f64.to_le_bytes(), Scalar::ComplexFloat).unwrap(),
            [0.5f32.to_le_bytes(), 0f32.to_le_bytes()].concat()
        );
        assert_eq!(
            convert(Scalar::Double, &0.5f64.to_le_bytes(), Scalar::Int).unwrap_err(),
            "expected int, got double"
        );
        assert_eq!(
            convert(Scalar::Pointer, &[0; 8], Scalar::Int).unwrap_err(),
            "expected int, got void *"
        );
    }

    #[test]
    fn whole_numbers() {
        assert_eq!(whole(Kind::I8, &[0xff]), Whole::of(-1));
        assert_eq!(whole(Kind::U8, &[0xff]), Whole::of(255));
        assert_eq!(whole(Kind::U128, &[0xff; 16]).magnitude, u128::MAX);
        assert_eq!(whole(Kind::I128, &[0xff; 16]), Whole::of(-1));
    }
}

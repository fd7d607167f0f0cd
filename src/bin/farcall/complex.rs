//! Complex numbers.

use crate::read::Reader;
use farcall::types::{Kind, Scalar, Type, TypeRef};

impl Reader<'_> {
    /// `1.5`, `2i`, `1.5-2i`, `1.5-2*I` or `{1.5, -2}`.
    pub(crate) fn complex(
        &mut self,
        ty: TypeRef<'_>,
        kind: Kind,
        source: &[u8],
    ) -> Result<Vec<u8>, String> {
        let part = kind.complex_part().unwrap_or(Kind::F64);
        let Some(scalar) = Scalar::of_kind(part, ty.node.target) else {
            return Err(self.expected(ty, source));
        };
        let part = Type::scalar(scalar, ty.node.target);
        if source.first() == Some(&b'{') {
            return self.elements(part.get(), Some(2), source);
        }
        let word = std::str::from_utf8(source).map_err(|_| self.expected(ty, source))?;
        let (real, imaginary) = complex_parts(word);
        let mut bytes = Vec::new();
        for text in [real, imaginary] {
            let read = self.float(part.get(), part.kind(), text.trim().as_bytes());
            bytes.extend(read.map_err(|_| self.expected(ty, source))?);
        }
        Ok(bytes)
    }
}

fn complex_parts(word: &str) -> (String, String) {
    let without_unit = word
        .strip_suffix(['i', 'I', 'j'])
        .map(|rest| rest.trim_end().strip_suffix('*').unwrap_or(rest).trim_end());
    let Some(rest) = without_unit else {
        return (word.to_owned(), "0".to_owned());
    };
    // The sign that parts them is not the first letter, and not an exponent's.
    let split = rest
        .rmatch_indices(['+', '-'])
        .map(|(at, _)| at)
        .find(|&at| at > 0 && !is_exponent(&rest[..at]));
    let (real, imaginary) = match split {
        Some(at) => (&rest[..at], &rest[at..]),
        None => ("0", rest),
    };
    // `1 - 2i` has spaces, and `1-i` no number.
    let imaginary: String = imaginary.chars().filter(|letter| *letter != ' ').collect();
    let imaginary = match imaginary.as_str() {
        "" | "+" | "-" => format!("{imaginary}1"),
        _ => imaginary,
    };
    (real.to_owned(), imaginary)
}

/// A sign behind this belongs to an exponent.
fn is_exponent(before: &str) -> bool {
    before.ends_with(['e', 'E', 'p', 'P'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_complex_numbers() {
        for (word, real, imaginary) in [
            ("1.5", "1.5", "0"),
            ("2i", "0", "2"),
            ("1.5-2i", "1.5", "-2"),
            ("1.5 - 2 * I", "1.5 ", "-2"),
            ("1e-3+2e+4i", "1e-3", "+2e+4"),
            ("-1-1i", "-1", "-1"),
            ("1-i", "1", "-1"),
            ("i", "0", "1"),
            ("-i", "0", "-1"),
            ("inf", "inf", "0"),
            ("-0x1p-3i", "0", "-0x1p-3"),
        ] {
            let expected = (real.to_owned(), imaginary.to_owned());
            assert_eq!(complex_parts(word), expected, "{word}");
        }
    }
}

//! Numbers as C spells them: `10`, `0x1f`, `0b101`, `017`, `1'000'000u`, `1.5f`, `0x1p-3`.

/// An integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    pub(crate) value: Whole,
    /// It is spelled in decimal: C then gives it no unsigned type by itself.
    pub(crate) is_decimal: bool,
    /// `u`.
    pub(crate) is_unsigned: bool,
    /// How often `l`; `z` is one.
    pub(crate) longs: u8,
}

/// A whole number of any sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) is_negative: bool,
    pub(crate) magnitude: u128,
}

/// A floating literal, without suffix and separators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Floating {
    pub(crate) text: String,
    pub(crate) precision: Precision,
}

/// What the suffix of a floating literal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Half,
    Float,
    Double,
    LongDouble,
    Quad,
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Integer(Integer),
    Floating(Floating),
}

impl Whole {
    pub(crate) fn of(value: i128) -> Whole {
        Whole {
            is_negative: value < 0,
            magnitude: value.unsigned_abs(),
        }
    }

    /// The least and the greatest number of so many bits.
    pub(crate) fn range(bits: u32, is_signed: bool) -> (Whole, Whole) {
        let (below, above) = match (bits, is_signed) {
            (0, _) => (0, 0),
            (_, true) => (1u128 << (bits - 1), (1u128 << (bits - 1)) - 1),
            (_, false) => (0, u128::MAX >> (128 - bits)),
        };
        let whole = |is_negative, magnitude| Whole {
            is_negative: is_negative && magnitude > 0,
            magnitude,
        };
        (whole(true, below), whole(false, above))
    }

    /// It is between the least and the greatest of these.
    pub(crate) fn is_within(self, (least, greatest): (Whole, Whole)) -> bool {
        let limit = match self.is_negative {
            true => least.magnitude,
            false => greatest.magnitude,
        };
        self.magnitude <= limit
    }

    /// As two's complement.
    pub(crate) fn bits(self) -> u128 {
        match self.is_negative {
            true => self.magnitude.wrapping_neg(),
            false => self.magnitude,
        }
    }
}

impl std::fmt::Display for Whole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.is_negative { "-" } else { "" };
        write!(f, "{sign}{}", self.magnitude)
    }
}

/// The number that the whole text spells. `None`, if it is none; an error, if it is a wrong one.
pub(crate) fn number(text: &str) -> Option<Result<Number, String>> {
    let (is_negative, word) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text.strip_prefix('+').unwrap_or(text).trim_start()),
    };
    if !is_word(word) {
        return None;
    }
    let word = without_separators(word);
    Some(unsigned(&word).map(|number| match number {
        Number::Integer(mut integer) => {
            integer.value.is_negative = is_negative && integer.value.magnitude > 0;
            Number::Integer(integer)
        }
        Number::Floating(mut floating) => {
            if is_negative {
                floating.text.insert(0, '-');
            }
            Number::Floating(floating)
        }
    }))
}

/// C's preprocessing number (C11, 6.4.8), over the whole text.
fn is_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits_from = usize::from(bytes.first() == Some(&b'.'));
    if !bytes.get(digits_from).is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let is_hexadecimal = bytes.starts_with(b"0x") || bytes.starts_with(b"0X");
    (1..bytes.len()).all(|at| match bytes[at] {
        b'.' | b'_' => true,
        b'\'' => bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric),
        b'+' | b'-' => match bytes[at - 1] {
            b'p' | b'P' => true,
            b'e' | b'E' => !is_hexadecimal,
            _ => false,
        },
        byte => byte.is_ascii_alphanumeric(),
    })
}

/// `'` between two digits goes.
fn without_separators(word: &str) -> String {
    let bytes = word.as_bytes();
    let is_separator = |at: usize| {
        bytes[at] == b'\''
            && at > 0
            && bytes[at - 1].is_ascii_hexdigit()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_hexdigit)
    };
    let kept = word
        .char_indices()
        .filter(|&(at, _)| !is_separator(at))
        .map(|(_, letter)| letter);
    kept.collect()
}

fn unsigned(word: &str) -> Result<Number, String> {
    let lower = word.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return match digits.contains(['.', 'p']) {
            true => floating(&lower),
            false => integer(&lower, digits, 16),
        };
    }
    if let Some(digits) = lower.strip_prefix("0b") {
        return integer(&lower, digits, 2);
    }
    if let Some(digits) = lower.strip_prefix("0o") {
        return integer(&lower, digits, 8);
    }
    let digits = lower.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if lower.contains('.') || digits.starts_with(['e', 'f', 'q']) {
        return floating(&lower);
    }
    match lower.strip_prefix('0') {
        Some(rest) if rest.starts_with(|letter: char| letter.is_ascii_digit()) => {
            integer(&lower, rest, 8)
        }
        _ => integer(&lower, &lower, 10),
    }
}

fn integer(word: &str, text: &str, radix: u32) -> Result<Number, String> {
    let end = text
        .find(|letter: char| !letter.is_digit(radix))
        .unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    let (is_unsigned, longs) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" | "z" => (false, 1),
        "ul" | "lu" | "uz" | "zu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => {
            let found = suffix.chars().next().unwrap_or_default();
            return Err(match (radix, found) {
                (8, '8' | '9') => format!(
                    "\"{word}\": {found} is no octal digit, and a number that begins with 0 is \
                     octal; write {}",
                    word.trim_start_matches('0')
                ),
                (2, '2'..='9') => format!("\"{word}\": {found} is no binary digit"),
                _ => format!("\"{word}\" is no number: \"{suffix}\" cannot stand behind {digits}"),
            });
        }
    };
    if digits.is_empty() {
        return Err(format!("\"{word}\" is no number: its digits are missing"));
    }
    let magnitude = u128::from_str_radix(digits, radix)
        .map_err(|_| format!("{word} does not fit in 128 bits"))?;
    Ok(Number::Integer(Integer {
        value: Whole {
            is_negative: false,
            magnitude,
        },
        is_decimal: radix == 10,
        is_unsigned,
        longs,
    }))
}

fn floating(word: &str) -> Result<Number, String> {
    let is_hexadecimal = word.starts_with("0x");
    let body = match is_hexadecimal {
        true => &word[2..],
        false => word,
    };
    let wrong = |why: &str| Err(format!("\"{word}\" is no number: {why}"));
    let is_digit = |letter: char| match is_hexadecimal {
        true => letter.is_ascii_hexdigit(),
        false => letter.is_ascii_digit(),
    };
    let end = body
        .find(|letter| !is_digit(letter) && letter != '.')
        .unwrap_or(body.len());
    let mantissa = &body[..end];
    if mantissa.matches('.').count() > 1 || !mantissa.contains(is_digit) {
        return wrong("expected digits with at most one point");
    }
    let mut rest = &body[end..];
    let mark = if is_hexadecimal { 'p' } else { 'e' };
    if let Some(exponent) = rest.strip_prefix(mark) {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = digits
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(digits.len());
        if length == 0 {
            return wrong("its exponent has no digits");
        }
        rest = &digits[length..];
    } else if is_hexadecimal {
        return wrong("a hexadecimal floating number needs an exponent, as 0x1.8p0");
    }
    let precision = match rest {
        "" => Precision::Double,
        "f" | "f32" => Precision::Float,
        "f64" => Precision::Double,
        "l" => Precision::LongDouble,
        "f16" => Precision::Half,
        "q" | "f128" => Precision::Quad,
        _ => return wrong(&format!("\"{rest}\" cannot stand at its end")),
    };
    let length = word.len() - rest.len();
    Ok(Number::Floating(Floating {
        text: word[..length].to_owned(),
        precision,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match number(text) {
            None => "none".to_owned(),
            Some(Err(message)) => message,
            Some(Ok(Number::Integer(integer))) => {
                let unsigned = if integer.is_unsigned { "u" } else { "" };
                format!(
                    "{}{unsigned}{}",
                    integer.value,
                    "l".repeat(integer.longs.into())
                )
            }
            Some(Ok(Number::Floating(floating))) => {
                format!("{} {:?}", floating.text, floating.precision)
            }
        }
    }

    #[test]
    fn spellings() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("+7", "7"),
            ("-12", "-12"),
            ("0x1F", "31"),
            ("0b101", "5"),
            ("0B1", "1"),
            ("017", "15"),
            ("0o17", "15"),
            ("1'000'000", "1000000"),
            ("0xff'ff", "65535"),
            ("5u", "5u"),
            ("5UL", "5ul"),
            ("5llu", "5ull"),
            ("0xfull", "15ull"),
            ("3z", "3l"),
            ("1.5", "1.5 Double"),
            (".5", ".5 Double"),
            ("5.", "5. Double"),
            ("1e9", "1e9 Double"),
            ("-1E-9", "-1e-9 Double"),
            ("1.5F", "1.5 Float"),
            ("1f", "1 Float"),
            ("1.5L", "1.5 LongDouble"),
            ("1.5f16", "1.5 Half"),
            ("1.5q", "1.5 Quad"),
            ("0x1p-3", "0x1p-3 Double"),
            ("0x1.8p0f", "0x1.8p0 Float"),
            ("010.5", "010.5 Double"),
            ("1'0.2'5", "10.25 Double"),
            (
                "340282366920938463463374607431768211455",
                "340282366920938463463374607431768211455",
            ),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
        for text in [
            "", "-", "ten", "1 << 4", "1+2", "x1", "0x1e+2", "'a'", ".", "1é",
        ] {
            assert_eq!(shown(text), "none", "{text}");
        }
    }

    #[test]
    fn wrong_ones() {
        for (text, expected) in [
            (
                "08",
                "\"08\": 8 is no octal digit, and a number that begins with 0 is octal; write 8",
            ),
            ("0b12", "\"0b12\": 2 is no binary digit"),
            ("0x", "\"0x\" is no number: its digits are missing"),
            (
                "12abc",
                "\"12abc\" is no number: \"abc\" cannot stand behind 12",
            ),
            ("1_0", "\"1_0\" is no number: \"_0\" cannot stand behind 1"),
            (
                "1.2.3",
                "\"1.2.3\" is no number: expected digits with at most one point",
            ),
            ("1e", "\"1e\" is no number: its exponent has no digits"),
            ("1e+", "\"1e+\" is no number: its exponent has no digits"),
            (
                "0x1.8",
                "\"0x1.8\" is no number: a hexadecimal floating number needs an exponent, as 0x1.8p0",
            ),
            (
                "1.5x",
                "\"1.5x\" is no number: \"x\" cannot stand at its end",
            ),
            (
                "340282366920938463463374607431768211456",
                "340282366920938463463374607431768211456 does not fit in 128 bits",
            ),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn ranges() {
        for (bits, is_signed, least, greatest) in [
            (8, true, "-128", "127"),
            (8, false, "0", "255"),
            (1, true, "-1", "0"),
            (1, false, "0", "1"),
            (128, false, "0", "340282366920938463463374607431768211455"),
            (
                128,
                true,
                "-170141183460469231731687303715884105728",
                "170141183460469231731687303715884105727",
            ),
        ] {
            let range = Whole::range(bits, is_signed);
            assert_eq!(range.0.to_string(), least);
            assert_eq!(range.1.to_string(), greatest);
            assert!(range.0.is_within(range) && range.1.is_within(range));
        }
        assert!(!Whole::of(-129).is_within(Whole::range(8, true)));
        assert!(!Whole::of(128).is_within(Whole::range(8, true)));
        assert!(!Whole::of(-1).is_within(Whole::range(8, false)));
        assert_eq!(Whole::of(-1).bits(), u128::MAX);
    }
}

//! Strings and characters as C writes them.

/// What stands before a literal's quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// Nothing, or `u8`.
    Narrow,
    /// `u`.
    Utf16,
    /// `U`.
    Utf32,
    /// `L`.
    Wide,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A byte of the source.
    Byte(u8),
    /// A character by its number: `\u00e9`.
    Character(char),
    /// An element by its value: `\x41`, `\101`, `\0`.
    Element(u32),
}

/// A text without quotes and escape sequences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    parts: Vec<Part>,
}

/// The prefix that a literal begins with, its quote, and what follows that; `None` if there is none.
pub(crate) fn opening(source: &[u8]) -> Option<(Prefix, u8, &[u8])> {
    let prefixes: [(&[u8], Prefix); 5] = [
        (b"u8", Prefix::Narrow),
        (b"u", Prefix::Utf16),
        (b"U", Prefix::Utf32),
        (b"L", Prefix::Wide),
        (b"", Prefix::Narrow),
    ];
    prefixes.into_iter().find_map(|(spelling, prefix)| {
        let rest = source.strip_prefix(spelling)?;
        match rest.first() {
            Some(&quote @ (b'"' | b'\'')) => Some((prefix, quote, &rest[1..])),
            _ => None,
        }
    })
}

/// Where the quote is that closes what is before `rest`.
pub(crate) fn closing(rest: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        match byte {
            _ if byte == quote => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

/// The string literal that the whole source is, or several, which C joins.
pub(crate) fn literal(source: &[u8]) -> Result<(Prefix, Text), String> {
    let mut text = Text::default();
    let mut kind = Prefix::Narrow;
    let mut rest = source.trim_ascii();
    while !rest.is_empty() {
        let Some((prefix, b'"', inner)) = opening(rest) else {
            return Err(format!(
                "{} follows the closing quote; \\\" is a quote within a string",
                shown(rest)
            ));
        };
        let Some(end) = closing(inner, b'"') else {
            return Err(format!("{} has no closing quote", shown(rest)));
        };
        if prefix != Prefix::Narrow {
            kind = prefix;
        }
        text.parts.extend(unescaped(&inner[..end])?.parts);
        rest = inner[end + 1..].trim_ascii_start();
    }
    Ok((kind, text))
}

/// Text as it is, with escape sequences.
fn unescaped(source: &[u8]) -> Result<Text, String> {
    let mut parts = Vec::with_capacity(source.len());
    let mut at = 0;
    while at < source.len() {
        if source[at] == b'\\' {
            let (part, length) = escape(&source[at..])?;
            parts.push(part);
            at += length;
        } else {
            parts.push(Part::Byte(source[at]));
            at += 1;
        }
    }
    Ok(Text { parts })
}

/// The bytes of text without quotes, for a string.
pub(crate) fn unquoted(source: &[u8]) -> Result<Vec<u8>, String> {
    let bytes = unescaped(source)?.narrow()?;
    match bytes.contains(&0) {
        false => Ok(bytes),
        true => Err(
            "the text has a NUL in it, where a string ends; in quotes of its own, as C writes it, it \
             may: \"...\\0...\""
                .to_owned(),
        ),
    }
}

/// One sequence and its length.
fn escape(source: &[u8]) -> Result<(Part, usize), String> {
    let Some(&letter) = source.get(1) else {
        return Err("a backslash at the end; \\\\ is a backslash".to_owned());
    };
    let digits = |from: usize, radix: u32, most: usize| {
        let is_digit = |byte: &u8| char::from(*byte).is_digit(radix);
        let digits = source[from..]
            .iter()
            .take(most)
            .take_while(|&byte| is_digit(byte));
        let digits: String = digits.map(|&byte| char::from(byte)).collect();
        (u32::from_str_radix(&digits, radix), from + digits.len())
    };
    let spelled = |end: usize| String::from_utf8_lossy(&source[..end]).into_owned();
    let simple = match letter {
        b'a' => 7,
        b'b' => 8,
        b'e' => 27,
        b'f' => 12,
        b'n' => 10,
        b'r' => 13,
        b't' => 9,
        b'v' => 11,
        b'\\' | b'\'' | b'"' | b'?' => letter,
        b'0'..=b'7' => {
            let (value, end) = digits(1, 8, 3);
            return Ok((Part::Element(value.unwrap_or(0)), end));
        }
        b'x' => {
            let (value, end) = digits(2, 16, usize::MAX);
            return match value {
                Ok(value) => Ok((Part::Element(value), end)),
                Err(_) if end == 2 => Err("\\x needs hexadecimal digits, as \\x41".to_owned()),
                Err(_) => Err(format!("{} is too large a number", spelled(end))),
            };
        }
        b'u' | b'U' => {
            let length = if letter == b'u' { 4 } else { 8 };
            let (value, end) = digits(2, 16, length);
            let character = value.ok().and_then(char::from_u32);
            return match character {
                Some(character) if end == 2 + length => Ok((Part::Character(character), end)),
                Some(_) => Err(format!("{} needs {length} hexadecimal digits", spelled(2))),
                None => Err(format!("{} is no character", spelled(end.max(2)))),
            };
        }
        _ => {
            let end = source.len().min(2 + continuation(&source[2..]));
            return Err(format!(
                "unknown escape sequence {}; \\\\ is a backslash",
                spelled(end)
            ));
        }
    };
    Ok((Part::Byte(simple), 2))
}

/// How many bytes go on with a character of UTF-8.
fn continuation(rest: &[u8]) -> usize {
    rest.iter().take_while(|&&byte| byte & 0xc0 == 0x80).count()
}

impl Text {
    /// The bytes of a string of `char`.
    pub(crate) fn narrow(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            match *part {
                Part::Byte(byte) => bytes.push(byte),
                Part::Character(character) => {
                    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Part::Element(value) => bytes.push(u8::try_from(value).map_err(|_| {
                    format!(
                        "\\x{value:x} does not fit in a char (at most \\xff); \\ and three octal \
                         digits end by themselves"
                    )
                })?),
            }
        }
        Ok(bytes)
    }

    /// The elements of a string of `char16_t` (2 bytes) or of `char32_t` and `wchar_t` (4).
    pub(crate) fn wide(&self, size: u64) -> Result<Vec<u32>, String> {
        let mut elements = Vec::with_capacity(self.parts.len());
        let mut at = 0;
        while at < self.parts.len() {
            match self.parts[at] {
                Part::Character(character) => push_wide(&mut elements, character, size),
                Part::Element(value) if size == 2 && value > 0xffff => {
                    return Err(format!(
                        "\\x{value:x} does not fit in 16 bits (at most \\xffff)"
                    ));
                }
                Part::Element(value) => elements.push(value),
                Part::Byte(_) => {
                    let run = self.parts[at..].iter().map_while(|part| match part {
                        Part::Byte(byte) => Some(*byte),
                        _ => None,
                    });
                    let run: Vec<u8> = run.collect();
                    let text = std::str::from_utf8(&run).map_err(|_| {
                        "the text is not UTF-8, which a wide string needs".to_owned()
                    })?;
                    for character in text.chars() {
                        push_wide(&mut elements, character, size);
                    }
                    at += run.len() - 1;
                }
            }
            at += 1;
        }
        Ok(elements)
    }

    /// The only character, or element, of a character constant.
    fn single(&self) -> Option<Single> {
        match self.parts.as_slice() {
            [Part::Element(value)] => Some(Single::Element(*value)),
            [Part::Character(character)] => Some(Single::Character(*character)),
            parts => {
                let bytes: Option<Vec<u8>> = parts
                    .iter()
                    .map(|part| match part {
                        Part::Byte(byte) => Some(*byte),
                        _ => None,
                    })
                    .collect();
                let bytes = bytes?;
                let text = std::str::from_utf8(&bytes).ok()?;
                let mut characters = text.chars();
                match (characters.next(), characters.next()) {
                    (Some(character), None) => Some(Single::Character(character)),
                    _ => None,
                }
            }
        }
    }
}

fn push_wide(elements: &mut Vec<u32>, character: char, size: u64) {
    if size == 2 {
        let mut units = [0; 2];
        let units = character.encode_utf16(&mut units);
        elements.extend(units.iter().map(|&unit| u32::from(unit)));
    } else {
        elements.push(u32::from(character));
    }
}

/// What a character constant stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Single {
    Character(char),
    /// The value of a `char`: `'\xff'`.
    Element(u32),
    /// The value of something wider: `L'\xff'`.
    Wide(u32),
}

/// The character constant that the whole source is; `None` if it begins as none.
pub(crate) fn character(source: &[u8]) -> Option<Result<Single, String>> {
    let Some((prefix, b'\'', inner)) = opening(source) else {
        return None;
    };
    let end = match closing(inner, b'\'') {
        Some(end) if inner[end + 1..].is_empty() => end,
        // It may be part of an expression.
        Some(_) => return None,
        None => return Some(Err(format!("{} has no closing quote", shown(source)))),
    };
    let single = unescaped(&inner[..end]).and_then(|text| {
        text.single().ok_or_else(|| {
            format!(
                "{} is not one character; a string has \"quotes\"",
                shown(source)
            )
        })
    });
    Some(single.map(|single| match single {
        Single::Element(value) if prefix != Prefix::Narrow => Single::Wide(value),
        single => single,
    }))
}

/// A word of the command line in a message; a long one is cut.
pub(crate) fn shown(source: &[u8]) -> String {
    const LONGEST: usize = 60;
    let text = String::from_utf8_lossy(source);
    let mut shown: String = text
        .chars()
        .take(LONGEST)
        .map(|letter| {
            if letter.is_control() {
                '\u{fffd}'
            } else {
                letter
            }
        })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    // What has quotes of its own reads better without more of them.
    match shown.starts_with(['"', '\'']) {
        true => shown,
        false => format!("\"{shown}\""),
    }
}

/// A message that repeats words of others: what would steer a terminal is spelled as an escape
/// sequence, and the middle of what has no end is left out.
pub(crate) fn harmless(message: &str) -> String {
    let words = message.split_inclusive([' ', '\n']);
    words.map(harmless_word).collect()
}

fn harmless_word(word: &str) -> String {
    const LONGEST: usize = 200;
    const KEPT: usize = 90;
    let count = word.chars().count();
    let mut harmless = String::with_capacity(word.len());
    for (at, letter) in word.chars().enumerate() {
        if count > LONGEST && (KEPT..count - KEPT).contains(&at) {
            if at == KEPT {
                harmless.push_str("...");
            }
            continue;
        }
        match letter {
            '\n' | '\t' => harmless.push(letter),
            _ if letter.is_control() => {
                harmless.push_str(&format!("\\x{:02x}", u32::from(letter)));
            }
            _ => harmless.push(letter),
        }
    }
    harmless
}

/// A string as C writes it, with what is no UTF-8 as escapes.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            push_escaped(&mut text, letter, '"');
        }
        for byte in chunk.invalid() {
            push_octal(&mut text, u32::from(*byte));
        }
    }
    text + "\""
}

/// A `char` as a character constant.
pub(crate) fn quoted_character(byte: u8) -> String {
    let mut text = String::from("'");
    match byte.is_ascii() {
        true => push_escaped(&mut text, char::from(byte), '\''),
        false => push_octal(&mut text, u32::from(byte)),
    }
    text + "'"
}

fn push_escaped(text: &mut String, letter: char, quote: char) {
    match letter {
        '\\' => text.push_str("\\\\"),
        '\n' => text.push_str("\\n"),
        '\t' => text.push_str("\\t"),
        '\r' => text.push_str("\\r"),
        '\0' if quote == '\'' => text.push_str("\\0"),
        _ if letter == quote => {
            text.push('\\');
            text.push(letter);
        }
        _ if letter.is_control() => {
            for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                push_octal(text, u32::from(byte));
            }
        }
        _ => text.push(letter),
    }
}

fn push_octal(text: &mut String, value: u32) {
    text.push_str(&format!("\\{value:03o}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow(source: &str) -> String {
        match unescaped(source.as_bytes()).and_then(|text| text.narrow()) {
            Ok(bytes) => quoted(&bytes),
            Err(message) => message,
        }
    }

    #[test]
    fn escape_sequences() {
        for (source, expected) in [
            (r"%d %s\n", r#""%d %s\n""#),
            (r"\t\r\a\e", r#""\t\r\007\033""#),
            (r"\x41\101\0\e9", r#""AA\000\0339""#),
            (r"\u00e9\U0001F600", "\"é😀\""),
            (r#"\\ \' \" \?"#, r#""\\ ' \" ?""#),
            ("é", "\"é\""),
            (r"\xff", r#""\377""#),
            (r"\d", r"unknown escape sequence \d; \\ is a backslash"),
            (r"\é", r"unknown escape sequence \é; \\ is a backslash"),
            ("a\\", r"a backslash at the end; \\ is a backslash"),
            (r"\x", r"\x needs hexadecimal digits, as \x41"),
            (r"\x123456789", r"\x123456789 is too large a number"),
            (
                r"\x4142",
                r"\x4142 does not fit in a char (at most \xff); \ and three octal digits end by themselves",
            ),
            (r"\u12", r"\u needs 4 hexadecimal digits"),
            (r"\ud800", r"\ud800 is no character"),
        ] {
            assert_eq!(narrow(source), expected, "{source}");
        }
    }

    #[test]
    fn literals() {
        for (source, expected) in [
            (r#""a\"b""#, r#""a\"b""#),
            (r#" "a" "b" "#, r#""ab""#),
            (r#"u8"é""#, "\"é\""),
            (r#""a"#, r#""a has no closing quote"#),
            (r#""a\""#, r#""a\" has no closing quote"#),
            (
                r#""a" b"#,
                r#""b" follows the closing quote; \" is a quote within a string"#,
            ),
        ] {
            let found = match literal(source.as_bytes()).and_then(|(_, text)| text.narrow()) {
                Ok(bytes) => quoted(&bytes),
                Err(message) => message,
            };
            assert_eq!(found, expected, "{source}");
        }
    }

    #[test]
    fn wide_strings() {
        let elements = |source: &str, size| literal(source.as_bytes()).unwrap().1.wide(size);
        assert_eq!(elements("L\"aé😀\"", 4).unwrap(), [97, 233, 0x1f600]);
        assert_eq!(elements("u\"😀\"", 2).unwrap(), [0xd83d, 0xde00]);
        assert_eq!(elements(r#"L"a\x1234z""#, 4).unwrap(), [97, 0x1234, 122]);
        assert_eq!(
            elements(r#"u"\x12345""#, 2).unwrap_err(),
            r"\x12345 does not fit in 16 bits (at most \xffff)"
        );
        assert_eq!(
            literal(b"L\"\xff\"").unwrap().1.wide(4).unwrap_err(),
            "the text is not UTF-8, which a wide string needs"
        );
    }

    #[test]
    fn characters() {
        let found = |source: &str| match character(source.as_bytes()) {
            None => "none".to_owned(),
            Some(Err(message)) => message,
            Some(Ok(Single::Character(character))) => format!("{character:?}"),
            Some(Ok(Single::Element(value))) => format!("{value:#x}"),
            Some(Ok(Single::Wide(value))) => format!("wide {value:#x}"),
        };
        for (source, expected) in [
            ("'a'", "'a'"),
            ("'é'", "'é'"),
            ("L'é'", "'é'"),
            (r"'\n'", r"'\n'"),
            (r"'\''", r"'\''"),
            ("'\"'", "'\"'"),
            (r"'\xff'", "0xff"),
            (r"'\0'", "0x0"),
            (r"L'\xff'", "wide 0xff"),
            ("'ab'", "'ab' is not one character; a string has \"quotes\""),
            ("''", "'' is not one character; a string has \"quotes\""),
            ("'a", "'a has no closing quote"),
            ("'a' + 1", "none"),
            ("a", "none"),
        ] {
            assert_eq!(found(source), expected, "{source}");
        }
    }

    #[test]
    fn characters_print_as_constants() {
        for (byte, expected) in [
            (b'a', "'a'"),
            (b'\'', r"'\''"),
            (b'"', "'\"'"),
            (b'\\', r"'\\'"),
            (b'\n', r"'\n'"),
            (0, r"'\0'"),
            (27, r"'\033'"),
            (0x80, r"'\200'"),
        ] {
            assert_eq!(quoted_character(byte), expected);
        }
    }
}

//! The items of a list in braces or brackets: `1, .x = 2, [3].y = {4, 5}`.

use crate::text;

/// One item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item<'t> {
    /// Where it goes, if it says so.
    pub(crate) designators: Vec<Designator<'t>>,
    /// What goes there.
    pub(crate) value: &'t [u8],
}

/// A step to a part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Designator<'t> {
    /// `.x`
    Member(&'t str),
    /// `[2]`, which may be an expression.
    Element(&'t [u8]),
}

/// The length of the text up to what closes the bracket that it begins with, that included.
pub(crate) fn bracketed(source: &[u8]) -> Result<usize, String> {
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'(' | b'[' | b'{' => open.push(byte),
            b')' | b']' | b'}' => {
                let matches = match open.pop() {
                    Some(b'(') => byte == b')',
                    Some(b'[') => byte == b']',
                    Some(_) => byte == b'}',
                    None => false,
                };
                if !matches {
                    return Err(format!(
                        "'{}' closes nothing in {}",
                        char::from(byte),
                        text::shown(source)
                    ));
                }
                if open.is_empty() {
                    return Ok(at + 1);
                }
            }
            b'"' | b'\'' => {
                at = past_literal(source, at)?;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    let opened = open.first().map_or('(', |&byte| char::from(byte));
    Err(format!(
        "'{opened}' is never closed in {}",
        text::shown(source)
    ))
}

/// The place after the literal whose quote is at a place. In `1'000` the quote is none.
fn past_literal(source: &[u8], at: usize) -> Result<usize, String> {
    let quote = source[at];
    let word = source[..at]
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'\'' | b'_' | b'.'))
        .last();
    if quote == b'\'' && word.is_some_and(u8::is_ascii_digit) {
        return Ok(at + 1);
    }
    match text::closing(&source[at + 1..], quote) {
        Some(end) => Ok(at + end + 2),
        None => Err(format!(
            "{} has no closing quote",
            text::shown(&source[at..])
        )),
    }
}

/// The items between brackets. A comma may stand behind the last.
pub(crate) fn items(source: &[u8]) -> Result<Vec<Item<'_>>, String> {
    let mut list = Vec::new();
    let mut rest = source.trim_ascii();
    while !rest.is_empty() {
        let end = item_end(rest)?;
        let item = item(rest[..end].trim_ascii())?;
        if item.value.is_empty() {
            return Err(match rest[..end].trim_ascii().is_empty() {
                true => "expected a value before ','".to_owned(),
                false => format!("expected a value in {}", text::shown(&rest[..end])),
            });
        }
        list.push(item);
        rest = match rest.get(end) {
            Some(_) => rest[end + 1..].trim_ascii_start(),
            None => b"",
        };
    }
    Ok(list)
}

/// Where the comma is that ends the first item.
fn item_end(source: &[u8]) -> Result<usize, String> {
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        match byte {
            b',' => return Ok(at),
            b'(' | b'[' | b'{' => at += bracketed(&source[at..])?,
            b'"' | b'\'' => at = past_literal(source, at)?,
            _ => at += 1,
        }
    }
    Ok(at)
}

fn item(source: &[u8]) -> Result<Item<'_>, String> {
    let mut designators = Vec::new();
    let mut rest = source;
    loop {
        match rest.first() {
            // Not `.5`.
            Some(b'.') if !rest.get(1).is_some_and(u8::is_ascii_digit) => {
                let name = rest[1..].trim_ascii_start();
                let length = name
                    .iter()
                    .take_while(|&&byte| {
                        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
                    })
                    .count();
                let word = std::str::from_utf8(&name[..length]).unwrap_or_default();
                if word.is_empty() {
                    return Err(format!(
                        "expected a member's name after '.' in {}",
                        text::shown(source)
                    ));
                }
                designators.push(Designator::Member(word));
                rest = name[length..].trim_ascii_start();
            }
            Some(b'[') => {
                let length = bracketed(rest)?;
                let after = rest[length..].trim_ascii_start();
                // A list in brackets is a value, and not a place.
                if designators.is_empty() && !matches!(after.first(), Some(b'=' | b'.' | b'[')) {
                    break;
                }
                designators.push(Designator::Element(rest[1..length - 1].trim_ascii()));
                rest = after;
            }
            _ => break,
        }
    }
    if designators.is_empty() {
        return Ok(Item {
            designators,
            value: source,
        });
    }
    match rest.strip_prefix(b"=") {
        Some(value) => Ok(Item {
            designators,
            value: value.trim_ascii(),
        }),
        None => Err(format!("expected '=' in {}", text::shown(source))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        let list = match items(source.as_bytes()) {
            Ok(list) => list,
            Err(message) => return message,
        };
        let one = |item: &Item<'_>| {
            let mut text = String::new();
            for step in &item.designators {
                match step {
                    Designator::Member(name) => text.push_str(&format!(".{name}")),
                    Designator::Element(index) => {
                        text.push_str(&format!("[{}]", String::from_utf8_lossy(index)));
                    }
                }
            }
            format!("{text}<{}>", String::from_utf8_lossy(item.value))
        };
        list.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lists() {
        for (source, expected) in [
            ("", ""),
            ("1", "<1>"),
            (" 1 , 2, ", "<1> <2>"),
            (".x = 1, .y=2", ".x<1> .y<2>"),
            (".pos.x = 1, [2] = 5", ".pos.x<1> [2]<5>"),
            ("[1 + 1] . x = .5", "[1 + 1].x<.5>"),
            (
                "{1, 2}, (f(3, 4)), \"a, b\", ','",
                "<{1, 2}> <(f(3, 4))> <\"a, b\"> <','>",
            ),
            ("1'000, 2", "<1'000> <2>"),
            ("[1, 2], [3]", "<[1, 2]> <[3]>"),
            ("L'\\'', u8\"}\"", "<L'\\''> <u8\"}\">"),
            ("1,,2", "expected a value before ','"),
            (",", "expected a value before ','"),
            (".x =", "expected a value in \".x =\""),
            (".x 1", "expected '=' in \".x 1\""),
            (". = 1", "expected a member's name after '.' in \". = 1\""),
            ("{1", "'{' is never closed in \"{1\""),
            ("{1)", "')' closes nothing in \"{1)\""),
            ("\"a", "\"a has no closing quote"),
        ] {
            assert_eq!(shown(source), expected, "{source}");
        }
    }
}

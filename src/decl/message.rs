//! Messages for people: the place, what is wrong there, the line, and a caret under the place.

use super::lexer::BYTE_ORDER_MARK;
use crate::error::{Error, Status};
pub(super) use crate::nearest::nearest;
use std::fmt::Write;

/// How many characters of a long line are shown before the place, and from it on.
const SHOWN_BEFORE: usize = 60;
const SHOWN_AFTER: usize = 60;

/// So much of a word is shown.
const LONGEST_WORD: usize = 60;

/// The failure at a place in a text, given in bytes from its start.
pub(super) fn at(status: Status, source: &str, offset: usize, what: &str) -> Box<Error> {
    let marked = source.len();
    let source = source.strip_prefix(BYTE_ORDER_MARK).unwrap_or(source);
    let offset = settle(source, offset.saturating_sub(marked - source.len()));
    let line_start = source[..offset]
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    let line_end = source[offset..]
        .find('\n')
        .map_or(source.len(), |length| offset + length);
    let line_number = source[..offset]
        .bytes()
        .filter(|&byte| byte == b'\n')
        .count()
        + 1;
    let before = &source[line_start..offset];
    let after = source[offset..line_end].trim_end();
    let column = before.chars().count() + 1;

    let file = match marker(source, offset) {
        Some(marker) => format!(" ({marker})"),
        None => String::new(),
    };
    let what: String = what.chars().map(shown).collect();
    if before.is_empty() && after.is_empty() {
        // Only an empty text comes to this.
        return Box::new(Error::new(
            status,
            format!("{line_number}:{column}{file}: {what}"),
        ));
    }
    let mut message = format!("{line_number}:{column}{file}: {what}\n    ");
    let mut caret = "    ".to_owned();
    let cut = column > SHOWN_BEFORE + 1;
    if cut {
        message.push_str("...");
        caret.push_str("   ");
    }
    for c in before
        .chars()
        .skip(if cut { column - 1 - SHOWN_BEFORE } else { 0 })
    {
        message.push(shown(c));
        match c {
            '\t' => caret.push('\t'),
            _ => caret.extend(std::iter::repeat_n(' ', width(c))),
        }
    }
    message.extend(after.chars().take(SHOWN_AFTER).map(shown));
    if after.chars().nth(SHOWN_AFTER).is_some() {
        message.push_str("...");
    }
    // Writing to a string cannot fail.
    let _ = write!(message, "\n{caret}^");
    Box::new(Error::new(status, message))
}

/// The file and the line that a place in preprocessed text comes from, as `zlib.h:12`: the last
/// line marker before it (`# 12 "zlib.h"`) says so.
pub(super) fn marker(source: &str, offset: usize) -> Option<String> {
    let before = &source[..offset.min(source.len())];
    let mut lines_since = 0u32;
    let mut end = before.len();
    loop {
        let start = before[..end].rfind('\n').map_or(0, |newline| newline + 1);
        if let Some((line, file)) = read_marker(source[start..].lines().next().unwrap_or("")) {
            // The marker speaks of the line after it.
            let line = line.saturating_add(lines_since.checked_sub(1)?);
            let inner = file.starts_with('<');
            let name: String = file.chars().take(LONGEST_WORD * 4).map(shown).collect();
            return (!inner).then(|| format!("{name}:{line}"));
        }
        end = start.checked_sub(1)?;
        lines_since = lines_since.saturating_add(1);
    }
}

fn read_marker(line: &str) -> Option<(u32, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").map_or(rest, str::trim_start);
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = rest[..digits].parse().ok()?;
    let file = rest[digits..].trim_start().strip_prefix('"')?;
    Some((number, &file[..file.rfind('"')?]))
}

/// The end of a text is shown behind its last word, not on the empty lines that follow it; and a
/// place is never within a character.
fn settle(source: &str, offset: usize) -> usize {
    let mut offset = offset.min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    if source[offset..].trim_start().is_empty() {
        source.trim_end().len()
    } else {
        offset
    }
}

/// Control characters would spoil the terminal that shows the message.
fn shown(c: char) -> char {
    if c.is_control() && c != '\t' {
        '\u{fffd}'
    } else {
        c
    }
}

/// How many columns of a terminal a character takes, roughly.
fn width(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// A word of the text in a message; a long one is cut.
pub(super) fn quoted(word: &str) -> String {
    let mut text: String = word.chars().take(LONGEST_WORD).map(shown).collect();
    if word.chars().nth(LONGEST_WORD).is_some() {
        text.push_str("...");
    }
    format!("\"{text}\"")
}

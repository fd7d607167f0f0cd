//! C text to tokens, one at a time. White space, comments, line markers (`# 12 "file"`) and
//! pragmas are passed over; what `#pragma pack` says is kept for who lays out records.

use super::directive::{Directives, Macro};
use super::keyword::Keyword;
use super::pack::Pack;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The end of the text.
    End,
    /// An identifier.
    Name,
    /// A reserved word.
    Keyword(Keyword),
    /// A number as the preprocessor understands it.
    Number,
    /// A character constant with its quotes and prefix.
    Character,
    /// A string literal with its quotes and prefix.
    Text,
    /// A punctuator of one character.
    Mark(u8),
    /// `...`
    Ellipsis,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&&`
    And,
    /// `||`
    Or,
    /// No token.
    Bad(Fault),
}

/// Why there is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A character that C does not use.
    Character,
    /// A comment without an end.
    Comment,
    /// A string or character constant without its closing quote.
    Quote,
    /// A preprocessor's directive that is not understood.
    Directive,
    /// A condition without its beginning or end.
    Condition,
    /// A `#pragma pack` that is not understood.
    Pack,
}

impl Fault {
    /// The fault in words.
    pub(super) fn message(self) -> &'static str {
        match self {
            Fault::Character => "this character has no meaning in C",
            Fault::Comment => "this comment has no end",
            Fault::Quote => "this literal has no closing quote on its line",
            Fault::Directive => {
                "this preprocessor directive is not understood; give the preprocessed text \
                 (cc -E FILE.h)"
            }
            Fault::Condition => "this condition has no '#if' before it, or no '#endif' after it",
            Fault::Pack => {
                "#pragma pack: expected (), (n), (push), (push, n) or (pop), where n is 1, 2, 4, 8 \
                 or 16"
            }
        }
    }
}

/// A token: what it is, and its bytes in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Token {
    /// Before the first.
    pub(super) const NONE: Token = Token {
        kind: Kind::End,
        start: 0,
        end: 0,
    };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Newline,
    Letter,
    Digit,
    /// A mark that is no part of a longer one.
    Mark,
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        classes[byte] = match b {
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => Class::Space,
            b'\n' => Class::Newline,
            b'0'..=b'9' => Class::Digit,
            // Every character beyond ASCII may stand in an identifier.
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => Class::Letter,
            b'(' | b')' | b',' | b';' | b'*' | b'[' | b']' | b'{' | b'}' | b'?' | b'~' => {
                Class::Mark
            }
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// What identifiers and numbers consist of.
const IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(CLASSES[byte], Class::Letter | Class::Digit);
        byte += 1;
    }
    table
};

fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// Where a lexer stands, to come back to.
#[derive(Clone, Copy)]
pub(super) struct Place {
    position: usize,
    line: u32,
}

/// Reads tokens from a text of at most 4 GiB.
pub(super) struct Lexer<'s> {
    pub(super) source: &'s str,
    pub(super) bytes: &'s [u8],
    pub(super) position: usize,
    /// Where the text begins, behind what is not part of it.
    first: usize,
    /// The line, from 1, that the last token stands on.
    pub(super) line: u32,
    /// What `#pragma pack` says at the last token.
    pub(super) pack: Pack,
    /// Pragmas before this place have been obeyed: they may be read again.
    obeyed: usize,
    /// Macros and conditions, where they are understood.
    pub(super) directives: Option<Box<Directives<'s>>>,
}

/// What some editors write at the beginning of a file, to say that it is UTF-8.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str) -> Lexer<'s> {
        Lexer {
            source,
            bytes: source.as_bytes(),
            position: 0,
            first: 0,
            line: 1,
            pack: Pack::default(),
            obeyed: 0,
            directives: None,
        }
    }

    /// Goes to the body of a macro, which is all that there is until the text that is given back
    /// is put in its place again.
    pub(super) fn confine(&mut self, to: Macro<'_>) -> &'s [u8] {
        let all = self.bytes;
        self.position = to.at;
        self.bytes = &self.source.as_bytes()[..to.at + to.body.len()];
        all
    }

    /// At the beginning of a whole text: passes over its byte order mark.
    pub(super) fn skip_byte_order_mark(&mut self) {
        if self.source.starts_with(BYTE_ORDER_MARK) {
            self.first = BYTE_ORDER_MARK.len_utf8();
            self.position = self.first;
        }
    }

    pub(super) fn place(&self) -> Place {
        Place {
            position: self.position,
            line: self.line,
        }
    }

    pub(super) fn go_to(&mut self, place: Place) {
        self.position = place.position;
        self.line = place.line;
    }

    pub(super) fn peek(&self, ahead: usize) -> u8 {
        // No token holds a NUL, so that it can stand for the end.
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    /// The first character after the token that was read last, white space passed over; 0 at the end
    /// and where only a token would tell.
    #[inline]
    pub(super) fn peek_mark(&self) -> u8 {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let mark = rest.iter().find(|&&byte| byte != b' ');
        mark.copied().unwrap_or(0)
    }

    /// The next token; at the end `End`, again and again.
    #[inline]
    ///
    /// It is written in place, member by member: copying it as a whole right afterwards would wait
    /// for those writes.
    pub(super) fn next(&mut self, token: &mut Token) {
        let (start, kind) = self.scan();
        token.kind = kind;
        // Sources are limited to far less than 4 GiB.
        token.start = start as u32;
        token.end = self.position as u32;
    }

    #[inline(always)]
    fn scan(&mut self) -> (usize, Kind) {
        loop {
            let start = self.position;
            let Some(&byte) = self.bytes.get(start) else {
                return (start, Kind::End);
            };
            match class(byte) {
                Class::Space => self.position += 1,
                Class::Newline => {
                    self.position += 1;
                    self.line += 1;
                }
                Class::Letter => {
                    if let Some(kind) = self.word() {
                        return (start, kind);
                    }
                }
                Class::Mark => {
                    self.position += 1;
                    return (start, Kind::Mark(byte));
                }
                Class::Digit => {
                    self.number();
                    return (start, Kind::Number);
                }
                Class::Other => {
                    if let Some(kind) = self.other(byte) {
                        return (start, kind);
                    }
                }
            }
        }
    }

    pub(super) fn skip_word(&mut self) -> &'s [u8] {
        let rest = &self.bytes[self.position..];
        let end = rest.iter().position(|&byte| !IN_WORD[byte as usize]);
        let word = &rest[..end.unwrap_or(rest.len())];
        self.position += word.len();
        word
    }

    /// `None` for a `_Pragma("...")`, which is no token.
    fn word(&mut self) -> Option<Kind> {
        let word = self.skip_word();
        if word.len() <= 2 {
            let next = self.peek(0);
            if matches!(next, b'"' | b'\'') && matches!(word, b"L" | b"u" | b"U" | b"u8") {
                return Some(self.literal(next));
            }
        } else if word[0] == b'_' && word == b"_Pragma" {
            return self.pragma_operator();
        }
        if self.directives.is_some() && self.is_empty_macro(word) {
            return None;
        }
        Some(Keyword::of(word).map_or(Kind::Name, Kind::Keyword))
    }

    fn number(&mut self) {
        while let Some(&byte) = self.bytes.get(self.position) {
            let exponent = matches!(byte, b'e' | b'E' | b'p' | b'P');
            if exponent && matches!(self.peek(1), b'+' | b'-') {
                // In a hexadecimal integer an `e` is a digit, and the sign an operator.
                let hexadecimal = matches!(byte, b'e' | b'E') && self.is_hexadecimal();
                self.position += if hexadecimal { 1 } else { 2 };
            } else if byte == b'.' || matches!(class(byte), Class::Letter | Class::Digit) {
                self.position += 1;
            } else {
                return;
            }
        }
    }

    /// The number that is being read began with `0x`.
    fn is_hexadecimal(&self) -> bool {
        let word = self.bytes[..self.position]
            .rsplit(|&b| class(b) != Class::Letter && class(b) != Class::Digit);
        word.into_iter()
            .next()
            .is_some_and(|word| word.len() > 1 && word[0] == b'0' && matches!(word[1], b'x' | b'X'))
    }

    /// Everything that begins with neither a letter nor a digit; `None` if it was no token.
    fn other(&mut self, byte: u8) -> Option<Kind> {
        let next = self.peek(1);
        let (length, kind) = match (byte, next) {
            (b'/', b'/') => {
                self.skip_line();
                return None;
            }
            (b'/', b'*') => return self.comment(),
            (b'"' | b'\'', _) => return Some(self.literal(byte)),
            (b'#', _) | (b'%', b':') => return self.directive(),
            (b'\\', b'\n') => {
                self.position += 1;
                return None;
            }
            (b'\\', b'\r') if self.peek(2) == b'\n' => {
                self.position += 2;
                return None;
            }
            (b'.', b'0'..=b'9') => {
                self.number();
                return Some(Kind::Number);
            }
            (b'.', b'.') if self.peek(2) == b'.' => (3, Kind::Ellipsis),
            (b'<', b'<') => (2, Kind::ShiftLeft),
            (b'>', b'>') => (2, Kind::ShiftRight),
            (b'<', b'=') => (2, Kind::AtMost),
            (b'>', b'=') => (2, Kind::AtLeast),
            (b'=', b'=') => (2, Kind::Equal),
            (b'!', b'=') => (2, Kind::NotEqual),
            (b'&', b'&') => (2, Kind::And),
            (b'|', b'|') => (2, Kind::Or),
            // Digraphs (C11, 6.4.6p3).
            (b'<', b':') => (2, Kind::Mark(b'[')),
            (b':', b'>') => (2, Kind::Mark(b']')),
            (b'<', b'%') => (2, Kind::Mark(b'{')),
            (b'%', b'>') => (2, Kind::Mark(b'}')),
            (b'@' | b'`' | b'\\' | 0..=0x1f | 0x7f, _) => (1, Kind::Bad(Fault::Character)),
            _ => (1, Kind::Mark(byte)),
        };
        self.position += length;
        Some(kind)
    }

    /// To the end of the line, past spliced ones.
    pub(super) fn skip_line(&mut self) {
        while let Some(&byte) = self.bytes.get(self.position) {
            match byte {
                b'\n' => return,
                b'\\' if self.peek(1) == b'\n' => {
                    self.line += 1;
                    self.position += 2;
                }
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => {
                    self.line += 1;
                    self.position += 3;
                }
                _ => self.position += 1,
            }
        }
    }

    fn comment(&mut self) -> Option<Kind> {
        let (start, line) = (self.position, self.line);
        self.position += 2;
        while let Some(&byte) = self.bytes.get(self.position) {
            match byte {
                b'*' if self.peek(1) == b'/' => {
                    self.position += 2;
                    return None;
                }
                b'\n' => self.line += 1,
                _ => {}
            }
            self.position += 1;
        }
        // The message shows where it begins.
        (self.position, self.line) = (start + 2, line);
        Some(Kind::Bad(Fault::Comment))
    }

    /// From an opening quote to the closing one.
    fn literal(&mut self, quote: u8) -> Kind {
        self.position += 1;
        while let Some(&byte) = self.bytes.get(self.position) {
            self.position += 1;
            match byte {
                b'\\' if self.position < self.bytes.len() => {
                    self.line += u32::from(self.peek(0) == b'\n');
                    self.position += 1;
                }
                b'\n' => {
                    self.position -= 1;
                    break;
                }
                _ if byte == quote => {
                    return if quote == b'"' {
                        Kind::Text
                    } else {
                        Kind::Character
                    };
                }
                _ => {}
            }
        }
        Kind::Bad(Fault::Quote)
    }

    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(0), b' ' | b'\t') {
            self.position += 1;
        }
    }

    fn directive(&mut self) -> Option<Kind> {
        let before = &self.bytes[self.first..self.position];
        let first = before
            .iter()
            .rev()
            .find(|&&byte| class(byte) != Class::Space);
        let (start, line) = (self.position, self.line);
        self.position += 1;
        if first.is_some_and(|&byte| byte != b'\n') {
            return Some(Kind::Bad(Fault::Character));
        }
        self.position += usize::from(self.bytes[start] == b'%');
        self.skip_blanks();
        let known = match self.skip_word() {
            b"pragma" => {
                let text = self.position;
                self.skip_line();
                self.pragma(start, text, self.position)
            }
            word if word.is_empty() || word[0].is_ascii_digit() => Ok(()),
            b"line" | b"ident" | b"sccs" => Ok(()),
            word => self.other_directive(start, word),
        };
        match known {
            Ok(()) => {
                self.skip_line();
                None
            }
            Err(fault) => {
                (self.position, self.line) = (start + 1, line);
                Some(Kind::Bad(fault))
            }
        }
    }

    /// A pragma's text; `at` is where the pragma begins.
    fn pragma(&mut self, at: usize, start: usize, end: usize) -> Result<(), Fault> {
        if at < self.obeyed {
            return Ok(());
        }
        self.obeyed = at + 1;
        match std::str::from_utf8(&self.bytes[start..end]) {
            Ok(text) if !self.pack.obey(text) => Err(Fault::Pack),
            _ => Ok(()),
        }
    }

    /// `("...")` behind `_Pragma`.
    fn pragma_operator(&mut self) -> Option<Kind> {
        let start = self.position;
        match self.pragma_in_parentheses() {
            Ok(()) => None,
            Err(fault) => {
                self.position = start;
                Some(Kind::Bad(fault))
            }
        }
    }

    fn pragma_in_parentheses(&mut self) -> Result<(), Fault> {
        let at = self.position;
        self.skip_blanks();
        self.require(b'(')?;
        self.skip_blanks();
        let text = self.position + 1;
        if self.peek(0) != b'"' || self.literal(b'"') != Kind::Text {
            return Err(Fault::Directive);
        }
        self.pragma(at, text, self.position - 1)?;
        self.skip_blanks();
        self.require(b')')
    }

    fn require(&mut self, byte: u8) -> Result<(), Fault> {
        if self.peek(0) != byte {
            return Err(Fault::Directive);
        }
        self.position += 1;
        Ok(())
    }
}

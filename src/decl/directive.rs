//! Preprocessor directives in text that the preprocessor has not been over: as many as small
//! headers written by hand have. Whatever would need the preprocessor itself is refused.

use super::lexer::{Fault, Lexer};
use super::names::Value;
use hashbrown::{HashMap, HashSet};

/// Headers whose types are known from the start.
const KNOWN_HEADERS: [&str; 4] = ["<stddef.h>", "<stdint.h>", "<stdbool.h>", "<stdarg.h>"];

/// What a macro stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Macro<'s> {
    /// Empty if it stands for nothing.
    pub(super) body: &'s str,
    /// It has parameters.
    pub(super) takes_arguments: bool,
    /// Where its body begins in the text.
    pub(super) at: usize,
    /// What it has been found to be.
    pub(super) value: Option<Value>,
}

/// What the directives of a text have said so far.
#[derive(Default)]
pub(super) struct Directives<'s> {
    pub(super) macros: HashMap<&'s str, Macro<'s>>,
    /// Those that have been defined and not looked at since, in order.
    pub(super) fresh: Vec<&'s str>,
    /// Those of them that were no constants then, and may be at the end of the text.
    pub(super) unsettled: Vec<&'s str>,
    /// Those that are constants of this text, and those that have been undefined or defined again since.
    pub(super) declared: HashSet<&'s str>,
    pub(super) changed: Vec<&'s str>,
    /// Some macro stands for nothing.
    any_empty: bool,
    /// Where the conditions begin whose ends are still to come.
    open: Vec<usize>,
    /// Where each directive ends, and on which line: it may be read again.
    ends: HashMap<usize, (usize, u32)>,
}

impl<'s> Lexer<'s> {
    /// From now on macros and conditions are understood, as far as they are.
    pub(super) fn understand_directives(&mut self) {
        self.directives = Some(Box::default());
    }

    /// The macro of this name.
    pub(super) fn find_macro(&self, name: &str) -> Option<Macro<'s>> {
        self.directives.as_ref()?.macros.get(name).copied()
    }

    /// The word is a macro that stands for nothing.
    #[inline]
    pub(super) fn is_empty_macro(&self, word: &[u8]) -> bool {
        match &self.directives {
            Some(directives) if directives.any_empty => std::str::from_utf8(word)
                .ok()
                .and_then(|word| directives.macros.get(word))
                .is_some_and(|of| of.body.is_empty() && !of.takes_arguments),
            _ => false,
        }
    }

    /// Where the innermost condition begins that has not ended.
    pub(super) fn open_condition(&self) -> Option<usize> {
        self.directives.as_ref()?.open.last().copied()
    }

    /// A directive that is no pragma and no line marker; `start` is its `#`, and its name has been
    /// read. The rest of its line is left.
    pub(super) fn other_directive(&mut self, start: usize, name: &[u8]) -> Result<(), Fault> {
        let Some(directives) = &self.directives else {
            return Err(Fault::Directive);
        };
        if let Some(&(end, line)) = directives.ends.get(&start) {
            (self.position, self.line) = (end, line);
            return Ok(());
        }
        let from = self.position;
        self.skip_line();
        let rest = self.source[from..self.position].trim();
        match name {
            b"define" => self.define(from),
            b"undef" => {
                if let Some(directives) = &mut self.directives {
                    directives.macros.remove(word_of(rest));
                    directives.changed.push(word_of(rest));
                }
                Ok(())
            }
            b"include" if KNOWN_HEADERS.iter().any(|header| rest.starts_with(header)) => Ok(()),
            b"ifndef" => self.if_not_defined(start, word_of(rest)),
            b"ifdef" if word_of(rest) == "__cplusplus" => self.skip_group(start, true),
            b"if" if is_defined_cplusplus(rest) => self.skip_group(start, true),
            b"else" => match self.close() {
                Some(start) => self.skip_group(start, false),
                None => Err(Fault::Condition),
            },
            b"endif" => match self.close() {
                Some(_) => Ok(()),
                None => Err(Fault::Condition),
            },
            _ => Err(Fault::Directive),
        }?;
        if let Some(directives) = &mut self.directives {
            directives.ends.insert(start, (self.position, self.line));
        }
        Ok(())
    }

    fn define(&mut self, from: usize) -> Result<(), Fault> {
        let line = &self.source[from..self.position];
        let rest = line.trim_start();
        let name = word_of(rest);
        if name.is_empty() || name.as_bytes()[0].is_ascii_digit() {
            return Err(Fault::Directive);
        }
        let after = &rest[name.len()..];
        let body = without_comments(after);
        let new = Macro {
            body,
            takes_arguments: after.starts_with('('),
            at: self.position - after.trim_start().len(),
            value: None,
        };
        if let Some(directives) = &mut self.directives {
            directives.any_empty |= body.is_empty();
            if directives.macros.insert(name, new).is_some() {
                directives.changed.push(name);
            }
            directives.fresh.push(name);
        }
        Ok(())
    }

    /// `#ifndef NAME`, its line passed over: the guard of a header, or what is not for C++.
    fn if_not_defined(&mut self, start: usize, name: &str) -> Result<(), Fault> {
        if self.find_macro(name).is_some() {
            return self.skip_group(start, true);
        }
        let next = self.source[self.position..].trim_start();
        let guards = next.strip_prefix('#').is_some_and(|next| {
            let next = next.trim_start().strip_prefix("define");
            next.is_some_and(|next| word_of(next.trim_start()) == name)
        });
        if !guards && name != "__cplusplus" {
            return Err(Fault::Directive);
        }
        self.open(start);
        Ok(())
    }

    fn open(&mut self, start: usize) {
        if let Some(directives) = &mut self.directives {
            directives.open.push(start);
        }
    }

    fn close(&mut self) -> Option<usize> {
        self.directives.as_mut()?.open.pop()
    }

    /// Passes over what a condition excludes: to its `#endif`, or where it has one and `to_else`
    /// allows, to its `#else`.
    fn skip_group(&mut self, start: usize, to_else: bool) -> Result<(), Fault> {
        let mut depth = 0usize;
        while let Some(&byte) = self.bytes.get(self.position) {
            self.line += u32::from(byte == b'\n');
            self.position += 1;
            while matches!(self.peek(0), b' ' | b'\t') {
                self.position += 1;
            }
            if self.peek(0) != b'#' {
                self.skip_line();
                continue;
            }
            self.position += 1;
            self.skip_blanks();
            let name = self.skip_word();
            self.skip_line();
            match name {
                b"if" | b"ifdef" | b"ifndef" => depth += 1,
                b"else" if depth == 0 && to_else => {
                    self.open(start);
                    return Ok(());
                }
                b"elif" | b"elifdef" | b"elifndef" if depth == 0 && to_else => {
                    return Err(Fault::Directive);
                }
                b"endif" if depth == 0 => return Ok(()),
                b"endif" => depth -= 1,
                _ => {}
            }
        }
        Err(Fault::Condition)
    }
}

/// The identifier at the beginning of a text.
fn word_of(text: &str) -> &str {
    let end = text.find(|c: char| !(c == '_' || c == '$' || c.is_alphanumeric()));
    &text[..end.unwrap_or(text.len())]
}

fn is_defined_cplusplus(condition: &str) -> bool {
    let name = condition.strip_prefix("defined").map(str::trim_start);
    let name = name.map(|name| name.strip_prefix('(').map_or(name, str::trim_start));
    name.is_some_and(|name| {
        let rest = name.strip_prefix("__cplusplus").map(str::trim);
        matches!(rest, Some("" | ")"))
    })
}

/// A macro's body is what is left of it without comments and white space around it.
fn without_comments(body: &str) -> &str {
    let body = body.trim();
    if body.starts_with("//") || body.starts_with("/*") && body.find("*/") == Some(body.len() - 2) {
        return "";
    }
    body
}

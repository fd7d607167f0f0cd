//! `#pragma pack`: the alignment that it allows members, and the stack that it keeps.

/// Deeper stacks than this are refused.
const MAX_STACK: usize = 1024;

/// What the pragmas so far amount to.
#[derive(Debug, Default)]
pub(super) struct Pack {
    /// The alignment in bytes that is allowed now; 0: any.
    pub(super) now: u32,
    /// What `push` has put aside, with the names given to it.
    stack: Vec<(Option<Box<str>>, u32)>,
}

impl Pack {
    /// Does what a pragma's text asks for, if it is about packing; false if that makes no sense.
    pub(super) fn obey(&mut self, text: &str) -> bool {
        let Some(rest) = text.trim().strip_prefix("pack") else {
            return true;
        };
        let rest = rest.trim_start();
        let inner = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        match inner {
            Some((inner, _)) => self.arguments(inner),
            // Another pragma, such as `packed`.
            None => !rest.is_empty() && !rest.starts_with('('),
        }
    }

    fn arguments(&mut self, inner: &str) -> bool {
        let mut parts = inner.split(',').map(str::trim);
        // Splitting gives at least one part.
        let first = parts.next().unwrap_or_default();
        match first {
            "" => {
                self.now = 0;
                parts.next().is_none()
            }
            "push" => {
                let mut name = None;
                let mut pack = self.now;
                for part in parts {
                    match number(part) {
                        Some(value) => pack = value,
                        None if name.is_none() && is_name(part) => name = Some(part.into()),
                        None => return false,
                    }
                }
                if self.stack.len() == MAX_STACK {
                    return false;
                }
                self.stack.push((name, self.now));
                self.now = pack;
                true
            }
            "pop" => {
                let name = parts.next();
                let index = match name {
                    Some(name) => self
                        .stack
                        .iter()
                        .rposition(|(of, _)| of.as_deref() == Some(name)),
                    None => self.stack.len().checked_sub(1),
                };
                // As in gcc, a pop without its push changes nothing.
                if let Some(index) = index {
                    self.now = self.stack[index].1;
                    self.stack.truncate(index);
                }
                parts.next().is_none()
            }
            _ => match number(first) {
                Some(value) => {
                    self.now = value;
                    parts.next().is_none()
                }
                None => false,
            },
        }
    }
}

fn number(text: &str) -> Option<u32> {
    match text {
        "0" => Some(0),
        "1" => Some(1),
        "2" => Some(2),
        "4" => Some(4),
        "8" => Some(8),
        "16" => Some(16),
        _ => None,
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.as_bytes()[0].is_ascii_digit()
}

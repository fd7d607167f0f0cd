//! Constants that headers name by macros: `O_RDONLY`, `CLOCK_MONOTONIC`. The preprocessor tells of
//! them with -dD; only those without parameters are kept.

use std::collections::HashMap;

/// An expression grows no longer than this by what its macros stand for, in bytes.
const MOST: usize = 1 << 16;
/// Macros stand for others at most so often one after the other.
const MAX_DEPTH: u32 = 64;

/// Macros without parameters, by name.
#[derive(Debug, Default)]
pub(crate) struct Macros(HashMap<String, String>);

impl Macros {
    /// Takes the definitions out of a preprocessed text, in whose place empty lines stay.
    pub(crate) fn take(&mut self, text: &str) -> String {
        let mut rest = String::with_capacity(text.len());
        for line in text.lines() {
            let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
            match directive {
                Some(definition) if definition.starts_with("define ") => {
                    self.define(&definition["define ".len()..]);
                }
                Some(definition) if definition.starts_with("undef ") => {
                    self.0.remove(definition["undef ".len()..].trim());
                }
                _ => rest.push_str(line),
            }
            rest.push('\n');
        }
        rest
    }

    fn define(&mut self, definition: &str) {
        let definition = definition.trim();
        let end = definition.find(|letter| !is_in_name(letter));
        let (name, body) = definition.split_at(end.unwrap_or(definition.len()));
        // A parenthesis right behind the name begins parameters.
        if !body.starts_with('(') && !body.trim().is_empty() {
            self.0.insert(name.to_owned(), body.trim().to_owned());
        }
    }

    /// It is the name of one.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// All names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.keys().map(String::as_str)
    }

    /// An expression with what its macros stand for; `None` if it has none.
    pub(crate) fn expanded(&self, expression: &str) -> Option<String> {
        let mut text = expression.to_owned();
        for depth in 0..MAX_DEPTH {
            match self.expanded_once(&text) {
                Some(longer) if longer.len() <= MOST => text = longer,
                Some(_) => return None,
                None => return (depth > 0).then_some(text),
            }
        }
        None
    }

    fn expanded_once(&self, text: &str) -> Option<String> {
        let mut result = String::new();
        let mut has_any = false;
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest
                .find(|letter| !is_in_name(letter))
                .unwrap_or(rest.len());
            if end == 0 {
                let length = rest.chars().next().map_or(1, char::len_utf8);
                result.push_str(&rest[..length]);
                rest = &rest[length..];
                continue;
            }
            match self.0.get(&rest[..end]) {
                // One that stands for itself is for the compiler to understand.
                Some(body) if body != &rest[..end] => {
                    has_any = true;
                    result.push_str(&format!("({body})"));
                }
                _ => result.push_str(&rest[..end]),
            }
            rest = &rest[end..];
        }
        has_any.then_some(result)
    }
}

fn is_in_name(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_taken_out_and_expanded() {
        let mut macros = Macros::default();
        let rest = macros.take(
            "int a;\n#define ONE 1\n# define TWO (ONE + ONE)\n#define F(x) x\n#define EMPTY\n#define \
             ME ME\n#define LOOP POOL\n#define POOL LOOP\n#define GONE 1\n#undef GONE\n# 1 \
             \"file\"\nint b;\n",
        );
        assert_eq!(rest, "int a;\n\n\n\n\n\n\n\n\n\n# 1 \"file\"\nint b;\n");
        assert!(macros.has("ONE") && !macros.has("GONE") && !macros.has("F"));
        for (expression, expected) in [
            ("ONE", Some("(1)")),
            ("TWO | 4", Some("(((1) + (1))) | 4")),
            ("F(1)", None),
            ("EMPTY", None),
            ("ME", None),
            ("LOOP", None),
            ("GONE", None),
            ("other + 1", None),
            ("xONE", None),
        ] {
            assert_eq!(
                macros.expanded(expression).as_deref(),
                expected,
                "{expression}"
            );
        }
    }
}

//! Constant expressions among the words of the command line: `O_CREAT | O_RDWR`, `1 << 4`.

use crate::declarations::Context;
use crate::number;
use crate::text;
use farcall::types::Scalar;

/// The value of an expression, and its type in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constant {
    pub(crate) value: i128,
    pub(crate) scalar: Scalar,
}

/// A part of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Name(&'t str),
    Number(&'t str),
    Character(&'t str),
    Operator(&'t str),
}

const LONG_OPERATORS: [&str; 8] = ["<<", ">>", "&&", "||", "==", "!=", "<=", ">="];
const OPERATORS: &str = "+-*/%&|^~!<>?:()";

/// A text is a name in C.
pub(crate) fn is_name(word: &str) -> bool {
    !word.starts_with(|first: char| first.is_ascii_digit())
        && !word.is_empty()
        && word.chars().all(is_in_name)
}

fn is_in_name(letter: char) -> bool {
    letter == '_' || letter.is_ascii_alphanumeric()
}

/// The parts of a text; `None` if it has some that no expression has.
fn tokens(word: &str) -> Option<Vec<Token<'_>>> {
    let word = word.trim();
    // A format, as in `RED %d`, is text.
    if word.contains(" %") && !word.contains(" % ") {
        return None;
    }
    let mut tokens = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let (token, length) = if first.is_ascii_digit() {
            let is_part = |letter: char| is_in_name(letter) || matches!(letter, '.' | '\'');
            let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
            (Token::Number(&rest[..length]), length)
        } else if is_in_name(first) {
            let length = rest.find(|letter| !is_in_name(letter));
            let length = length.unwrap_or(rest.len());
            (Token::Name(&rest[..length]), length)
        } else if first == '\'' {
            let length = text::closing(&rest.as_bytes()[1..], b'\'')? + 2;
            (Token::Character(&rest[..length]), length)
        } else {
            let long = LONG_OPERATORS.iter().find(|long| rest.starts_with(**long));
            let length = long.map_or(1, |long| long.len());
            if !OPERATORS.contains(first) && long.is_none() {
                return None;
            }
            (Token::Operator(&rest[..length]), length)
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

/// Operands with operators between them, in parentheses that match.
fn is_well_formed(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0usize;
    let mut conditions = 0usize;
    let mut is_behind_operand = false;
    for token in tokens {
        match (token, is_behind_operand) {
            (Token::Operator(")"), true) if depth > 0 => depth -= 1,
            (Token::Operator("("), false) => depth += 1,
            (Token::Operator("+" | "-" | "~" | "!"), false) => {}
            (Token::Operator(")" | "(" | "~" | "!"), true) | (Token::Operator(_), false) => {
                return false;
            }
            // In 12:30 the colon parts nothing.
            (Token::Operator(":"), true) if conditions == 0 => return false,
            (Token::Operator(operator), true) => {
                match *operator {
                    "?" => conditions += 1,
                    ":" => conditions -= 1,
                    _ => {}
                }
                is_behind_operand = false;
            }
            (_, true) => return false,
            (_, false) => is_behind_operand = true,
        }
    }
    is_behind_operand && depth == 0
}

/// A text has an operator, or a parenthesis, among parts of expressions.
pub(crate) fn has_operators(word: &str) -> bool {
    measures(word)
        || tokens(word).is_some_and(|tokens| {
            let is_operator = |token: &Token<'_>| matches!(token, Token::Operator(_));
            tokens.iter().any(is_operator)
        })
}

/// `sizeof(struct point)`
fn measures(word: &str) -> bool {
    ["sizeof", "_Alignof", "alignof", "offsetof"]
        .iter()
        .any(|operator| {
            word.match_indices(operator).any(|(at, _)| {
                let rest = word[at + operator.len()..].trim_start();
                rest.starts_with('(') && !word[..at].ends_with(is_in_name)
            })
        })
}

/// `unknown constant "S_NOPE"`: a failure's first line, without its place.
pub(crate) fn what(message: &str) -> &str {
    let line = message.lines().next().unwrap_or_default();
    match line.split_once(": ") {
        Some((place, what)) if place.starts_with(|first: char| first.is_ascii_digit()) => what,
        _ => line,
    }
}

impl Context {
    /// What an expression whose type nothing else says is in C. `None`, if it reads as text.
    pub(crate) fn untyped(&self, word: &str) -> Option<Result<Constant, String>> {
        let tokens = tokens(word);
        let tokens = tokens.as_deref();
        let is_known = |token: &Token<'_>| match token {
            Token::Name(name) => self.is_constant(name),
            _ => false,
        };
        let is_number = |token: &Token<'_>| match token {
            Token::Name(_) => false,
            Token::Number(number) => {
                matches!(number::number(number), Some(Ok(_)))
                    || number.bytes().all(|byte| byte.is_ascii_digit())
            }
            Token::Character(_) | Token::Operator(_) => true,
        };
        let has_known = measures(word) || tokens.is_some_and(|all| all.iter().any(is_known));
        let has_numbers_only = tokens.is_some_and(|all| all.iter().all(is_number));
        if !has_known && !has_numbers_only {
            return None;
        }
        let has_form = measures(word) || tokens.is_some_and(is_well_formed);
        match self.constant_expression(word) {
            Ok(constant) => Some(Ok(constant)),
            Err(_) if !has_form => None,
            Err(what) => Some(Err(format!(
                "{}: {what}; in quotes of its own it is text",
                text::shown(word.as_bytes())
            ))),
        }
    }

    /// The value of an expression, and its type.
    pub(crate) fn constant_expression(&self, word: &str) -> Result<Constant, String> {
        let value = self.evaluate(word)?;
        // The type is that of a sum with 0, and the sign is what becomes of -1 in it.
        let size = self.evaluate(&format!("sizeof(0 + ({word}))"));
        let scalar = match (size, self.is_signed(word)) {
            (Ok(16), true) => Scalar::Int128,
            (Ok(16), false) => Scalar::UnsignedInt128,
            (Ok(8), true) => Scalar::Long,
            (Ok(8), false) => Scalar::UnsignedLong,
            (_, true) => Scalar::Int,
            (_, false) => Scalar::UnsignedInt,
        };
        if let Some(exact) = self.widened(word).filter(|&exact| exact != value) {
            let (name, mend) = match scalar {
                Scalar::Int => ("int", "; L behind a number makes it long"),
                _ => ("long", ""),
            };
            return Err(format!("it is {exact}, which overflows {name}{mend}"));
        }
        Ok(Constant { value, scalar })
    }

    fn is_signed(&self, word: &str) -> bool {
        self.evaluate(&format!("(1 ? -1 : ({word})) < 0")) == Ok(1)
    }

    /// What an expression would be if no `int` were too narrow for it. `None` for one whose operands
    /// are not all signed, or which has other operators than those of arithmetic: `1 << 31` is often
    /// meant to wrap.
    fn widened(&self, word: &str) -> Option<i128> {
        let mut wide = String::new();
        for token in tokens(word)? {
            let (Token::Name(operand) | Token::Number(operand)) = token else {
                let (Token::Character(spelled) | Token::Operator(spelled)) = token else {
                    return None;
                };
                if spelled.contains(['<', '>', '=', '!', '?', ':']) || spelled.len() == 2 {
                    return None;
                }
                wide.push_str(spelled);
                continue;
            };
            if self.evaluate(operand).is_err() || !self.is_signed(operand) {
                return None;
            }
            wide.push_str(&format!("((__int128)({operand}))"));
        }
        self.evaluate(&wide).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(word: &str) -> String {
        let mut context = Context::empty(farcall::code::target());
        context.add_prototype("enum e { RED, GREEN = 5 }; struct point { double x, y; }");
        match context.untyped(word) {
            None => "text".to_owned(),
            Some(Ok(constant)) => format!("{} {:?}", constant.value, constant.scalar),
            Some(Err(message)) => message,
        }
    }

    #[test]
    fn what_is_an_expression() {
        for (word, expected) in [
            ("GREEN", "5 Int"),
            ("GREEN|2", "7 Int"),
            ("1 | 2", "3 Int"),
            ("(4)", "4 Int"),
            ("~0u", "4294967295 UnsignedInt"),
            ("1L << 40", "1099511627776 Long"),
            ("'a' + 1", "98 Int"),
            ("sizeof(struct point)", "16 UnsignedLong"),
            ("GREEN > 4 ? 1 : 2", "1 Int"),
            ("1 << 31", "-2147483648 Int"),
            ("PINK", "text"),
            ("PINK | WHITE", "text"),
            ("see RED", "text"),
            ("RED %d", "text"),
            ("100%", "text"),
            ("1.2.3", "text"),
            ("12:30", "text"),
            ("1 ? 2 : 3", "2 Int"),
            ("10 + x", "text"),
            ("--help", "text"),
            ("", "text"),
            (
                "RED|PINK",
                "\"RED|PINK\": unknown constant \"PINK\"; in quotes of its own it is text",
            ),
            (
                "1/0",
                "\"1/0\": a division by zero; in quotes of its own it is text",
            ),
            (
                "2026-08-09",
                "\"2026-08-09\": the octal number 08 has a digit beyond 7; in quotes of its own it is \
                 text",
            ),
            (
                "sizeof(struct nope)",
                "\"sizeof(struct nope)\": unknown type \"struct nope\"; in quotes of its own it is text",
            ),
            (
                "2000000000 * 2",
                "\"2000000000 * 2\": it is 4000000000, which overflows int; L behind a number makes it \
                 long; in quotes of its own it is text",
            ),
        ] {
            assert_eq!(shown(word), expected, "{word}");
        }
    }
}

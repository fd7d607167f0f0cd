//! What a text says that its types do not keep: how parameters are named, and which constants
//! belong to which enumeration. It is for messages and for printing, and makes no more of the text
//! than its tokens tell: what it does not understand it leaves out.

use super::keyword::Keyword;
use super::lexer::{Kind, Lexer, Token};

/// An enumeration's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// Its tag.
    pub tag: Option<String>,
    /// The name that a typedef gives it: `color` in `typedef enum { RED } color;`.
    pub alias: Option<String>,
    /// Its constants, in order.
    pub constants: Vec<String>,
}

/// The names of the parameters of a function that a text declares, `None` for those without one.
/// Nothing, if the text does not declare it with a parameter list.
pub fn parameter_names(source: &str, function: &str) -> Vec<Option<String>> {
    let tokens = Tokens::of(source);
    let mut braces = 0usize;
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.list.len() {
        match tokens.kind(at) {
            Kind::Keyword(Keyword::Attribute | Keyword::Declspec | Keyword::Asm) => {
                at = tokens.past_parentheses(at + 1);
                continue;
            }
            Kind::Mark(b'{') => braces += 1,
            Kind::Mark(b'}') => braces = braces.saturating_sub(1),
            Kind::Name if braces == 0 => {
                let mut list = at + 1;
                while tokens.kind(list) == Kind::Mark(b')') {
                    list += 1;
                }
                if tokens.kind(list) == Kind::Mark(b'(') {
                    if tokens.text(at) == function {
                        let names = tokens.parameters(list + 1);
                        if names.iter().any(Option::is_some) {
                            return names;
                        }
                        found = names;
                    }
                    // Parameters of other functions may have its name.
                    at = tokens.past_parentheses(list);
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The enumerations that a text defines.
pub fn enumerations(source: &str) -> Vec<Enumeration> {
    let tokens = Tokens::of(source);
    let mut all = Vec::new();
    for at in 0..tokens.list.len() {
        if tokens.kind(at) == Kind::Keyword(Keyword::Enum) {
            all.extend(tokens.enumeration(at));
        }
    }
    all
}

struct Tokens<'s> {
    source: &'s str,
    list: Vec<Token>,
}

impl<'s> Tokens<'s> {
    fn of(source: &'s str) -> Tokens<'s> {
        let mut list = Vec::new();
        // Longer texts than the parser takes have declared nothing.
        if super::parser::check_size(source).is_ok() {
            let mut lexer = Lexer::new(source);
            let mut token = Token::NONE;
            lexer.next(&mut token);
            while token.kind != Kind::End {
                list.push(token);
                lexer.next(&mut token);
            }
        }
        Tokens { source, list }
    }

    fn kind(&self, at: usize) -> Kind {
        self.list.get(at).map_or(Kind::End, |token| token.kind)
    }

    fn text(&self, at: usize) -> &'s str {
        self.list.get(at).map_or("", |token| {
            &self.source[token.start as usize..token.end as usize]
        })
    }

    /// The place after the brackets that open at a place; that place, if none do.
    fn past_parentheses(&self, at: usize) -> usize {
        let mut open = 0usize;
        let mut here = at;
        loop {
            match self.kind(here) {
                Kind::Mark(b'(' | b'[' | b'{') => open += 1,
                Kind::Mark(b')' | b']' | b'}') => open = open.saturating_sub(1),
                Kind::End => return here,
                _ => {}
            }
            if open == 0 {
                return if here == at { at } else { here + 1 };
            }
            here += 1;
        }
    }

    fn parameters(&self, start: usize) -> Vec<Option<String>> {
        let mut names = Vec::new();
        let mut at = start;
        loop {
            match self.kind(at) {
                Kind::Mark(b')') | Kind::End if at == start => return names,
                Kind::Ellipsis => return names,
                _ => {}
            }
            names.push(self.parameter(at));
            loop {
                match self.kind(at) {
                    Kind::Mark(b',') => break,
                    Kind::Mark(b')') | Kind::End => return names,
                    Kind::Mark(b'(' | b'[' | b'{') => at = self.past_parentheses(at),
                    _ => at += 1,
                }
            }
            at += 1;
        }
    }

    /// The name in the parameter that begins at a place: the first one that is not its type's.
    fn parameter(&self, start: usize) -> Option<String> {
        let mut at = start;
        let mut has_type = false;
        loop {
            match self.kind(at) {
                Kind::Keyword(Keyword::Struct | Keyword::Union | Keyword::Enum) => {
                    has_type = true;
                    at += 1;
                    while let Kind::Keyword(_) = self.kind(at) {
                        at = self.past_parentheses(at + 1);
                    }
                    if self.kind(at) == Kind::Name {
                        at += 1;
                    }
                    if self.kind(at) == Kind::Mark(b'{') {
                        at = self.past_parentheses(at);
                    }
                }
                Kind::Keyword(Keyword::Typeof | Keyword::Atomic) => {
                    has_type |= self.kind(at + 1) == Kind::Mark(b'(');
                    at = self.past_parentheses(at + 1);
                }
                Kind::Keyword(
                    Keyword::Attribute | Keyword::Declspec | Keyword::Alignas | Keyword::Asm,
                ) => at = self.past_parentheses(at + 1),
                Kind::Keyword(
                    Keyword::Const
                    | Keyword::Volatile
                    | Keyword::Restrict
                    | Keyword::Storage
                    | Keyword::Ignored,
                ) => at += 1,
                Kind::Keyword(_) => {
                    has_type = true;
                    at += 1;
                }
                Kind::Name if has_type => return Some(self.text(at).to_owned()),
                Kind::Name => {
                    has_type = true;
                    at += 1;
                }
                // `(*compare)(...)`: the name is within.
                Kind::Mark(b'*' | b'(') => at += 1,
                _ => return None,
            }
        }
    }

    fn enumeration(&self, start: usize) -> Option<Enumeration> {
        let mut at = start + 1;
        while let Kind::Keyword(_) = self.kind(at) {
            at = self.past_parentheses(at + 1);
        }
        let tag = (self.kind(at) == Kind::Name).then(|| self.text(at).to_owned());
        at += usize::from(tag.is_some());
        if self.kind(at) == Kind::Mark(b':') {
            while matches!(
                self.kind(at),
                Kind::Mark(b':') | Kind::Keyword(_) | Kind::Name
            ) {
                at += 1;
            }
        }
        if self.kind(at) != Kind::Mark(b'{') {
            return None;
        }
        let end = self.past_parentheses(at);
        let mut constants = Vec::new();
        at += 1;
        while at < end && self.kind(at) == Kind::Name {
            constants.push(self.text(at).to_owned());
            while at < end && !matches!(self.kind(at), Kind::Mark(b',')) {
                let past = self.past_parentheses(at);
                at = if past == at { at + 1 } else { past };
            }
            at += 1;
        }
        let mut after = end;
        while let Kind::Keyword(_) = self.kind(after) {
            after = self.past_parentheses(after + 1);
        }
        let is_typedef = start > 0 && self.kind(start - 1) == Kind::Keyword(Keyword::Typedef);
        let alias =
            (is_typedef && self.kind(after) == Kind::Name).then(|| self.text(after).to_owned());
        Some(Enumeration {
            tag,
            alias,
            constants,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str, function: &str) -> Vec<String> {
        parameter_names(source, function)
            .into_iter()
            .map(|name| name.unwrap_or_else(|| "-".to_owned()))
            .collect()
    }

    #[test]
    fn names_of_parameters() {
        for (source, expected) in [
            ("double f(double, int *exp)", &["-", "exp"][..]),
            ("int f(void)", &["-"]),
            ("int f()", &[]),
            (
                "int f(size_t n, const unsigned long m, size_t)",
                &["n", "m", "-"],
            ),
            (
                "int f(struct point p, struct point, enum e *e)",
                &["p", "-", "e"],
            ),
            (
                "int f(struct { int a, b; } p, int (*compare)(const void *x, int), int (*)(int y))",
                &["p", "compare", "-"],
            ),
            ("int (*f(int a))(char b)", &["a"]),
            ("int (f)(char buffer[10], int [], ...)", &["buffer", "-"]),
            (
                "int f(__attribute__((unused)) int a, char *__restrict b, T const c)",
                &["a", "b", "c"],
            ),
            ("struct f f(int x)", &["x"]),
            (
                "void g(int (*f)(int q)) ; static inline int h(void) { return f(y z); } int f(int a);",
                &["a"],
            ),
            ("void *f(int) __attribute__((malloc(f, 1)));", &["-"]),
            ("int g(int a);", &[]),
            ("int f(int a", &["a"]),
            (
                "int f(__typeof__(int) a, _Atomic(int) b, _Atomic int c)",
                &["a", "b", "c"],
            ),
        ] {
            assert_eq!(names(source, "f"), expected, "{source}");
        }
    }

    #[test]
    fn constants_of_enumerations() {
        let all = enumerations(
            "typedef enum { A, B = (1, 2), C } color; enum size : short { S = 'x', L, }; enum size \
             f(enum { X }); typedef enum __attribute__((packed)) t { Y } __attribute__((x)) tt;",
        );
        let texts: Vec<String> = all
            .iter()
            .map(|one| {
                format!(
                    "{} {} {}",
                    one.tag.as_deref().unwrap_or("-"),
                    one.alias.as_deref().unwrap_or("-"),
                    one.constants.join(",")
                )
            })
            .collect();
        assert_eq!(texts, ["- color A,B,C", "size - S,L", "- - X", "t tt Y"]);
        assert_eq!(
            enumerations("enum { A"),
            [Enumeration {
                tag: None,
                alias: None,
                constants: vec!["A".to_owned()],
            }]
        );
    }
}

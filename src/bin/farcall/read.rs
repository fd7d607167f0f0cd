//! Words of the command line as C values, by the types that they are for.

use crate::declarations::{self, Context};
use crate::expression;
use crate::memory::Output;
use crate::number::{self, Number, Whole};
use crate::text::{self, Single};
use crate::{convert, float};
use farcall::library::Library;
use farcall::types::{Data, Kind, Type, TypeRef};

/// Values are written in one another at most this deep.
const MAX_DEPTH: usize = 100;

/// Reads the values of one call.
pub(crate) struct Reader<'a> {
    pub(crate) context: &'a Context,
    /// Where functions are looked up that are passed by name.
    pub(crate) library: &'a Library,
    /// What is to be printed after the call.
    pub(crate) outputs: Vec<Output>,
    /// The parameter that is read: its name or its number.
    pub(crate) parameter: String,
    /// Which part of it is read: `.pos`, `[2]`.
    pub(crate) path: Vec<String>,
    /// How many `&` are around it.
    pub(crate) references: usize,
    depth: usize,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It is a whole word of the command line: text needs no quotes.
    Word,
    /// It is part of another value.
    Inside,
    /// It is what a cast is applied to: integers wrap and pointers are addresses, as in C.
    Cast,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(context: &'a Context, library: &'a Library) -> Reader<'a> {
        Reader {
            context,
            library,
            outputs: Vec::new(),
            parameter: String::new(),
            path: Vec::new(),
            references: 0,
            depth: 0,
        }
    }

    /// The bytes of the value that a word stands for as an argument of a type. `parameter` is what
    /// is said of it: its name or number.
    pub(crate) fn argument(
        &mut self,
        ty: TypeRef<'_>,
        source: &[u8],
        parameter: &str,
    ) -> Result<Vec<u8>, String> {
        self.begin(parameter);
        self.value(ty, source, Place::Word)
            .map_err(|message| self.placed(message))
    }

    /// What is read next is for this parameter.
    pub(crate) fn begin(&mut self, parameter: &str) {
        parameter.clone_into(&mut self.parameter);
        self.path.clear();
        self.references = 0;
        self.depth = 0;
    }

    /// A message with the part of the value that it is about.
    pub(crate) fn placed(&self, message: String) -> String {
        match self.path.is_empty() {
            true => message,
            false => format!("{}: {message}", self.path.concat()),
        }
    }

    /// The bytes of a value.
    pub(crate) fn value(
        &mut self,
        ty: TypeRef<'_>,
        source: &[u8],
        place: Place,
    ) -> Result<Vec<u8>, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!(
                "values are written in one another more than {MAX_DEPTH} deep"
            ));
        }
        let bytes = self.shallow_value(ty, source, place)?;
        self.depth -= 1;
        Ok(bytes)
    }

    fn shallow_value(
        &mut self,
        ty: TypeRef<'_>,
        source: &[u8],
        place: Place,
    ) -> Result<Vec<u8>, String> {
        let kind = ty.value_kind();
        if kind == Kind::Pointer {
            return self.pointer(ty, source, place);
        }
        let source = source.trim_ascii();
        if let Some((cast, rest)) = self.cast(source)? {
            let bytes = self.value(cast.get(), rest, Place::Cast)?;
            return convert::converted(cast.get(), &bytes, ty);
        }
        match kind {
            kind if kind.is_integer() => {
                let value = self.whole(ty, source, place)?;
                let bits = ty.size() as u32 * 8;
                self.fitting(ty, value, bits, None, place)
            }
            kind if kind.is_float() => self.float(ty, kind, source),
            kind if kind.is_complex() => self.complex(ty, kind, source),
            Kind::Struct | Kind::Union | Kind::Array | Kind::Vector => self.aggregate(ty, source),
            _ => Err(format!("there are no values of {}", ty.describe())),
        }
    }

    /// The type of a cast that a text begins with, and what follows it.
    pub(crate) fn cast<'t>(&self, source: &'t [u8]) -> Result<Option<(Type, &'t [u8])>, String> {
        if source.first() != Some(&b'(') {
            return Ok(None);
        }
        let Ok(length) = crate::items::bracketed(source) else {
            return Ok(None);
        };
        let rest = source[length..].trim_ascii_start();
        let Ok(name) = std::str::from_utf8(&source[1..length - 1]) else {
            return Ok(None);
        };
        match self.context.declarations.find_type(name) {
            Ok(ty) if rest.is_empty() => Err(format!(
                "expected a value after the cast to {}",
                ty.get().describe()
            )),
            Ok(ty) => Ok(Some((ty, rest))),
            // `(1 + 2) * 3` is none; `(struct pint){1, 2}` can be nothing else.
            Err(error) if matches!(rest.first(), Some(b'{' | b'&' | b'"')) => Err(format!(
                "({name}): {}",
                error.message.lines().next().unwrap_or_default()
            )),
            Err(_) => Ok(None),
        }
    }

    /// A whole number, as far as it is one.
    pub(crate) fn whole(
        &self,
        ty: TypeRef<'_>,
        source: &[u8],
        place: Place,
    ) -> Result<Whole, String> {
        if let Some(single) = text::character(source) {
            return Ok(match single? {
                Single::Character(character) => Whole::of(i128::from(u32::from(character))),
                Single::Wide(value) => Whole::of(i128::from(value)),
                Single::Element(value) => match (u8::try_from(value), self.char_is_signed(ty)) {
                    (Ok(byte), true) => Whole::of(i128::from(byte.cast_signed())),
                    _ => Whole::of(i128::from(value)),
                },
            });
        }
        let Ok(word) = std::str::from_utf8(source) else {
            return Err(self.expected(ty, source));
        };
        match number::number(word) {
            Some(Ok(Number::Integer(integer))) => return Ok(integer.value),
            Some(Ok(Number::Floating(floating))) => {
                let value = float::parse(Kind::F64, &floating.text);
                let value =
                    value.and_then(|bytes| Some(f64::from_le_bytes(bytes.try_into().ok()?)));
                return match (value, place) {
                    (Some(value), Place::Cast) if value.abs() < 1e38 => {
                        Ok(Whole::of(value.trunc() as i128))
                    }
                    _ => Err(format!(
                        "expected {}, got {word}, which is no whole number; ({}){word} cuts it off",
                        ty.describe(),
                        ty.name().to_string_lossy()
                    )),
                };
            }
            Some(Err(message)) => return Err(message),
            None => {}
        }
        match word {
            "true" if ty.value_kind() == Kind::Bool => Ok(Whole::of(1)),
            "false" if ty.value_kind() == Kind::Bool => Ok(Whole::of(0)),
            _ => self.constant(ty, word),
        }
    }

    /// A `char` with its highest bit is a negative number for who takes it as this type.
    fn char_is_signed(&self, ty: TypeRef<'_>) -> bool {
        match (ty.size(), ty.value_kind()) {
            (1, kind) => kind.is_signed(),
            _ => self.context.declarations.target().char_is_signed,
        }
    }

    /// The value of a constant, or of an expression with constants.
    fn constant(&self, ty: TypeRef<'_>, word: &str) -> Result<Whole, String> {
        let what = match self.context.constant_expression(word) {
            Ok(constant) => return Ok(Whole::of(constant.value)),
            Err(what) => what,
        };
        let expected = self.expected(ty, word.as_bytes());
        let (got, hint) = expected.split_once("; ").unwrap_or((&expected, ""));
        if expression::is_name(word) {
            return Err(match what.strip_prefix("unknown constant") {
                Some(rest) => match rest.find("; did you mean") {
                    Some(at) => format!("{got}{}", &rest[at..]),
                    None if !hint.starts_with("write a whole") => expected,
                    None if self.context.has_no_header() && is_constant_like(word) => format!(
                        "{got}, which is no known constant; those of a header come with --cpp \
                         --decls FILE.h"
                    ),
                    None => format!("{got}, which is no known constant; {hint}"),
                },
                None if self.context.is_constant(word) => {
                    format!("{got}, a macro that stands for no whole number")
                }
                None => format!("{got}: {what}"),
            });
        }
        if let Some(message) = self.wrong_cast(word) {
            return Err(message);
        }
        Err(match expression::has_operators(word) {
            true => format!("{got}: {what}"),
            false => expected,
        })
    }

    /// What is wrong with `(nope)5`, in which only a type can be meant.
    fn wrong_cast(&self, word: &str) -> Option<String> {
        let length = match word.starts_with('(') {
            true => crate::items::bracketed(word.as_bytes()).ok()?,
            false => return None,
        };
        let operand = word[length..].trim_start().chars().next()?;
        let name = &word[1..length - 1];
        let error = self.context.declarations.find_type(name).err()?;
        (operand.is_alphanumeric() || matches!(operand, '_' | '\'' | '('))
            .then(|| format!("({name}): {}", expression::what(&error.message)))
    }

    /// What was expected, what was got, and how it is written.
    pub(crate) fn expected(&self, ty: TypeRef<'_>, source: &[u8]) -> String {
        let kind = ty.value_kind();
        let hint = match (&ty.node.data, kind) {
            (Data::Enum { .. }, _) => match declarations::constants(ty) {
                [] => "; write a whole number".to_owned(),
                constants => {
                    let names: Vec<_> = constants.iter().map(|one| &*one.name).collect();
                    format!("; write {} or a number", listed(&names))
                }
            },
            (_, Kind::Bool) => "; write true or false".to_owned(),
            (_, kind) if kind.is_integer() && is_letter(source) => format!(
                "; write \"'{0}'\" for the character, as the shell takes the outer quotes away",
                String::from_utf8_lossy(source)
            ),
            (_, kind) if kind.is_integer() => {
                "; write a whole number (42, 0x2a) or a character ('a')".to_owned()
            }
            (_, kind) if kind.is_float() => "; write a number (2.5, 1e9, 0x1p-3, inf)".to_owned(),
            (_, kind) if kind.is_complex() => "; write 1.5-2i or {1.5, -2}".to_owned(),
            (Data::Record(record), _) => {
                let names = record.fields.iter().flatten();
                let names: Vec<_> = names
                    .filter_map(|field| field.name.as_ref())
                    .map(|name| format!(".{} = ...", name.to_string_lossy()))
                    .collect();
                let shown = names.iter().map(String::as_str).take(4);
                let more = if names.len() > 4 { ", ..." } else { "" };
                format!("; write {{{}{more}}}", shown.collect::<Vec<_>>().join(", "))
            }
            (_, Kind::Array | Kind::Vector) => "; write {1, 2, ...}".to_owned(),
            _ => String::new(),
        };
        format!(
            "expected {}, got {}{hint}",
            ty.describe(),
            text::shown(source)
        )
    }

    /// The bytes of a whole number in so many bits, if it fits. `field` says so of a bit-field.
    pub(crate) fn fitting(
        &self,
        ty: TypeRef<'_>,
        value: Whole,
        bits: u32,
        field: Option<&str>,
        place: Place,
    ) -> Result<Vec<u8>, String> {
        let kind = ty.value_kind();
        let size = ty.size() as usize;
        if kind == Kind::Bool {
            return match (value.magnitude, place) {
                (0 | 1, _) if !value.is_negative => Ok(vec![value.magnitude as u8]),
                (magnitude, Place::Cast) => Ok(vec![u8::from(magnitude != 0)]),
                _ => Err(format!("expected true or false, got {value}")),
            };
        }
        let range = Whole::range(bits, kind.is_signed());
        if value.is_within(range) || place == Place::Cast {
            return Ok(value.bits().to_le_bytes()[..size].to_vec());
        }
        let name = ty.name().to_string_lossy();
        let wrap = match value.is_negative && !kind.is_signed() && field.is_none() {
            true => format!("; ({name}){value} wraps it as C does"),
            false => String::new(),
        };
        let within = field.map_or_else(|| ty.describe(), str::to_owned);
        Err(format!(
            "{value} does not fit in {within} ({} to {}){wrap}",
            range.0, range.1
        ))
    }

    pub(crate) fn float(
        &self,
        ty: TypeRef<'_>,
        kind: Kind,
        source: &[u8],
    ) -> Result<Vec<u8>, String> {
        let Ok(word) = std::str::from_utf8(source) else {
            return Err(self.expected(ty, source));
        };
        if let Some(special) = float::special(word) {
            return float::parse(kind, &special).ok_or_else(|| self.expected(ty, source));
        }
        let expanded = self.context.expanded(word).unwrap_or_default();
        let stands_for = expanded.trim_matches(['(', ')', ' ']);
        let spelled = match number::number(word).or_else(|| number::number(stands_for)) {
            Some(Ok(Number::Floating(floating))) => floating.text,
            Some(Err(message)) => return Err(message),
            // A whole number has no negative zero, as this one is to have.
            Some(Ok(Number::Integer(integer)))
                if integer.value.magnitude == 0 && word.starts_with('-') =>
            {
                "-0".to_owned()
            }
            _ => self.whole(ty, source, Place::Inside)?.to_string(),
        };
        let bytes = float::parse(kind, &spelled).ok_or_else(|| self.expected(ty, source))?;
        if float::print(kind, &bytes).ends_with("inf") {
            return Err(format!(
                "{word} is too large for {}; inf is infinity",
                ty.describe()
            ));
        }
        Ok(bytes)
    }
}

/// `O_RDONLY`: constants of C's headers are spelled so.
fn is_constant_like(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() > 1 && name.bytes().all(is_part)
}

fn is_letter(source: &[u8]) -> bool {
    let mut letters = std::str::from_utf8(source).unwrap_or_default().chars();
    letters.next().is_some() && letters.next().is_none()
}

/// "a, b or c", or the first of many.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 8;
    match names {
        [] => "a name".to_owned(),
        _ if names.len() > MOST => format!("{}, ...", names[..MOST].join(", ")),
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of values in any order are values or mistakes, and nothing else.
    #[test]
    fn anything_is_read_without_a_panic() {
        const PIECES: [&str; 40] = [
            "{",
            "}",
            "[",
            "]",
            "(",
            ")",
            ",",
            "&",
            "\"",
            "'",
            "\\",
            ".x",
            ".y",
            ".n",
            "=",
            "1",
            "-",
            "0x",
            "9999999999999999999999",
            "1e400",
            ".5",
            "a",
            "\\x41",
            "\\0",
            " ",
            "(int)",
            "(char *)",
            "(int[])",
            "(struct s)",
            "null",
            "L\"w\"",
            "\"text\"",
            "'c'",
            "[3]",
            "[0x7fffffffffffffff]",
            "true",
            "RED",
            "&[2]",
            "i",
            "\u{e9}",
        ];
        const TYPES: [&str; 16] = [
            "int",
            "unsigned char",
            "_Bool",
            "double",
            "long double",
            "double _Complex",
            "char *",
            "void *",
            "int *",
            "struct s",
            "struct s *",
            "union u",
            "char **",
            "enum e",
            "struct i *",
            "int (*)(int)",
        ];
        let mut context = Context::empty(farcall::code::target());
        context.add_prototype(
            "struct s { int x : 3; double y; struct { char n[4]; } z[2]; union u { long l; struct s *s; \
             } u; int rest[]; }; union u; enum e { RED }; struct i",
        );
        let library = Library::open(None, &farcall::library::OpenOptions::default()).unwrap();
        let mut state = 1u64;
        let mut next = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % limit as u64) as usize
        };
        let mut read = 0;
        for _ in 0..20_000 {
            let ty = context
                .declarations
                .find_type(TYPES[next(TYPES.len())])
                .unwrap();
            let pieces: Vec<_> = (0..next(9)).map(|_| PIECES[next(PIECES.len())]).collect();
            let source = pieces.concat();
            let mut reader = Reader::new(&context, &library);
            if let Ok(bytes) = reader.argument(ty.get(), source.as_bytes(), "1") {
                assert_eq!(bytes.len() as u64, ty.get().size(), "{source}");
                read += 1;
            }
            let mut reader = Reader::new(&context, &library);
            if let Ok((ty, bytes)) = reader.extra(source.as_bytes(), "1") {
                assert_eq!(bytes.len() as u64, ty.get().size(), "{source}");
            }
        }
        assert!(read > 1000, "{read}");
    }
}

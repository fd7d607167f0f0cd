//! Names where types stand: typedef names, those that are known from the start, `typeof`, and
//! what to say about others.

use super::known::{self, Known};
use super::message::{nearest, quoted};
use super::names::{Meaning, Qualified};
use super::parser::{Failure, Parsed, Parser, Purpose, Word};
use crate::error::{Error, Status};
use crate::types::target::Model;
use crate::types::{Data, FieldSpec, Link, Qualifiers, Record, RecordOptions, Scalar};

impl<'s> Parser<'s, '_> {
    /// What a name stands for as a type; the token is the name.
    pub(super) fn typedef_name(&mut self, word: Word<'s>) -> Parsed<Option<Qualified>> {
        if self.scope.contains(word.text) {
            return Ok(None);
        }
        if let Some(named) = self.find(word.text) {
            return Ok(match &named.meaning {
                Meaning::Type(ty) => Some(self.up_to_date(ty)),
                _ => None,
            });
        }
        Ok(match known::find(word.text.as_bytes(), self.target()) {
            Some(Known::Fixed(scalar) | Known::Usual(scalar)) => {
                Some(Qualified::plain(self.types.scalar(scalar)))
            }
            Some(Known::VaList) => Some(Qualified::plain(self.va_list(word.at)?)),
            None if known::UNSUPPORTED.contains(&word.text) => {
                Some(Qualified::plain(self.unsupported(word.at)?))
            }
            None => None,
        })
    }

    /// A typedef's type; if an earlier text only declared its tag, and it has been defined since,
    /// the type that the tag stands for now.
    fn up_to_date(&self, ty: &Qualified) -> Qualified {
        let mut ty = ty.clone();
        let tag = match (&ty.link, &self.view(&ty).node.data) {
            (
                Link::Type(_),
                Data::Record(Record {
                    tag: Some(tag),
                    fields: None,
                    ..
                }),
            ) => tag,
            (
                Link::Type(_),
                Data::Enum {
                    tag: Some(tag),
                    underlying: None,
                    ..
                },
            ) => tag,
            _ => return ty,
        };
        let now = tag.to_str().ok().and_then(|tag| self.find_tag(tag));
        if let Some(link) = now.filter(|tag| tag.complete).map(|tag| tag.link.clone()) {
            ty.link = link;
        }
        ty
    }

    /// The target's argument list (x86-64 psABI, section 3.5.7; AAPCS64, section 10.1.5).
    fn va_list(&mut self, at: u32) -> Parsed<Link> {
        if let Some(link) = &self.va_list {
            return Ok(link.clone());
        }
        let (tag, fields, is_array): (_, &[_], _) = match self.target().model {
            Model::LinuxX86_64 => (
                c"__va_list_tag",
                &[
                    (c"gp_offset", Scalar::UnsignedInt),
                    (c"fp_offset", Scalar::UnsignedInt),
                    (c"overflow_arg_area", Scalar::Pointer),
                    (c"reg_save_area", Scalar::Pointer),
                ],
                true,
            ),
            Model::LinuxAarch64 => (
                c"__va_list",
                &[
                    (c"__stack", Scalar::Pointer),
                    (c"__gr_top", Scalar::Pointer),
                    (c"__vr_top", Scalar::Pointer),
                    (c"__gr_offs", Scalar::Int),
                    (c"__vr_offs", Scalar::Int),
                ],
                false,
            ),
            Model::AppleAarch64 | Model::WindowsX86_64 => {
                let char = self.types.scalar(Scalar::Char);
                return Ok(self.types.pointer(Some(char), Qualifiers::default()));
            }
        };
        let record = self.types.declare_record(false, Some(tag.to_owned()));
        let specs = fields.iter().map(|&(name, scalar)| FieldSpec {
            name: Some(name.to_owned()),
            link: self.types.scalar(scalar),
            bits: None,
            align: 0,
            packed: false,
        });
        let specs = specs.collect();
        let link = self
            .types
            .define_record(&record, specs, &RecordOptions::default())
            .and_then(|()| {
                if is_array {
                    self.types.array(record, Some(1))
                } else {
                    Ok(record)
                }
            })
            .map_err(|error| self.fail_types(at, error))?;
        self.va_list = Some(link.clone());
        Ok(link)
    }

    /// `(type)` or `(expression)` behind `typeof`, which is the token.
    pub(super) fn typeof_operand(&mut self) -> Parsed<Qualified> {
        self.advance();
        self.expect(b'(', "after 'typeof'")?;
        let ty = if self.starts_type() {
            self.type_name()?
        } else {
            match self.try_expression_type(|parser| parser.is(b')')) {
                Some(ty) => ty,
                None => {
                    let value = self.constant()?;
                    let scalar = Scalar::of_kind(value.kind, self.target()).unwrap_or(Scalar::Int);
                    Qualified::plain(self.types.scalar(scalar))
                }
            }
        };
        self.expect(b')', "after the operand of 'typeof'")?;
        Ok(ty)
    }

    /// The type of the function or variable whose name the token is.
    pub(super) fn type_of_name(&self) -> Option<Qualified> {
        match &self.find(self.text())?.meaning {
            Meaning::Function { link, .. } | Meaning::Variable(link) => {
                Some(Qualified::plain(link.clone()))
            }
            _ => None,
        }
    }

    /// A name stands where a type should, and is none.
    #[cold]
    pub(super) fn unknown_type(&self, word: Word<'_>) -> Failure {
        if self.tentative {
            return self.fail(word.at, "");
        }
        let name = quoted(word.text);
        if self.lexer.find_macro(word.text).is_some() {
            return self.is_macro(word);
        }
        let what = if self.scope.contains(word.text) {
            format!("expected a type, found {name}, which is a parameter here")
        } else if let Some(named) = self.find(word.text) {
            format!(
                "expected a type, found {name}, which is {}",
                named.meaning.describe()
            )
        } else if let Some(hint) = macro_of_c(word.text) {
            format!("unknown type name {name}: {hint}")
        } else if self.is_old_style(word) {
            format!(
                "{name} is no type: definitions in the style before C89, as \"f(a) int a; {{}}\", are \
                 not understood; write \"f(int a)\""
            )
        } else if let Some(tag) = self.find_tag(word.text) {
            format!(
                "unknown type name {name}; did you mean \"{} {}\"?",
                tag.kind.keyword(),
                word.text
            )
        } else {
            match self.nearest_type(word.text) {
                Some(near) => format!("unknown type name {name}; did you mean \"{near}\"?"),
                None => format!("unknown type name {name}"),
            }
        };
        if self.purpose == Purpose::Find {
            return Box::new(Error::new(Status::NotFound, what));
        }
        self.fail(word.at, &what)
    }

    /// The name stands in a list of names behind which declarations or a body follow.
    fn is_old_style(&self, word: Word<'_>) -> bool {
        if self.purpose != Purpose::Declare {
            return false;
        }
        let rest = &self.source[word.at as usize..];
        let is_list = |c: char| c == '_' || c == ',' || c.is_alphanumeric() || c.is_whitespace();
        let rest = rest.trim_start_matches(is_list);
        let Some(behind) = rest.strip_prefix(')').map(str::trim_start) else {
            return false;
        };
        behind.starts_with('{') || behind.starts_with(|c: char| c.is_ascii_alphabetic())
    }

    fn nearest_type(&self, name: &str) -> Option<&str> {
        let earlier = self.earlier.map(|earlier| earlier.names());
        let texts = [self.new.as_deref(), earlier].into_iter().flatten();
        let typedefs = texts
            .flat_map(|names| &names.others)
            .filter(|(_, named)| matches!(named.meaning, Meaning::Type(_)))
            .map(|(name, _)| &**name);
        nearest(name, typedefs.chain(known::NAMES))
    }
}

/// What to say of a word that headers of C define as a macro.
fn macro_of_c(word: &str) -> Option<&'static str> {
    Some(match word {
        "complex" => "it is a macro of <complex.h>; write '_Complex'",
        "noreturn" => "it is a macro of <stdnoreturn.h>; write '_Noreturn'",
        "atomic_int" | "atomic_bool" | "atomic_size_t" => {
            "it is declared in <stdatomic.h>; write '_Atomic' and the type"
        }
        "WINAPI" | "APIENTRY" | "CALLBACK" | "WINAPIV" => {
            "it is a macro of <windows.h>; leave it out"
        }
        "template" | "class" | "namespace" | "using" | "public" | "virtual" => {
            "this is C++; only C is understood"
        }
        _ => return None,
    })
}

//! `__attribute__((...))`, `__declspec(...)`, `_Alignas` and `__asm__` labels. Attributes that
//! change where bytes are, or how a function is called, are obeyed or refused; all others are
//! passed over.

use super::keyword::Keyword;
use super::lexer::Kind;
use super::message::quoted;
use super::parser::{Parsed, Parser};
use crate::types::target::{LongDouble, Model};
use crate::types::{Convention, Kind as TypeKind, Link, MAX_ALIGN, Scalar};
use std::ffi::CString;

/// How many lanes a vector has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vector {
    /// As many as fit in so many bytes.
    Bytes(u32),
    /// So many.
    Lanes(u32),
}

/// What `__attribute__((mode))` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// An integer of so many bytes, with the sign of the type that is written.
    Integer(u8),
    /// A float.
    Float(Scalar),
    /// A complex number of two such floats.
    Complex(Scalar),
}

/// What the attributes of one place ask for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attributes {
    pub(super) packed: bool,
    /// In bytes; 0: none.
    pub(super) align: u32,
    /// The vector, and where it is asked for.
    pub(super) vector: Option<(Vector, u32)>,
    pub(super) mode: Option<Mode>,
    /// The calling convention, and where it is asked for.
    pub(super) convention: Option<(Convention, u32)>,
}

impl Attributes {
    /// Nothing that changes a parameter's type is asked for.
    pub(super) fn is_plain(&self) -> bool {
        self.vector.is_none() && self.mode.is_none() && self.convention.is_none()
    }
}

impl Parser<'_, '_> {
    /// Adds all attributes that stand here, perhaps none, to others.
    #[inline]
    pub(super) fn attributes(&mut self, all: &mut Attributes) -> Parsed<()> {
        match self.token.kind {
            Kind::Keyword(Keyword::Attribute | Keyword::Declspec) => self.some_attributes(all),
            Kind::Mark(b'[') if self.at_double_bracket() => self.some_attributes(all),
            _ => Ok(()),
        }
    }

    #[cold]
    fn some_attributes(&mut self, all: &mut Attributes) -> Parsed<()> {
        loop {
            match self.token.kind {
                Kind::Keyword(Keyword::Attribute) => {
                    self.advance();
                    self.expect(b'(', "after '__attribute__'")?;
                    self.expect(b'(', "after '__attribute__('")?;
                    self.attribute_list(all)?;
                    self.expect(b')', "after an attribute")?;
                    self.expect(b')', "after the attributes")?;
                }
                Kind::Keyword(Keyword::Declspec) => {
                    self.advance();
                    self.expect(b'(', "after '__declspec'")?;
                    self.attribute_list(all)?;
                    self.expect(b')', "after an attribute")?;
                }
                Kind::Mark(b'[') if self.at_double_bracket() => self.standard_attributes(all)?,
                _ => return Ok(()),
            }
        }
    }

    /// `[[deprecated, gnu::packed]]`: those of C23 and of other makers change nothing here.
    fn standard_attributes(&mut self, all: &mut Attributes) -> Parsed<()> {
        self.advance();
        self.advance();
        loop {
            match self.token.kind {
                Kind::Name | Kind::Keyword(_) => {
                    let maker = self.text();
                    self.advance();
                    let scoped = self.is(b':')
                        && self.source.as_bytes().get(self.token.end as usize) == Some(&b':');
                    if scoped {
                        self.advance();
                        self.advance();
                        if !matches!(self.token.kind, Kind::Name | Kind::Keyword(_)) {
                            return Err(self.unexpected("the name of an attribute"));
                        }
                        if matches!(maker, "gnu" | "__gnu__" | "clang" | "_Clang") {
                            self.attribute(all)?;
                            continue;
                        }
                        self.advance();
                    }
                    if self.is(b'(') {
                        self.skip_balanced()?;
                    }
                }
                Kind::Mark(b',') => self.advance(),
                _ => {
                    self.expect(b']', "after the attributes")?;
                    return self.expect(b']', "after the attributes");
                }
            }
        }
    }

    /// `[[`, with which C23's attributes begin.
    pub(super) fn at_double_bracket(&self) -> bool {
        self.is(b'[') && self.source.as_bytes().get(self.token.end as usize) == Some(&b'[')
    }

    fn attribute_list(&mut self, all: &mut Attributes) -> Parsed<()> {
        loop {
            match self.token.kind {
                Kind::Name | Kind::Keyword(_) => self.attribute(all)?,
                // Between two commas there may be nothing.
                Kind::Mark(b',') => {}
                Kind::Mark(b')') => return Ok(()),
                _ => return Err(self.unexpected("the name of an attribute")),
            }
            // Those of __declspec are separated by white space alone.
            self.accept(b',');
        }
    }

    fn attribute(&mut self, all: &mut Attributes) -> Parsed<()> {
        let word = self.word();
        self.advance();
        let bare = word
            .text
            .strip_prefix("__")
            .and_then(|name| name.strip_suffix("__"));
        let name = bare.unwrap_or(word.text);
        match name {
            "packed" => all.packed = true,
            "aligned" | "align" => {
                let align = if self.is(b'(') {
                    self.alignment()?
                } else {
                    self.largest_alignment()
                };
                all.align = all.align.max(align);
                return Ok(());
            }
            "vector_size" | "ext_vector_type" => {
                let at = self.token.start;
                self.expect(b'(', "after the attribute's name")?;
                let number = self.natural("a vector's size")?;
                self.expect(b')', "after a vector's size")?;
                // Far more than any vector has.
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                let vector = match name {
                    "vector_size" => Vector::Bytes(number),
                    _ => Vector::Lanes(number),
                };
                all.vector = Some((vector, at));
                return Ok(());
            }
            "ms_abi" => self.ask_for(all, Convention::Win64, word.at)?,
            "sysv_abi" => self.ask_for(all, Convention::SysV64, word.at)?,
            "mode" => {
                self.expect(b'(', "after 'mode'")?;
                all.mode = Some(self.mode()?);
                return self.expect(b')', "after a mode");
            }
            // These change layouts or calls in ways that are not known here.
            "ms_struct"
            | "scalar_storage_order"
            | "vectorcall"
            | "regcall"
            | "preserve_most"
            | "preserve_all"
            | "preserve_none"
            | "swiftcall"
            | "swiftasynccall"
            | "aarch64_vector_pcs"
            | "neon_vector_type"
            | "neon_polyvector_type"
            | "arm_sve_vector_bits" => {
                let what = format!("the attribute {} is not supported", quoted(name));
                return Err(self.fail(word.at, &what));
            }
            _ => {}
        }
        if self.is(b'(') {
            self.skip_balanced()?;
        }
        Ok(())
    }

    fn ask_for(&self, all: &mut Attributes, asked: Convention, at: u32) -> Parsed<()> {
        if let Some((before, _)) = all.convention {
            self.check_agreement(before, asked, at)?;
        }
        all.convention = Some((asked, at));
        Ok(())
    }

    /// A function has one convention, whatever place says so.
    pub(super) fn check_agreement(
        &self,
        before: Convention,
        asked: Convention,
        at: u32,
    ) -> Parsed<()> {
        let is_other = before != Convention::Default && before != asked;
        match is_other {
            true => Err(self.fail(
                at,
                "ms_abi and sysv_abi contradict each other: a function has one convention",
            )),
            false => Ok(()),
        }
    }

    /// The alignment of `__attribute__((aligned))` without a number: the largest that any scalar
    /// needs.
    fn largest_alignment(&self) -> u32 {
        let (_, align) = TypeKind::F128.layout(self.target()).unwrap_or((16, 16));
        align
    }

    /// An alignment in parentheses.
    fn alignment(&mut self) -> Parsed<u32> {
        self.expect(b'(', "before an alignment")?;
        let at = self.token.start;
        let value = self.constant()?.bits;
        self.expect(b')', "after an alignment")?;
        match u32::try_from(value) {
            Ok(align) if align.is_power_of_two() && align <= MAX_ALIGN => Ok(align),
            _ => {
                let what =
                    format!("alignment {value}: expected a power of two, at most {MAX_ALIGN}");
                Err(self.fail(at, &what))
            }
        }
    }

    /// `_Alignas(n)` or `_Alignas(type)`, the word itself passed over. `_Alignas(0)` asks for
    /// nothing.
    pub(super) fn alignas(&mut self) -> Parsed<u32> {
        self.expect(b'(', "after '_Alignas'")?;
        let at = self.token.start;
        let value = if self.starts_type() {
            let ty = self.type_name()?;
            self.align_of(&ty, at)?
        } else {
            self.constant()?.bits
        };
        self.expect(b')', "after an alignment")?;
        match u32::try_from(value) {
            Ok(0) => Ok(0),
            Ok(align) if align.is_power_of_two() && align <= MAX_ALIGN => Ok(align),
            _ => {
                let what =
                    format!("alignment {value}: expected a power of two, at most {MAX_ALIGN}");
                Err(self.fail(at, &what))
            }
        }
    }

    fn mode(&mut self) -> Parsed<Mode> {
        let text = self.text();
        let bare = text
            .strip_prefix("__")
            .and_then(|name| name.strip_suffix("__"));
        let mode = match bare.unwrap_or(text) {
            "QI" | "byte" => Mode::Integer(1),
            "HI" => Mode::Integer(2),
            "SI" => Mode::Integer(4),
            "DI" | "word" | "pointer" | "unwind_word" => Mode::Integer(8),
            "TI" => Mode::Integer(16),
            "HF" => Mode::Float(Scalar::Float16),
            "SF" => Mode::Float(Scalar::Float),
            "DF" => Mode::Float(Scalar::Double),
            "XF" if matches!(
                self.target().model,
                Model::LinuxX86_64 | Model::WindowsX86_64
            ) =>
            {
                Mode::Float(Scalar::LongDouble)
            }
            "TF" => Mode::Float(Scalar::Float128),
            "SC" => Mode::Complex(Scalar::Float),
            "DC" => Mode::Complex(Scalar::Double),
            "XC" => Mode::Complex(Scalar::LongDouble),
            "TC" => Mode::Complex(Scalar::Float128),
            _ => return Err(self.unexpected("a machine mode such as 'DI'")),
        };
        self.advance();
        Ok(mode)
    }

    /// A type as the attributes `mode` and `vector_size` change it.
    pub(super) fn reshape(&mut self, link: Link, attributes: &Attributes, at: u32) -> Parsed<Link> {
        let mut link = link;
        if let Some(mode) = attributes.mode {
            link = self.in_mode(&link, mode, at)?;
        }
        if self.is_unsupported(&link) {
            return Ok(link);
        }
        if let Some((vector, at)) = attributes.vector {
            let size = self.types.get(&link).size();
            let lanes = match vector {
                Vector::Lanes(lanes) => u64::from(lanes),
                Vector::Bytes(bytes) if size != 0 && u64::from(bytes) % size == 0 => {
                    u64::from(bytes) / size
                }
                Vector::Bytes(bytes) => {
                    let lane = self.types.get(&link).describe();
                    let what = format!("a vector of {bytes} bytes has no whole lanes of {lane}");
                    return Err(self.fail(at, &what));
                }
            };
            link = self
                .types
                .vector(link, lanes)
                .map_err(|error| self.fail_types(at, error))?;
        }
        Ok(link)
    }

    fn in_mode(&mut self, link: &Link, mode: Mode, at: u32) -> Parsed<Link> {
        let view = self.types.get(link);
        let kind = view.value_kind();
        let target = self.target();
        let scalar = match mode {
            Mode::Float(scalar) if kind.is_float() => Some(scalar),
            Mode::Complex(part) if kind.is_complex() => match part {
                Scalar::Float => Some(Scalar::ComplexFloat),
                Scalar::Double => Some(Scalar::ComplexDouble),
                Scalar::Float128 if target.long_double != LongDouble::Binary128 => {
                    return self.unsupported(at);
                }
                _ => Some(Scalar::ComplexLongDouble),
            },
            Mode::Integer(size) if kind.is_integer() => integer(u64::from(size), kind.is_signed())
                .and_then(|kind| Scalar::of_kind(kind, target)),
            _ => None,
        };
        match scalar {
            Some(scalar) => Ok(self.types.scalar(scalar)),
            None => {
                let what = format!("the mode does not fit the type {}", view.describe());
                Err(self.fail(at, &what))
            }
        }
    }

    /// An `__asm__("name")` behind a declarator, if there is one.
    pub(super) fn label(&mut self) -> Parsed<Option<CString>> {
        let mut label = None;
        while self.token.kind == Kind::Keyword(Keyword::Asm) {
            self.advance();
            self.expect(b'(', "after '__asm__'")?;
            if self.token.kind != Kind::Text {
                return Err(self.unexpected("a string"));
            }
            let mut name = String::new();
            while self.token.kind == Kind::Text {
                name.push_str(self.text().trim_matches('"'));
                self.advance();
            }
            self.expect(b')', "after a label")?;
            label = CString::new(name).ok();
        }
        Ok(label)
    }
}

/// The integer kind of a size in bytes.
pub(super) fn integer(size: u64, signed: bool) -> Option<TypeKind> {
    Some(match (size, signed) {
        (1, true) => TypeKind::I8,
        (1, false) => TypeKind::U8,
        (2, true) => TypeKind::I16,
        (2, false) => TypeKind::U16,
        (4, true) => TypeKind::I32,
        (4, false) => TypeKind::U32,
        (8, true) => TypeKind::I64,
        (8, false) => TypeKind::U64,
        (16, true) => TypeKind::I128,
        (16, false) => TypeKind::U128,
        _ => return None,
    })
}

//! Declarators: `(*x[3])(void)`. They are read from the outside to the inside into a list of
//! operations that runs from the name outwards, and that list is applied to the type that the
//! specifiers gave, backwards.

use super::MAX_DERIVED;
use super::attribute::Attributes;
use super::keyword::Keyword;
use super::lexer::Kind;
use super::names::Qualified;
use super::operations::{Length, Operation, Reading};
use super::parser::{Parsed, Parser, Word};
use super::specifiers::Specifiers;
use crate::types::{Convention, Data, Function, Kind as TypeKind, Memo, Qualifiers};
use std::ffi::CString;

/// How many stars are applied as they are read.
const STARS: usize = 3;

/// Whether a declarator has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    Required,
    Optional,
    Forbidden,
}

/// What becomes of the type that a declarator makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A function's type keeps the function's name.
    Declaration,
    /// Arrays and functions become pointers.
    Parameter,
    /// A member, a typedef, or no more than a type's name.
    Other,
}

/// What a declarator declares.
pub(super) struct Declared<'s> {
    pub(super) name: Option<Word<'s>>,
    pub(super) ty: Qualified,
    /// It is a function whose parameters are not given.
    pub(super) unspecified: bool,
    /// Its attributes and those of the specifiers.
    pub(super) attributes: Attributes,
    pub(super) label: Option<CString>,
}

impl<'s> Parser<'s, '_> {
    /// A declarator with the attributes and the label behind it, applied to the specifiers.
    pub(super) fn declarator(
        &mut self,
        specifiers: &Specifiers,
        naming: Naming,
        role: Role,
    ) -> Parsed<Declared<'s>> {
        let mark = self.operations.len();
        let mut reading = Reading {
            name: None,
            attributes: specifiers.attributes,
            pending: None,
        };
        let at = self.token.start;
        let mut base = specifiers.base.clone();
        let stars = self.leading_stars(&mut base)?;
        self.declarator_part(mark, naming, &mut reading)?;
        let mut label = None;
        while let Kind::Keyword(Keyword::Asm | Keyword::Attribute | Keyword::Declspec) =
            self.token.kind
        {
            label = self.label()?.or(label);
            self.attributes(&mut reading.attributes)?;
        }
        let mut attributes = reading.attributes;
        if let (Some((before, _)), Some((asked, at))) = (reading.pending, attributes.convention) {
            self.check_agreement(before, asked, at)?;
        }
        attributes.convention = attributes.convention.or(reading.pending);

        let reshaped = attributes.vector.is_some() || attributes.mode.is_some();
        if reshaped || attributes.convention.is_some() {
            base = specifiers.base.clone();
            if reshaped {
                base.link = self.reshape(base.link, &attributes, at)?;
            }
            if let Some((convention, at)) = attributes.convention {
                self.apply_convention(&mut base, mark, convention, at)?;
            }
            for &qualifiers in stars.iter().flatten() {
                base = self.pointer_to(base, qualifiers);
            }
        }
        let unspecified = match self.operations.from(mark).first() {
            Some(Some(Operation::Function { parameters, .. })) => parameters.unspecified,
            _ => false,
        };
        let name = reading.name;
        let ty = self.apply(base, mark, name, role)?;
        Ok(Declared {
            name,
            ty,
            unspecified,
            attributes,
            label,
        })
    }

    /// A type's name: specifiers and a declarator without a name.
    pub(super) fn type_name(&mut self) -> Parsed<Qualified> {
        self.enter_type()?;
        let specifiers = self.specifiers(Attributes::default())?;
        let declared = self.declarator(&specifiers, Naming::Forbidden, Role::Other)?;
        self.leave_type();
        Ok(declared.ty)
    }

    /// The stars that a declarator begins with, applied to the specifiers' type at once: most
    /// declarators are no more than that and a name. What is read here is told once more, for
    /// attributes behind the declarator that change the type under the stars.
    fn leading_stars(&mut self, base: &mut Qualified) -> Parsed<[Option<Qualifiers>; STARS]> {
        let mut stars = [None; STARS];
        for star in &mut stars {
            if !self.accept(b'*') {
                break;
            }
            let qualifiers = self.qualifiers()?;
            // Attributes may follow, and more qualifiers of the same pointer behind them.
            if let Kind::Keyword(_) = self.token.kind {
                self.push(Operation::Pointer(qualifiers))?;
                break;
            }
            *star = Some(qualifiers);
            *base = self.pointer_to(base.clone(), qualifiers);
        }
        Ok(stars)
    }

    /// Pointers, then what they stand before, then arrays and functions; `mark` is where their
    /// operations begin.
    fn declarator_part(
        &mut self,
        mark: usize,
        naming: Naming,
        reading: &mut Reading<'s>,
    ) -> Parsed<()> {
        let mut convention = None;
        loop {
            match self.token.kind {
                Kind::Mark(b'*') => {
                    self.advance();
                    let qualifiers = self.qualifiers()?;
                    self.push(Operation::Pointer(qualifiers))?;
                }
                Kind::Keyword(Keyword::Attribute | Keyword::Declspec) => {
                    let outer = reading.attributes.convention.take();
                    self.attributes(&mut reading.attributes)?;
                    convention = reading.attributes.convention.or(convention);
                    reading.attributes.convention = outer;
                }
                // Behind an attribute there may be more qualifiers.
                Kind::Keyword(
                    Keyword::Const | Keyword::Volatile | Keyword::Restrict | Keyword::Atomic,
                ) if self.operations.len() > mark => {
                    let more = self.qualifiers()?;
                    if let Some(Some(Operation::Pointer(qualifiers))) =
                        self.operations.from(mark).last_mut()
                    {
                        *qualifiers = qualifiers.with(more);
                    }
                }
                Kind::Keyword(Keyword::Ignored) => self.advance(),
                _ => break,
            }
        }
        let pointers = self.operations.len() - mark;
        match self.token.kind {
            Kind::Name if naming != Naming::Forbidden => {
                reading.name = Some(self.word());
                self.advance();
            }
            Kind::Keyword(keyword) if naming == Naming::Required && keyword.is_new_float() => {
                reading.name = Some(self.word());
                self.advance();
            }
            Kind::Mark(b'(') => self.parenthesized(naming, reading)?,
            Kind::Mark(b'&') | Kind::And => {
                let what = "references ('&') are C++; only C is understood: use a pointer";
                return Err(self.fail(self.token.start, what));
            }
            Kind::Mark(b'^') => {
                let what = "blocks ('^') are not supported; only functions can be called";
                return Err(self.fail(self.token.start, what));
            }
            Kind::Keyword(Keyword::Reserved) if self.text() == "__vectorcall" => {
                let what = "'__vectorcall' is not supported";
                return Err(self.fail(self.token.start, what));
            }
            _ if naming == Naming::Required => return Err(self.unexpected("a name")),
            _ => {}
        }
        self.suffixes(reading)?;
        // The stars stand before what they are applied after, the last one first.
        if pointers > 0 {
            let operations = self.operations.from(mark);
            operations[..pointers].reverse();
            operations.rotate_left(pointers);
        }
        if let Some((convention, at)) = convention
            && !self.set_convention(mark, convention, at)?
        {
            reading.pending = Some((convention, at));
        }
        Ok(())
    }

    /// What begins with a parenthesis where a name could stand: a declarator in parentheses, or
    /// the parameters of a function without a name.
    fn parenthesized(&mut self, naming: Naming, reading: &mut Reading<'s>) -> Parsed<()> {
        let at = self.token.start;
        self.advance();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let is_list = naming != Naming::Required
            && (matches!(self.token.kind, Kind::Mark(b')') | Kind::Ellipsis) || self.starts_type());
        if is_list {
            return self.function(attributes, at);
        }
        self.enter()?;
        let convention = attributes.convention;
        let word = (self.token.kind == Kind::Name).then(|| self.word());
        let mark = self.operations.len();
        self.declarator_part(mark, naming, reading)?;
        if let Some((convention, at)) = convention {
            reading.pending = Some((convention, at));
        }
        if !self.is(b')') {
            // `(size_tt, int)`: more likely parameters than a name in parentheses.
            if let Some(word) = word
                && naming != Naming::Required
                && matches!(self.token.kind, Kind::Mark(b',' | b'*') | Kind::Name)
            {
                return Err(self.unknown_type(word));
            }
            return Err(self.unexpected("')' after a declarator"));
        }
        self.advance();
        self.leave();
        Ok(())
    }

    fn suffixes(&mut self, reading: &mut Reading<'s>) -> Parsed<()> {
        loop {
            match self.token.kind {
                Kind::Mark(b'(') => {
                    let at = self.token.start;
                    self.advance();
                    self.function(Attributes::default(), at)?;
                    // `(__attribute__((ms_abi)) *f)(int)`: what is in the parentheses speaks of
                    // the function behind them.
                    if let Some((pending, _)) = reading.pending.take()
                        && let Some(Some(Operation::Function { convention, .. })) =
                            self.operations.from(0).last_mut()
                    {
                        *convention = Some(pending);
                    }
                }
                Kind::Mark(b'[') if self.at_double_bracket() => {
                    self.attributes(&mut reading.attributes)?;
                }
                Kind::Mark(b'[') => self.array()?,
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn push(&mut self, operation: Operation) -> Parsed<()> {
        if self.operations.len() >= MAX_DERIVED {
            let what = format!(
                "too many pointers, arrays and functions in one declaration: the limit is \
                 {MAX_DERIVED}"
            );
            return Err(self.limit(self.token.start, &what));
        }
        self.operations.push(operation);
        Ok(())
    }

    /// The qualifiers of a pointer.
    pub(super) fn qualifiers(&mut self) -> Parsed<Qualifiers> {
        let mut qualifiers = Qualifiers::default();
        loop {
            match self.token.kind {
                Kind::Keyword(Keyword::Const) => qualifiers.is_const = true,
                Kind::Keyword(Keyword::Volatile) => qualifiers.is_volatile = true,
                Kind::Keyword(Keyword::Restrict | Keyword::Atomic | Keyword::Ignored) => {}
                _ => return Ok(qualifiers),
            }
            self.advance();
        }
    }

    /// Gives the first function from `mark` on a convention, if there is one that has none.
    fn set_convention(&mut self, mark: usize, asked: Convention, at: u32) -> Parsed<bool> {
        for operation in self.operations.from(mark) {
            if let Some(Operation::Function { convention, .. }) = operation {
                let set = *convention.get_or_insert(asked);
                return self.check_agreement(set, asked, at).map(|()| true);
            }
        }
        Ok(false)
    }

    /// A convention that specifiers, or attributes behind a declarator, ask for.
    fn apply_convention(
        &mut self,
        base: &mut Qualified,
        mark: usize,
        convention: Convention,
        at: u32,
    ) -> Parsed<()> {
        if self.set_convention(mark, convention, at)? {
            return Ok(());
        }
        if let Data::Function(function) = &self.view(base).node.data {
            self.check_agreement(function.convention, convention, at)?;
        }
        if let Some(link) = self.types.function_like(&base.link, |function| {
            function.convention = convention;
        }) {
            base.link = link;
            return Ok(());
        }
        // As in gcc it says nothing about what is no function; of a pointer to one by a typedef's
        // name it would.
        if self.view(base).function().is_some() {
            let what = "a calling convention cannot be added to a typedef of a pointer; write it \
                        in the typedef";
            return Err(self.fail(at, what));
        }
        Ok(())
    }

    /// The type that the operations from `mark` on make of `base`.
    fn apply(
        &mut self,
        base: Qualified,
        mark: usize,
        name: Option<Word<'s>>,
        role: Role,
    ) -> Parsed<Qualified> {
        let mut ty = base;
        let mut variable = false;
        while self.operations.len() > mark
            && let Some(operation) = self.operations.pop()
        {
            let outermost = self.operations.len() == mark;
            match operation {
                Operation::Pointer(qualifiers) => {
                    ty = self.pointer_to(ty, qualifiers);
                    variable = false;
                }
                Operation::Array { qualifiers, at, .. } if outermost && role == Role::Parameter => {
                    self.check_element(&ty, at)?;
                    ty = self.pointer_to(ty, qualifiers);
                }
                // Pointers to arrays of variable length lead to the innermost of them: its size
                // and that of the arrays around it are not known.
                Operation::Array { .. } if variable => {}
                Operation::Array { length, at, .. } => {
                    variable = length == Length::Variable;
                    let length = match length {
                        Length::Known(length) => Some(length),
                        _ => None,
                    };
                    let made = self.types.array(ty.link, length);
                    ty.link = made.map_err(|error| self.fail_types(at, error))?;
                }
                Operation::Function {
                    parameters,
                    convention,
                    at,
                } => {
                    let named = outermost && role == Role::Declaration;
                    let name = name.filter(|_| named);
                    let fixed = parameters.links.len();
                    let name = name.map(|name| self.spell(&[name.text]));
                    let made = self.types.function(Function {
                        name,
                        convention: convention.unwrap_or_default(),
                        result: ty.link,
                        params: parameters.links,
                        names: parameters.names,
                        fixed,
                        variadic: parameters.variadic,
                        open: parameters.variadic,
                        memo: Memo::default(),
                    });
                    ty = Qualified::plain(made.map_err(|error| self.fail_types(at, error))?);
                }
            }
        }
        match role {
            Role::Parameter => Ok(self.decay(ty)),
            Role::Declaration => Ok(self.name_function(ty, name)),
            Role::Other => Ok(ty),
        }
    }

    pub(super) fn pointer_to(&mut self, ty: Qualified, qualifiers: Qualifiers) -> Qualified {
        let pointee = if self.is_void(&ty.link) {
            None
        } else {
            Some(ty.link)
        };
        Qualified {
            link: self.types.pointer(pointee, ty.qualifiers),
            qualifiers,
        }
    }

    /// The element of an array that becomes a pointer: as complete as any array's.
    fn check_element(&self, element: &Qualified, at: u32) -> Parsed<()> {
        let view = self.view(element);
        // An array whose own length is a parameter's matter is one too.
        if view.is_complete() || view.kind() == TypeKind::Array {
            return Ok(());
        }
        let what = format!(
            "an array cannot consist of {name}, whose size is not known; use {name} *, or an array \
             of those",
            name = view.describe()
        );
        Err(self.fail(at, &what))
    }

    /// A function that is declared by a typedef of its type gets its name all the same.
    fn name_function(&mut self, ty: Qualified, name: Option<Word<'s>>) -> Qualified {
        let unnamed = match (&self.view(&ty).node.data, name) {
            (Data::Function(function), Some(name)) if function.name.is_none() => name,
            _ => return ty,
        };
        let name = self.spell(&[unnamed.text]);
        let named = self.types.function_like(&ty.link, |function| {
            function.name = Some(name);
        });
        named.map_or(ty, Qualified::plain)
    }
}

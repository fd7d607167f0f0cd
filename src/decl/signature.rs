//! One prototype by itself.

use super::Declarations;
use super::attribute::Attributes;
use super::declarator::{Naming, Role};
use super::parser::{Parsed, Parser, Purpose, check_size};
use crate::error::{Error, Result};
use crate::types::{Data, Kind, Link, Signature, Target, TypeRef};
use std::ffi::CString;

/// The signature that a prototype describes: `double pow(double, double)`.
///
/// The name is optional (`double (double, double)`), and so is a semicolon at the end. The type
/// may be given as a pointer to a function, or by the name of such a type. Structs may be written
/// out. Without `declarations` only the type names of C's own headers are known.
pub fn parse_signature(
    declarations: Option<&Declarations>,
    target: &'static Target,
    prototype: &str,
) -> Result<Signature> {
    labelled(declarations, target, prototype).map(|prototype| prototype.signature)
}

/// What a prototype says.
pub(super) struct Prototype<'s> {
    pub(super) signature: Signature,
    /// The symbol that an `__asm__` label gives the function.
    pub(super) label: Option<CString>,
    /// The name of a variable, which holds a pointer to such a function.
    pub(super) variable: Option<&'s str>,
}

/// The same, with all that the prototype says.
pub(super) fn labelled<'s>(
    declarations: Option<&Declarations>,
    target: &'static Target,
    prototype: &'s str,
) -> Result<Prototype<'s>> {
    check_size(prototype)?;
    let mut parser = Parser::new(prototype, target, declarations, Purpose::Call);
    let (link, label, name) = parser.prototype().map_err(|error| *error)?;
    let ty = parser.types.finish_with(link);
    let variable = name.filter(|_| ty.kind() != Kind::Function);
    let signature = match ty.kind() {
        Kind::Function => Signature::of_function(ty),
        _ => Signature::of(&ty),
    };
    // `prototype` has seen to it that it is a function.
    let signature = signature.ok_or_else(|| Error::argument("not a function"))?;
    Ok(Prototype {
        signature,
        label,
        variable,
    })
}

impl<'s> Parser<'s, '_> {
    fn prototype(&mut self) -> Parsed<(Link, Option<CString>, Option<&'s str>)> {
        let specifiers = self.specifiers(Attributes::default())?;
        let at = self.token.start;
        let declared = self.declarator(&specifiers, Naming::Optional, Role::Declaration)?;
        self.accept(b';');
        self.expect_end("a prototype")?;
        let place = declared.name.map_or(at, |name| name.at);
        self.check_callable(&declared.ty.link, place)?;
        let name = declared.name.map(|name| name.text);
        Ok((declared.ty.link, declared.label, name))
    }

    /// It is a function, and every value that travels has a size.
    fn check_callable(&self, link: &Link, at: u32) -> Parsed<()> {
        let view = self.types.get(link);
        let Some((view, function)) = view.function() else {
            let what = format!("expected a function's prototype, found {}", view.describe());
            return Err(self.fail(at, &what));
        };
        let result = view.follow(&function.result);
        if !result.is_complete() && result.kind() != Kind::Void {
            let what = format!("the result, {}", self.incomplete(result));
            return Err(self.fail(at, &what));
        }
        for (index, param) in function.params.iter().enumerate() {
            let param = view.follow(param);
            // Most need no closer look.
            if matches!(param.node.data, Data::Scalar(_) | Data::Pointer { .. }) {
                continue;
            }
            if !param.is_complete() {
                let what = format!("parameter {}, {}", index + 1, self.incomplete(param));
                return Err(self.fail(at, &what));
            }
        }
        Ok(())
    }

    /// What to say of a type whose members are not known.
    #[cold]
    fn incomplete(&self, ty: TypeRef<'_>) -> String {
        let name = ty.describe();
        match ty.kind() {
            Kind::Struct | Kind::Union => format!(
                "{name}, is incomplete: its members are not known; declare them before, or use \
                 {name} *"
            ),
            Kind::Enum => {
                format!("{name}, is incomplete: its constants are not known; declare them before")
            }
            _ => format!("{name}, is incomplete: its size is not known"),
        }
    }

    /// Nothing more may follow.
    pub(super) fn expect_end(&self, what: &str) -> Parsed<()> {
        match self.token.kind {
            super::lexer::Kind::End => Ok(()),
            _ => Err(self.unexpected(&format!("the end of the text after {what}"))),
        }
    }
}

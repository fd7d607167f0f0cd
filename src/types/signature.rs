//! Signatures: function types that are certain to be function types.

use super::builder::TypeBuilder;
use super::memo::Memo;
use super::scalar::{Kind, Scalar};
use super::table::{Convention, Data, Function, Link, ParameterNames, Type, TypeRef};
use super::target::Target;
use crate::error::{Error, Result};
use std::ffi::CStr;

/// A function type, held by a counted reference.
#[derive(Clone, Debug)]
pub struct Signature(Type);

fn incomplete(ty: TypeRef<'_>) -> Error {
    let name = ty.describe();
    Error::argument(format!(
        "{name} is incomplete: its members are not known, so it has no size"
    ))
}

impl Signature {
    /// The signature that a function type is; of a pointer to a function, what it points to.
    pub fn of(ty: &Type) -> Option<Signature> {
        match &ty.node().data {
            Data::Function(_) => Some(Signature(ty.clone())),
            Data::Pointer {
                pointee: Some(link),
                ..
            } => {
                let pointee = ty.follow(link);
                matches!(pointee.node().data, Data::Function(_)).then_some(Signature(pointee))
            }
            _ => None,
        }
    }

    /// The same, without another reference to the type, which must be a function's.
    pub fn of_function(ty: Type) -> Option<Signature> {
        matches!(ty.node().data, Data::Function(_)).then_some(Signature(ty))
    }

    /// A signature of given types. With `fixed` less than their number, the rest are the extra
    /// arguments of a variadic call.
    pub fn new(
        target: &'static Target,
        convention: Convention,
        result: &Type,
        params: &[Type],
        fixed: usize,
    ) -> Result<Signature> {
        if fixed > params.len() {
            return Err(Error::argument(format!(
                "fixed: expected at most the number of parameters, {}, got {fixed}",
                params.len()
            )));
        }
        let function = Function {
            name: None,
            convention,
            result: Link::Type(result.clone()),
            params: params.iter().cloned().map(Link::Type).collect(),
            names: ParameterNames::default(),
            fixed,
            variadic: fixed < params.len(),
            open: false,
            memo: Memo::default(),
        };
        Signature::build(target, function)
    }

    /// The signature of one call of this variadic function, with the types of its extra
    /// arguments, which may be none.
    pub fn complete_variadic(&self, extra: &[Type]) -> Result<Signature> {
        let function = self.function();
        if !function.variadic {
            return Err(Error::argument(format!(
                "{} is not variadic: its prototype does not end in \", ...\"",
                self.describe()
            )));
        }
        let named = function.params[..function.fixed].iter();
        let named = named.map(|link| Link::Type(self.0.follow(link)));
        let function = Function {
            result: Link::Type(self.0.follow(&function.result)),
            params: named.chain(extra.iter().cloned().map(Link::Type)).collect(),
            open: false,
            memo: Memo::default(),
            ..function.clone()
        };
        Signature::build(self.0.node().target, function)
    }

    fn build(target: &'static Target, function: Function) -> Result<Signature> {
        let name = function.name.clone();
        let mut types = TypeBuilder::new(target);
        let built = types.function(function).and_then(|link| {
            let signature = Signature(types.finish_with(link));
            signature.check_extra()?;
            Ok(signature)
        });
        built.map_err(|error| match name {
            Some(name) => error.within(name.to_string_lossy()),
            None => error,
        })
    }

    /// Extra arguments arrive promoted (C11, 6.5.2.2p6): a narrower type would be a mistake.
    fn check_extra(&self) -> Result<()> {
        let function = self.function();
        for index in function.fixed..function.params.len() {
            let ty = self.param(index);
            let promoted = match ty.get().value_kind() {
                Kind::F32 => Scalar::Double,
                Kind::Bool | Kind::I8 | Kind::U8 | Kind::I16 | Kind::U16 => Scalar::Int,
                _ => continue,
            };
            return Err(Error::argument(format!(
                "parameter {}: expected {}, to which C promotes an extra argument of a variadic \
                 call, got {}",
                index + 1,
                promoted.spelling().to_string_lossy(),
                ty.get().describe()
            )));
        }
        Ok(())
    }

    /// Its variadic part is known, and every type that travels by value is complete.
    pub fn check_callable(&self) -> Result<()> {
        let function = self.function();
        if function.open {
            return Err(Error::argument(
                "the function is variadic: complete its signature with the types of the extra \
                 arguments of one call (fc_signature_variadic)",
            ));
        }
        self.check_types()
    }

    /// Every type that travels by value is complete.
    pub fn check_types(&self) -> Result<()> {
        let function = self.function();
        let view = self.get();
        for (index, param) in function.params.iter().enumerate() {
            let ty = view.follow(param);
            if !ty.is_complete() {
                return Err(incomplete(ty).within(format!("parameter {}", index + 1)));
            }
        }
        let result = view.follow(&function.result);
        if !result.is_complete() && result.kind() != Kind::Void {
            return Err(incomplete(result).within("result"));
        }
        Ok(())
    }

    /// The function type.
    pub fn ty(&self) -> &Type {
        &self.0
    }

    /// The function type, given up by the signature.
    pub fn into_type(self) -> Type {
        self.0
    }

    /// The same, borrowed.
    pub fn get(&self) -> TypeRef<'_> {
        self.0.get()
    }

    /// What it is made of.
    pub fn function(&self) -> &Function {
        match &self.0.node().data {
            Data::Function(function) => function,
            // `of` and `build` are the only makers.
            _ => unreachable!("a signature's type is a function type"),
        }
    }

    /// The type of a parameter, or of an extra argument.
    pub fn param(&self, index: usize) -> Type {
        self.0.follow(&self.function().params[index])
    }

    /// The type of the result.
    pub fn result(&self) -> Type {
        self.0.follow(&self.function().result)
    }

    /// The name of the function, empty if it has none.
    pub fn name(&self) -> &CStr {
        self.function().name.as_deref().unwrap_or_default()
    }

    /// The name, or the type where there is none.
    pub fn describe(&self) -> String {
        match self.name().is_empty() {
            true => self.get().name().to_string_lossy().into_owned(),
            false => self.name().to_string_lossy().into_owned(),
        }
    }

    /// The whole prototype as C text.
    pub fn prototype(&self) -> String {
        self.get().declare(&self.name().to_string_lossy())
    }
}

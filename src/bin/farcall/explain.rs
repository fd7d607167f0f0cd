//! `farcall explain`: where every byte of a call travels.

use crate::Failure;
use crate::abi::Abi;
use crate::declarations::{Context, Sources};
use farcall::types::{Signature, Target};
use farcall::{code, decl, invoke};

/// What the command line asks for.
#[derive(Clone, Debug)]
pub(crate) struct Explain {
    pub(crate) prototype: String,
    pub(crate) sources: Sources,
    pub(crate) abi: Option<Abi>,
}

pub(crate) fn run(explain: &Explain) -> Result<String, Failure> {
    let target = explain.abi.map_or_else(code::target, Abi::target);
    let signature = signature(&explain.prototype, &explain.sources, target)?;
    Ok(invoke::explain_table(&signature)?)
}

/// The signature of a prototype or of a declared function. Of a variadic one, that of a call without
/// extra arguments.
pub(crate) fn signature(
    prototype: &str,
    sources: &Sources,
    target: &'static Target,
) -> Result<Signature, Failure> {
    let context = Context::load(sources, target)?;
    let signature = decl::signature(context.declarations(), target, prototype)
        .map_err(|error| context.refused(error, prototype))?;
    match signature.function().open {
        true => Ok(signature.complete_variadic(&[])?),
        false => Ok(signature),
    }
}

//! `farcall explain`: where every byte of a call travels.

use crate::Failure;
use crate::prototypes::{Prototypes, completed};
use farcall::{abi, invoke};

/// What the command line asks for.
#[derive(Clone, Debug)]
pub(crate) struct Explain {
    pub(crate) prototypes: Prototypes,
    /// As lines for programs.
    pub(crate) places: bool,
}

pub(crate) fn run(explain: &Explain) -> Result<String, Failure> {
    if explain.places {
        return explain.prototypes.lines(|signature| {
            let assignment = abi::assign(&completed(signature.clone())?)?;
            Ok(abi::places(&assignment))
        });
    }
    Ok(invoke::explain_table(&explain.prototypes.signature()?)?)
}

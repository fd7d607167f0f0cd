//! The calls that `explain` and `disasm` are asked about: of one prototype, or of many that stand in the
//! standard input.

use crate::Failure;
use crate::declarations::{Context, Sources, reason};
use farcall::decl;
use farcall::types::{Signature, Target};
use std::io::Read;

/// What the command line says of them.
#[derive(Clone, Debug)]
pub(crate) struct Prototypes {
    /// A prototype or the name of a declared function, or `-`.
    pub(crate) prototype: String,
    /// The types of a variadic call's extra arguments.
    pub(crate) extra: Vec<String>,
    pub(crate) sources: Sources,
    pub(crate) target: &'static Target,
}

impl Prototypes {
    /// The signature of the one. A variadic one is open if no extra arguments are named.
    pub(crate) fn signature(&self) -> Result<Signature, Failure> {
        if self.prototype == "-" {
            return Err(Failure::Usage(
                "prototypes from the standard input are for --bytes and --places".to_owned(),
            ));
        }
        let context = Context::load(&self.sources, self.target)?;
        let extra: Vec<&str> = self.extra.iter().map(String::as_str).collect();
        self.one(&context, &self.prototype, &extra)
    }

    /// A line for each. In the place of one that is wrong stands why, behind "error: ".
    pub(crate) fn lines(
        &self,
        line: impl Fn(&Signature) -> Result<String, Failure>,
    ) -> Result<String, Failure> {
        if self.prototype != "-" {
            return Ok(line(&self.signature()?)? + "\n");
        }
        if self.sources.files.iter().any(|file| file == "-") {
            return Err(Failure::Usage(
                "the standard input has either declarations or prototypes".to_owned(),
            ));
        }
        if !self.extra.is_empty() {
            return Err(Failure::Usage(
                "the types of extra arguments stand behind their prototype in the standard input, \
                 after tabs"
                    .to_owned(),
            ));
        }
        let context = Context::load(&self.sources, self.target)?;
        let mut input = String::new();
        std::io::stdin()
            .read_to_string(&mut input)
            .map_err(|error| Failure::Failed(format!("the standard input: {}", reason(&error))))?;
        let (mut text, mut count, mut wrong) = (String::new(), 0, 0);
        for words in input.lines() {
            let mut words = words.split('\t');
            let prototype = words.next().unwrap_or_default();
            let extra: Vec<_> = words.collect();
            let made = self.one(&context, prototype, &extra);
            count += 1;
            match made.and_then(|signature| line(&signature)) {
                Ok(line) => text.push_str(&line),
                Err(failure) => {
                    wrong += 1;
                    let message = failure.message();
                    text.push_str("error: ");
                    text.push_str(message.lines().next().unwrap_or_default());
                }
            }
            text.push('\n');
        }
        match wrong {
            0 => Ok(text),
            _ => Err(Failure::Partly {
                text,
                message: format!("{wrong} of {count} prototypes are wrong"),
            }),
        }
    }

    fn one(
        &self,
        context: &Context,
        prototype: &str,
        extra: &[&str],
    ) -> Result<Signature, Failure> {
        let signature = decl::signature(context.declarations(), self.target, prototype)
            .map_err(|error| context.refused(error, prototype))?;
        if extra.is_empty() {
            return Ok(signature);
        }
        let mut types = Vec::with_capacity(extra.len());
        for name in extra {
            let found = context.declarations.find_type(name);
            types.push(found.map_err(|error| context.refused(error, name))?);
        }
        Ok(signature.complete_variadic(&types)?)
    }
}

/// The signature of a call: of a variadic function without extra arguments, if none were named.
pub(crate) fn completed(signature: Signature) -> Result<Signature, Failure> {
    match signature.function().open {
        true => Ok(signature.complete_variadic(&[])?),
        false => Ok(signature),
    }
}

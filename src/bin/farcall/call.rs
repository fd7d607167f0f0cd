//! `farcall call` and `farcall explain`.

use crate::parse::Arguments;
use crate::{Failure, parse, print};
use farcall::code;
use farcall::decl;
use farcall::invoke::{self, Function, Options};
use farcall::library::{Library, OpenOptions};
use std::ffi::c_void;
use std::path::Path;
use std::sync::Arc;

/// Memory that is aligned for every type of at most 64 bytes' alignment.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Unit(#[allow(dead_code, reason = "only its memory is used")] [u8; 64]);

pub(crate) fn call(
    library: &str,
    prototype: &str,
    arguments: &[String],
) -> Result<String, Failure> {
    let library = Arc::new(Library::open(
        Some(Path::new(library)),
        &OpenOptions::default(),
    )?);
    let (signature, symbol) = decl::function(None, code::target(), prototype)?;
    let function = Function::bind(&library, signature, &symbol, Options::default())?;
    let signature = function.signature();
    let count = signature.function().params.len();
    if arguments.len() != count {
        return Err(Failure::Usage(format!(
            "{}: expected {count} arguments, got {}",
            signature.describe(),
            arguments.len()
        )));
    }
    let mut values = Arguments::default();
    for (index, text) in arguments.iter().enumerate() {
        let ty = signature.param(index);
        parse::argument(&mut values, ty.get(), text).map_err(|message| {
            Failure::Failed(format!(
                "{}: argument {}: {message}",
                signature.describe(),
                index + 1
            ))
        })?;
    }
    let result = signature.result();
    let size = result.get().size() as usize;
    let mut memory = vec![Unit([0; 64]); size.div_ceil(64).max(1)];
    let pointers = values.pointers();
    // SAFETY: the values are of the parameters' types and the result has its memory; that the
    // prototype is the function's own is the user's word.
    unsafe {
        function.invoke(memory.as_mut_ptr().cast::<c_void>(), pointers.as_ptr());
        // What the function wrote to C's standard output goes before the result.
        flush_c_output();
        let bytes = std::slice::from_raw_parts(memory.as_ptr().cast::<u8>(), size);
        Ok(match print::value(result.get(), bytes) {
            text if text.is_empty() => text,
            text => text + "\n",
        })
    }
}

fn flush_c_output() {
    // SAFETY: NULL stands for every open stream.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

pub(crate) fn explain(prototype: &str) -> Result<String, Failure> {
    let signature = decl::parse_signature(None, code::target(), prototype)?;
    Ok(invoke::explain_table(&signature)?)
}

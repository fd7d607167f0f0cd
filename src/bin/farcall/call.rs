//! `farcall call`: one call, with values from the command line.

use crate::Failure;
use crate::declarations::{self, Context, Sources};
use crate::print::Printer;
use crate::read::Reader;
use crate::style::Style;
use crate::{function, memory};
use farcall::code;
use farcall::decl;
use farcall::invoke::{Function, Options};
use farcall::library::{Library, OpenOptions};
use farcall::types::{Kind, Signature, Type};
use std::ffi::{CStr, c_void};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) library: std::ffi::OsString,
    pub(crate) prototype: String,
    pub(crate) arguments: Vec<Vec<u8>>,
    pub(crate) sources: Sources,
    pub(crate) shows_errno: bool,
    /// What a pointer result points to is printed.
    pub(crate) follows: bool,
}

pub(crate) fn run(call: &Call, style: Style) -> Result<String, Failure> {
    let mut context = Context::load(&call.sources, code::target())?;
    let (signature, symbol) =
        decl::function(context.declarations(), code::target(), &call.prototype)
            .map_err(|error| context.refused(error, &call.prototype))?;
    context.add_prototype(&call.prototype);
    let library = Library::open(Some(Path::new(&call.library)), &OpenOptions::default())?;
    let library = Arc::new(library);
    // Symbols come from text, which is UTF-8.
    let target = function::find(&library, &symbol.to_string_lossy())?;
    check_count(&signature, call.arguments.len())?;

    let names = declarations::parameter_names(&signature);
    let mut reader = Reader::new(&context, &library);
    let (signature, values) = read(&mut reader, &signature, &names, &call.arguments)?;
    let outputs = reader.outputs;

    let options = Options {
        capture_errno: call.shows_errno,
        ..Options::default()
    };
    let function = Function::new(signature, target, options, Some(Arc::clone(&library)))?;
    let result = function.signature().result();
    let bytes = invoke(&function, &result, &values).map_err(Failure::Failed)?;
    let errno = code::captured_errno();
    let printer = Printer::new();
    let mut text = String::new();
    if result.kind() != Kind::Void {
        text = printer.value(result.get(), &bytes) + "\n";
    }
    // Writing to a string cannot fail.
    if call.follows
        && let Some(value) = printer.pointee(result.get(), &bytes)
    {
        let _ = writeln!(text, "{} = {value}", style.label("*result"));
    }
    for output in &outputs {
        let value = printer.output(output);
        let _ = writeln!(text, "{} = {value}", style.label(&output.label));
    }
    if call.shows_errno {
        let _ = writeln!(text, "{} = {}", style.label("errno"), error_number(errno));
    }
    Ok(text)
}

fn check_count(signature: &Signature, count: usize) -> Result<(), Failure> {
    let function = signature.function();
    let fixed = function.params.len();
    if count == fixed || function.open && count > fixed {
        return Ok(());
    }
    let least = if function.open { "at least " } else { "" };
    let plural = if fixed == 1 { "" } else { "s" };
    Err(Failure::Usage(format!(
        "{}: expected {least}{fixed} argument{plural}, got {count}: {}",
        signature.describe(),
        signature.prototype()
    )))
}

/// The values of all arguments, and the signature of this one call.
fn read(
    reader: &mut Reader<'_>,
    signature: &Signature,
    names: &[Option<String>],
    arguments: &[Vec<u8>],
) -> Result<(Signature, Vec<u64>), Failure> {
    let function = signature.function();
    let mut extra: Vec<Type> = Vec::new();
    let mut values = Vec::with_capacity(arguments.len());
    for (index, source) in arguments.iter().enumerate() {
        let number = index + 1;
        let name = names.get(index).and_then(Option::as_ref);
        let parameter = name.cloned().unwrap_or_else(|| number.to_string());
        let read = match index < function.params.len() {
            true => {
                let ty = signature.param(index);
                reader
                    .argument(ty.get(), source, &parameter)
                    .map(|bytes| (ty, bytes))
            }
            false => reader.extra(source, &parameter).inspect(|(ty, _)| {
                extra.push(ty.clone());
            }),
        };
        let kept =
            read.and_then(|(ty, bytes)| memory::keep(&bytes, ty.get().size(), ty.get().align()));
        values.push(kept.map_err(|message| {
            let name = name.map_or(String::new(), |name| format!(" ({name})"));
            Failure::Failed(format!(
                "{}: parameter {number}{name}: {message}",
                signature.describe()
            ))
        })?);
    }
    let signature = match function.open {
        true => signature.complete_variadic(&extra)?,
        false => signature.clone(),
    };
    Ok((signature, values))
}

/// Calls with the addresses of the values. Gives the bytes of the result.
fn invoke(function: &Function, result: &Type, values: &[u64]) -> Result<Vec<u8>, String> {
    let size = result.get().size();
    let place = memory::keep(&[], size, result.get().align())?;
    let pointers: Vec<*const c_void> = values.iter().map(|&value| value as *const c_void).collect();
    // SAFETY: the values are of the parameters' types and the result has its memory; that the
    // prototype is the function's own is the user's word. NULL stands for every open stream: what
    // the function wrote to C's standard output goes before the result.
    unsafe {
        *libc::__errno_location() = 0;
        function.invoke(place as *mut c_void, pointers.as_ptr());
        libc::fflush(std::ptr::null_mut());
    }
    Ok(memory::kept(place, size).to_vec())
}

/// `2 (ENOENT: No such file or directory)`
fn error_number(number: i32) -> String {
    if number == 0 {
        return "0".to_owned();
    }
    // SAFETY: the text is the C library's, and nothing here asks for another meanwhile.
    let words = unsafe { CStr::from_ptr(libc::strerror(number)) };
    let words = words.to_string_lossy();
    match error_name(number) {
        Some(name) => format!("{number} ({name}: {words})"),
        None => format!("{number} ({words})"),
    }
}

/// `ENOENT`, from C libraries that can tell.
fn error_name(number: i32) -> Option<String> {
    let library = Arc::new(Library::open(None, &OpenOptions::default()).ok()?);
    let prototype = "const char *strerrorname_np(int)";
    let (signature, symbol) = decl::function(None, code::target(), prototype).ok()?;
    let function = Function::bind(&library, signature, &symbol, Options::default()).ok()?;
    let mut name: u64 = 0;
    let arguments = [(&raw const number).cast::<c_void>()];
    // SAFETY: the prototype is the function's own, and so are the arguments.
    unsafe { function.invoke((&raw mut name).cast(), arguments.as_ptr()) };
    let name = (name != 0).then(|| memory::string(name)).flatten()?;
    String::from_utf8(name).ok()
}

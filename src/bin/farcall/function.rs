//! The functions of a library, by their names.

use farcall::error::{Error, Result};
use farcall::library::Library;
use farcall::library::symbols::{Exported, Kind, exported};
use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The address of a function. A variable is refused: to call it is to crash.
pub(crate) fn find(library: &Library, name: &str) -> Result<*mut c_void> {
    let address = library.symbol(name)?;
    // The loader also finds what the libraries have that this one needs.
    let files = [Some(library.path()), file_of(address)];
    let kind = files
        .into_iter()
        .flatten()
        .find_map(|file| kind(file, name));
    let what = match kind {
        Some(Kind::Variable) => "a variable",
        Some(Kind::ThreadLocal) => "a variable of each thread",
        _ => return Ok(address),
    };
    Err(Error::argument(format!("{name} is {what}, not a function")))
}

/// What a file exports by a name, which may have a version.
fn kind(file: &CStr, name: &str) -> Option<Kind> {
    let symbols = exported(Path::new(OsStr::from_bytes(file.to_bytes()))).ok()?;
    let (bare, version) = match name.split_once('@') {
        Some((bare, version)) => (bare, Some(version.trim_start_matches('@'))),
        None => (name, None),
    };
    let is_meant = |one: &&Exported| {
        one.name == bare
            && match version {
                Some(version) => one.version.as_deref() == Some(version),
                None => one.is_default || one.version.is_none(),
            }
    };
    symbols.iter().find(is_meant).map(|one| one.kind)
}

/// The file that is loaded at an address.
fn file_of<'a>(address: *const c_void) -> Option<&'a CStr> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: it looks the address up, and does not follow it.
    let found = unsafe { libc::dladdr(address, info.as_mut_ptr()) } != 0;
    // SAFETY: null pointers are valid in it, and so is what the loader has written.
    let file = unsafe { info.assume_init() }.dli_fname;
    // SAFETY: the name is the loader's, and stays as long as the library is loaded, which no one
    // closes in this program.
    (found && !file.is_null()).then(|| unsafe { CStr::from_ptr(file) })
}

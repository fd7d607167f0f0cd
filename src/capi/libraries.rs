//! Libraries.

use super::status::{fc_status, guard};
use super::{Out, check_flags, options, required, slice, text};
use crate::error::Result;
use crate::library::{Library, OpenOptions};
use libc::size_t;
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// How a library is opened.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fc_open_flags {
    /// Its symbols serve libraries that are loaded later (RTLD_GLOBAL).
    FC_OPEN_GLOBAL = 1,
    /// Functions that it needs are looked up when they are first called (RTLD_LAZY), not now.
    FC_OPEN_LAZY = 2,
    /// It stays loaded for as long as the process runs (RTLD_NODELETE).
    FC_OPEN_NODELETE = 4,
    /// Its own symbols go before those of the program (RTLD_DEEPBIND), where the system can.
    FC_OPEN_DEEPBIND = 8,
}

use fc_open_flags::*;

/// How a library is opened. Zero it, then set `size`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fc_open_options {
    /// sizeof(fc_open_options).
    pub size: size_t,
    /// fc_open_flags.
    pub flags: u32,
    /// Folders that are tried first for a bare name.
    pub search: *const *const c_char,
    /// Their number.
    pub search_count: size_t,
}

/// An open library.
pub struct fc_library {
    _private: [u8; 0],
}

/// The library that C's pointer stands for.
///
/// # Safety
///
/// `pointer` is NULL or points to a library that lives.
pub(super) unsafe fn library_of(pointer: *const fc_library, what: &str) -> Result<Arc<Library>> {
    let pointer: *const Library = pointer.cast();
    // SAFETY: the caller's promise; the pointer came from `Arc::into_raw`.
    unsafe {
        required(pointer, what)?;
        Arc::increment_strong_count(pointer);
        Ok(Arc::from_raw(pointer))
    }
}

/// A path from C: any bytes.
unsafe fn path<'a>(pointer: *const c_char, what: &str) -> Result<&'a Path> {
    // SAFETY: the caller's promise.
    let first = unsafe { required(pointer, what)? };
    // SAFETY: as above.
    let bytes = unsafe { CStr::from_ptr(first) }.to_bytes();
    Ok(Path::new(OsStr::from_bytes(bytes)))
}

/// Opens a library.
///
/// @param path    NULL: the running program and all that it has loaded. With a slash: that file. A bare
///                name is tried in the folders of `options`, then as given, then in the platform's
///                forms: "m" is looked for as libm.so.6 and libm.so.
/// @param options flags and folders; NULL: the defaults, which are symbols that are looked up at once
///                and serve no other library.
/// @param out     the library, which the caller frees with fc_library_free.
///
/// Any thread may call this. The library's initializers run on it.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL, unknown flags or an empty name; FC_ERR_NOT_FOUND if there is
///         no such file: the message names what was tried; FC_ERR_LOAD if the file is there and the
///         system's loader refuses it: the message says why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_library_open(
    path: *const c_char,
    options: *const fc_open_options,
    out: *mut *mut fc_library,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_library_open: out")?;
        // SAFETY: the pointers are as the documentation asks.
        let (name, how) = unsafe { (open_path(path)?, open_options(options)?) };
        let library = Library::open(name, &how)?;
        out.write(Arc::into_raw(Arc::new(library)).cast_mut().cast());
        Ok(())
    })
}

unsafe fn open_path<'a>(pointer: *const c_char) -> Result<Option<&'a Path>> {
    match pointer.is_null() {
        true => Ok(None),
        // SAFETY: the caller's promise.
        false => unsafe { path(pointer, "fc_library_open: path").map(Some) },
    }
}

unsafe fn open_options(pointer: *const fc_open_options) -> Result<OpenOptions> {
    // SAFETY: the caller's promise.
    unsafe {
        let given = options(pointer, "fc_library_open: options")?;
        let known = FC_OPEN_GLOBAL as u32
            | FC_OPEN_LAZY as u32
            | FC_OPEN_NODELETE as u32
            | FC_OPEN_DEEPBIND as u32;
        check_flags(given.flags, known, "fc_library_open: options")?;
        let folders = slice(
            given.search,
            given.search_count,
            "fc_library_open: options.search",
        )?;
        let folder = |(index, &folder)| {
            let what = format!("fc_library_open: options.search[{index}]");
            path(folder, &what).map(Path::to_owned)
        };
        Ok(OpenOptions {
            global: given.flags & FC_OPEN_GLOBAL as u32 != 0,
            lazy: given.flags & FC_OPEN_LAZY as u32 != 0,
            nodelete: given.flags & FC_OPEN_NODELETE as u32 != 0,
            deepbind: given.flags & FC_OPEN_DEEPBIND as u32 != 0,
            search: folders
                .iter()
                .enumerate()
                .map(folder)
                .collect::<Result<_>>()?,
        })
    }
}

/// The address of a function or variable in a library, or in a library that it needs.
///
/// @param library the library.
/// @param name    the symbol's name; "name@VERSION" and "name@@VERSION" ask for one version of it.
/// @param out     its address. It is good for as long as the library is open.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL, an empty name or text that is no UTF-8; FC_ERR_NOT_FOUND if
///         there is no such symbol.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_library_symbol(
    library: *const fc_library,
    name: *const c_char,
    out: *mut *mut c_void,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_library_symbol: out")?;
        // SAFETY: the pointers are as the documentation asks.
        let (library, name) = unsafe {
            (
                library_of(library, "fc_library_symbol: library")?,
                text(name, "fc_library_symbol: name")?,
            )
        };
        out.write(library.symbol(name)?);
        Ok(())
    })
}

/// The file of a library as the system's loader resolved it; of the running program, its own file.
///
/// @return the path, which lives as long as the library; NULL for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_library_path(library: *const fc_library) -> *const c_char {
    // SAFETY: the pointer is as the documentation asks.
    let library = unsafe { library.cast::<Library>().as_ref() };
    library.map_or(std::ptr::null(), |library| library.path().as_ptr())
}

/// Gives a library back. It is closed when nothing that was bound from it is left either.
///
/// @param library what fc_library_open gave; NULL does nothing.
///
/// Any thread may call this. The library's finalizers may run on it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_library_free(library: *mut fc_library) {
    if !library.is_null() {
        // SAFETY: it came from `Arc::into_raw`, and this reference is given back once.
        drop(unsafe { Arc::from_raw(library.cast_const().cast::<Library>()) });
    }
}

//! Libraries.

use super::status::{fc_status, guard};
use super::{Out, check_flags, null, options, required, slice, text};
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
pub(super) unsafe fn path<'a>(pointer: *const c_char, what: &str) -> Result<&'a Path> {
    // SAFETY: the caller's promise.
    let first = unsafe { required(pointer, what)? };
    // SAFETY: as above.
    let bytes = unsafe { CStr::from_ptr(first) }.to_bytes();
    Ok(Path::new(OsStr::from_bytes(bytes)))
}

/// Opens a library.
///
/// @param path    NULL: the running program and all that it has loaded. With a slash: that file, for a
///                relative path counted from the current folder. A bare name is tried in the folders
///                of `options`, in their order, then as given, then in the platform's forms: "m" is
///                looked for as libm.so.6 and libm.so. In each folder a version's file will do
///                ("z" is libz.so.1.3), the newest first.
/// @param options flags and folders; NULL: the defaults, which are symbols that are looked up at once
///                and serve no other library.
/// @param out     the library, which the caller frees with fc_library_free.
///
/// Opening what is open already gives another reference to it. Any thread may call this. The library's
/// initializers run on it. Where there is no library of a bare name, folders are read for the message:
/// that takes milliseconds.
///
/// @return FC_OK;
///         FC_ERR_ARGUMENT for NULL in `out` or among the folders, unknown flags, or an empty name;
///         FC_ERR_NOT_FOUND if there is no such file: the message names what was tried, every folder
///         that was looked in, and what comes near the name;
///         FC_ERR_LOAD if the file is there and cannot be loaded: it is for another machine or no
///         library at all, it is cut off, it may not be read, it needs a library, a version or a symbol
///         that is not there; the message says which and how to mend it;
///         FC_ERR_DENIED if the policy (fc_policy_allow) forbids it;
///         FC_ERR_MEMORY or FC_ERR_SYSTEM if memory or descriptors have run out.
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

/// Opens a library that is in memory, as if its bytes were a file. Each call makes a library of its
/// own, with its own variables.
///
/// @param image  the bytes of a shared library. They are copied, and may be freed after the call.
/// @param length their number.
/// @param out    the library, which the caller frees with fc_library_free.
///
/// Its symbols are looked up at once and serve no other library, as with NULL for the options of
/// fc_library_open. It has no folder: $ORIGIN in what it needs means nothing. fc_library_path, debuggers
/// and /proc/self/maps show it by a name of the system's choice. As with a file, what is loaded later and
/// needs a library of its DT_SONAME gets this one. It holds a descriptor, which is closed
/// with it and on exec. Any thread may call this. The library's initializers run on it.
///
/// @return FC_OK;
///         FC_ERR_ARGUMENT for NULL, or more bytes than memory can hold;
///         FC_ERR_LOAD if these are no bytes of a library that this process can load, none at all
///         among them: the message says what they are instead, or what the library needs;
///         FC_ERR_FAULT if some of the bytes cannot be read;
///         FC_ERR_DENIED if there is a policy (fc_policy_allow), which allows files only;
///         FC_ERR_MEMORY, FC_ERR_SYSTEM or FC_ERR_LIMIT if the system has no room or no descriptor for
///         the copy, or if very many libraries from memory stayed loaded after they were closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_library_open_bytes(
    image: *const c_void,
    length: size_t,
    out: *mut *mut fc_library,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_library_open_bytes: out")?;
        if image.is_null() {
            return Err(null("fc_library_open_bytes: image"));
        }
        // SAFETY: the pointer is as the documentation asks.
        let library = unsafe { Library::open_memory(image.cast(), length)? };
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
/// @param name    the symbol's name. "name@VERSION" asks for one version of it, and "name@@VERSION" for
///                the version that the name alone means.
/// @param out     its address. It is good for as long as the library is open. Of a thread-local
///                variable it is the calling thread's.
///
/// Any thread may call this. Where there is no such symbol, files are read for the message: a look-up
/// that fails takes milliseconds.
///
/// @return FC_OK;
///         FC_ERR_ARGUMENT for NULL, an empty name or version, or text that is no UTF-8;
///         FC_ERR_NOT_FOUND if there is no such symbol: the message has the nearest names, or the
///         versions that there are, or says that the library keeps it for itself.
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

/// The file of a library as the system's loader resolved it; of the running program, its own file. It
/// does not depend on the current folder.
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

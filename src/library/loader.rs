//! The system's loader, through `libloading`, and the two calls that it does not cover: symbols by
//! version, and the path that a library was found at.

use super::OpenOptions;
use libloading::os::unix::Library;
use std::ffi::{CStr, CString, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// An open library. It is closed when this is dropped.
pub(super) struct Handle {
    library: Library,
    raw: *mut c_void,
}

// SAFETY: the loader's functions may be called with a handle from any thread.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.path())
    }
}

/// The beginning of the loader's record of a library (dlinfo(3)).
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const c_char,
}

const RTLD_DI_LINKMAP: c_int = 2;

unsafe extern "C" {
    fn dlinfo(handle: *mut c_void, request: c_int, info: *mut c_void) -> c_int;
    #[cfg(target_env = "gnu")]
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
}

impl Handle {
    pub(super) fn program() -> Handle {
        Handle::new(Library::this())
    }

    fn new(library: Library) -> Handle {
        let raw = library.into_raw();
        // SAFETY: the handle has just come out of a library, which is made anew from it.
        let library = unsafe { Library::from_raw(raw) };
        Handle { library, raw }
    }

    pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Handle, String> {
        let mut flags = if options.lazy {
            libc::RTLD_LAZY
        } else {
            libc::RTLD_NOW
        };
        flags |= if options.global {
            libc::RTLD_GLOBAL
        } else {
            libc::RTLD_LOCAL
        };
        if options.nodelete {
            flags |= libc::RTLD_NODELETE;
        }
        #[cfg(target_env = "gnu")]
        if options.deepbind {
            flags |= libc::RTLD_DEEPBIND;
        }
        // SAFETY: whoever opens a library answers for what its initializers do.
        match unsafe { Library::open(Some(path), flags) } {
            Ok(library) => Ok(Handle::new(library)),
            Err(error) => Err(reason(&error)),
        }
    }

    pub(super) fn symbol(
        &self,
        name: &CStr,
        version: Option<&CStr>,
    ) -> Result<*mut c_void, String> {
        match version {
            None => {
                // SAFETY: the address is not used here.
                let symbol = unsafe { self.library.get::<*mut c_void>(name.to_bytes_with_nul()) };
                match symbol {
                    Ok(symbol) => Ok(symbol.into_raw()),
                    Err(_) => Err(String::new()),
                }
            }
            Some(version) => self.versioned_symbol(name, version),
        }
    }

    #[cfg(target_env = "gnu")]
    fn versioned_symbol(&self, name: &CStr, version: &CStr) -> Result<*mut c_void, String> {
        // SAFETY: the handle is open and the strings end in NUL.
        let address = unsafe { dlvsym(self.raw, name.as_ptr(), version.as_ptr()) };
        if address.is_null() {
            Err(String::new())
        } else {
            Ok(address)
        }
    }

    #[cfg(not(target_env = "gnu"))]
    fn versioned_symbol(&self, _: &CStr, _: &CStr) -> Result<*mut c_void, String> {
        Err(": this system's loader knows no symbol versions".to_owned())
    }

    /// The path as the loader resolved it; of the program, its file.
    pub(super) fn path(&self) -> CString {
        let mut map: *const LinkMap = std::ptr::null();
        // SAFETY: the handle is open, and this request writes one pointer.
        let found = unsafe { dlinfo(self.raw, RTLD_DI_LINKMAP, (&raw mut map).cast()) };
        if found == 0 && !map.is_null() {
            // SAFETY: the record lives as long as the library, its name ends in NUL.
            let name = unsafe { CStr::from_ptr((*map).name) };
            if !name.is_empty() {
                return name.to_owned();
            }
        }
        let program = std::env::current_exe().unwrap_or_default();
        CString::new(program.into_os_string().into_vec()).unwrap_or_default()
    }
}

/// The path of a library that is loaded already, by the name by which it is needed.
pub(super) fn loaded(name: &Path) -> Option<PathBuf> {
    // SAFETY: nothing is loaded, so that no initializer runs.
    let library = unsafe { Library::open(Some(name), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    let path = Handle::new(library.ok()?).path().into_bytes();
    Some(PathBuf::from(OsString::from_vec(path)))
}

/// The loader's own words.
fn reason(error: &libloading::Error) -> String {
    use std::error::Error;
    match error.source() {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

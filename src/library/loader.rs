//! The system's loader, through `libloading`, and the calls that it does not cover: symbols by
//! version, the path that a library was found at, and what else is loaded.

use super::OpenOptions;
use crate::code;
use libloading::os::unix::Library;
use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
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
    dynamic: *const c_void,
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
            Ok(library) => {
                code::announce_to_new_unwinders();
                Ok(Handle::new(library))
            }
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

    /// The loader's record.
    fn map(&self) -> Option<&LinkMap> {
        let mut map: *const LinkMap = std::ptr::null();
        // SAFETY: the handle is open, and this request writes one pointer.
        let found = unsafe { dlinfo(self.raw, RTLD_DI_LINKMAP, (&raw mut map).cast()) };
        if found != 0 {
            return None;
        }
        // SAFETY: the record lives as long as the library.
        unsafe { map.as_ref() }
    }

    /// The path as the loader resolved it; of the program, its file.
    pub(super) fn path(&self) -> CString {
        if let Some(map) = self.map() {
            // SAFETY: the name lives as long as the library, and ends in NUL.
            let name = unsafe { CStr::from_ptr(map.name) };
            if !name.is_empty() {
                return name.to_owned();
            }
        }
        CString::new(program().into_os_string().into_vec()).unwrap_or_default()
    }

    /// Where its dynamic segment lies in memory, if it lies anywhere.
    pub(super) fn address(&self) -> Option<usize> {
        let address = self.map()?.dynamic as usize;
        (address != 0).then_some(address)
    }
}

/// The file of the running program.
pub(super) fn program() -> PathBuf {
    std::env::current_exe().unwrap_or_default()
}

/// The path of a library that is loaded already, by the name by which it is needed.
pub(super) fn loaded(name: &Path) -> Option<PathBuf> {
    // SAFETY: nothing is loaded, so that no initializer runs.
    let library = unsafe { Library::open(Some(name), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    let path = Handle::new(library.ok()?).path().into_bytes();
    Some(PathBuf::from(OsString::from_vec(path)))
}

/// The files of all that is loaded, the program first.
pub(super) fn all_loaded() -> Vec<PathBuf> {
    unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _: usize, list: *mut c_void) -> c_int {
        // SAFETY: the loader gives a record, whose name ends in NUL, and the list given below.
        let (name, list) = unsafe {
            (
                CStr::from_ptr((*info).dlpi_name),
                &mut *list.cast::<Vec<PathBuf>>(),
            )
        };
        list.push(match name.is_empty() {
            true if list.is_empty() => program(),
            _ => PathBuf::from(OsStr::from_bytes(name.to_bytes())),
        });
        0
    }
    let mut list: Vec<PathBuf> = Vec::new();
    // SAFETY: the function above takes the list that it is given here.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut list).cast()) };
    list
}

/// The file of the library that this process would bind a symbol to, if it is loaded.
pub(super) fn owner_of(symbol: &CStr) -> Option<PathBuf> {
    // SAFETY: the name ends in NUL.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, symbol.as_ptr()) };
    if address.is_null() {
        return None;
    }
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the record has room, and an address may be any.
    let name = unsafe {
        if libc::dladdr(address, info.as_mut_ptr()) == 0
            || info.assume_init_ref().dli_fname.is_null()
        {
            return None;
        }
        CStr::from_ptr(info.assume_init_ref().dli_fname)
    };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

/// No code may be loaded from where this file lies (mount(8), noexec).
pub(super) fn forbids_code(file: &Path) -> bool {
    let Ok(file) = CString::new(file.as_os_str().as_bytes()) else {
        return false;
    };
    let mut system = std::mem::MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: the path ends in NUL, and the record has room.
    unsafe {
        libc::statvfs(file.as_ptr(), system.as_mut_ptr()) == 0
            && system.assume_init_ref().f_flag & libc::ST_NOEXEC != 0
    }
}

/// The loader's own words.
fn reason(error: &libloading::Error) -> String {
    use std::error::Error;
    match error.source() {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

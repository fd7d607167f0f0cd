//! Native libraries: finding them, opening them, their symbols. `libloading` does the system's
//! part; here is what people expect around it.

mod elf;
mod loader;
mod search;
pub mod symbols;

use crate::error::{Error, Result, Status};
use std::ffi::{CStr, CString, c_void};
use std::path::{Path, PathBuf};

/// How a library is opened.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Its symbols serve libraries that are loaded later.
    pub global: bool,
    /// Its own undefined functions are looked up when they are first called.
    pub lazy: bool,
    /// It stays loaded for as long as the process runs.
    pub nodelete: bool,
    /// Its own symbols go before those of the program.
    pub deepbind: bool,
    /// Folders that are tried first for a bare name.
    pub search: Vec<PathBuf>,
}

/// An open library. It is closed when this is dropped.
#[derive(Debug)]
pub struct Library {
    handle: loader::Handle,
    path: CString,
}

/// The file that `Library::open` would open for a name, found without loading it: what is loaded
/// already, then the first candidate that is there.
pub fn find(name: &Path, options: &OpenOptions) -> Result<PathBuf> {
    let shown = name.display();
    let candidates = candidates(name, options)?;
    for candidate in &candidates {
        if has_folder(candidate) {
            if candidate.is_file() {
                return Ok(candidate.clone());
            }
        } else if let Some(path) = loader::loaded(candidate) {
            return Ok(path);
        } else if let Some(path) = search::file_of(candidate) {
            return Ok(path);
        }
    }
    let tried = candidates.iter().map(|path| path.display().to_string());
    let tried = tried.collect::<Vec<_>>().join(", ");
    Err(Error::not_found(format!(
        "library {shown}: not found; tried {tried}"
    )))
}

/// What a name may stand for, in the order in which it is tried.
fn candidates(name: &Path, options: &OpenOptions) -> Result<Vec<PathBuf>> {
    if name.as_os_str().is_empty() {
        return Err(Error::argument(
            "library: expected a path or a name, got \"\"",
        ));
    }
    Ok(match has_folder(name) {
        true => vec![name.to_owned()],
        false => search::candidates(&name.to_string_lossy(), &options.search),
    })
}

/// With a slash a name is a path, which is opened and not looked for.
fn has_folder(name: &Path) -> bool {
    name.as_os_str().as_encoded_bytes().contains(&b'/')
}

/// What one attempt to open came to.
enum Attempt {
    Opened(loader::Handle),
    /// There is no such file.
    Missing,
    /// The file is there, and the loader says why it is refused.
    Refused(String),
    /// The system has run out of something.
    Exhausted(Error),
}

impl Library {
    /// Opens a library; without a name, the running program and all that it has loaded.
    pub fn open(name: Option<&Path>, options: &OpenOptions) -> Result<Library> {
        let Some(name) = name else {
            return Library::opened(loader::Handle::program());
        };
        let shown = name.display();
        let is_bare = !has_folder(name);
        let candidates = candidates(name, options)?;
        let mut refused = None;
        for candidate in &candidates {
            match attempt(candidate, options) {
                Attempt::Opened(handle) => return Library::opened(handle),
                Attempt::Missing => {}
                Attempt::Exhausted(error) => {
                    return Err(error.within(format!("library {shown}")));
                }
                Attempt::Refused(reason) => {
                    refused.get_or_insert((candidate, reason));
                }
            }
        }
        match refused {
            Some((candidate, reason)) => Err(Error::new(
                Status::Load,
                format!(
                    "{}: the system's loader refuses it: {reason}",
                    candidate.display()
                ),
            )),
            None if is_bare => {
                let tried = candidates.iter().map(|path| path.display().to_string());
                let tried = tried.collect::<Vec<_>>().join(", ");
                Err(Error::not_found(format!(
                    "library {shown}: not found; tried {tried}"
                )))
            }
            None => Err(Error::not_found(format!("library {shown}: no such file"))),
        }
    }

    fn opened(handle: loader::Handle) -> Result<Library> {
        let path = handle.path();
        Ok(Library { handle, path })
    }

    /// The address of a symbol; `name@VERSION` and `name@@VERSION` ask for one version of it.
    pub fn symbol(&self, name: &str) -> Result<*mut c_void> {
        let (bare, version) = match name.split_once('@') {
            Some((bare, version)) => (bare, Some(version.strip_prefix('@').unwrap_or(version))),
            None => (name, None),
        };
        if bare.is_empty() || version == Some("") {
            return Err(Error::argument(format!(
                "symbol: expected a name or name@VERSION, got \"{name}\""
            )));
        }
        let c_string = |text: &str| {
            CString::new(text).map_err(|_| Error::argument("symbol: the name contains a NUL"))
        };
        let bare = c_string(bare)?;
        let version = version.map(c_string).transpose()?;
        self.handle
            .symbol(&bare, version.as_deref())
            .map_err(|reason| {
                let path = self.path.to_string_lossy();
                Error::not_found(format!("symbol {name}: not found in {path}{reason}"))
            })
    }

    /// The file, as the loader resolved it.
    pub fn path(&self) -> &CStr {
        &self.path
    }
}

fn attempt(path: &Path, options: &OpenOptions) -> Attempt {
    match loader::Handle::open(path, options) {
        Ok(handle) => Attempt::Opened(handle),
        Err(reason) if is_missing(path, &reason) => Attempt::Missing,
        Err(reason) => match exhausted(&reason) {
            Some(error) => Attempt::Exhausted(error),
            None => Attempt::Refused(reason),
        },
    }
}

/// The loader keeps no error number: what has run out is known by the system's words for it.
fn exhausted(reason: &str) -> Option<Error> {
    let numbers = [
        (libc::EMFILE, Status::System),
        (libc::ENFILE, Status::System),
        (libc::ENOMEM, Status::Memory),
    ];
    let (os, status) = numbers.into_iter().find(|&(os, _)| {
        let text = std::io::Error::from_raw_os_error(os).to_string();
        let words = text.split(" (os error").next().unwrap_or_default();
        reason.ends_with(words)
    })?;
    Some(Error {
        status,
        message: reason.to_owned(),
        os,
    })
}

/// The loader tells in words only. It begins with the name that it could not open, which for a
/// library that is there but needs another one is that other one's.
fn is_missing(path: &Path, reason: &str) -> bool {
    if path.to_string_lossy().contains('/') {
        return !path.exists();
    }
    let own = reason.strip_prefix(&*path.to_string_lossy());
    own.is_some_and(|rest| rest.starts_with(": cannot open shared object file: No such file"))
        || reason.contains("Error loading shared library") && !path.exists()
}

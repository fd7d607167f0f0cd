//! Native libraries: finding them, opening them, their symbols. `libloading` does the system's
//! part; here is what people expect around it.

mod bytes;
mod elf;
mod format;
mod loader;
mod no_symbol;
mod not_found;
pub mod policy;
mod refused;
mod search;
mod shown;
pub mod symbols;

use crate::error::{Error, Result, Status};
use shown::Shown;
use std::ffi::{CStr, CString, OsStr, c_void};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
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
    // It is closed before the file behind it.
    handle: loader::Handle,
    path: CString,
    is_program: bool,
    backing: Option<bytes::Backing>,
}

/// What one attempt to open came to.
enum Attempt {
    Opened(loader::Handle),
    /// There is no such file.
    Missing,
    /// The file is there and cannot be loaded, and this is why.
    Refused(String),
    /// The system has run out of something.
    Exhausted(Error),
}

/// The file that `Library::open` would open for a name, found without loading it: what is loaded
/// already, then the first candidate that can be loaded, or else the first that is there.
pub fn find(name: &Path, options: &OpenOptions) -> Result<PathBuf> {
    let candidates = candidates(name, options)?;
    let mut unfit = None;
    for candidate in &candidates {
        let file = match has_folder(candidate) {
            // What is there and no file is refused with its own words, not called missing.
            true => match std::fs::metadata(candidate) {
                Err(error) if is_absent(&error) => None,
                _ => Some(candidate.clone()),
            },
            // Of a library that was opened by a relative path nobody knows from where.
            false => loader::loaded(candidate)
                .filter(|path| path.is_absolute())
                .or_else(|| search::file_of(candidate)),
        };
        if let Some(file) = file {
            if matches!(format::unfit(&file), Ok(None)) {
                return Ok(file);
            }
            unfit.get_or_insert(file);
        }
    }
    match unfit {
        Some(file) => Ok(file),
        None if has_folder(name) => Err(not_found::path(name)),
        None => Err(not_found::name(name, &candidates, &options.search)),
    }
}

/// What a name may stand for, in the order in which it is tried.
fn candidates(name: &Path, options: &OpenOptions) -> Result<Vec<PathBuf>> {
    if name.as_os_str().is_empty() {
        return Err(Error::argument(
            "library: expected a path or a name, got \"\"",
        ));
    }
    if name.as_os_str().as_bytes().contains(&0) {
        return Err(Error::argument(format!(
            "library {}: the name contains a NUL",
            name.to_string_lossy().replace('\0', "\\0").shown()
        )));
    }
    Ok(match has_folder(name) {
        true => vec![name.to_owned()],
        false => search::candidates(&name.to_string_lossy(), &options.search),
    })
}

/// With a slash a name is a path, which is opened and not looked for.
fn has_folder(name: &Path) -> bool {
    name.as_os_str().as_bytes().contains(&b'/')
}

impl Library {
    /// Opens a library; without a name, the running program and all that it has loaded.
    pub fn open(name: Option<&Path>, options: &OpenOptions) -> Result<Library> {
        let Some(name) = name else {
            let mut program = Library::opened(loader::Handle::program());
            program.is_program = true;
            return Ok(program);
        };
        let candidates = candidates(name, options)?;
        let shown = name.shown();
        if let Some(rules) = policy::in_force() {
            return Library::open_allowed(name, options, &rules);
        }
        let mut refused = None;
        for candidate in &candidates {
            match attempt(candidate, options) {
                Attempt::Opened(handle) => return Ok(Library::opened(handle)),
                Attempt::Missing => {}
                Attempt::Exhausted(error) => {
                    return Err(error.within(format!("library {shown}")));
                }
                Attempt::Refused(reason) => {
                    refused.get_or_insert((candidate, reason));
                }
            }
        }
        Err(match refused {
            Some((candidate, reason)) => {
                Error::load(reason).within(format!("library {}", candidate.shown()))
            }
            None if has_folder(name) => not_found::path(name),
            None => not_found::name(name, &candidates, &options.search),
        })
    }

    /// What a name means is found out first, then asked about, and then exactly that is opened.
    fn open_allowed(
        name: &Path,
        options: &OpenOptions,
        rules: &policy::Rules<'_>,
    ) -> Result<Library> {
        let file = find(name, options)?;
        let place = || format!("library {}", name.shown());
        // These would be refused without a policy too, and nobody can allow them.
        if !file.is_file() {
            return match format::unfit(&file) {
                Ok(words) => Err(Error::load(words.unwrap_or_default()).within(place())),
                Err(error) if is_absent(&error) => Err(not_found::path(&file)),
                Err(error) => match unreadable(&file, &error) {
                    Attempt::Exhausted(error) => Err(error.within(place())),
                    _ => Err(Error::load(refused::unreadable(&file, &error)).within(place())),
                },
            };
        }
        let approved = rules
            .approve(&file)
            .map_err(|error| error.within(place()))?;
        let was_loaded = loader::loaded(&approved.path).is_some();
        match attempt(&approved.path, options) {
            Attempt::Opened(handle) => {
                approved
                    .confirm(&handle, was_loaded)
                    .map_err(|error| error.within(place()))?;
                Ok(Library::opened(handle))
            }
            Attempt::Missing => Err(not_found::path(&approved.path)),
            Attempt::Exhausted(error) => Err(error.within(place())),
            Attempt::Refused(reason) => {
                Err(Error::load(reason).within(format!("library {}", approved.path.shown())))
            }
        }
    }

    /// Opens the library whose file would have these bytes. They are copied.
    pub fn open_bytes(image: &[u8]) -> Result<Library> {
        // SAFETY: the slice is as long as it says.
        unsafe { Library::open_memory(image.as_ptr(), image.len()) }
    }

    /// The same from an address. Memory that cannot be read is an error.
    ///
    /// # Safety
    ///
    /// Nobody changes the bytes meanwhile.
    pub unsafe fn open_memory(image: *const u8, length: usize) -> Result<Library> {
        if policy::in_force().is_some() {
            return Err(Error::denied(
                "library from memory: the policy forbids it: it allows files only; put the library \
                 in an allowed folder and open it there",
            ));
        }
        // SAFETY: the caller's promise.
        unsafe { bytes::open(image, length) }
    }

    fn opened(handle: loader::Handle) -> Library {
        let path = absolute(&handle);
        Library {
            handle,
            path,
            is_program: false,
            backing: None,
        }
    }

    /// The address of a symbol; `name@VERSION` asks for one version of it, and `name@@VERSION` for
    /// one that is the default.
    pub fn symbol(&self, name: &str) -> Result<*mut c_void> {
        let (bare, version) = match name.split_once('@') {
            Some((bare, version)) => (bare, Some(version)),
            None => (name, None),
        };
        let default = version.and_then(|version| version.strip_prefix('@'));
        let version = default.or(version);
        if bare.is_empty() || version == Some("") {
            return Err(Error::argument(format!(
                "symbol: expected a name or name@VERSION, got \"{}\"",
                name.shown()
            )));
        }
        let c_string = |text: &str| {
            CString::new(text).map_err(|_| {
                let shown = name.replace('\0', "\\0").shown();
                Error::argument(format!("symbol {shown}: the name contains a NUL"))
            })
        };
        let found = (self.handle).symbol(
            &c_string(bare)?,
            version.map(c_string).transpose()?.as_deref(),
        );
        let files = || {
            no_symbol::files(
                Path::new(OsStr::from_bytes(self.path.to_bytes())),
                self.is_program,
            )
        };
        let not_found = |words: &str| {
            let (name, path) = (name.shown(), self.path.to_string_lossy().shown());
            let separator = if words.is_empty() { "" } else { ": " };
            Error::not_found(format!(
                "symbol {name}: not found in {path}{separator}{words}"
            ))
        };
        let address = found.map_err(|reason| match reason.is_empty() {
            true => not_found(&no_symbol::advice(&files(), bare, version)),
            false => not_found(&reason),
        })?;
        if let Some(asked) = default
            && let Some(default) = no_symbol::default_version(&files(), bare)
            && default != asked
        {
            return Err(not_found(&format!(
                "its default version is {default}; {bare}@{asked} asks for the other"
            )));
        }
        Ok(address)
    }

    /// The file, as the loader resolved it.
    pub fn path(&self) -> &CStr {
        &self.path
    }
}

/// The file of a library, whatever the current folder will be. The loader keeps a relative path as it
/// was given, perhaps by somebody else in another folder.
fn absolute(handle: &loader::Handle) -> CString {
    let given = handle.path();
    let path = Path::new(OsStr::from_bytes(given.to_bytes()));
    if path.is_absolute() {
        return given;
    }
    let mapped = handle.address().and_then(policy::mapped_file);
    let is_it = |path: &PathBuf| {
        let inode = std::fs::metadata(path).map(|metadata| metadata.ino());
        mapped
            .as_ref()
            .is_none_or(|(_, mapped)| inode.is_ok_and(|inode| inode == *mapped))
    };
    let found = std::path::absolute(path).ok().filter(is_it).or_else(|| {
        let (path, _) = mapped.as_ref()?;
        Some(PathBuf::from(path))
    });
    found
        .and_then(|path| CString::new(path.into_os_string().into_encoded_bytes()).ok())
        .unwrap_or(given)
}

fn attempt(path: &Path, options: &OpenOptions) -> Attempt {
    // A file is looked at first: the loader says less, and one that is cut off would end the process.
    if has_folder(path) {
        match format::unfit(path) {
            Ok(None) => {}
            Ok(Some(words)) => return Attempt::Refused(words),
            Err(error) if is_absent(&error) => return Attempt::Missing,
            Err(error) => return unreadable(path, &error),
        }
    }
    let reason = match loader::Handle::open(path, options) {
        Ok(handle) => return Attempt::Opened(handle),
        Err(reason) => reason,
    };
    if let Some(error) = exhausted(&reason) {
        return Attempt::Exhausted(error);
    }
    let file = match has_folder(path) {
        true => Some(path.to_owned()),
        false => search::file_of(path),
    };
    let Some(file) = file else {
        return match names(&reason, path) {
            true => Attempt::Missing,
            false => Attempt::Refused(format!(
                "the system's loader refuses it: {}",
                reason.replace(&*path.to_string_lossy(), &path.shown())
            )),
        };
    };
    match format::unfit(&file) {
        Ok(None) => Attempt::Refused(refused::why(&file, &reason)),
        Ok(Some(words)) => Attempt::Refused(format!("{}: {words}", file.shown())),
        Err(error) => unreadable(&file, &error),
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn unreadable(file: &Path, error: &std::io::Error) -> Attempt {
    let os = error.raw_os_error().unwrap_or(0);
    if os == libc::EMFILE || os == libc::ENFILE {
        return Attempt::Exhausted(Error {
            status: Status::System,
            message: format!("{}: {error}", file.shown()),
            os,
        });
    }
    Attempt::Refused(refused::unreadable(file, error))
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

/// Do the loader's words, in whatever language, speak of this name? Of a library that is there but
/// needs another one, they speak of the other.
fn names(reason: &str, name: &Path) -> bool {
    let name = name.to_string_lossy();
    let words = reason.split(|c: char| c.is_whitespace() || c == ':');
    reason.starts_with(&*format!("{name}:")) || words.into_iter().any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(name: &str) -> Result<Library> {
        Library::open(Some(Path::new(name)), &OpenOptions::default())
    }

    #[test]
    fn names_with_a_nul() {
        for name in ["libm\0.so", "/tmp/a\0b"] {
            let error = open(name).unwrap_err();
            assert_eq!(error.status, Status::Argument);
            assert!(
                error.message.ends_with("the name contains a NUL"),
                "{error}"
            );
            assert!(error.message.contains("\\0"), "{error}");
        }
        let library = open("libm.so.6").unwrap();
        let error = library.symbol("cos\0ine").unwrap_err();
        assert_eq!(error.status, Status::Argument);
        assert_eq!(error.message, "symbol cos\\0ine: the name contains a NUL");
    }

    #[test]
    fn the_file_that_a_name_means() {
        let options = OpenOptions::default();
        for name in ["m", "libm.so.6", "z", "libz.so.1"] {
            let file = find(Path::new(name), &options).unwrap();
            let library = open(name).unwrap();
            let path = Path::new(OsStr::from_bytes(library.path().to_bytes()));
            assert_eq!(file.canonicalize().unwrap(), path.canonicalize().unwrap());
            assert_eq!(find(path, &options).unwrap(), path);
        }
        let error = find(Path::new("no_such_library"), &options).unwrap_err();
        assert!(
            error.message.contains("names tried: no_such_library, "),
            "{error}"
        );
        let error = find(Path::new("/no/such/library.so"), &options).unwrap_err();
        assert!(
            error.message.contains("no such file: /no does not exist"),
            "{error}"
        );
        assert_eq!(
            find(Path::new(""), &options).unwrap_err().status,
            Status::Argument
        );
    }

    #[test]
    fn whom_the_loader_speaks_of() {
        let name = Path::new("libx.so");
        assert!(names(
            "libx.so: cannot open shared object file: No such file",
            name
        ));
        assert!(names("Fehler: libx.so nicht gefunden", name));
        assert!(!names("liby.so: cannot open shared object file", name));
        assert!(!names("libx.so.1: cannot open shared object file", name));
    }

    #[test]
    fn what_has_run_out() {
        let error = exhausted("libx.so: cannot open: Too many open files").unwrap();
        assert_eq!((error.status, error.os), (Status::System, libc::EMFILE));
        let error = exhausted("libx.so: cannot map: Cannot allocate memory").unwrap();
        assert_eq!((error.status, error.os), (Status::Memory, libc::ENOMEM));
        assert!(exhausted("libx.so: No such file or directory").is_none());
    }

    #[test]
    fn bytes_from_rust() {
        let path = find(Path::new("libz.so.1"), &OpenOptions::default()).unwrap();
        let library = Library::open_bytes(&std::fs::read(&path).unwrap()).unwrap();
        let ours = library.symbol("zlibVersion").unwrap();
        let other = open(&path.to_string_lossy()).unwrap();
        assert_ne!(ours, other.symbol("zlibVersion").unwrap());
        let error = Library::open_bytes(b"text").unwrap_err();
        assert!(
            error
                .message
                .starts_with("library from memory (4 bytes): this is a text")
        );
    }
}

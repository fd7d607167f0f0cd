//! A library from memory: its bytes become a file that has no name, which the loader opens by way
//! of its descriptor. Where the system has no such files, one in a folder of our own serves, and
//! its name is taken away as soon as it is loaded.

use super::{Library, OpenOptions, attempt, format, loader};
use crate::error::{Error, Result, Status};
use crate::memory;
use std::ffi::{CStr, OsString};
use std::fs::File;
use std::io::Error as SystemError;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What tools show: `/memfd:farcall-library (deleted)` in /proc/self/maps.
const NAME: &CStr = c"farcall-library";

/// The file behind a library from memory, which is kept open: its number would otherwise go to
/// another file, and the loader takes a path that it knows for the library that it knows.
#[derive(Debug)]
pub(super) struct Backing {
    _file: File,
}

/// Opens the library whose file would have these bytes. They are copied.
///
/// # Safety
///
/// `image` is the address of `length` bytes, or of memory that cannot be read at all.
pub(super) unsafe fn open(image: *const u8, length: usize) -> Result<Library> {
    if length == 0 {
        return Err(Error::load(format::EMPTY).within(shown(length)));
    }
    if length > isize::MAX as usize || (image as usize).checked_add(length).is_none() {
        return Err(Error::argument(format!(
            "library from memory: {length} bytes do not fit in memory"
        )));
    }
    // SAFETY: the caller's promise.
    let opened = unsafe {
        match nameless() {
            Ok(file) => load_by_descriptor(file, image, length),
            // There are none, or they are forbidden: older kernels, filters of system calls.
            Err(_) => load_by_name(image, length),
        }
    };
    opened.map_err(|error| error.within(shown(length)))
}

fn shown(length: usize) -> String {
    format!("library from memory ({length} bytes)")
}

/// A file in memory that no folder names, and that may hold code.
fn nameless() -> std::io::Result<File> {
    const MFD_EXEC: libc::c_uint = 0x10;
    let base = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    let mut error = SystemError::from_raw_os_error(libc::ENOSYS);
    // Kernels before 6.3 do not know that flag, and need none.
    for flags in [base | MFD_EXEC, base] {
        // SAFETY: the name ends in NUL.
        let file = unsafe { libc::memfd_create(NAME.as_ptr(), flags) };
        if file >= 0 {
            // SAFETY: the descriptor is new, and nobody else's.
            return Ok(unsafe { File::from_raw_fd(file) });
        }
        error = SystemError::last_os_error();
        if error.raw_os_error() != Some(libc::EINVAL) {
            break;
        }
    }
    Err(error)
}

unsafe fn load_by_descriptor(file: File, image: *const u8, length: usize) -> Result<Library> {
    // SAFETY: the caller's promise.
    unsafe { fill(&file, image, length)? };
    let descriptor = file.as_raw_fd();
    // Whoever comes by the descriptor cannot change what was loaded. Without the seals it works as well.
    let seals = libc::F_SEAL_WRITE | libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: the descriptor is open.
    unsafe { libc::fcntl(descriptor, libc::F_ADD_SEALS, seals) };
    let Some(folder) = folder_of(&file) else {
        drop(file);
        // SAFETY: the caller's promise.
        return unsafe { load_by_name(image, length) };
    };
    // A library that stayed loaded after its descriptor was closed has left its name behind.
    let mut name = descriptor.to_string();
    let path = |name: &str| PathBuf::from(format!("{folder}/{name}"));
    while loader::loaded(&path(&name)).is_some() {
        name.insert_str(0, "./");
        if name.len() > 1000 {
            return Err(Error::limit("too many libraries from memory stayed loaded"));
        }
    }
    let mut library = load(&path(&name))?;
    library.backing = Some(Backing { _file: file });
    Ok(library)
}

/// The folder in /proc in which the descriptor of a file stands. With the number of the process it is
/// one for debuggers too; but the numbers there may be those of another container.
fn folder_of(file: &File) -> Option<String> {
    let own = file.metadata().ok()?;
    let folders = [
        format!("/proc/{}/fd", std::process::id()),
        "/proc/self/fd".to_owned(),
    ];
    folders.into_iter().find(|folder| {
        let path = format!("{folder}/{}", file.as_raw_fd());
        let found = std::fs::metadata(path);
        found.is_ok_and(|found| (found.dev(), found.ino()) == (own.dev(), own.ino()))
    })
}

/// By way of a file in a folder that nobody else may enter.
unsafe fn load_by_name(image: *const u8, length: usize) -> Result<Library> {
    let mut first = None;
    let folders = [std::env::temp_dir(), "/dev/shm".into(), "/var/tmp".into()];
    for folder in folders {
        let folder = match PrivateFolder::new(&folder) {
            Ok(folder) => folder,
            Err(error) => {
                first.get_or_insert(system("no folder for its file could be made", &error));
                continue;
            }
        };
        let path = folder.path.join("library.so");
        let file = File::create_new(&path)
            .map_err(|error| system("no file for it could be made", &error))?;
        // SAFETY: the caller's promise.
        unsafe { fill(&file, image, length)? };
        drop(file);
        match load(&path) {
            // Perhaps code may be loaded from another file system.
            Err(error) if loader::forbids_code(&path) => {
                first.get_or_insert(error);
            }
            result => return result,
        }
    }
    Err(first.unwrap_or_else(|| Error::new(Status::System, "there is no folder for its file")))
}

/// A folder that is removed, with the file in it, when this is dropped.
struct PrivateFolder {
    path: PathBuf,
}

impl PrivateFolder {
    fn new(parent: &Path) -> std::io::Result<PrivateFolder> {
        let pattern = parent.join("farcall-XXXXXX").into_os_string().into_vec();
        let mut pattern = std::ffi::CString::new(pattern)?.into_bytes_with_nul();
        // SAFETY: the pattern ends in NUL, and is written over with as many bytes.
        let made = unsafe { libc::mkdtemp(pattern.as_mut_ptr().cast()) };
        if made.is_null() {
            return Err(SystemError::last_os_error());
        }
        pattern.pop();
        let path = OsString::from_vec(pattern).into();
        Ok(PrivateFolder { path })
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Writes the bytes by system calls, for which memory that cannot be read is an error.
unsafe fn fill(file: &File, image: *const u8, length: usize) -> Result<()> {
    let mut done = 0;
    while done < length {
        // SAFETY: the kernel checks the memory, and the descriptor is open.
        let count = unsafe {
            libc::write(
                file.as_raw_fd(),
                image.wrapping_add(done).cast(),
                length - done,
            )
        };
        match usize::try_from(count) {
            Ok(0) => return Err(Error::new(Status::System, "its file takes no more bytes")),
            Ok(count) => done += count,
            Err(_) => {
                let error = SystemError::last_os_error();
                match error.raw_os_error() {
                    Some(libc::EINTR) => {}
                    Some(libc::EFAULT) => {
                        // A range that leaves the process's addresses is refused as a whole.
                        done += memory::readable(image as usize + done, length - done);
                        let message = format!("only the first {done} of its bytes can be read");
                        return Err(Error::new(Status::Fault, message));
                    }
                    _ => return Err(system("its bytes could not be written", &error)),
                }
            }
        }
    }
    Ok(())
}

fn system(what: &str, error: &SystemError) -> Error {
    let os = error.raw_os_error().unwrap_or(0);
    Error {
        status: match os {
            libc::ENOMEM | libc::ENOSPC => Status::Memory,
            _ => Status::System,
        },
        message: format!("{what}: {error}"),
        os,
    }
}

fn load(path: &Path) -> Result<Library> {
    match attempt(path, &OpenOptions::default()) {
        super::Attempt::Opened(handle) => Ok(Library::opened(handle)),
        super::Attempt::Exhausted(error) => Err(error),
        super::Attempt::Refused(words) => Err(Error::load(words)),
        super::Attempt::Missing => Err(Error::load("its file has gone")),
    }
}

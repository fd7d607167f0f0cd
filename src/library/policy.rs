//! Who may open what, in this process: the list of rules, and the proof that nobody else can put
//! another file in an allowed one's place.
//!
//! The rules are a list that only ever grows at its head, so that whoever reads it needs no lock, and
//! a child of fork finds it whole.

use super::loader::Handle;
use super::shown::Shown;
use crate::error::{Error, Result};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

enum Rule {
    /// This file, or this folder and all below it. Links are resolved.
    Allow(PathBuf),
    /// Nothing more than there was; but the policy is in force.
    Nothing,
    /// No rule comes after this one.
    Seal,
}

struct Entry {
    rule: Rule,
    next: *const Entry,
}

/// The newest rule. Entries never change and are never freed.
struct List(AtomicPtr<Entry>);

static RULES: List = List(AtomicPtr::new(ptr::null_mut()));

/// The rules as they stand at one moment.
pub(super) struct Rules<'a> {
    newest: &'a Entry,
}

/// The policy, if there is one.
pub(super) fn in_force() -> Option<Rules<'static>> {
    RULES.rules()
}

/// From now on only what was allowed may be opened: this file, or this folder and all below it. So it
/// is even where this fails.
pub fn allow(path: &Path) -> Result<()> {
    RULES.allow(path)
}

/// From now on no more can be allowed.
pub fn seal() {
    RULES.add(Rule::Seal);
}

impl List {
    fn rules(&self) -> Option<Rules<'_>> {
        // SAFETY: an entry that was put in lives for ever.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }.map(|newest| Rules { newest })
    }

    fn is_sealed(&self) -> bool {
        self.rules().is_some_and(|rules| rules.is_sealed())
    }

    /// Puts a rule at the head; false if the list is sealed.
    fn add(&self, rule: Rule) -> bool {
        let entry = Box::into_raw(Box::new(Entry {
            rule,
            next: ptr::null(),
        }));
        let mut newest = self.0.load(Ordering::Acquire);
        loop {
            // SAFETY: an entry that was put in lives for ever.
            let is_sealed =
                unsafe { newest.as_ref() }.is_some_and(|newest| matches!(newest.rule, Rule::Seal));
            if is_sealed {
                // SAFETY: it was made above, and nobody else has it.
                drop(unsafe { Box::from_raw(entry) });
                return false;
            }
            // SAFETY: nobody else has the entry yet.
            unsafe { (*entry).next = newest };
            match self
                .0
                .compare_exchange(newest, entry, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return true,
                Err(other) => newest = other,
            }
        }
    }

    fn allow(&self, path: &Path) -> Result<()> {
        let result = self.try_allow(path);
        // Whoever does not look at the answer must not be left without a policy.
        if result.is_err() && self.rules().is_none() {
            self.add(Rule::Nothing);
        }
        result
    }

    fn try_allow(&self, path: &Path) -> Result<()> {
        if path.as_os_str().is_empty() {
            return Err(Error::argument("fc_policy_allow: path is empty"));
        }
        let shown = path.shown();
        let sealed = || {
            Error::denied(format!(
                "policy: {shown} cannot be allowed: the policy is sealed"
            ))
        };
        if self.is_sealed() {
            return Err(sealed());
        }
        let real = resolved(path).map_err(|error| error.within(format!("policy: {shown}")))?;
        let metadata =
            std::fs::metadata(&real).map_err(|error| system(&real, &error).within("policy"))?;
        if !metadata.is_dir() && !metadata.is_file() {
            return Err(Error::argument(format!(
                "policy: {shown}: expected a file or a folder, got a device, a pipe or a socket"
            )));
        }
        guarded(&real, &real)
            .map_err(|words| Error::denied(format!("policy: {shown} is not allowed: {words}")))?;
        let is_known = self
            .rules()
            .is_some_and(|rules| rules.allowed().any(|allowed| allowed == real));
        if is_known || self.add(Rule::Allow(real.clone())) {
            return Ok(());
        }
        Err(sealed())
    }
}

/// A file that the policy allows.
#[derive(Debug)]
pub(super) struct Approved {
    /// Without links: this is what must be opened.
    pub(super) path: PathBuf,
    device: u64,
    inode: u64,
}

impl Rules<'_> {
    fn entries(&self) -> impl Iterator<Item = &Rule> {
        let mut next: *const Entry = self.newest;
        std::iter::from_fn(move || {
            // SAFETY: an entry that was put in lives for ever.
            let entry = unsafe { next.as_ref() }?;
            next = entry.next;
            Some(&entry.rule)
        })
    }

    fn allowed(&self) -> impl Iterator<Item = &Path> {
        self.entries().filter_map(|rule| match rule {
            Rule::Allow(path) => Some(path.as_path()),
            Rule::Nothing | Rule::Seal => None,
        })
    }

    fn is_sealed(&self) -> bool {
        matches!(self.newest.rule, Rule::Seal)
    }

    /// May this file be opened? Links are resolved here, once; only the answer's path may be opened.
    pub(super) fn approve(&self, file: &Path) -> Result<Approved> {
        let real = resolved(file)?;
        let forbidden = |words: String| Error::denied(format!("the policy forbids it: {words}"));
        let Some(allowed) = self.allowed().find(|allowed| real.starts_with(allowed)) else {
            return Err(forbidden(self.not_allowed(&real)));
        };
        guarded(&real, allowed).map_err(forbidden)?;
        let metadata = std::fs::symlink_metadata(&real).map_err(|error| system(&real, &error))?;
        Ok(Approved {
            device: metadata.dev(),
            inode: metadata.ino(),
            path: real,
        })
    }

    fn not_allowed(&self, real: &Path) -> String {
        let real = real.shown();
        let mut list: Vec<String> = self.allowed().map(|p| p.shown()).collect();
        list.reverse();
        let list = match list.is_empty() {
            true => "nothing is".to_owned(),
            false => list.join(", "),
        };
        let mend = match self.is_sealed() {
            true => "the policy is sealed, so that nothing more can be allowed",
            false => "allow it with fc_policy_allow",
        };
        format!("it is {real}, which is not allowed (allowed: {list}); {mend}")
    }
}

impl Approved {
    /// Is what was loaded that file? Only who may write its folder could have put another there.
    pub(super) fn confirm(&self, handle: &Handle, was_loaded: bool) -> Result<()> {
        let path = self.path.shown();
        let replaced = || {
            Error::denied(format!(
                "the policy forbids it: {path} was replaced while it was opened"
            ))
        };
        let metadata = std::fs::symlink_metadata(&self.path).map_err(|_| replaced())?;
        if (metadata.dev(), metadata.ino()) != (self.device, self.inode) {
            return Err(replaced());
        }
        if was_loaded {
            return Ok(());
        }
        match handle.address().and_then(mapped_file) {
            // File systems in layers give the mapping another device than the file, but the same path.
            Some((mapped, inode)) if inode != self.inode && mapped != self.path.as_os_str() => {
                Err(replaced())
            }
            _ => Ok(()),
        }
    }
}

/// The path and number of the file that is mapped at an address, where the system tells.
pub(super) fn mapped_file(address: usize) -> Option<(std::ffi::OsString, u64)> {
    use std::os::unix::ffi::OsStringExt;
    let maps = std::fs::read("/proc/self/maps").ok()?;
    maps.split(|&byte| byte == b'\n').find_map(|line| {
        let mut fields = line.splitn(6, |&byte| byte == b' ');
        let range = std::str::from_utf8(fields.next()?).ok()?;
        let (start, end) = range.split_once('-')?;
        let start = usize::from_str_radix(start, 16).ok()?;
        let end = usize::from_str_radix(end, 16).ok()?;
        if !(start..end).contains(&address) {
            return None;
        }
        let inode = std::str::from_utf8(fields.nth(3)?).ok()?.parse().ok()?;
        let path = fields.next()?.trim_ascii_start().to_vec();
        Some((std::ffi::OsString::from_vec(path), inode))
    })
}

/// A path without links and without `..`.
fn resolved(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| system(path, &error))
}

fn system(path: &Path, error: &std::io::Error) -> Error {
    let os = error.raw_os_error().unwrap_or(0);
    let mut failure = match error.kind() {
        std::io::ErrorKind::NotFound => Error::not_found(format!("there is no {}", path.shown())),
        std::io::ErrorKind::InvalidInput => Error::argument("the path contains a NUL"),
        _ => Error::new(
            crate::error::Status::System,
            format!("{}: {error}", path.shown()),
        ),
    };
    failure.os = os;
    failure
}

/// Can nobody but root and this process's user change what a path without links leads to? `allowed`
/// is the part of it that was allowed: above it a sticky folder will do, whose entries only their
/// owners can replace.
fn guarded(path: &Path, allowed: &Path) -> std::result::Result<(), String> {
    // SAFETY: this call has no preconditions.
    let own = unsafe { libc::geteuid() };
    let mut parts: Vec<&Path> = path.ancestors().collect();
    parts.reverse();
    for part in parts {
        let shown = part.shown();
        let metadata =
            std::fs::symlink_metadata(part).map_err(|error| format!("{shown}: {error}"))?;
        if metadata.is_symlink() {
            return Err(format!("{shown} has become a link since it was resolved"));
        }
        let owner = metadata.uid();
        if owner != 0 && owner != own {
            return Err(format!(
                "{shown} belongs to user {owner}, who can replace it: it must belong to root or to \
                 user {own}, as whom this process runs; copy the library to a folder of user {own}'s \
                 own, and allow that"
            ));
        }
        const WRITABLE_BY_OTHERS: u32 = 0o022;
        const STICKY: u32 = 0o1000;
        let mode = metadata.mode() & 0o7777;
        let is_above = part != allowed && allowed.starts_with(part);
        if mode & WRITABLE_BY_OTHERS != 0 && !(is_above && mode & STICKY != 0) {
            // Folders that are shared on purpose must stay so.
            let mend = match mode & STICKY != 0 || owner != own {
                true => {
                    "put the library in a folder of its own, which only this user can write, and \
                         allow that"
                        .to_owned()
                }
                false => format!("chmod go-w {shown}"),
            };
            return Err(format!(
                "{shown} can be written by others (mode {mode:04o}), who could put any library \
                 there: {mend}"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// A folder that only this user can write, and a list of its own.
    struct Place {
        folder: PathBuf,
        list: List,
    }

    impl Place {
        fn new(name: &str) -> Place {
            let name = format!("farcall-policy-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().canonicalize().unwrap().join(name);
            fs::create_dir(&folder).unwrap();
            mode(&folder, 0o755);
            for inner in ["good", "bad"] {
                fs::create_dir(folder.join(inner)).unwrap();
                mode(&folder.join(inner), 0o755);
                fs::write(folder.join(inner).join("lib.so"), "x").unwrap();
                mode(&folder.join(inner).join("lib.so"), 0o644);
            }
            let list = List(AtomicPtr::new(ptr::null_mut()));
            Place { folder, list }
        }

        fn at(&self, path: &str) -> PathBuf {
            self.folder.join(path)
        }

        fn approve(&self, path: &str) -> Result<Approved> {
            self.list.rules().unwrap().approve(&self.at(path))
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn refused<T: std::fmt::Debug>(result: Result<T>, part: &str) {
        let error = result.unwrap_err();
        assert_eq!(error.status, Status::Denied, "{error}");
        assert!(error.message.contains(part), "expected {part:?} in {error}");
    }

    #[test]
    fn a_folder_and_all_below_it() {
        let place = Place::new("folder");
        assert!(place.list.rules().is_none());
        place.list.allow(&place.at("good")).unwrap();
        let approved = place.approve("good/lib.so").unwrap();
        assert_eq!(approved.path, place.at("good/lib.so"));
        assert_eq!(
            place.approve("bad/../good/lib.so").unwrap().path,
            approved.path
        );
        refused(
            place.approve("bad/lib.so"),
            "bad/lib.so, which is not allowed (allowed: ",
        );
        refused(place.approve("good/../bad/lib.so"), "fc_policy_allow");
        // A name that begins alike is another.
        fs::create_dir(place.at("good2")).unwrap();
        fs::write(place.at("good2/lib.so"), "x").unwrap();
        refused(place.approve("good2/lib.so"), "not allowed");
        assert_eq!(
            place.approve("good/none.so").unwrap_err().status,
            Status::NotFound
        );
    }

    #[test]
    fn a_file() {
        let place = Place::new("file");
        place.list.allow(&place.at("good/lib.so")).unwrap();
        place.list.allow(&place.at("good/lib.so")).unwrap();
        assert_eq!(place.list.rules().unwrap().allowed().count(), 1);
        assert!(place.approve("good/lib.so").is_ok());
        fs::write(place.at("good/other.so"), "x").unwrap();
        refused(place.approve("good/other.so"), "not allowed");
    }

    #[test]
    fn links_are_resolved() {
        let place = Place::new("links");
        symlink(place.at("good"), place.at("to_good")).unwrap();
        symlink(place.at("bad/lib.so"), place.at("good/to_bad.so")).unwrap();
        place.list.allow(&place.at("to_good")).unwrap();
        assert_eq!(
            place.approve("to_good/lib.so").unwrap().path,
            place.at("good/lib.so")
        );
        refused(
            place.approve("good/to_bad.so"),
            "bad/lib.so, which is not allowed",
        );
    }

    #[test]
    fn what_others_can_write() {
        let place = Place::new("writable");
        let (good, file) = (place.at("good"), place.at("good/lib.so"));
        for bits in [0o775, 0o757] {
            mode(&good, bits);
            refused(place.list.allow(&good), "chmod go-w");
        }
        mode(&good, 0o1777);
        refused(place.list.allow(&good), "in a folder of its own");
        let error = place.list.allow(Path::new("/tmp")).unwrap_err();
        assert!(!error.message.contains("chmod"), "{error}");
        mode(&good, 0o775);
        refused(
            place.list.allow(&file),
            "good can be written by others (mode 0775)",
        );
        mode(&good, 0o755);
        mode(&file, 0o666);
        refused(
            place.list.allow(&file),
            "lib.so can be written by others (mode 0666)",
        );
        place.list.allow(&good).unwrap();
        refused(place.approve("good/lib.so"), "lib.so can be written");
        mode(&file, 0o644);
        assert!(place.approve("good/lib.so").is_ok());
        mode(&place.folder, 0o777);
        refused(place.approve("good/lib.so"), "(mode 0777)");
        // A folder above, in which each owner's entries are safe.
        mode(&place.folder, 0o1777);
        assert!(place.approve("good/lib.so").is_ok());
        fs::create_dir(place.at("good/inner")).unwrap();
        mode(&place.at("good/inner"), 0o1777);
        fs::write(place.at("good/inner/lib.so"), "x").unwrap();
        refused(place.approve("good/inner/lib.so"), "inner can be written");
    }

    #[test]
    fn sealing_is_for_good() {
        let place = Place::new("seal");
        place.list.allow(&place.at("good")).unwrap();
        assert!(place.list.add(Rule::Seal));
        assert!(!place.list.add(Rule::Seal));
        refused(place.list.allow(&place.at("bad")), "the policy is sealed");
        refused(place.approve("bad/lib.so"), "the policy is sealed");
        assert!(place.approve("good/lib.so").is_ok());
    }

    #[test]
    fn what_cannot_be_allowed() {
        let place = Place::new("none");
        let error = place.list.allow(&place.at("none")).unwrap_err();
        assert_eq!(error.status, Status::NotFound);
        assert!(error.message.contains("there is no "), "{error}");
        let error = place.list.allow(Path::new("/dev/null")).unwrap_err();
        assert_eq!(error.status, Status::Argument);
    }

    #[test]
    fn what_fails_puts_the_policy_in_force() {
        for path in ["", "/no/such/folder", "/dev/null", "/tmp"] {
            let place = Place::new("failed");
            assert!(place.list.allow(Path::new(path)).is_err());
            refused(place.approve("good/lib.so"), "(allowed: nothing is)");
            place.list.allow(&place.at("good")).unwrap();
            assert!(place.approve("good/lib.so").is_ok());
        }
    }

    #[test]
    fn the_file_that_is_mapped() {
        let (path, inode) = mapped_file(mapped_file as *const () as usize).unwrap();
        let program = std::env::current_exe().unwrap();
        assert_eq!(path, program.as_os_str());
        assert!(inode > 0);
        assert_eq!(mapped_file(1), None);
    }
}

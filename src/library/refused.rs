//! Why the system's loader refuses a file, found out from the files themselves: what the loader says
//! is short, blames the wrong file, and comes in the user's language.

use super::elf::{Image, Needs};
use super::shown::Shown;
use super::{format, loader, search};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// So many libraries are looked at before the loader's own words have to do.
const MOST_LIBRARIES: usize = 500;

/// Why a file that looks well was refused; the loader's reason where nothing better is known.
pub(super) fn why(file: &Path, reason: &str) -> String {
    let closure = match Closure::of(file) {
        Ok(closure) => closure,
        Err(words) => return words,
    };
    if let Some(words) = closure.undefined(reason) {
        return words;
    }
    if loader::forbids_code(file) {
        return "it lies on a file system that is mounted noexec, from which no code may be \
                loaded: copy it elsewhere"
            .to_owned();
    }
    format!("the system's loader refuses it: {reason}")
}

/// Why a file that is there cannot be read.
pub(super) fn unreadable(file: &Path, error: &std::io::Error) -> String {
    if error.kind() != std::io::ErrorKind::PermissionDenied {
        return format!("it cannot be read: {error}");
    }
    // From the root on: the first folder whose entries cannot be looked at.
    let folders: Vec<&Path> = file.ancestors().collect();
    for pair in folders.windows(2).rev() {
        let [entry, folder] = pair else { continue };
        if std::fs::symlink_metadata(entry).is_err() {
            let shown = match folder.as_os_str().is_empty() {
                true => ".".to_owned(),
                false => folder.shown(),
            };
            return format!(
                "permission denied: this process may not search the folder {shown}{}",
                rights(folder)
            );
        }
    }
    format!(
        "permission denied: this process may not read the file{}",
        rights(file)
    )
}

fn rights(path: &Path) -> String {
    // SAFETY: this call has no preconditions.
    let own = unsafe { libc::geteuid() };
    match std::fs::metadata(path) {
        Ok(metadata) => format!(
            " (mode {:04o}, owner {}; the process runs as user {own})",
            metadata.mode() & 0o7777,
            metadata.uid()
        ),
        Err(_) => format!(" (the process runs as user {own})"),
    }
}

/// A library and all that it needs, as far as it is not loaded already.
struct Closure {
    members: Vec<Member>,
}

struct Member {
    file: PathBuf,
    /// How it is called in a message about the first.
    shown: String,
    needs: Needs,
}

/// A library that another needs.
enum Found {
    Loaded(PathBuf),
    File(PathBuf),
    Missing(Vec<PathBuf>),
}

impl Closure {
    /// Walks through what a file needs, and stops at the first thing that is wrong.
    fn of(file: &Path) -> Result<Closure, String> {
        let mut members: Vec<Member> = Vec::new();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        // The file, who needs it, and the folders that hold for all that it needs.
        let mut waiting = vec![(file.to_owned(), "it".to_owned(), Vec::new())];
        while let Some((file, shown, inherited)) = waiting.pop() {
            let damaged =
                |words: String| format!("{shown} is an ELF file that is damaged: {words}");
            let Some(image) = Image::open(&file).map_err(damaged)? else {
                continue;
            };
            let needs = image.needs().map_err(damaged)?;
            let mut folders: Vec<PathBuf> = needs
                .folders
                .iter()
                .map(|folder| expanded(folder, &file))
                .collect();
            let mut handed_on = inherited.clone();
            if needs.folders_are_inherited {
                handed_on.extend(folders.iter().cloned());
            }
            folders.extend(inherited);
            for library in &needs.libraries {
                let versions = needs.versions.iter().filter(|(from, _)| from == library);
                match find(library, &folders) {
                    Found::Missing(looked_in) => {
                        return Err(missing(&shown, library, &looked_in));
                    }
                    Found::Loaded(path) => {
                        for (_, version) in versions {
                            check_version(&shown, library, &path, version)?;
                        }
                    }
                    Found::File(path) => {
                        if seen.insert(library.clone()) {
                            match format::unfit(&path) {
                                Ok(None) => {}
                                Ok(Some(words)) => {
                                    return Err(unfit(&shown, library, &path, &words));
                                }
                                Err(error) => {
                                    let words = unreadable(&path, &error);
                                    return Err(unfit(&shown, library, &path, &words));
                                }
                            }
                            if members.len() + waiting.len() < MOST_LIBRARIES {
                                let shown = path.shown();
                                waiting.push((path.clone(), shown, handed_on.clone()));
                            }
                        }
                        for (_, version) in versions {
                            check_version(&shown, library, &path, version)?;
                        }
                    }
                }
            }
            members.push(Member { file, shown, needs });
        }
        Ok(Closure { members })
    }

    /// Is it a symbol that nothing defines? The loader names it among its words.
    fn undefined(&self, reason: &str) -> Option<String> {
        let words = reason.split(|c: char| c.is_whitespace() || ":,'`\"".contains(c));
        let words: BTreeSet<&str> = words.filter(|word| !word.is_empty()).collect();
        // The loader begins with the file that it speaks of.
        let is_named = |member: &&Member| reason.starts_with(&*member.file.to_string_lossy());
        let named = self.members.iter().find(is_named);
        let others = self.members.iter().filter(|member| !is_named(member));
        for member in named.into_iter().chain(others) {
            let Ok(Some(image)) = Image::open(&member.file) else {
                continue;
            };
            let symbols = image.dynamic_symbols().unwrap_or_default();
            let undefined = symbols.iter().find(|symbol| {
                !symbol.is_defined
                    && words.contains(symbol.name.as_str())
                    && symbol
                        .version
                        .as_deref()
                        .is_none_or(|version| words.contains(version))
            });
            if let Some(symbol) = undefined {
                let versioned = match &symbol.version {
                    Some(version) => format!("{} in version {version}", symbol.name),
                    None => symbol.name.clone(),
                };
                let libraries = match member.needs.libraries.is_empty() {
                    true => "it was linked with no library that could have it".to_owned(),
                    false => format!(
                        "neither the program nor what it was linked with has it ({})",
                        member.needs.libraries.join(", ")
                    ),
                };
                return Some(format!(
                    "{} needs the symbol {versioned}, and {libraries}: link it with the library \
                     that has it, or open that library first with FC_OPEN_GLOBAL",
                    member.shown
                ));
            }
        }
        None
    }
}

fn missing(who: &str, library: &str, looked_in: &[PathBuf]) -> String {
    let folders: Vec<String> = looked_in.iter().map(|f| f.shown()).collect();
    let folders = match folders.is_empty() {
        true => String::new(),
        false => format!(" in {}", folders.join(", ")),
    };
    let mend = match library.contains('/') {
        true => "it must be at that path",
        false => {
            "install it, or name its folder in LD_LIBRARY_PATH before the program starts, or open \
             it by its path first"
        }
    };
    format!("{who} needs {library}, which is not found{folders}: {mend}")
}

fn unfit(who: &str, library: &str, path: &Path, words: &str) -> String {
    format!(
        "{who} needs {library}, which is found as {}: {words}",
        path.shown()
    )
}

/// Has a library the version that another needs of it?
fn check_version(who: &str, library: &str, path: &Path, version: &str) -> Result<(), String> {
    let image = match Image::open(path) {
        Ok(Some(image)) => image,
        // A file that has gone since it was loaded says nothing.
        _ => return Ok(()),
    };
    let defined = image.defined_versions().unwrap_or_default();
    if defined.is_empty() || defined.iter().any(|one| one == version) {
        return Ok(());
    }
    // Of GLIBC_2.99 the family is GLIBC_.
    let family = |name: &str| {
        name.split(|c: char| c.is_ascii_digit()).next()
            == version.split(|c: char| c.is_ascii_digit()).next()
    };
    let newest = defined
        .iter()
        .filter(|name| family(name))
        .max_by_key(|name| numbers(name));
    let newest = match newest {
        Some(newest) => format!(" (it has up to {newest})"),
        None => format!(" (it has {})", defined.join(", ")),
    };
    Err(format!(
        "{who} needs version {version} of {library}, and {} does not have it{newest}: it was \
         linked where {library} is newer; build it here, or install a newer {library}",
        path.shown()
    ))
}

/// The numbers in the name of a version, in which `GLIBC_2.10` comes after `GLIBC_2.9`.
pub(super) fn numbers(name: &str) -> Vec<u64> {
    let parts = name.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// Where the loader would find a library that another needs.
fn find(library: &str, folders: &[PathBuf]) -> Found {
    let name = Path::new(library);
    if let Some(path) = loader::loaded(name) {
        return Found::Loaded(path);
    }
    if library.contains('/') {
        return match name.exists() {
            true => Found::File(name.to_owned()),
            false => Found::Missing(Vec::new()),
        };
    }
    let mut looked_in = folders.to_vec();
    for place in search::places() {
        for folder in place.folders {
            if !looked_in.contains(&folder) {
                looked_in.push(folder);
            }
        }
    }
    match search::file_in(looked_in.iter().cloned(), name) {
        Some(path) => Found::File(path),
        None => Found::Missing(looked_in),
    }
}

/// A folder as a file names it, which may begin where the file itself lies.
fn expanded(folder: &str, file: &Path) -> PathBuf {
    let real = file.canonicalize();
    let real = real.as_deref().unwrap_or(file);
    let origin = real.parent().unwrap_or(Path::new("/")).to_string_lossy();
    let lib = if cfg!(target_pointer_width = "64") {
        "lib64"
    } else {
        "lib"
    };
    let folder = folder
        .replace("${ORIGIN}", &origin)
        .replace("$ORIGIN", &origin);
    let folder = folder.replace("${LIB}", lib).replace("$LIB", lib);
    let machine = std::env::consts::ARCH;
    folder
        .replace("${PLATFORM}", machine)
        .replace("$PLATFORM", machine)
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_begin_at_the_file() {
        let file = Path::new("/no/such/folder/liba.so");
        assert_eq!(
            expanded("$ORIGIN/../x", file),
            Path::new("/no/such/folder/../x")
        );
        assert_eq!(expanded("${ORIGIN}", file), Path::new("/no/such/folder"));
        assert_eq!(expanded("/a", file), Path::new("/a"));
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(numbers("GLIBC_2.10") > numbers("GLIBC_2.9"));
    }

    #[test]
    fn a_version_that_a_library_does_not_have() {
        let libc = loader::loaded(Path::new("libc.so.6")).unwrap();
        let words = check_version("it", "libc.so.6", &libc, "GLIBC_2.999").unwrap_err();
        assert!(
            words.starts_with("it needs version GLIBC_2.999 of libc.so.6, and /"),
            "{words}"
        );
        assert!(words.contains("(it has up to GLIBC_2."), "{words}");
        assert_eq!(
            check_version("it", "libc.so.6", &libc, "GLIBC_2.17"),
            Ok(())
        );
    }
}

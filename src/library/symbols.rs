//! The symbols that a file exports, read without loading it.

use super::elf::{Image, Symbol};
use super::shown::Shown;
use super::{format, not_found, refused};
use crate::error::{Error, Result};
use object::elf;
use std::path::Path;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A function.
    Function,
    /// A variable.
    Variable,
    /// A variable that each thread has for itself.
    ThreadLocal,
    /// A function that the loader chooses when it loads the file, by the processor for instance.
    IndirectFunction,
    /// Anything else: a name without a type.
    Other,
}

/// A symbol that a file exports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Its name, as the linker knows it.
    pub name: String,
    /// Its version, where the file has versions.
    pub version: Option<String>,
    /// It is what the name means without a version (`name@@VERSION`).
    pub is_default: bool,
    /// What it is.
    pub kind: Kind,
    /// Its size in bytes; 0 where the file does not say.
    pub size: u64,
    /// Its address, counted from where the file is loaded; of a thread-local, its place among those
    /// of the file.
    pub address: u64,
}

/// The symbols that a file exports, in the order of the file, which may be for another machine.
pub fn exported(path: &Path) -> Result<Vec<Exported>> {
    let failed = |words: String| Error::load(words).within(path.shown());
    let unfit = match format::unfit(path) {
        Ok(unfit) => unfit,
        Err(error) if super::is_absent(&error) => return Err(not_found::path(path)),
        Err(error) => return Err(failed(refused::unreadable(path, &error))),
    };
    let image = Image::open(path).map_err(failed)?;
    let image = image.ok_or_else(|| failed(unfit.unwrap_or_default()))?;
    let symbols = image.dynamic_symbols().map_err(failed)?;
    Ok(symbols.into_iter().filter_map(export).collect())
}

pub(super) fn export(symbol: Symbol) -> Option<Exported> {
    let kind = match symbol.kind {
        elf::STT_FUNC => Kind::Function,
        elf::STT_OBJECT | elf::STT_COMMON => Kind::Variable,
        elf::STT_TLS => Kind::ThreadLocal,
        elf::STT_GNU_IFUNC => Kind::IndirectFunction,
        elf::STT_SECTION | elf::STT_FILE => return None,
        _ => Kind::Other,
    };
    if !symbol.is_defined || !symbol.is_visible {
        return None;
    }
    // The linker puts a symbol for each version itself beside the symbols that have it.
    if symbol.is_absolute && symbol.version.as_ref() == Some(&symbol.name) {
        return None;
    }
    Some(Exported {
        name: symbol.name,
        version: symbol.version,
        is_default: symbol.is_default,
        kind,
        size: symbol.size,
        address: symbol.value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;
    use crate::library::{OpenOptions, find};

    fn of(name: &str) -> Vec<Exported> {
        let path = find(Path::new(name), &OpenOptions::default()).unwrap();
        exported(&path).unwrap()
    }

    fn all<'a>(symbols: &'a [Exported], name: &str) -> Vec<&'a Exported> {
        symbols.iter().filter(|one| one.name == name).collect()
    }

    #[test]
    fn the_mathematics_library() {
        let symbols = of("m");
        let frexp = all(&symbols, "ldexp");
        assert!(frexp.iter().any(|one| one.kind == Kind::Function
            && one.is_default
            && one.size > 0
            && one.address > 0));
        let sign = all(&symbols, "signgam");
        assert!(sign.iter().all(|one| one.kind == Kind::Variable));
        assert!(symbols.iter().all(|one| !one.name.is_empty()));
    }

    #[test]
    fn versions_and_which_is_the_default() {
        let symbols = of("libc.so.6");
        let glob = all(&symbols, "glob");
        let defaults = glob.iter().filter(|one| one.is_default).count();
        assert_eq!(defaults, 1, "{glob:?}");
        assert!(glob.iter().all(|one| one.version.is_some()), "{glob:?}");
        assert!(all(&symbols, "strlen")[0].kind == Kind::IndirectFunction);
        assert!(
            all(&symbols, "errno")
                .iter()
                .all(|one| one.kind == Kind::ThreadLocal)
        );
        // Neither imports nor the symbols of the versions themselves.
        assert!(all(&symbols, "GLIBC_2.17").is_empty());
        assert!(all(&symbols, "__tls_get_addr").is_empty());
    }

    #[test]
    fn every_export_of_a_loaded_library_is_found_by_its_loader() {
        let library =
            crate::library::Library::open(Some(Path::new("libz.so.1")), &OpenOptions::default())
                .unwrap();
        let path = Path::new(library.path().to_str().unwrap());
        let symbols = exported(path).unwrap();
        assert!(symbols.len() > 50);
        let bases: std::collections::BTreeSet<usize> = symbols
            .iter()
            .filter(|one| one.kind == Kind::Function)
            .map(|one| {
                let name = match &one.version {
                    Some(version) => format!("{}@{version}", one.name),
                    None => one.name.clone(),
                };
                library.symbol(&name).unwrap() as usize - one.address as usize
            })
            .collect();
        assert_eq!(bases.len(), 1, "one place at which the file is loaded");
    }

    #[test]
    fn what_is_no_library() {
        let error = exported(Path::new("/proc/self/status")).unwrap_err();
        assert_eq!(error.status, Status::Load);
        assert!(error.message.contains("/proc/self/status: "), "{error}");
        let error = exported(Path::new("/no/such/file.so")).unwrap_err();
        assert_eq!(error.status, Status::NotFound);
        let error = exported(Path::new("/tmp")).unwrap_err();
        assert_eq!(error.status, Status::Load);
        assert!(error.message.contains("this is a folder"), "{error}");
    }
}

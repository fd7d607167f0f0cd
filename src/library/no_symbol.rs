//! What to say where a library has no symbol of a name: what comes near it, and what is in the way.

use super::elf::{Image, Symbol};
use super::shown::Shown;
use super::{loader, refused, symbols};
use crate::nearest::nearest_few;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::path::{Path, PathBuf};

/// How many near names are shown.
const NEAR: usize = 3;

/// The files in which the loader looks for the symbols of a library: its own, then those that it
/// needs, nearest first. For the program they are those of all that is loaded.
pub(super) fn files(library: &Path, is_program: bool) -> Vec<PathBuf> {
    if is_program {
        return loader::all_loaded();
    }
    let mut files = vec![library.to_owned()];
    let mut next = 0;
    while let Some(file) = files.get(next) {
        let needs = match Image::open(file) {
            Ok(Some(image)) => image.needs().unwrap_or_default().libraries,
            _ => Vec::new(),
        };
        for needed in needs {
            if let Some(path) = loader::loaded(Path::new(&needed))
                && !files.contains(&path)
            {
                files.push(path);
            }
        }
        next += 1;
    }
    files
}

/// The version that a name has where none is asked for.
pub(super) fn default_version(files: &[PathBuf], name: &str) -> Option<String> {
    let mut found = files
        .iter()
        .flat_map(|file| dynamic_symbols(file))
        .filter_map(symbols::export)
        .filter(|symbol| symbol.name == name && symbol.is_default);
    found.next()?.version
}

fn dynamic_symbols(file: &Path) -> Vec<Symbol> {
    match Image::open(file) {
        Ok(Some(image)) => image.dynamic_symbols().unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// What helps whoever asked for a name, in a version or in any; "" where nothing does.
pub(super) fn advice(files: &[PathBuf], name: &str, version: Option<&str>) -> String {
    if name.contains(|c: char| c.is_whitespace() || c == '(') {
        return "a symbol is a name only, not a declaration".to_owned();
    }
    let exports: Vec<symbols::Exported> = files
        .iter()
        .flat_map(|file| dynamic_symbols(file))
        .filter_map(symbols::export)
        .collect();
    let of_name: Vec<&symbols::Exported> = exports.iter().filter(|s| s.name == name).collect();
    if version.is_some() && !of_name.is_empty() {
        return versions(&of_name);
    }
    if let Some(mangled) = exports.iter().find(|s| is_mangled(&s.name, name)) {
        return format!(
            "there is {}, a C++ function or variable: declare it extern \"C\" where it is \
             defined, or ask for it by that name",
            mangled.name
        );
    }
    if let Some(file) = files.first()
        && has_hidden(file, name)
    {
        return format!(
            "{} has it for itself only, as static or hidden: define it without static and with \
             default visibility",
            file.shown()
        );
    }
    let owner = CString::new(name)
        .ok()
        .and_then(|name| loader::owner_of(&name));
    if let Some(owner) = owner
        && !files.contains(&owner)
    {
        return format!("{} has it: open that library", owner.shown());
    }
    let names: BTreeSet<&str> = exports.iter().map(|symbol| symbol.name.as_str()).collect();
    let mut near = nearest_few(name, names.iter().copied(), NEAR);
    near.extend(names.iter().filter(|one| one.eq_ignore_ascii_case(name)));
    near.dedup();
    match near.is_empty() {
        true => String::new(),
        false => format!("did you mean {}?", near.join(" or ")),
    }
}

fn versions(symbols: &[&symbols::Exported]) -> String {
    let mut symbols = symbols.to_vec();
    symbols.sort_by_key(|symbol| refused::numbers(symbol.version.as_deref().unwrap_or_default()));
    let mut list: Vec<String> = symbols
        .iter()
        .filter_map(|symbol| {
            let version = symbol.version.as_deref()?;
            Some(match symbol.is_default {
                true => format!("{version} (the default)"),
                false => version.to_owned(),
            })
        })
        .collect();
    list.dedup();
    match list.is_empty() {
        true => "it has no versions: ask for the name alone".to_owned(),
        false => format!("it has {}", list.join(", ")),
    }
}

/// Is this what a C++ compiler makes of a function or variable of that name, in a namespace or class
/// or in none (Itanium C++ ABI, 5.1)?
fn is_mangled(symbol: &str, name: &str) -> bool {
    let Some(rest) = symbol.strip_prefix("_Z") else {
        return false;
    };
    let encoded = format!("{}{name}", name.len());
    if let Some(nested) = rest.strip_prefix('N') {
        // The last of the names; the E that ends them follows.
        let at = nested.find(&format!("{encoded}E"));
        return at.is_some_and(|at| !nested[..at].ends_with(|c: char| c.is_ascii_digit()));
    }
    rest.starts_with(&encoded)
}

/// Does the file define the name for itself only?
fn has_hidden(file: &Path, name: &str) -> bool {
    let Ok(Some(image)) = Image::open(file) else {
        return false;
    };
    let mut symbols = image.all_symbols().unwrap_or_default();
    symbols.extend(image.dynamic_symbols().unwrap_or_default());
    // Compilers put a point behind the names of what they have split: name.part.0.
    let is_name = |symbol: &str| {
        let rest = symbol.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    symbols
        .iter()
        .any(|symbol| symbol.is_defined && !symbol.is_visible && is_name(&symbol.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cpp() {
        assert!(is_mangled("_Z3addii", "add"));
        assert!(is_mangled("_ZN4calc3addEii", "add"));
        assert!(is_mangled("_ZN4calc5TableILi3EE3addEii", "add"));
        assert!(!is_mangled("_Z4addsii", "add"));
        assert!(!is_mangled("_ZN3add4calcEv", "add"));
        assert!(!is_mangled("_ZN13addition3addd1Ev", "add"));
        assert!(!is_mangled("add", "add"));
    }

    #[test]
    fn versions_that_a_symbol_has() {
        let libc = loader::loaded(Path::new("libc.so.6")).unwrap();
        let words = advice(&[libc], "glob", Some("GLIBC_9.9"));
        assert!(words.starts_with("it has GLIBC_"), "{words}");
        assert!(words.contains(" (the default)"), "{words}");
    }

    #[test]
    fn what_comes_near() {
        let files = files(Path::new("libc.so.6"), true);
        let words = advice(&files, "strlne", None);
        assert!(words.starts_with("did you mean strlen"), "{words}");
        let words = advice(&files, "int abs(int)", None);
        assert_eq!(words, "a symbol is a name only, not a declaration");
        assert_eq!(advice(&files, "nothing_is_called_so", None), "");
    }
}

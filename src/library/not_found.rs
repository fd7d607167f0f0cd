//! What to say where there is no library of a name: what was tried, where, and what comes near it.

use super::search::{self, Place};
use super::shown::Shown;
use crate::error::Error;
use crate::nearest::nearest_few;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// How many near names are shown.
const NEAR: usize = 3;

/// No file was found for a bare name.
pub(super) fn name(name: &Path, candidates: &[PathBuf], own_folders: &[PathBuf]) -> Error {
    let mut places = search::places();
    places.insert(
        0,
        Place {
            named_by: "the caller's folders",
            folders: own_folders.to_vec(),
        },
    );
    let (name, shown_name) = (name.to_string_lossy(), name.shown());
    let mut message = format!("library {shown_name}: not found\n    names tried: ");
    let mut tried: Vec<String> = Vec::new();
    for candidate in candidates {
        let file = candidate.file_name().unwrap_or(candidate.as_os_str());
        let file = file.to_string_lossy().shown();
        if !tried.contains(&file) {
            tried.push(file);
        }
    }
    message.push_str(&tried.join(", "));
    for place in &places {
        let folders: Vec<String> = place.folders.iter().map(|folder| shown(folder)).collect();
        let folders = match folders.is_empty() {
            true => "none".to_owned(),
            false => folders.join(", "),
        };
        // Writing to a string cannot fail.
        let _ = write!(message, "\n    {}: {folders}", place.named_by);
    }
    let folders = places.iter().flat_map(|place| &place.folders);
    let _ = write!(message, "\n    {}", advice(&name, folders));
    Error::not_found(message)
}

fn shown(folder: &Path) -> String {
    match folder.is_dir() {
        true => folder.shown(),
        false => format!("{} (no such folder)", folder.shown()),
    }
}

fn advice<'a>(name: &str, folders: impl Iterator<Item = &'a PathBuf>) -> String {
    let found = libraries_in(folders);
    let stem = stem(name);
    let of_stem = |stem: &str, most: usize| -> Vec<String> {
        let files = found.iter().filter(|(file, _)| self::stem(file) == stem);
        files
            .map(|(file, folder)| format!("{} in {}", file, folder.shown()))
            .take(most)
            .collect()
    };
    let others = of_stem(stem, NEAR);
    if !others.is_empty() {
        return format!(
            "the name is nearly that of {}: ask for it by that name, or for \"{}\", which is \
             whichever version is there",
            others.join(", "),
            stem.shown()
        );
    }
    let stems = found.keys().map(|file| self::stem(file));
    let near: Vec<String> = nearest_few(stem, stems, NEAR)
        .into_iter()
        .flat_map(|stem| of_stem(stem, 1))
        .collect();
    if !near.is_empty() {
        return format!("did you mean {}?", near.join(" or "));
    }
    let file = match name.contains(".so") {
        true => name.shown(),
        false => format!("lib{}.so", name.shown()),
    };
    format!(
        "if it is elsewhere, give its path or name its folder among the search folders; if it is \
         not installed, apt-file search {file} (Debian) or dnf provides '*/{file}' (Fedora) \
         knows its package"
    )
}

/// The shared libraries in some folders, with the first folder that has each.
fn libraries_in<'a>(folders: impl Iterator<Item = &'a PathBuf>) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for folder in folders {
        for file in files_in(folder) {
            if file.contains(".so") {
                found.entry(file).or_insert_with(|| folder.clone());
            }
        }
    }
    found
}

fn files_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// `z` of `libz.so.1`, `z.so` and `z`.
fn stem(name: &str) -> &str {
    let name = name.strip_prefix("lib").unwrap_or(name);
    name.split(".so").next().unwrap_or(name)
}

/// There is no file at a path.
pub(super) fn path(path: &Path) -> Error {
    Error::not_found(format!("library {}: {}", path.shown(), path_words(path)))
}

fn path_words(path: &Path) -> String {
    if let Ok(target) = std::fs::read_link(path)
        && !path.exists()
    {
        return format!(
            "this is a link to {}, which is not there: install what it points to, or make the \
             link anew",
            target.shown()
        );
    }
    let from = match path.is_absolute() {
        true => String::new(),
        false => match std::env::current_dir() {
            Ok(folder) => format!(" (looked for from {})", folder.shown()),
            Err(_) => String::new(),
        },
    };
    let folder = match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => Path::new("/"),
    };
    if !folder.is_dir() {
        // The last of a relative path's folders is "".
        let missing = folder
            .ancestors()
            .filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
            .last();
        let missing = missing.unwrap_or(folder);
        let what = match missing.exists() {
            true => "is no folder",
            false => "does not exist",
        };
        return format!("no such file: {} {what}{from}", missing.shown());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let files = files_in(folder);
    let mut near: Vec<&str> = files
        .iter()
        .map(String::as_str)
        .filter(|file| file.contains(".so") && stem(file) == stem(&name))
        .take(NEAR)
        .collect();
    near.sort_unstable();
    if near.is_empty() {
        near = nearest_few(&name, files.iter().map(String::as_str), NEAR);
    }
    match near.is_empty() {
        true => format!("no such file{from}"),
        false => format!(
            "no such file{from}; did you mean {}, which is in the same folder?",
            near.join(" or ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems() {
        for name in ["libz.so.1.2", "z", "z.so", "libz", "libz.so"] {
            assert_eq!(stem(name), "z");
        }
    }

    #[test]
    fn every_place_is_named() {
        let own = [PathBuf::from("/no/such/folder"), PathBuf::from("/tmp")];
        let candidates = ["/tmp/libqq.so", "qq", "libqq.so"].map(PathBuf::from);
        let message = name(Path::new("qq"), &candidates, &own).message;
        for part in [
            "library qq: not found\n",
            "names tried: libqq.so, qq\n",
            "the caller's folders: /no/such/folder (no such folder), /tmp\n",
            "LD_LIBRARY_PATH: ",
            "/etc/ld.so.conf: ",
            "the system's folders: /lib/",
            "apt-file search libqq.so",
        ] {
            assert!(message.contains(part), "expected {part:?} in {message}");
        }
    }

    #[test]
    fn what_comes_near() {
        let folders = search::places();
        let advice = |name| advice(name, folders.iter().flat_map(|place| &place.folders));
        assert!(advice("libz.so.77").contains("libz.so.1 in /"));
        assert!(advice("z.so.1").contains("libz.so.1 in /"));
        assert!(advice("pthreda").contains("did you mean libpthread.so"));
    }

    #[test]
    fn paths() {
        let words = |name: &str| path_words(Path::new(name));
        assert_eq!(words("/no/such/lib.so"), "no such file: /no does not exist");
        assert_eq!(
            words("/etc/passwd/lib.so"),
            "no such file: /etc/passwd is no folder"
        );
        let from = format!(
            "(looked for from {})",
            std::env::current_dir().unwrap().display()
        );
        let none = format!("no such file: no_folder does not exist {from}");
        assert_eq!(words("no_folder/inner/lib.so"), none);
        let none = format!("no such file: ./Cargo.toml is no folder {from}");
        assert_eq!(words("./Cargo.toml/lib.so"), none);
        assert!(words("./no_such_file_here.so").contains("(looked for from /"));
        assert!(words("/etc/paswd").contains("did you mean passwd"));
    }
}

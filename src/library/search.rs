//! The names and places under which a library that is named without a path is looked for.

use super::elf::Image;
use std::path::{Path, PathBuf};

/// What to try for a bare name, in order: in the caller's folders, as given, then in the platform's
/// forms (`m`: `libm.so.6`, `libm.so`).
pub(super) fn candidates(name: &str, folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut list = Vec::new();
    let forms = forms(name);
    for folder in folders {
        let is_bare_stem = !name.contains(".so");
        let versioned = if is_bare_stem {
            versions_in(folder, name)
        } else {
            Vec::new()
        };
        let in_folder = forms.iter().cloned().chain(versioned);
        list.extend(in_folder.map(|form| folder.join(form)));
    }
    list.push(PathBuf::from(name));
    if !name.contains(".so") {
        // A development package's libm.so may be a linker's script; what is loaded has a version.
        list.extend(installed_versions(name).into_iter().map(PathBuf::from));
    }
    list.extend(forms.into_iter().skip(1).map(PathBuf::from));
    // So may libm.so itself, asked for by that name.
    let stem = name
        .strip_prefix("lib")
        .and_then(|name| name.strip_suffix(".so"));
    list.extend(
        stem.into_iter()
            .flat_map(installed_versions)
            .map(PathBuf::from),
    );
    list
}

/// The file that a name without a folder means: the first of that name that is made for this
/// machine, or else the first of that name, which the loader then refuses.
pub(super) fn file_of(name: &Path) -> Option<PathBuf> {
    file_in(system_folders(), name)
}

/// The same in some folders.
pub(super) fn file_in(folders: impl Iterator<Item = PathBuf>, name: &Path) -> Option<PathBuf> {
    let files = folders.map(|folder| folder.join(name));
    let mut other = None;
    for file in files.filter(|file| file.is_file()) {
        // The loader passes over files for other machines where it looks for a name in folders.
        if matches!(Image::open(&file), Ok(Some(image)) if image.is_for_this_machine()) {
            return Some(file);
        }
        other.get_or_insert(file);
    }
    other
}

fn forms(name: &str) -> Vec<String> {
    let mut forms = vec![name.to_owned()];
    if name.contains(".so") {
        return forms;
    }
    if cfg!(target_os = "macos") {
        forms.push(format!("lib{name}.dylib"));
    } else if cfg!(windows) {
        forms.push(format!("{name}.dll"));
    } else {
        forms.push(format!("lib{name}.so"));
    }
    forms
}

/// The versions of `lib<name>.so` in the system's folders, newest first, without their folders: the
/// loader finds them by itself.
fn installed_versions(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for folder in system_folders() {
        for version in versions_in(&folder, name) {
            if !found.contains(&version) {
                found.push(version);
            }
        }
    }
    found
}

/// The files `lib<name>.so.<numbers>` of a folder, newest first.
fn versions_in(folder: &Path, name: &str) -> Vec<String> {
    let prefix = format!("lib{name}.so.");
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<(Vec<u64>, String)> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|file| Some((version(file.strip_prefix(&prefix)?)?, file)))
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, file)| file).collect()
}

/// `6` and `1.2.13` as numbers; `None` for other endings.
fn version(text: &str) -> Option<Vec<u64>> {
    text.split('.').map(|part| part.parse().ok()).collect()
}

/// Folders in which the system's loader looks, and who named them.
pub(super) struct Place {
    pub(super) named_by: &'static str,
    pub(super) folders: Vec<PathBuf>,
}

/// Where a bare name is looked for, in order.
pub(super) fn places() -> Vec<Place> {
    let paths = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let from_environment =
        std::env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty());
    let machine = std::env::consts::ARCH;
    let mut usual = vec![
        PathBuf::from(format!("/lib/{machine}-linux-gnu")),
        PathBuf::from(format!("/usr/lib/{machine}-linux-gnu")),
    ];
    usual.extend(["/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"].map(PathBuf::from));
    let place = |named_by, folders| Place { named_by, folders };
    vec![
        place("LD_LIBRARY_PATH", from_environment.collect()),
        place(
            CONFIGURATION,
            configured_folders(Path::new(CONFIGURATION), 0),
        ),
        place("the system's folders", usual),
    ]
}

const CONFIGURATION: &str = "/etc/ld.so.conf";

fn system_folders() -> impl Iterator<Item = PathBuf> {
    places().into_iter().flat_map(|place| place.folders)
}

/// The folders that the loader's configuration names (ldconfig(8)).
fn configured_folders(file: &Path, depth: u32) -> Vec<PathBuf> {
    let Ok(text) = std::fs::read_to_string(file) else {
        return Vec::new();
    };
    let mut folders = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or("").trim();
        match line.strip_prefix("include") {
            Some(pattern) if depth < 4 => {
                for included in matching_files(Path::new(pattern.trim())) {
                    folders.extend(configured_folders(&included, depth + 1));
                }
            }
            _ if line.starts_with('/') => folders.push(line.into()),
            _ => {}
        }
    }
    folders
}

/// The files of a pattern whose only star stands in its last part: `/etc/ld.so.conf.d/*.conf`.
fn matching_files(pattern: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(last)) = (pattern.parent(), pattern.file_name()) else {
        return Vec::new();
    };
    let last = last.to_string_lossy();
    let Some((before, after)) = last.split_once('*') else {
        return vec![pattern.to_owned()];
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(before) && name.ends_with(after)
        })
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        assert_eq!(version("6"), Some(vec![6]));
        assert_eq!(version("1.2.13"), Some(vec![1, 2, 13]));
        assert_eq!(version("6.debug"), None);
        assert!(version("1.10") > version("1.9"));
    }

    #[test]
    fn a_name_with_its_ending_is_tried_as_it_is() {
        assert_eq!(candidates("libm.so.6", &[]), [PathBuf::from("libm.so.6")]);
    }

    #[test]
    fn folders_come_first_and_the_given_name_before_its_forms() {
        let list = candidates("no_such_library", &["/nowhere".into()]);
        let expected = [
            "/nowhere/no_such_library",
            "/nowhere/libno_such_library.so",
            "no_such_library",
            "libno_such_library.so",
        ];
        assert_eq!(list, expected.map(PathBuf::from));
    }
}

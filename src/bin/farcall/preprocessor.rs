//! The C preprocessor that `--cpp` runs: one whose headers are those of the target.

use crate::Failure;
use crate::declarations::{name, reason};
use farcall::code;
use farcall::types::Target;
use farcall::types::target::Model;
use std::io::ErrorKind;
use std::process::{Command, Stdio};

/// The compiler for a target that is not this machine's, by the name that distributions give it, and what
/// CC may hold where it is not there. Nobody has one for Apple's but Apple.
fn cross_compiler(model: Model) -> (Option<&'static str>, &'static str) {
    match model {
        Model::LinuxX86_64 => (
            Some("x86_64-linux-gnu-gcc"),
            "clang --target=x86_64-linux-gnu --sysroot=DIR",
        ),
        Model::LinuxAarch64 => (
            Some("aarch64-linux-gnu-gcc"),
            "clang --target=aarch64-linux-gnu --sysroot=DIR",
        ),
        Model::AppleAarch64 => (None, "clang --target=arm64-apple-macos -isysroot DIR"),
        Model::WindowsX86_64 => (
            Some("x86_64-w64-mingw32-gcc"),
            "clang --target=x86_64-w64-windows-gnu --sysroot=DIR",
        ),
    }
}

/// What to say where no compiler has the target's headers.
fn no_headers(target: &Target, missing: Option<&str>, example: &str) -> Failure {
    let target = target.name;
    let missing = match missing {
        Some(program) => format!(", and there is no {program} in PATH"),
        None => String::new(),
    };
    Failure::Failed(format!(
        "--cpp: this machine's headers are not those of {target}{missing}; name a compiler that has \
         them in CC: CC='{example}'"
    ))
}

/// The file as `cc -E` gives it.
pub(crate) fn preprocessed(file: &str, target: &Target) -> Result<String, Failure> {
    let named = std::env::var("CC")
        .ok()
        .filter(|name| !name.trim().is_empty());
    let is_foreign = target.model != code::target().model;
    let (cross, example) = cross_compiler(target.model);
    let is_named = named.is_some();
    let compiler = match (named, cross) {
        (Some(named), _) => named,
        (None, _) if !is_foreign => "cc".to_owned(),
        (None, Some(cross)) => cross.to_owned(),
        (None, None) => return Err(no_headers(target, None, example)),
    };
    // CC may hold options too.
    let mut words = compiler.split_whitespace();
    let program = words.next().unwrap_or("cc");
    // Two words that compilers make 1 of by themselves are more often meant as text.
    let mut command = Command::new(program);
    command
        .args(words)
        .args(["-E", "-dD", "-Ulinux", "-Uunix", "-x", "c"]);
    // A header of the system is found as `#include` finds it.
    match file {
        "-" => command.arg("-"),
        _ => command.args(["-include", file, "/dev/null"]),
    };
    if file == "-" {
        command.stdin(Stdio::inherit());
    }
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| {
        if is_foreign && !is_named && error.kind() == ErrorKind::NotFound {
            return no_headers(target, Some(program), example);
        }
        Failure::Failed(format!(
            "the C preprocessor {program} could not be run: {}; CC names another",
            reason(&error)
        ))
    })?;
    if !output.status.success() {
        return Err(Failure::Failed(format!(
            "{}: {compiler} -E failed ({})",
            name(file),
            output.status
        )));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // A name in angle brackets is for what is in no file, and is not shown as a place.
    Ok(match file {
        "-" => text.replace(" \"<stdin>\"", " \"standard input\""),
        _ => text.into_owned(),
    })
}

//! Runs the program.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

pub(crate) fn farcall<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_farcall"))
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// What it prints, when it succeeds.
pub(crate) fn prints<S: AsRef<std::ffi::OsStr> + std::fmt::Debug>(arguments: &[S]) -> String {
    let output = farcall(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
    assert_eq!(error, "", "{arguments:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What it complains of, when it ends with a status.
pub(crate) fn fails<S: AsRef<std::ffi::OsStr> + std::fmt::Debug>(
    status: i32,
    arguments: &[S],
) -> String {
    let output = farcall(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {error}");
    assert_eq!(output.stdout, b"", "{arguments:?}");
    assert!(error.starts_with("farcall: "), "{error}");
    error
}

/// What it does with this standard input.
pub(crate) fn farcall_reading<S: AsRef<std::ffi::OsStr>>(input: &str, arguments: &[S]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_farcall"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // It may end without having read all.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

pub(crate) fn header() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/fixture.h")
}

/// The library of functions that tests call, compiled when it is first asked for.
pub(crate) fn library() -> &'static str {
    static LIBRARY: OnceLock<String> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/fixture.c");
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let library = folder.join("libprogram_fixture.so");
        // Every test may be a process of its own: none may see what another has half written.
        let own = folder.join(format!("fixture.{}.so", std::process::id()));
        if !is_newer(&library, &[source, header()]) {
            let status = Command::new("cc")
                .args(["-shared", "-fPIC", "-O1", "-o"])
                .arg(&own)
                .args([source, "-lm", "-pthread"])
                .status()
                .expect("a C compiler");
            assert!(status.success());
            std::fs::rename(&own, &library).expect("a library");
        }
        library.into_os_string().into_string().expect("UTF-8")
    })
}

fn is_newer(library: &Path, sources: &[&str]) -> bool {
    let time = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let built = time(library);
    sources.iter().all(|source| time(Path::new(source)) < built)
}

/// A call of one of its functions by name.
pub(crate) fn line<'a>(function: &'a str, arguments: &[&'a str]) -> Vec<&'a str> {
    let mut line = vec!["call", "--decls", header(), library(), function];
    line.extend_from_slice(arguments);
    line
}

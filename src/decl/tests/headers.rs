//! Headers of the system, as the compiler's preprocessor gives them. What is not installed is
//! passed over.

use crate::decl::{DeclarationKind, Declarations};
use crate::types::target::LINUX_X86_64;
use std::io::Write;
use std::process::{Command, Stdio};

fn preprocessed(header: &str) -> Option<String> {
    let mut compiler = Command::new("gcc")
        .args(["-E", "-x", "c", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let text = format!("#include <stddef.h>\n#include <stdio.h>\n#include <{header}>\n");
    compiler.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = compiler.wait_with_output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn whole_headers_of_the_system() {
    for header in [
        "stdio.h",
        "stdlib.h",
        "string.h",
        "math.h",
        "complex.h",
        "signal.h",
        "pthread.h",
        "time.h",
        "unistd.h",
        "setjmp.h",
        "sys/socket.h",
        "threads.h",
        "zlib.h",
        "sqlite3.h",
        "ffi.h",
    ] {
        let Some(text) = preprocessed(header) else {
            continue;
        };
        let mut declarations = Declarations::new(&LINUX_X86_64);
        declarations
            .add(&text)
            .unwrap_or_else(|error| panic!("{header}\n{error}"));
        let count = declarations.len();
        // The same once more changes nothing.
        declarations
            .add(&text)
            .unwrap_or_else(|error| panic!("{header}, again\n{error}"));
        assert_eq!(declarations.len(), count, "{header}");
        let of = |kind| {
            (0..count)
                .filter(|&index| declarations.at(index).unwrap().0 == kind)
                .count()
        };
        assert!(of(DeclarationKind::Function) > 50, "{header}");
        let printf = declarations.function("printf").unwrap();
        assert_eq!(printf.prototype(), "int printf(const char *, ...)");
    }
}

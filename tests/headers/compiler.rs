//! The compilers that judge.

use farcall::types::Target;
use farcall::types::target::{LINUX_AARCH64, LINUX_X86_64, Model, WINDOWS_X86_64};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) struct Compiler {
    pub(crate) name: &'static str,
    arguments: &'static [&'static str],
    pub(crate) target: &'static Target,
}

/// Headers of libraries are those of x86-64, which are the same for both.
const AARCH64: [&str; 5] = [
    "-idirafter",
    "/usr/include",
    "-idirafter",
    "/usr/include/x86_64-linux-gnu",
    // Types of its own, which only compilers know.
    "-DSDL_DISABLE_ARM_NEON_H",
];

pub(crate) static GCC: Compiler = Compiler {
    name: "gcc",
    arguments: &[],
    target: &LINUX_X86_64,
};
pub(crate) static CLANG: Compiler = Compiler {
    name: "clang-19",
    arguments: &[],
    target: &LINUX_X86_64,
};
pub(crate) static GCC_AARCH64: Compiler = Compiler {
    name: "aarch64-linux-gnu-gcc",
    arguments: &AARCH64,
    target: &LINUX_AARCH64,
};
pub(crate) static CLANG_AARCH64: Compiler = Compiler {
    name: "clang-19",
    arguments: &[
        "--target=aarch64-linux-gnu",
        "-idirafter",
        "/usr/include",
        "-idirafter",
        "/usr/include/x86_64-linux-gnu",
        "-DSDL_DISABLE_ARM_NEON_H",
    ],
    target: &LINUX_AARCH64,
};
/// gcc for Linux that lays records out as gcc for Windows does. Its `long` is Linux's still.
pub(crate) static GCC_MICROSOFT: Compiler = Compiler {
    name: "gcc",
    arguments: &["-mms-bitfields"],
    target: &WINDOWS_X86_64,
};
pub(crate) static CLANG_WINDOWS: Compiler = Compiler {
    name: "clang-19",
    arguments: &["--target=x86_64-pc-windows-gnu"],
    target: &WINDOWS_X86_64,
};

impl Compiler {
    /// Runs it with a text as its input.
    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = Command::new(self.name)
            .args(self.arguments)
            // Those would bring thousands of inline functions; they have a test of their own.
            .arg("-DSDL_DISABLE_IMMINTRIN_H")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; scripts/setup.sh installs it", self.name));
        let mut stdin = child.stdin.take().expect("it is piped");
        let input = input.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().expect("it was started");
        // What it did not read it has complained of.
        let _ = writer.join().expect("writing does not panic");
        output
    }

    /// Runs it, and expects success.
    pub(crate) fn succeed(&self, arguments: &[&str], input: &str) -> String {
        let output = self.run(arguments, input);
        let said = String::from_utf8_lossy(&output.stderr);
        let said: Vec<&str> = said.lines().take(40).collect();
        let status = output.status;
        assert!(
            status.success(),
            "{} {arguments:?}: {status}; does scripts/setup.sh install what is lacking?\n{}",
            self.name,
            said.join("\n")
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The program that takes its object files apart.
    pub(crate) fn objcopy(&self) -> &'static str {
        match self.target.model {
            Model::LinuxAarch64 => "aarch64-linux-gnu-objcopy",
            _ => "objcopy",
        }
    }

    pub(crate) fn preprocess(&self, source: &str, flags: &[&str]) -> String {
        self.succeed(&[flags, &["-E", "-x", "c", "-"]].concat(), source)
    }

    /// Compiles without a result.
    pub(crate) fn check(&self, source: &str, flags: &[&str]) {
        self.succeed(
            &[flags, &["-fsyntax-only", "-x", "c", "-"]].concat(),
            source,
        );
    }

    /// The same for a text that has been preprocessed.
    pub(crate) fn check_preprocessed(&self, source: &str, flags: &[&str]) {
        let language = ["-fsyntax-only", "-x", "cpp-output", "-"];
        self.succeed(&[flags, &language].concat(), source);
    }
}

/// A file in the build's folder for such, which is removed at the end.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("headers-{}-{count}-{name}", std::process::id());
        Scratch(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    pub(crate) fn path(&self) -> &str {
        self.0
            .to_str()
            .expect("cargo's folders have names in UTF-8")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It may never have been written.
        let _ = std::fs::remove_file(&self.0);
    }
}

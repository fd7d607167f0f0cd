//! `farcall`: calls a function of any library from the shell.

mod call;
mod float;
mod parse;
mod print;

use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "\
farcall: calls any C function

usage:
  farcall call LIBRARY PROTOTYPE [ARGUMENT ...]
  farcall explain PROTOTYPE
  farcall --help | --version

LIBRARY    a file, or a name that the system's loader finds: libm.so.6, m
PROTOTYPE  C: 'double pow(double, double)'
ARGUMENT   numbers (10, -3, 0x1f, 0b101, 2.5, 1e9), 'c' in quotes for a character, true and false,
           text for char *, null for any pointer

  $ farcall call libm.so.6 'double pow(double, double)' 2 10
  1024

exit status: 0; 1 the call could not be made; 2 the command line is wrong
";

/// Why the program ends without a result.
enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// What was asked for could not be done.
    Failed(String),
}

impl From<farcall::error::Error> for Failure {
    fn from(error: farcall::error::Error) -> Failure {
        Failure::Failed(error.message)
    }
}

/// Signals do here what they do in a C program: Rust's runtime ignores SIGPIPE, and looks at the
/// others before a called function's own fault may end the process.
fn reset_signals() {
    for signal in [libc::SIGPIPE, libc::SIGSEGV, libc::SIGBUS] {
        // SAFETY: the default action needs no handler.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

fn write(text: &str) -> ExitCode {
    let mut output = std::io::stdout().lock();
    match output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("farcall: the result could not be written: {error}");
            ExitCode::from(1)
        }
    }
}

fn main() -> ExitCode {
    reset_signals();
    match run() {
        Ok(text) => write(&text),
        Err(Failure::Usage(message)) => {
            eprintln!("farcall: {message}\n\n{USAGE}");
            ExitCode::from(2)
        }
        Err(Failure::Failed(message)) => {
            eprintln!("farcall: {message}");
            ExitCode::from(1)
        }
    }
}

/// The text to print.
fn run() -> Result<String, Failure> {
    let mut words = lexopt::Parser::from_env();
    let usage = |error: lexopt::Error| Failure::Usage(error.to_string());
    match words.next().map_err(usage)? {
        Some(lexopt::Arg::Long("help") | lexopt::Arg::Short('h')) => Ok(USAGE.to_owned()),
        Some(lexopt::Arg::Long("version")) => {
            Ok(format!("farcall {}\n", env!("CARGO_PKG_VERSION")))
        }
        Some(lexopt::Arg::Value(command)) => {
            // Arguments of the function may begin with a minus: they are no options.
            let rest: Result<Vec<String>, _> = words
                .raw_args()
                .map_err(usage)?
                .map(std::ffi::OsString::into_string)
                .collect();
            let rest = rest
                .map_err(|word| Failure::Usage(format!("{}: not UTF-8", word.to_string_lossy())))?;
            match (command.to_str(), rest.as_slice()) {
                (_, [only]) if only == "--help" || only == "-h" => Ok(USAGE.to_owned()),
                (Some("call"), [library, prototype, arguments @ ..]) => {
                    call::call(library, prototype, arguments)
                }
                (Some("call"), _) => Err(Failure::Usage(
                    "call: expected a library and a prototype".to_owned(),
                )),
                (Some("explain"), [prototype]) => call::explain(prototype),
                (Some("explain"), _) => {
                    Err(Failure::Usage("explain: expected one prototype".to_owned()))
                }
                _ => {
                    let command = command.to_string_lossy();
                    Err(Failure::Usage(format!("{command}: no such command")))
                }
            }
        }
        Some(option) => Err(usage(option.unexpected())),
        None => Err(Failure::Usage("expected a command".to_owned())),
    }
}

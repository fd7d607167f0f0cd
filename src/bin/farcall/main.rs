//! `farcall`: calls a function of any library from the shell, and shows how calls travel.
//!
//! `options` reads the command line, and each command is a file: `call`, `explain`, `disasm` and
//! `symbols`. A call's `function` is looked up, and its arguments are read by `read`, with `pointer`,
//! `reference`, `initializer`, `complex` and `variadic`, out of what `number`, `expression`, `text` and
//! `items` make of their words; `convert` and `float` know the formats. `callbacks` are made for
//! functions that take one; `order` knows which value is the smaller one. All live in `memory`, and `print`
//! shows what comes back. `declarations` has what headers say, which the `preprocessor` has
//! been over, and `macros` their constants.
//! `prototypes` are what `explain` and `disasm` are asked about, for the conventions of `abi`; `trace`
//! follows the instructions that `disasm` shows.

mod abi;
mod call;
mod callbacks;
mod complex;
mod convert;
mod declarations;
mod disasm;
mod explain;
mod expression;
mod float;
mod function;
mod help;
mod initializer;
mod items;
mod macros;
mod memory;
mod number;
mod options;
mod order;
mod pointer;
mod preprocessor;
mod print;
mod prototypes;
mod read;
mod reference;
mod style;
mod symbols;
mod text;
mod trace;
mod variadic;

use help::Topic;
use options::{Command, CommandLine, Wrong};
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use style::{Colours, Style};

/// Why the program ends without a result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// What was asked for could not be done.
    Failed(String),
    /// Some of it was done, and can be printed.
    Partly { text: String, message: String },
}

impl Failure {
    /// What is wrong.
    pub(crate) fn message(&self) -> &str {
        match self {
            Failure::Usage(message)
            | Failure::Failed(message)
            | Failure::Partly { message, .. } => message,
        }
    }
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

/// The standard output was open when the process began. Rust's runtime opens /dev/null in the place
/// of one that is closed, so that this is asked before it begins.
static HAS_OUTPUT: AtomicBool = AtomicBool::new(true);

extern "C" fn look_for_output() {
    // SAFETY: it asks for the flags of a descriptor, which need not be open.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    HAS_OUTPUT.store(flags != -1, Ordering::Relaxed);
}

// SAFETY: the loader calls what this section lists before `main`, and the function needs nothing of
// the runtime.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_FOR_OUTPUT: extern "C" fn() = look_for_output;

fn write(text: &str) -> std::io::Result<()> {
    if !HAS_OUTPUT.load(Ordering::Relaxed) && !text.is_empty() {
        return Err(std::io::Error::from_raw_os_error(libc::EBADF));
    }
    let mut output = std::io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Says what is wrong, if there is anyone to hear it.
fn complain(style: Style, message: &str, topic: Option<Topic>) {
    let message = text::harmless(message);
    let mut text = format!("{} {message}\n", style.error("farcall:"));
    if let Some(topic) = topic {
        let command = match topic {
            Topic::All => String::new(),
            topic => format!("{} ", topic.name()),
        };
        text.push_str(&format!("try 'farcall {command}--help'\n"));
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn main() -> ExitCode {
    reset_signals();
    let CommandLine { command, colours } = match options::read(std::env::args_os()) {
        Ok(line) => line,
        Err(Wrong { message, topic }) => {
            complain(Style::of_errors(Colours::Auto), &message, Some(topic));
            return ExitCode::from(2);
        }
    };
    let style = Style::of_output(colours);
    let errors = Style::of_errors(colours);
    let (topic, result) = match command {
        Command::Help(topic) => (topic, Ok(help::text(topic, style))),
        Command::Version => {
            let version = format!("farcall {}\n", env!("CARGO_PKG_VERSION"));
            (Topic::All, Ok(version))
        }
        Command::Call(call) => (Topic::Call, call::run(&call, style)),
        Command::Explain(explain) => (Topic::Explain, explain::run(&explain)),
        Command::Disasm(disasm) => (Topic::Disasm, disasm::run(&disasm, style)),
        Command::Symbols(symbols) => (Topic::Symbols, symbols::run(&symbols, style)),
    };
    let (result, left) = match result {
        Err(Failure::Partly { text, message }) => (Ok(text), Some(message)),
        result => (result, None),
    };
    match result.map(|text| write(&text)) {
        Ok(Ok(())) => match left {
            None => ExitCode::SUCCESS,
            Some(message) => {
                complain(errors, &message, None);
                ExitCode::from(1)
            }
        },
        Ok(Err(error)) => {
            let reason = declarations::reason(&error);
            let message = format!("the result could not be written: {reason}");
            complain(errors, &message, None);
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            complain(errors, &message, Some(topic));
            ExitCode::from(2)
        }
        Err(failure) => {
            complain(errors, failure.message(), None);
            ExitCode::from(1)
        }
    }
}

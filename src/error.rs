//! What went wrong: a status for programs, a message for people, and the system's error number.

use std::fmt;

/// The kind of a failure. The numbers are those of the C API's `fc_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// An argument is out of range or contradicts another.
    Argument = 1,
    /// A declaration does not parse.
    Syntax = 2,
    /// There is no such library, symbol, type or name.
    NotFound = 3,
    /// The file is there and the system's loader refuses it.
    Load = 4,
    /// This target, calling convention or build cannot do it.
    Unsupported = 5,
    /// The policy forbids it.
    Denied = 6,
    /// Out of memory, stacks or executable memory.
    Memory = 10,
    /// A system call failed.
    System = 11,
    /// An address that cannot be read or written.
    Fault = 12,
    /// A bug in farcall.
    Internal = 13,
    /// A documented limit is reached.
    Limit = 14,
}

/// A failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Its kind.
    pub status: Status,
    /// What a person needs to mend it.
    pub message: String,
    /// `errno` of the system call that failed, or 0.
    pub os: i32,
}

/// The result of whatever can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A failure of the given kind.
    pub fn new(status: Status, message: impl Into<String>) -> Error {
        Error {
            status,
            message: message.into(),
            os: 0,
        }
    }

    /// An argument is out of range or contradicts another.
    pub fn argument(message: impl Into<String>) -> Error {
        Error::new(Status::Argument, message)
    }

    /// This target, calling convention or build cannot do it.
    pub fn unsupported(message: impl Into<String>) -> Error {
        Error::new(Status::Unsupported, message)
    }

    /// A documented limit is reached.
    pub fn limit(message: impl Into<String>) -> Error {
        Error::new(Status::Limit, message)
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<String>) -> Error {
        Error::new(Status::NotFound, message)
    }

    /// The policy forbids it.
    pub fn denied(message: impl Into<String>) -> Error {
        Error::new(Status::Denied, message)
    }

    /// The file is there and cannot be loaded.
    pub fn load(message: impl Into<String>) -> Error {
        Error::new(Status::Load, message)
    }

    /// The same failure with the place where it was met before its message.
    pub fn within(mut self, place: impl fmt::Display) -> Error {
        self.message = format!("{place}: {}", self.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

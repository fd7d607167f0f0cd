//! The calling conventions that `--abi` and `--arch` name, and the data models that belong to them.

use farcall::abi::Processor;
use farcall::code;
use farcall::types::{Target, target as targets};

/// A calling convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Abi {
    SysV64,
    Win64,
    Aapcs64,
    Apple64,
}

impl Abi {
    const ALL: [Abi; 4] = [Abi::SysV64, Abi::Win64, Abi::Aapcs64, Abi::Apple64];
    pub(crate) const NAMES: [&'static str; 4] = ["sysv64", "win64", "aapcs64", "apple64"];

    pub(crate) fn of(name: &str) -> Option<Abi> {
        let at = Abi::NAMES.iter().position(|&own| own == name)?;
        Some(Abi::ALL[at])
    }

    /// What is meant by a name that others use.
    pub(crate) fn known_elsewhere(name: &str) -> Option<&'static str> {
        Some(match name {
            "ms_abi" | "ms" | "msvc" | "microsoft" | "windows" | "x64" => "win64",
            "sysv_abi" | "sysv" | "systemv" | "unix64" | "linux" => "sysv64",
            "aapcs" | "aapcs-linux" => "aapcs64",
            "apple" | "macos" | "darwin" | "darwinpcs" => "apple64",
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        Abi::NAMES[self as usize]
    }

    /// The target whose own convention it is.
    pub(crate) fn target(self) -> &'static Target {
        match self {
            Abi::SysV64 => &targets::LINUX_X86_64,
            Abi::Win64 => &targets::WINDOWS_X86_64,
            Abi::Aapcs64 => &targets::LINUX_AARCH64,
            Abi::Apple64 => &targets::APPLE_AARCH64,
        }
    }

    fn processor(self) -> Processor {
        Processor::of(self.target())
    }
}

/// A processor, as `--arch` names it.
pub(crate) const PROCESSORS: [&str; 2] = ["x86_64", "aarch64"];

/// The processor of a name, or the name that was meant by one that others use.
pub(crate) fn processor(name: &str) -> Result<Processor, Option<&'static str>> {
    match name {
        "x86_64" => Ok(Processor::X86_64),
        "aarch64" => Ok(Processor::Aarch64),
        "x86-64" | "amd64" | "x64" => Err(Some("x86_64")),
        "arm64" | "armv8" | "armv8-a" => Err(Some("aarch64")),
        _ => Err(None),
    }
}

/// The target of what was named: of an architecture alone Linux's, of neither this machine's. What is
/// wrong, if they do not fit.
pub(crate) fn target(
    abi: Option<Abi>,
    processor: Option<Processor>,
) -> Result<&'static Target, String> {
    match (abi, processor) {
        (None, None) => Ok(code::target()),
        (None, Some(Processor::X86_64)) => Ok(Abi::SysV64.target()),
        (None, Some(Processor::Aarch64)) => Ok(Abi::Aapcs64.target()),
        (Some(abi), None) => Ok(abi.target()),
        (Some(abi), Some(processor)) if abi.processor() == processor => Ok(abi.target()),
        (Some(abi), Some(processor)) => {
            let fitting = Abi::ALL
                .into_iter()
                .filter(|abi| abi.processor() == processor);
            let names: Vec<_> = fitting.map(Abi::name).collect();
            Err(format!(
                "{} is a calling convention of {}: with --arch {} it is {}",
                abi.name(),
                abi.processor().name(),
                processor.name(),
                names.join(" or ")
            ))
        }
    }
}

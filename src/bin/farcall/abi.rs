//! The calling conventions that `--abi` names, and the data models that belong to them.

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
    pub(crate) const NAMES: [&'static str; 4] = ["sysv64", "win64", "aapcs64", "apple64"];

    pub(crate) fn of(name: &str) -> Option<Abi> {
        let all = [Abi::SysV64, Abi::Win64, Abi::Aapcs64, Abi::Apple64];
        let at = Abi::NAMES.iter().position(|&own| own == name)?;
        Some(all[at])
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
}

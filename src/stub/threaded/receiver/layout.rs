//! Where a receiver's entry saves registers.

use super::snippet::Saves;
use crate::abi::{Place, Processor};
use crate::stub::upcall::{Save, Saved};

const X86_64_GENERAL: &[u8] = &[7, 6, 2, 1, 8, 9];
const AARCH64_GENERAL: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7];

/// The general registers that snippets know, in their order.
pub(super) fn general_registers(processor: Processor) -> &'static [u8] {
    match processor {
        Processor::X86_64 => X86_64_GENERAL,
        Processor::Aarch64 => AARCH64_GENERAL,
    }
}

/// Where an entry saves registers.
pub(super) struct Layout {
    pub(super) processor: Processor,
    pub(super) saves: Saves,
    /// Bytes of the general registers, below the frame pointer.
    pub(super) general: u32,
    /// Bytes of what is below them, above the plan's frame.
    pub(super) below: u32,
    /// The place of the first vector register, and the distance to the next.
    pub(super) vectors: (i64, i64),
    pub(super) result_size: u32,
}

impl Layout {
    pub(super) fn of(processor: Processor, saves: &[Save], keeps: bool) -> Layout {
        let vector = |save: &Save| match save.from {
            Saved::Register(Place::Vector(number)) | Saved::Extended(Place::Vector(number), ..) => {
                Some((number, save.size))
            }
            _ => None,
        };
        let vectors: Vec<(u8, u32)> = saves.iter().filter_map(vector).collect();
        let saves = if keeps {
            Saves::Microsoft
        } else if vectors.iter().any(|one| one.1 > 16) {
            Saves::WideVectors
        } else {
            match vectors.iter().map(|one| one.0).max() {
                None => Saves::General,
                Some(..4) => Saves::FourVectors,
                Some(_) => Saves::Vectors,
            }
        };
        let (general, with_results) = match processor {
            // Six registers; where the program goes on, and 32 bytes for results.
            Processor::X86_64 => (48, 48),
            // Nine and alignment; where the program goes on and alignment, and 64 bytes for results.
            Processor::Aarch64 => (80, 80),
        };
        let (count, stride) = match saves {
            Saves::General | Saves::Nothing => (0, 16),
            Saves::FourVectors | Saves::Vectors => (8, 16),
            Saves::WideVectors => (8, 32),
            Saves::Microsoft => (16, 16),
        };
        let below = with_results + count * stride;
        Layout {
            processor,
            saves,
            general,
            below,
            vectors: (-i64::from(general + below), stride.into()),
            result_size: with_results - 16,
        }
    }

    /// Where a register is saved.
    pub(super) fn place(&self, register: Place) -> i64 {
        match (register, self.processor) {
            (Place::Vector(number), _) => self.vectors.0 + self.vectors.1 * i64::from(number),
            (Place::General(number), Processor::X86_64) => {
                let position = X86_64_GENERAL.iter().position(|one| *one == number);
                debug_assert!(position.is_some(), "no argument is in register {number}");
                8 * position.unwrap_or(0) as i64 - 48
            }
            (Place::General(number), Processor::Aarch64) => 8 * i64::from(number) - 80,
            // Neither is a register with an argument.
            (Place::X87(_) | Place::Stack(_), _) => 0,
        }
    }
}

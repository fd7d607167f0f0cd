//! Elements of the array that are stored right from their registers, without a place where those are saved.

use super::layout::general_registers;
use super::snippet::{Saves, Snippet, Value};
use super::{Maker, WORD, value};
use crate::abi::Place;
use crate::stub::upcall::{Location, ResultAddress, Return, Save, Saved, Upcall};

/// What one snippet stores of two registers.
pub(super) type Pairs = [Option<Value>; 2];

/// By register, general ones in the order of arguments: the value that it has of an element, and where that is.
#[derive(Default)]
pub(super) struct Registers {
    general: [Option<(Value, u64)>; 8],
    vector: [Option<(Value, u64)>; 8],
}

impl Maker {
    /// The registers that elements are stored from, and where to.
    pub(super) fn registers(&self, saves: &[Save], array_end: u32) -> Registers {
        let find = |register: Place| {
            saves
                .iter()
                .find_map(|save| match stored(save, array_end)? {
                    (place, value) if place == register => Some((value, save.to.into())),
                    _ => None,
                })
        };
        let general = general_registers(self.layout.processor);
        let mut registers = Registers::default();
        for (element, number) in registers.general.iter_mut().zip(general) {
            *element = find(Place::General(*number));
        }
        for (element, number) in registers.vector.iter_mut().zip(0..) {
            *element = find(Place::Vector(number));
        }
        registers
    }

    /// The entry, which stores what it can. What is left stays in `registers`.
    pub(super) fn enter(&mut self, below: u64, is_plain: bool, registers: &mut Registers) {
        let saves = self.layout.saves;
        if saves != Saves::Nothing || !is_plain {
            return self.add(Snippet::Enter(saves), &[below]);
        }
        let whole = registers
            .general
            .iter()
            .zip((0u64..).step_by(WORD as usize))
            .take_while(|(element, at)| **element == Some((Value::Eight, *at)))
            .count();
        if whole > 0 {
            self.add(Snippet::EnterWhole(whole as u32), &[below]);
            registers.general[..whole].fill(None);
            return;
        }
        let first = [registers.general[0].take(), registers.general[1].take()];
        let places = first.iter().flatten().map(|one| one.1);
        let operands: Vec<u64> = std::iter::once(below).chain(places).collect();
        let snippet = match operands.len() {
            1 => Snippet::Enter(saves),
            _ => Snippet::EnterAndStore(first.map(|one| one.map(|one| one.0))),
        };
        self.add(snippet, &operands);
    }

    /// Elements that are in registers are stored from there.
    pub(super) fn store_registers(&mut self, registers: &Registers) {
        let mut each = |elements: &[Option<(Value, u64)>; 8],
                        snippet: fn(u32, Pairs) -> Snippet| {
            for (pair, two) in elements.chunks(2).enumerate() {
                let operands: Vec<u64> = two.iter().flatten().map(|one| one.1).collect();
                if !operands.is_empty() {
                    let values = [two[0], two[1]].map(|one| one.map(|one| one.0));
                    self.add(snippet(pair as u32, values), &operands);
                }
            }
        };
        each(&registers.general, Snippet::StoreGeneral);
        each(&registers.vector, |pair, values| {
            let size = |value| match value {
                Some(Value::Eight) => 8,
                Some(_) => 4,
                None => 0,
            };
            Snippet::StoreVector(pair, values.map(size))
        });
    }
}

/// It needs no register.
pub(super) fn stays(save: &Save) -> bool {
    matches!(
        save.from,
        Saved::Value(Location::Incoming(_) | Location::IncomingPointee(_), ..)
            | Saved::Address(_)
            | Saved::Zero
    )
}

/// Where the array ends, or before: what is above it is pointed to, or is the result.
pub(super) fn array_end(upcall: &Upcall) -> u32 {
    let pointed_to = upcall.saves.iter().filter_map(|save| match save.from {
        Saved::Address(Location::Frame(at)) => Some(at),
        _ => None,
    });
    let result = match upcall.result {
        ResultAddress::Frame(at) => Some(at),
        ResultAddress::Caller(_) => None,
    };
    let returned = upcall.returns.iter().map(|one| match *one {
        Return::Load { from, .. } => from,
        Return::Copy { from, pointer, .. } => from.min(pointer),
    });
    pointed_to
        .chain(result)
        .chain(returned)
        .filter(|at| *at > 0)
        .min()
        .unwrap_or(upcall.frame_size)
}

/// The register and the value of an element that one snippet stores right from its register.
pub(super) fn stored(save: &Save, array_end: u32) -> Option<(Place, Value)> {
    let (place, value) = match save.from {
        Saved::Register(place) if save.size == WORD => (place, Value::Eight),
        Saved::Extended(place, extension, size) => (place, value(size, extension)),
        _ => return None,
    };
    let is_common = match place {
        Place::General(_) => !matches!(value, Value::Odd(_)),
        Place::Vector(number) => {
            number < 8 && matches!(value, Value::Eight | Value::Extended(4, _))
        }
        Place::X87(_) | Place::Stack(_) => false,
    };
    (save.to < array_end && is_common).then_some((place, value))
}

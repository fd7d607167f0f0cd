//! Plans as programs of the snippets for AArch64.

mod snippet;

pub use snippet::{AfterCall, Snippet, first};

use super::width::{Loaded, Width, element, loaded, together, width};
use super::{Program, halves, quarters};
use crate::abi::{Extension, Place};
use crate::stub::chunks::chunks;
use crate::stub::plan::{Address, Arguments, Move, Plan, Store, StoreSource};

/// Larger values are copied 16 bytes at a time: a caller that has just written members one by one
/// would make wider loads wait for its stores.
const LARGEST_NARROW_COPY: u32 = 32;
/// Larger ones 32 bytes at a time, in a loop.
const LARGEST_UNROLLED_COPY: u32 = 128;
/// Registers with arguments, of each kind.
const COUNT: usize = 8;

/// The program of a plan.
pub fn program(plan: &Plan, arguments: Arguments) -> Program<Snippet> {
    let mut maker = Maker {
        program: Program(Vec::with_capacity(16)),
        address: None,
    };
    let is_indirect = plan.result_is_indirect;
    let enter = Snippet::Enter {
        arguments,
        is_indirect,
    };
    maker.add(enter, &[]);
    if plan.stack_size > 0 {
        maker.fill_area(plan);
    }
    // The result's register keeps its address otherwise.
    if plan.result_address == Some(Place::General(8)) {
        maker.add(Snippet::ResultAddress, &[]);
    }
    maker.load_registers(&plan.register_moves);
    maker.call(plan);
    maker.program
}

struct Maker {
    program: Program<Snippet>,
    /// The address is that of this value.
    address: Option<Address>,
}

impl Maker {
    fn add(&mut self, snippet: Snippet, operands: &[u64]) {
        self.program.push(snippet, operands);
    }

    /// Makes the address that of a value.
    fn find(&mut self, from: Address) {
        if self.address == Some(from) {
            return;
        }
        match from {
            Address::Element(index) => {
                self.add(Snippet::ElementAddress, &[u64::from(index) * 8]);
            }
            Address::Pointee(index) => {
                self.add(Snippet::PointeeAddress, &[u64::from(index) * 8]);
            }
            // Addresses in the area are no values: who has one never comes here.
            Address::Area(_) => {}
        }
        self.address = Some(from);
    }

    /// Makes the stack area and fills it.
    fn fill_area(&mut self, plan: &Plan) {
        let size = u64::from(plan.stack_size.next_multiple_of(16));
        let mask = -i64::from(plan.stack_align.max(16));
        self.add(Snippet::Allocate, &[size, mask as u64]);
        let mut moves = plan.stack_moves.as_slice();
        while let [one, ..] = moves {
            let done = match group(moves) {
                Some((snippet, to, indexes)) => {
                    self.add(snippet, &[to.into(), quarters(&indexes)]);
                    self.address = None;
                    indexes.len()
                }
                None => {
                    self.stack_move(one);
                    1
                }
            };
            moves = &moves[done..];
        }
        self.address = None;
    }

    fn stack_move(&mut self, one: &Move) {
        let Place::Stack(to) = one.to else { return };
        if let Address::Area(at) = one.from {
            self.add(Snippet::StoreAddress, &[halves(at, to)]);
            return;
        }
        self.find(one.from);
        match width(one.size, one.extension) {
            Some(width) if one.size < 4 && one.extension != Extension::None => {
                self.add(Snippet::StoreNarrow(width), &[halves(one.offset, to)]);
            }
            _ => self.copy(one.offset, to, one.size),
        }
    }

    fn copy(&mut self, from: u32, to: u32, size: u32) {
        let mut done = 0;
        if size > LARGEST_UNROLLED_COPY {
            let blocks = size / 32;
            self.add(Snippet::CopyLarge, &[halves(from, to), blocks.into()]);
            done = blocks * 32;
        } else if size > LARGEST_NARROW_COPY {
            let count = size / 16;
            self.add(Snippet::CopyWide(count), &[halves(from, to)]);
            done = count * 16;
        }
        let words = (size - done) / 8;
        if words > 0 {
            let places = halves(from + done, to + done);
            self.add(Snippet::CopyWords(words), &[places]);
            done += words * 8;
        }
        for (done, bytes) in chunks(done, size) {
            let places = halves(from + done, to + done);
            self.add(Snippet::CopyBytes(bytes), &[places]);
        }
    }

    /// The array and the result have registers of their own in a program: nothing is overwritten that
    /// is still needed.
    fn load_registers(&mut self, moves: &[Move]) {
        let mut general: [Loaded; COUNT] = [None; COUNT];
        let mut vector: [Loaded; COUNT] = [None; COUNT];
        let mut moves = moves;
        while let [one, others @ ..] = moves {
            moves = others;
            if let Some((snippet, index)) = others.first().and_then(|next| two(one, next)) {
                self.add(snippet, &[u64::from(index) * 8]);
                moves = &others[1..];
                continue;
            }
            match (one.to, element(one), width(loaded(one), one.extension)) {
                (Place::General(to), Some((index, from)), Some(width)) => {
                    general[usize::from(to)] = Some((index, from, width));
                }
                (
                    Place::Vector(to),
                    Some((index, from)),
                    Some(width @ (Width::Eight | Width::Four)),
                ) => {
                    vector[usize::from(to)] = Some((index, from, width));
                }
                _ => self.register_move(one),
            }
        }
        for (is_upper, half) in [(false, &vector[..4]), (true, &vector[4..])] {
            for from in [Arguments::Pointers, Arguments::Slots] {
                if let Some((widths, indexes)) = together(half, from) {
                    let snippet = Snippet::VectorQuad {
                        is_upper,
                        from,
                        widths,
                    };
                    self.add(snippet, &[quarters(&indexes)]);
                }
            }
        }
        for (to, one) in general.iter_mut().enumerate() {
            if let Some((index, from, width)) = *one
                && width as u32 > Width::Four as u32
            {
                *one = None;
                let snippet = Snippet::Narrow(to as u32, from, width);
                self.add(snippet, &[index.into()]);
            }
        }
        for (is_upper, half) in [(false, &general[..4]), (true, &general[4..])] {
            for from in [Arguments::Pointers, Arguments::Slots] {
                if let Some((widths, indexes)) = together(half, from) {
                    let snippet = Snippet::Quad {
                        is_upper,
                        from,
                        widths,
                    };
                    self.add(snippet, &[quarters(&indexes)]);
                }
            }
        }
    }

    fn register_move(&mut self, one: &Move) {
        if let (Address::Area(at), Place::General(register)) = (one.from, one.to) {
            self.add(Snippet::AreaAddress(register.into()), &[at.into()]);
            return;
        }
        self.find(one.from);
        let size = loaded(one);
        let is_odd = !size.is_power_of_two();
        let snippet = match (one.to, width(size, one.extension)) {
            (Place::General(to), Some(width)) => Snippet::LoadGeneral(to.into(), width),
            (Place::General(to), None) => Snippet::LoadOdd(to.into(), size),
            (Place::Vector(to), _) => Snippet::LoadVector(to.into(), size),
            // This processor has no others, and stack moves are elsewhere.
            (Place::X87(_) | Place::Stack(_), _) => return,
        };
        self.add(snippet, &[one.offset.into()]);
        if is_odd {
            self.address = None;
        }
    }

    fn call(&mut self, plan: &Plan) {
        if plan.errno.is_none()
            && let Some(after) = after_call(&plan.stores)
        {
            self.add(Snippet::Call(after), &[]);
            return;
        }
        self.add(Snippet::Call(AfterCall::Continue), &[]);
        if let Some(errno) = plan.errno {
            let offset = |offset: i32| i64::from(offset) as u64;
            self.add(Snippet::KeepErrno, &[offset(errno.from), offset(errno.to)]);
        }
        for one in &plan.stores {
            self.store(one);
        }
        self.add(Snippet::Return, &[]);
    }

    fn store(&mut self, one: &Store) {
        let at = u64::from(one.offset);
        match one.from {
            StoreSource::Register(Place::General(register)) if one.size.is_power_of_two() => {
                self.add(Snippet::StoreGeneral(register.into(), one.size), &[at]);
            }
            StoreSource::Register(Place::Vector(register)) if one.size.is_power_of_two() => {
                self.add(Snippet::StoreVector(register.into(), one.size), &[at]);
            }
            StoreSource::Register(place) => {
                self.take(place);
                self.add(Snippet::StoreTaken(one.size), &[at]);
            }
            StoreSource::Extended(place, extension, size) => {
                self.take(place);
                if size < 8 {
                    self.add(Snippet::Extend(size, extension == Extension::Sign), &[]);
                }
                self.add(Snippet::StoreTaken(8), &[at]);
            }
            StoreSource::Zero => {
                for (done, bytes) in chunks(0, one.size) {
                    self.add(Snippet::StoreZero(bytes), &[at + u64::from(done)]);
                }
            }
        }
    }

    fn take(&mut self, place: Place) {
        let number = match place {
            Place::General(register) => u32::from(register),
            Place::Vector(register) => 2 + u32::from(register),
            // A result is in registers here, and this processor has no others.
            Place::Stack(_) | Place::X87(_) => return,
        };
        self.add(Snippet::Take(number), &[]);
    }
}

/// One snippet for the first of these moves to the stack area and those that stand beside it, with where
/// they go and the elements, if there is one.
fn group(moves: &[Move]) -> Option<(Snippet, u32, Vec<u32>)> {
    let mut indexes = Vec::new();
    let mut halves = 0;
    let mut start = None;
    for one in moves.iter().take(4) {
        let (Some((index, source)), Place::Stack(to)) = (element(one), one.to) else {
            break;
        };
        let (from, first) = *start.get_or_insert((source, to));
        let place = indexes.len() as u32;
        if (source, to) != (from, first + 8 * place) || !matches!(one.size, 4 | 8) {
            break;
        }
        halves |= u32::from(one.size == 4) << place;
        indexes.push(index);
    }
    let (from, to) = start?;
    let snippet = Snippet::StoreGroup {
        from,
        count: indexes.len() as u32,
        halves,
    };
    (!indexes.is_empty()).then_some((snippet, to, indexes))
}

/// One snippet for two neighbouring registers with the 16 bytes that an element points to, if these
/// moves are such.
fn two(one: &Move, next: &Move) -> Option<(Snippet, u32)> {
    let (Address::Pointee(index), 0, 8) = (one.from, one.offset, one.size) else {
        return None;
    };
    if (next.from, next.offset, next.size) != (one.from, 8, 8) {
        return None;
    }
    match (one.to, next.to) {
        (Place::General(first), Place::General(second)) if second == first + 1 => {
            Some((Snippet::TwoGeneral(first.into()), index))
        }
        (Place::Vector(first), Place::Vector(second)) if second == first + 1 => {
            Some((Snippet::TwoVector(first.into()), index))
        }
        _ => None,
    }
}

/// The call that stores the result too, where there is one.
fn after_call(stores: &[Store]) -> Option<AfterCall> {
    const X0: Place = Place::General(0);
    const V0: Place = Place::Vector(0);
    let register = |store: &Store| match store.from {
        StoreSource::Register(place) => Some((place, store.offset, store.size)),
        _ => None,
    };
    match stores {
        [] => Some(AfterCall::Return),
        [
            Store {
                from: StoreSource::Extended(place, extension, size),
                offset: 0,
                ..
            },
        ] => match (*place, *size) {
            (X0, 8) => Some(AfterCall::General(8)),
            (X0, 1 | 2 | 4) => {
                let signed = *extension == Extension::Sign;
                Some(AfterCall::Extended(*size, signed))
            }
            (V0, 8) => Some(AfterCall::Vector(8)),
            (V0, 4) => Some(AfterCall::ExtendedVector),
            _ => None,
        },
        [one] => match register(one)? {
            (X0, 0, size @ (8 | 4 | 2 | 1)) => Some(AfterCall::General(size)),
            (V0, 0, size @ (4 | 8 | 16)) => Some(AfterCall::Vector(size)),
            _ => None,
        },
        [one, two] => match (register(one)?, register(two)?) {
            ((X0, 0, 8), (Place::General(1), 8, 8)) => Some(AfterCall::TwoGeneral),
            ((V0, 0, size @ (4 | 8)), (Place::Vector(1), at, second))
                if (at, second) == (size, size) =>
            {
                Some(AfterCall::TwoVector(size))
            }
            _ => None,
        },
        _ => None,
    }
}

//! Plans as programs of the snippets for x86-64.

mod snippet;

pub use snippet::{AfterCall, Snippet, first};

use super::width::{Loaded, Width, element, loaded, together, width};
use super::{Program, Word, halves, quarters};
use crate::abi::{Extension, Place};
use crate::stub::chunks::chunks;
use crate::stub::plan::{Address, Arguments, Move, Plan, Store, StoreSource};

/// Argument areas of at most this many 8-byte words are pushed.
const MOST_PUSHED: u32 = 32;
/// Larger values are copied 16 bytes at a time: a caller that has just written members one by one
/// would make wider loads wait for its stores.
const LARGEST_NARROW_COPY: u32 = 32;
/// Larger copies use the string instruction.
const LARGEST_UNROLLED_COPY: u32 = 256;
/// Registers by their numbers in the instruction set.
const RAX: u8 = 0;
const RCX: u8 = 1;
const RDX: u8 = 2;
const RSI: u8 = 6;
/// The registers with arguments, in the order of the snippets' numbers for them.
const GENERAL: [u8; 6] = [7, RSI, RDX, RCX, 8, 9];

/// The program of a plan.
pub fn program(plan: &Plan, arguments: Arguments) -> Program<Snippet> {
    let words = pushed_words(plan);
    let is_indirect = plan.result_is_indirect;
    let is_odd = words.as_ref().is_some_and(|words| words.len() % 2 == 1);
    let mut maker = Maker {
        program: Program(Vec::with_capacity(16)),
        address: None,
    };
    let enter = Snippet::Enter {
        arguments,
        is_indirect,
        is_odd,
    };
    maker.add(enter, &[]);
    match &words {
        Some(words) => maker.push_words(words),
        None => maker.fill_area(plan),
    }
    maker.load_vectors(&plan.register_moves);
    maker.load_generals(plan);
    if let Some(count) = plan.vector_count {
        maker.add(Snippet::VectorCount, &[u64::from(count)]);
    }
    maker.call(plan);
    let mut program = maker.program;
    // Most entries do what follows them in one.
    if let Some(Word::Snippet(first)) = program.0.get(1)
        && let Some(both) = first.entered(arguments, is_odd)
        && !is_indirect
    {
        program.0[1] = Word::Snippet(both);
        program.0.remove(0);
    }
    program
}

/// A word of the argument area, and the bytes of a move that it is; None for padding.
type Pushed = Option<(Move, u32)>;

/// The words of a small argument area, the last first. None where they are too many, or more than
/// pushing is needed.
fn pushed_words(plan: &Plan) -> Option<Vec<Pushed>> {
    let count = plan.stack_size / 8;
    // An address in the area is known when rsp has come to its end.
    let is_address = |one: &Move| matches!(one.from, Address::Area(_));
    let mut moves = plan.stack_moves.iter().chain(&plan.register_moves);
    if count > MOST_PUSHED || plan.stack_align > 16 || moves.any(is_address) {
        return None;
    }
    let mut words: Vec<Pushed> = vec![None; count as usize];
    for one in &plan.stack_moves {
        let Place::Stack(to) = one.to else { continue };
        for (index, done) in (0..one.size).step_by(8).enumerate() {
            words[to as usize / 8 + index] = Some((*one, done));
        }
    }
    words.reverse();
    Some(words)
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

    fn push_words(&mut self, words: &[Pushed]) {
        let mut rest = words;
        while let [first, ..] = rest {
            let done = match first {
                None => self.push_padding(rest),
                Some((one, _)) if one.size <= 8 => self.push_group(rest),
                Some((one, done)) => self.push_large(one, *done, rest),
            };
            rest = &rest[done.max(1)..];
        }
    }

    fn push_padding(&mut self, words: &[Pushed]) -> usize {
        let count = words.iter().take_while(|word| word.is_none()).count();
        self.add(Snippet::MakeRoom, &[count as u64 * 8]);
        count
    }

    /// Up to four arguments of 8 or 4 bytes, or one of another size.
    fn push_group(&mut self, words: &[Pushed]) -> usize {
        let mut group: Vec<(u32, Width)> = Vec::new();
        let mut source = None;
        for word in words.iter().take(4) {
            let Some((one, 0)) = word else { break };
            let (Some((index, from)), Some(width)) = (element(one), width(one.size, one.extension))
            else {
                break;
            };
            if source.is_some_and(|source| source != from) {
                break;
            }
            match width {
                Width::Eight | Width::Four => {}
                _ if group.is_empty() => {
                    self.add(Snippet::PushNarrow(from, width), &[u64::from(index)]);
                    self.address = None;
                    return 1;
                }
                _ => break,
            }
            source = Some(from);
            group.push((index, width));
        }
        let (Some(from), count) = (source, group.len()) else {
            if let Some(Some((one, done))) = words.first() {
                self.push_tail(one, *done);
            }
            return 1;
        };
        let bit = |(place, one): (usize, &(u32, Width))| u32::from(one.1 == Width::Four) << place;
        let snippet = Snippet::PushGroup {
            from,
            count: count as u32,
            halves: group.iter().enumerate().map(bit).sum(),
        };
        let indexes: Vec<u32> = group.iter().map(|one| one.0).collect();
        self.add(snippet, &[quarters(&indexes)]);
        self.address = None;
        count
    }

    /// The last bytes of a value, which fill no word.
    fn push_tail(&mut self, one: &Move, done: u32) {
        self.find(one.from);
        let at = u64::from(one.offset + done);
        self.add(Snippet::PushTail((one.size - done).min(7)), &[at]);
    }

    /// All words of a value from the one that its byte `done` is in.
    fn push_large(&mut self, one: &Move, done: u32, words: &[Pushed]) -> usize {
        let mut count = 0;
        let mut end = done;
        if one.size - done < 8 {
            self.push_tail(one, done);
            count += 1;
        } else {
            end += 8;
        }
        while end > 0 {
            let block = (end / 8).min(8);
            let at = end - block * 8;
            match one.from {
                Address::Pointee(index) if (at, one.offset, self.address) == (0, 0, None) => {
                    self.add(Snippet::PushBlock(block), &[u64::from(index) * 8]);
                }
                from => {
                    self.find(from);
                    self.add(Snippet::PushWords(block), &[u64::from(one.offset + at)]);
                }
            }
            count += block as usize;
            end = at;
        }
        debug_assert!(count <= words.len());
        self.address = None;
        count
    }

    /// Makes the stack area and fills it.
    fn fill_area(&mut self, plan: &Plan) {
        let size = u64::from(plan.stack_size.next_multiple_of(16));
        let mask = -i64::from(plan.stack_align.max(16));
        self.add(Snippet::Allocate, &[size, mask as u64]);
        for one in &plan.stack_moves {
            let Place::Stack(to) = one.to else { continue };
            if let Address::Area(at) = one.from {
                self.add(Snippet::StoreAddress, &[halves(at, to)]);
                continue;
            }
            self.find(one.from);
            match width(one.size, one.extension) {
                Some(width) if one.size < 4 && one.extension != Extension::None => {
                    self.add(Snippet::StoreNarrow(width), &[halves(one.offset, to)]);
                }
                _ => self.copy(one.offset, to, one.size),
            }
        }
        self.address = None;
    }

    fn copy(&mut self, from: u32, to: u32, size: u32) {
        let mut done = 0;
        if size > LARGEST_UNROLLED_COPY {
            let words = size / 8;
            self.add(Snippet::CopyLarge, &[halves(from, to), words.into()]);
            done = words * 8;
        } else if size > LARGEST_NARROW_COPY {
            while size - done >= 16 {
                let count = ((size - done) / 16).min(8);
                let places = halves(from + done, to + done);
                self.add(Snippet::CopyWide(count), &[places]);
                done += count * 16;
            }
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

    /// Vector registers come first: the general ones are still free then.
    fn load_vectors(&mut self, moves: &[Move]) {
        let mut grouped: [Loaded; 8] = [None; 8];
        let mut rest = Vec::new();
        let mut twos = Vec::new();
        let mut moves = moves;
        while let [one, others @ ..] = moves {
            moves = others;
            let Place::Vector(register) = one.to else {
                continue;
            };
            if let Some(index) = others.first().and_then(|next| two(one, next)) {
                twos.push((u32::from(register), index));
                moves = &others[1..];
                continue;
            }
            match (element(one), one.size) {
                (Some((index, from)), 8) => {
                    grouped[usize::from(register)] = Some((index, from, Width::Eight));
                }
                (Some((index, from)), 4) => {
                    grouped[usize::from(register)] = Some((index, from, Width::Four));
                }
                _ => rest.push((u32::from(register), one)),
            }
        }
        for (is_upper, half) in [(false, &grouped[..4]), (true, &grouped[4..])] {
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
        for (register, index) in twos {
            self.add(Snippet::TwoVector(register), &[u64::from(index) * 8]);
        }
        self.address = None;
        for (register, one) in rest {
            self.find(one.from);
            // A slot is read whole, as far as a vector register's value goes.
            let snippet = Snippet::LoadVector(register, loaded(one));
            self.add(snippet, &[one.offset.into()]);
        }
        self.address = None;
    }

    /// General registers; what overwrites the array's address comes last.
    fn load_generals(&mut self, plan: &Plan) {
        let mut grouped: [Loaded; 6] = [None; 6];
        let mut rest = Vec::new();
        let mut twos = Vec::new();
        let mut moves = plan.register_moves.as_slice();
        while let [one, others @ ..] = moves {
            moves = others;
            let Place::General(register) = one.to else {
                continue;
            };
            let register = position(register);
            if let Some(index) = others.first().and_then(|next| two(one, next)) {
                twos.push((register, index));
                moves = &others[1..];
                continue;
            }
            match (element(one), width(loaded(one), one.extension)) {
                (Some((index, from)), Some(width)) => {
                    grouped[register] = Some((index, from, width));
                }
                _ => rest.push((register, one)),
            }
        }
        const ARRAY: usize = 1;
        let has_array = |two: &(usize, u32)| (ARRAY - 1..=ARRAY).contains(&two.0);
        twos.sort_by_key(has_array);
        let last = twos.pop_if(|two| has_array(two));
        for (register, index) in twos {
            self.load_two(register, index);
        }
        for (register, one) in rest.iter().filter(|one| one.0 != ARRAY) {
            self.load_general(*register, one);
        }
        if plan.result_address == Some(Place::General(RCX)) {
            self.add(Snippet::ResultAddress, &[]);
        }
        let is_narrow = |one: &Loaded| one.is_some_and(|one| one.2 as u32 > Width::Four as u32);
        for from in [Arguments::Pointers, Arguments::Slots] {
            if grouped[2..].iter().any(is_narrow) {
                self.load_pair(&grouped, 1, from);
                self.load_pair(&grouped, 2, from);
            } else if let Some((widths, indexes)) = together(&grouped[2..], from) {
                self.add(Snippet::Quad(from, widths), &[quarters(&indexes)]);
            }
        }
        // The pair that may have the array's register, and whose other one may be elsewhere.
        let array = grouped[ARRAY].map(|one| one.1);
        let order = match array {
            Some(Arguments::Pointers) => [Arguments::Slots, Arguments::Pointers],
            _ => [Arguments::Pointers, Arguments::Slots],
        };
        for from in order {
            self.load_pair(&grouped, 0, from);
        }
        if let Some((register, index)) = last {
            self.load_two(register, index);
        }
        for (register, one) in rest.iter().filter(|one| one.0 == ARRAY) {
            self.load_general(*register, one);
        }
    }

    fn load_two(&mut self, register: usize, index: u32) {
        self.add(
            Snippet::TwoGeneral(register as u32),
            &[u64::from(index) * 8],
        );
        self.address = None;
    }

    fn load_pair(&mut self, registers: &[Loaded; 6], pair: usize, from: Arguments) {
        if let Some((widths, indexes)) = together::<2>(&registers[2 * pair..][..2], from) {
            let pair = pair as u32;
            self.add(Snippet::Pair { pair, from, widths }, &[quarters(&indexes)]);
            self.address = None;
        }
    }

    fn load_general(&mut self, register: usize, one: &Move) {
        let register = register as u32;
        if let Address::Area(at) = one.from {
            self.add(Snippet::AreaAddress(register), &[at.into()]);
            return;
        }
        self.find(one.from);
        let size = loaded(one);
        match width(size, one.extension) {
            Some(width) => self.add(Snippet::LoadGeneral(register, width), &[one.offset.into()]),
            None => {
                self.add(Snippet::LoadOdd(register, size), &[one.offset.into()]);
                self.address = None;
            }
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
        // Full vector registers left in use would slow down code that knows only halves of them.
        let is_wide = |one: &Store| matches!(one.from, StoreSource::Register(_)) && one.size > 16;
        self.add(Snippet::Return(plan.stores.iter().any(is_wide)), &[]);
    }

    fn store(&mut self, one: &Store) {
        let at = u64::from(one.offset);
        match one.from {
            StoreSource::Register(Place::X87(_)) => self.add(Snippet::StoreX87, &[at]),
            StoreSource::Register(Place::General(register)) if one.size.is_power_of_two() => {
                let register = u32::from(register == RDX);
                self.add(Snippet::StoreGeneral(register, one.size), &[at]);
            }
            StoreSource::Register(Place::Vector(register))
                if matches!(one.size, 4 | 8 | 16 | 32) =>
            {
                self.add(Snippet::StoreVector(register.into(), one.size), &[at]);
            }
            StoreSource::Register(place) => {
                self.take(place);
                self.add(Snippet::StoreTaken(one.size), &[at]);
            }
            StoreSource::Extended(place, extension, size) => {
                self.take(place);
                let signed = extension == Extension::Sign;
                if size < 8 {
                    self.add(Snippet::Extend(size, signed), &[]);
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
            Place::General(register) => u32::from(register == RDX),
            Place::Vector(register) => 2 + u32::from(register),
            // A result is in registers here, and those on the x87 stack are larger than a slot.
            Place::Stack(_) | Place::X87(_) => return,
        };
        self.add(Snippet::Take(number), &[]);
    }
}

/// A register's number among those with arguments.
fn position(register: u8) -> usize {
    let found = GENERAL.iter().position(|one| *one == register);
    debug_assert!(found.is_some(), "no argument is in register {register}");
    found.unwrap_or(0)
}

/// The element that points to 16 bytes for two neighbouring registers, if these moves are such.
fn two(one: &Move, next: &Move) -> Option<u32> {
    let (Address::Pointee(index), 0, 8) = (one.from, one.offset, one.size) else {
        return None;
    };
    let is_next = match (one.to, next.to) {
        (Place::General(first), Place::General(second)) => position(second) == position(first) + 1,
        (Place::Vector(first), Place::Vector(second)) => second == first + 1,
        _ => false,
    };
    (is_next && (next.from, next.offset, next.size) == (one.from, 8, 8)).then_some(index)
}

/// The call that stores the result too, where there is one.
fn after_call(stores: &[Store]) -> Option<AfterCall> {
    const GENERAL: [Place; 2] = [Place::General(RAX), Place::General(RDX)];
    const VECTOR: [Place; 2] = [Place::Vector(0), Place::Vector(1)];
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
            (Place::General(RAX), 8) => Some(AfterCall::General(8)),
            (Place::General(RAX), 1 | 2 | 4) => {
                let signed = *extension == Extension::Sign;
                Some(AfterCall::Extended(*size, signed))
            }
            (Place::Vector(0), 8) => Some(AfterCall::Vector(8)),
            (Place::Vector(0), 4) => Some(AfterCall::ExtendedVector),
            _ => None,
        },
        [one] => match register(one)? {
            (Place::General(RAX), 0, size @ (8 | 4 | 2 | 1)) => Some(AfterCall::General(size)),
            (Place::Vector(0), 0, size @ (4 | 8 | 16)) => Some(AfterCall::Vector(size)),
            _ => None,
        },
        [one, two] => {
            let ((one, 0, 8), (two, 8, 8)) = (register(one)?, register(two)?) else {
                return None;
            };
            match [one, two] {
                GENERAL => Some(AfterCall::TwoGeneral),
                VECTOR => Some(AfterCall::TwoVector),
                [Place::General(RAX), Place::Vector(0)] => Some(AfterCall::GeneralVector),
                [Place::Vector(0), Place::General(RAX)] => Some(AfterCall::VectorGeneral),
                _ => None,
            }
        }
        _ => None,
    }
}

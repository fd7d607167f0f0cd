//! Receivers as programs: a receiver's entry saves all argument registers at fixed places of its frame,
//! above what the plan wants there, so that most elements of the array are a place's address or what is
//! in it. What travels in several registers and is one value is put together in the plan's frame.

mod snippet;

pub use snippet::{AfterHandler, Pair, Saves, Snippet, Value, first};

use super::Program;
use crate::abi::{Extension, Place, Processor};
use crate::stub::chunks::chunks;
use crate::stub::upcall::{Location, ResultAddress, Return, Save, Saved, Upcall};

/// An entry subtracts less than this from the stack pointer.
const PAGE: u32 = 4096;
/// The caller's argument area begins so far above the frame pointer.
const INCOMING: i64 = 16;
const WORD: u32 = 8;
/// Alignment of the places of vector registers, and of the stack.
const ALIGN: u32 = 16;

/// The program of a receiver.
pub fn program(upcall: &Upcall, processor: Processor) -> Program<Snippet> {
    let kept = kept(upcall);
    let is_kept = |save: &Save| kept.iter().any(|one| one.0 == *save);
    let mut saves: Vec<Save> = upcall
        .saves
        .iter()
        .filter(|save| !is_kept(save))
        .copied()
        .collect();
    let is_restored = |one: &Return| kept.iter().any(|kept| kept.1 == *one);
    let returns: Vec<Return> = upcall
        .returns
        .iter()
        .filter(|one| !is_restored(one))
        .copied()
        .collect();
    let array_end = array_end(upcall);
    let (direct, rest): (Vec<Save>, Vec<Save>) = saves
        .iter()
        .partition(|save| stored(save, array_end).is_some());
    saves = rest;
    let mut layout = Layout::of(processor, &saves, !kept.is_empty());
    let stays = matches!(upcall.result, ResultAddress::Frame(_)) && saves.iter().all(stays);
    if stays && kept.is_empty() {
        layout.saves = Saves::Nothing;
    }
    let is_plain = upcall.frame_align <= ALIGN && upcall.frame_size + layout.below < PAGE;
    let mut maker = Maker {
        program: Program(Vec::with_capacity(8 + 2 * saves.len())),
        frame: (upcall.frame_align <= ALIGN)
            .then(|| -i64::from(layout.general + layout.below + upcall.frame_size)),
        layout,
        run: Run::default(),
    };
    let mut below = maker.layout.below + if is_plain { upcall.frame_size } else { 0 };
    if maker.layout.saves == Saves::Nothing {
        below += maker.layout.general;
    }
    let mut registers = maker.registers(&direct, array_end);
    maker.enter(below.into(), is_plain, &mut registers);
    if !is_plain {
        let mask = -i64::from(upcall.frame_align.max(ALIGN)) as u64;
        maker.add(Snippet::Allocate, &[upcall.frame_size.into(), mask]);
    }
    maker.store_registers(&registers);
    let after = maker.after(upcall, &saves, &returns);
    match (after, upcall.result) {
        // The address is given back from where the entry saved it.
        (Some(AfterHandler::Memory), _) => {
            saves.retain(|save| !returns.iter().any(|one| loads_from(one, save.to)));
        }
        // The snippet has a slot of its own.
        (Some(AfterHandler::Indirect(_)), ResultAddress::Frame(slot)) => {
            saves.retain(|save| save.to != slot);
        }
        _ => {}
    }
    maker.fill(upcall, &saves, &returns);
    maker.call(upcall, after, &returns, !kept.is_empty());
    maker.program
}

/// What Microsoft's convention keeps for callers and a handler does not: it is saved, then loaded
/// again from there.
fn kept(upcall: &Upcall) -> Vec<(Save, Return)> {
    let pair = |one: &Return| match *one {
        Return::Load { from, to, .. } => {
            let save = upcall
                .saves
                .iter()
                .find(|save| (save.from, save.to) == (Saved::Register(to), from))?;
            Some((*save, *one))
        }
        Return::Copy { .. } => None,
    };
    upcall.returns.iter().filter_map(pair).collect()
}

/// Where an entry saves registers.
struct Layout {
    processor: Processor,
    saves: Saves,
    /// Bytes of the general registers, below the frame pointer.
    general: u32,
    /// Bytes of what is below them, above the plan's frame.
    below: u32,
    /// The place of the first vector register, and the distance to the next.
    vectors: (i64, i64),
    result_size: u32,
}

impl Layout {
    fn of(processor: Processor, saves: &[Save], keeps: bool) -> Layout {
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
    fn place(&self, register: Place) -> i64 {
        match (register, self.processor) {
            (Place::Vector(number), _) => self.vectors.0 + self.vectors.1 * i64::from(number),
            (Place::General(number), Processor::X86_64) => {
                let order = [7, 6, 2, 1, 8, 9];
                let position = order.iter().position(|one| *one == number);
                debug_assert!(position.is_some(), "no argument is in register {number}");
                8 * position.unwrap_or(0) as i64 - 48
            }
            (Place::General(number), Processor::Aarch64) => 8 * i64::from(number) - 80,
            // Neither is a register with an argument.
            (Place::X87(_) | Place::Stack(_), _) => 0,
        }
    }
}

/// An element that a place's address or its value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Address(i64),
    /// 8 bytes.
    Whole(i64),
    /// 4 bytes with their sign.
    Half(i64),
}

impl Element {
    fn place(self) -> i64 {
        match self {
            Element::Address(place) | Element::Whole(place) | Element::Half(place) => place,
        }
    }

    fn is_address(self) -> bool {
        matches!(self, Element::Address(_))
    }
}

/// Elements that stand beside each other and wait for one snippet.
#[derive(Default)]
struct Run {
    to: u32,
    elements: Vec<Element>,
}

/// What one snippet stores of two registers.
type Pairs = [Option<Value>; 2];

/// By register, general ones in the order of arguments: the value that it has of an element, and where that is.
#[derive(Default)]
struct Registers {
    general: [Option<(Value, u64)>; 8],
    vector: [Option<(Value, u64)>; 8],
}

struct Maker {
    program: Program<Snippet>,
    layout: Layout,
    /// The place of the frame's lowest byte, if it is known.
    frame: Option<i64>,
    run: Run,
}

impl Maker {
    fn add(&mut self, snippet: Snippet, operands: &[u64]) {
        self.program.push(snippet, operands);
    }

    /// One more element.
    fn element(&mut self, to: u32, element: Element) {
        let most = if element.is_address() { 8 } else { 4 };
        let elements = &self.run.elements;
        let is_next = elements.first().is_some_and(|first| {
            to == self.run.to + WORD * elements.len() as u32
                && first.is_address() == element.is_address()
                && elements.len() < most
        });
        if !is_next {
            self.end_run();
            self.run.to = to;
        }
        self.run.elements.push(element);
    }

    fn end_run(&mut self) {
        let elements = std::mem::take(&mut self.run.elements);
        let Some(first) = elements.first() else {
            return;
        };
        let count = elements.len() as u32;
        let bit =
            |(place, one): (usize, &Element)| u32::from(matches!(one, Element::Half(_))) << place;
        let snippet = match first {
            Element::Address(_) => Snippet::Addresses(count),
            _ => Snippet::Values(count, elements.iter().enumerate().map(bit).sum()),
        };
        let mut operands = vec![u64::from(self.run.to)];
        operands.extend(elements.iter().map(|one| one.place() as u64));
        self.add(snippet, &operands);
    }

    /// The registers that elements are stored from, and where to.
    fn registers(&self, saves: &[Save], array_end: u32) -> Registers {
        let find = |register: Place| {
            saves
                .iter()
                .find_map(|save| match stored(save, array_end)? {
                    (place, value) if place == register => Some((value, save.to.into())),
                    _ => None,
                })
        };
        let general: &[u8] = match self.layout.processor {
            Processor::X86_64 => &[7, 6, 2, 1, 8, 9],
            Processor::Aarch64 => &[0, 1, 2, 3, 4, 5, 6, 7],
        };
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
    fn enter(&mut self, below: u64, is_plain: bool, registers: &mut Registers) {
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
    fn store_registers(&mut self, registers: &Registers) {
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

    fn fill(&mut self, upcall: &Upcall, saves: &[Save], returns: &[Return]) {
        let ends = ends(upcall, saves, returns);
        // Values that are in one piece where they were saved need no copy: whoever wants their address
        // gets that of the place.
        let found = |at: u32| self.in_place(at, saves, &ends);
        let mut redirected: Vec<(u32, i64, u32)> = Vec::new();
        for save in saves {
            if let Saved::Address(Location::Frame(at)) = save.from
                && let Some((place, end)) = found(at)
            {
                redirected.push((at, place, end));
            }
        }
        let is_redirected = |save: &Save| {
            matches!(save.from, Saved::Register(_))
                && redirected
                    .iter()
                    .any(|one| (one.0..one.2).contains(&save.to))
        };
        // What needs a snippet of its own does not stand between those that share one.
        let mut rest: Vec<&Save> = saves.iter().filter(|save| !is_redirected(save)).collect();
        rest.sort_by_key(|save| (!is_moved(save), save.to));
        for save in rest {
            match save.from {
                Saved::Address(Location::Frame(at)) => {
                    let place = redirected.iter().find(|one| one.0 == at).map(|one| one.1);
                    match place.or(self.frame.map(|frame| frame + i64::from(at))) {
                        Some(place) => self.element(save.to, Element::Address(place)),
                        None => {
                            self.end_run();
                            self.add(Snippet::FrameAddress, &[at.into(), save.to.into()]);
                        }
                    }
                }
                _ => self.save(save),
            }
        }
        self.end_run();
    }

    /// The place of a value of the frame, if all of it is in one where its registers were saved, and its
    /// end in the frame.
    fn in_place(&self, at: u32, saves: &[Save], ends: &[u32]) -> Option<(i64, u32)> {
        // The array is no value, though parameters of which nothing travels may point to it.
        let end = *ends.iter().find(|end| at > 0 && **end > at)?;
        let mut parts = saves.iter().filter(|save| (at..end).contains(&save.to));
        let register = |save: Option<&Save>| match save?.from {
            Saved::Register(place) => Some((place, save?.to)),
            _ => None,
        };
        let (first, to) = register(parts.next())?;
        let place = self.layout.place(first);
        // How far the value is aligned is not known, but that its size is a multiple of that.
        let is_aligned = end - at <= WORD || place % i64::from(ALIGN) == 0;
        let fits = match (first, parts.next()) {
            (Place::Vector(_), None) => end - at <= ALIGN,
            (_, None) => end - at <= 2 * WORD,
            (Place::General(_), second) => {
                let (second, second_to) = register(second)?;
                matches!(second, Place::General(_))
                    && second_to == at + WORD
                    && self.layout.place(second) == place + i64::from(WORD)
                    && end - at <= 2 * WORD
            }
            _ => false,
        };
        (to == at && fits && is_aligned && parts.next().is_none()).then_some((place, end))
    }

    fn save(&mut self, save: &Save) {
        let to = save.to;
        match save.from {
            Saved::Register(place) if save.size == WORD => {
                self.element(to, Element::Whole(self.layout.place(place)));
            }
            Saved::Register(place) => self.copy(self.layout.place(place), to, save.size),
            Saved::Extended(place, extension, size) => {
                self.value(self.layout.place(place), extension, size, to);
            }
            Saved::Value(Location::Incoming(at), extension, size) => {
                self.value(INCOMING + i64::from(at), extension, size, to);
            }
            Saved::Value(location, extension, size) => {
                let pointer = match location {
                    Location::Pointee(register) => self.layout.place(Place::General(register)),
                    Location::IncomingPointee(at) => INCOMING + i64::from(at),
                    // A value that is in the frame was put together there and is an element already.
                    Location::Frame(_) | Location::Incoming(_) => return,
                };
                self.end_run();
                let snippet = Snippet::Pointee(value(size, extension));
                self.add(snippet, &[pointer as u64, to.into()]);
            }
            Saved::Address(Location::Incoming(at)) => {
                self.element(to, Element::Address(INCOMING + i64::from(at)));
            }
            // Others of the frame are elements, and pointers are values.
            Saved::Address(_) => {}
            Saved::Zero => {
                self.end_run();
                for (done, bytes) in chunks(0, save.size) {
                    self.add(Snippet::Zero(bytes), &[u64::from(to + done)]);
                }
            }
        }
    }

    fn value(&mut self, place: i64, extension: Extension, size: u32, to: u32) {
        match value(size, extension) {
            Value::Eight => self.element(to, Element::Whole(place)),
            Value::Extended(4, true) => self.element(to, Element::Half(place)),
            value => {
                self.end_run();
                self.add(Snippet::Value(value), &[place as u64, to.into()]);
            }
        }
    }

    fn copy(&mut self, place: i64, to: u32, size: u32) {
        self.end_run();
        let mut done = 0;
        while done < size {
            let bytes = match size - done {
                32.. => 32,
                16.. => 16,
                8.. => 8,
                4.. => 4,
                2.. => 2,
                _ => 1,
            };
            let operands = [(place + i64::from(done)) as u64, u64::from(to + done)];
            self.add(Snippet::Move(bytes), &operands);
            done += bytes;
        }
    }

    fn call(
        &mut self,
        upcall: &Upcall,
        after: Option<AfterHandler>,
        returns: &[Return],
        keeps: bool,
    ) {
        if let Some(after) = after {
            self.add(
                match keeps {
                    true => Snippet::CallAndReturnMicrosoft(after),
                    false => Snippet::CallAndReturn(after),
                },
                &[],
            );
            return;
        }
        match upcall.result {
            ResultAddress::Frame(at) => self.add(Snippet::ResultInFrame, &[at.into()]),
            ResultAddress::Caller(register) => {
                let place = self.layout.place(register) as u64;
                self.add(Snippet::ResultAtPointer, &[place]);
            }
        }
        self.add(Snippet::Call, &[]);
        for one in returns {
            self.give_back(one);
        }
        if keeps {
            self.add(Snippet::RestoreMicrosoft, &[]);
        }
        self.add(Snippet::Return, &[]);
    }

    /// The call that gives the result back too, where there is one.
    fn after(&self, upcall: &Upcall, saves: &[Save], returns: &[Return]) -> Option<AfterHandler> {
        let result = match upcall.result {
            ResultAddress::Frame(at) => at,
            ResultAddress::Caller(register) => {
                let [Return::Load { from, to, .. }] = *returns else {
                    return returns.is_empty().then_some(AfterHandler::Memory);
                };
                let is_pointer =
                    |save: &Save| (save.from, save.to) == (Saved::Register(register), from);
                let is_first = to == Place::General(0);
                return (is_first && saves.iter().any(is_pointer)).then_some(AfterHandler::Memory);
            }
        };
        // What the handler finds in its result is in the frame then, if it is not where a larger one belongs.
        let room = match saves.iter().find(|save| save.to == result) {
            None => None,
            Some(save) => match save.from {
                Saved::Address(Location::Frame(room)) => Some(room),
                _ => return None,
            },
        };
        let is_indirect = room.is_some();
        let result = room.unwrap_or(result);
        let load = |one: &Return| match *one {
            Return::Load {
                from,
                size,
                extension,
                to,
            } if from >= result && from + size <= result + self.layout.result_size => {
                Some((to, from - result, size, extension))
            }
            _ => None,
        };
        const FIRST: [Place; 2] = [Place::General(0), Place::Vector(0)];
        let second = match self.layout.processor {
            Processor::X86_64 => Place::General(2),
            Processor::Aarch64 => Place::General(1),
        };
        if is_indirect {
            let pair = match *returns {
                [one] => match load(&one)? {
                    (Place::Vector(0), 0, 16, _) => Pair::Vector,
                    _ => return None,
                },
                [one, two] => match (load(&one)?, load(&two)?) {
                    ((Place::General(0), 0, 8, _), (to, 8, 8, _)) if to == second => {
                        Pair::TwoGeneral
                    }
                    ((Place::Vector(0), 0, 8, _), (Place::Vector(1), 8, 8, _)) => Pair::TwoVector,
                    ((one, 0, 8, _), (two, 8, 8, _)) if [one, two] == FIRST => Pair::GeneralVector,
                    ((one, 0, 8, _), (two, 8, 8, _)) if [two, one] == FIRST => Pair::VectorGeneral,
                    _ => return None,
                },
                _ => return None,
            };
            return Some(AfterHandler::Indirect(pair));
        }
        match *returns {
            [] => Some(AfterHandler::Return),
            [one] => match load(&one)? {
                (Place::General(0), 0, size, extension) => {
                    Some(AfterHandler::General(result_value(size, extension)))
                }
                (Place::Vector(0), 0, size @ (4 | 8 | 16), _) => Some(AfterHandler::Vector(size)),
                _ => None,
            },
            [one, two] => {
                let ((one, 0, size, _), (two, 8, 8, _)) = (load(&one)?, load(&two)?) else {
                    return None;
                };
                match (one, two, size) {
                    (Place::General(0), to, 8) if to == second => Some(AfterHandler::TwoGeneral),
                    (Place::Vector(0), Place::Vector(1), 8) => Some(AfterHandler::TwoVector),
                    (one, two, 8) if [one, two] == FIRST => Some(AfterHandler::GeneralVector),
                    (one, two, 8) if [two, one] == FIRST => Some(AfterHandler::VectorGeneral),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn give_back(&mut self, one: &Return) {
        match *one {
            Return::Load {
                from,
                size,
                extension,
                to,
            } => {
                let from = u64::from(from);
                match to {
                    Place::General(register) => {
                        let number = u32::from(register != 0);
                        let snippet = Snippet::LoadGeneral(number, result_value(size, extension));
                        self.add(snippet, &[from]);
                    }
                    Place::Vector(register) => {
                        let size = match size {
                            1 | 2 | 4 | 8 | 16 | 32 => size,
                            _ => 8,
                        };
                        self.add(Snippet::LoadVector(register.into(), size), &[from]);
                    }
                    Place::X87(_) => self.add(Snippet::LoadX87, &[from]),
                    // No result is on the stack.
                    Place::Stack(_) => {}
                }
            }
            Return::Copy {
                from,
                size,
                pointer,
            } => {
                for (done, bytes) in chunks(0, size) {
                    let operands = [pointer, from + done, done].map(u64::from);
                    self.add(Snippet::CopyResult(bytes), &operands);
                }
            }
        }
    }
}

/// It needs no register.
fn stays(save: &Save) -> bool {
    matches!(
        save.from,
        Saved::Value(Location::Incoming(_) | Location::IncomingPointee(_), ..)
            | Saved::Address(_)
            | Saved::Zero
    )
}

/// Where the array ends, or before: what is above it is pointed to, or is the result.
fn array_end(upcall: &Upcall) -> u32 {
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
fn stored(save: &Save, array_end: u32) -> Option<(Place, Value)> {
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

/// A register's bytes, maybe a part of a value that is put together in the frame.
fn is_part(save: &Save) -> bool {
    matches!(save.from, Saved::Register(_))
}

/// It takes a snippet of its own.
fn is_moved(save: &Save) -> bool {
    is_part(save) && save.size != WORD
}

fn loads_from(one: &Return, at: u32) -> bool {
    matches!(one, Return::Load { from, .. } if *from == at)
}

/// Offsets of the frame at which something begins, so that what is before them ends there.
fn ends(upcall: &Upcall, saves: &[Save], returns: &[Return]) -> Vec<u32> {
    let mut ends = vec![upcall.frame_size];
    for save in saves {
        if let Saved::Address(Location::Frame(at)) = save.from {
            ends.push(at);
        }
        // Parts of a value do not end it.
        if !is_part(save) {
            ends.push(save.to);
        }
    }
    if let ResultAddress::Frame(at) = upcall.result {
        ends.push(at);
    }
    for one in returns {
        match *one {
            Return::Load { from, .. } => ends.push(from),
            Return::Copy { from, pointer, .. } => ends.extend([from, pointer]),
        }
    }
    ends.sort_unstable();
    ends
}

/// Bytes as 8.
fn value(size: u32, extension: Extension) -> Value {
    match size {
        8 => Value::Eight,
        1 | 2 | 4 => Value::Extended(size, extension == Extension::Sign),
        _ => Value::Odd(size),
    }
}

/// The same of a result: the frame has whole words.
fn result_value(size: u32, extension: Extension) -> Value {
    match size {
        1 | 2 | 4 => value(size, extension),
        _ => Value::Eight,
    }
}

//! Receivers as programs: a receiver's entry saves all argument registers at fixed places of its frame,
//! above what the plan wants there, so that most elements of the array are a place's address or what is
//! in it. What travels in several registers and is one value is put together in the plan's frame.

mod layout;
mod registers;
mod results;
mod snippet;

pub use snippet::{AfterHandler, Saves, Sixteen, Snippet, Value, first};

use super::Program;
use crate::abi::{Extension, Place, Processor};
use crate::stub::chunks::chunks;
use crate::stub::upcall::{Location, ResultAddress, Return, Save, Saved, Upcall};
use layout::Layout;
use registers::{array_end, stays, stored};
use results::loads_from;

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
    let most = upcall.frame_size + layout.below + layout.general;
    let is_plain = upcall.frame_align <= ALIGN && most < PAGE;
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
}

/// A register's bytes, maybe a part of a value that is put together in the frame.
fn is_part(save: &Save) -> bool {
    matches!(save.from, Saved::Register(_))
}

/// It takes a snippet of its own.
fn is_moved(save: &Save) -> bool {
    is_part(save) && save.size != WORD
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

//! One receiver, called with values of its signature: the handler has to find every byte, and the
//! caller its result and all that is its own.

use crate::abi::{Assignment, Extension, Passing, Piece, Place, ResultPassing};
use crate::stub::tests::machine::{Machine, Receivers, Region, Stop, number};
use crate::stub::tests::random::Random;
use crate::stub::{Arguments, RECORD_HANDLER, RECORD_USER, Upcall};
use crate::types::Convention;
use std::marker::PhantomData;
use std::ops::Range;

const RECORD: u64 = 0x6666_0000_0040;
const HANDLER: u64 = 0x7777_1234_5678;
const USER: u64 = 0x1234_5678_9abc_def0;
const RETURN: u64 = 0x5555_0000_1111;
const STACK_TOP: u64 = 0x7fff_ff00_0000;
/// The caller's memory for the result: not aligned to anything.
const RESULT: u64 = 0x2000_0003;
const COPIES: u64 = 0x3000_0000;

struct Trial<'a, P> {
    assignment: &'a Assignment,
    arguments: Arguments,
    values: Vec<Vec<u8>>,
    /// Where copies are of values that are passed by reference.
    copies: Vec<Option<u64>>,
    result: Vec<u8>,
    /// Where the caller's argument area begins.
    area: u64,
    /// Where the handler is told to put the result.
    handed: u64,
    processor: PhantomData<P>,
}

/// Runs the code of a receiver without a frame and checks what it did.
fn run_without_frame<P: Receivers>(code: &[P::Instruction], seed: u64) {
    let mut random = Random(seed | 1);
    let mut machine = Machine::new::<P>(STACK_TOP, 0);
    machine.general = std::array::from_fn(|_| random.next());
    let mut record = random.bytes(24);
    record[RECORD_HANDLER as usize..][..8].copy_from_slice(&HANDLER.to_le_bytes());
    record[RECORD_USER as usize..][..8].copy_from_slice(&USER.to_le_bytes());
    machine.memory.push(Region {
        name: "record",
        base: RECORD,
        bytes: record,
        is_writable: false,
    });
    machine.general[P::STACK_POINTER] = STACK_TOP;
    machine.general[P::CONTEXT] = RECORD;
    let mut expected = machine.general;
    expected[usize::from(P::ENTRY.result)] = 0;
    expected[usize::from(P::ENTRY.arguments)] = 0;
    expected[P::USER] = USER;
    let (stop, index) = P::run(&mut machine, code, 0);
    assert!(matches!(stop, Stop::Jump(HANDLER)));
    assert_eq!(index, code.len(), "nothing follows the jump");
    if let Some(scratch) = P::JUMPS_THROUGH {
        expected[scratch] = HANDLER;
    }
    assert_eq!(machine.general, expected);
}

/// Runs the code of a receiver for an assignment and checks what it did.
pub(super) fn run<P: Receivers>(
    assignment: &Assignment,
    arguments: Arguments,
    upcall: &Upcall,
    code: &[P::Instruction],
    seed: u64,
) {
    P::check_receiver(code, upcall.has_frame);
    if !upcall.has_frame {
        return run_without_frame::<P>(code, seed);
    }
    let mut random = Random(seed | 1);
    // Where the return address is on the stack, it was pushed to an aligned one.
    let pushed = if P::LINK.is_none() { 8 } else { 0 };
    let align = u64::from(assignment.stack_align);
    let area = STACK_TOP - random.next() % 64 * align;
    let mut machine = Machine::new::<P>(area - pushed, 0);
    machine.general = std::array::from_fn(|_| random.next());
    machine.vector = std::array::from_fn(|_| random.bytes(32).try_into().unwrap());
    let mut trial = Trial::<P> {
        assignment,
        arguments,
        values: Vec::new(),
        copies: Vec::new(),
        result: random.bytes(assignment.result_size as usize),
        area,
        handed: 0,
        processor: PhantomData,
    };
    trial.lay_out(&mut machine, &mut random, upcall.frame_size);
    let saved = trial.saved_registers(&machine);
    let caller_frame = machine.general[P::FRAME];

    let (stop, index) = P::run(&mut machine, code, 0);
    assert!(matches!(stop, Stop::Call(HANDLER)));
    let sp = machine.general[P::STACK_POINTER];
    assert!(sp.is_multiple_of(16), "the stack pointer is {sp:#x}");
    assert!(
        machine.touched - sp <= 4096,
        "the handler would skip a page"
    );
    let frame = machine.general[P::FRAME];
    assert!(frame - sp < u64::from(upcall.frame_size + upcall.frame_align));
    // What the unwind rule says.
    assert_eq!(frame + 16, area);
    assert_eq!(number(&machine.load(frame, 8)), caller_frame);
    assert_eq!(number(&machine.load(frame + 8, 8)), RETURN);
    trial.check_call(&mut machine);
    trial.handler(&mut machine, &mut random);

    let (stop, index) = P::run(&mut machine, code, index);
    assert!(matches!(stop, Stop::Return(RETURN)));
    assert_eq!(index, code.len(), "nothing follows the return");
    assert_eq!(machine.general[P::STACK_POINTER], area);
    assert_eq!(trial.saved_registers(&machine), saved);
    trial.check_result(&mut machine);
}

/// A value as 8 bytes.
fn extended(value: &[u8], extension: Extension) -> Vec<u8> {
    let mut whole = value.to_vec();
    let is_negative = value.last().is_some_and(|byte| byte >> 7 == 1);
    let fill = is_negative && extension == Extension::Sign;
    whole.resize(8, if fill { 0xff } else { 0 });
    whole
}

impl<P: Receivers> Trial<'_, P> {
    /// What the caller's convention lets no callee change.
    fn saved_registers(&self, machine: &Machine) -> (Vec<u64>, Vec<Vec<u8>>) {
        let is_win64 = self.assignment.convention == Convention::Win64;
        let more: &[usize] = if is_win64 { &[6, 7] } else { &[] };
        let general = P::SAVED.iter().chain(more);
        let (vectors, size) = match is_win64 {
            true => (6..16, 16),
            false => (P::SAVED_VECTORS, 8),
        };
        (
            general.map(|register| machine.general[*register]).collect(),
            vectors
                .map(|register| machine.vector[register][..size].to_vec())
                .collect(),
        )
    }

    fn lay_out(&mut self, machine: &mut Machine, random: &mut Random, frame: u32) {
        let mut region = |name, base, bytes: Vec<u8>, is_writable| {
            machine.memory.push(Region {
                name,
                base,
                bytes,
                is_writable,
            });
        };
        let top = machine.stack_top;
        let depth = 4096 * 4 + 2 * u64::from(frame);
        region("stack", top - depth, random.bytes(depth as usize), true);
        if P::LINK.is_none() {
            region("return address", top, RETURN.to_le_bytes().to_vec(), false);
        }
        let mut record = random.bytes(24);
        record[RECORD_HANDLER as usize..][..8].copy_from_slice(&HANDLER.to_le_bytes());
        record[RECORD_USER as usize..][..8].copy_from_slice(&USER.to_le_bytes());
        region("record", RECORD, record, false);
        let mut area = random.bytes(self.assignment.stack_size as usize);
        let mut next = COPIES;
        for parameter in self.assignment.parameters() {
            let value = random.bytes(parameter.size as usize);
            let mut travels = value.clone();
            let mut copy = None;
            if let Passing::Reference { align } = parameter.passing {
                next = next.next_multiple_of(u64::from(align));
                copy = Some(next);
                travels = next.to_le_bytes().to_vec();
                region("copy", next, value.clone(), false);
                next += value.len() as u64 + 1;
            }
            for piece in self.assignment.pieces(parameter) {
                let bytes = &travels[piece.offset as usize..][..piece.size as usize];
                match piece.place {
                    Place::Stack(at) => area[at as usize..][..bytes.len()].copy_from_slice(bytes),
                    Place::General(number) => {
                        let register = &mut machine.general[usize::from(number)];
                        let mut whole = register.to_le_bytes();
                        whole[..bytes.len()].copy_from_slice(bytes);
                        *register = u64::from_le_bytes(whole);
                    }
                    Place::Vector(number) => {
                        machine.vector[usize::from(number)][..bytes.len()].copy_from_slice(bytes);
                    }
                    Place::X87(_) => unreachable!("no argument is on the x87 stack"),
                }
            }
            self.values.push(value);
            self.copies.push(copy);
        }
        region("argument area", self.area, area, false);
        if let ResultPassing::Memory { address, .. } = self.assignment.result {
            let Place::General(register) = address else {
                unreachable!("the result's address is in a general register");
            };
            machine.general[usize::from(register)] = RESULT;
            region("result", RESULT, random.bytes(self.result.len()), true);
        }
        if let Some(link) = P::LINK {
            machine.general[link] = RETURN;
        }
        machine.general[P::STACK_POINTER] = top;
        machine.general[P::CONTEXT] = RECORD;
    }

    fn frame(&self, machine: &Machine) -> Range<u64> {
        machine.general[P::STACK_POINTER]..machine.general[P::FRAME]
    }

    /// The handler finds every byte.
    fn check_call(&mut self, machine: &mut Machine) {
        assert_eq!(machine.general[P::CONTEXT], RECORD);
        assert_eq!(machine.general[P::USER], USER);
        let frame = self.frame(machine);
        let array = machine.general[usize::from(P::ENTRY.arguments)];
        assert!(frame.contains(&array) && array.is_multiple_of(8));
        let count = self.values.len() as u64;
        // What of the frame is in use.
        let mut used = self.result_memory(machine);
        used.push(array..array + 8 * count);
        // What nothing travels for may all be the same bytes.
        let mut nothing = Range {
            start: u64::MAX,
            end: 0,
        };
        for (index, parameter) in self.assignment.parameters().iter().enumerate() {
            let value = &self.values[index];
            let element = array + 8 * index as u64;
            let found = machine.load(element, 8);
            let pieces = self.assignment.pieces(parameter);
            if self.arguments == Arguments::Slots && value.len() <= 8 {
                let expected = match pieces.is_empty() {
                    true => vec![0; 8],
                    false => extended(value, parameter.widening),
                };
                assert_eq!(found, expected, "{parameter:?}");
                continue;
            }
            let at = number(&found);
            let length = value.len() as u64;
            match (self.copies[index], pieces) {
                (Some(copy), _) => assert_eq!(at, copy, "{parameter:?}"),
                (None, []) => {
                    assert!(frame.contains(&at));
                    if length > 0 {
                        nothing = nothing.start.min(at)..nothing.end.max(at + length);
                    }
                }
                (None, [piece, ..]) => match piece.place {
                    // Where it is, if that is as aligned as its type is.
                    Place::Stack(offset)
                        if (offset | self.assignment.stack_align)
                            .is_multiple_of(parameter.align) =>
                    {
                        assert_eq!(at, self.area + u64::from(offset));
                    }
                    _ => {
                        let align = 1 << length.trailing_zeros().clamp(3, 6);
                        assert!(at.is_multiple_of(align), "{at:#x}: {parameter:?}");
                        used.push(at..at + length);
                    }
                },
            }
            if !pieces.is_empty() && self.copies[index].is_none() {
                assert!(
                    at.is_multiple_of(u64::from(parameter.align)),
                    "{at:#x}: {parameter:?}"
                );
            }
            let found = machine.load(at, value.len());
            if self.copies[index].is_some() {
                assert_eq!(&found, value, "{parameter:?}");
                continue;
            }
            for piece in pieces {
                let bytes = piece.offset as usize..(piece.offset + piece.size) as usize;
                assert_eq!(
                    found[bytes.clone()],
                    value[bytes],
                    "{parameter:?} {piece:?}"
                );
            }
        }
        used.push(nothing);
        used.retain(|range| !range.is_empty());
        used.sort_unstable_by_key(|range| range.start);
        for range in &used {
            assert!(frame.start <= range.start && range.end <= frame.end);
        }
        for pair in used.windows(2) {
            assert!(pair[0].end <= pair[1].start, "values share bytes");
        }
        let wide = |piece: &Piece| matches!(piece.place, Place::Vector(_)) && piece.size > 16;
        let mut pieces = self.assignment.parameters().iter();
        let is_wide = pieces.any(|one| self.assignment.pieces(one).iter().any(wide));
        assert_eq!(machine.vzeroupper, is_wide);
    }

    /// What the handler is told of the result; says what of it is in the frame.
    fn result_memory(&mut self, machine: &mut Machine) -> Vec<Range<u64>> {
        let size = self.result.len() as u64;
        let told = machine.general[usize::from(P::ENTRY.result)];
        let in_slots = self.arguments == Arguments::Slots;
        let in_memory = matches!(self.assignment.result, ResultPassing::Memory { .. });
        self.handed = told;
        let mut used = Vec::new();
        if in_slots && size > 8 {
            used.push(told..told + 8);
            self.handed = number(&machine.load(told, 8));
        }
        if in_memory && !(in_slots && size <= 8) {
            assert_eq!(self.handed, RESULT);
        } else {
            assert!(self.handed.is_multiple_of(8));
            // Even where there is nothing a slot can be written.
            used.push(self.handed..self.handed + size.max(8));
        }
        used
    }

    /// The handler: uses up what is its own, then returns a result.
    fn handler(&self, machine: &mut Machine, random: &mut Random) {
        // It may change its arguments.
        let frame = self.frame(machine);
        let array = machine.general[usize::from(P::ENTRY.arguments)];
        for (index, value) in self.values.iter().enumerate() {
            let element = array + 8 * index as u64;
            let at = number(&machine.load(element, 8));
            let in_slot = self.arguments == Arguments::Slots && value.len() <= 8;
            let is_own = !in_slot && frame.contains(&at) && at + value.len() as u64 <= frame.end;
            if is_own {
                machine.store(at, &random.bytes(value.len()));
            }
            machine.store(element, &random.bytes(8));
        }
        let told = machine.general[usize::from(P::ENTRY.result)];
        let in_slots = self.arguments == Arguments::Slots;
        if in_slots {
            machine.store(told, &random.bytes(8));
        }
        machine.store(self.handed, &self.result);
        // By now it may have freed the callback.
        machine.memory.retain(|region| region.name != "record");
        let is_kept =
            |register: &usize| *register == P::STACK_POINTER || P::SAVED.contains(register);
        for register in (0..32).filter(|register| !is_kept(register)) {
            machine.general[register] = random.next();
        }
        for (number, register) in machine.vector.iter_mut().enumerate() {
            let kept = if P::SAVED_VECTORS.contains(&number) {
                8
            } else {
                0
            };
            register[kept..].copy_from_slice(&random.bytes(32 - kept));
        }
    }

    fn check_result(&self, machine: &mut Machine) {
        if let ResultPassing::Memory { returned, .. } = self.assignment.result {
            assert_eq!(machine.load(RESULT, self.result.len()), self.result);
            if let Some(Place::General(register)) = returned {
                assert_eq!(machine.general[usize::from(register)], RESULT);
            }
        }
        for piece in self.assignment.result_pieces() {
            let bytes = &self.result[piece.offset as usize..][..piece.size as usize];
            match piece.place {
                Place::General(register) => {
                    let found = machine.general[usize::from(register)].to_le_bytes();
                    match self.assignment.result_extension {
                        Extension::None => assert_eq!(&found[..bytes.len()], bytes),
                        extension => assert_eq!(found[..], extended(bytes, extension)),
                    }
                }
                Place::Vector(register) => {
                    assert_eq!(&machine.vector[usize::from(register)][..bytes.len()], bytes);
                }
                Place::X87(_) => assert_eq!(machine.x87.pop().unwrap(), bytes),
                Place::Stack(_) => unreachable!("no result is on the stack"),
            }
        }
        assert!(machine.x87.is_empty());
    }
}

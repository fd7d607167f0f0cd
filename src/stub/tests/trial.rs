//! One stub, run with values of its signature: every byte has to arrive, and nothing else may be
//! touched.

use super::aarch64::Aarch64;
use super::machine::{Machine, Phase, Processor, Region, Stop, number};
use super::random::Random;
use super::x86_64::X86_64;
use crate::abi::{Assignment, Extension, Passing, Piece, Place, ResultPassing};
use crate::stub::{Arguments, ErrnoCapture, Plan, plan};
use crate::types::Convention;
use std::marker::PhantomData;

const TARGET: u64 = 0x7777_1234_5678;
const RETURN: u64 = 0x5555_0000_1111;
const STACK_TOP: u64 = 0x7fff_ffff_0000;
const THREAD: u64 = 0x7f00_0000_0740;
/// Not aligned to anything, as a caller's values may be.
const ARRAY: u64 = 0x1000_0001;
const RESULT: u64 = 0x2000_0003;
const VALUES: u64 = 0x3000_0005;
const SLOT: u64 = 0x2800_0008;

struct Trial<'a, P> {
    assignment: &'a Assignment,
    arguments: Arguments,
    values: Vec<Vec<u8>>,
    result: Vec<u8>,
    result_address: u64,
    errno: Option<(ErrnoCapture, Vec<u8>)>,
    processor: PhantomData<P>,
}

/// Runs the stub of an assignment and checks what it did.
pub(super) fn run(assignment: &Assignment, arguments: Arguments, errno: bool, seed: u64) {
    match assignment.convention {
        Convention::SysV64 | Convention::Win64 => {
            run_on::<X86_64>(assignment, arguments, errno, seed);
        }
        Convention::Aapcs64 | Convention::Apple64 => {
            run_on::<Aarch64>(assignment, arguments, errno, seed);
        }
        Convention::Default => unreachable!("an assignment's convention is a real one"),
    }
}

fn run_on<P: Processor>(assignment: &Assignment, arguments: Arguments, errno: bool, seed: u64) {
    let errno = errno.then(|| P::ERRNO[(seed >> 32) as usize % P::ERRNO.len()]);
    let plan = plan(assignment, arguments, P::ENTRY, errno);
    run_code::<P>(assignment, arguments, &plan, &P::emit(&plan), seed);
}

/// The same with code for a plan of the assignment.
pub(super) fn run_code<P: Processor>(
    assignment: &Assignment,
    arguments: Arguments,
    plan: &Plan,
    code: &[u8],
    seed: u64,
) {
    let code = P::decode(code);
    P::check_shape(plan, &code);
    let mut random = Random(seed | 1);

    // Where the return address is on the stack, it was pushed to an aligned one.
    let pushed = if P::LINK.is_none() { 8 } else { 0 };
    let stack_top = STACK_TOP + pushed - random.next() % 1024 * 16;
    let mut machine = Machine::new::<P>(stack_top, THREAD);
    machine.general = std::array::from_fn(|_| random.next());
    machine.vector = std::array::from_fn(|_| random.bytes(32).try_into().unwrap());
    let mut trial = Trial::<P> {
        assignment,
        arguments,
        values: Vec::new(),
        result: random.bytes(assignment.result_size as usize),
        result_address: RESULT,
        errno: plan.errno.map(|place| (place, random.bytes(4))),
        processor: PhantomData,
    };
    trial.lay_out(&mut machine, &mut random);
    let saved = saved_registers::<P>(&machine);
    let caller_frame = machine.general[P::FRAME];
    let caller_link = P::LINK.map(|link| machine.general[link]);

    let (stop, index) = P::run(&mut machine, &code, 0);
    trial.check_call(&mut machine);
    let sp = machine.general[P::STACK_POINTER];
    let is_tail = matches!(stop, Stop::Jump(_));
    assert!(matches!(stop, Stop::Jump(TARGET) | Stop::Call(TARGET)));
    if is_tail {
        assert_eq!(sp, stack_top, "a jump leaves the stack as it was");
        let link = P::LINK.map(|link| machine.general[link]);
        assert_eq!(link, caller_link, "the target returns to the caller");
        assert_eq!(saved_registers::<P>(&machine), saved);
    } else {
        let align = u64::from(plan.stack_align);
        assert!(
            sp.is_multiple_of(align),
            "the stack pointer, {sp:#x}, is not aligned to {align}"
        );
        assert!(machine.touched - sp <= 4096, "the callee would skip a page");
        let frame = machine.general[P::FRAME];
        let room = u64::from(plan.stack_size + plan.stack_align) + 32;
        assert!(
            frame - sp < room,
            "no more of the stack is taken than is used"
        );
        // What the unwind rule says.
        assert_eq!(frame + 16, stack_top + pushed);
        assert_eq!(number(&machine.load(frame, 8)), caller_frame);
        assert_eq!(number(&machine.load(frame + 8, 8)), RETURN);
    }
    trial.callee(&mut machine, &mut random);
    if is_tail {
        assert_eq!(index, code.len(), "nothing follows the jump");
    } else {
        let (stop, index) = P::run(&mut machine, &code, index);
        assert!(matches!(stop, Stop::Return(RETURN)));
        assert_eq!(index, code.len(), "nothing follows the return");
        assert_eq!(machine.general[P::STACK_POINTER], stack_top + pushed);
    }
    assert_eq!(saved_registers::<P>(&machine), saved);
    trial.check_result(&mut machine);
}

fn saved_registers<P: Processor>(machine: &Machine) -> (Vec<u64>, Vec<[u8; 8]>) {
    let general = P::SAVED.iter().map(|register| machine.general[*register]);
    let vector = P::SAVED_VECTORS.map(|register| *machine.vector[register].first_chunk().unwrap());
    (general.collect(), vector.collect())
}

impl<P: Processor> Trial<'_, P> {
    fn lay_out(&mut self, machine: &mut Machine, random: &mut Random) {
        let top = machine.stack_top;
        let mut region = |name, base, bytes: Vec<u8>, is_writable| {
            machine.memory.push(Region {
                name,
                base,
                bytes,
                is_writable,
            });
        };
        let copies = self.assignment.parameters().iter();
        let copies = copies.map(|one| match one.passing {
            Passing::Value => 0,
            Passing::Reference { align } => u64::from(one.size) + 2 * u64::from(align),
        });
        let area = u64::from(self.assignment.stack_size + self.assignment.stack_align);
        let depth = 4096 * 4 + 3 * (area + copies.sum::<u64>());
        region("stack", top - depth, random.bytes(depth as usize), true);
        if P::LINK.is_none() {
            region("return address", top, RETURN.to_le_bytes().to_vec(), false);
        }
        let mut array = Vec::new();
        let mut next = VALUES;
        for parameter in self.assignment.parameters() {
            let value = random.bytes(parameter.size as usize);
            if self.arguments == Arguments::Slots && value.len() <= 8 {
                // What is above a narrow value in its slot has no meaning.
                array.extend_from_slice(&value);
                array.extend(random.bytes(8 - value.len()));
            } else {
                array.extend(next.to_le_bytes());
                region("value", next, value.clone(), false);
                next += value.len() as u64 + 64 + random.next() % 7;
            }
            self.values.push(value);
        }
        region("array", ARRAY, array, false);
        let size = self.result.len();
        let result_register = usize::from(P::ENTRY.result);
        let handed = match self.arguments {
            Arguments::Slots if size <= 8 => {
                let bytes = if size == 0 { 0 } else { 8 };
                region("result slot", SLOT, random.bytes(bytes), true);
                self.result_address = SLOT;
                SLOT
            }
            Arguments::Slots => {
                region("result slot", SLOT, RESULT.to_le_bytes().to_vec(), false);
                region("result", RESULT, random.bytes(size), true);
                SLOT
            }
            Arguments::Pointers => {
                region("result", RESULT, random.bytes(size), true);
                RESULT
            }
        };
        if let Some((place, _)) = self.errno {
            let at = |offset: i32| THREAD.wrapping_add_signed(offset.into());
            region("errno", at(place.from), random.bytes(4), true);
            region("captured errno", at(place.to), random.bytes(4), true);
        }
        if let Some(link) = P::LINK {
            machine.general[link] = RETURN;
        }
        machine.general[P::STACK_POINTER] = top;
        machine.general[usize::from(P::ENTRY.arguments)] = ARRAY;
        machine.general[result_register] = handed;
        machine.general[P::CONTEXT] = TARGET;
    }

    fn piece_at(&self, machine: &mut Machine, piece: &Piece, size: usize) -> Vec<u8> {
        match piece.place {
            Place::General(number) => {
                machine.general[usize::from(number)].to_le_bytes()[..size.min(8)].to_vec()
            }
            Place::Vector(number) => machine.vector[usize::from(number)][..size].to_vec(),
            Place::Stack(offset) => {
                let address = machine.general[P::STACK_POINTER] + u64::from(offset);
                machine.load(address, size)
            }
            Place::X87(_) => unreachable!("no argument is on the x87 stack"),
        }
    }

    /// Every byte is where the callee looks for it.
    fn check_call(&self, machine: &mut Machine) {
        assert_eq!(machine.general[P::CONTEXT], TARGET);
        P::check_call(machine, self.assignment);
        let mut copies: Vec<(u64, u64)> = Vec::new();
        for (parameter, value) in self.assignment.parameters().iter().zip(&self.values) {
            if let Passing::Reference { align } = parameter.passing {
                for piece in self.assignment.pieces(parameter) {
                    let address = self.piece_at(machine, piece, 8).try_into().unwrap();
                    let address = u64::from_le_bytes(address);
                    assert!(address.is_multiple_of(u64::from(align)));
                    let area =
                        machine.general[P::STACK_POINTER] + u64::from(self.assignment.stack_size);
                    assert!(address >= area, "the copy is in the argument area");
                    assert_eq!(&machine.load(address, value.len()), value, "{parameter:?}");
                }
                let piece = self.assignment.pieces(parameter)[0];
                let address = self.piece_at(machine, &piece, 8).try_into().unwrap();
                copies.push((u64::from_le_bytes(address), value.len() as u64));
                continue;
            }
            for piece in self.assignment.pieces(parameter) {
                let mut expected = value[piece.offset as usize..][..piece.size as usize].to_vec();
                if parameter.extension != Extension::None {
                    let sign = expected[expected.len() - 1] >> 7 == 1;
                    let fill = sign && parameter.extension == Extension::Sign;
                    expected.resize(4, if fill { 0xff } else { 0 });
                }
                let found = self.piece_at(machine, piece, expected.len());
                assert_eq!(found, expected, "{parameter:?} {piece:?}");
            }
        }
        copies.sort_unstable();
        for pair in copies.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "copies share bytes");
        }
        if let ResultPassing::Memory {
            address: Place::General(register),
            ..
        } = self.assignment.result
        {
            assert_eq!(machine.general[usize::from(register)], self.result_address);
        }
    }

    /// The callee: uses up what is its own, then returns a result.
    fn callee(&self, machine: &mut Machine, random: &mut Random) {
        let sp = machine.general[P::STACK_POINTER];
        let area = random.bytes(self.assignment.stack_size as usize);
        if !area.is_empty() {
            machine.store(sp, &area);
        }
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
        if let Some((place, errno)) = &self.errno {
            machine.store(THREAD.wrapping_add_signed(place.from.into()), errno);
        }
        if let ResultPassing::Memory { returned, .. } = self.assignment.result {
            machine.store(self.result_address, &self.result);
            if let Some(Place::General(register)) = returned {
                machine.general[usize::from(register)] = self.result_address;
            }
            return;
        }
        // The one that is on top of the x87 stack comes last.
        for piece in self.assignment.result_pieces().iter().rev() {
            let bytes = &self.result[piece.offset as usize..][..piece.size as usize];
            match piece.place {
                Place::General(number) => {
                    let register = &mut machine.general[usize::from(number)];
                    let mut whole = register.to_le_bytes();
                    whole[..bytes.len()].copy_from_slice(bytes);
                    *register = u64::from_le_bytes(whole);
                }
                Place::Vector(number) => {
                    machine.vector[usize::from(number)][..bytes.len()].copy_from_slice(bytes);
                }
                Place::X87(_) => machine.x87.push(bytes.try_into().unwrap()),
                Place::Stack(_) => unreachable!("no result is on the stack"),
            }
        }
    }

    fn check_result(&self, machine: &mut Machine) {
        assert!(machine.x87.is_empty(), "the x87 stack is left empty");
        if let Some((place, errno)) = &self.errno {
            let copy = THREAD.wrapping_add_signed(place.to.into());
            assert_eq!(&machine.load(copy, 4), errno);
            assert_ne!(machine.phase, Phase::Before);
        }
        let size = self.result.len();
        if size == 0 {
            return;
        }
        let mut expected = self.result.clone();
        if self.assignment.result == ResultPassing::Registers {
            // Padding that no register brings is zero.
            expected.fill(0);
            for piece in self.assignment.result_pieces() {
                let bytes = piece.offset as usize..(piece.offset + piece.size) as usize;
                expected[bytes.clone()].copy_from_slice(&self.result[bytes]);
            }
        }
        if self.arguments == Arguments::Slots && size <= 8 {
            let sign = expected[size - 1] >> 7 == 1;
            let fill = sign && self.assignment.result_extension == Extension::Sign;
            expected.resize(8, if fill { 0xff } else { 0 });
        }
        assert_eq!(machine.load(self.result_address, expected.len()), expected);
        let wide = |piece: &Piece| piece.size > 16;
        assert_eq!(
            machine.vzeroupper,
            self.assignment.result_pieces().iter().any(wide)
        );
    }
}

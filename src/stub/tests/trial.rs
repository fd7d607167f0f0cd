//! One stub, run with values of its signature: every byte has to arrive, and nothing else may be
//! touched.

use super::machine::{Machine, Phase, Region, Stop};
use super::random::Random;
use super::{ENTRY, ERRNO, decode, disassemble};
use crate::abi::{Assignment, Extension, Passing, Piece, Place, ResultPassing};
use crate::stub::{Arguments, Plan, plan, x86_64};
use iced_x86::Mnemonic;

const TARGET: u64 = 0x7777_1234_5678;
const RETURN: u64 = 0x5555_0000_1111;
/// The stack pointer as a stub may find it: 8 below a multiple of 16.
const STACK_TOP: u64 = 0x7fff_ffff_0008;
const THREAD: u64 = 0x7f00_0000_0740;
/// Not aligned to anything, as a caller's values may be.
const ARRAY: u64 = 0x1000_0001;
const RESULT: u64 = 0x2000_0003;
const VALUES: u64 = 0x3000_0005;
const SLOT: u64 = 0x2800_0008;
const RAX: usize = 0;
const RSP: usize = 4;
const CALLEE_SAVED: [usize; 6] = [3, 5, 12, 13, 14, 15];

struct Trial<'a> {
    assignment: &'a Assignment,
    arguments: Arguments,
    values: Vec<Vec<u8>>,
    result: Vec<u8>,
    result_address: u64,
    errno: Option<Vec<u8>>,
}

/// Runs the stub of an assignment and checks what it did.
pub(super) fn run(assignment: &Assignment, arguments: Arguments, errno: bool, seed: u64) {
    let mut random = Random(seed | 1);
    let plan = plan(assignment, arguments, ENTRY, errno.then_some(ERRNO));
    let bytes = x86_64::emit(&plan);
    let code = decode(&bytes, 0x40_0000);
    check_shape(&plan, &bytes);

    let stack_top = STACK_TOP - random.next() % 1024 * 16;
    let mut machine = Machine::new(stack_top, THREAD);
    machine.general = std::array::from_fn(|_| random.next());
    let mut trial = Trial {
        assignment,
        arguments,
        values: Vec::new(),
        result: random.bytes(assignment.result_size as usize),
        result_address: RESULT,
        errno: errno.then(|| random.bytes(4)),
    };
    trial.lay_out(&mut machine, &mut random);
    let saved = CALLEE_SAVED.map(|register| machine.general[register]);

    let (stop, index) = machine.run(&code, 0);
    trial.check_call(&mut machine);
    let rsp = machine.general[RSP];
    let is_tail = matches!(stop, Stop::Jump);
    if is_tail {
        assert_eq!(rsp, stack_top, "a jump leaves the stack as it was");
    } else {
        let align = u64::from(plan.stack_align);
        assert!(
            rsp.is_multiple_of(align),
            "rsp {rsp:#x} is not aligned to {align}"
        );
        assert!(
            machine.touched - rsp <= 4096,
            "the call's push would skip a page"
        );
    }
    trial.callee(&mut machine, &mut random);
    if is_tail {
        assert_eq!(index, code.len(), "nothing follows the jump");
    } else {
        let (stop, index) = machine.run(&code, index);
        assert!(matches!(stop, Stop::Return(RETURN)));
        assert_eq!(index, code.len(), "nothing follows the return");
        assert_eq!(machine.general[RSP], stack_top + 8);
    }
    assert_eq!(
        CALLEE_SAVED.map(|register| machine.general[register]),
        saved
    );
    trial.check_result(&mut machine);
}

/// One call or one jump, and the frame that the unwind rule expects.
fn check_shape(plan: &Plan, bytes: &[u8]) {
    let code = decode(bytes, 0);
    let count = |mnemonic| code.iter().filter(|one| one.mnemonic() == mnemonic).count();
    let framed = usize::from(plan.has_frame);
    assert_eq!(count(Mnemonic::Call), framed);
    assert_eq!(count(Mnemonic::Ret), framed);
    assert_eq!(count(Mnemonic::Jmp), 1 - framed);
    let fs = code.iter().filter(|one| one.has_segment_prefix()).count();
    assert_eq!(fs, if plan.errno.is_some() { 2 } else { 0 });
    let lines = disassemble(bytes, 0);
    let mut start = vec!["endbr64"];
    if plan.result_is_indirect {
        start.push("mov rdi,[rdi]");
    }
    if plan.has_frame {
        start.extend(["push rbp", "mov rbp,rsp", "push rdi"]);
    }
    assert_eq!(lines[..start.len()], start);
}

impl Trial<'_> {
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
        region("return address", top, RETURN.to_le_bytes().to_vec(), false);
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
        let result_register = usize::from(ENTRY.result);
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
        if self.errno.is_some() {
            region("errno", THREAD - 40, random.bytes(4), true);
            region("captured errno", THREAD - 8, random.bytes(4), true);
        }
        machine.general[RSP] = top;
        machine.general[usize::from(ENTRY.arguments)] = ARRAY;
        machine.general[result_register] = handed;
        machine.general[11] = TARGET;
    }

    fn piece_at(&self, machine: &mut Machine, piece: &Piece, size: usize) -> Vec<u8> {
        match piece.place {
            Place::General(number) => {
                machine.general[usize::from(number)].to_le_bytes()[..size.min(8)].to_vec()
            }
            Place::Vector(number) => machine.vector[usize::from(number)][..size].to_vec(),
            Place::Stack(offset) => {
                let address = machine.general[RSP] + u64::from(offset);
                machine.load(address, size)
            }
            Place::X87(_) => unreachable!("no argument is on the x87 stack"),
        }
    }

    /// Every byte is where the callee looks for it.
    fn check_call(&self, machine: &mut Machine) {
        assert_eq!(machine.general[11], TARGET);
        assert_ne!(
            machine.general[RAX], TARGET,
            "al is a count, never a piece of an address"
        );
        let mut copies: Vec<(u64, u64)> = Vec::new();
        for (parameter, value) in self.assignment.parameters().iter().zip(&self.values) {
            if let Passing::Reference { align } = parameter.passing {
                for piece in self.assignment.pieces(parameter) {
                    let address = self.piece_at(machine, piece, 8).try_into().unwrap();
                    let address = u64::from_le_bytes(address);
                    assert!(address.is_multiple_of(u64::from(align)));
                    let area = machine.general[RSP] + u64::from(self.assignment.stack_size);
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
        if let Some(count) = self.assignment.vector_count {
            assert_eq!(machine.general[RAX] as u8, count);
        }
    }

    /// The callee: uses up what is its own, then returns a result.
    fn callee(&self, machine: &mut Machine, random: &mut Random) {
        let rsp = machine.general[RSP];
        let area = random.bytes(self.assignment.stack_size as usize);
        if !area.is_empty() {
            machine.store(rsp, &area);
        }
        for register in
            (0..16).filter(|register| *register != RSP && !CALLEE_SAVED.contains(register))
        {
            machine.general[register] = random.next();
        }
        for register in &mut machine.vector {
            register.copy_from_slice(&random.bytes(32));
        }
        if let Some(errno) = &self.errno {
            machine.store(THREAD - 40, errno);
        }
        if matches!(self.assignment.result, ResultPassing::Memory { .. }) {
            machine.store(self.result_address, &self.result);
            machine.general[RAX] = self.result_address;
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
        if let Some(errno) = &self.errno {
            assert_eq!(&machine.load(THREAD - 8, 4), errno);
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

//! The AArch64 of the machine in which stubs are tried.

mod decode;
mod needed;
mod texts;

use super::machine::{Machine, Phase, Processor, Receivers, Stop, number};
use crate::abi::Assignment;
use crate::stub::{Entry, ErrnoCapture, Plan, Upcall, aarch64};
use crate::types::Convention;
use decode::{Access, Index, Instruction, Register, decode};
use std::ops::Range;

const ENTRY: Entry = Entry {
    result: 0,
    arguments: 1,
};
const FRAME: usize = 29;
const LINK: usize = 30;
/// The stack pointer and the zero register.
const LAST: usize = 31;
/// No stub of these tests takes as many.
const MOST_STEPS: usize = 1 << 22;
/// The number of the register that belongs to some systems.
const PLATFORM: usize = 18;

pub(super) struct Aarch64;

impl Processor for Aarch64 {
    type Instruction = Instruction;

    const ENTRY: Entry = ENTRY;
    const ERRNO: &'static [ErrnoCapture] = &[
        ErrnoCapture { from: 40, to: 16 },
        ErrnoCapture { from: -40, to: -8 },
        ErrnoCapture {
            from: 70_000,
            to: -3001,
        },
        ErrnoCapture {
            from: -0x100_3000,
            to: 0x123_4568,
        },
    ];
    const STACK_POINTER: usize = LAST;
    const CONTEXT: usize = 17;
    const LINK: Option<usize> = Some(LINK);
    const FRAME: usize = FRAME;
    const SAVED: &'static [usize] = &[19, 20, 21, 22, 23, 24, 25, 26, 27, 28, FRAME];
    const SAVED_VECTORS: Range<usize> = 8..16;

    fn emit(plan: &Plan) -> Vec<u8> {
        aarch64::emit(plan)
    }

    fn decode(code: &[u8]) -> Vec<Instruction> {
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        code.chunks(4).map(|bytes| decode(word(bytes))).collect()
    }

    fn run(machine: &mut Machine, code: &[Instruction], mut index: usize) -> (Stop, usize) {
        for _ in 0..MOST_STEPS {
            let one = &code[index];
            if let Phase::After(count) = &mut machine.phase {
                *count += 1;
            }
            let skip_to = |distance: isize| index.checked_add_signed(distance).unwrap();
            let next = match *one {
                Instruction::CallFar | Instruction::JumpFar => {
                    assert_eq!(machine.phase, Phase::Before, "one call is enough");
                    machine.phase = Phase::After(0);
                    let target = machine.general[16];
                    let stop = match *one {
                        Instruction::CallFar => Stop::Call(target),
                        _ => Stop::Jump(target),
                    };
                    return (stop, index + 1);
                }
                Instruction::Call | Instruction::Jump => {
                    assert_eq!(machine.phase, Phase::Before, "one call is enough");
                    machine.phase = Phase::After(0);
                    let is_call = *one == Instruction::Call;
                    let target = machine.general[Aarch64::CONTEXT];
                    let stop = if is_call {
                        Stop::Call(target)
                    } else {
                        Stop::Jump(target)
                    };
                    return (stop, index + 1);
                }
                Instruction::Return => return (Stop::Return(machine.general[LINK]), index + 1),
                Instruction::IfNotZero(distance) if !machine.zero => skip_to(distance),
                Instruction::IfAbove(distance) if machine.above => skip_to(distance),
                Instruction::IfNotZero(_) | Instruction::IfAbove(_) => index + 1,
                _ => {
                    execute(machine, one);
                    index + 1
                }
            };
            index = next;
        }
        panic!("the stub runs forever")
    }

    fn check_shape(plan: &Plan, code: &[Instruction]) {
        let count = |instruction| code.iter().filter(|one| **one == instruction).count();
        let framed = usize::from(plan.has_frame);
        assert_eq!(count(Instruction::Call), framed);
        assert_eq!(count(Instruction::Return), framed);
        assert_eq!(count(Instruction::Jump), 1 - framed);
        let is_thread = |one: &&Instruction| matches!(one, Instruction::ThreadPointer(_));
        let threads = code.iter().filter(is_thread).count();
        assert_eq!(threads, usize::from(plan.errno.is_some()));
        let mut start = vec![0xd503_245f];
        if plan.result_is_indirect {
            // ldr x0, [x0]
            start.push(0xf940_0000);
        }
        if plan.has_frame {
            // stp x29, x30, [sp, #-16]! and mov x29, sp
            start.extend([0xa9bf_7bfd, 0x9100_03fd]);
        }
        let start: Vec<_> = start.into_iter().map(decode).collect();
        assert_eq!(code[..start.len()], start);
    }

    fn check_call(_machine: &Machine, assignment: &Assignment) {
        assert_eq!(assignment.vector_count, None);
    }
}

impl Receivers for Aarch64 {
    const USER: usize = 2;
    const JUMPS_THROUGH: Option<usize> = Some(16);
    const NATIVE: Convention = Convention::Aapcs64;

    fn emit_upcall(upcall: &Upcall) -> Vec<u8> {
        aarch64::emit_upcall(upcall)
    }

    fn check_receiver(code: &[Instruction], has_frame: bool) {
        let count = |instruction| code.iter().filter(|one| **one == instruction).count();
        let framed = usize::from(has_frame);
        assert_eq!(count(Instruction::CallFar), framed);
        assert_eq!(count(Instruction::Return), framed);
        // bti c, stp x29, x30, [sp, #-16]! and mov x29, sp
        let start = [0xd503_245f, 0xa9bf_7bfd, 0x9100_03fd].map(decode);
        let start = &start[..1 + 2 * framed];
        assert_eq!(&code[..start.len()], start);
    }
}

/// A register's value as data.
fn read(machine: &Machine, register: Register) -> u64 {
    match register {
        LAST => 0,
        _ => machine.general[register],
    }
}

fn write(machine: &mut Machine, register: Register, value: u64) {
    match register {
        LAST => return,
        // The frame's own, set by `change` or by a load from the frame.
        FRAME | LINK => {}
        PLATFORM => panic!("x18 is not a stub's to change"),
        17 => panic!("the target's address is changed"),
        19..=28 => panic!("x{register} is the caller's"),
        _ => {}
    }
    machine.general[register] = value;
}

/// A register's value as an address or a number to add to: the last one is the stack pointer.
fn read_address(machine: &Machine, register: Register) -> u64 {
    machine.general[register]
}

fn write_address(machine: &mut Machine, register: Register, value: u64) {
    match register {
        LAST => {
            assert!(value.is_multiple_of(16), "the stack is aligned to 16");
            machine.general[LAST] = value;
        }
        _ => write(machine, register, value),
    }
}

fn write_vector(machine: &mut Machine, register: Register, bytes: &[u8]) {
    assert!(!(8..16).contains(&register), "v{register} is the caller's");
    let own = &mut machine.vector[register];
    own[..16].fill(0);
    own[..bytes.len()].copy_from_slice(bytes);
}

fn access(machine: &mut Machine, access: &Access, registers: &[Register]) {
    let base = read_address(machine, access.base);
    if access.base == LAST {
        assert!(base.is_multiple_of(16), "sp is no address now");
    }
    let moved = base.wrapping_add_signed(access.offset);
    let start = if access.index == Index::After {
        base
    } else {
        moved
    };
    if access.index != Index::Offset {
        assert!(!registers.contains(&access.base) || access.base == LAST);
    }
    // What lies above the stack pointer is the stub's from now on.
    if access.index == Index::Before {
        write_address(machine, access.base, moved);
    }
    let mut values = Vec::new();
    for (register, address) in registers.iter().zip((start..).step_by(access.size)) {
        if access.is_load {
            values.push(machine.load(address, access.size));
        } else {
            let bytes = match access.is_vector {
                true => machine.vector[*register][..access.size].to_vec(),
                false => read(machine, *register).to_le_bytes()[..access.size].to_vec(),
            };
            machine.store(address, &bytes);
        }
    }
    for (register, mut bytes) in registers.iter().zip(values) {
        if access.is_vector {
            write_vector(machine, *register, &bytes);
            continue;
        }
        let is_negative = bytes[bytes.len() - 1] >> 7 == 1;
        if is_negative && access.signed > 0 {
            bytes.resize(access.signed, 0xff);
        }
        write(machine, *register, number(&bytes));
    }
    if access.index == Index::After {
        write_address(machine, access.base, moved);
    }
}

fn execute(machine: &mut Machine, one: &Instruction) {
    match *one {
        Instruction::LandingPad => {}
        Instruction::One(ref one, register) => access(machine, one, &[register]),
        Instruction::Two(ref one, registers) => {
            assert!(!one.is_load || registers[0] != registers[1]);
            access(machine, one, &registers);
        }
        Instruction::Add { to, from, number } => {
            let value = read_address(machine, from).wrapping_add_signed(number);
            write_address(machine, to, value);
        }
        Instruction::AddRegister {
            is_difference,
            to,
            from,
            other,
        } => {
            let (a, b) = (read_address(machine, from), read(machine, other));
            let value = match is_difference {
                true => a.wrapping_sub(b),
                false => a.wrapping_add(b),
            };
            write_address(machine, to, value);
        }
        Instruction::Decrement { register, number } => {
            let value = read(machine, register);
            machine.zero = value == number;
            machine.above = value > number;
            write(machine, register, value.wrapping_sub(number));
        }
        Instruction::Compare { one, other } => {
            let (a, b) = (read_address(machine, one), read(machine, other));
            machine.zero = a == b;
            machine.above = a > b;
        }
        Instruction::And { to, from, mask } => {
            let value = read(machine, from) & mask;
            write_address(machine, to, value);
        }
        Instruction::Or {
            is_wide,
            to,
            one,
            other,
            shift,
        } => {
            let value = read(machine, one) | read(machine, other) << shift;
            let value = if is_wide { value } else { value & 0xffff_ffff };
            assert!(is_wide || shift == 0);
            write(machine, to, value);
        }
        Instruction::Move {
            keeps,
            to,
            part,
            shift,
        } => {
            let old = if keeps { read(machine, to) } else { 0 };
            write(machine, to, old & !(0xffff << shift) | part << shift);
        }
        Instruction::Bits {
            is_signed,
            to,
            from,
            first,
            last,
        } => {
            let above = 63 - last;
            let value = read(machine, from) << above;
            let value = match is_signed {
                true => (value as i64 >> (above + first)) as u64,
                false => value >> (above + first),
            };
            write(machine, to, value);
        }
        Instruction::FromVector { is_wide, to, from } => {
            let size = if is_wide { 8 } else { 4 };
            let value = number(&machine.vector[from][..size]);
            write(machine, to, value);
        }
        Instruction::ToVector { to, from } => {
            let value = read(machine, from).to_le_bytes();
            write_vector(machine, to, &value);
        }
        Instruction::ThreadPointer(to) => {
            let right_after = Phase::After(1);
            assert_eq!(
                machine.phase, right_after,
                "errno is kept right after the call"
            );
            write(machine, to, machine.thread);
        }
        Instruction::IfNotZero(_)
        | Instruction::IfAbove(_)
        | Instruction::Call
        | Instruction::CallFar
        | Instruction::JumpFar
        | Instruction::Jump
        | Instruction::Return => unreachable!("these are not executed here"),
    }
}

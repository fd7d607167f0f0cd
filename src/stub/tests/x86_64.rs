//! The instructions of x86-64 that a stub may be made of.

use super::machine::{Machine, Phase, Processor, Receivers, Stop, number};
use super::{ENTRY, ERRNO, decode, text};
use crate::abi::Assignment;
use crate::stub::{Entry, ErrnoCapture, Plan, Upcall, x86_64};
use crate::types::Convention;
use iced_x86::{Instruction, MemorySize, Mnemonic, OpKind, Register};
use std::ops::Range;

const RAX: usize = 0;
const RCX: usize = 1;
const RSP: usize = 4;
const RBP: usize = 5;
const RSI: usize = 6;
const RDI: usize = 7;
const R11: usize = 11;

pub(super) struct X86_64;

impl Processor for X86_64 {
    type Instruction = Instruction;

    const ENTRY: Entry = ENTRY;
    const ERRNO: &'static [ErrnoCapture] = &[ERRNO];
    const STACK_POINTER: usize = RSP;
    const CONTEXT: usize = R11;
    const LINK: Option<usize> = None;
    const FRAME: usize = RBP;
    const SAVED: &'static [usize] = &[3, RBP, 12, 13, 14, 15];
    const SAVED_VECTORS: Range<usize> = 0..0;

    fn emit(plan: &Plan) -> Vec<u8> {
        x86_64::emit(plan)
    }

    fn decode(code: &[u8]) -> Vec<Instruction> {
        decode(code, 0x40_0000)
    }

    fn run(machine: &mut Machine, code: &[Instruction], mut index: usize) -> (Stop, usize) {
        loop {
            let one = &code[index];
            index += 1;
            if let Phase::After(count) = &mut machine.phase {
                *count += 1;
            }
            assert!(!one.has_lock_prefix(), "{}", text(one));
            match one.mnemonic() {
                Mnemonic::Call | Mnemonic::Jmp => {
                    assert_eq!(machine.phase, Phase::Before, "one call is enough");
                    let target = number(&machine.read(one, 0));
                    machine.phase = Phase::After(0);
                    if one.mnemonic() == Mnemonic::Call {
                        return (Stop::Call(target), index);
                    }
                    let of = if one.op0_kind() == OpKind::Memory {
                        one.memory_base()
                    } else {
                        one.op0_register()
                    };
                    assert_eq!(of, Register::R11, "{}", text(one));
                    return (Stop::Jump(target), index);
                }
                Mnemonic::Ret => return (Stop::Return(machine.pop()), index),
                Mnemonic::Jne if machine.zero => {}
                Mnemonic::Ja if !machine.above => {}
                Mnemonic::Jne | Mnemonic::Ja => {
                    let target = one.near_branch_target();
                    index = code.iter().position(|one| one.ip() == target).unwrap();
                }
                _ => machine.execute(one),
            }
        }
    }

    fn check_shape(plan: &Plan, code: &[Instruction]) {
        let count = |mnemonic| code.iter().filter(|one| one.mnemonic() == mnemonic).count();
        let framed = usize::from(plan.has_frame);
        assert_eq!(count(Mnemonic::Call), framed);
        assert_eq!(count(Mnemonic::Ret), framed);
        assert_eq!(count(Mnemonic::Jmp), 1 - framed);
        let fs = code.iter().filter(|one| one.has_segment_prefix()).count();
        assert_eq!(fs, if plan.errno.is_some() { 2 } else { 0 });
        let mut start = vec!["endbr64"];
        if plan.result_is_indirect {
            start.push("mov rdi,[rdi]");
        }
        if plan.has_frame {
            start.extend(["push rbp", "mov rbp,rsp", "push rdi"]);
        }
        let lines: Vec<_> = code[..start.len()].iter().map(text).collect();
        assert_eq!(lines, start);
    }

    fn check_call(machine: &Machine, assignment: &Assignment) {
        assert_ne!(
            machine.general[RAX], machine.general[R11],
            "al is a count, never a piece of an address"
        );
        if let Some(count) = assignment.vector_count {
            assert_eq!(machine.general[RAX] as u8, count);
        }
    }
}

impl Receivers for X86_64 {
    const USER: usize = 2;
    const JUMPS_THROUGH: Option<usize> = None;
    const NATIVE: Convention = Convention::SysV64;

    fn emit_upcall(upcall: &Upcall) -> Vec<u8> {
        x86_64::emit_upcall(upcall)
    }

    fn check_receiver(code: &[Instruction], has_frame: bool) {
        let count = |mnemonic| code.iter().filter(|one| one.mnemonic() == mnemonic).count();
        let framed = usize::from(has_frame);
        assert_eq!(
            (count(Mnemonic::Call), count(Mnemonic::Ret)),
            (framed, framed)
        );
        let start = &["endbr64", "push rbp", "mov rbp,rsp"][..1 + 2 * framed];
        let lines: Vec<_> = code[..start.len()].iter().map(text).collect();
        assert_eq!(lines, start);
    }
}

impl Machine {
    fn push(&mut self, bytes: &[u8]) {
        self.general[RSP] -= 8;
        self.store(self.general[RSP], bytes);
    }

    fn pop(&mut self) -> u64 {
        let value = number(&self.load(self.general[RSP], 8));
        self.general[RSP] += 8;
        value
    }

    /// The address of a memory operand, of which there are few forms.
    fn address(&self, one: &Instruction) -> u64 {
        assert!(
            !one.is_ip_rel_memory_operand(),
            "code that depends on its place"
        );
        assert_eq!(one.memory_index(), Register::None);
        let offset = one.memory_displacement64();
        if one.has_segment_prefix() {
            assert_eq!(one.segment_prefix(), Register::FS);
            assert_eq!(one.memory_base(), Register::None);
            return self.thread.wrapping_add(offset);
        }
        let base = one.memory_base();
        assert!(base.is_gpr64(), "an absolute address");
        self.general[base.number()].wrapping_add(offset)
    }

    fn read(&mut self, one: &Instruction, operand: u32) -> Vec<u8> {
        match one.op_kind(operand) {
            OpKind::Register => {
                let register = one.op_register(operand);
                let size = register.size();
                if register.is_vector_register() {
                    return self.vector[register.number()][..size].to_vec();
                }
                assert!(register.is_gpr() && !is_high(register));
                self.general[register.full_register().number()].to_le_bytes()[..size].to_vec()
            }
            OpKind::Memory => {
                let address = self.address(one);
                self.load(address, one.memory_size().size())
            }
            _ => one.immediate(operand).to_le_bytes().to_vec(),
        }
    }

    fn write(&mut self, one: &Instruction, bytes: &[u8]) {
        if one.op0_kind() == OpKind::Memory {
            let address = self.address(one);
            let size = one.memory_size().size();
            return self.store(address, &bytes[..size]);
        }
        let register = one.op0_register();
        if register.is_vector_register() {
            // Up to 16 bytes are set; only a 32-byte move sets all.
            let own = &mut self.vector[register.number()];
            let width = if bytes.len() > 16 { 32 } else { 16 };
            own[..width].fill(0);
            own[..bytes.len()].copy_from_slice(bytes);
            return;
        }
        assert!(register.is_gpr() && !is_high(register));
        let own = &mut self.general[register.full_register().number()];
        let mut whole = match register.size() {
            8 | 4 => [0; 8],
            _ => own.to_le_bytes(),
        };
        let size = register.size().min(bytes.len());
        whole[..size].copy_from_slice(&bytes[..size]);
        *own = u64::from_le_bytes(whole);
    }

    fn arithmetic(&mut self, one: &Instruction, operation: impl Fn(u64, u64) -> u64) {
        let (a, b) = (self.read(one, 0), self.read(one, 1));
        let size = a.len();
        // A memory operand is a byte of the stack that is probed.
        if one.op0_kind() == OpKind::Memory {
            assert_eq!(one.memory_size(), MemorySize::UInt8);
        }
        let result = operation(number(&a), number(&b)).to_le_bytes();
        self.write(one, &result[..size]);
    }

    fn string_move(&mut self, one: &Instruction, size: usize) {
        assert!(one.has_rep_prefix());
        while self.general[RCX] > 0 {
            let bytes = self.load(self.general[RSI], size);
            self.store(self.general[RDI], &bytes);
            self.general[RSI] += size as u64;
            self.general[RDI] += size as u64;
            self.general[RCX] -= 1;
        }
    }

    fn execute(&mut self, one: &Instruction) {
        if one.has_segment_prefix() {
            assert_eq!(one.mnemonic(), Mnemonic::Mov);
            let place = if one.op0_kind() == OpKind::Memory {
                2
            } else {
                1
            };
            assert_eq!(
                self.phase,
                Phase::After(place),
                "errno is kept right after the call"
            );
        }
        match one.mnemonic() {
            Mnemonic::Endbr64 => {}
            Mnemonic::Push => {
                let bytes = self.read(one, 0);
                self.push(&bytes);
            }
            Mnemonic::Pop => {
                let value = self.pop();
                self.write(one, &value.to_le_bytes());
            }
            Mnemonic::Leave => {
                self.general[RSP] = self.general[RBP];
                self.general[RBP] = self.pop();
            }
            Mnemonic::Lea => {
                let address = self.address(one);
                self.write(one, &address.to_le_bytes());
            }
            Mnemonic::Mov
            | Mnemonic::Movups
            | Mnemonic::Vmovups
            | Mnemonic::Movd
            | Mnemonic::Movq
            | Mnemonic::Movss
            | Mnemonic::Movsd => {
                let mut bytes = self.read(one, 1);
                let scalar = one.mnemonic() != Mnemonic::Mov && one.op0_kind() == OpKind::Memory;
                if scalar {
                    bytes.truncate(one.memory_size().size());
                }
                self.write(one, &bytes);
            }
            Mnemonic::Movzx => {
                let mut bytes = self.read(one, 1);
                bytes.resize(8, 0);
                self.write(one, &bytes);
            }
            Mnemonic::Movsx | Mnemonic::Movsxd => {
                let mut bytes = self.read(one, 1);
                let sign = if bytes[bytes.len() - 1] >> 7 == 1 {
                    0xff
                } else {
                    0
                };
                bytes.resize(8, sign);
                self.write(one, &bytes);
            }
            Mnemonic::Sub => {
                self.arithmetic(one, |a, b| a.wrapping_sub(b));
                assert_eq!(one.op0_register(), Register::RSP);
            }
            Mnemonic::Add => {
                self.arithmetic(one, |a, b| a.wrapping_add(b));
                assert_eq!(one.op0_register(), Register::RSP);
            }
            Mnemonic::And => {
                self.arithmetic(one, |a, b| a & b);
                assert!(matches!(one.op0_register(), Register::RSP | Register::RAX));
            }
            Mnemonic::Cmp => {
                self.above = number(&self.read(one, 0)) > number(&self.read(one, 1));
            }
            Mnemonic::Xor => self.arithmetic(one, |a, b| a ^ b),
            Mnemonic::Or => self.arithmetic(one, |a, b| a | b),
            Mnemonic::Shl => self.arithmetic(one, |a, b| a << (b & 63)),
            Mnemonic::Shr => self.arithmetic(one, |a, b| a >> (b & 63)),
            Mnemonic::Dec => {
                let value = number(&self.read(one, 0)).wrapping_sub(1) as u32;
                self.zero = value == 0;
                self.write(one, &value.to_le_bytes());
            }
            Mnemonic::Por => {
                let (mut a, b) = (self.read(one, 0), self.read(one, 1));
                a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
                self.write(one, &a);
            }
            Mnemonic::Fstp => {
                assert_eq!(one.memory_size(), MemorySize::Float80);
                let address = self.address(one);
                let value = self.x87.pop().unwrap();
                self.store(address, &value);
            }
            Mnemonic::Fld => {
                assert_eq!(one.memory_size(), MemorySize::Float80);
                let value = self.read(one, 0);
                self.x87.push(value.try_into().unwrap());
            }
            Mnemonic::Vzeroupper => {
                self.vzeroupper = true;
                for register in &mut self.vector {
                    register[16..].fill(0);
                }
            }
            Mnemonic::Movsq => self.string_move(one, 8),
            Mnemonic::Movsb => self.string_move(one, 1),
            _ => panic!("a stub has no use for {}", text(one)),
        }
    }
}

/// `ah` and its kin.
fn is_high(register: Register) -> bool {
    matches!(
        register,
        Register::AH | Register::BH | Register::CH | Register::DH
    )
}

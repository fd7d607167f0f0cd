//! A machine that knows the instructions which a stub may be made of, and no others. Memory is
//! what a stub was given, byte by byte: anything else that it touches ends the test.

use super::text;
use iced_x86::{Instruction, MemorySize, Mnemonic, OpKind, Register};

/// Bytes at an address.
pub(super) struct Region {
    pub(super) name: &'static str,
    pub(super) base: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) is_writable: bool,
}

/// How far a stub has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Before,
    /// The instructions since the call.
    After(usize),
}

pub(super) struct Machine {
    pub(super) general: [u64; 16],
    pub(super) vector: [[u8; 32]; 16],
    pub(super) x87: Vec<[u8; 10]>,
    pub(super) memory: Vec<Region>,
    pub(super) phase: Phase,
    /// The thread pointer.
    pub(super) thread: u64,
    /// The lowest byte of the stack that was touched.
    pub(super) touched: u64,
    /// The stack is above this and below `stack_top`.
    pub(super) stack_top: u64,
    pub(super) vzeroupper: bool,
    zero: bool,
    above: bool,
}

/// Why the machine stands still.
pub(super) enum Stop {
    /// `call r11`.
    Call,
    /// `jmp r11`.
    Jump,
    /// `ret`, to this address.
    Return(u64),
}

const RCX: usize = 1;
const RSP: usize = 4;
const RBP: usize = 5;
const RSI: usize = 6;
const RDI: usize = 7;
const PAGE: u64 = 4096;

impl Machine {
    pub(super) fn new(stack_top: u64, thread: u64) -> Machine {
        Machine {
            general: [0; 16],
            vector: [[0; 32]; 16],
            x87: Vec::new(),
            memory: Vec::new(),
            phase: Phase::Before,
            thread,
            touched: stack_top,
            stack_top,
            vzeroupper: false,
            zero: false,
            above: false,
        }
    }

    fn find(&mut self, address: u64, size: usize) -> (&mut Region, usize) {
        let fits = |region: &&mut Region| {
            let at = address.wrapping_sub(region.base);
            at < region.bytes.len() as u64 && at + size as u64 <= region.bytes.len() as u64
        };
        let region = self.memory.iter_mut().find(fits);
        let region = region.unwrap_or_else(|| panic!("{size} bytes at {address:#x} are nobody's"));
        let at = (address - region.base) as usize;
        (region, at)
    }

    pub(super) fn load(&mut self, address: u64, size: usize) -> Vec<u8> {
        let (region, at) = self.find(address, size);
        let bytes = region.bytes[at..at + size].to_vec();
        self.touch(address);
        bytes
    }

    pub(super) fn store(&mut self, address: u64, bytes: &[u8]) {
        let (region, at) = self.find(address, bytes.len());
        assert!(region.is_writable, "a store to {}", region.name);
        if region.name == "stack" {
            let rsp = self.general[RSP];
            assert!(address >= rsp, "a store below rsp");
        }
        let (region, _) = self.find(address, bytes.len());
        region.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.touch(address);
    }

    /// A stack grows page by page: none may be skipped.
    fn touch(&mut self, address: u64) {
        let is_stack = address < self.stack_top && address > self.stack_top - (1 << 30);
        if is_stack && address < self.touched {
            let skipped = self.touched - address;
            assert!(skipped <= PAGE, "{skipped} bytes of the stack were skipped");
            self.touched = address;
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.general[RSP] -= 8;
        self.store(self.general[RSP], bytes);
    }

    fn pop(&mut self) -> u64 {
        let rsp = self.general[RSP];
        self.general[RSP] += 8;
        number(&self.load(rsp, 8))
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

    /// Executes from an instruction on to the next that leaves the stub; says which is next.
    pub(super) fn run(&mut self, code: &[Instruction], mut index: usize) -> (Stop, usize) {
        loop {
            let one = &code[index];
            index += 1;
            if let Phase::After(count) = &mut self.phase {
                *count += 1;
            }
            assert!(!one.has_lock_prefix(), "{}", text(one));
            match one.mnemonic() {
                Mnemonic::Call | Mnemonic::Jmp => {
                    assert_eq!(one.op0_register(), Register::R11, "{}", text(one));
                    assert_eq!(self.phase, Phase::Before, "one call is enough");
                    self.phase = Phase::After(0);
                    let is_call = one.mnemonic() == Mnemonic::Call;
                    return (if is_call { Stop::Call } else { Stop::Jump }, index);
                }
                Mnemonic::Ret => return (Stop::Return(self.pop()), index),
                Mnemonic::Jne if self.zero => {}
                Mnemonic::Ja if !self.above => {}
                Mnemonic::Jne | Mnemonic::Ja => {
                    let target = one.near_branch_target();
                    index = code.iter().position(|one| one.ip() == target).unwrap();
                }
                _ => self.execute(one),
            }
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
            Mnemonic::Vzeroupper => self.vzeroupper = true,
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

fn number(bytes: &[u8]) -> u64 {
    let mut whole = [0; 8];
    whole[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
    u64::from_le_bytes(whole)
}

//! Expressions of unwind tables (DWARF 5, section 2.5), for what a register and an offset cannot say.

#![allow(
    dead_code,
    reason = "each processor's rules use some of the operations"
)]

pub(super) const EQ: u8 = 0x29;
pub(super) const MINUS: u8 = 0x1c;
pub(super) const PLUS: u8 = 0x22;
pub(super) const SHL: u8 = 0x24;
pub(super) const SHR: u8 = 0x25;
pub(super) const LT: u8 = 0x2d;
pub(super) const NE: u8 = 0x2e;
pub(super) const DUP: u8 = 0x12;
pub(super) const DROP: u8 = 0x13;

const ADDR: u8 = 0x03;
const CONST4U: u8 = 0x0c;
const BRA: u8 = 0x28;
const SKIP: u8 = 0x2f;
const BREG0: u8 = 0x70;
const DEREF_SIZE: u8 = 0x94;

/// A place in an expression, by its number.
#[derive(Clone, Copy)]
pub(super) struct Label(pub(super) usize);

/// An expression that is being written, for a machine with a stack.
#[derive(Default)]
pub(super) struct Expression {
    bytes: Vec<u8>,
    jumps: Vec<(usize, Label)>,
    marks: [usize; 8],
}

impl Expression {
    pub(super) fn op(&mut self, op: u8) -> &mut Expression {
        self.bytes.push(op);
        self
    }

    /// Pushes a register with an offset below 64 added.
    pub(super) fn register(&mut self, number: u8, offset: u8) -> &mut Expression {
        self.bytes.extend([BREG0 + number, offset]);
        self
    }

    pub(super) fn address(&mut self, address: u64) -> &mut Expression {
        self.bytes.push(ADDR);
        self.bytes.extend(address.to_le_bytes());
        self
    }

    pub(super) fn constant(&mut self, value: u32) -> &mut Expression {
        self.bytes.push(CONST4U);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// Pops an address and pushes so many bytes that are there.
    pub(super) fn load(&mut self, size: u8) -> &mut Expression {
        self.bytes.extend([DEREF_SIZE, size]);
        self
    }

    /// Pops a value and goes on at a label if it is not zero.
    pub(super) fn branch(&mut self, to: Label) -> &mut Expression {
        self.jump(BRA, to)
    }

    /// Goes on at a label.
    pub(super) fn skip(&mut self, to: Label) -> &mut Expression {
        self.jump(SKIP, to)
    }

    fn jump(&mut self, op: u8, to: Label) -> &mut Expression {
        self.bytes.push(op);
        self.jumps.push((self.bytes.len(), to));
        self.bytes.extend([0; 2]);
        self
    }

    /// The label is here.
    pub(super) fn mark(&mut self, label: Label) -> &mut Expression {
        self.marks[label.0] = self.bytes.len();
        self
    }

    /// The expression behind its length, as tables have it.
    pub(super) fn block(mut self) -> Vec<u8> {
        for (at, to) in self.jumps {
            let distance = self.marks[to.0] as i64 - (at as i64 + 2);
            self.bytes[at..at + 2].copy_from_slice(&(distance as i16).to_le_bytes());
        }
        let length = self.bytes.len();
        // LEB128 of at most 14 bits.
        let mut block = match length {
            0..=0x7f => vec![length as u8],
            _ => vec![length as u8 | 0x80, (length >> 7) as u8],
        };
        block.append(&mut self.bytes);
        block
    }
}

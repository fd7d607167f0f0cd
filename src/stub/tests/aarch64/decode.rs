//! The instructions of AArch64 that a stub may be made of, and no other forms of them: what is not
//! here ends the test. Encodings are those of the Arm Architecture Reference Manual, section C4.1.

/// A register's number; 31 is the stack pointer or the zero register, as the instruction has it.
pub(in crate::stub::tests) type Register = usize;

/// How a load or store uses its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stub::tests) enum Index {
    Offset,
    /// The base is changed first.
    Before,
    /// The base is changed afterwards.
    After,
}

/// What a load or store moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stub::tests) struct Access {
    pub(super) is_load: bool,
    pub(super) is_vector: bool,
    /// So many bytes of a general register are filled with a load's sign; or 0.
    pub(super) signed: usize,
    /// Bytes of each register.
    pub(super) size: usize,
    pub(super) base: Register,
    pub(super) offset: i64,
    pub(super) index: Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stub::tests) enum Instruction {
    /// `bti c`
    LandingPad,
    One(Access, Register),
    Two(Access, [Register; 2]),
    /// `to = from + number`, with sp.
    Add {
        to: Register,
        from: Register,
        number: i64,
    },
    /// `to = from + other`, or the difference, with sp.
    AddRegister {
        is_difference: bool,
        to: Register,
        from: Register,
        other: Register,
    },
    /// `subs`
    Decrement {
        register: Register,
        number: u64,
    },
    /// `cmp`, with sp first.
    Compare {
        one: Register,
        other: Register,
    },
    /// `to = from & mask`, to sp.
    And {
        to: Register,
        from: Register,
        mask: u64,
    },
    /// `to = one | other << shift`
    Or {
        is_wide: bool,
        to: Register,
        one: Register,
        other: Register,
        shift: u32,
    },
    /// `movz` and `movk`
    Move {
        keeps: bool,
        to: Register,
        part: u64,
        shift: u32,
    },
    /// The bits `first` to `last` of a register, extended.
    Bits {
        is_signed: bool,
        to: Register,
        from: Register,
        first: u32,
        last: u32,
    },
    /// `fmov x, d` and `fmov w, s`
    FromVector {
        is_wide: bool,
        to: Register,
        from: Register,
    },
    /// `fmov d, x`
    ToVector {
        to: Register,
        from: Register,
    },
    /// `mrs x, tpidr_el0`
    ThreadPointer(Register),
    /// `b.ne`, so many instructions on.
    IfNotZero(isize),
    /// `b.hi`
    IfAbove(isize),
    /// `blr x17`
    Call,
    /// `blr x16`
    CallFar,
    /// `br x16`
    JumpFar,
    /// `br x17`
    Jump,
    /// `ret`
    Return,
}

pub(super) fn decode(word: u32) -> Instruction {
    let bits = |low: u32, count: u32| word >> low & ((1 << count) - 1);
    let signed = |low, count| i64::from((bits(low, count) << (32 - count)) as i32 >> (32 - count));
    let register = |low| bits(low, 5) as Register;
    let unknown = || -> ! { panic!("a stub has no use for {word:08x}") };
    let check = |is_known: bool| {
        if !is_known {
            unknown()
        }
    };
    match word {
        0xd503_245f => return Instruction::LandingPad,
        0xd63f_0220 => return Instruction::Call,
        0xd63f_0200 => return Instruction::CallFar,
        0xd61f_0200 => return Instruction::JumpFar,
        0xd61f_0220 => return Instruction::Jump,
        0xd65f_03c0 => return Instruction::Return,
        _ => {}
    }
    if word & 0xffff_ffe0 == 0xd53b_d040 {
        return Instruction::ThreadPointer(register(0));
    }
    match word & 0xffff_fc00 {
        0x9e66_0000 | 0x1e26_0000 => {
            return Instruction::FromVector {
                is_wide: bits(31, 1) == 1,
                to: register(0),
                from: register(5),
            };
        }
        0x9e67_0000 => {
            return Instruction::ToVector {
                to: register(0),
                from: register(5),
            };
        }
        _ => {}
    }
    if word & 0xff00_0010 == 0x5400_0000 {
        let distance = signed(5, 19) as isize;
        return match bits(0, 4) {
            1 => Instruction::IfNotZero(distance),
            8 => Instruction::IfAbove(distance),
            _ => unknown(),
        };
    }
    // Loads and stores of one register: size, vector or not, kind.
    if word & 0x3a00_0000 == 0x3800_0000 {
        let is_vector = bits(26, 1) == 1;
        let (size, kind) = (1 << bits(30, 2), bits(22, 2));
        let (size, is_load, signed_bytes) = match (is_vector, size, kind) {
            (_, _, 0 | 1) => (size, kind == 1, 0),
            (true, 1, 2 | 3) => (16, kind == 3, 0),
            (false, 1 | 2, 3) => (size, true, 4),
            (false, 1 | 2 | 4, 2) => (size, true, 8),
            _ => unknown(),
        };
        let (offset, index) = match (bits(24, 1), bits(21, 1), bits(10, 2)) {
            (1, ..) => (i64::from(bits(10, 12)) * size as i64, Index::Offset),
            (0, 0, 0) => (signed(12, 9), Index::Offset),
            (0, 0, 1) => (signed(12, 9), Index::After),
            (0, 0, 3) => (signed(12, 9), Index::Before),
            _ => unknown(),
        };
        let access = Access {
            is_load,
            is_vector,
            signed: signed_bytes,
            size,
            base: register(5),
            offset,
            index,
        };
        return Instruction::One(access, register(0));
    }
    // Of two.
    if word & 0x3a00_0000 == 0x2800_0000 {
        let is_vector = bits(26, 1) == 1;
        let size = match (is_vector, bits(30, 2)) {
            (true, size @ 0..=2) => 4 << size,
            (false, 0) => 4,
            (false, 2) => 8,
            _ => unknown(),
        };
        let index = match bits(23, 2) {
            1 => Index::After,
            2 => Index::Offset,
            3 => Index::Before,
            _ => unknown(),
        };
        let access = Access {
            is_load: bits(22, 1) == 1,
            is_vector,
            signed: 0,
            size,
            base: register(5),
            offset: signed(15, 7) * size as i64,
            index,
        };
        return Instruction::Two(access, [register(0), register(10)]);
    }
    match word & 0x1f80_0000 {
        // Addition and subtraction of a number, in 64 bits.
        0x1100_0000 => {
            check(bits(31, 1) == 1);
            let number = i64::from(bits(10, 12)) << (12 * bits(22, 1));
            let (to, from) = (register(0), register(5));
            return match bits(29, 2) {
                0 => Instruction::Add { to, from, number },
                2 => Instruction::Add {
                    to,
                    from,
                    number: -number,
                },
                3 => {
                    check(to == from && to != 31);
                    Instruction::Decrement {
                        register: to,
                        number: number as u64,
                    }
                }
                _ => unknown(),
            };
        }
        // And with a mask, in 64 bits.
        0x1200_0000 => {
            check(bits(29, 3) == 0b100 && bits(22, 1) == 1);
            // Ones, so many, rotated: with N set the pattern is the whole register.
            let (rotation, ones) = (bits(16, 6), bits(10, 6) + 1);
            check(ones < 64);
            return Instruction::And {
                to: register(0),
                from: register(5),
                mask: ((1 << ones) - 1u64).rotate_right(rotation),
            };
        }
        0x1280_0000 => {
            check(bits(31, 1) == 1 && bits(29, 2) >= 2);
            return Instruction::Move {
                keeps: bits(29, 2) == 3,
                to: register(0),
                part: bits(5, 16).into(),
                shift: bits(21, 2) * 16,
            };
        }
        0x1300_0000 => {
            check(bits(31, 1) == 1 && bits(22, 1) == 1 && bits(29, 1) == 0);
            let (first, last) = (bits(16, 6), bits(10, 6));
            check(first <= last);
            return Instruction::Bits {
                is_signed: bits(30, 1) == 0,
                to: register(0),
                from: register(5),
                first,
                last,
            };
        }
        _ => {}
    }
    // Addition and subtraction of a register as it is, in 64 bits.
    if word & 0x9fe0_fc00 == 0x8b20_6000 {
        let (to, from, other) = (register(0), register(5), register(16));
        return match bits(29, 2) {
            kind @ (0 | 2) => Instruction::AddRegister {
                is_difference: kind == 2,
                to,
                from,
                other,
            },
            3 => {
                check(to == 31);
                Instruction::Compare { one: from, other }
            }
            _ => unknown(),
        };
    }
    if word & 0x7fe0_0000 == 0x2a00_0000 {
        return Instruction::Or {
            is_wide: bits(31, 1) == 1,
            to: register(0),
            one: register(5),
            other: register(16),
            shift: bits(10, 6),
        };
    }
    unknown()
}

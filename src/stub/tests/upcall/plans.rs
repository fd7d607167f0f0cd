//! What receivers do, before it is code.

use crate::abi::{Extension, Place};
use crate::stub::tests::{assigned, assigned_for};
use crate::stub::{Arguments, Location, ResultAddress, Return, Save, Saved, Upcall, upcall};
use crate::types::Convention;
use crate::types::target::{APPLE_AARCH64, LINUX_AARCH64};
use Arguments::{Pointers, Slots};
use Saved::{Address, Extended, Register, Value, Zero};

const RAX: u8 = 0;
const RCX: u8 = 1;
const RSI: u8 = 6;
const RDI: u8 = 7;

fn planned(prototype: &str, arguments: Arguments) -> Upcall {
    upcall(&assigned(prototype), arguments, Convention::SysV64)
}

fn save(from: Saved, to: u32, size: u32) -> Save {
    Save { from, to, size }
}

fn load(from: u32, size: u32, extension: Extension, to: Place) -> Return {
    Return::Load {
        from,
        size,
        extension,
        to,
    }
}

fn general(register: u8) -> Saved {
    Register(Place::General(register))
}

fn vector(register: u8) -> Saved {
    Register(Place::Vector(register))
}

fn frame(at: u32) -> Saved {
    Address(Location::Frame(at))
}

#[test]
fn nothing_to_do() {
    for arguments in [Pointers, Slots] {
        let plan = planned("void f(void)", arguments);
        assert!(plan.saves.is_empty() && plan.returns.is_empty());
        // The handler may write to a slot all the same.
        assert_eq!(plan.result, ResultAddress::Frame(8));
        assert_eq!((plan.frame_size, plan.frame_align), (16, 16));
        assert_eq!(plan.has_frame, arguments == Slots);
        assert!(planned("void f(int)", arguments).has_frame);
        assert!(planned("void f(empty)", arguments).has_frame);
        assert!(planned("int f(void)", arguments).has_frame);
        // rdi and rsi are the caller's.
        assert!(planned("__attribute__((ms_abi)) void f(void)", arguments).has_frame);
    }
}

/// A value in two registers of two kinds lies in one piece; what is on the stack stays there.
#[test]
fn pointers() {
    let plan = planned(
        "short f(struct { long a; float b; }, char, three_longs, empty)",
        Pointers,
    );
    assert_eq!(
        plan.saves,
        [
            save(general(RDI), 32, 8),
            save(vector(0), 40, 8),
            save(general(RSI), 48, 8),
            save(frame(32), 0, 8),
            save(frame(48), 8, 8),
            save(Address(Location::Incoming(0)), 16, 8),
            save(frame(0), 24, 8),
        ]
    );
    assert_eq!(plan.result, ResultAddress::Frame(56));
    assert_eq!(
        plan.returns,
        [load(56, 2, Extension::Sign, Place::General(RAX))]
    );
    assert_eq!(plan.frame_size, 64);
}

/// Whether a 32-bit integer has a sign is nothing that a call depends on, but a slot shows it.
#[test]
fn slots() {
    let plan = planned("void f(int, unsigned, float, double, empty, wide)", Slots);
    let sign = Extended(Place::General(RDI), Extension::Sign, 4);
    let zero = Extended(Place::General(RSI), Extension::Zero, 4);
    assert_eq!(
        plan.saves,
        [
            save(sign, 0, 8),
            save(zero, 8, 8),
            save(Extended(Place::Vector(0), Extension::None, 4), 16, 8),
            save(vector(1), 24, 8),
            save(Zero, 32, 8),
            save(Address(Location::Incoming(0)), 40, 8),
        ]
    );
    assert_eq!(assigned("void f(int)"), assigned("void f(unsigned)"));
    let same =
        |arguments| planned("void f(int)", arguments) == planned("void f(unsigned)", arguments);
    assert!(same(Pointers) && !same(Slots));
}

/// The address of memory for the result is handed through, kept and given back; a slot for it points
/// there.
#[test]
fn results_in_memory() {
    let plan = planned("three_longs f(void)", Pointers);
    assert_eq!(plan.saves, [save(general(RDI), 8, 8)]);
    assert_eq!(plan.result, ResultAddress::Caller(Place::General(RDI)));
    let given_back = load(8, 8, Extension::None, Place::General(RAX));
    assert_eq!(plan.returns, [given_back]);

    let plan = planned("three_longs f(void)", Slots);
    assert_eq!(
        plan.saves,
        [save(general(RDI), 8, 8), save(general(RDI), 16, 8)]
    );
    assert_eq!(plan.result, ResultAddress::Frame(16));
    assert_eq!(plan.returns, [given_back]);

    // A value that a slot has room for is copied.
    let small = "struct __attribute__((packed)) { char c; int i; }";
    let plan = planned(&format!("{small} f(void)"), Slots);
    assert_eq!(plan.result, ResultAddress::Frame(16));
    let copied = Return::Copy {
        from: 16,
        size: 5,
        pointer: 8,
    };
    assert_eq!(plan.returns, [copied, given_back]);
}

#[test]
fn results_of_the_x87_stack() {
    let plan = planned("long double _Complex f(void)", Pointers);
    assert_eq!(plan.result, ResultAddress::Frame(16));
    assert_eq!(
        plan.returns,
        [
            load(32, 10, Extension::None, Place::X87(1)),
            load(16, 10, Extension::None, Place::X87(0)),
        ]
    );
}

/// Of an argument that is passed by reference the array has the address that travels. A `_Float16` is
/// where gcc puts it.
#[test]
fn microsofts_convention() {
    let prototype = "__attribute__((ms_abi)) void f(_Float16, three_longs, int, int, three_longs, \
                     struct { char c[3]; })";
    let plan = planned(prototype, Slots);
    assert_eq!(
        plan.saves[..6],
        [
            save(Extended(Place::General(RCX), Extension::None, 2), 0, 8),
            save(general(2), 8, 8),
            save(Extended(Place::General(8), Extension::Sign, 4), 16, 8),
            save(Extended(Place::General(9), Extension::Sign, 4), 24, 8),
            save(Value(Location::Incoming(32), Extension::None, 8), 32, 8),
            save(
                Value(Location::IncomingPointee(40), Extension::None, 3),
                40,
                8
            ),
        ]
    );
    // rsi, rdi and xmm6 to xmm15.
    assert_eq!(plan.saves.len(), 6 + 12);
    assert_eq!(plan.returns.len(), 12);
}

/// Members that travel in vector registers of their own are put together; nothing is between them.
#[test]
fn homogeneous_aggregates() {
    let prototype = "void f(struct { float f[3]; }, struct { m128 v[2]; }, struct { float f[2]; })";
    let assignment = assigned_for(&LINUX_AARCH64, prototype);
    let plan = upcall(&assignment, Pointers, Convention::Aapcs64);
    assert_eq!(
        plan.saves,
        [
            save(vector(0), 24, 4),
            save(vector(1), 28, 4),
            save(vector(2), 32, 8),
            save(vector(3), 64, 16),
            save(vector(4), 80, 16),
            save(vector(5), 96, 4),
            save(vector(6), 100, 4),
            save(frame(24), 0, 8),
            save(frame(64), 8, 8),
            save(frame(96), 16, 8),
        ]
    );
    assert_eq!(plan.frame_align, 32);
    let plan = upcall(&assignment, Slots, Convention::Aapcs64);
    assert_eq!(
        plan.saves[5..7],
        [save(vector(5), 16, 4), save(vector(6), 20, 4)]
    );
}

/// On Apple's systems no more than a narrow value's own bytes are on the stack.
#[test]
fn apples_packed_stack() {
    let longs = ["long"; 8].join(", ");
    let assignment = assigned_for(
        &APPLE_AARCH64,
        &format!("void f({longs}, char, short, int)"),
    );
    let plan = upcall(&assignment, Slots, Convention::Aapcs64);
    let incoming = |at, size| Value(Location::Incoming(at), Extension::Sign, size);
    assert_eq!(
        plan.saves[8..],
        [
            save(incoming(0, 1), 64, 8),
            save(incoming(2, 2), 72, 8),
            save(incoming(4, 4), 80, 8),
        ]
    );
    let plan = upcall(&assignment, Pointers, Convention::Aapcs64);
    let last = plan.saves.last().copied();
    assert_eq!(last, Some(save(Address(Location::Incoming(4)), 80, 8)));
}

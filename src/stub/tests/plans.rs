//! What stubs do, before it is code.

use super::{ENTRY, ERRNO, RDI, RSI, assigned, assigned_for, planned};
use crate::abi::{Extension, Place, ResultPassing};
use crate::stub::{Address, Arguments, Entry, Move, Store, StoreSource, plan};
use crate::types::target::{LINUX_AARCH64, WINDOWS_X86_64};
use Arguments::{Pointers, Slots};

const RAX: u8 = 0;
const RCX: u8 = 1;
const RDX: u8 = 2;

fn from(from: Address, offset: u32, size: u32, extension: Extension, to: Place) -> Move {
    Move {
        from,
        offset,
        size,
        extension,
        to,
    }
}

fn store(from: StoreSource, offset: u32, size: u32) -> Store {
    Store { from, offset, size }
}

#[test]
fn nothing_to_do() {
    for arguments in [Pointers, Slots] {
        let plan = planned("void f(void)", arguments);
        assert_eq!(plan.entry, ENTRY);
        assert!(!plan.has_frame && !plan.result_is_indirect);
        assert!(plan.stack_moves.is_empty() && plan.register_moves.is_empty());
        assert!(plan.stores.is_empty());
        assert_eq!(
            (plan.result_address, plan.vector_count, plan.errno),
            (None, None, None)
        );
        assert_eq!((plan.stack_size, plan.stack_align), (0, 16));
    }
}

/// Whatever overwrites the array's address comes last; the rest keeps its order.
#[test]
fn the_array_is_overwritten_last() {
    use Address::{Element, Pointee};
    let moves = planned("void f(long, int, double, char)", Pointers).register_moves;
    assert_eq!(
        moves,
        [
            from(Pointee(0), 0, 8, Extension::None, Place::General(RDI)),
            from(Pointee(2), 0, 8, Extension::None, Place::Vector(0)),
            from(Pointee(3), 0, 1, Extension::Sign, Place::General(RDX)),
            from(Pointee(1), 0, 4, Extension::None, Place::General(RSI)),
        ]
    );
    let moves = planned("void f(long, int, double, char)", Slots).register_moves;
    assert_eq!(moves[3].from, Element(1));

    // A struct of which one part goes there is loaded as a whole at the end: its pointer is read
    // from the array once.
    let moves = planned(
        "void f(two_longs, struct { double a; char b; }, long)",
        Pointers,
    );
    let order: Vec<_> = moves
        .register_moves
        .iter()
        .map(|one| (one.from, one.to))
        .collect();
    assert_eq!(
        order,
        [
            (Pointee(1), Place::Vector(0)),
            (Pointee(1), Place::General(RDX)),
            (Pointee(2), Place::General(RCX)),
            (Pointee(0), Place::General(RDI)),
            (Pointee(0), Place::General(RSI)),
        ]
    );

    // In another register the array is overwritten by another parameter.
    let entry = Entry {
        result: RSI,
        arguments: RDI,
    };
    let moves = plan(&assigned("void f(long, int)"), Pointers, entry, None).register_moves;
    let order: Vec<_> = moves.iter().map(|one| one.to).collect();
    assert_eq!(order, [Place::General(RSI), Place::General(RDI)]);
}

/// Slots hold values of up to 8 bytes, and pointers to larger ones.
#[test]
fn where_values_are() {
    use Address::{Area, Element, Pointee};
    let prototype = "void f(char, double, struct { char c[7]; }, two_longs, long double, empty)";
    let froms = |arguments| {
        let plan = planned(prototype, arguments);
        let moves = plan.stack_moves.iter().chain(&plan.register_moves);
        let mut list: Vec<_> = moves.map(|one| (one.from, one.size)).collect();
        list.sort_by_key(|one| match one.0 {
            Element(index) | Pointee(index) | Area(index) => index,
        });
        list
    };
    let pointers = [0, 1, 2, 3, 3, 4].map(Pointee);
    let sizes = [1, 8, 7, 8, 8, 16];
    assert_eq!(
        froms(Pointers),
        std::iter::zip(pointers, sizes).collect::<Vec<_>>()
    );
    let slots = [
        Element(0),
        Element(1),
        Element(2),
        Pointee(3),
        Pointee(3),
        Pointee(4),
    ];
    assert_eq!(
        froms(Slots),
        std::iter::zip(slots, sizes).collect::<Vec<_>>()
    );
}

#[test]
fn stack_moves() {
    let plan = planned("void f(long double, wide, int, three_longs)", Pointers);
    assert!(plan.has_frame);
    assert_eq!((plan.stack_size, plan.stack_align), (88, 32));
    assert_eq!(
        plan.stack_moves,
        [
            from(Address::Pointee(0), 0, 16, Extension::None, Place::Stack(0)),
            from(
                Address::Pointee(1),
                0,
                32,
                Extension::None,
                Place::Stack(32)
            ),
            from(
                Address::Pointee(3),
                0,
                24,
                Extension::None,
                Place::Stack(64)
            ),
        ]
    );
    let to = plan.register_moves[0].to;
    assert_eq!((plan.register_moves.len(), to), (1, Place::General(RDI)));
}

/// A frame is there for what follows the call, or for arguments on the stack, and for nothing else.
#[test]
fn frames() {
    for (prototype, pointers, slots) in [
        ("void f(int, double, two_longs)", false, false),
        ("three_longs f(int)", false, false),
        ("empty f(int)", false, false),
        ("int f(int)", true, true),
        ("double f(double)", true, true),
        ("void f(long double)", true, true),
        ("three_longs f(three_longs)", true, true),
        // In a slot what is above the result is cleared.
        (
            "struct __attribute__((packed)) { char a; short b; } f(int)",
            false,
            true,
        ),
        (
            "struct __attribute__((packed)) { int a; char b; short c; char d; } f(int)",
            false,
            false,
        ),
    ] {
        assert_eq!(
            planned(prototype, Pointers).has_frame,
            pointers,
            "{prototype}"
        );
        assert_eq!(planned(prototype, Slots).has_frame, slots, "{prototype}");
        let kept = plan(&assigned(prototype), Pointers, ENTRY, Some(ERRNO));
        assert!(kept.has_frame && kept.errno == Some(ERRNO), "{prototype}");
    }
}

/// Exactly the bytes of the result are stored: what comes in registers, and zeros for the padding
/// that nothing brings.
#[test]
fn exact_stores() {
    let register = |place| StoreSource::Register(place);
    let rax = register(Place::General(RAX));
    let rdx = register(Place::General(RDX));
    let xmm0 = register(Place::Vector(0));
    let xmm1 = register(Place::Vector(1));
    let st = |number| register(Place::X87(number));
    for (prototype, expected) in [
        ("void f(void)", vec![]),
        ("_Bool f(void)", vec![store(rax, 0, 1)]),
        ("int f(void)", vec![store(rax, 0, 4)]),
        ("float f(void)", vec![store(xmm0, 0, 4)]),
        ("__int128 f(void)", vec![store(rax, 0, 8), store(rdx, 8, 8)]),
        ("struct { char c[3]; } f(void)", vec![store(rax, 0, 3)]),
        (
            "struct { char c[13]; } f(void)",
            vec![store(rax, 0, 8), store(rdx, 8, 5)],
        ),
        (
            "struct { double d; char c; } f(void)",
            vec![store(xmm0, 0, 8), store(rax, 8, 8)],
        ),
        (
            "struct { float f[3]; } f(void)",
            vec![store(xmm0, 0, 8), store(xmm1, 8, 4)],
        ),
        ("m256 f(void)", vec![store(xmm0, 0, 32)]),
        (
            "long double f(void)",
            vec![store(st(0), 0, 10), store(StoreSource::Zero, 10, 6)],
        ),
        (
            "long double _Complex f(void)",
            vec![
                store(st(0), 0, 10),
                store(StoreSource::Zero, 10, 6),
                store(st(1), 16, 10),
                store(StoreSource::Zero, 26, 6),
            ],
        ),
        (
            "struct { double a; } __attribute__((aligned(16))) f(void)",
            vec![store(xmm0, 0, 8), store(StoreSource::Zero, 8, 8)],
        ),
        ("three_longs f(void)", vec![]),
    ] {
        let plan = planned(prototype, Pointers);
        assert_eq!(plan.stores, expected, "{prototype}");
        assert!(!plan.result_is_indirect);
        // The same in a slot's memory, where the result is larger than a slot.
        let large = assigned(prototype).result_size > 8;
        let slots = planned(prototype, Slots);
        assert_eq!(slots.result_is_indirect, large, "{prototype}");
        if large {
            assert_eq!(slots.stores, expected, "{prototype}");
        }
    }
}

/// A result in a slot fills it, so that whoever reads all of it sees the value.
#[test]
fn stores_to_slots() {
    use Extension::{None, Sign, Zero};
    let rax = |extension, size| StoreSource::Extended(Place::General(RAX), extension, size);
    let xmm0 = |size| StoreSource::Extended(Place::Vector(0), None, size);
    for (prototype, from) in [
        ("_Bool f(void)", rax(Zero, 1)),
        ("char f(void)", rax(Sign, 1)),
        ("unsigned short f(void)", rax(Zero, 2)),
        ("int f(void)", rax(Sign, 4)),
        ("unsigned f(void)", rax(Zero, 4)),
        ("long f(void)", rax(None, 8)),
        ("void *f(void)", rax(None, 8)),
        ("struct { char c[5]; } f(void)", rax(None, 5)),
        ("_Float16 f(void)", xmm0(2)),
        ("float f(void)", xmm0(4)),
        ("double f(void)", xmm0(8)),
        ("float _Complex f(void)", xmm0(8)),
    ] {
        assert_eq!(
            planned(prototype, Slots).stores,
            [store(from, 0, 8)],
            "{prototype}"
        );
    }
}

/// Of one that is only padding nothing comes back, whose slot is zero all the same.
#[test]
fn stores_of_only_padding_to_a_slot() {
    let assigned = |prototype| assigned_for(&WINDOWS_X86_64, prototype);
    for prototype in [
        "struct { char : 8; char : 8; char : 4; } f(void)",
        "struct { struct { char : 8; } e[3]; } f(int)",
    ] {
        let assignment = assigned(prototype);
        assert_eq!(assignment.result, ResultPassing::Void, "{prototype}");
        assert_eq!(
            plan(&assignment, Slots, ENTRY, None).stores,
            [store(StoreSource::Zero, 0, 8)],
            "{prototype}"
        );
        assert!(plan(&assignment, Pointers, ENTRY, None).stores.is_empty());
    }
    let nothing = assigned("void f(int)");
    assert!(plan(&nothing, Slots, ENTRY, None).stores.is_empty());
}

/// A small one may come in several registers: what is above them is cleared.
#[test]
fn stores_of_several_registers_to_a_slot() {
    let vector = |number| StoreSource::Register(Place::Vector(number));
    let planned = |prototype| plan(&assigned_for(&LINUX_AARCH64, prototype), Slots, ENTRY, None);
    assert_eq!(
        planned("struct { _Float16 f[3]; } f(void)").stores,
        [
            store(vector(0), 0, 2),
            store(vector(1), 2, 2),
            store(vector(2), 4, 2),
            store(StoreSource::Zero, 6, 2),
        ]
    );
    assert_eq!(
        planned("float _Complex f(void)").stores,
        [store(vector(0), 0, 4), store(vector(1), 4, 4)]
    );
}

/// A result in memory is written by the callee, straight to where it belongs.
#[test]
fn results_in_memory() {
    let rdi = Some(Place::General(RDI));
    for arguments in [Pointers, Slots] {
        let plan = planned("three_longs f(int)", arguments);
        assert_eq!(plan.result_address, rdi);
        assert!(plan.stores.is_empty());
        assert_eq!(plan.result_is_indirect, arguments == Slots);
        assert_eq!(plan.register_moves[0].to, Place::General(RSI));
    }
    // A small one too: a slot's upper bytes are cleared after the call, a pointer's memory has none.
    let small = "struct __attribute__((packed)) { char a; short b; } f(void)";
    let plan = planned(small, Pointers);
    assert_eq!((plan.result_address, plan.stores.len()), (rdi, 0));
    let plan = planned(small, Slots);
    assert_eq!((plan.result_address, plan.result_is_indirect), (rdi, false));
    assert_eq!(plan.stores, [store(StoreSource::Zero, 3, 5)]);
}

#[test]
fn a_variadic_callee_is_told() {
    use crate::abi::assign;
    use crate::decl::parse_signature;
    use crate::types::target::LINUX_X86_64;
    use crate::types::{Scalar, Type};
    let open = parse_signature(None, &LINUX_X86_64, "void f(double, ...)").unwrap();
    let double = Type::scalar(Scalar::Double, &LINUX_X86_64);
    let call = open.complete_variadic(&[double]).unwrap();
    let plan = plan(&assign(&call).unwrap(), Pointers, ENTRY, None);
    assert_eq!((plan.vector_count, plan.has_frame), (Some(2), false));
}

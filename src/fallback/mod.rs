//! Calls through libffi, behind the same face as stubs.
//!
//! libffi is not told of C types but of what the assignment says: every piece in a general register
//! is a 64-bit integer, every piece in a vector register is a double, values on the stack are blocks
//! of memory of their size and alignment, and a result in memory is a pointer argument. Told of a
//! type's fields it is wrong for unions, packed and over-aligned structs and others; told so, it has
//! nothing left to classify. What cannot be said in this way is refused.

use crate::abi::{Assignment, Extension, Parameter, Passing, Piece, Place, ResultPassing};
use crate::code;
use crate::error::{Error, Result, Status};
use crate::stub::{self, Arguments, Store, StoreSource};
use crate::types::Convention;
use libffi::raw::{
    ffi_abi_FFI_DEFAULT_ABI, ffi_cif, ffi_prep_cif, ffi_status_FFI_OK, ffi_type,
    ffi_type_complex_longdouble, ffi_type_double, ffi_type_longdouble, ffi_type_pointer,
    ffi_type_uint64, ffi_type_void,
};
use std::ffi::c_void;
use std::ptr::{addr_of_mut, null_mut};
use std::sync::Arc;

const FFI_TYPE_STRUCT: u16 = 13;

unsafe extern "C-unwind" {
    // libffi's own function, declared once more: exceptions of the callee pass through it.
    fn ffi_call(
        cif: *mut ffi_cif,
        function: *const c_void,
        result: *mut c_void,
        arguments: *mut *mut c_void,
    );
}

/// A function that is called through libffi.
pub struct Fallback {
    assignment: Arc<Assignment>,
    target: *const c_void,
    keeps_errno: bool,
    cif: ffi_cif,
    /// One for each of libffi's arguments; `cif` points to it.
    types: Box<[*mut ffi_type]>,
    /// The blocks of memory among the types. libffi has their addresses.
    #[allow(clippy::vec_box, reason = "a block must not move")]
    _blocks: Vec<Box<Block>>,
    /// A struct that the result is described as.
    _result: Option<Box<Block>>,
    /// Units of memory that one call needs, for values and for pointers to them.
    units: usize,
    /// What is stored after a call with pointers.
    stores: Vec<Store>,
    /// What is stored after a call with slots.
    slot_stores: Vec<Store>,
}

// SAFETY: nothing in it changes once it is made, and libffi only reads a prepared cif.
unsafe impl Send for Fallback {}
// SAFETY: as above.
unsafe impl Sync for Fallback {}

/// A type for libffi, with its list of elements.
struct Block {
    ty: ffi_type,
    elements: [*mut ffi_type; 3],
}

impl Block {
    /// Memory of a size and alignment. libffi passes a struct of more than 16 bytes in memory, and
    /// a smaller one if it is made of a long double.
    fn memory(size: usize, align: u16) -> Box<Block> {
        // SAFETY: the address of libffi's static is only taken.
        Block::new(size, align, [addr_of_mut!(ffi_type_longdouble), null_mut()])
    }

    /// A struct of two eightbytes.
    fn pair(first: *mut ffi_type, second: *mut ffi_type) -> Box<Block> {
        Block::new(16, 8, [first, second])
    }

    fn new(size: usize, alignment: u16, elements: [*mut ffi_type; 2]) -> Box<Block> {
        let mut block = Box::new(Block {
            ty: ffi_type {
                size,
                alignment,
                type_: FFI_TYPE_STRUCT,
                elements: null_mut(),
            },
            elements: [elements[0], elements[1], null_mut()],
        });
        // The box stays where it is for as long as the fallback lives.
        block.ty.elements = block.elements.as_mut_ptr();
        block
    }
}

fn register_type(place: Place) -> *mut ffi_type {
    match place {
        Place::Vector(_) => addr_of_mut!(ffi_type_double),
        _ => addr_of_mut!(ffi_type_uint64),
    }
}

impl Fallback {
    /// Prepares calls of `target`, which it does not own.
    pub fn new(
        assignment: Arc<Assignment>,
        target: *const c_void,
        keeps_errno: bool,
    ) -> Result<Box<Fallback>> {
        check(&assignment)?;
        let mut types: Vec<*mut ffi_type> = Vec::new();
        let mut blocks = Vec::new();
        if matches!(assignment.result, ResultPassing::Memory { .. }) {
            types.push(addr_of_mut!(ffi_type_pointer));
        }
        for parameter in assignment.parameters() {
            if is_position_only(&assignment, parameter) {
                types.push(addr_of_mut!(ffi_type_uint64));
            }
            for piece in told_pieces(&assignment, parameter) {
                let ty = match piece.place {
                    _ if parameter.passing != Passing::Value => addr_of_mut!(ffi_type_uint64),
                    // Microsoft's convention has slots of 8 bytes only.
                    Place::Stack(_) if assignment.convention == Convention::Win64 => {
                        addr_of_mut!(ffi_type_uint64)
                    }
                    Place::Stack(at) => {
                        let size = if is_extended(parameter) {
                            8
                        } else {
                            piece.size
                        };
                        let mut block = Block::memory(size as usize, alignment_at(at));
                        let ty = &raw mut block.ty;
                        blocks.push(block);
                        ty
                    }
                    place => register_type(place),
                };
                types.push(ty);
            }
        }
        let copies = copied_units(&assignment);
        let units = types.len() * 2 + copies;
        let (result_type, result) = result_type(&assignment);
        let stores = stub::stores(&assignment, Arguments::Pointers);
        let slot_stores = stub::stores(&assignment, Arguments::Slots);
        let mut fallback = Box::new(Fallback {
            assignment,
            target,
            keeps_errno,
            cif: ffi_cif::default(),
            types: types.into_boxed_slice(),
            _blocks: blocks,
            _result: result,
            units,
            stores,
            slot_stores,
        });
        let count = fallback.types.len() as u32;
        let abi = code::libffi_convention(fallback.assignment.convention)
            .unwrap_or(ffi_abi_FFI_DEFAULT_ABI);
        // SAFETY: the types live as long as the cif, in boxes that do not move.
        let status = unsafe {
            ffi_prep_cif(
                &mut fallback.cif,
                abi,
                count,
                result_type,
                fallback.types.as_mut_ptr(),
            )
        };
        if status != ffi_status_FFI_OK {
            return Err(Error::new(
                Status::Unsupported,
                format!("libffi cannot describe this signature (status {status})"),
            ));
        }
        if units > LARGEST_FRAME {
            return Err(Error::unsupported("libffi: too many arguments"));
        }
        Ok(fallback)
    }
}

/// What cannot be said to libffi.
fn check(assignment: &Assignment) -> Result<()> {
    if code::libffi_convention(assignment.convention).is_none() {
        return Err(Error::unsupported(format!(
            "libffi cannot call by {} here",
            assignment.convention.name()
        )));
    }
    if assignment.stack_align > 16 {
        return Err(Error::unsupported(format!(
            "libffi cannot pass an argument on the stack that is aligned to {} bytes",
            assignment.stack_align
        )));
    }
    let parameters = assignment.parameters().iter();
    let mut pieces = parameters
        .flat_map(|parameter| assignment.pieces(parameter))
        .chain(assignment.result_pieces());
    let is_wide = |piece: &Piece| matches!(piece.place, Place::Vector(_)) && piece.size > 8;
    if pieces.any(is_wide) {
        return Err(Error::unsupported(
            "libffi cannot pass or return a value that fills a vector register (vectors, _Float128)",
        ));
    }
    Ok(())
}

/// The pieces that libffi is told of: by Microsoft's convention it puts a floating number in both kinds
/// of register by itself.
fn told_pieces<'a>(assignment: &'a Assignment, parameter: &Parameter) -> &'a [Piece] {
    match (assignment.convention, assignment.pieces(parameter)) {
        (Convention::Win64, [first, _, ..]) => std::slice::from_ref(first),
        (_, pieces) => pieces,
    }
}

/// An empty struct has a position by Microsoft's convention.
fn is_position_only(assignment: &Assignment, parameter: &Parameter) -> bool {
    assignment.convention == Convention::Win64 && parameter.size == 0
}

/// Units of memory for the copies of arguments that are passed by reference.
fn copied_units(assignment: &Assignment) -> usize {
    let parameters = assignment.parameters().iter();
    let units = parameters.map(|parameter| match parameter.passing {
        Passing::Value => 0,
        Passing::Reference { align } => parameter.size.div_ceil(8) as usize + align as usize / 8,
    });
    units.sum()
}

/// It is a narrow integer, which the caller extends.
fn is_extended(parameter: &Parameter) -> bool {
    parameter.extension != Extension::None
}

/// libffi puts one stack argument behind another at the next multiple of its alignment. What the
/// assignment chose says which alignment leads there: a multiple of 16 is reached by 16 whatever
/// the type's own is, and another multiple of 8 only by 8.
fn alignment_at(offset: u32) -> u16 {
    if offset.is_multiple_of(16) { 16 } else { 8 }
}

fn result_type(assignment: &Assignment) -> (*mut ffi_type, Option<Box<Block>>) {
    match (assignment.result, assignment.result_pieces()) {
        (ResultPassing::Void, _) | (ResultPassing::Registers, []) => {
            (addr_of_mut!(ffi_type_void), None)
        }
        // The callee gives the address back.
        (ResultPassing::Memory { .. }, _) => (addr_of_mut!(ffi_type_pointer), None),
        (_, [piece]) if matches!(piece.place, Place::X87(_)) => {
            (addr_of_mut!(ffi_type_longdouble), None)
        }
        (_, [piece, _, ..]) if matches!(piece.place, Place::X87(_)) => {
            (addr_of_mut!(ffi_type_complex_longdouble), None)
        }
        (_, [piece]) => (register_type(piece.place), None),
        (_, [first, second, ..]) => {
            let mut block = Block::pair(register_type(first.place), register_type(second.place));
            (&raw mut block.ty, Some(block))
        }
    }
}

/// Units of memory on the stack of the largest call.
const LARGEST_FRAME: usize = 1 << 18;

/// A call with an array of pointers to the values.
///
/// # Safety
///
/// `fallback` points to a `Fallback`, `result` and `arguments` are as `fc_invoke` wants them.
unsafe extern "C-unwind" fn call_pointers(
    result: *mut c_void,
    arguments: *const u64,
    fallback: *const Fallback,
) {
    // SAFETY: the caller's promise.
    unsafe { sized_call(&*fallback, result.cast(), arguments, Arguments::Pointers) }
}

/// A call with an array of slots.
///
/// # Safety
///
/// `fallback` points to a `Fallback`, `result` and `arguments` are as `fc_invoke_slots` wants them.
unsafe extern "C-unwind" fn call_slots(
    result: *mut c_void,
    arguments: *const u64,
    fallback: *const Fallback,
) {
    // SAFETY: the caller's promise.
    unsafe { sized_call(&*fallback, result.cast(), arguments, Arguments::Slots) }
}

/// Where a function enters its fallback, as code that is called as a stub is.
///
/// # Safety
///
/// As for a stub, with a `Fallback` as the context.
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn pointers_entry() {
    code::context_call!(call_pointers)
}

/// The same for slots.
///
/// # Safety
///
/// As for a stub, with a `Fallback` as the context.
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn slots_entry() {
    code::context_call!(call_slots)
}

/// Picks a frame that is large enough. It is on the stack, so that there is nothing to free when
/// an exception or a longjmp leaves the callee.
unsafe fn sized_call(fallback: &Fallback, result: *mut u8, arguments: *const u64, from: Arguments) {
    // SAFETY: the caller's promise, and the frame has room for the call's units.
    unsafe {
        match fallback.units {
            0..=64 => call::<64>(fallback, result, arguments, from),
            65..=1024 => call::<1024>(fallback, result, arguments, from),
            1025..=16384 => call::<16384>(fallback, result, arguments, from),
            _ => call::<LARGEST_FRAME>(fallback, result, arguments, from),
        }
    }
}

/// libffi's results; those on the x87 stack take 16 bytes each.
#[repr(C, align(16))]
struct Returned([u64; 4]);

#[inline(never)]
unsafe fn call<const UNITS: usize>(
    fallback: &Fallback,
    result: *mut u8,
    arguments: *const u64,
    from: Arguments,
) {
    let assignment = &*fallback.assignment;
    let mut frame = [const { std::mem::MaybeUninit::<u64>::uninit() }; UNITS];
    let units: *mut u64 = frame.as_mut_ptr().cast();
    let count = fallback.types.len();
    let pointers: *mut *mut c_void = units.wrapping_add(count).cast();
    let mut returned = Returned([0; 4]);
    // SAFETY: the frame has a unit and a pointer for each of libffi's arguments; the caller
    // promises the rest.
    unsafe {
        let is_indirect = from == Arguments::Slots && assignment.result_size > 8;
        let result = if is_indirect {
            result.cast::<*mut u8>().read_unaligned()
        } else {
            result
        };
        let mut next = 0;
        let mut copies: *mut u8 = units.add(count * 2).cast();
        let mut add = |value: Source| {
            let pointer = match value {
                Source::Word(word) => {
                    units.add(next).write(word);
                    units.add(next).cast()
                }
                Source::Memory(address) => address.cast_mut().cast(),
            };
            pointers.add(next).write(pointer);
            next += 1;
        };
        if matches!(assignment.result, ResultPassing::Memory { .. }) {
            add(Source::Word(result as u64));
        }
        for (index, parameter) in assignment.parameters().iter().enumerate() {
            let element = arguments.add(index);
            let value: *const u8 = match from {
                Arguments::Slots if parameter.size <= 8 => element.cast(),
                _ => element.cast::<*const u8>().read_unaligned(),
            };
            if let Passing::Reference { align } = parameter.passing {
                let copy = copies.add(copies.align_offset(align as usize));
                std::ptr::copy_nonoverlapping(value, copy, parameter.size as usize);
                copies = copy.add(parameter.size as usize);
                add(Source::Word(copy as u64));
                continue;
            }
            if is_position_only(assignment, parameter) {
                add(Source::Word(0));
            }
            for piece in told_pieces(assignment, parameter) {
                add(source(assignment.convention, value, parameter, piece));
            }
        }
        // libffi makes its argument area without looking whether the stack has room for it.
        if assignment.stack_size >= PAGE as u32 {
            touch_stack(assignment.stack_size as usize + PAGE);
        }
        ffi_call(
            (&raw const fallback.cif).cast_mut(),
            fallback.target,
            returned.0.as_mut_ptr().cast(),
            pointers,
        );
        if fallback.keeps_errno {
            code::keep_errno();
        }
        let stores = match from {
            Arguments::Pointers => &fallback.stores,
            Arguments::Slots => &fallback.slot_stores,
        };
        for one in stores {
            store(assignment, one, result, returned.0.as_ptr().cast());
        }
    }
}

const PAGE: usize = 4096;

/// Uses so many bytes of stack, page by page, so that a stack that ends is met at its guard page.
#[inline(never)]
fn touch_stack(bytes: usize) {
    let page = std::hint::black_box([0u8; PAGE]);
    if bytes > PAGE {
        touch_stack(bytes - PAGE);
    }
    // Used afterwards too, so that the call above stays a call.
    std::hint::black_box(&page);
}

/// What libffi reads for a piece.
enum Source {
    Word(u64),
    Memory(*const u8),
}

/// # Safety
///
/// `value` points to as many bytes as the parameter has.
unsafe fn source(
    convention: Convention,
    value: *const u8,
    parameter: &Parameter,
    piece: &Piece,
) -> Source {
    let address = value.wrapping_add(piece.offset as usize);
    let is_block = matches!(piece.place, Place::Stack(_)) && convention != Convention::Win64;
    if is_block && !is_extended(parameter) {
        return Source::Memory(address);
    }
    let mut bytes = [0u8; 8];
    let size = piece.size as usize;
    // SAFETY: a piece in a register has at most 8 bytes (`check`), and lies in the value.
    unsafe { std::ptr::copy_nonoverlapping(address, bytes.as_mut_ptr(), size.min(8)) };
    Source::Word(extend(
        u64::from_le_bytes(bytes),
        parameter.extension,
        piece.size,
    ))
}

fn extend(word: u64, extension: Extension, size: u32) -> u64 {
    let above = 64 - 8 * size.clamp(1, 8);
    match extension {
        Extension::Sign => ((word << above) as i64 >> above) as u64,
        _ => (word << above) >> above,
    }
}

/// Where a register's value is in what libffi returned: one after the other, those of the x87
/// stack in 16 bytes each.
fn returned_offset(assignment: &Assignment, place: Place) -> usize {
    let mut pieces = assignment.result_pieces().iter();
    let index = pieces.position(|piece| piece.place == place).unwrap_or(0);
    match place {
        Place::X87(_) => index * 16,
        _ => index * 8,
    }
}

/// # Safety
///
/// `result` is memory for all that the store writes; `returned` is what libffi returned.
unsafe fn store(assignment: &Assignment, one: &Store, result: *mut u8, returned: *const u8) {
    let size = one.size as usize;
    // SAFETY: the caller's promise; a register's value lies within what libffi returned.
    unsafe {
        let to = result.add(one.offset as usize);
        match one.from {
            StoreSource::Register(place) => {
                let from = returned.add(returned_offset(assignment, place));
                std::ptr::copy_nonoverlapping(from, to, size);
            }
            StoreSource::Extended(place, extension, size) => {
                let from = returned.add(returned_offset(assignment, place));
                let word = extend(from.cast::<u64>().read_unaligned(), extension, size);
                to.cast::<u64>().write_unaligned(word);
            }
            StoreSource::Zero => to.write_bytes(0, size),
        }
    }
}

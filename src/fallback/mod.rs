//! Calls through libffi, behind the same face as stubs.
//!
//! libffi is not told of C types but of what the assignment says: every piece in a general register
//! is a 64-bit integer, every piece in a vector register is a double, values on the stack are blocks
//! of memory or words, and a result in memory is a pointer argument. Told of a type's fields it is
//! wrong for unions, packed and over-aligned structs and others; told so, it has nothing left to
//! classify. What cannot be said in this way is refused.

mod description;

use crate::abi::{Assignment, Extension, Passing, Piece, Place};
use crate::code;
use crate::error::{Error, Result, Status};
use crate::stub::{self, Arguments, Store, StoreSource};
use crate::types::Convention;
use description::{Argument, Description, Source, returned_size};
use libffi::raw::{ffi_abi, ffi_cif, ffi_prep_cif, ffi_status_FFI_OK, ffi_type};
use std::ffi::c_void;
use std::sync::Arc;

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
    /// The types of libffi's arguments; `cif` points to them.
    types: Box<[*mut ffi_type]>,
    description: Description,
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

impl Fallback {
    /// Prepares calls of `target`, which it does not own.
    pub fn new(
        assignment: Arc<Assignment>,
        target: *const c_void,
        keeps_errno: bool,
    ) -> Result<Box<Fallback>> {
        let abi = check(&assignment)?;
        let description = Description::of(&assignment);
        let types: Box<[_]> = description.arguments.iter().map(|one| one.ty).collect();
        let units = types.len() * 2 + copied_units(&assignment);
        let stores = stub::stores(&assignment, Arguments::Pointers);
        let slot_stores = stub::stores(&assignment, Arguments::Slots);
        let mut fallback = Box::new(Fallback {
            assignment,
            target,
            keeps_errno,
            cif: ffi_cif::default(),
            types,
            description,
            units,
            stores,
            slot_stores,
        });
        let count = fallback.types.len() as u32;
        // SAFETY: the types live as long as the cif, in boxes that do not move.
        let status = unsafe {
            ffi_prep_cif(
                &mut fallback.cif,
                abi,
                count,
                fallback.description.result,
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

/// What cannot be said to libffi is an error; otherwise its number of the convention.
fn check(assignment: &Assignment) -> Result<ffi_abi> {
    let Some(abi) = code::libffi_convention(assignment.convention) else {
        return Err(Error::unsupported(format!(
            "libffi cannot call by {} here",
            assignment.convention.name()
        )));
    };
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
    let widest = match assignment.convention {
        // long double is as wide as the registers.
        Convention::Aapcs64 => 16,
        _ => 8,
    };
    let is_wide = |piece: &Piece| matches!(piece.place, Place::Vector(_)) && piece.size > widest;
    if pieces.any(is_wide) {
        return Err(Error::unsupported(
            "libffi cannot pass or return a value that fills a vector register (vectors, _Float128, and an \
             __int128 that a function of win64 returns)",
        ));
    }
    Ok(abi)
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

/// libffi's results, at most four, of at most 16 bytes each.
#[repr(C, align(16))]
struct Returned([u64; 8]);

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
    let mut returned = Returned([0; 8]);
    // SAFETY: the frame has a unit and a pointer for each of libffi's arguments, and room for the
    // copies; the caller promises the rest.
    unsafe {
        let is_indirect = from == Arguments::Slots && assignment.result_size > 8;
        let result = if is_indirect {
            result.cast::<*mut u8>().read_unaligned()
        } else {
            result
        };
        let mut copies: *mut u8 = units.add(count * 2).cast();
        for (index, Argument { source, .. }) in fallback.description.arguments.iter().enumerate() {
            let value = |parameter: usize| -> *const u8 {
                let element = arguments.add(parameter);
                match from {
                    Arguments::Slots if assignment.parameters()[parameter].size <= 8 => {
                        element.cast()
                    }
                    _ => element.cast::<*const u8>().read_unaligned(),
                }
            };
            let word = match *source {
                Source::Memory { parameter, offset } => {
                    let address = value(parameter).wrapping_add(offset as usize);
                    pointers.add(index).write(address.cast_mut().cast());
                    continue;
                }
                Source::Nothing => 0,
                Source::ResultAddress => result as u64,
                Source::Copy { parameter, align } => {
                    let size = assignment.parameters()[parameter].size as usize;
                    let copy = copies.add(copies.align_offset(align as usize));
                    std::ptr::copy_nonoverlapping(value(parameter), copy, size);
                    copies = copy.add(size);
                    copy as u64
                }
                Source::Word {
                    parameter,
                    offset,
                    size,
                    extension,
                } => {
                    let mut bytes = [0u8; 8];
                    let address = value(parameter).wrapping_add(offset as usize);
                    std::ptr::copy_nonoverlapping(address, bytes.as_mut_ptr(), size as usize);
                    extend(u64::from_le_bytes(bytes), extension, size)
                }
            };
            units.add(index).write(word);
            pointers.add(index).write(units.add(index).cast());
        }
        // libffi makes its argument area without looking whether the stack has room for it.
        if assignment.stack_size >= PAGE as u32 {
            touch_stack(assignment.stack_size as usize + PAGE);
        }
        let returns_to = match fallback.description.result_in_place {
            true => result.cast(),
            false => returned.0.as_mut_ptr().cast(),
        };
        ffi_call(
            (&raw const fallback.cif).cast_mut(),
            fallback.target,
            returns_to,
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

fn extend(word: u64, extension: Extension, size: u32) -> u64 {
    let above = 64 - 8 * size.clamp(1, 8);
    match extension {
        Extension::Sign => ((word << above) as i64 >> above) as u64,
        _ => (word << above) >> above,
    }
}

/// Where a register's value is in what libffi returned: one after the other.
fn returned_offset(assignment: &Assignment, place: Place) -> usize {
    let pieces = assignment.result_pieces();
    let before = pieces.iter().take_while(|piece| piece.place != place);
    before.map(returned_size).sum()
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

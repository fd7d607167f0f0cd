//! gdb's interface for code that comes into being while a program runs: a list of files in memory, and
//! a function that is called after each change, in which the debugger has a breakpoint.

use super::image::image;
use crate::code::machine::symbol_address;
use std::cell::UnsafeCell;
use std::ptr;

/// A member of the list, as debuggers know it.
#[repr(C)]
struct Entry {
    next: *mut Entry,
    previous: *mut Entry,
    file: *const u8,
    length: u64,
}

const NOTHING: u32 = 0;
const REGISTERED: u32 = 1;
const UNREGISTERED: u32 = 2;

/// The list, as debuggers know it.
#[repr(C)]
struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut Entry,
    first: *mut Entry,
}

#[repr(transparent)]
struct Shared(UnsafeCell<Descriptor>);

// SAFETY: it is changed under the heap's lock only, and read by debuggers, which stop the process.
unsafe impl Sync for Shared {}

/// Debuggers look for this name.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the name is the debuggers'")]
static __jit_debug_descriptor: Shared = Shared(UnsafeCell::new(Descriptor {
    version: 1,
    action: NOTHING,
    relevant: ptr::null_mut(),
    first: ptr::null_mut(),
}));

/// Debuggers stop here.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn __jit_debug_register_code() {
    // SAFETY: no instruction at all. It keeps calls of an empty function from being left out.
    unsafe { std::arch::asm!("", options(nostack, preserves_flags)) };
}

/// A piece of code that debuggers know.
pub(super) struct Registration {
    entry: *mut Entry,
    file: Box<[u8]>,
}

// SAFETY: used under the heap's lock only.
unsafe impl Send for Registration {}

/// The descriptor and the function are this library's own, whatever other compilers of the process call
/// theirs: protected symbols are bound within it.
fn own() -> (*mut Descriptor, extern "C" fn()) {
    let descriptor = symbol_address!(".protected", "__jit_debug_descriptor");
    let function = symbol_address!(".protected", "__jit_debug_register_code");
    // SAFETY: the address is that of such a function.
    let function =
        unsafe { std::mem::transmute::<*const std::ffi::c_void, extern "C" fn()>(function) };
    (descriptor.cast_mut().cast(), function)
}

pub(super) fn register(address: usize, length: usize, name: &str) -> Registration {
    let file = image(address, length, name);
    let (descriptor, stop) = own();
    // SAFETY: the list is changed under the heap's lock only, and its entries are valid.
    unsafe {
        let first = (*descriptor).first;
        let entry = Box::into_raw(Box::new(Entry {
            next: first,
            previous: ptr::null_mut(),
            file: file.as_ptr(),
            length: file.len() as u64,
        }));
        if !first.is_null() {
            (*first).previous = entry;
        }
        (*descriptor).first = entry;
        tell(descriptor, entry, REGISTERED, stop);
        Registration { entry, file }
    }
}

pub(super) fn unregister(registration: Registration) {
    let (descriptor, stop) = own();
    // SAFETY: as above; the entry is in the list.
    unsafe {
        let entry = registration.entry;
        let (next, previous) = ((*entry).next, (*entry).previous);
        match previous.is_null() {
            true => (*descriptor).first = next,
            false => (*previous).next = next,
        }
        if !next.is_null() {
            (*next).previous = previous;
        }
        tell(descriptor, entry, UNREGISTERED, stop);
        drop(Box::from_raw(entry));
    }
    drop(registration.file);
}

/// # Safety
///
/// The heap is locked.
unsafe fn tell(descriptor: *mut Descriptor, entry: *mut Entry, action: u32, stop: extern "C" fn()) {
    // SAFETY: the caller's promise.
    unsafe {
        (*descriptor).relevant = entry;
        (*descriptor).action = action;
        stop();
        (*descriptor).action = NOTHING;
        (*descriptor).relevant = ptr::null_mut();
    }
}

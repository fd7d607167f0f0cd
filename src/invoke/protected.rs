//! Calls that may survive a fault of the callee, and what is said of the fault.

use super::{Function, How};
use crate::code::{self, Access, CallPath, Fault};
use crate::error::{Error, Result, Status};
use crate::stub::Arguments;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::ptr;

impl Function {
    /// Prepares this thread for `invoke_checked`. After the first time it does nothing.
    pub fn prepare_thread(&self) -> Result<()> {
        match self.is_protected {
            true => code::prepare_thread(),
            false => Ok(()),
        }
    }

    /// The index of the first argument of which the array has no pointer. Of a function that was bound to be protected
    /// a fault on reading the array is an error; this thread is prepared.
    ///
    /// # Safety
    ///
    /// The array has a pointer for each parameter; it need not if the function is protected.
    pub unsafe fn first_null(&self, arguments: *const *mut c_void) -> Result<Option<usize>> {
        let count = self.signature.function().params.len();
        let mut search = Search {
            count,
            found: count,
        };
        let result = (&raw mut search).cast();
        // Entered as a function is.
        let call = CallPath {
            code: find_null as *const c_void,
            slot_code: find_null as *const c_void,
            context: ptr::null(),
        };
        // SAFETY: the caller's promise. What runs takes nothing that it would have to give back.
        let fault = unsafe {
            if self.is_protected {
                code::protected_enter(&call, result, arguments.cast())
            } else {
                find_null(result, arguments.cast());
                None
            }
        };
        match fault {
            Some(fault) => Err(Error::new(
                Status::Fault,
                format!(
                    "{}: args: expected {count} pointers, got {}",
                    self.signature.describe(),
                    what_happened(&fault)
                ),
            )),
            None => Ok((search.found < count).then_some(search.found)),
        }
    }

    /// Calls it. Of a function that was bound to be protected it says whether it faulted: the call is
    /// over then. The callee may leave by an exception or by longjmp.
    ///
    /// # Safety
    ///
    /// As for `fc_invoke`; this thread is prepared.
    pub unsafe fn invoke_checked(
        &self,
        result: *mut c_void,
        arguments: *const *mut c_void,
    ) -> Option<Fault> {
        // SAFETY: the caller's promise.
        unsafe {
            if self.is_protected {
                return code::protected_enter(&self.call, result, arguments.cast());
            }
            code::enter(&self.call, result, arguments.cast());
        }
        None
    }

    /// A fault of a call, for a person to read. `is_callback` knows the code of callbacks.
    pub fn fault_error(&self, fault: &Fault, is_callback: impl Fn(usize) -> bool) -> Error {
        let mut text = format!("{}: {}", self.signature.describe(), what_happened(fault));
        let caller = fault
            .caller
            .filter(|_| fault.address == Some(fault.instruction));
        text += &match caller {
            // The call before the place that it returns to.
            Some(caller) if is_callback(caller.wrapping_sub(1)) => {
                ", called by a callback: is its handler no longer there?".to_owned()
            }
            Some(caller) => format!(", called {}", self.place(caller.wrapping_sub(1))),
            None if is_callback(fault.instruction) => {
                ", in farcall's code for a callback: is what its caller hands over bad, or no stack \
                 left?"
                    .to_owned()
            }
            None => format!(", {}", self.place(fault.instruction)),
        };
        Error::new(Status::Fault, text)
    }

    /// "in function+0x12 of library", as well as it is known.
    fn place(&self, instruction: usize) -> String {
        if self.has_code(instruction) {
            return "in farcall's code for the call: is a pointer to an argument or to the result \
                    bad?"
                .to_owned();
        }
        place(instruction).unwrap_or_else(|| format!("at {instruction:#x}"))
    }

    /// The address is in the code that the call goes through.
    fn has_code(&self, instruction: usize) -> bool {
        match &self.how {
            How::Stub(stubs) => {
                let (address, bytes) = stubs.stub(Arguments::Pointers);
                (address..address + bytes.len()).contains(&instruction)
            }
            How::Static { .. } => code::static_text().contains(&instruction),
            How::Fallback(_) => false,
        }
    }
}

/// What is looked for in an array of pointers.
#[repr(C)]
struct Search {
    count: usize,
    /// The index of the first NULL, or the count.
    found: usize,
}

unsafe extern "C-unwind" fn find_null(search: *mut c_void, array: *const c_void) {
    let search: *mut Search = search.cast();
    let array: *const *const c_void = array.cast();
    // SAFETY: the caller's promise; or a fault is the answer.
    unsafe {
        let count = (*search).count;
        let is_null = |&index: &usize| array.add(index).read_volatile().is_null();
        (*search).found = (0..count).find(is_null).unwrap_or(count);
    }
}

/// The signal, and the address that could not be used.
fn what_happened(fault: &Fault) -> String {
    let overflow = match fault.is_stack_overflow {
        true => "stack overflow: ",
        false => "",
    };
    let address = fault.address.map_or(String::new(), |address| {
        let how = match fault.access {
            Access::Read => "reading from",
            Access::Write => "writing to",
            Access::Execute => "executing",
            Access::Unknown => "accessing",
        };
        format!(" on {how} {address:#x}")
    });
    format!(
        "{overflow}{} ({}){address}",
        signal_name(fault.signal),
        meaning(fault.signal, fault.code)
    )
}

/// The nearest symbol before an address that the dynamic linker knows, and its file.
fn place(address: usize) -> Option<String> {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: it only looks the address up; all bytes zero are valid.
    let info = unsafe {
        if libc::dladdr(address as *const c_void, info.as_mut_ptr()) == 0 {
            return None;
        }
        info.assume_init()
    };
    // SAFETY: names are NULL or end in NUL, and live as long as their libraries.
    let name = |name: *const libc::c_char| unsafe {
        (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    };
    let file = name(info.dli_fname)?;
    Some(match name(info.dli_sname) {
        Some(symbol) => {
            let offset = address.wrapping_sub(info.dli_saddr as usize);
            format!("in {symbol}+{offset:#x} of {file}")
        }
        // addr2line finds the function.
        None => {
            let offset = address.wrapping_sub(info.dli_fbase as usize);
            format!("at {file}+{offset:#x}")
        }
    })
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        _ => "a signal",
    }
}

/// What Linux means by a signal's si_code.
fn meaning(signal: i32, code: i32) -> String {
    const KERNEL: i32 = 0x80;
    let text = match (signal, code) {
        (libc::SIGSEGV, 1) => "no memory is mapped there",
        (libc::SIGSEGV, 2) => "no permission",
        (libc::SIGSEGV, 3) => "bounds were checked and not kept",
        (libc::SIGSEGV, 4) => "no permission by its protection key",
        (libc::SIGSEGV, 8 | 9) => "its memory tag is another",
        (libc::SIGSEGV, 10) => "the return address is not what it was",
        (libc::SIGSEGV, KERNEL) => {
            "the processor does not say where: an address that cannot be, a misaligned vector, or an \
             instruction of the system"
        }
        (libc::SIGBUS, 1) => "misaligned address",
        (libc::SIGBUS, 2) => "nothing is behind the mapped memory, as beyond the end of a file",
        (libc::SIGBUS, 3) => "hardware error",
        (libc::SIGBUS, 4 | 5) => "memory error of the hardware",
        (libc::SIGBUS, KERNEL) => "the processor does not say where",
        // x86-64 tells of both in the same way.
        (libc::SIGFPE, 1) => "integer division by zero, or its result is too large",
        (libc::SIGFPE, 2) => "integer overflow",
        (libc::SIGFPE, 3) => "floating-point division by zero",
        (libc::SIGFPE, 4) => "floating-point overflow",
        (libc::SIGFPE, 5) => "floating-point underflow",
        (libc::SIGFPE, 6) => "floating-point result is inexact",
        (libc::SIGFPE, 7) => "invalid floating-point operation",
        (libc::SIGFPE, 8) => "subscript out of range",
        (libc::SIGILL, 1 | 2 | 4) => "illegal instruction",
        (libc::SIGILL, 3) => "illegal addressing mode",
        (libc::SIGILL, 5 | 6) => "privileged instruction",
        (libc::SIGILL, 7) => "coprocessor error",
        (libc::SIGILL, 8) => "internal stack error",
        _ => return format!("si_code {code}"),
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_signals_mean() {
        assert_eq!(meaning(libc::SIGSEGV, 1), "no memory is mapped there");
        assert_eq!(meaning(libc::SIGSEGV, 77), "si_code 77");
        assert_eq!(meaning(libc::SIGFPE, 3), "floating-point division by zero");
    }

    #[test]
    fn a_place_is_a_symbol_or_an_offset_in_a_file() {
        let known = place(libc::dladdr as *const () as usize).unwrap();
        assert!(known.starts_with("in dladdr+0x0 of "), "{known}");
        let nameless = place(what_signals_mean as *const () as usize).unwrap();
        assert!(nameless.starts_with("at "), "{nameless}");
        assert_eq!(place(1), None);
    }
}

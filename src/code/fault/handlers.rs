//! The handlers of the signals that a fault is told by. What is no fault of a protected call goes to
//! the handler that was there before.
//!
//! A handler that was installed after these may have kept them as its predecessors, and may be put
//! behind them once more when a function is made: then each is the other's predecessor. So
//! all that were there are remembered, the last one first, and a handler that hands a signal back is
//! followed by the one that was there before it.

use super::recovery::Recovery;
use super::thread::{self, Thread};
use super::{Access, Fault, machine, sanitizer};
use crate::error::{Error, Result, Status};
use libc::{c_int, siginfo_t, ucontext_t};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

const SIGNALS: [c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// A handler that was there before. It is never freed: it may be looked at at any time.
struct Previous {
    action: libc::sigaction,
    /// It was to be called once only (SA_RESETHAND), and has been.
    is_spent: AtomicBool,
    /// The one that was there before it.
    next: *const Previous,
}

static PREVIOUS: [AtomicPtr<Previous>; 4] = [const { AtomicPtr::new(ptr::null_mut()) }; 4];

/// A signal that an older handler has just now.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Chained {
    context: *mut ucontext_t,
    info: *mut siginfo_t,
    /// Who has it if that one hands it back.
    next: *const Previous,
}

impl Chained {
    pub(super) const NONE: Chained = Chained {
        context: ptr::null_mut(),
        info: ptr::null_mut(),
        next: ptr::null(),
    };
}

/// Puts the handlers in front, if they are not.
pub fn install() -> Result<()> {
    sanitizer::find();
    for (index, signal) in SIGNALS.into_iter().enumerate() {
        install_one(index, signal).map_err(|error| Error {
            os: error.raw_os_error().unwrap_or(0),
            ..Error::new(
                Status::System,
                format!("sigaction (installing handlers for FC_PROTECT): {error}"),
            )
        })?;
    }
    Ok(())
}

fn own_action(previous: &libc::sigaction) -> libc::sigaction {
    let is_handler = !matches!(previous.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN);
    // A system call that such a signal interrupts goes on or not as before.
    let restarts = match is_handler {
        true => previous.sa_flags & libc::SA_RESTART,
        false => libc::SA_RESTART,
    };
    let mut own = *previous;
    own.sa_sigaction = handle as *const () as usize;
    own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | restarts;
    // Nothing interrupts a recovery; an older handler gets the mask that it asked for.
    // SAFETY: fills the set.
    unsafe { libc::sigfillset(&mut own.sa_mask) };
    own
}

/// Without a lock, which a forked child might find taken for ever.
fn install_one(index: usize, signal: c_int) -> std::io::Result<()> {
    let change = |new: Option<&libc::sigaction>| {
        let mut old = MaybeUninit::<libc::sigaction>::zeroed();
        let new = new.map_or(ptr::null(), ptr::from_ref);
        // SAFETY: the actions are valid, and the handler may be called from now on.
        match unsafe { libc::sigaction(signal, new, old.as_mut_ptr()) } {
            // SAFETY: it was written, and all bytes zero would be valid as well.
            0 => Ok(unsafe { old.assume_init() }),
            _ => Err(std::io::Error::last_os_error()),
        }
    };
    let own = handle as *const () as usize;
    let found = change(None)?;
    if found.sa_sigaction == own {
        return Ok(());
    }
    // First remembered, then replaced: a handler always has its predecessor.
    remember(&PREVIOUS[index], &found);
    let replaced = change(Some(&own_action(&found)))?;
    if replaced.sa_sigaction != own && replaced.sa_sigaction != found.sa_sigaction {
        remember(&PREVIOUS[index], &replaced);
    }
    Ok(())
}

/// Puts an action first, and nowhere else.
fn remember(list: &AtomicPtr<Previous>, action: &libc::sigaction) {
    let is_same = |other: &libc::sigaction| other.sa_sigaction == action.sa_sigaction;
    let mut first = list.load(Ordering::Acquire);
    loop {
        let mut others = Vec::new();
        let mut node: *const Previous = first;
        // SAFETY: what is in the list is never freed.
        while let Some(previous) = unsafe { node.as_ref() } {
            others.push(previous);
            node = previous.next;
        }
        if let Some(first) = others.first()
            && is_same(&first.action)
            && first.action.sa_flags == action.sa_flags
            && !first.is_spent.load(Ordering::Relaxed)
        {
            return;
        }
        let make = |action: libc::sigaction, is_spent: bool, next: *const Previous| {
            Box::into_raw(Box::new(Previous {
                action,
                is_spent: AtomicBool::new(is_spent),
                next,
            }))
        };
        let mut next: *const Previous = first;
        if others.iter().any(|other| is_same(&other.action)) {
            next = ptr::null();
            for other in others.iter().rev().filter(|other| !is_same(&other.action)) {
                next = make(other.action, other.is_spent.load(Ordering::Relaxed), next);
            }
        }
        let new = make(*action, false, next);
        match list.compare_exchange(first, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return,
            Err(now) => first = now,
        }
    }
}

/// Stands in a context's uc_link, which the system has cleared and does not read, while an older handler
/// has the signal.
static HANDED_ON: u8 = 0;

fn handed_on() -> *mut ucontext_t {
    (&raw const HANDED_ON).cast_mut().cast()
}

/// The system puts a signal's context on the stack so near to its handler's frame.
const NEAR: usize = 4096;

unsafe extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let thread = thread::current();
    let context: *mut ucontext_t = context.cast();
    // SAFETY: a thread's state is its own; the system gives a context and an info, and a handler that
    // does not hand its own on has been given one that is remembered.
    unsafe {
        let chained = (*thread).chained;
        if !chained.context.is_null() {
            let here = &raw const chained as usize;
            let is_near = (context as usize).wrapping_sub(here) < NEAR;
            // A handler without SA_SIGINFO calls its predecessor with a number only.
            let has_context = context == chained.context || is_near;
            if !has_context || (*context).uc_link == handed_on() {
                return hand_on(thread, signal, chained.info, chained.context, chained.next);
            }
        }
        if !is_sent(signal, &*info) && recover(thread, signal, &*info, &mut *context) {
            return;
        }
        let index = SIGNALS.iter().position(|&known| known == signal);
        if let Some(index) = index {
            let first = PREVIOUS[index].load(Ordering::Acquire);
            hand_on(thread, signal, info, context, first);
        }
    }
}

/// The signal was sent by a program, or tells of memory that nobody has used yet: what was interrupted
/// has done nothing.
fn is_sent(signal: c_int, info: &siginfo_t) -> bool {
    const BUS_MCEERR_AO: c_int = 5;
    info.si_code <= 0 || signal == libc::SIGBUS && info.si_code == BUS_MCEERR_AO
}

/// Makes the innermost protected call go on, if this fault is its.
unsafe fn recover(
    thread: *mut Thread,
    signal: c_int,
    info: &siginfo_t,
    context: &mut ucontext_t,
) -> bool {
    // SAFETY: a thread's state is its own, and its recovery points are looked at before they are used.
    unsafe {
        let recovery = (*thread).innermost;
        let stack_pointer = machine::stack_pointer(context);
        if recovery.is_null() || !Recovery::is_around(recovery, thread, stack_pointer) {
            return false;
        }
        (*recovery).fault = fault(thread, signal, info, context);
        (*thread).chained = Chained::NONE;
        machine::resume(context, &*recovery);
    }
    sanitizer::forget_frames();
    true
}

unsafe fn fault(
    thread: *const Thread,
    signal: c_int,
    info: &siginfo_t,
    context: &ucontext_t,
) -> Fault {
    let instruction = machine::instruction(context);
    let mut fault = Fault {
        signal,
        code: info.si_code,
        instruction,
        ..Fault::NONE
    };
    let has_address = matches!(signal, libc::SIGSEGV | libc::SIGBUS);
    // The system's own code of a signal says that the processor told of no address.
    if !has_address || info.si_code == libc::SI_KERNEL {
        return fault;
    }
    // SAFETY: these signals have an address; a thread's state is its own.
    let (address, stack) = unsafe { (info.si_addr() as usize, &(*thread).stack) };
    fault.address = Some(address);
    fault.access = match machine::access(context) {
        Access::Unknown if address == instruction => Access::Execute,
        access => access,
    };
    fault.is_stack_overflow = signal == libc::SIGSEGV && stack.is_guard(address);
    if fault.access == Access::Execute {
        fault.caller = machine::return_address(context, stack);
    }
    fault
}

/// Does what would have been done without these handlers.
unsafe fn hand_on(
    thread: *mut Thread,
    signal: c_int,
    info: *mut siginfo_t,
    context: *mut ucontext_t,
    previous: *const Previous,
) {
    // SAFETY: what is in the list is never freed; info and context are the system's; the handler is
    // called as it was to be.
    unsafe {
        let is_sent = is_sent(signal, &*info);
        let Some(previous) = previous.as_ref() else {
            return default_action(signal, is_sent);
        };
        let action = &previous.action;
        let is_once = action.sa_flags & libc::SA_RESETHAND != 0;
        let is_spent = is_once && previous.is_spent.swap(true, Ordering::Relaxed);
        match action.sa_sigaction {
            // A fault cannot be ignored.
            libc::SIG_IGN if is_sent => return,
            libc::SIG_DFL | libc::SIG_IGN => return default_action(signal, is_sent),
            _ if is_spent => return default_action(signal, is_sent),
            _ => {}
        }
        set_mask(signal, action, &*context);
        let before = (*thread).chained;
        let link = (*context).uc_link;
        (*thread).chained = Chained {
            context,
            info,
            next: previous.next,
        };
        (*context).uc_link = handed_on();
        let handler = action.sa_sigaction as *const c_void;
        if action.sa_flags & libc::SA_SIGINFO != 0 {
            let handler = std::mem::transmute::<
                *const c_void,
                unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void),
            >(handler);
            handler(signal, info, context.cast());
        } else {
            let handler =
                std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int)>(handler);
            handler(signal);
        }
        (*context).uc_link = link;
        (*thread).chained = before;
    }
}

/// The mask that the system would have given to the handler.
unsafe fn set_mask(signal: c_int, action: &libc::sigaction, context: &ucontext_t) {
    // The system's own sets have 64 signals, and no more of the context's is written.
    const WORD: usize = size_of::<u64>();
    // SAFETY: both sets are larger, and the new one is initialized.
    unsafe {
        let mut mask = MaybeUninit::<libc::sigset_t>::zeroed();
        let word = mask.as_mut_ptr().cast::<[u8; WORD]>();
        let interrupted = (&raw const context.uc_sigmask).cast::<[u8; WORD]>().read();
        let asked = (&raw const action.sa_mask).cast::<[u8; WORD]>().read();
        word.write(std::array::from_fn(|byte| interrupted[byte] | asked[byte]));
        if action.sa_flags & libc::SA_NODEFER == 0 {
            libc::sigaddset(mask.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, mask.as_ptr(), ptr::null_mut());
    }
}

/// What the system does without a handler, when this one has returned: a fault happens again, a signal
/// that was sent is sent again.
unsafe fn default_action(signal: c_int, is_sent: bool) {
    // SAFETY: the default action is valid, with all else zero.
    unsafe {
        let mut default = MaybeUninit::<libc::sigaction>::zeroed();
        (*default.as_mut_ptr()).sa_sigaction = libc::SIG_DFL;
        libc::sigaction(signal, default.as_ptr(), ptr::null_mut());
        if is_sent {
            libc::raise(signal);
        }
    }
}

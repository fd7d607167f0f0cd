//! Receivers: what stands between a thunk and a handler. One serves all callbacks whose arguments travel
//! alike. They are kept for ever: a call may be inside long after its callback and its signature are gone.

use crate::abi::{self, Assignment};
use crate::code::lock::Mutex;
use crate::code::{self, CodeBlock, ThreadedReceiver};
use crate::error::{Error, Result, Status};
use crate::invoke;
use crate::stub::{Arguments, Upcall, upcall};
use crate::types::{Function, Signature};
use hashbrown::HashMap;
use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::OnceLock;

/// Code that calls a handler with the arguments of an incoming call.
#[repr(C)]
pub(super) struct Receiver {
    /// The address of its program, where no code may be made.
    program: usize,
    /// Where thunks enter it.
    entry: usize,
    /// The code that calls handlers, or the program: code is shared by programs.
    code: usize,
    /// How many bytes that has.
    length: usize,
    arguments: Arguments,
    result_size: u32,
    _means: Means,
}

const _: () = assert!(offset_of!(Receiver, program) == code::RECEIVER_PROGRAM);

enum Means {
    Stub { _block: CodeBlock },
    Program { _program: ThreadedReceiver },
}

impl Receiver {
    pub(super) const CODE: usize = offset_of!(Receiver, code);
    pub(super) const LENGTH: usize = offset_of!(Receiver, length);

    fn new(plan: &Key, assignment: &Assignment) -> Result<Receiver> {
        let block = match code::why_static() {
            None => {
                let bytes = code::emit_upcall(&plan.upcall);
                let name = || format!("farcall callback receiver for {}", abi::short(assignment));
                let block = code::add(bytes.len(), |_| bytes);
                block.map(|block| block.frameless(!plan.upcall.has_frame).named(name))
            }
            Some(refusal) => Err(refusal.error()),
        };
        let (arguments, result_size) = (plan.arguments, plan.result_size);
        match block {
            Ok(block) => Ok(Receiver {
                program: 0,
                entry: block.address(),
                code: block.address(),
                length: block.length(),
                arguments,
                result_size,
                _means: Means::Stub { _block: block },
            }),
            Err(error) if error.status == Status::Internal => Err(error),
            // Refused, or for want of something: the program needs nothing of the system.
            Err(_) => {
                let program = ThreadedReceiver::new(&plan.upcall);
                let words = program.words();
                Ok(Receiver {
                    program: words.start,
                    entry: program.entry().addr(),
                    code: words.start,
                    length: words.len(),
                    arguments,
                    result_size,
                    _means: Means::Program { _program: program },
                })
            }
        }
    }

    /// Where a thunk enters it.
    pub(super) fn entry(&self) -> *const c_void {
        self.entry as *const c_void
    }

    /// What its handlers are called with.
    pub(super) fn arguments(&self) -> Arguments {
        self.arguments
    }

    /// Bytes of the result.
    pub(super) fn result_size(&self) -> usize {
        self.result_size as usize
    }
}

/// The receivers of a signature, kept with its type.
#[derive(Default)]
struct Receivers([OnceLock<&'static Receiver>; 4]);

/// How a callback is called.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    pub(super) arguments: Arguments,
    /// Its calls are counted, and for that its handler has to return to the receiver.
    pub(super) is_counted: bool,
}

impl Manner {
    fn index(self) -> usize {
        self.arguments as usize * 2 + usize::from(self.is_counted)
    }
}

/// What receivers differ in.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    upcall: Upcall,
    arguments: Arguments,
    result_size: u32,
}

type Table = HashMap<Key, &'static Receiver>;

static TABLE: Mutex<Option<Table>> = Mutex::new(None);

pub(super) fn lock() -> &'static Mutex<impl Sized> {
    &TABLE
}

/// The receiver for a function type, whose signature is asked for when it is met for the first time.
#[inline]
pub(super) fn receiver(
    function: &Function,
    signature: impl FnOnce() -> Result<Signature>,
    manner: Manner,
) -> Result<&'static Receiver> {
    let known = function.memo.get::<Receivers>();
    if let Some(receiver) = known.and_then(|known| known.0[manner.index()].get()) {
        return Ok(receiver);
    }
    met_first(function, signature, manner)
}

#[cold]
fn met_first(
    function: &Function,
    signature: impl FnOnce() -> Result<Signature>,
    manner: Manner,
) -> Result<&'static Receiver> {
    let receiver = find(&signature()?, manner)?;
    if let Some(known) = function.memo.get_or_keep(Receivers::default) {
        // Another thread may have been faster, with the same.
        let _ = known.0[manner.index()].set(receiver);
    }
    Ok(receiver)
}

fn find(signature: &Signature, manner: Manner) -> Result<&'static Receiver> {
    if signature.function().variadic {
        return Err(Error::unsupported(format!(
            "{}: a callback cannot be variadic: what a caller will hand over is not known when the code is \
             made",
            signature.describe()
        )));
    }
    let assignment = abi::assign(signature)?;
    if !code::can_call(assignment.convention) {
        return Err(Error::unsupported(format!(
            "{}: callbacks of {} cannot be made on {}",
            signature.describe(),
            assignment.convention.name(),
            code::target().name
        )));
    }
    invoke::check_processor(&assignment).map_err(|error| error.within(signature.describe()))?;
    super::fork::prepare();
    // They are to be told of new thunks, and are looked for while no lock is held.
    code::find_unwinders();
    let mut table = TABLE.lock();
    let table = table.get_or_insert_with(Table::default);
    let upcall = upcall(&assignment, manner.arguments, code::convention());
    let key = Key {
        upcall: match manner.is_counted {
            true => upcall.with_frame(),
            false => upcall,
        },
        arguments: manner.arguments,
        result_size: assignment.result_size,
    };
    if let Some(receiver) = table.get(&key) {
        return Ok(receiver);
    }
    let receiver =
        Receiver::new(&key, &assignment).map_err(|error| error.within(signature.describe()))?;
    let receiver: &'static Receiver = Box::leak(Box::new(receiver));
    table.insert(key, receiver);
    Ok(receiver)
}

/// How many receivers there are, and the bytes of their code.
pub(super) fn statistics() -> (usize, usize) {
    let table = TABLE.lock();
    let Some(table) = &*table else {
        return (0, 0);
    };
    (table.len(), table.values().map(|one| one.length).sum())
}

/// An address is in a receiver's stub, as far as that can be told: a call that was left may have the table
/// for ever.
pub fn has_code(address: usize) -> bool {
    let Some(table) = TABLE.try_lock() else {
        return false;
    };
    let is_inside = |one: &Receiver| (one.code..one.code + one.length).contains(&address);
    table
        .as_ref()
        .is_some_and(|table| table.values().any(|one| is_inside(one)))
        || code::receivers_text().contains(&address)
}

//! The stubs of a signature, or its programs where no code may be made, shared by all functions whose
//! arguments travel alike.

use crate::abi::{self, Assignment, Piece, Place};
use crate::code::lock::Mutex;
use crate::code::{self, CodeBlock, Refusal, StaticCall, Threaded};
use crate::error::{Error, Result};
use crate::stub::{Arguments, ErrnoCapture, Plan, plan};
use hashbrown::{Equivalent, HashMap};
use std::ffi::c_void;
use std::hash::Hash;
use std::sync::Arc;

/// What calls by one assignment, with pointers and with slots. It is freed with the last function that
/// uses it, or later.
#[derive(Clone, Debug)]
pub(super) enum Marshaller {
    /// Two stubs.
    Stubs(Arc<Stubs>),
    /// Where no code may be made, two programs.
    Programs(Arc<Programs>),
}

/// Two stubs in executable memory.
#[derive(Debug)]
pub(super) struct Stubs {
    block: CodeBlock,
    /// Bytes of the stub for pointers, with which the block begins.
    pointers: usize,
    /// Bytes of the stub for slots, which follows at the next multiple of `code::ALIGN`.
    slots: usize,
}

/// Two programs of threaded code.
#[derive(Debug)]
pub(super) struct Programs {
    pointers: Threaded,
    slots: Threaded,
    /// Why they are no stubs.
    pub(super) refusal: &'static Refusal,
}

impl Marshaller {
    fn new(assignment: &Assignment, errno: Option<ErrnoCapture>) -> Result<Marshaller> {
        let plan = |arguments| plan(assignment, arguments, code::ENTRY, errno);
        let stubs = match code::why_static() {
            None => Stubs::new(assignment, plan),
            Some(refusal) => Err(refusal.error()),
        };
        match (stubs, code::why_static()) {
            (Ok(stubs), _) => Ok(Marshaller::Stubs(Arc::new(stubs))),
            (Err(_), Some(refusal)) => {
                let program = |arguments| Threaded::new(&plan(arguments), arguments);
                Ok(Marshaller::Programs(Arc::new(Programs {
                    pointers: program(Arguments::Pointers),
                    slots: program(Arguments::Slots),
                    refusal,
                })))
            }
            (Err(error), None) => Err(error),
        }
    }

    /// Somebody besides the table has it.
    fn is_used(&self) -> bool {
        match self {
            Marshaller::Stubs(stubs) => Arc::strong_count(stubs) > 1,
            Marshaller::Programs(programs) => Arc::strong_count(programs) > 1,
        }
    }
}

impl Stubs {
    fn new(assignment: &Assignment, plan: impl Fn(Arguments) -> Plan) -> Result<Stubs> {
        let (pointers_plan, slots_plan) = (plan(Arguments::Pointers), plan(Arguments::Slots));
        let mut bytes = code::emit(&pointers_plan);
        let pointers = bytes.len();
        let slots = code::emit(&slots_plan);
        // Between the two, what a jump to nowhere meets.
        let slots_at = pointers.next_multiple_of(code::ALIGN);
        bytes.resize(slots_at, code::FILL);
        bytes.extend_from_slice(&slots);
        let mut block = code::add(bytes.len(), |_| bytes)?;
        if !pointers_plan.has_frame {
            block = block.without_frame(0..slots_at);
        }
        if !slots_plan.has_frame {
            let end = block.length();
            block = block.without_frame(slots_at..end);
        }
        let block = block.named(|| format!("farcall stub for {}", abi::short(assignment)));
        Ok(Stubs {
            block,
            pointers,
            slots: slots.len(),
        })
    }

    /// The stub's address and its bytes.
    pub(super) fn stub(&self, arguments: Arguments) -> (usize, &[u8]) {
        let code = self.block.bytes();
        let slots_at = self.pointers.next_multiple_of(code::ALIGN);
        match arguments {
            Arguments::Pointers => (self.block.address(), &code[..self.pointers]),
            Arguments::Slots => (
                self.block.address() + slots_at,
                &code[slots_at..slots_at + self.slots],
            ),
        }
    }
}

impl Programs {
    /// Calls of a target by them, which have to live as long.
    pub(super) fn call(&self, target: *const c_void) -> StaticCall {
        StaticCall::new(target, &self.pointers, &self.slots)
    }

    /// One of the two.
    pub(super) fn program(&self, arguments: Arguments) -> &Threaded {
        match arguments {
            Arguments::Pointers => &self.pointers,
            Arguments::Slots => &self.slots,
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    assignment: Arc<Assignment>,
    errno: Option<ErrnoCapture>,
}

/// A key that is looked for, without the counted assignment that a kept one has.
#[derive(Hash)]
struct Query<'a> {
    assignment: &'a Assignment,
    errno: Option<ErrnoCapture>,
}

impl Equivalent<Key> for Query<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.errno == key.errno && *self.assignment == *key.assignment
    }
}

#[derive(Default)]
struct Table {
    marshallers: HashMap<Key, Marshaller>,
    /// With so many, those that no function uses are dropped.
    sweep_at: usize,
}

/// Unused marshallers are kept up to this number: a program that binds and frees the same
/// functions again and again should not pay for new code each time.
const KEPT: usize = 4096;

static TABLE: Mutex<Option<Table>> = Mutex::new(None);

/// A child must not find the table or the heap locked by a thread that it does not have: they are
/// locked while the process forks, in the order in which they always are.
pub(crate) mod fork {
    use super::super::entries;
    use super::{TABLE, code};
    use std::sync::Once;

    extern "C" fn before() {
        std::mem::forget(TABLE.lock());
        std::mem::forget(entries::lock().lock());
        code::lock_for_fork();
    }

    extern "C" fn in_parent() {
        // SAFETY: `before` has locked them on this thread.
        unsafe {
            code::unlock_after_fork();
            entries::lock().force_unlock();
            TABLE.force_unlock();
        }
    }

    extern "C" fn in_child() {
        // SAFETY: a child has one thread.
        unsafe {
            code::renew_after_fork();
            code::renew(entries::lock());
            code::renew(&TABLE);
        }
    }

    /// Before the first lock is taken.
    pub(crate) fn prepare() {
        static PREPARED: Once = Once::new();
        // SAFETY: the handlers only lock and unlock. Without memory for them forks are as they
        // would be without.
        PREPARED.call_once(|| unsafe {
            libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child));
        });
    }
}

/// Why there is no marshaller, with the assignment for another path.
pub(super) struct NoMarshaller {
    pub(super) assignment: Arc<Assignment>,
    pub(super) reason: Error,
}

/// The marshaller of an assignment, made if there is none yet.
pub(super) fn marshaller(
    assignment: Assignment,
    errno: Option<ErrnoCapture>,
) -> std::result::Result<Marshaller, NoMarshaller> {
    fork::prepare();
    let mut table = TABLE.lock();
    let table = table.get_or_insert_with(Table::default);
    let query = Query {
        assignment: &assignment,
        errno,
    };
    if let Some(marshaller) = table.marshallers.get(&query) {
        return Ok(marshaller.clone());
    }
    let assignment = Arc::new(assignment);
    match check(&assignment).and_then(|()| Marshaller::new(&assignment, errno)) {
        Ok(marshaller) => {
            table.insert(Key { assignment, errno }, marshaller.clone());
            Ok(marshaller)
        }
        Err(reason) => Err(NoMarshaller { assignment, reason }),
    }
}

/// How many marshallers are stubs, and the bytes of their code.
pub(super) fn statistics() -> (usize, usize) {
    let table = TABLE.lock();
    let Some(table) = &*table else {
        return (0, 0);
    };
    let blocks = table.marshallers.values().filter_map(|one| match one {
        Marshaller::Stubs(stubs) => Some(stubs.block.length()),
        Marshaller::Programs(_) => None,
    });
    blocks.fold((0, 0), |(count, bytes), length| (count + 1, bytes + length))
}

impl Table {
    fn insert(&mut self, key: Key, marshaller: Marshaller) {
        if self.marshallers.len() >= self.sweep_at.max(KEPT) {
            self.marshallers
                .retain(|_, marshaller| marshaller.is_used());
            self.sweep_at = self.marshallers.len() * 2;
        }
        self.marshallers.insert(key, marshaller);
    }
}

/// What this machine's stubs cannot do.
pub(crate) fn check(assignment: &Assignment) -> Result<()> {
    let pieces = assignment
        .parameters()
        .iter()
        .flat_map(|one| assignment.pieces(one));
    let is_wide = |piece: &Piece| matches!(piece.place, Place::Vector(_)) && piece.size > 16;
    if pieces.chain(assignment.result_pieces()).any(is_wide) && !code::has_wide_vectors() {
        return Err(Error::unsupported("this processor has no 256-bit vectors"));
    }
    Ok(())
}

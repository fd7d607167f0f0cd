//! Functions that can be called: a signature, a target, and the code between them.

mod entries;
mod marshaller;
mod protected;

use crate::abi::{self, Assignment};
use crate::code::{self, CallPath, CodeBlock, StaticCall};
use crate::error::{Error, Result, Status};
use crate::fallback::{self, Fallback};
use crate::library::Library;
use crate::stub::{Arguments, ErrnoCapture};
use crate::types::Signature;
use entries::Entry;
pub(crate) use marshaller::check as check_processor;
pub(crate) use marshaller::fork::prepare as prepare_for_fork;
use marshaller::{Marshaller, NoMarshaller, Programs, Stubs};
use std::borrow::Cow;
use std::ffi::{CStr, CString, c_void};
use std::sync::{Arc, OnceLock};

/// How a function is bound.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// `errno` is kept right after each call.
    pub capture_errno: bool,
    /// The call goes through libffi even where a stub is possible.
    pub force_fallback: bool,
    /// No other path than a stub will do.
    pub require_stub: bool,
    /// `invoke_checked` survives a fault of the callee.
    pub protect: bool,
}

/// A function that can be called.
#[repr(C)]
pub struct Function {
    call: CallPath,
    signature: Signature,
    target: *const c_void,
    how: How,
    path: Cow<'static, CStr>,
    is_protected: bool,
    entries: [OnceLock<EntryCode>; 2],
    // Dropped last: the target's code goes with it.
    _library: Option<Arc<Library>>,
}

enum How {
    Stub(Arc<Stubs>),
    Static {
        _programs: Arc<Programs>,
        // The call path's context points to it.
        call: Box<StaticCall>,
    },
    Fallback(#[allow(dead_code, reason = "the call path's context points to it")] Box<Fallback>),
}

/// The code of a function's own entry.
enum EntryCode {
    /// Made for it.
    Made(CodeBlock),
    /// A thunk that knows what goes on.
    Thunk(Entry),
}

impl EntryCode {
    fn address(&self) -> *const c_void {
        match self {
            EntryCode::Made(block) => block.address() as *const c_void,
            EntryCode::Thunk(entry) => entry.address() as *const c_void,
        }
    }
}

// SAFETY: nothing in it changes but the entries, which are made once, under a lock.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// Makes `target` callable. It keeps the library loaded, if there is one.
    pub fn new(
        signature: Signature,
        target: *const c_void,
        options: Options,
        library: Option<Arc<Library>>,
    ) -> Result<Function> {
        if options.force_fallback && options.require_stub {
            return Err(Error::argument(
                "options: FC_FORCE_FALLBACK and FC_REQUIRE_STUB contradict each other",
            ));
        }
        let assignment = abi::assign(&signature)?;
        let (call, how, path) = bind(assignment, target, options)
            .map_err(|error| error.within(signature.describe()))?;
        if options.protect {
            code::install_fault_handlers()?;
        }
        Ok(Function {
            call,
            signature,
            target,
            how,
            path,
            is_protected: options.protect,
            entries: [OnceLock::new(), OnceLock::new()],
            _library: library,
        })
    }

    /// Looks a function up in a library by its symbol and makes it callable.
    pub fn bind(
        library: &Arc<Library>,
        signature: Signature,
        symbol: &CStr,
        options: Options,
    ) -> Result<Function> {
        // Symbols come from text, which is UTF-8.
        let target = library.symbol(&symbol.to_string_lossy())?;
        Function::new(signature, target, options, Some(Arc::clone(library)))
    }

    /// Its signature.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The address that is called.
    pub fn target(&self) -> *const c_void {
        self.target
    }

    /// "stub", or "static: " or "libffi: " and the reason.
    pub fn path(&self) -> &CStr {
        &self.path
    }

    /// The function's own entry, made when first asked for.
    pub fn entry(&self, arguments: Arguments) -> Result<*const c_void> {
        let cell = &self.entries[arguments as usize];
        if let Some(code) = cell.get() {
            return Ok(code.address());
        }
        let code = self.make_entry(arguments)?;
        // If another thread was faster, its entry is the one, and this one is freed.
        Ok(cell.get_or_init(|| code).address())
    }

    fn make_entry(&self, arguments: Arguments) -> Result<EntryCode> {
        let made = match code::why_static() {
            None => self.make_entry_code(arguments).map(EntryCode::Made),
            Some(refusal) => Err(refusal.error()),
        };
        match made {
            Err(error) if error.status != Status::Internal => {
                let code = self.code(arguments);
                let entry = match &self.how {
                    How::Static { call, .. } => Entry::of_program(code, call),
                    How::Stub(_) | How::Fallback(_) => Entry::new(code, self.call.context),
                };
                let entry = entry.map_err(|error| error.within("code for an entry"));
                entry.map(EntryCode::Thunk)
            }
            made => made,
        }
    }

    /// What is called with the context in its register.
    fn code(&self, arguments: Arguments) -> *const c_void {
        match arguments {
            Arguments::Pointers => self.call.code,
            Arguments::Slots => self.call.slot_code,
        }
    }

    fn make_entry_code(&self, arguments: Arguments) -> Result<CodeBlock> {
        let context = self.call.context as u64;
        let block = match &self.how {
            How::Stub(stubs) => {
                let (stub_address, stub) = stubs.stub(arguments);
                let entry = code::add(code::entry_length(stub), |address| {
                    code::emit_entry(address as u64, context, stub, stub_address as u64)
                });
                entry.map(|entry| entry.frameless(code::is_frameless(stub_address)))
            }
            How::Static { .. } | How::Fallback(_) => {
                let target = self.code(arguments) as u64;
                code::add(code::entry_length(&[]), |address| {
                    code::emit_jump(address as u64, context, target)
                })
            }
        };
        Ok(block?.named(|| format!("farcall entry of {}", self.signature.describe())))
    }

    /// Calls it; this is how Rust code in this crate does.
    ///
    /// # Safety
    ///
    /// As for `fc_invoke`.
    pub unsafe fn invoke(&self, result: *mut c_void, arguments: *const *const c_void) {
        // SAFETY: the caller's promise.
        unsafe { code::enter(&self.call, result, arguments.cast()) }
    }
}

fn errno(options: Options) -> std::result::Result<Option<ErrnoCapture>, &'static str> {
    match options.capture_errno {
        true => code::errno_capture().map(Some),
        false => Ok(None),
    }
}

/// Whether functions of this convention can be called on this machine.
fn check_convention(assignment: &Assignment) -> Result<()> {
    match code::can_call(assignment.convention) {
        true => Ok(()),
        false => Err(Error::unsupported(format!(
            "functions of {} cannot be called on {}",
            assignment.convention.name(),
            code::target().name
        ))),
    }
}

fn bind(
    assignment: Assignment,
    target: *const c_void,
    options: Options,
) -> Result<(CallPath, How, Cow<'static, CStr>)> {
    check_convention(&assignment)?;
    let (assignment, reason) = if options.force_fallback {
        (
            Arc::new(assignment),
            Error::unsupported("asked for (FC_FORCE_FALLBACK)"),
        )
    } else {
        match errno(options) {
            Err(reason) => (Arc::new(assignment), Error::unsupported(reason)),
            Ok(errno) => match marshaller::marshaller(assignment, errno) {
                Ok(Marshaller::Stubs(stubs)) => return Ok(through_stubs(stubs, target)),
                Ok(Marshaller::Programs(programs)) => {
                    return through_programs(programs, target, options);
                }
                Err(NoMarshaller { assignment, reason }) => (assignment, reason),
            },
        }
    };
    if options.require_stub {
        return Err(no_stub(reason));
    }
    let fallback = Fallback::new(assignment, target, options.capture_errno)?;
    let call = CallPath {
        code: fallback::pointers_entry as *const c_void,
        slot_code: fallback::slots_entry as *const c_void,
        context: std::ptr::from_ref(&*fallback).cast(),
    };
    let path = CString::new(format!("libffi: {reason}")).unwrap_or_default();
    Ok((call, How::Fallback(fallback), Cow::Owned(path)))
}

fn no_stub(reason: Error) -> Error {
    Error {
        status: Status::Unsupported,
        message: format!("no stub is possible (FC_REQUIRE_STUB): {reason}"),
        ..reason
    }
}

fn through_stubs(stubs: Arc<Stubs>, target: *const c_void) -> (CallPath, How, Cow<'static, CStr>) {
    let call = CallPath {
        code: stubs.stub(Arguments::Pointers).0 as *const c_void,
        slot_code: stubs.stub(Arguments::Slots).0 as *const c_void,
        context: target,
    };
    (call, How::Stub(stubs), Cow::Borrowed(c"stub"))
}

fn through_programs(
    programs: Arc<Programs>,
    target: *const c_void,
    options: Options,
) -> Result<(CallPath, How, Cow<'static, CStr>)> {
    if options.require_stub {
        return Err(no_stub(programs.refusal.error()));
    }
    let static_call = Box::new(programs.call(target));
    let call = CallPath {
        code: programs.program(Arguments::Pointers).entry(),
        slot_code: programs.program(Arguments::Slots).entry(),
        context: std::ptr::from_ref(&*static_call).cast(),
    };
    let path = Cow::Borrowed(programs.refusal.status());
    let how = How::Static {
        _programs: programs,
        call: static_call,
    };
    Ok((call, how, path))
}

/// Where every byte of a call travels, and by which path it is made, as text for people.
pub fn explain(signature: &Signature) -> Result<String> {
    let assignment = abi::assign(signature)?;
    let path = path_of(signature, &assignment);
    Ok(abi::explain(signature, &assignment, &path))
}

/// The same as a table with a line for each piece, as `farcall explain` draws it. A variadic prototype
/// is shown with examples of what may follow.
pub fn explain_table(signature: &Signature) -> Result<String> {
    if signature.function().open {
        return abi::open_table(signature, "known when the extra arguments are");
    }
    let assignment = abi::assign(signature)?;
    let path = path_of(signature, &assignment);
    Ok(abi::table(signature, &assignment, &path))
}

fn path_of(signature: &Signature, assignment: &Assignment) -> String {
    if let Err(error) = check_convention(assignment) {
        let system = signature.get().node.target.name;
        return match system == code::target().name {
            true => format!("none here: {error}"),
            false => format!("none here: such a function is called on {system}, by a stub"),
        };
    }
    match marshaller::marshaller(assignment.clone(), None) {
        Ok(Marshaller::Stubs(_)) => "stub".to_owned(),
        Ok(Marshaller::Programs(programs)) => {
            programs.refusal.status().to_string_lossy().into_owned()
        }
        Err(none) => format!("libffi: {}", none.reason),
    }
}

/// What executable memory holds.
#[derive(Clone, Copy, Debug)]
pub struct Statistics {
    /// Stubs, two for each distinct signature: for pointer arrays and for slots.
    pub stubs: usize,
    /// Bytes of them, alignment included.
    pub stub_bytes: usize,
    /// Entries of single functions.
    pub entries: usize,
    /// Bytes of them, alignment included.
    pub entry_bytes: usize,
    /// Bytes of executable memory in all.
    pub mapped_bytes: usize,
}

/// What executable memory holds now.
pub fn statistics() -> Statistics {
    let (marshallers, stub_bytes) = marshaller::statistics();
    let code = code::statistics();
    Statistics {
        stubs: marshallers * 2,
        stub_bytes,
        // Code of functions that are being made or freed just now may be counted in one only.
        entries: code.blocks.saturating_sub(marshallers),
        entry_bytes: code.block_bytes.saturating_sub(stub_bytes),
        mapped_bytes: code.mapped_bytes,
    }
}

//! The callbacks that can be passed where a function takes a pointer to one: `@print`, `@count` and
//! `@compare`, which may be followed by a type: `@compare:double`.

use crate::memory::{self, Form, Output};
use crate::order::{compared, has_order};
use crate::pointer;
use crate::print::Printer;
use crate::read::Reader;
use farcall::callback::{self, Options};
use farcall::nearest::nearest;
use farcall::stub::Arguments;
use farcall::types::{Data, Kind, Scalar, Signature, Type, TypeRef};
use std::cmp::Ordering;
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicU64, Ordering as Access};

/// What a callback does.
enum Action {
    /// Writes its arguments to the standard output; the line begins with the name.
    Print { name: String, pointee: Option<Type> },
    /// Counts its calls, in memory of which this is the address.
    Count(u64),
    /// Tells in which order the values are that its two arguments point to.
    Compare(Type),
}

const NAMES: [&str; 3] = ["print", "compare", "count"];

/// A word behind `@` that is meant as one.
pub(crate) fn is_one(source: &[u8]) -> bool {
    let name = source
        .split(|&byte| byte == b':')
        .next()
        .unwrap_or_default();
    NAMES.iter().any(|known| known.as_bytes() == name)
}

/// A callback's own. It lives until the process ends, since nothing tells when the last call is over.
struct Callback {
    signature: Signature,
    action: Action,
}

impl Reader<'_> {
    /// The address of a callback, of which the `@` has been read, for a pointer to a function.
    pub(crate) fn callback(&mut self, ty: TypeRef<'_>, source: &[u8]) -> Result<u64, String> {
        let pointer = ty.node.to_type();
        let signature = pointer.as_ref().and_then(Signature::of);
        let (Some(signature), Ok(source)) = (signature, std::str::from_utf8(source)) else {
            return Err(unknown(&String::from_utf8_lossy(source)));
        };
        let (name, of) = match source.split_once(':') {
            Some((name, of)) => (name.trim(), Some(of.trim())),
            None => (source.trim(), None),
        };
        let given = |what: &Reader<'_>| of.map(|of| what.pointee_type(name, of)).transpose();
        let action = match name {
            "print" => Action::Print {
                name: self.label("@print"),
                pointee: printed_type(&signature, given(self)?)?,
            },
            "count" if of.is_none() => Action::Count(self.counter()?),
            "count" => return Err("@count looks at no values, and takes no type".to_owned()),
            "compare" => Action::Compare(compared_type(&signature, given(self)?)?),
            _ => return Err(unknown(name)),
        };
        make(signature, action).map_err(|message| format!("@{name}: {message}"))
    }

    /// The type that follows a callback's name.
    fn pointee_type(&self, name: &str, of: &str) -> Result<Type, String> {
        let found = self.context.declarations.find_type(of);
        let ty = found.map_err(|error| {
            let what = error.message.lines().next().unwrap_or_default();
            format!("@{name}:{of}: {what}")
        })?;
        match ty.get().is_complete() && ty.get().size() > 0 {
            true => Ok(ty),
            false => Err(format!(
                "@{name}:{of}: {} has no size, so that no pointer to it can be followed",
                ty.get().describe()
            )),
        }
    }

    /// What is said of the parameter that is read, or of its part.
    fn label(&self, otherwise: &str) -> String {
        let is_number = self
            .parameter
            .starts_with(|first: char| first.is_ascii_digit());
        match is_number {
            true => format!("{otherwise}{}", self.path.concat()),
            false => format!("{}{}", self.parameter, self.path.concat()),
        }
    }

    /// Memory for a number of calls, which is printed afterwards.
    fn counter(&mut self) -> Result<u64, String> {
        let number = Type::scalar(Scalar::UnsignedLong, self.context.declarations.target());
        let address = memory::keep(&[], size_of::<AtomicU64>() as u64, 8)?;
        self.outputs.push(Output {
            label: format!("calls of {}{}", self.parameter, self.path.concat()),
            address,
            form: Form::One(number),
        });
        Ok(address)
    }
}

fn unknown(name: &str) -> String {
    let known = NAMES.map(|known| format!("@{known}")).join(", ");
    match nearest(name, NAMES.into_iter()) {
        Some(meant) => format!("there is no callback @{name}; did you mean @{meant}? ({known})"),
        None => format!("there is no callback @{name}; those that there are: {known}"),
    }
}

/// What the first two arguments of a comparison point to: the given type, or what the declaration says, or
/// int where it says nothing.
fn compared_type(signature: &Signature, given: Option<Type>) -> Result<Type, String> {
    let function = signature.function();
    let params: Vec<_> = (0..function.params.len())
        .map(|index| signature.param(index))
        .collect();
    let [first, second, ..] = params.as_slice() else {
        return Err(no_comparison(signature));
    };
    let are_pointers = first.kind() == Kind::Pointer && second.kind() == Kind::Pointer;
    if !are_pointers || !signature.result().get().value_kind().is_integer() {
        return Err(no_comparison(signature));
    }
    let declared = declared_type(first);
    let ty = match (given, declared) {
        (Some(given), Some(known)) if is_comparable(&known) => {
            let (given, said) = (given.get().describe(), known.get().describe());
            if given != said {
                return Err(format!(
                    "@compare: the declaration says that {said} is compared, not {given}; write @compare alone"
                ));
            }
            known
        }
        (Some(given), _) => given,
        (None, Some(known)) => known,
        (None, None) => integer(first),
    };
    if !ty.get().is_complete() {
        return Err(format!(
            "@compare: {} is incomplete: its members are not known; @compare:TYPE says what is compared",
            ty.get().describe()
        ));
    }
    match has_order(ty.get()) {
        true => Ok(ty),
        false => Err(format!(
            "@compare: values of {} are in no order; @compare:TYPE says what is compared",
            ty.get().describe()
        )),
    }
}

fn is_comparable(ty: &Type) -> bool {
    ty.get().is_complete() && has_order(ty.get())
}

/// What a parameter says that it points to; nothing of a void *.
fn declared_type(pointer: &Type) -> Option<Type> {
    match &pointer.node().data {
        Data::Pointer {
            pointee: Some(link),
            ..
        } => Some(pointer.follow(link)).filter(|pointee| pointee.kind() != Kind::Void),
        _ => None,
    }
}

fn integer(pointer: &Type) -> Type {
    Type::scalar(Scalar::Int, pointer.node().target)
}

/// What is given for what a void * points to, where a callback is called with one.
fn printed_type(signature: &Signature, given: Option<Type>) -> Result<Option<Type>, String> {
    let count = signature.function().params.len();
    let is_open = |index| {
        let param = signature.param(index);
        param.kind() == Kind::Pointer && pointer::is_to_void(param.get())
    };
    match given {
        Some(given) if !(0..count).any(is_open) => Err(format!(
            "@print: {} says what all its arguments are, and none is a void *, of which {} could be said; write \
             @print alone",
            signature.get().name().to_string_lossy(),
            given.get().describe()
        )),
        given => Ok(given),
    }
}

fn no_comparison(signature: &Signature) -> String {
    format!(
        "@compare compares what two pointers point to and gives an int; {} is no such function",
        signature.get().name().to_string_lossy()
    )
}

/// Makes the callback, and gives its address.
fn make(signature: Signature, action: Action) -> Result<u64, String> {
    let own: &Callback = Box::leak(Box::new(Callback { signature, action }));
    let user = std::ptr::from_ref(own).cast_mut().cast();
    // SAFETY: `called` is a handler of pointers, and what it is handed lives for ever.
    let made = unsafe {
        callback::new(
            own.signature.function(),
            || Ok(own.signature.clone()),
            Arguments::Pointers,
            called as *const c_void,
            user,
            &Options::default(),
        )
    };
    match made {
        // SAFETY: it is new, and never freed.
        Ok(record) => Ok(callback::code(unsafe { &*record }) as u64),
        Err(error) => Err(error.message),
    }
}

/// What all of them run. A panic would end the process here, and not cross the C code that calls.
extern "C" fn called(result: *mut c_void, arguments: *const *const u8, callback: &Callback) {
    // SAFETY: errno is this thread's own.
    let errno = unsafe { *libc::__errno_location() };
    let signature = &callback.signature;
    let argument = |index: usize| {
        let ty = signature.param(index);
        // SAFETY: there is such a parameter, and the array points to its value.
        let bytes =
            unsafe { std::slice::from_raw_parts(*arguments.add(index), ty.get().size() as usize) };
        (ty, bytes)
    };
    let mut order = Ordering::Equal;
    match &callback.action {
        Action::Print { name, pointee } => {
            let count = signature.function().params.len();
            let texts: Vec<_> = (0..count)
                .map(|index| {
                    let (ty, bytes) = argument(index);
                    Printer::new().argument(ty.get(), bytes, pointee.as_ref())
                })
                .collect();
            write(&format!("{name}({})", texts.join(", ")));
        }
        Action::Count(address) => {
            // SAFETY: the memory is there for ever, and this is all that writes to it.
            let calls = unsafe { AtomicU64::from_ptr(*address as *mut u64) };
            calls.fetch_add(1, Access::Relaxed);
        }
        Action::Compare(ty) => order = compared(ty.get(), argument(0).1, argument(1).1),
    }
    // The same bytes for integers of all widths.
    let number = (order as i128).to_le_bytes();
    let size = signature.result().get().size() as usize;
    let (low, high) = (size.min(number.len()), size.saturating_sub(number.len()));
    // SAFETY: the result has so many bytes.
    unsafe {
        let result = result.cast::<u8>();
        result.copy_from_nonoverlapping(number.as_ptr(), low);
        result.add(low).write_bytes(0, high);
        *libc::__errno_location() = errno;
    }
}

/// A line of C's standard output, in order with what the function writes to it.
fn write(line: &str) {
    if let Ok(line) = CString::new(line) {
        // SAFETY: it is a string.
        unsafe { libc::puts(line.as_ptr()) };
    }
}

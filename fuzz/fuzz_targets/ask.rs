//! Adds a text to a collection of declarations, then asks for everything that can be asked. What
//! must hold whatever the text is, is asserted. The fuzzer and `tests/corpus.rs` share this.

use farcall::abi::{self, Assignment, Processor};
use farcall::decl::{DeclarationKind, Declarations, parse_signature};
use farcall::error::Error;
use farcall::stub::{self, Arguments};
use farcall::types::target::{APPLE_AARCH64, LINUX_AARCH64, LINUX_X86_64, WINDOWS_X86_64};
use farcall::types::{Convention, Data, Kind, Signature, Target, Type, TypeRef, member};

/// So many names of a text are looked into.
const LOOKED_INTO: usize = 64;

/// Bytes as a text, for all targets.
pub(crate) fn everything(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for target in [
        &LINUX_X86_64,
        &LINUX_AARCH64,
        &WINDOWS_X86_64,
        &APPLE_AARCH64,
    ] {
        text_for(&text, target);
    }
}

fn text_for(text: &str, target: &'static Target) {
    let mut declarations = Declarations::new(target);
    match declarations.add(text) {
        Ok(()) => {
            for index in 0..declarations.len().min(LOOKED_INTO) {
                name(&declarations, index);
            }
            let before = declarations.len();
            match declarations.add(text) {
                Ok(()) => assert_eq!(declarations.len(), before, "the same again is new"),
                Err(error) => refusal(&error),
            }
        }
        Err(error) => {
            refusal(&error);
            assert!(declarations.is_empty(), "a failure left something behind");
        }
    }
    for known in [None, Some(&declarations)] {
        match parse_signature(known, target, text) {
            Ok(parsed) => signature(None, &parsed),
            Err(error) => refusal(&error),
        }
    }
    match declarations.find_type(text) {
        Ok(found) => type_of(None, &found),
        Err(error) => refusal(&error),
    }
    if let Err(error) = declarations.constant(text) {
        refusal(&error);
    }
}

/// A message can be shown to a person.
fn refusal(error: &Error) {
    let message = &error.message;
    assert!(!message.trim().is_empty(), "an empty message");
    assert!(message.len() < 100_000, "a message without end");
    let unfit = message
        .chars()
        .find(|&c| c.is_control() && c != '\n' && c != '\t');
    assert_eq!(unfit, None, "{message:?}");
}

/// A declared name has what its kind promises.
fn name(declarations: &Declarations, index: usize) {
    let (kind, name) = declarations.at(index).expect("less than the length");
    let name = name.to_str().expect("a word of the text");
    assert!(!name.is_empty());
    match kind {
        DeclarationKind::Type => {
            let found = declarations.find_type(name);
            type_of(
                Some(declarations),
                &found.unwrap_or_else(|error| panic!("{name}: {error}")),
            );
        }
        DeclarationKind::Function => {
            let found = declarations.function(name);
            let found = found.unwrap_or_else(|| panic!("{name} is no function"));
            assert_eq!(found.name().to_str(), Ok(name));
            signature(Some(declarations), &found);
        }
        DeclarationKind::Constant => {
            let found = declarations.constant(name);
            found.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        DeclarationKind::Variable => {
            let error = declarations.constant(name).expect_err("no constant");
            refusal(&error);
        }
    }
}

/// A signature, whose tags are all in `declarations`, if there are such.
fn signature(declarations: Option<&Declarations>, signature: &Signature) {
    type_of(declarations, signature.ty());
    let prototype = signature.prototype();
    let again = parse_signature(declarations, signature.ty().node().target, &prototype);
    let complete = signature.check_types().is_ok();
    if declarations.is_some() && faithful(signature.get(), 0) && complete {
        let again = again.unwrap_or_else(|error| panic!("{prototype}\n{error}"));
        assert!(again.get().same_as(signature.get()), "{prototype}");
    }
    match abi::assign(signature) {
        Ok(assignment) => {
            assert!(complete || !signature.function().params.is_empty());
            assert!(!abi::explain(signature, &assignment, "stub").is_empty());
            assert!(!abi::table(signature, &assignment, "stub").is_empty());
            assert!(!abi::places(&assignment).is_empty());
            code(signature, &assignment);
        }
        Err(error) => refusal(&error),
    }
}

/// Stubs in both directions can be made of what was assigned.
fn code(signature: &Signature, assignment: &Assignment) {
    let emitter = stub::emitter(abi::processor(assignment.convention));
    let native = match abi::processor(assignment.convention) {
        Processor::X86_64 => Convention::SysV64,
        Processor::Aarch64 => Convention::Aapcs64,
    };
    for arguments in [Arguments::Pointers, Arguments::Slots] {
        let plan = stub::plan(assignment, arguments, emitter.entry, None);
        assert!(!(emitter.emit)(&plan).is_empty());
        if !signature.function().variadic {
            let upcall = stub::upcall(assignment, arguments, native);
            assert!(!(emitter.emit_upcall)(&upcall).is_empty());
        }
    }
}

/// A type is consistent, and its text means the same type.
fn type_of(declarations: Option<&Declarations>, ty: &Type) {
    let view = ty.get();
    assert!(view.same_as(view));
    assert!(view.compatible_with(view));
    assert!(!view.describe().is_empty());
    layout(view);
    members(ty);
    let text = view.name().to_str().expect("words of the text");
    let Some(declarations) = declarations else {
        return;
    };
    if faithful(view, 0) {
        let again = declarations.find_type(text);
        let again = again.unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert!(again.get().same_as(view), "{text}");
    } else if let Err(error) = declarations.find_type(text) {
        refusal(&error);
    }
}

/// The members of a record are within it, and aligned as they say.
fn layout(view: TypeRef<'_>) {
    assert!(view.align().is_power_of_two());
    let Data::Record(record) = &view.node.data else {
        return;
    };
    if view.node.main_variant.is_none() {
        assert_eq!(view.size() % u64::from(view.align()), 0);
    }
    let mut end = 0;
    for field in record.fields.iter().flatten() {
        let start = field.offset * 8 + u64::from(field.bit_offset);
        let size = view.follow(&field.link).size() * 8;
        if !record.is_union {
            assert!(start >= end, "members overlap");
        }
        end = start + field.bits.map_or(size, u64::from);
        assert!(end <= view.size() * 8, "a member beyond the end");
    }
}

/// Every member that has a name is found by it, where it is.
fn members(ty: &Type) {
    let Data::Record(record) = &ty.node().data else {
        return;
    };
    for field in record.fields.iter().flatten().take(LOOKED_INTO) {
        let (Some(name), None) = (&field.name, field.bits) else {
            continue;
        };
        let name = name.to_str().expect("a word of the text");
        let found = member(ty, name);
        let (found, offset) = found.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(offset, field.offset);
        assert!(found.get().same_as(ty.follow(&field.link).get()));
    }
}

/// A type's text says all that there is to say of it: no packed or aligned record without a tag, no
/// alignment by a typedef, no calling convention, nothing that is cut because it is too deep or long.
fn faithful(view: TypeRef<'_>, depth: u32) -> bool {
    if depth > 24 || view.node.main_variant.is_some() {
        return false;
    }
    match &view.node.data {
        Data::Scalar(_) => true,
        Data::Pointer { pointee, .. } => pointee
            .as_ref()
            .is_none_or(|link| faithful(view.follow(link), depth + 1)),
        Data::Array { element, .. } | Data::Vector { element, .. } => {
            faithful(view.follow(element), depth + 1)
        }
        // These have no declaration: the compiler knows their type by itself.
        Data::Record(record) => record.tag().is_some_and(|tag| {
            !tag.to_bytes().starts_with(b"__va_list") && tag != c"unsupported number"
        }),
        Data::Enum { tag, .. } => tag.is_some(),
        Data::Function(function) => {
            function.convention == Convention::Default
                && function.params.len() <= 64
                && function
                    .params
                    .iter()
                    .chain([&function.result])
                    .all(|link| {
                        let part = view.follow(link);
                        part.kind() != Kind::Function && faithful(part, depth + 1)
                    })
        }
    }
}

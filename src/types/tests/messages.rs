//! What people are told when a type cannot be made.

use super::{
    Member, Of, aligned, array, build, enumeration, flexible, m, make, pack, record, specs, union,
};
use crate::error::{Error, Status};
use crate::types::target::LINUX_X86_64;
use crate::types::{
    Convention, Function, Link, MAX_PARAMS, ParameterNames, RecordOptions, Scalar, TypeBuilder,
};
use Scalar::*;

fn builder() -> TypeBuilder {
    TypeBuilder::new(&LINUX_X86_64)
}

fn define(of: super::Record) -> Error {
    let mut types = builder();
    let link = types.declare_record(of.is_union, None);
    let specs = specs(&mut types, &of.members);
    let error = types.define_record(&link, specs, &of.options).unwrap_err();
    assert!(
        !types.get(&link).is_complete(),
        "what failed leaves nothing behind"
    );
    error
}

fn check(error: Error, status: Status, message: &str) {
    assert_eq!(
        (error.message.as_str(), error.status, error.os),
        (message, status, 0)
    );
}

fn refused(of: super::Record, message: &str) {
    check(define(of), Status::Argument, message);
}

#[test]
fn bit_fields() {
    refused(
        record(vec![m(Int), m(Int).bits(33)]),
        "member b: a bit-field of int has at most 32 bits, got 33",
    );
    refused(
        record(vec![m(Char).bits(9)]),
        "member a: a bit-field of char has at most 8 bits, got 9",
    );
    refused(
        record(vec![m(Bool).bits(2)]),
        "member a: a bit-field of _Bool has at most 1 bits, got 2",
    );
    refused(
        record(vec![m(Int), m(LongLong).bits(65).unnamed()]),
        "member 2: a bit-field of long long has at most 64 bits, got 65",
    );
    refused(
        record(vec![m(enumeration(UnsignedChar)).bits(9)]),
        "member a: a bit-field of unsigned char has at most 8 bits, got 9",
    );
    refused(
        record(vec![m(Float).bits(3)]),
        "member a: a bit-field's type is an integer, got float",
    );
    refused(
        record(vec![m(Pointer).bits(3)]),
        "member a: a bit-field's type is an integer, got void *",
    );
    refused(
        record(vec![m(record(vec![m(Int)])).bits(3)]),
        "member a: a bit-field's type is an integer, got struct { int a; } (4 bytes)",
    );
    refused(
        record(vec![m(Void).bits(0).unnamed()]),
        "member 1: a bit-field's type is an integer, got void",
    );
    refused(
        record(vec![m(Int).bits(0)]),
        "member a: a bit-field without bits has no name",
    );
}

#[test]
fn members_without_a_name() {
    refused(
        record(vec![m(Char), m(Int).unnamed()]),
        "member 2: int: only bit-fields, structs and unions can be members without a name",
    );
    make(
        &LINUX_X86_64,
        record(vec![
            m(Int).bits(3).unnamed(),
            m(record(vec![m(Int)])).unnamed(),
        ]),
    );
}

#[test]
fn alignments() {
    let expected = "expected a power of two, at most 268435456";
    refused(
        record(vec![m(Int).aligned(3)]),
        &format!("member a: alignment 3: {expected}"),
    );
    refused(
        record(vec![m(Int), m(Int).unnamed().aligned(1 << 29)]),
        &format!("member 2: alignment 536870912: {expected}"),
    );
    refused(
        aligned(record(vec![m(Int)]), 24),
        &format!("record: alignment 24: {expected}"),
    );
    refused(
        pack(record(vec![m(Int)]), 5),
        &format!("pack: alignment 5: {expected}"),
    );
    let largest = make(&LINUX_X86_64, record(vec![m(Int).aligned(1 << 28)]));
    assert_eq!(
        (largest.get().size(), largest.get().align()),
        (1 << 28, 1 << 28)
    );
}

#[test]
fn members_without_a_size() {
    let no_end = "an array without a length can only be a struct's last member";
    refused(
        record(vec![m(flexible(Int)), m(Int)]),
        &format!("member a: int[]: {no_end}"),
    );
    refused(
        union(vec![m(Int), m(flexible(Int))]),
        &format!("member b: int[]: {no_end}"),
    );
    refused(record(vec![m(Void)]), "member a: void: void has no size");
}

#[test]
fn members_that_are_unfinished() {
    let mut types = builder();
    let outer = types.declare_record(false, Some(c"outer".into()));
    let later = types.declare_record(false, Some(c"later".into()));
    let function = types.function(function(&types, vec![])).unwrap();
    let unfinished = types.enumeration(Some(c"e".into()), None);
    let incomplete = "its type is incomplete here, or contains itself; use a pointer to it";
    for (link, message) in [
        (&outer, format!("member a: struct outer: {incomplete}")),
        (&later, format!("member a: struct later: {incomplete}")),
        (&unfinished, format!("member a: enum e: {incomplete}")),
        (
            &function,
            "member a: int (void): a function cannot be a member; use a pointer to it".to_owned(),
        ),
    ] {
        let mut specs = specs(&mut types, &[m(Int)]);
        specs[0].link = link.clone();
        let error = types
            .define_record(&outer, specs, &RecordOptions::default())
            .unwrap_err();
        check(error, Status::Argument, &message);
    }
    let array = types.array(outer.clone(), Some(2)).unwrap_err();
    let message = "array element struct outer: its type is incomplete";
    check(array, Status::Argument, message);
}

#[test]
fn names_that_are_taken() {
    let mut types = builder();
    let link = types.declare_record(false, None);
    let mut two = specs(&mut types, &[m(Int), m(Char), m(Float)]);
    two[2].name = Some(c"a".into());
    let error = types
        .define_record(&link, two, &RecordOptions::default())
        .unwrap_err();
    check(error, Status::Argument, "member a is declared twice");
}

#[test]
fn records_that_cannot_be_defined() {
    let mut types = builder();
    let int = types.scalar(Int);
    let pointer = types.pointer(Some(int.clone()), Default::default());
    let options = RecordOptions::default();
    let error = types.define_record(&int, vec![], &options).unwrap_err();
    check(
        error,
        Status::Argument,
        "a record of another table cannot be changed",
    );
    let other = Link::Type(make(&LINUX_X86_64, record(vec![])));
    let error = types.define_record(&other, vec![], &options).unwrap_err();
    check(
        error,
        Status::Argument,
        "a record of another table cannot be changed",
    );
    let error = types.define_record(&pointer, vec![], &options).unwrap_err();
    check(error, Status::Argument, "not a struct or union");
}

#[test]
fn arrays() {
    let mut types = builder();
    let no_length = build(&mut types, &flexible(Int));
    let void = types.scalar(Void);
    let function = types.function(function(&types, vec![])).unwrap();
    let long = types.scalar(Long);
    for (element, length, status, message) in [
        (
            &no_length,
            Some(2),
            Status::Argument,
            "array element int[]: its type is incomplete",
        ),
        (
            &void,
            Some(2),
            Status::Argument,
            "array element void: void has no size",
        ),
        (
            &function,
            None,
            Status::Argument,
            "array element int (void): a function has no size; use a pointer to it",
        ),
        (
            &long,
            Some(u64::MAX),
            Status::Limit,
            "array of long: larger than 2^56 bytes",
        ),
        (
            &long,
            Some((1 << 53) + 1),
            Status::Limit,
            "array of long: larger than 2^56 bytes",
        ),
    ] {
        check(
            types.array(element.clone(), length).unwrap_err(),
            status,
            message,
        );
    }
    let largest = types.array(long, Some(1 << 53)).unwrap();
    assert_eq!(types.get(&largest).size(), 1 << 56);
}

#[test]
fn records_that_are_too_large() {
    let half = || m(array(Long, 1 << 52));
    let whole = make(&LINUX_X86_64, record(vec![half(), half()]));
    assert_eq!(whole.get().size(), 1 << 56);
    let error = define(record(vec![half(), half(), m(Char)]));
    check(
        error,
        Status::Limit,
        "member c: the record is larger than 2^56 bytes",
    );
}

#[test]
fn vectors() {
    let mut types = builder();
    let record = build(&mut types, &Of::Record(record(vec![m(Int)])));
    let mut refuse = |link: Link, lanes: u64, message: &str| {
        check(
            types.vector(link, lanes).unwrap_err(),
            Status::Argument,
            message,
        );
    };
    let scalar = |scalar| builder().scalar(scalar);
    let lane = "vector lane: expected an integer or a float, got";
    refuse(scalar(Bool), 4, &format!("{lane} _Bool"));
    refuse(scalar(LongDouble), 4, &format!("{lane} long double"));
    refuse(scalar(Pointer), 4, &format!("{lane} void *"));
    refuse(scalar(ComplexFloat), 4, &format!("{lane} float _Complex"));
    refuse(record, 4, &format!("{lane} struct {{ int a; }} (4 bytes)"));
    let most = "expected a power of two, and at most 65536 bytes";
    for lanes in [0, 3, 1 << 15, u64::MAX] {
        refuse(
            scalar(Int),
            lanes,
            &format!("vector of {lanes} lanes of int: {most}"),
        );
    }
}

fn function(types: &TypeBuilder, params: Vec<Link>) -> Function {
    Function {
        name: Default::default(),
        convention: Convention::Default,
        result: types.scalar(Int),
        fixed: params.len(),
        params,
        names: ParameterNames::default(),
        variadic: false,
        open: false,
        memo: Default::default(),
    }
}

#[test]
fn functions() {
    let mut types = builder();
    let int = types.scalar(Int);
    let void = types.scalar(Void);
    let array = types.array(int.clone(), Some(3)).unwrap();
    let inner = types.function(function(&types, vec![])).unwrap();
    for (param, message) in [
        (&void, "parameter 2: void: void is not a parameter's type"),
        (
            &array,
            "parameter 2: int[3] (12 bytes): an array cannot be passed by value; use a pointer to \
             its element",
        ),
        (
            &inner,
            "parameter 2: int (void): a function cannot be passed by value; use a pointer to it",
        ),
    ] {
        let params = vec![int.clone(), param.clone()];
        let error = types.function(function(&types, params)).unwrap_err();
        check(error, Status::Argument, message);
    }
    for (result, message) in [
        (
            array,
            "result: a function cannot return int[3] (12 bytes); use a pointer to it",
        ),
        (
            inner,
            "result: a function cannot return int (void); use a pointer to it",
        ),
    ] {
        let made = Function {
            result,
            ..function(&types, vec![])
        };
        check(types.function(made).unwrap_err(), Status::Argument, message);
    }
    types
        .function(function(&types, vec![int.clone(); MAX_PARAMS]))
        .unwrap();
    let error = types
        .function(function(&types, vec![int; MAX_PARAMS + 1]))
        .unwrap_err();
    check(error, Status::Limit, "65537 parameters: the limit is 65536");
}

/// The parser asks for one member at a time, and hears the same.
#[test]
fn one_member_by_itself() {
    let mut types = builder();
    let mut ask = |member: Member, is_union: bool, last: bool| {
        let spec = specs(&mut types, &[member]).remove(0);
        types
            .check_member(is_union, &spec, last)
            .map_err(|error| error.message)
    };
    assert_eq!(ask(m(flexible(Int)), false, true), Ok(()));
    let no_end = "int[]: an array without a length can only be a struct's last member".to_owned();
    assert_eq!(ask(m(flexible(Int)), false, false), Err(no_end.clone()));
    assert_eq!(ask(m(flexible(Int)), true, true), Err(no_end));
    assert_eq!(
        ask(m(Void), false, true),
        Err("void: void has no size".to_owned())
    );
}

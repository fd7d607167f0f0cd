//! Signatures made of types, and their errors in full.

use super::{m, make, record};
use crate::decl::{Declarations, parse_signature};
use crate::error::{Error, Status};
use crate::types::target::LINUX_X86_64;
use crate::types::{Convention, Scalar, Signature, Type};

fn scalar(scalar: Scalar) -> Type {
    Type::scalar(scalar, &LINUX_X86_64)
}

fn new(result: &Type, params: &[Type], fixed: usize) -> Result<Signature, Error> {
    Signature::new(&LINUX_X86_64, Convention::Default, result, params, fixed)
}

fn incomplete() -> Type {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations.add("struct later;").unwrap();
    declarations.find_type("struct later").unwrap()
}

fn check<T>(result: Result<T, Error>, message: &str) {
    let error = result.err().expect(message);
    assert_eq!(
        (error.message.as_str(), error.status),
        (message, Status::Argument)
    );
}

#[test]
fn a_signature_of_types() {
    let [int, double] = [Scalar::Int, Scalar::Double].map(scalar);
    let point = make(&LINUX_X86_64, record(vec![m(Scalar::Int), m(Scalar::Int)]));
    let params = [int.clone(), point, double.clone()];
    let signature = new(&double, &params, 3).unwrap();
    assert_eq!(
        signature.prototype(),
        "double (int, struct { int a; int b; }, double)"
    );
    assert_eq!(signature.describe(), signature.prototype());
    assert_eq!(signature.name(), c"");
    assert!(signature.param(2).get().same_as(double.get()));
    assert!(signature.result().get().same_as(double.get()));
    assert!(!signature.function().variadic && !signature.function().open);
    signature.check_callable().unwrap();

    let call = new(&int, &params, 1).unwrap();
    assert!(call.function().variadic && !call.function().open);
    assert_eq!(call.prototype(), "int (int, ...)");
    call.check_callable().unwrap();
    assert_eq!(new(&int, &[], 0).unwrap().prototype(), "int (void)");
}

#[test]
fn what_is_no_signature() {
    let [int, void] = [Scalar::Int, Scalar::Void].map(scalar);
    check(
        new(&int, std::slice::from_ref(&int), 2),
        "fixed: expected at most the number of parameters, 1, got 2",
    );
    check(
        new(&int, &[int.clone(), void], 2),
        "parameter 2: void: void is not a parameter's type",
    );
    let array = super::make(&LINUX_X86_64, super::array(Scalar::Int, 3));
    check(
        new(&int, std::slice::from_ref(&array), 1),
        "parameter 1: int[3] (12 bytes): an array cannot be passed by value; use a pointer to its \
         element",
    );
    check(
        new(&array, &[], 0),
        "result: a function cannot return int[3] (12 bytes); use a pointer to it",
    );
}

#[test]
fn extra_arguments_arrive_promoted() {
    let int = scalar(Scalar::Int);
    for (narrow, promoted) in [
        (Scalar::Float, "double"),
        (Scalar::Bool, "int"),
        (Scalar::Char, "int"),
        (Scalar::UnsignedChar, "int"),
        (Scalar::Short, "int"),
        (Scalar::UnsignedShort, "int"),
    ] {
        let name = narrow.spelling().to_str().unwrap();
        let message = format!(
            "parameter 2: expected {promoted}, to which C promotes an extra argument of a \
             variadic call, got {name}"
        );
        check(new(&int, &[int.clone(), scalar(narrow)], 1), &message);
        // A named parameter stays as narrow as it is.
        new(&int, &[int.clone(), scalar(narrow)], 2).unwrap();
        let printf = parse_signature(None, &LINUX_X86_64, "int printf(const char *, ...)").unwrap();
        check(
            printf.complete_variadic(&[scalar(narrow)]),
            &format!("printf: {message}"),
        );
    }
    let tiny = make(&LINUX_X86_64, super::enumeration(Scalar::UnsignedChar));
    check(
        new(&int, &[int.clone(), tiny], 1),
        "parameter 2: expected int, to which C promotes an extra argument of a variadic call, got \
         unsigned char",
    );
    // C does not promote _Float16.
    new(&int, &[int.clone(), scalar(Scalar::Float16)], 1).unwrap();
}

#[test]
fn a_variadic_signature_is_completed() {
    let printf = parse_signature(None, &LINUX_X86_64, "int printf(const char *, ...)").unwrap();
    check(
        printf.check_callable(),
        "the function is variadic: complete its signature with the types of the extra arguments \
         of one call (fc_signature_variadic)",
    );
    printf.check_types().unwrap();
    let call = printf
        .complete_variadic(&[scalar(Scalar::Double), scalar(Scalar::Int)])
        .unwrap();
    call.check_callable().unwrap();
    assert_eq!(call.name(), c"printf");
    let function = call.function();
    assert_eq!(
        (function.params.len(), function.fixed, function.variadic),
        (3, 1, true)
    );
    assert_eq!(call.prototype(), "int printf(const char *, ...)");

    // With nothing extra, and once more from a completed one.
    printf
        .complete_variadic(&[])
        .unwrap()
        .check_callable()
        .unwrap();
    let again = call.complete_variadic(&[scalar(Scalar::Long)]).unwrap();
    assert_eq!(again.function().params.len(), 2);
    assert_eq!(again.param(1).get().name(), c"long");
}

#[test]
fn a_variadic_signature_that_cannot_be_completed() {
    let puts = parse_signature(None, &LINUX_X86_64, "int puts(const char *)").unwrap();
    check(
        puts.complete_variadic(&[]),
        "puts is not variadic: its prototype does not end in \", ...\"",
    );
    let nameless = parse_signature(None, &LINUX_X86_64, "int (const char *)").unwrap();
    check(
        nameless.complete_variadic(&[]),
        "int (const char *) is not variadic: its prototype does not end in \", ...\"",
    );
    let printf = parse_signature(None, &LINUX_X86_64, "int printf(const char *, ...)").unwrap();
    check(
        printf.complete_variadic(&[scalar(Scalar::Int), scalar(Scalar::Void)]),
        "printf: parameter 3: void: void is not a parameter's type",
    );
}

#[test]
fn incomplete_types_do_not_travel() {
    let int = scalar(Scalar::Int);
    let why = "struct later is incomplete: its members are not known, so it has no size";
    let signature = new(&int, &[int.clone(), incomplete()], 2).unwrap();
    check(signature.check_callable(), &format!("parameter 2: {why}"));
    let signature = new(&incomplete(), &[], 0).unwrap();
    check(signature.check_callable(), &format!("result: {why}"));
    new(&scalar(Scalar::Void), &[], 0)
        .unwrap()
        .check_callable()
        .unwrap();
}

#[test]
fn a_pointer_to_a_function_has_its_signature() {
    let declarations = Declarations::new(&LINUX_X86_64);
    let find = |text: &str| declarations.find_type(text).unwrap();
    let signature = Signature::of(&find("int (*)(double)")).unwrap();
    assert_eq!(signature.prototype(), "int (double)");
    assert_eq!(
        Signature::of(&find("int (double)")).unwrap().prototype(),
        "int (double)"
    );
    for text in ["int", "void *", "int *", "int (**)(double)"] {
        assert!(Signature::of(&find(text)).is_none(), "{text}");
        assert!(Signature::of_function(find(text)).is_none(), "{text}");
    }
}

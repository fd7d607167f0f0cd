//! Signatures that get no assignment, and why, in full.

use super::{call, signature};
use crate::abi::assign;
use crate::decl::Declarations;
use crate::error::{Error, Status};
use crate::types::target::{APPLE_AARCH64, LINUX_AARCH64, LINUX_X86_64, WINDOWS_X86_64};
use crate::types::{Convention, Scalar, Signature, Target, Type};

fn check(signature: &Signature, status: Status, message: &str) {
    let Error {
        status: found,
        message: text,
        ..
    } = assign(signature).unwrap_err();
    assert_eq!((text.as_str(), found), (message, status));
}

#[test]
fn an_open_variadic_function() {
    let why = "the function is variadic: complete its signature with the types of the extra \
               arguments of one call (fc_signature_variadic)";
    let printf = signature("int printf(const char *, ...)");
    check(&printf, Status::Argument, &format!("printf: {why}"));
    check(&signature("int (const char *, ...)"), Status::Argument, why);
}

#[test]
fn incomplete_types() {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations.add("struct later;").unwrap();
    let later = declarations.find_type("struct later").unwrap();
    let int = Type::scalar(Scalar::Int, &LINUX_X86_64);
    let new = |result: &Type, params: &[Type]| {
        let count = params.len();
        Signature::new(&LINUX_X86_64, Convention::Default, result, params, count).unwrap()
    };
    let why = "struct later is incomplete: its members are not known, so it has no size";
    let parameter = new(&int, &[int.clone(), later.clone()]);
    check(&parameter, Status::Argument, &format!("parameter 2: {why}"));
    check(
        &new(&later, &[]),
        Status::Argument,
        &format!("result: {why}"),
    );
}

#[test]
fn vectors_of_512_bits() {
    let why =
        "float __attribute__((vector_size(64))) (64 bytes): 512-bit vectors are not supported";
    check(
        &signature("void f(int, m512)"),
        Status::Unsupported,
        &format!("f: parameter 2: {why}"),
    );
    check(
        &signature("m512 f(void)"),
        Status::Unsupported,
        &format!("f: result: {why}"),
    );
    let record = "struct { float __attribute__((vector_size(64))) a; } (64 bytes)";
    let message = format!("f: parameter 1: {record}: 512-bit vectors are not supported");
    check(
        &signature("void f(struct { m512 a; })"),
        Status::Unsupported,
        &message,
    );
    // Where it would travel in memory, there is nothing to refuse.
    assign(&signature("void f(struct { m512 a; char b; })")).unwrap();
    assign(&call("void f(int, ...)", &["m512"])).unwrap();
}

/// A convention belongs to a processor.
#[test]
fn conventions_of_other_processors() {
    let with = |target: &'static Target, convention| {
        let int = Type::scalar(Scalar::Int, target);
        Signature::new(target, convention, &int, &[], 0).unwrap()
    };
    check(
        &with(&LINUX_X86_64, Convention::Aapcs64),
        Status::Unsupported,
        "aapcs64 is a calling convention of aarch64; the target is x86_64-linux",
    );
    check(
        &with(&WINDOWS_X86_64, Convention::Apple64),
        Status::Unsupported,
        "apple64 is a calling convention of aarch64; the target is x86_64-windows-gnu",
    );
    check(
        &with(&LINUX_AARCH64, Convention::Win64),
        Status::Unsupported,
        "win64 is a calling convention of x86_64; the target is aarch64-linux",
    );
    check(
        &with(&APPLE_AARCH64, Convention::SysV64),
        Status::Unsupported,
        "sysv64 is a calling convention of x86_64; the target is arm64-apple",
    );
    let native = signature("int f(int) __attribute__((sysv_abi))");
    assert_eq!(
        assign(&native).unwrap(),
        assign(&signature("int f(int)")).unwrap()
    );
}

/// Copies of arguments stand on the stack too.
#[test]
fn too_much_by_reference() {
    let half = "struct { char a[134217728]; }";
    assign(&signature(&format!(
        "__attribute__((ms_abi)) void f({half} a, {half} b)"
    )))
    .unwrap();
    check(
        &signature(&format!(
            "__attribute__((ms_abi)) void f({half} a, {half} b, three_longs c)"
        )),
        Status::Limit,
        "f: parameter 3: struct { long a; long b; long c; } (24 bytes): the arguments that are \
         passed by reference need more than 268435456 bytes of stack",
    );
}

#[test]
fn too_much_stack() {
    let largest = "struct { char a[268435456]; }";
    assert_eq!(
        assign(&signature(&format!("void f({largest})")))
            .unwrap()
            .stack_size,
        1 << 28
    );
    check(
        &signature(&format!("void f({largest}, three_longs)")),
        Status::Limit,
        "f: parameter 2: struct { long a; long b; long c; } (24 bytes): the arguments need more \
         than 268435456 bytes of stack",
    );
    check(
        &signature("void f(struct { char a[36028797018963968]; })"),
        Status::Limit,
        "f: parameter 1: struct { char a[36028797018963968]; } (36028797018963968 bytes): the \
         arguments need more than 268435456 bytes of stack",
    );
    // Nobody passes a result on the stack, but a size has to fit where sizes are kept.
    check(
        &signature("struct { char a[36028797018963968]; } f(void)"),
        Status::Limit,
        "f: result: struct { char a[36028797018963968]; } (36028797018963968 bytes): larger than \
         4294967295 bytes",
    );
}

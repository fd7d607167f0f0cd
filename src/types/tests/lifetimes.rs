//! Tables are freed with the last type that needs them, circles or not.

use crate::decl::Declarations;
use crate::types::target::LINUX_X86_64;
use crate::types::{Convention, Data, Scalar, Signature, Type, TypeTable, member};
use std::sync::{Arc, Weak};

fn weak(ty: &Type) -> Weak<TypeTable> {
    Arc::downgrade(ty.table().unwrap())
}

fn find(source: &str, name: &str) -> Type {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations.add(source).unwrap();
    declarations.find_type(name).unwrap()
}

#[test]
fn a_table_goes_with_its_last_type() {
    let ty = find("struct s { int a; };", "struct s");
    let (table, copy) = (weak(&ty), ty.clone());
    drop(ty);
    assert_eq!(copy.get().size(), 4);
    assert!(table.upgrade().is_some());
    drop(copy);
    assert!(table.upgrade().is_none());
}

#[test]
fn recursive_types_are_freed() {
    let node = find(
        "struct a { struct b *b; struct a *a[2]; void (*f)(struct a *, struct b); };
         struct b { struct a *a; struct b *b; };",
        "struct a",
    );
    let table = weak(&node);
    // Followed all the way round, with names made on the way.
    let (to_b, _) = member(&node, "b").unwrap();
    let Data::Pointer {
        pointee: Some(link),
        ..
    } = &to_b.node().data
    else {
        panic!("no pointer");
    };
    let b = to_b.follow(link);
    assert_eq!(b.get().name(), c"struct b");
    assert_eq!(b.get().size(), 16);
    drop((node, to_b));
    assert!(table.upgrade().is_some());
    drop(b);
    assert!(table.upgrade().is_none());
}

#[test]
fn a_table_keeps_those_that_it_leads_to() {
    let inner = find("struct s { int a; };", "struct s");
    let table = weak(&inner);
    let signature = Signature::new(
        &LINUX_X86_64,
        Convention::Default,
        &Type::scalar(Scalar::Void, &LINUX_X86_64),
        std::slice::from_ref(&inner),
        1,
    )
    .unwrap();
    drop(inner);
    let param = signature.param(0);
    drop(signature);
    assert_eq!(param.get().name(), c"struct s");
    drop(param);
    assert!(table.upgrade().is_none());
}

#[test]
fn a_node_finds_its_type_while_that_lives() {
    let ty = find("struct s { int a; };", "struct s");
    let again = ty.node().to_type().unwrap();
    assert!(std::ptr::eq(again.node(), ty.node()));
    let int = Type::scalar(Scalar::Int, &LINUX_X86_64);
    assert!(std::ptr::eq(
        int.node().to_type().unwrap().node(),
        int.node()
    ));
    assert!(int.node().table().is_none());
}

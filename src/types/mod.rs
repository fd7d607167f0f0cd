//! What C types are: sizes, alignments, members. Nothing of registers.

mod equal;
mod layout;
mod name;
mod path;
mod scalar;
mod signature;
mod table;
pub mod target;

pub use layout::{FieldSpec, RecordOptions};
pub use path::member;
pub use scalar::{Kind, Scalar};
pub use signature::Signature;
pub use table::{
    Convention, Data, Field, Function, Link, MAX_ALIGN, MAX_PARAMS, MAX_SIZE, Node, Qualifiers,
    Record, Type, TypeBuilder, TypeRef, TypeTable,
};
pub use target::Target;

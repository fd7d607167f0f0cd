//! What C types are: sizes, alignments, members. Nothing of registers.

mod builder;
mod equal;
mod layout;
mod memo;
mod name;
mod path;
mod scalar;
mod signature;
mod table;
pub mod target;
#[cfg(test)]
mod tests;

pub use builder::{TypeBuilder, check_parameter_count};
pub use layout::{FieldSpec, RecordOptions};
pub use memo::Memo;
pub use path::member;
pub use scalar::{Kind, Scalar};
pub use signature::Signature;
pub use table::{
    Convention, Data, Enumerator, Field, Function, Link, MAX_ALIGN, MAX_NESTING, MAX_PARAMS,
    MAX_SIZE, Node, ParameterNames, Qualifiers, Record, Type, TypeRef, TypeTable,
};
pub use target::Target;

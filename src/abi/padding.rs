//! Aggregates that are only padding.

use crate::types::{Data, TypeRef};

/// An aggregate with bytes of which none belongs to a member: at most unnamed bit-fields, and members
/// of which that is true. Where no register is left for such a value gcc passes nothing on the stack, and
/// for a result that would be in memory no address, by either convention of x86-64; in registers it has
/// its place all the same.
pub(super) fn is_only_padding(ty: TypeRef<'_>) -> bool {
    match &ty.node.data {
        Data::Record(record) => record
            .fields
            .iter()
            .flatten()
            .all(|field| match field.bits {
                Some(_) => field.name.is_none(),
                None => is_only_padding(ty.follow(&field.link)),
            }),
        Data::Array {
            length: Some(0), ..
        } => true,
        Data::Array { element, .. } => is_only_padding(ty.follow(element)),
        _ => false,
    }
}

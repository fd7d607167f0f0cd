//! When two types are the same, and when two declarations of one thing agree.

use super::table::{Data, Node, TypeRef};
use std::collections::HashSet;

impl TypeRef<'_> {
    /// The same structure and tags, with the qualifiers of pointees. Scalars are the same if their
    /// kinds are: `long` and `long long` are on LP64.
    pub fn same_as(self, other: TypeRef<'_>) -> bool {
        agree(self, other, true)
    }

    /// The same, but that what is incomplete in one of them agrees with what is complete in the
    /// other (C11, 6.2.7).
    pub fn compatible_with(self, other: TypeRef<'_>) -> bool {
        agree(self, other, false)
    }
}

/// Types in circles and types nested however deep are fine: what is still to compare stands in a
/// list.
fn agree(a: TypeRef<'_>, b: TypeRef<'_>, strict: bool) -> bool {
    let mut pairs = vec![(a, b)];
    let mut assumed: HashSet<(*const Node, *const Node)> = HashSet::new();
    while let Some((a, b)) = pairs.pop() {
        if std::ptr::eq(a.node, b.node) {
            continue;
        }
        let compared = strict || a.is_complete() && b.is_complete();
        if compared && (a.size(), a.align()) != (b.size(), b.align()) {
            return false;
        }
        match (&a.node.data, &b.node.data) {
            (Data::Record(x), Data::Record(y)) => {
                if (x.is_union, &x.tag) != (y.is_union, &y.tag) {
                    return false;
                }
                let (Some(of_x), Some(of_y)) = (&x.fields, &y.fields) else {
                    // One is only declared, or both.
                    let both = x.fields.is_none() && y.fields.is_none();
                    if x.tag.is_none() || strict && !both {
                        return false;
                    }
                    continue;
                };
                if !assumed.insert((a.node, b.node)) {
                    continue;
                }
                if of_x.len() != of_y.len() {
                    return false;
                }
                for (x, y) in of_x.iter().zip(of_y) {
                    if (&x.name, x.offset, x.bit_offset, x.bits)
                        != (&y.name, y.offset, y.bit_offset, y.bits)
                    {
                        return false;
                    }
                    pairs.push((a.follow(&x.link), b.follow(&y.link)));
                }
            }
            (Data::Function(x), Data::Function(y)) => {
                if (x.convention, x.variadic, x.params.len())
                    != (y.convention, y.variadic, y.params.len())
                    || strict && x.fixed != y.fixed
                {
                    return false;
                }
                // Functions nested in one another may be met more often than can be counted.
                if !assumed.insert((a.node, b.node)) {
                    continue;
                }
                pairs.push((a.follow(&x.result), b.follow(&y.result)));
                for (x, y) in x.params.iter().zip(&y.params) {
                    pairs.push((a.follow(x), b.follow(y)));
                }
            }
            (
                Data::Pointer {
                    pointee: x,
                    qualifiers: of_x,
                },
                Data::Pointer {
                    pointee: y,
                    qualifiers: of_y,
                },
            ) => match (x, y) {
                _ if of_x != of_y => return false,
                (None, None) => {}
                (Some(x), Some(y)) => pairs.push((a.follow(x), b.follow(y))),
                _ => return false,
            },
            (
                Data::Array {
                    element: x,
                    length: of_x,
                },
                Data::Array {
                    element: y,
                    length: of_y,
                },
            ) => {
                let compared = strict || of_x.is_some() && of_y.is_some();
                if compared && of_x != of_y {
                    return false;
                }
                pairs.push((a.follow(x), b.follow(y)));
            }
            (
                Data::Vector {
                    element: x,
                    lanes: of_x,
                },
                Data::Vector {
                    element: y,
                    lanes: of_y,
                },
            ) => {
                if of_x != of_y {
                    return false;
                }
                pairs.push((a.follow(x), b.follow(y)));
            }
            (Data::Enum { tag: x, .. }, Data::Enum { tag: y, .. }) => {
                if x != y || compared && a.value_kind() != b.value_kind() {
                    return false;
                }
            }
            // An enumeration agrees with the integer type that it is (C11, 6.7.2.2p4).
            (Data::Scalar(_) | Data::Enum { .. }, Data::Scalar(_) | Data::Enum { .. }) => {
                if strict && a.kind() != b.kind() || a.value_kind() != b.value_kind() {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

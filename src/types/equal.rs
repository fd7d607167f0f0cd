//! When two types are the same: structure, tags and the qualifiers of pointees.

use super::table::{Data, Function, Record, TypeRef};

impl TypeRef<'_> {
    /// The same structure and tag. Scalars are the same if their kinds are: `long` and
    /// `long long` are on LP64.
    pub fn same_as(self, other: TypeRef<'_>) -> bool {
        same(self, other, &mut Vec::new())
    }
}

/// `assumed` holds the pairs of records whose comparison is under way: types may contain pointers
/// to themselves.
fn same<'a>(
    a: TypeRef<'a>,
    b: TypeRef<'a>,
    assumed: &mut Vec<(*const super::Node, *const super::Node)>,
) -> bool {
    if std::ptr::eq(a.node, b.node) {
        return true;
    }
    if (a.size(), a.align()) != (b.size(), b.align()) {
        return false;
    }
    match (&a.node.data, &b.node.data) {
        (Data::Scalar(_), Data::Scalar(_)) => a.kind() == b.kind(),
        (
            Data::Pointer {
                pointee: to_a,
                qualifiers: of_a,
            },
            Data::Pointer {
                pointee: to_b,
                qualifiers: of_b,
            },
        ) => {
            of_a == of_b
                && match (to_a, to_b) {
                    (None, None) => true,
                    (Some(to_a), Some(to_b)) => same(a.follow(to_a), b.follow(to_b), assumed),
                    _ => false,
                }
        }
        (
            Data::Array {
                element: of_a,
                length: length_a,
            },
            Data::Array {
                element: of_b,
                length: length_b,
            },
        ) => length_a == length_b && same(a.follow(of_a), b.follow(of_b), assumed),
        (
            Data::Vector {
                element: of_a,
                lanes: lanes_a,
            },
            Data::Vector {
                element: of_b,
                lanes: lanes_b,
            },
        ) => lanes_a == lanes_b && same(a.follow(of_a), b.follow(of_b), assumed),
        (Data::Enum { tag: tag_a, .. }, Data::Enum { tag: tag_b, .. }) => {
            tag_a == tag_b && a.value_kind() == b.value_kind()
        }
        (Data::Record(record_a), Data::Record(record_b)) => {
            let pair = (std::ptr::from_ref(a.node), std::ptr::from_ref(b.node));
            if assumed.contains(&pair) {
                return true;
            }
            assumed.push(pair);
            same_records(a, record_a, b, record_b, assumed)
        }
        (Data::Function(function_a), Data::Function(function_b)) => {
            same_functions(a, function_a, b, function_b, assumed)
        }
        _ => false,
    }
}

fn same_records<'a>(
    a: TypeRef<'a>,
    record_a: &'a Record,
    b: TypeRef<'a>,
    record_b: &'a Record,
    assumed: &mut Vec<(*const super::Node, *const super::Node)>,
) -> bool {
    if (record_a.is_union, &record_a.tag) != (record_b.is_union, &record_b.tag) {
        return false;
    }
    match (&record_a.fields, &record_b.fields) {
        (None, None) => true,
        (Some(fields_a), Some(fields_b)) => {
            fields_a.len() == fields_b.len()
                && fields_a.iter().zip(fields_b).all(|(x, y)| {
                    (&x.name, x.offset, x.bit_offset, x.bits)
                        == (&y.name, y.offset, y.bit_offset, y.bits)
                        && same(a.follow(&x.link), b.follow(&y.link), assumed)
                })
        }
        _ => false,
    }
}

fn same_functions<'a>(
    a: TypeRef<'a>,
    function_a: &'a Function,
    b: TypeRef<'a>,
    function_b: &'a Function,
    assumed: &mut Vec<(*const super::Node, *const super::Node)>,
) -> bool {
    function_a.convention == function_b.convention
        && (function_a.variadic, function_a.fixed) == (function_b.variadic, function_b.fixed)
        && function_a.params.len() == function_b.params.len()
        && same(
            a.follow(&function_a.result),
            b.follow(&function_b.result),
            assumed,
        )
        && function_a
            .params
            .iter()
            .zip(&function_b.params)
            .all(|(x, y)| same(a.follow(x), b.follow(y), assumed))
}

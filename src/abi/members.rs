//! The members of an aggregate that lie in a range of its bytes, by name, for people.

use crate::types::{Data, TypeRef};
use std::fmt::Write;
use std::ops::Range;

/// More names than these are not listed.
const MOST: usize = 8;

/// `.x .y`, `.at[0..3]`, `.flags:3`; "padding" where there is no member.
pub(super) fn in_range(ty: TypeRef<'_>, bytes: Range<u64>) -> String {
    let mut search = Search {
        bytes,
        names: Vec::new(),
        more: false,
    };
    search.visit(ty, 0, &mut String::new());
    if search.names.is_empty() {
        return "padding".to_owned();
    }
    if search.more {
        search.names.push("...".to_owned());
    }
    search.names.join(" ")
}

struct Search {
    bytes: Range<u64>,
    names: Vec<String>,
    more: bool,
}

impl Search {
    fn overlaps(&self, start: u64, size: u64) -> bool {
        start < self.bytes.end && start + size > self.bytes.start
    }

    fn found(&mut self, name: &str) {
        if self.names.len() < MOST {
            self.names.push(name.to_owned());
        } else {
            self.more = true;
        }
    }

    fn visit(&mut self, ty: TypeRef<'_>, start: u64, path: &mut String) {
        if self.more || !self.overlaps(start, ty.size()) {
            return;
        }
        match &ty.node.data {
            Data::Record(record) => {
                for field in record.fields.iter().flatten() {
                    let length = path.len();
                    if let Some(name) = &field.name {
                        let _ = write!(path, ".{}", name.to_string_lossy());
                    }
                    let at = start + field.offset;
                    match field.bits {
                        Some(bits) => {
                            let size = u64::from(field.bit_offset + bits).div_ceil(8);
                            if field.name.is_some() && self.overlaps(at, size) {
                                self.found(&format!("{path}:{bits}"));
                            }
                        }
                        None => self.visit(ty.follow(&field.link), at, path),
                    }
                    path.truncate(length);
                }
            }
            Data::Array { element, .. } => self.elements(ty, ty.follow(element), start, path),
            Data::Vector { element, .. } => self.elements(ty, ty.follow(element), start, path),
            _ => self.found(path),
        }
    }

    /// Elements may be many: only those in the range are looked at, and scalars are one name.
    fn elements(
        &mut self,
        whole: TypeRef<'_>,
        element: TypeRef<'_>,
        start: u64,
        path: &mut String,
    ) {
        let size = element.size();
        if size == 0 {
            return;
        }
        let end = self.bytes.end.min(start + whole.size());
        let first = self.bytes.start.saturating_sub(start) / size;
        let last = (end - start).div_ceil(size).saturating_sub(1);
        let is_aggregate = matches!(
            element.node.data,
            Data::Record(_) | Data::Array { .. } | Data::Vector { .. }
        );
        let length = path.len();
        if !is_aggregate {
            let _ = match first == last {
                true => write!(path, "[{first}]"),
                false => write!(path, "[{first}..{last}]"),
            };
            self.found(path);
            path.truncate(length);
            return;
        }
        for index in first..=last {
            let _ = write!(path, "[{index}]");
            self.visit(element, start + index * size, path);
            path.truncate(length);
            if self.more {
                return;
            }
        }
    }
}

//! Types as C text: `int (*)(const char *, ...)`.

use super::table::{Convention, Data, Function, Qualifiers, Record, TypeRef};
use std::borrow::Cow;
use std::ffi::{CStr, CString};

/// Deeper than this, a type's text is cut with `...`.
const MAX_DEPTH: u32 = 32;
/// So are lists of members and parameters that are longer than this in bytes: with each level
/// they could grow twofold.
const MAX_LIST: usize = 4096;

impl<'a> TypeRef<'a> {
    /// The type as C text. It lives as long as the type.
    pub fn name(self) -> &'a CStr {
        self.node.text.get_or_init(|| {
            // Identifiers have no NUL, and neither has what stands between them.
            CString::new(self.declare("")).unwrap_or_default()
        })
    }

    /// A declaration of something of this type: `declare("x")` of an array of three ints is
    /// `int x[3]`.
    pub fn declare(self, declarator: &str) -> String {
        let text = declaration(self, declarator.to_owned(), 0);
        match &self.node.data {
            Data::Function(function) => match attribute(function.convention) {
                Some(attribute) => format!("{text} {attribute}"),
                None => text,
            },
            _ => text,
        }
    }
}

fn text(bytes: &CStr) -> Cow<'_, str> {
    bytes.to_string_lossy()
}

/// How C text asks for a convention, if it can.
fn attribute(convention: Convention) -> Option<&'static str> {
    match convention {
        Convention::Win64 => Some("__attribute__((ms_abi))"),
        Convention::SysV64 => Some("__attribute__((sysv_abi))"),
        _ => None,
    }
}

fn qualifier_prefix(qualifiers: Qualifiers) -> &'static str {
    match (qualifiers.is_const, qualifiers.is_volatile) {
        (false, false) => "",
        (true, false) => "const ",
        (false, true) => "volatile ",
        (true, true) => "const volatile ",
    }
}

/// `specifiers declarator`, with a space between them where C's customs want one.
fn join(specifiers: &str, declarator: &str) -> String {
    if declarator.is_empty() {
        specifiers.to_owned()
    } else if declarator.starts_with('[') || specifiers.ends_with('*') {
        format!("{specifiers}{declarator}")
    } else {
        format!("{specifiers} {declarator}")
    }
}

fn declaration(ty: TypeRef<'_>, declarator: String, depth: u32) -> String {
    qualified(ty, Qualifiers::default(), declarator, depth)
}

fn qualified(ty: TypeRef<'_>, qualifiers: Qualifiers, declarator: String, depth: u32) -> String {
    if depth > MAX_DEPTH {
        return join("...", &declarator);
    }
    let prefix = qualifier_prefix(qualifiers);
    match &ty.node.data {
        Data::Scalar(super::Scalar::Pointer) if !prefix.is_empty() => {
            join(&format!("void *{}", prefix.trim_end()), &declarator)
        }
        Data::Scalar(scalar) => join(&format!("{prefix}{}", text(scalar.spelling())), &declarator),
        Data::Pointer {
            pointee,
            qualifiers: of_pointee,
        } => {
            // The pointer's own qualifiers stand behind its star.
            let own = if prefix.is_empty() {
                String::new()
            } else {
                prefix.trim_end().to_owned()
            };
            let spaced = if own.is_empty() || declarator.is_empty() {
                ""
            } else {
                " "
            };
            let starred = format!("*{own}{spaced}{declarator}");
            let Some(link) = pointee else {
                return join(&format!("{}void", qualifier_prefix(*of_pointee)), &starred);
            };
            let target = ty.follow(link);
            // Brackets and parameter lists bind tighter than the star.
            let binds = matches!(target.node.data, Data::Array { .. } | Data::Function(_));
            let asked = match &target.node.data {
                Data::Function(function) => attribute(function.convention),
                _ => None,
            };
            let starred = match (binds, asked) {
                (_, Some(attribute)) => format!("({attribute} {starred})"),
                (true, None) => format!("({starred})"),
                (false, None) => starred,
            };
            qualified(target, *of_pointee, starred, depth + 1)
        }
        Data::Array { element, length } => {
            let length = length.map_or(String::new(), |length| length.to_string());
            qualified(
                ty.follow(element),
                qualifiers,
                format!("{declarator}[{length}]"),
                depth + 1,
            )
        }
        Data::Vector { element, .. } => {
            let lane = text(ty.follow(element).name()).into_owned();
            let vector = format!("{prefix}{lane} __attribute__((vector_size({})))", ty.size());
            join(&vector, &declarator)
        }
        Data::Record(record) => join(
            &format!("{prefix}{}", record_text(ty, record, depth)),
            &declarator,
        ),
        Data::Enum {
            tag, underlying, ..
        } => {
            let name = match (tag, underlying) {
                (Some(tag), _) => format!("enum {}", text(tag)),
                (None, Some(scalar)) => text(scalar.spelling()).into_owned(),
                (None, None) => "enum".to_owned(),
            };
            join(&format!("{prefix}{name}"), &declarator)
        }
        Data::Function(function) => {
            let params = parameters(ty, function, depth + 1);
            let declarator = format!("{declarator}({params})");
            declaration(ty.follow(&function.result), declarator, depth + 1)
        }
    }
}

fn record_text(ty: TypeRef<'_>, record: &Record, depth: u32) -> String {
    let keyword = if record.is_union { "union" } else { "struct" };
    if let Some(tag) = &record.tag {
        return format!("{keyword} {}", text(tag));
    }
    let Some(fields) = &record.fields else {
        return keyword.to_owned();
    };
    let mut body = String::new();
    for field in fields {
        if body.len() > MAX_LIST {
            body.push_str("... ");
            break;
        }
        let name = field
            .name
            .as_deref()
            .map_or(String::new(), |name| text(name).into_owned());
        if field.align != 0 && field.bits.is_none() {
            body.push_str(&format!("_Alignas({}) ", field.align));
        }
        body.push_str(&declaration(ty.follow(&field.link), name, depth + 1));
        if let Some(bits) = field.bits {
            body.push_str(&format!(" : {bits}"));
        }
        body.push_str("; ");
    }
    format!("{keyword} {{ {body}}}")
}

fn parameters(ty: TypeRef<'_>, function: &Function, depth: u32) -> String {
    let mut list: Vec<String> = Vec::new();
    let mut length = 0;
    for param in &function.params[..function.fixed] {
        if length > MAX_LIST {
            list.push("...".to_owned());
            break;
        }
        let text = declaration(ty.follow(param), String::new(), depth);
        length += text.len();
        list.push(text);
    }
    if function.variadic {
        list.push("...".to_owned());
    }
    if list.is_empty() {
        return "void".to_owned();
    }
    list.join(", ")
}

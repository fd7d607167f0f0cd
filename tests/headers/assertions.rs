//! C text that says what the parser has understood: assertions, of which each is true for the
//! compiler or stops it.

use farcall::decl::{DeclarationKind, Declarations};
use farcall::types::{Convention, Data, Kind, Record, TypeRef};
use std::fmt::Write;

/// The text, and how much it asserts.
#[derive(Default)]
pub(crate) struct Assertions {
    pub(crate) text: String,
    pub(crate) types: usize,
    pub(crate) members: usize,
    pub(crate) functions: usize,
}

/// All declared names.
fn names(declarations: &Declarations) -> impl Iterator<Item = (DeclarationKind, &str)> {
    (0..declarations.len()).map(|index| {
        let (kind, name) = declarations.at(index).expect("less than the length");
        (kind, name.to_str().expect("a word"))
    })
}

/// An assertion for each constant.
pub(crate) fn constants(declarations: &Declarations) -> String {
    let mut text = String::new();
    for (kind, name) in names(declarations) {
        if kind == DeclarationKind::Constant {
            constant(&mut text, declarations, name);
        }
    }
    text
}

fn constant(text: &mut String, declarations: &Declarations, name: &str) {
    let value = declarations.constant(name).expect("it is listed as one");
    assert_that(
        text,
        &format!("(unsigned long long)({name}) == {}ULL", value as u64),
    );
}

/// Assertions for all that was declared.
pub(crate) fn everything(declarations: &Declarations) -> Assertions {
    let mut all = Assertions::default();
    for (kind, name) in names(declarations) {
        match kind {
            DeclarationKind::Type => {
                let ty = declarations.find_type(name).expect("it is listed as one");
                let view = ty.get();
                // Numbers that only the compiler knows have no layout here.
                if !view.is_complete() {
                    continue;
                }
                all.types += 1;
                size(&mut all.text, name, view);
                let align = format!("__alignof__({name}) == {}", view.align());
                assert_that(&mut all.text, &align);
                members(&mut all, name, view, "", 0);
            }
            DeclarationKind::Function => {
                // What the compiler makes itself has no type that could be asked for.
                if name.starts_with("_mm_") {
                    continue;
                }
                let function = declarations.function(name).expect("it is listed as one");
                if same_type(&mut all.text, &format!("({name})"), function.get()) {
                    all.functions += 1;
                }
            }
            DeclarationKind::Variable => {
                let ty = declarations.find_type(&format!("__typeof__({name})"));
                let ty = ty.expect("it is listed as one");
                if ty.get().is_complete() {
                    size(&mut all.text, name, ty.get());
                }
                same_type(&mut all.text, name, ty.get());
            }
            DeclarationKind::Constant => constant(&mut all.text, declarations, name),
        }
    }
    all
}

fn assert_that(text: &mut String, condition: &str) {
    let said = condition.replace('"', "'");
    writeln!(text, "_Static_assert({condition}, \"{said}\");").expect("a string takes all");
}

fn size(text: &mut String, what: &str, view: TypeRef<'_>) {
    assert_that(text, &format!("sizeof({what}) == {}", view.size()));
}

/// The compiler has the same type for it, if the type can be written in a line. Whether it could.
fn same_type(text: &mut String, what: &str, view: TypeRef<'_>) -> bool {
    let plain = is_plain(view);
    if plain {
        let ours = view.name().to_str().expect("words");
        // Tags that compilers have for themselves. As a parameter the one is a pointer.
        let ours = ours
            .replace("struct __va_list_tag[1]", "__builtin_va_list")
            .replace("struct __va_list_tag *", "__builtin_va_list")
            .replace("struct __va_list", "__builtin_va_list");
        let same = format!("__builtin_types_compatible_p(__typeof__({what}), {ours})");
        assert_that(text, &same);
    }
    plain
}

/// The text of the type means the same type anywhere: there is no record without a tag in it, whose
/// members would have to be written out.
fn is_plain(view: TypeRef<'_>) -> bool {
    if view.node.main_variant.is_some() {
        return false;
    }
    match &view.node.data {
        Data::Scalar(_) => true,
        Data::Pointer { pointee, .. } => pointee
            .as_ref()
            .is_none_or(|link| is_plain(view.follow(link))),
        Data::Array { element, .. } | Data::Vector { element, .. } => {
            is_plain(view.follow(element))
        }
        Data::Record(record) => record.tag.is_some() && !is_unknown(record),
        Data::Enum { tag, .. } => tag.is_some(),
        Data::Function(function) => {
            function.convention == Convention::Default
                && function
                    .params
                    .iter()
                    .chain([&function.result])
                    .all(|link| is_plain(view.follow(link)))
        }
    }
}

fn is_unknown(record: &Record) -> bool {
    record.tag() == Some(c"unsupported number")
}

/// The members of `inner`, which stands at a path and offset in the type `name`.
fn members(all: &mut Assertions, name: &str, inner: TypeRef<'_>, path: &str, base: u64) {
    let Data::Record(record) = &inner.node.data else {
        return;
    };
    for field in record.fields.iter().flatten() {
        if field.bits.is_some() {
            continue;
        }
        let ty = inner.follow(&field.link);
        let offset = base + field.offset;
        let path = match &field.name {
            Some(own) => {
                let own = own.to_str().expect("a word");
                let path = match path {
                    "" => own.to_owned(),
                    _ => format!("{path}.{own}"),
                };
                all.members += 1;
                let place = format!("__builtin_offsetof({name}, {path}) == {offset}");
                assert_that(&mut all.text, &place);
                let member = format!("(({name} *)0)->{path}");
                if ty.is_complete() {
                    size(&mut all.text, &member, ty);
                }
                same_type(&mut all.text, &member, ty);
                path
            }
            None => path.to_owned(),
        };
        let untagged = matches!(&ty.node.data, Data::Record(record) if record.tag.is_none());
        if field.name.is_none() || untagged && matches!(ty.kind(), Kind::Struct | Kind::Union) {
            members(all, name, ty, &path, offset);
        }
    }
}

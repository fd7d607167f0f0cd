//! What the declarations on the command line say: types, functions, constants and macros.

use crate::Failure;
use crate::expression;
use crate::macros::Macros;
use crate::preprocessor::preprocessed;
use farcall::decl::{DeclarationKind, Declarations};
use farcall::nearest::nearest;
use farcall::types::{Data, Enumerator, Signature, Target, TypeRef};
use std::io::Read;

/// Declarations, and the macros of headers.
pub(crate) struct Context {
    pub(crate) declarations: Declarations,
    macros: Macros,
}

/// Where declarations come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// Files; `-` is the standard input.
    pub(crate) files: Vec<String>,
    /// The C preprocessor goes over them first.
    pub(crate) preprocess: bool,
}

impl Context {
    /// Nothing but what C's own headers name.
    pub(crate) fn empty(target: &'static Target) -> Context {
        Context {
            declarations: Declarations::new(target),
            macros: Macros::default(),
        }
    }

    /// All that the files declare.
    pub(crate) fn load(sources: &Sources, target: &'static Target) -> Result<Context, Failure> {
        let mut context = Context::empty(target);
        for file in &sources.files {
            let source = match sources.preprocess {
                true => context.macros.take(&preprocessed(file, target)?),
                false => text(file)?,
            };
            context.add(&source).map_err(|error| {
                let name = name(file);
                let message = error.message;
                // The place is one in what the preprocessor makes of the file.
                if sources.preprocess {
                    return Failure::Failed(in_its_file(&message).unwrap_or_else(|| {
                        format!("{name}, preprocessed:{message}")
                    }));
                }
                match is_unprocessed(&source) {
                    true => Failure::Failed(format!(
                        "{name}:{message}\n--cpp runs the preprocessor over it, and so does: cc -E -P \
                         {file} | farcall ... --decls - ..."
                    )),
                    false => Failure::Failed(format!("{name}:{message}")),
                }
            })?;
        }
        Ok(context)
    }

    /// The declarations, if there are any.
    pub(crate) fn declarations(&self) -> Option<&Declarations> {
        (!self.declarations.is_empty()).then_some(&self.declarations)
    }

    /// What to say of a prototype that is refused.
    pub(crate) fn refused(&self, error: farcall::error::Error, prototype: &str) -> Failure {
        let message = error.message;
        if let Some((name, _)) = message.split_once(": a name alone needs declarations") {
            return Failure::Failed(format!(
                "{name}: a name alone says nothing of its types; give its prototype, as 'int \
                 {name}(int)', or a header that declares it: --decls FILE.h"
            ));
        }
        // A place in the text needs to say in which.
        let is_place = message.starts_with(|first: char| first.is_ascii_digit());
        let mut message = if is_place {
            format!("prototype:{message}")
        } else {
            message
        };
        if let Some(name) = leading_name(prototype)
            && message.contains(&format!(": unknown type name \"{name}\""))
        {
            message.push_str("\nthe type of the result comes before the function's name, as in C");
        } else if message.contains(": unknown type") && self.declarations.is_empty() {
            message.push_str("\nthe types of a header come with --cpp --decls FILE.h");
        }
        Failure::Failed(message)
    }

    /// The value of a constant expression, or what is wrong with it.
    pub(crate) fn evaluate(&self, expression: &str) -> Result<i128, String> {
        let value = self.declarations.evaluate(expression);
        let value = match (value, self.macros.expanded(expression)) {
            (Err(_), Some(expanded)) => self.declarations.evaluate(&expanded),
            (value, _) => value,
        };
        value.map_err(|error| {
            let what = expression::what(&error.message);
            let unknown = what.strip_prefix("unknown constant \"");
            let unknown = unknown.and_then(|rest| rest.strip_suffix('"'));
            match unknown.and_then(|name| self.nearest(name)) {
                Some(near) => format!("{what}; did you mean \"{near}\"?"),
                None => what.to_owned(),
            }
        })
    }

    /// The constant that a wrong name is most like.
    pub(crate) fn nearest(&self, name: &str) -> Option<String> {
        let all = (0..self.declarations.len()).filter_map(|index| self.declarations.at(index));
        let declared = all
            .filter(|(kind, _)| *kind == DeclarationKind::Constant)
            .filter_map(|(_, name)| name.to_str().ok());
        // What begins with underscores is the compiler's own.
        let macros = self.macros.names().filter(|own| {
            own.starts_with("__") == name.starts_with("__")
                && self
                    .macros
                    .expanded(own)
                    .is_some_and(|expanded| self.declarations.evaluate(&expanded).is_ok())
        });
        nearest(name, declared.chain(macros)).map(str::to_owned)
    }

    /// No macros of a header are known.
    pub(crate) fn has_no_header(&self) -> bool {
        self.macros.names().next().is_none()
    }

    /// A name is that of an enumerator or of a macro.
    pub(crate) fn is_constant(&self, name: &str) -> bool {
        self.macros.has(name) || self.declarations.constant(name).is_ok()
    }

    /// What a macro stands for.
    pub(crate) fn expanded(&self, name: &str) -> Option<String> {
        self.macros.expanded(name)
    }

    /// Adds a prototype's own types and constants, as far as they stand by themselves.
    pub(crate) fn add_prototype(&mut self, prototype: &str) {
        let text = prototype.trim().trim_end_matches(';');
        // What is wrong with it is found where the prototype is read.
        let _ = self.add(&format!("{text};"));
    }

    fn add(&mut self, source: &str) -> farcall::error::Result<()> {
        self.declarations.add(source)
    }
}

/// The constants of an enumeration; none of another type, or of one that is not complete.
pub(crate) fn constants(ty: TypeRef<'_>) -> &[Enumerator] {
    match &ty.node.data {
        Data::Enum { constants, .. } => constants,
        _ => &[],
    }
}

/// The name of an enumeration's constant with this value.
pub(crate) fn constant(ty: TypeRef<'_>, value: i128) -> Option<&str> {
    let mut constants = constants(ty).iter();
    constants
        .find(|one| one.value == value)
        .map(|one| &*one.name)
}

/// The names of a function's parameters, `None` for those that have none.
pub(crate) fn parameter_names(signature: &Signature) -> Vec<Option<String>> {
    let function = signature.function();
    let names = (0..function.params.len()).map(|index| function.names.get(index));
    // Headers of the system begin all names with underscores, which mean nothing.
    let bare = names.map(|name| {
        let name = name?;
        Some(match name.trim_start_matches('_') {
            "" => name.to_owned(),
            bare if bare.starts_with(|first: char| first.is_ascii_digit()) => name.to_owned(),
            bare => bare.to_owned(),
        })
    });
    bare.collect()
}

/// The text has directives that the preprocessor would have taken away, and no line markers, which
/// tell that it has been there: with -dD it leaves #define.
fn is_unprocessed(source: &str) -> bool {
    let mut has_others = false;
    for line in source.lines() {
        let Some(rest) = line.trim_start().strip_prefix('#') else {
            continue;
        };
        let word = rest.trim_start();
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            return false;
        }
        has_others |= !word.starts_with("pragma") && !word.starts_with("line");
    }
    has_others
}

/// `386:7 (bad.h:1): expected ...` as `bad.h:1:7: expected ...`; `None` without a file's own place.
fn in_its_file(message: &str) -> Option<String> {
    let (place, rest) = message.split_once(" (")?;
    let (_, column) = place.split_once(':')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (file, what) = rest.split_once("): ")?;
    is_number(column).then(|| format!("{file}:{column}: {what}"))
}

/// The name in `pow(double, double)`.
fn leading_name(prototype: &str) -> Option<&str> {
    let is_in_name = |letter: char| letter == '_' || letter.is_alphanumeric();
    let text = prototype.trim_start();
    let rest = text.trim_start_matches(is_in_name);
    let name = &text[..text.len() - rest.len()];
    (!name.is_empty() && rest.trim_start().starts_with('(')).then_some(name)
}

/// A file's name for a message.
pub(crate) fn name(file: &str) -> &str {
    if file == "-" { "standard input" } else { file }
}

fn text(file: &str) -> Result<String, Failure> {
    let failed = |error: std::io::Error| {
        Failure::Failed(format!("declarations {}: {}", name(file), reason(&error)))
    };
    let mut bytes = Vec::new();
    match file {
        "-" => std::io::stdin().read_to_end(&mut bytes).map_err(failed)?,
        _ => std::fs::File::open(file)
            .and_then(|mut open| open.read_to_end(&mut bytes))
            .map_err(failed)?,
    };
    // Comments and strings of old headers are in any encoding, and mean nothing here.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The system's words, without their number.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

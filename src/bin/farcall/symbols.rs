//! `farcall symbols`: what a library exports.

use crate::Failure;
use crate::options::suggestion;
use crate::style::Style;
use farcall::library::symbols::{Exported, Kind, exported};
use farcall::library::{OpenOptions, find};
use std::ffi::OsString;
use std::path::Path;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub(crate) struct Symbols {
    pub(crate) library: OsString,
    pub(crate) pattern: Option<String>,
    /// Old versions too.
    pub(crate) all: bool,
}

/// Which names are listed.
enum Names {
    All,
    /// Those with this in them.
    Part(String),
    /// Those that match it whole.
    Pattern(glob::Pattern),
}

impl Names {
    fn of(pattern: Option<&str>) -> Result<Names, Failure> {
        match pattern {
            None => Ok(Names::All),
            Some(part) if !part.contains(['*', '?', '[']) => Ok(Names::Part(part.to_owned())),
            Some(pattern) => match glob::Pattern::new(pattern) {
                Ok(pattern) => Ok(Names::Pattern(pattern)),
                Err(error) => Err(Failure::Failed(format!(
                    "pattern {pattern}: {} at character {}",
                    error.msg,
                    error.pos + 1
                ))),
            },
        }
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Names::All => true,
            Names::Part(part) => name.contains(part.as_str()),
            Names::Pattern(pattern) => pattern.matches(name),
        }
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Function => "function",
        Kind::Variable => "variable",
        Kind::ThreadLocal => "thread-local",
        Kind::IndirectFunction => "ifunc",
        Kind::Other => "other",
    }
}

pub(crate) fn run(symbols: &Symbols, style: Style) -> Result<String, Failure> {
    let names = Names::of(symbols.pattern.as_deref())?;
    let path = find(Path::new(&symbols.library), &OpenOptions::default())?;
    let mut all = exported(&path)?;
    all.retain(|one| symbols.all || one.is_default || one.version.is_none());
    let mut found: Vec<&Exported> = all.iter().filter(|one| names.has(&one.name)).collect();
    found.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    if found.is_empty() {
        let shown = path.display();
        return Err(Failure::Failed(match &symbols.pattern {
            None => format!("{shown} exports nothing"),
            Some(pattern) => {
                let hint = suggestion(pattern, all.iter().map(|one| one.name.as_str()), "");
                format!("{shown} exports no name that matches {pattern}{hint}")
            }
        }));
    }
    let width = |text: &dyn Fn(&Exported) -> usize| {
        let widths = found.iter().map(|one| text(one));
        widths.max().unwrap_or(0)
    };
    let kind_width = width(&|one| kind(one.kind).len());
    let size_width = width(&|one| one.size.to_string().len());
    let mut text = String::new();
    for one in found {
        let version = match (&one.version, one.is_default) {
            (None, _) => String::new(),
            (Some(version), true) => format!("@@{version}"),
            (Some(version), false) => format!("@{version}"),
        };
        text.push_str(&format!(
            "{}  {:>size_width$}  {}{}\n",
            style.label(&format!("{:kind_width$}", kind(one.kind))),
            one.size,
            one.name,
            style.faint(&version)
        ));
    }
    Ok(text)
}

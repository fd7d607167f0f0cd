//! What compilers say that a text declares: its functions with their types, and its records.

use crate::compiler::{Compiler, Scratch};
use farcall::decl::{Declarations, parse_signature};
use farcall::types::{Kind, Signature, Type};
use std::collections::{HashMap, HashSet};

/// Each list names what a compiler listed.
#[derive(Default)]
pub(crate) struct Inventory {
    /// Functions, with their types as the compiler writes them.
    functions: HashMap<String, String>,
    /// Tags of structs and unions that are defined.
    records: HashSet<String>,
    /// The functions' texts are prototypes, not types.
    prototypes: bool,
}

impl Inventory {
    /// gcc writes the prototypes of all functions to a file.
    pub(crate) fn by_gcc(compiler: &Compiler, text: &str) -> Inventory {
        let file = Scratch::new("prototypes");
        let flags = [
            "-std=gnu17",
            "-w",
            "-fsyntax-only",
            "-x",
            "cpp-output",
            "-aux-info",
        ];
        compiler.succeed(&[&flags[..], &[file.path(), "-"]].concat(), text);
        let list = std::fs::read_to_string(&file.0).expect("gcc has written it");
        let mut inventory = Inventory {
            prototypes: true,
            ..Inventory::default()
        };
        for line in list.lines() {
            // `/* file:12:NC */ extern int puts (const char *);`
            let Some((place, rest)) = line.split_once("*/ ") else {
                continue;
            };
            if place.starts_with("/* compiled") {
                continue;
            }
            let prototype = rest.split("/*").next().unwrap_or_default().trim();
            let name = name_of_prototype(prototype);
            inventory
                .functions
                .insert(name.to_owned(), prototype.to_owned());
        }
        inventory
    }

    /// clang shows its syntax tree.
    pub(crate) fn by_clang(compiler: &Compiler, text: &str) -> Inventory {
        let flags = [
            "-std=gnu17",
            "-w",
            "-fsyntax-only",
            "-fno-color-diagnostics",
        ];
        let dump = ["-Xclang", "-ast-dump", "-x", "cpp-output", "-"];
        let tree = compiler.succeed(&[&flags[..], &dump].concat(), text);
        let mut inventory = Inventory::default();
        for line in tree.lines() {
            let Some(node) = line.strip_prefix("|-").or_else(|| line.strip_prefix("`-")) else {
                continue;
            };
            // Those that the compiler knows by itself.
            if node.contains(" implicit ") {
                continue;
            }
            if node.starts_with("FunctionDecl ") {
                // `FunctionDecl 0x1 <where> col:12 puts 'int (const char *)' extern`
                let (left, right) = node.split_once(" '").expect("a function has a type");
                let name = left.rsplit(' ').next().unwrap_or_default();
                let ty = right.split('\'').next().unwrap_or_default();
                inventory.functions.insert(name.to_owned(), ty.to_owned());
            } else if node.starts_with("RecordDecl ") && node.ends_with(" definition") {
                // `RecordDecl 0x1 <where> line:3:8 struct point definition`
                let words: Vec<&str> = node.split(' ').collect();
                if let [.., keyword @ ("struct" | "union"), tag, _] = words[..] {
                    inventory.records.insert(format!("{keyword} {tag}"));
                }
            }
        }
        inventory
    }

    pub(crate) fn declares(&self, function: &str) -> bool {
        self.functions.contains_key(function)
    }

    /// Every function is found, with the same type; every record is found, and complete. The
    /// number of functions.
    pub(crate) fn check(&self, declarations: &Declarations, what: &str) -> usize {
        for (name, text) in &self.functions {
            let found = declarations.function(name);
            let found = found.unwrap_or_else(|| panic!("{what}: {name} is not found: {text}"));
            assert_eq!(found.name().to_str(), Ok(&**name));
            // Numbers of a format without a convention.
            if found.check_types().is_err() {
                continue;
            }
            let said = self.signature(declarations, text);
            let said = said.unwrap_or_else(|error| panic!("{what}: {name}: {text}\n{error}"));
            assert!(
                found.get().same_as(said.get()),
                "{what}: {name}: {text}\nis taken for {}",
                found.prototype()
            );
        }
        for name in &self.records {
            let found = declarations.find_type(name);
            let found = found.unwrap_or_else(|error| panic!("{what}: {name}: {error}"));
            assert!(found.get().is_complete(), "{what}: {name} is incomplete");
        }
        self.functions.len()
    }

    /// The type of a function as the compiler wrote it.
    fn signature(&self, declarations: &Declarations, text: &str) -> Result<Signature, String> {
        if self.prototypes {
            // Macros in the compiler's mind.
            let text = text
                .replace(" complex ", " _Complex ")
                .replace("(complex ", "(_Complex ")
                .replace("__va_list_tag *", "va_list");
            return parse_signature(Some(declarations), declarations.target(), &text)
                .map_err(|error| error.message);
        }
        // A tag that is only in the compiler: an argument list that has become a pointer.
        let text = text.replace("struct __va_list_tag *", "va_list");
        let ty: Type = declarations
            .find_type(&text)
            .map_err(|error| error.message)?;
        assert_eq!(ty.kind(), Kind::Function, "{text}");
        Signature::of(&ty).ok_or_else(|| "no function".to_owned())
    }
}

/// The name before the first list of parameters: `extern void (*signal (int))(int);`.
fn name_of_prototype(prototype: &str) -> &str {
    let end = prototype.find(" (").map_or(prototype.len(), |at| {
        // `(*name (` stands in parentheses of its own.
        match prototype[at + 2..].starts_with('*') {
            true => prototype[at + 2..]
                .find(" (")
                .map_or(at, |inner| at + 2 + inner),
            false => at,
        }
    });
    let start = prototype[..end]
        .rfind([' ', '*', '('])
        .map_or(0, |at| at + 1);
    &prototype[start..end]
}

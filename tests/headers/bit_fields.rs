//! Where bit-fields are. A bit-field has no offset that C can ask for: the compiler makes constants
//! in which one bit-field is all ones, and beside them what is expected, byte for byte.

use crate::compiler::{Compiler, Scratch};
use farcall::decl::{DeclarationKind, Declarations};
use farcall::types::{Data, TypeRef};
use std::fmt::Write;
use std::process::Command;

/// Every constant begins at a multiple of this.
const STEP: u64 = 256;

/// The bit-fields of a text, and the C text that compares them.
#[derive(Default)]
struct Constants {
    text: String,
    /// What each is called, and how many bytes its constant has.
    names: Vec<(String, u64)>,
}

/// Has the compiler make them all, for one processor or the other. Their number.
pub(crate) fn check(compiler: &Compiler, text: &str, declarations: &Declarations) -> usize {
    let mut constants = Constants::default();
    for index in 0..declarations.len() {
        let (kind, name) = declarations.at(index).expect("less than the length");
        let name = name.to_str().expect("a word");
        if kind == DeclarationKind::Type {
            let ty = declarations.find_type(name).expect("it is listed as one");
            constants.fields(name, ty.get(), ty.get(), "", 0);
        }
    }
    if constants.names.is_empty() {
        return 0;
    }
    let object = Scratch::new("bit_fields.o");
    let source = format!("{text}\n{}", constants.text);
    let flags = ["-std=gnu17", "-w", "-c", "-x", "cpp-output", "-", "-o"];
    compiler.succeed(&[&flags[..], &[object.path()]].concat(), &source);
    let (have, want) = (
        section(compiler, &object, "have"),
        section(compiler, &object, "want"),
    );
    assert_eq!(have.len(), want.len(), "{}", compiler.name);
    let mut at = 0;
    for (name, size) in &constants.names {
        let bytes = at as usize..(at + size) as usize;
        assert_eq!(
            have[bytes.clone()],
            want[bytes],
            "{name} from {} for {}",
            compiler.name,
            compiler.target.name
        );
        at = (at + size).next_multiple_of(STEP);
    }
    constants.names.len()
}

/// The bytes of an object file's section.
fn section(compiler: &Compiler, object: &Scratch, name: &str) -> Vec<u8> {
    let bytes = Scratch::new(name);
    let objcopy = compiler.objcopy();
    let status = Command::new(objcopy)
        .args(["-O", "binary", "-j", name, object.path(), bytes.path()])
        .status()
        .unwrap_or_else(|error| panic!("{objcopy}: {error}; scripts/setup.sh installs it"));
    assert!(status.success(), "{objcopy}: {status}");
    std::fs::read(&bytes.0).expect("it was just written")
}

impl Constants {
    /// The bit-fields of `inner`, which stands at a path and offset in the type `name`.
    fn fields(
        &mut self,
        name: &str,
        outer: TypeRef<'_>,
        inner: TypeRef<'_>,
        path: &str,
        base: u64,
    ) {
        let Data::Record(record) = &inner.node.data else {
            return;
        };
        for field in record.fields.iter().flatten() {
            let own = field.name.as_ref().map(|own| own.to_str().expect("a word"));
            let ty = inner.follow(&field.link);
            let whole = match own {
                Some(own) => format!("{path}.{own}"),
                None => path.to_owned(),
            };
            match (field.bits, own) {
                (Some(bits), Some(_)) => {
                    let first = (base + field.offset) * 8 + u64::from(field.bit_offset);
                    self.constant(name, outer.size(), &whole, first..first + u64::from(bits));
                }
                (Some(_), None) => {}
                (None, _) => {
                    let untagged = matches!(&ty.node.data, Data::Record(of) if of.tag.is_none());
                    if own.is_none() || untagged {
                        self.fields(name, outer, ty, &whole, base + field.offset);
                    }
                }
            }
        }
    }

    fn constant(&mut self, name: &str, size: u64, path: &str, bits: std::ops::Range<u64>) {
        let number = self.names.len();
        let bytes: Vec<String> = (0..size)
            .map(|byte| {
                let set = (0..8).filter(|bit| bits.contains(&(byte * 8 + bit)));
                set.fold(0u8, |byte, bit| byte | 1 << bit).to_string()
            })
            .collect();
        writeln!(
            self.text,
            "__attribute__((section(\"have\"), used, aligned({STEP}))) const {name} \
             have_{number} = {{ {path} = -1 }};\n\
             __attribute__((section(\"want\"), used, aligned({STEP}))) const unsigned char \
             want_{number}[{size}] = {{ {} }};",
            bytes.join(", ")
        )
        .expect("a string takes all");
        self.names.push((format!("{name}{path}"), size));
    }
}

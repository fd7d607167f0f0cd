//! Where bit-fields are, seen by a program: it sets one, and looks which bits are set.

use crate::compiler::{Compiler, Scratch};
use farcall::decl::{DeclarationKind, Declarations};
use farcall::types::{Data, TypeRef};
use std::fmt::Write;
use std::process::Command;

const CHECK: &str = "
static int wrong;
static void check(const char *what, const unsigned char *bytes, unsigned long size,
                  unsigned long first, unsigned long bits) {
  for (unsigned long bit = 0; bit < size * 8; bit++) {
    int set = bytes[bit / 8] >> bit % 8 & 1;
    if (set != (bit >= first && bit < first + bits)) {
      __builtin_printf(\"%s: bit %lu\\n\", what, bit);
      wrong = 1;
      return;
    }
  }
}
int main(void) {
";

/// Compiles and runs the program for all bit-fields. Their number.
pub(crate) fn check(compiler: &Compiler, text: &str, declarations: &Declarations) -> usize {
    let mut body = String::new();
    let mut count = 0;
    for index in 0..declarations.len() {
        let (kind, name) = declarations.at(index).expect("less than the length");
        let name = name.to_str().expect("a word");
        if kind != DeclarationKind::Type {
            continue;
        }
        let ty = declarations.find_type(name).expect("it is listed as one");
        count += fields(&mut body, name, ty.get(), "", 0);
    }
    if count == 0 {
        return 0;
    }
    let program = Scratch::new("bit_fields");
    let source = format!("{text}\n{CHECK}{body}\n  return wrong;\n}}\n");
    let flags = [
        "-std=gnu17",
        "-w",
        "-x",
        "cpp-output",
        "-",
        "-o",
        program.path(),
    ];
    compiler.succeed(&flags, &source);
    let output = Command::new(&program.0).output().expect("it was just made");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {said}", compiler.name);
    count
}

fn fields(body: &mut String, name: &str, view: TypeRef<'_>, path: &str, base: u64) -> usize {
    let Data::Record(record) = &view.node.data else {
        return 0;
    };
    let mut count = 0;
    for field in record.fields.iter().flatten() {
        let own = field.name.as_ref().map(|own| own.to_str().expect("a word"));
        let ty = view.follow(&field.link);
        let whole = match own {
            Some(own) => format!("{path}.{own}"),
            None => path.to_owned(),
        };
        match (field.bits, own) {
            (Some(bits), Some(_)) => {
                let first = (base + field.offset) * 8 + u64::from(field.bit_offset);
                writeln!(
                    body,
                    "  {{ static {name} v; v{whole} = -1; check(\"{name}{whole}\", \
                     (const unsigned char *)&v, sizeof v, {first}, {bits}); }}"
                )
                .expect("a string takes all");
                count += 1;
            }
            (Some(_), None) => {}
            (None, _) => {
                let untagged = matches!(&ty.node.data, Data::Record(of) if of.tag.is_none());
                if own.is_none() || untagged {
                    count += fields(body, name, ty, &whole, base + field.offset);
                }
            }
        }
    }
    count
}

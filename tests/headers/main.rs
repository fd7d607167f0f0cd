//! The system's headers, as compilers preprocess them: every prototype in them is understood as the
//! compiler understands it, and every type is laid out as the compiler lays it out. What a header
//! declares, a compiler says; what is understood, a compiler judges.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod assertions;
mod bit_fields;
mod compiler;
mod inventory;
mod records;

use compiler::{CLANG, CLANG_AARCH64, CLANG_WINDOWS, Compiler, GCC, GCC_AARCH64, GCC_MICROSOFT};
use farcall::decl::{DeclarationKind, Declarations};
use inventory::Inventory;
use records::{Features, Records};

/// What is included together, and at least how many functions that declares.
struct Unit {
    name: &'static str,
    headers: &'static [&'static str],
    functions: usize,
}

/// Everything, in few texts.
const UNITS: [Unit; 5] = [
    Unit {
        name: "the C library",
        headers: &[
            "stdio.h",
            "stdlib.h",
            "string.h",
            "strings.h",
            "math.h",
            "stddef.h",
            "stdint.h",
            "inttypes.h",
            "unistd.h",
            "fcntl.h",
            "time.h",
            "signal.h",
            "sys/types.h",
            "sys/socket.h",
            "sys/stat.h",
            "sys/time.h",
            "sys/mman.h",
            "netdb.h",
            "resolv.h",
            "netinet/ip.h",
            "netinet/tcp.h",
            "poll.h",
            "pthread.h",
            "threads.h",
            "semaphore.h",
            "dlfcn.h",
            "setjmp.h",
            "locale.h",
            "ctype.h",
            "errno.h",
            "fenv.h",
            "dirent.h",
            "complex.h",
            "wchar.h",
            "wctype.h",
            "uchar.h",
        ],
        functions: 1200,
    },
    Unit {
        name: "zlib",
        headers: &["zlib.h"],
        functions: 80,
    },
    Unit {
        name: "sqlite3",
        headers: &["sqlite3.h"],
        functions: 250,
    },
    Unit {
        name: "SDL2",
        headers: &["SDL2/SDL.h"],
        functions: 800,
    },
    Unit {
        name: "libpng",
        headers: &["png.h"],
        functions: 240,
    },
];

/// Those that are tried one by one, in every dialect.
const SINGLE: [&str; 22] = [
    "stdio.h",
    "stdlib.h",
    "string.h",
    "math.h",
    "stdint.h",
    "unistd.h",
    "fcntl.h",
    "time.h",
    "signal.h",
    "sys/socket.h",
    "sys/stat.h",
    "pthread.h",
    "complex.h",
    "wchar.h",
    "threads.h",
    "setjmp.h",
    "ffi.h",
    "zlib.h",
    "sqlite3.h",
    "png.h",
    "SDL2/SDL.h",
    "immintrin.h",
];

const DIALECTS: [&[&str]; 5] = [
    &["-std=c11"],
    &["-std=gnu17"],
    &["-std=c2x"],
    &["-std=gnu17", "-D_GNU_SOURCE"],
    &["-std=c2x", "-D_GNU_SOURCE", "-O2"],
];

fn includes(headers: &[&str]) -> String {
    headers
        .iter()
        .map(|header| format!("#include <{header}>\n"))
        .collect()
}

/// The text of a unit for a compiler.
fn preprocessed(compiler: &Compiler, unit: &Unit) -> String {
    compiler.preprocess(&includes(unit.headers), &["-std=gnu17", "-D_GNU_SOURCE"])
}

fn declarations(compiler: &Compiler, what: &str, text: &str) -> Declarations {
    let mut declarations = Declarations::new(compiler.target);
    declarations
        .add(text)
        .unwrap_or_else(|error| panic!("{what} from {}: {error}", compiler.name));
    declarations
}

#[test]
fn every_header_parses_in_every_dialect() {
    for compiler in [&GCC, &CLANG] {
        for header in SINGLE {
            for dialect in DIALECTS {
                let text = compiler.preprocess(&includes(&[header]), dialect);
                let mut declarations = declarations(compiler, header, &text);
                let count = declarations.len();
                assert!(count > 0, "{header}");
                // The same once more changes nothing.
                let again = declarations.add(&text);
                again.unwrap_or_else(|error| panic!("{header} again: {error}"));
                assert_eq!(declarations.len(), count, "{header}");
            }
        }
    }
}

/// With macros, which become constants.
#[test]
fn macros_of_headers_are_constants() {
    for compiler in [&GCC, &CLANG, &GCC_AARCH64, &CLANG_AARCH64] {
        let headers = [
            "limits.h",
            "fcntl.h",
            "sqlite3.h",
            "zlib.h",
            "SDL2/SDL.h",
            "png.h",
        ];
        let text = compiler.preprocess(&includes(&headers), &["-std=gnu17", "-dD"]);
        let mut found = declarations(compiler, "macros", &text);
        for (name, value) in [
            ("INT_MAX", 0x7fff_ffff),
            ("LONG_MIN", i64::MIN),
            ("UINT_MAX", 0xffff_ffff),
            ("ULONG_MAX", -1),
            ("O_CREAT", 0o100),
            ("AT_FDCWD", -100),
            ("SQLITE_IOERR_READ", 10 | 1 << 8),
            ("SQLITE_OPEN_WAL", 0x80000),
            ("Z_BEST_COMPRESSION", 9),
            ("Z_BUF_ERROR", -5),
            ("SDL_INIT_VIDEO", 0x20),
            ("SDL_HAT_LEFTUP", 9),
            ("PNG_COLOR_TYPE_RGB_ALPHA", 6),
        ] {
            assert_eq!(
                found.constant(name),
                Ok(value),
                "{name} from {}",
                compiler.name
            );
        }
        let again = found.add(&text);
        again.unwrap_or_else(|error| panic!("again: {error}"));
        // Every constant is one for the compiler too.
        let source = format!("{}{}", includes(&headers), assertions::constants(&found));
        compiler.check(&source, &["-std=gnu17", "-w"]);
    }
}

/// What gcc and clang themselves list.
#[test]
fn every_function_and_record_is_found() {
    for unit in &UNITS {
        for (compiler, list) in [
            (&GCC, Inventory::by_gcc as fn(&Compiler, &str) -> Inventory),
            (&CLANG, Inventory::by_clang),
            (&GCC_AARCH64, Inventory::by_gcc),
            (&CLANG_AARCH64, Inventory::by_clang),
        ] {
            let text = preprocessed(compiler, unit);
            let declarations = declarations(compiler, unit.name, &text);
            let inventory = list(compiler, &text);
            let what = format!("{} from {}", unit.name, compiler.name);
            let count = inventory.check(&declarations, &what);
            assert!(count >= unit.functions, "{what}: {count} functions");
            // Nothing that the compiler does not know.
            let functions = (0..declarations.len())
                .map(|index| declarations.at(index).expect("less than the length"))
                .filter(|(kind, _)| *kind == DeclarationKind::Function);
            for (_, name) in functions {
                let name = name.to_str().expect("a word");
                assert!(inventory.declares(name), "{what}: {name} is no function");
            }
        }
    }
}

/// Sizes, alignments, offsets, types of members, values of enumerators, types of functions and
/// variables: each is asserted in C.
#[test]
fn compilers_agree_on_every_type() {
    for unit in &UNITS {
        for compiler in [&GCC, &CLANG, &GCC_AARCH64, &CLANG_AARCH64] {
            // gcc has types of their own for these; they are spelled like the others here.
            let mut flags = vec!["-std=gnu17", "-D_GNU_SOURCE"];
            if compiler.name.ends_with("gcc") {
                flags.extend([
                    "-D_Float32=float",
                    "-D_Float64=double",
                    "-D_Float32x=double",
                ]);
                flags.push("-D_Float64x=long double");
            }
            if compiler.name == GCC_AARCH64.name {
                flags.push("-D_Float128=long double");
            }
            let text = compiler.preprocess(&includes(unit.headers), &flags);
            let declarations = declarations(compiler, unit.name, &text);
            let all = assertions::everything(&declarations);
            compiler.check_preprocessed(&format!("{text}\n{}", all.text), &["-std=gnu17", "-w"]);
            assert!(
                all.functions * 10 >= unit.functions * 9,
                "{}: types of only {} functions",
                unit.name,
                all.functions
            );
            assert!(all.members > 0 && all.types > 10, "{}", unit.name);
        }
    }
}

#[test]
fn bit_fields_are_where_compilers_put_them() {
    for compiler in [&GCC, &CLANG, &GCC_AARCH64, &CLANG_AARCH64] {
        let mut count = 0;
        for unit in &UNITS {
            let text = preprocessed(compiler, unit);
            let declarations = declarations(compiler, unit.name, &text);
            count += bit_fields::check(compiler, &text, &declarations);
        }
        assert!(count > 30, "{count} bit-fields");
    }
}

/// Declarations that are easily misunderstood: each by itself as it is written, and all of them as
/// they are preprocessed.
#[test]
fn compilers_agree_on_tricky_declarations() {
    let cases: Vec<(&str, &str)> = include_str!("../../c_tests/tricky_declarations.inc")
        .lines()
        .filter_map(|line| line.strip_prefix("CASE(")?.strip_suffix(')'))
        .map(|case| {
            let (ty, rest) = case.split_once(", ").expect("a type");
            (ty, rest.split_once(", ").expect("members").1)
        })
        .collect();
    assert!(cases.len() >= 200, "{} cases", cases.len());
    let headers = includes(&[
        "stddef.h",
        "stdint.h",
        "stdbool.h",
        "stdarg.h",
        "assert.h",
        "wchar.h",
    ]);
    for compiler in [&GCC, &CLANG, &GCC_AARCH64, &CLANG_AARCH64] {
        // For clang `_Atomic(int)` is another type than int; here it is one, aligned alike.
        let other = |text: &str| compiler.name == CLANG.name && text.contains("_Atomic");
        let cases: Vec<_> = cases.iter().filter(|(_, text)| !other(text)).collect();
        let all: String = cases.iter().map(|(_, text)| format!("{text}\n")).collect();
        let text = compiler.preprocess(&format!("{headers}{all}"), &["-std=gnu17"]);
        let together = declarations(compiler, "tricky declarations", &text);
        for (name, text) in cases {
            let alone = declarations(compiler, name, text);
            let ty = alone.find_type(name);
            let ty = ty.unwrap_or_else(|error| panic!("{text}: {error}"));
            let same = together.find_type(name).expect("it is there alone");
            assert!(ty.get().same_as(same.get()), "{text}");
        }
        let everything = assertions::everything(&together);
        let source = format!("{text}\n{}", everything.text);
        compiler.check_preprocessed(&source, &["-std=gnu17", "-w"]);
        assert!(everything.types > 300 && everything.members > 400);
        assert!(bit_fields::check(compiler, &text, &together) > 50);
    }
}

/// Records made at random, by Microsoft's rules. Where compilers differ, gcc is followed, which is
/// mingw-w64's own: clang has other unions, and other records where bit-fields are packed, or stand
/// without a width under the pragma.
#[test]
fn compilers_agree_on_records_for_windows() {
    let plain = Features {
        aligned: true,
        no_width: true,
        ..Features::default()
    };
    let pragma = Features {
        aligned: true,
        pragma: true,
        ..Features::default()
    };
    let unions = Features {
        unions: true,
        pragma: true,
        ..plain
    };
    let packed = Features {
        packed: true,
        aligned: false,
        ..unions
    };
    for (compiler, features) in [
        (&CLANG_WINDOWS, plain),
        (&CLANG_WINDOWS, pragma),
        (&GCC_MICROSOFT, plain),
        (&GCC_MICROSOFT, unions),
        (&GCC_MICROSOFT, packed),
    ] {
        let mut records = Records::new(1, features);
        let mut text = records::PROLOGUE.to_owned();
        let count = 300;
        for number in 0..count {
            text.push_str(&records.typedef(&format!("r{number}")));
        }
        if compiler.name == GCC.name {
            text = text
                .replace("long ", "int ")
                .replace("int int ", "long long ");
        }
        let declarations = declarations(compiler, "records", &text);
        let everything = assertions::everything(&declarations);
        assert!(everything.types >= count && everything.members > count / 2);
        let source = format!("{text}\n{}", everything.text);
        compiler.check_preprocessed(&source, &["-std=gnu17", "-w"]);
        assert!(bit_fields::check(compiler, &text, &declarations) > count);
    }
}

//! What a file is that is no library for this process, told from its first bytes, and how to come
//! by one that is.

use super::elf::{Image, THIS_MACHINE};
use object::elf;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How much of a file is looked at.
const HEAD: u64 = 4096;

/// Why a file that is there cannot be loaded into this process; `None` where its header has nothing
/// against it. Errors of the system are for the caller to tell.
pub(super) fn unfit(path: &Path) -> std::io::Result<Option<String>> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Ok(Some(
            "this is a folder: name the library in it, or give a bare name and the folder among \
             the search folders"
                .to_owned(),
        ));
    }
    if !metadata.is_file() {
        return Ok(Some("this is a device, a pipe or a socket".to_owned()));
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    if let Some(words) = foreign(&head, metadata.len()) {
        return Ok(Some(words));
    }
    Ok(elf_of_this_machine(path))
}

/// An ELF file whose header fits: is there all of it, and is it one to load?
fn elf_of_this_machine(path: &Path) -> Option<String> {
    let image = match Image::open(path) {
        Ok(Some(image)) => image,
        Ok(None) => return None,
        Err(words) => return Some(format!("this is an ELF file that is damaged: {words}")),
    };
    match image.outline() {
        Err(words) => Some(format!("this is an ELF file that is damaged: {words}")),
        Ok(outline) if outline.end > outline.length => Some(format!(
            "this is an ELF shared object that is cut off: {} of at least {} bytes are there; copy \
             or build it again",
            outline.length, outline.end
        )),
        Ok(outline) if outline.is_program => Some(PROGRAM.to_owned()),
        Ok(outline) if !outline.is_dynamic => Some(
            "this is an ELF file without a dynamic segment: it was linked statically, or it holds \
             debugging data only"
                .to_owned(),
        ),
        Ok(_) => None,
    }
}

pub(super) const EMPTY: &str =
    "the file is empty: whatever writes it has not finished, or the disk is full";

const PROGRAM: &str = "this is an ELF executable, a program to run: the loader opens shared \
                       objects only; link its objects with cc -shared";

/// What a file is by its first bytes; `None` for an ELF shared object for this machine.
fn foreign(head: &[u8], length: u64) -> Option<String> {
    let words: String = match head {
        [] => EMPTY.into(),
        [0x7f, b'E', b'L', b'F', ..] => return foreign_elf(head, length),
        _ if head.starts_with(b"!<arch>\ndebian-binary") => {
            "this is a Debian package: install it, or unpack it with dpkg-deb -x".into()
        }
        _ if head.starts_with(b"!<arch>\n") || head.starts_with(b"!<thin>\n") => {
            "this is a static archive (.a), which is for the linker: open the shared library \
             (.so), or make one: cc -shared -o libNAME.so -Wl,--whole-archive libNAME.a \
             -Wl,--no-whole-archive"
                .into()
        }
        [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..] | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..] => {
            other_system("a Mach-O file, for macOS")
        }
        // A Java class has the same four bytes; its next number is its version, of 45 or more.
        [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1..45, ..] => {
            other_system("a universal Mach-O file, for macOS")
        }
        [0xca, 0xfe, 0xba, 0xbe, ..] => "this is a Java class".into(),
        [b'M', b'Z', ..] => other_system(windows(head)),
        [0, b'a', b's', b'm', ..] => "this is a WebAssembly module".into(),
        [b'B', b'C', 0xc0, 0xde, ..] => {
            "this is LLVM bitcode: compile and link it: clang -shared -o libNAME.so FILE".into()
        }
        [0x1f, 0x8b, ..] => compressed("gzip", "gunzip"),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => compressed("xz", "unxz"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => compressed("zstd", "unzstd"),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => compressed("bzip2", "bunzip2"),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => compressed("zip", "unzip"),
        [0xed, 0xab, 0xee, 0xdb, ..] => "this is an RPM package: install it".into(),
        _ => match text(head) {
            Some(text) => of_text(text),
            None => {
                let first: Vec<String> = head.iter().take(8).map(|b| format!("{b:02x}")).collect();
                format!(
                    "this is no library: it begins with the bytes {}, and an ELF shared object \
                     with 7f 45 4c 46",
                    first.join(" ")
                )
            }
        },
    };
    Some(words)
}

fn this_system() -> String {
    format!(
        "this process needs an ELF shared object for {}",
        std::env::consts::ARCH
    )
}

fn other_system(what: &str) -> String {
    format!("this is {what}, and {}", this_system())
}

fn compressed(what: &str, command: &str) -> String {
    format!("this file is compressed ({what}): unpack it first ({command})")
}

fn windows(head: &[u8]) -> &'static str {
    let number = |at: usize| Some(u32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?));
    // Behind the mark and the twenty bytes of the file header's beginning stand its flags.
    let header = number(0x3c).and_then(|at| usize::try_from(at).ok());
    let flags = header.and_then(|at| {
        let is_marked = head.get(at..at.checked_add(4)?)? == b"PE\0\0";
        let flags = head.get(at.checked_add(22)?..at.checked_add(24)?)?;
        is_marked.then(|| u16::from_le_bytes([flags[0], flags[1]]))
    });
    match flags {
        Some(flags) if flags & 0x2000 != 0 => "a DLL, for Windows (PE)",
        Some(_) => "a program for Windows (PE)",
        None => "a program for DOS or Windows",
    }
}

fn foreign_elf(head: &[u8], length: u64) -> Option<String> {
    let cut_off = || {
        Some(format!(
            "this is an ELF file that is cut off: only {length} bytes of it are there; copy or \
             build it again"
        ))
    };
    if head.len() < 20 {
        return cut_off();
    }
    let is_little = head[5] != 2;
    let half = |at: usize| {
        let bytes = [head[at], head[at + 1]];
        match is_little {
            true => u16::from_le_bytes(bytes),
            false => u16::from_be_bytes(bytes),
        }
    };
    let (is_wide, kind, machine) = (head[4] != 1, elf::FileType(half(16)), half(18));
    let is_own = machine == THIS_MACHINE.0
        && is_wide == cfg!(target_pointer_width = "64")
        && is_little == cfg!(target_endian = "little");
    let what = match kind {
        elf::ET_REL => "relocatable object",
        elf::ET_EXEC => "executable",
        elf::ET_DYN => "shared object",
        elf::ET_CORE => "core dump",
        _ => "file of unknown kind",
    };
    if !is_own {
        return Some(format!(
            "this is an ELF {what} for {}, and this process is {}: install or build the library \
             for {1}",
            machine_name(machine, is_wide, is_little),
            std::env::consts::ARCH
        ));
    }
    if length < if is_wide { 64 } else { 52 } {
        return cut_off();
    }
    match kind {
        elf::ET_DYN => None,
        elf::ET_REL => Some(
            "this is an ELF relocatable object (.o), which is for the linker: cc -shared -o \
             libNAME.so FILE"
                .to_owned(),
        ),
        elf::ET_EXEC => Some(PROGRAM.to_owned()),
        elf::ET_CORE => Some("this is an ELF core dump: a debugger opens it".to_owned()),
        _ => Some(format!("this is an ELF {what}")),
    }
}

fn machine_name(machine: u16, is_wide: bool, is_little: bool) -> String {
    let either = |narrow: &'static str, wide: &'static str| if is_wide { wide } else { narrow };
    let name = match elf::Machine(machine) {
        elf::EM_386 => "i386 (32 bits)",
        elf::EM_X86_64 => either("x32 (x86_64 with 32-bit pointers)", "x86_64"),
        elf::EM_AARCH64 => either("aarch64 with 32-bit pointers", "aarch64"),
        elf::EM_ARM => "arm (32 bits)",
        elf::EM_RISCV => either("riscv32", "riscv64"),
        elf::EM_PPC => "powerpc",
        elf::EM_PPC64 if is_little => "powerpc64le",
        elf::EM_PPC64 => "powerpc64",
        elf::EM_S390 => either("s390", "s390x"),
        elf::EM_MIPS => either("mips", "mips64"),
        elf::EM_LOONGARCH => either("loongarch32", "loongarch64"),
        elf::EM_SPARC => "sparc",
        elf::EM_SPARCV9 => "sparc64",
        elf::EM_IA_64 => "ia64",
        elf::EM_ALPHA => "alpha",
        elf::EM_PARISC => "hppa",
        elf::EM_68K => "m68k",
        elf::EM_SH => "sh4",
        elf::EM_BPF => "the kernel (BPF)",
        elf::EM_AMDGPU => "an AMD graphics processor",
        elf::EM_CUDA => "an NVIDIA graphics processor",
        _ => {
            let order = if is_little { "little" } else { "big" };
            let bits = if is_wide { 64 } else { 32 };
            return format!("machine number {machine} ({bits} bits, {order}-endian)");
        }
    };
    name.to_owned()
}

/// The head of a file as text, if that is what it looks like. A character may be cut off at the end,
/// and what C writes may end in NUL.
fn text(head: &[u8]) -> Option<&str> {
    let end = head.iter().rposition(|&byte| byte != 0)? + 1;
    let head = &head[..end];
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    let is_shown = |c: char| !c.is_control() || c.is_whitespace();
    text.chars().all(is_shown).then_some(text)
}

fn of_text(text: &str) -> String {
    let first = text.lines().next().unwrap_or("").trim();
    if let Some(program) = first.strip_prefix("#!") {
        return format!("this is a script for {}, not a library", program.trim());
    }
    if first.starts_with("version https://git-lfs") {
        return "this is a Git LFS pointer, a note of where the file is: fetch it with git lfs pull"
            .to_owned();
    }
    if text.contains("libtool library file") {
        let name = text.lines().find_map(|line| line.strip_prefix("dlname='"));
        let name = name.and_then(|name| name.strip_suffix('\''));
        return match name {
            Some(name) if !name.is_empty() => format!(
                "this is a note of libtool's about a library (text): open {name}, which it names"
            ),
            _ => "this is a note of libtool's about a static library (text)".to_owned(),
        };
    }
    if let Some(files) = named_by_script(text) {
        return match files.first() {
            Some(file) => {
                format!("this is a script for the linker (text), which names {file}: open that")
            }
            None => "this is a script for the linker (text), not a library".to_owned(),
        };
    }
    const SHOWN: usize = 40;
    let mut shown: String = first.chars().take(SHOWN).collect();
    if first.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    format!("this is a text file, not a library; it begins with \"{shown}\"")
}

/// The shared libraries that a script for the linker names; `None` where the text is none.
fn named_by_script(text: &str) -> Option<Vec<&str>> {
    let commands = ["GROUP", "INPUT", "OUTPUT_FORMAT"];
    let is_command = |line: &str| {
        let line = line.trim_start();
        commands.iter().any(|command| {
            let rest = line.strip_prefix(command);
            rest.is_some_and(|rest| rest.trim_start().starts_with('('))
        })
    };
    if !text.contains("GNU ld script") && !text.lines().any(is_command) {
        return None;
    }
    let words = text.split(|c: char| c.is_whitespace() || "(),".contains(c));
    let is_shared = |word: &&str| word.ends_with(".so") || word.contains(".so.");
    Some(words.filter(is_shared).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(head: &[u8], part: &str) {
        let words = foreign(head, head.len() as u64).unwrap_or_default();
        assert!(words.contains(part), "expected {part:?} in {words:?}");
    }

    fn elf(class: u8, order: u8, kind: u8, machine: u8) -> Vec<u8> {
        let mut head = vec![0; 64];
        head[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, order]);
        let low = if order == 1 { 0 } else { 1 };
        head[16 + low] = kind;
        head[18 + low] = machine;
        head
    }

    #[test]
    fn elf_files_for_other_machines() {
        let here = format!("this process is {}", std::env::consts::ARCH);
        for (class, order, machine, name) in [
            (1, 1, 3, "ELF shared object for i386"),
            (2, 1, 243, "ELF shared object for riscv64"),
            (2, 2, 22, "ELF shared object for s390x"),
            (1, 1, 40, "ELF shared object for arm"),
            (2, 1, 21, "ELF shared object for powerpc64le"),
            (2, 2, 21, "ELF shared object for powerpc64"),
            (1, 1, 62, "x32"),
            (2, 1, 250, "machine number 250 (64 bits, little-endian)"),
        ] {
            says(&elf(class, order, 3, machine), name);
            says(&elf(class, order, 3, machine), &here);
        }
        let other = if THIS_MACHINE == elf::EM_X86_64 {
            183
        } else {
            62
        };
        says(&elf(2, 1, 2, other), "ELF executable for ");
    }

    #[test]
    fn elf_files_that_are_no_libraries() {
        let own = |kind| elf(2, 1, kind, THIS_MACHINE.0 as u8);
        says(&own(1), "relocatable object (.o)");
        says(&own(2), "executable");
        says(&own(4), "core dump");
        assert_eq!(foreign(&own(3), 64), None);
        says(&own(3)[..60], "cut off: only 60 bytes");
        says(&own(3)[..9], "cut off: only 9 bytes");
    }

    #[test]
    fn files_of_other_formats() {
        says(b"", "empty");
        says(b"!<arch>\n/               ", "static archive");
        says(b"!<thin>\n", "static archive");
        says(b"!<arch>\ndebian-binary   ", "Debian package");
        says(b"\xcf\xfa\xed\xfe\x07\0\0\x01", "Mach-O");
        says(b"\xca\xfe\xba\xbe\0\0\0\x02", "universal Mach-O");
        says(b"\xca\xfe\xba\xbe\0\0\0\x34", "Java class");
        says(b"MZ\x90\0", "DOS or Windows");
        let mut dll = vec![0; 200];
        dll[..2].copy_from_slice(b"MZ");
        dll[0x3c] = 0x80;
        dll[0x80..0x84].copy_from_slice(b"PE\0\0");
        says(&dll, "program for Windows");
        dll[0x80 + 23] = 0x20;
        says(&dll, "DLL, for Windows");
        says(b"\0asm\x01\0\0\0", "WebAssembly");
        says(b"BC\xc0\xde", "bitcode");
        says(b"\x1f\x8b\x08", "gzip");
        says(b"\xfd7zXZ\0", "xz");
        says(b"\x28\xb5\x2f\xfd", "zstd");
        says(b"BZh9", "bzip2");
        says(b"PK\x03\x04", "zip");
        says(b"\xed\xab\xee\xdb", "RPM");
        says(b"\x01\x02\xff\xfe", "begins with the bytes 01 02 ff fe");
    }

    #[test]
    fn texts() {
        says(b"#! /bin/sh\nexit", "script for /bin/sh");
        says(
            b"Hello there\n",
            "text file, not a library; it begins with \"Hello there\"",
        );
        says(
            b"/* GNU ld script\n*/\nOUTPUT_FORMAT(elf64-x86-64)\n\
              GROUP ( /lib/libm.so.6  AS_NEEDED ( /lib/libmvec.so.1 ) )\n",
            "names /lib/libm.so.6: open that",
        );
        says(b"INPUT(-lncursesw)", "script for the linker (text), not");
        says(
            b"# libx.la - a libtool library file\ndlname='libx.so.3'\n",
            "open libx.so.3",
        );
        says(
            b"version https://git-lfs.github.com/spec/v1\n",
            "git lfs pull",
        );
        // A text that is cut off within a character is a text.
        says(&"Größe".as_bytes()[..3], "text file");
        says(b"Hello\0", "text file");
        says(b"\0\0", "begins with the bytes 00 00");
        says(b"\xc3\x28", "begins with the bytes c3 28");
    }
}

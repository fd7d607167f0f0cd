//! An ELF file in memory that says what a piece of code is called and how its frames are unwound, for
//! debuggers. The code itself is not in it but where it is.

use crate::code::machine::ELF_MACHINE;
use crate::code::unwind;

const HEADER_BYTES: usize = 64;
const SECTION_BYTES: u16 = 64;
const SYMBOL_BYTES: u64 = 24;
/// Where a section's header has its address.
const ADDRESS_IN_SECTION: usize = 16;

const PROGBITS: u32 = 1;
const SYMTAB: u32 = 2;
const STRTAB: u32 = 3;
const NOBITS: u32 = 8;
const ALLOC: u64 = 2;
const EXECINSTR: u64 = 4;
const GLOBAL_FUNCTION: u8 = 0x12;

/// Names of the sections, each ending in NUL, and in this order.
const NAMES: &[u8] = b"\0.text\0.eh_frame\0.symtab\0.strtab\0.shstrtab\0";
const TEXT: u16 = 1;
const FRAMES: usize = 2;
const STRINGS: u32 = 4;
const SECTION_NAMES: u16 = 5;
const SECTIONS: u16 = 6;

#[derive(Default)]
struct Section {
    name: &'static [u8],
    kind: u32,
    flags: u64,
    address: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    align: u64,
    entry: u64,
}

impl Section {
    fn write(&self, to: &mut Vec<u8>) {
        let name = NAMES
            .windows(self.name.len())
            .position(|at| at == self.name);
        let name = name.unwrap_or(0) as u32;
        for word in [name, self.kind] {
            to.extend_from_slice(&word.to_ne_bytes());
        }
        for word in [self.flags, self.address, self.offset, self.size] {
            to.extend_from_slice(&word.to_ne_bytes());
        }
        for word in [self.link, self.info] {
            to.extend_from_slice(&word.to_ne_bytes());
        }
        for word in [self.align, self.entry] {
            to.extend_from_slice(&word.to_ne_bytes());
        }
    }
}

/// Where the next bytes begin.
fn end(bytes: &mut Vec<u8>) -> u64 {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes.len() as u64
}

/// The file for one piece of code.
pub(super) fn image(address: usize, length: usize, name: &str) -> Box<[u8]> {
    let (address, length) = (address as u64, length as u64);
    let mut file = vec![0; HEADER_BYTES];
    let frames_at = end(&mut file);
    let frames = unwind::section(address, length, None);
    file.extend_from_slice(&frames);
    let symbols_at = end(&mut file);
    file.resize(file.len() + SYMBOL_BYTES as usize, 0);
    file.extend_from_slice(&1u32.to_ne_bytes());
    file.extend_from_slice(&[GLOBAL_FUNCTION, 0]);
    file.extend_from_slice(&TEXT.to_ne_bytes());
    file.extend_from_slice(&address.to_ne_bytes());
    file.extend_from_slice(&length.to_ne_bytes());
    let strings_at = end(&mut file);
    file.push(0);
    file.extend_from_slice(name.as_bytes());
    file.push(0);
    let strings = name.len() as u64 + 2;
    let names_at = end(&mut file);
    file.extend_from_slice(NAMES);
    let sections_at = end(&mut file);
    let sections: [Section; SECTIONS as usize] = [
        Section {
            name: b"\0",
            ..Section::default()
        },
        Section {
            name: b".text\0",
            kind: NOBITS,
            flags: ALLOC | EXECINSTR,
            address,
            offset: frames_at,
            size: length,
            align: 16,
            ..Section::default()
        },
        Section {
            name: b".eh_frame\0",
            kind: PROGBITS,
            flags: ALLOC,
            offset: frames_at,
            size: frames.len() as u64,
            align: 8,
            ..Section::default()
        },
        Section {
            name: b".symtab\0",
            kind: SYMTAB,
            offset: symbols_at,
            size: 2 * SYMBOL_BYTES,
            link: STRINGS,
            // Symbols that are not global: the first, which is none.
            info: 1,
            align: 8,
            entry: SYMBOL_BYTES,
            ..Section::default()
        },
        Section {
            name: b".strtab\0",
            kind: STRTAB,
            offset: strings_at,
            size: strings,
            align: 1,
            ..Section::default()
        },
        Section {
            name: b".shstrtab\0",
            kind: STRTAB,
            offset: names_at,
            size: NAMES.len() as u64,
            align: 1,
            ..Section::default()
        },
    ];
    for section in sections {
        section.write(&mut file);
    }
    let header = header(sections_at);
    file[..HEADER_BYTES].copy_from_slice(&header);
    let mut file = file.into_boxed_slice();
    // Where the frames are in memory: nothing in them depends on it, but no two sections may be at one
    // place.
    let frames = file.as_ptr() as u64 + frames_at;
    let at = sections_at as usize + FRAMES * usize::from(SECTION_BYTES) + ADDRESS_IN_SECTION;
    file[at..at + 8].copy_from_slice(&frames.to_ne_bytes());
    file
}

/// The file header: a program without segments.
fn header(sections_at: u64) -> Vec<u8> {
    const EXECUTABLE: u16 = 2;
    const CURRENT: u32 = 1;
    const CLASS_64: u8 = 2;
    let order: u8 = if cfg!(target_endian = "little") { 1 } else { 2 };
    let mut header = b"\x7fELF".to_vec();
    header.extend_from_slice(&[CLASS_64, order, CURRENT as u8]);
    header.resize(16, 0);
    for half in [EXECUTABLE, ELF_MACHINE] {
        header.extend_from_slice(&half.to_ne_bytes());
    }
    header.extend_from_slice(&CURRENT.to_ne_bytes());
    // Where the program begins, and its segments.
    header.extend_from_slice(&[0; 16]);
    header.extend_from_slice(&sections_at.to_ne_bytes());
    header.extend_from_slice(&[0; 4]);
    let halves = [
        HEADER_BYTES as u16,
        0,
        0,
        SECTION_BYTES,
        SECTIONS,
        SECTION_NAMES,
    ];
    for half in halves {
        header.extend_from_slice(&half.to_ne_bytes());
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::read::elf::ElfFile64;
    use object::{Object, ObjectSection, ObjectSymbol};

    #[test]
    fn the_file_says_what_the_code_is_called() {
        let bytes = image(0x10000, 0x40, "farcall stub for this test");
        let file = ElfFile64::<object::Endianness>::parse(&*bytes).unwrap();
        let symbols: Vec<_> = file.symbols().filter(|one| one.size() > 0).collect();
        assert_eq!(symbols.len(), 1);
        assert_eq!(symbols[0].name(), Ok("farcall stub for this test"));
        assert_eq!((symbols[0].address(), symbols[0].size()), (0x10000, 0x40));
        let text = file.section_by_name(".text").unwrap();
        assert_eq!((text.address(), text.size()), (0x10000, 0x40));
        let frames = file.section_by_name(".eh_frame").unwrap();
        let frames_at = bytes.as_ptr() as u64 + frames.file_range().unwrap().0;
        assert_eq!(frames.address(), frames_at);
        assert_eq!(frames.data().unwrap(), unwind::section(0x10000, 0x40, None));
    }
}

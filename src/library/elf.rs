//! What an ELF file says of itself, read without loading it, from the tables that the loader reads
//! too: a file without section headers tells as much. Nothing in a file is believed: a table that
//! leaves the file, or that goes in circles, is an error.

use object::Endianness;
use object::elf::{self, FileHeader32, FileHeader64};
use object::pod::{self, Pod};
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader, Sym};
use object::read::{ReadCache, ReadRef, StringTable};
use std::fs::File;
use std::path::Path;

/// Why a file could not be read: for a person, without the file's name.
pub(super) type Result<T> = std::result::Result<T, String>;

/// Tables of versions with more entries than this are damaged: the format has 15 bits for a version.
const MOST_VERSIONS: usize = 1 << 15;

/// The processor that this process runs on.
pub(super) const THIS_MACHINE: elf::Machine = if cfg!(target_arch = "x86_64") {
    elf::EM_X86_64
} else if cfg!(target_arch = "aarch64") {
    elf::EM_AARCH64
} else if cfg!(target_arch = "x86") {
    elf::EM_386
} else if cfg!(target_arch = "arm") {
    elf::EM_ARM
} else if cfg!(any(target_arch = "riscv32", target_arch = "riscv64")) {
    elf::EM_RISCV
} else {
    elf::EM_NONE
};

/// An ELF file.
pub(super) struct Image {
    source: ReadCache<File>,
    is_wide: bool,
}

/// What a file needs of others, and what it is to them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// The names of the libraries that it needs.
    pub(super) libraries: Vec<String>,
    /// The versions that it needs of them: library and version.
    pub(super) versions: Vec<(String, String)>,
    /// The folders in which they are looked for (DT_RUNPATH, or else DT_RPATH), as written.
    pub(super) folders: Vec<String>,
    /// The folders hold for what those libraries need too (DT_RPATH).
    pub(super) folders_are_inherited: bool,
}

/// What decides whether a file can be loaded at all.
pub(super) struct Outline {
    /// The file's length, and where its last segment ends.
    pub(super) length: u64,
    pub(super) end: u64,
    /// It is a program that may lie anywhere, not a library.
    pub(super) is_program: bool,
    pub(super) is_dynamic: bool,
}

/// A name in a table of symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) version: Option<String>,
    pub(super) is_default: bool,
    pub(super) is_defined: bool,
    /// Others can be bound to it.
    pub(super) is_visible: bool,
    pub(super) is_absolute: bool,
    pub(super) kind: elf::SymbolType,
    pub(super) size: u64,
    pub(super) value: u64,
}

impl Image {
    /// Reads a file's header. Where it is no ELF file the answer is `None`.
    pub(super) fn open(path: &Path) -> Result<Option<Image>> {
        let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
        if !metadata.is_file() {
            return Ok(None);
        }
        let file = File::open(path).map_err(|error| error.to_string())?;
        let source = ReadCache::new(file);
        let is_wide = match (&source).read_bytes_at(0, 5) {
            Ok([0x7f, b'E', b'L', b'F', 1]) => false,
            Ok([0x7f, b'E', b'L', b'F', 2]) => true,
            _ => return Ok(None),
        };
        Ok(Some(Image { source, is_wide }))
    }

    /// Width, byte order and processor are those of this process.
    pub(super) fn is_for_this_machine(&self) -> bool {
        let Ok(head) = (&self.source).read_bytes_at(0, 20) else {
            return false;
        };
        let order = if cfg!(target_endian = "little") { 1 } else { 2 };
        let machine = u16::from_ne_bytes([head[18], head[19]]);
        self.is_wide == cfg!(target_pointer_width = "64")
            && head[5] == order
            && machine == THIS_MACHINE.0
    }

    /// How long it is and should be, and whether it is a library.
    pub(super) fn outline(&self) -> Result<Outline> {
        match self.is_wide {
            false => outline::<FileHeader32<Endianness>>(&self.source),
            true => outline::<FileHeader64<Endianness>>(&self.source),
        }
    }

    /// The libraries and versions that it needs.
    pub(super) fn needs(&self) -> Result<Needs> {
        match self.is_wide {
            false => View::<FileHeader32<Endianness>>::new(&self.source)?.needs(),
            true => View::<FileHeader64<Endianness>>::new(&self.source)?.needs(),
        }
    }

    /// The names of the versions that its symbols have.
    pub(super) fn defined_versions(&self) -> Result<Vec<String>> {
        match self.is_wide {
            false => View::<FileHeader32<Endianness>>::new(&self.source)?.defined_versions(),
            true => View::<FileHeader64<Endianness>>::new(&self.source)?.defined_versions(),
        }
        .map(|versions| versions.into_iter().map(|(name, _)| name).collect())
    }

    /// The table of dynamic symbols, imports and exports, in the file's order.
    pub(super) fn dynamic_symbols(&self) -> Result<Vec<Symbol>> {
        match self.is_wide {
            false => View::<FileHeader32<Endianness>>::new(&self.source)?.dynamic_symbols(),
            true => View::<FileHeader64<Endianness>>::new(&self.source)?.dynamic_symbols(),
        }
    }

    /// The linker's own table, which has static functions too; empty where it was stripped.
    pub(super) fn all_symbols(&self) -> Result<Vec<Symbol>> {
        match self.is_wide {
            false => View::<FileHeader32<Endianness>>::new(&self.source)?.all_symbols(),
            true => View::<FileHeader64<Endianness>>::new(&self.source)?.all_symbols(),
        }
    }
}

/// This reads no more than the loader must, so that it works for files that are cut off.
fn outline<Elf: FileHeader>(source: &ReadCache<File>) -> Result<Outline> {
    let header = Elf::parse(source).map_err(words)?;
    let endian = header.endian().map_err(words)?;
    let length = source.len().map_err(|()| "its length is unknown")?;
    let mut outline = Outline {
        length,
        end: 0,
        is_program: false,
        is_dynamic: false,
    };
    let segments = header.program_headers(endian, source);
    let Ok(segments) = segments else {
        // The table of segments itself is missing.
        let table = u64::from(header.e_phnum(endian)) * u64::from(header.e_phentsize(endian));
        outline.end = header.e_phoff(endian).into().saturating_add(table);
        return match outline.end > length {
            true => Ok(outline),
            false => segments.map(|_| outline).map_err(words),
        };
    };
    for segment in segments {
        let start: u64 = segment.p_offset(endian).into();
        let in_file: u64 = segment.p_filesz(endian).into();
        let kind = segment.p_type(endian);
        if kind == elf::PT_LOAD || kind == elf::PT_DYNAMIC {
            outline.end = outline.end.max(start.saturating_add(in_file));
        }
        if let Ok(Some(entries)) = segment.dynamic(endian, source) {
            outline.is_dynamic = true;
            outline.is_program = entries
                .iter()
                .take_while(|entry| entry.tag(endian) != elf::DT_NULL)
                .any(|entry| {
                    entry.tag(endian) == elf::DT_FLAGS_1 && entry.val(endian) & DF_1_PIE != 0
                });
        }
    }
    Ok(outline)
}

/// In DT_FLAGS_1: a position-independent executable.
const DF_1_PIE: u64 = 0x0800_0000;

/// A file of one class, 32 or 64 bits wide.
struct View<'data, Elf: FileHeader> {
    source: &'data ReadCache<File>,
    endian: Elf::Endian,
    header: &'data Elf,
    segments: &'data [Elf::ProgramHeader],
    dynamic: Vec<(elf::DynamicTag, u64)>,
    strings: &'data [u8],
}

impl<'data, Elf: FileHeader> View<'data, Elf> {
    fn new(source: &'data ReadCache<File>) -> Result<Self> {
        let header = Elf::parse(source).map_err(words)?;
        let endian = header.endian().map_err(words)?;
        let segments = header.program_headers(endian, source).map_err(words)?;
        let mut view = View {
            source,
            endian,
            header,
            segments,
            dynamic: Vec::new(),
            strings: &[],
        };
        for segment in segments {
            let Some(entries) = segment.dynamic(endian, source).map_err(words)? else {
                continue;
            };
            view.dynamic = entries
                .iter()
                .map(|entry| (entry.tag(endian), entry.val(endian)))
                .take_while(|(tag, _)| *tag != elf::DT_NULL)
                .collect();
            break;
        }
        if let Some(address) = view.entry(elf::DT_STRTAB) {
            let length = view.entry(elf::DT_STRSZ).unwrap_or(0);
            view.strings = view.bytes(address, length)?;
        }
        Ok(view)
    }

    /// The first entry of the dynamic segment with this tag.
    fn entry(&self, tag: elf::DynamicTag) -> Option<u64> {
        let mut entries = self.dynamic.iter();
        entries
            .find(|(found, _)| *found == tag)
            .map(|&(_, value)| value)
    }

    /// How many entries a table of versions has; a table that goes in circles ends all the same.
    fn count(&self, tag: elf::DynamicTag) -> u64 {
        self.entry(tag).unwrap_or(0).min(MOST_VERSIONS as u64)
    }

    /// The bytes that the loader would put at an address.
    fn bytes(&self, address: u64, length: u64) -> Result<&'data [u8]> {
        let outside = || format!("its table at {address:#x} lies outside the file");
        for segment in self.segments {
            let start: u64 = segment.p_vaddr(self.endian).into();
            let in_file: u64 = segment.p_filesz(self.endian).into();
            if segment.p_type(self.endian) != elf::PT_LOAD || address < start {
                continue;
            }
            let skipped = address - start;
            if skipped < in_file && length <= in_file - skipped {
                let offset: u64 = segment.p_offset(self.endian).into();
                let offset = offset.checked_add(skipped).ok_or_else(outside)?;
                return (self.source.read_bytes_at(offset, length)).map_err(|()| outside());
            }
        }
        Err(outside())
    }

    fn array<T: Pod>(&self, address: u64, count: u64) -> Result<&'data [T]> {
        let length = count
            .checked_mul(size_of::<T>() as u64)
            .ok_or("a table in it is larger than any memory")?;
        pod::slice_from_all_bytes(self.bytes(address, length)?)
            .map_err(|()| "a table in it is cut off".to_owned())
    }

    fn one<T: Pod>(&self, address: u64) -> Result<&'data T> {
        Ok(&self.array::<T>(address, 1)?[0])
    }

    fn word(&self, address: u64) -> Result<u32> {
        let bytes = self.bytes(address, 4)?;
        let bytes: [u8; 4] = bytes.try_into().map_err(|_| "it is cut off")?;
        Ok(match self.header.is_little_endian() {
            true => u32::from_le_bytes(bytes),
            false => u32::from_be_bytes(bytes),
        })
    }

    fn string(&self, offset: u64) -> Result<String> {
        let offset = u32::try_from(offset).map_err(|_| "a name in it lies outside its names")?;
        let strings = StringTable::new(self.strings, 0, self.strings.len() as u64);
        let name = strings
            .get(offset)
            .map_err(|()| "a name in it lies outside its names")?;
        Ok(String::from_utf8_lossy(name).into_owned())
    }

    fn strings_of(&self, tag: elf::DynamicTag) -> Result<Vec<String>> {
        let entries = self.dynamic.iter().filter(|(found, _)| *found == tag);
        entries.map(|&(_, offset)| self.string(offset)).collect()
    }

    fn needs(&self) -> Result<Needs> {
        let mut folders = self.strings_of(elf::DT_RUNPATH)?;
        let folders_are_inherited = folders.is_empty();
        if folders_are_inherited {
            folders = self.strings_of(elf::DT_RPATH)?;
        }
        let folders = folders.iter().flat_map(|list| list.split(':'));
        Ok(Needs {
            libraries: self.strings_of(elf::DT_NEEDED)?,
            versions: self
                .needed_versions()?
                .into_iter()
                .map(|(library, version, _)| (library, version))
                .collect(),
            folders: folders
                .filter(|folder| !folder.is_empty())
                .map(str::to_owned)
                .collect(),
            folders_are_inherited,
        })
    }

    /// Library, version, and the version's number in this file.
    fn needed_versions(&self) -> Result<Vec<(String, String, u16)>> {
        let mut found = Vec::new();
        let Some(mut address) = self.entry(elf::DT_VERNEED) else {
            return Ok(found);
        };
        for _ in 0..self.count(elf::DT_VERNEEDNUM) {
            let need: &elf::Verneed<Elf::Endian> = self.one(address)?;
            let library = self.string(need.vn_file.get(self.endian).into())?;
            let mut part = address.wrapping_add(need.vn_aux.get(self.endian).into());
            for _ in 0..need.vn_cnt.get(self.endian) {
                let version: &elf::Vernaux<Elf::Endian> = self.one(part)?;
                let number = version.vna_other(self.endian).index().0;
                let name = self.string(version.vna_name.get(self.endian).into())?;
                found.push((library.clone(), name, number));
                if found.len() > MOST_VERSIONS {
                    return Err("its table of versions has no end".to_owned());
                }
                part = part.wrapping_add(version.vna_next.get(self.endian).into());
            }
            let next = need.vn_next.get(self.endian);
            if next == 0 {
                break;
            }
            address = address.wrapping_add(next.into());
        }
        Ok(found)
    }

    /// The names of the versions that it defines or needs, by their numbers in this file.
    fn version_names(&self) -> Result<Vec<Option<String>>> {
        let mut names: Vec<Option<String>> = Vec::new();
        let mut put = |number: u16, name: String| {
            let index = usize::from(number);
            if names.len() <= index {
                names.resize(index + 1, None);
            }
            names[index] = Some(name);
        };
        for (_, version, number) in self.needed_versions()? {
            put(number, version);
        }
        for (version, number) in self.defined_versions()? {
            put(number, version);
        }
        Ok(names)
    }

    /// Version, and its number in this file.
    fn defined_versions(&self) -> Result<Vec<(String, u16)>> {
        let mut found = Vec::new();
        let mut next = self.entry(elf::DT_VERDEF);
        for _ in 0..self.count(elf::DT_VERDEFNUM) {
            let Some(address) = next else { break };
            let definition: &elf::Verdef<Elf::Endian> = self.one(address)?;
            let part = address.wrapping_add(definition.vd_aux.get(self.endian).into());
            let name: &elf::Verdaux<Elf::Endian> = self.one(part)?;
            // The first names the file itself; symbols with its number have no version.
            let flags = definition.vd_flags.get(self.endian);
            if !flags.contains(elf::VER_FLG_BASE) {
                let name = self.string(name.vda_name.get(self.endian).into())?;
                found.push((name, definition.vd_ndx.get(self.endian).0 & 0x7fff));
            }
            next = match definition.vd_next.get(self.endian) {
                0 => None,
                step => Some(address.wrapping_add(step.into())),
            };
        }
        Ok(found)
    }

    fn dynamic_symbols(&self) -> Result<Vec<Symbol>> {
        let Some(address) = self.entry(elf::DT_SYMTAB) else {
            return Ok(Vec::new());
        };
        let count = self.dynamic_symbol_count()?;
        let symbols: &[Elf::Sym] = self.array(address, count)?;
        let numbers: &[elf::Versym<Elf::Endian>] = match self.entry(elf::DT_VERSYM) {
            Some(address) => self.array(address, count)?,
            None => &[],
        };
        let names = self.version_names()?;
        let mut found = Vec::with_capacity(symbols.len());
        for (index, symbol) in symbols.iter().enumerate().skip(1) {
            let name = self.string(symbol.st_name(self.endian).into())?;
            let number = numbers.get(index).map(|number| number.0.get(self.endian));
            let version =
                number.and_then(|number| names.get(usize::from(number.index().0))?.clone());
            let is_default = !number.is_some_and(|number| number.is_hidden());
            let is_local = number.is_some_and(|number| number.is_local());
            let mut symbol = self.symbol(symbol, name);
            symbol.is_default = is_default;
            symbol.is_visible &= !is_local;
            symbol.version = version;
            found.push(symbol);
        }
        Ok(found)
    }

    fn symbol(&self, symbol: &Elf::Sym, name: String) -> Symbol {
        let is_local = symbol.is_local();
        let visibility = symbol.st_visibility();
        Symbol {
            name,
            version: None,
            is_default: true,
            is_defined: !symbol.is_undefined(self.endian),
            is_visible: !is_local
                && (visibility == elf::STV_DEFAULT || visibility == elf::STV_PROTECTED),
            is_absolute: symbol.is_absolute(self.endian),
            kind: symbol.st_type(),
            size: symbol.st_size(self.endian).into(),
            value: symbol.st_value(self.endian).into(),
        }
    }

    /// No entry of the dynamic segment has it: the tables of hashes know.
    fn dynamic_symbol_count(&self) -> Result<u64> {
        if let Some(address) = self.entry(elf::DT_HASH) {
            // Buckets, then chains, of which each symbol has one.
            return Ok(self.word(address.wrapping_add(4))?.into());
        }
        let Some(address) = self.entry(elf::DT_GNU_HASH) else {
            return Ok(0);
        };
        let word = |index: u64| self.word(address.wrapping_add(index.wrapping_mul(4)));
        let (buckets, first, filters) = (
            u64::from(word(0)?),
            u64::from(word(1)?),
            u64::from(word(2)?),
        );
        let filter_words = if self.header.is_type_64() { 2 } else { 1 };
        let start = 4 + filters * filter_words;
        let table = address.wrapping_add(start * 4);
        let mut last = 0;
        let little = self.header.is_little_endian();
        for bucket in self.bytes(table, buckets * 4)?.as_chunks::<4>().0 {
            let symbol = match little {
                true => u32::from_le_bytes(*bucket),
                false => u32::from_be_bytes(*bucket),
            };
            last = last.max(u64::from(symbol));
        }
        if last < first {
            return Ok(first);
        }
        // The last bucket's chain ends where the lowest bit is set.
        while word(start + buckets + (last - first))? & 1 == 0 {
            last += 1;
        }
        Ok(last + 1)
    }

    fn all_symbols(&self) -> Result<Vec<Symbol>> {
        let sections = self
            .header
            .section_headers(self.endian, self.source)
            .map_err(words)?;
        let mut found = Vec::new();
        for section in sections {
            if section.sh_type(self.endian) != elf::SHT_SYMTAB {
                continue;
            }
            let symbols: &[Elf::Sym] = section
                .data_as_array(self.endian, self.source)
                .map_err(words)?;
            let names = sections
                .get(section.sh_link(self.endian) as usize)
                .ok_or("its symbols have no names")?
                .data(self.endian, self.source)
                .map_err(words)?;
            let names = StringTable::new(names, 0, names.len() as u64);
            for symbol in symbols {
                let name = symbol.name(self.endian, names).map_err(words)?;
                found.push(self.symbol(symbol, String::from_utf8_lossy(name).into_owned()));
            }
        }
        Ok(found)
    }
}

fn words(error: object::read::Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{OpenOptions, find};

    fn library() -> Vec<u8> {
        let path = find(Path::new("libz.so.1"), &OpenOptions::default()).unwrap();
        std::fs::read(path).unwrap()
    }

    /// Looks at everything in a file of these bytes.
    fn look(name: &str, bytes: &[u8]) -> Result<(Needs, Vec<Symbol>)> {
        let name = format!("farcall-elf-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        let image = Image::open(&path);
        std::fs::remove_file(&path).unwrap();
        let image = image?.ok_or("no ELF file")?;
        let _ = (
            image.outline(),
            image.all_symbols(),
            image.defined_versions(),
        );
        Ok((image.needs()?, image.dynamic_symbols()?))
    }

    #[test]
    fn a_file_without_section_headers_tells_as_much() {
        let mut bytes = library();
        let whole = look("sections", &bytes).unwrap();
        assert!(whole.0.libraries.contains(&"libc.so.6".to_owned()));
        assert!(
            whole
                .0
                .versions
                .iter()
                .any(|(_, version)| version.starts_with("GLIBC_"))
        );
        // e_shoff, then e_shnum and e_shstrndx.
        bytes[40..48].fill(0);
        bytes[60..64].fill(0);
        assert_eq!(look("sections", &bytes).unwrap(), whole);
    }

    #[test]
    fn damage_is_an_error_and_no_more() {
        let bytes = library();
        let mut random = 12345_u64;
        let mut next = |below: usize| {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (random >> 33) as usize % below
        };
        // The dynamic segment and the tables of versions are small: many changes go there.
        let image_end = bytes.len();
        let dynamic = bytes
            .windows(16)
            .position(|entry| entry[..8] == [1, 0, 0, 0, 0, 0, 0, 0] && entry[10..16] == [0; 6])
            .unwrap_or(0);
        for round in 0..600 {
            let mut damaged = bytes.clone();
            for _ in 0..=next(3) {
                let at = match round % 3 {
                    0 => next(1024),
                    1 => (dynamic + next(512)).min(image_end - 1),
                    _ => next(32768.min(image_end)),
                };
                damaged[at] = [0, 1, 0x7f, 0x80, 0xff, next(256) as u8][next(6)];
            }
            if round % 10 == 0 {
                damaged.truncate(next(image_end));
            }
            let _ = look("damage", &damaged);
        }
    }
}

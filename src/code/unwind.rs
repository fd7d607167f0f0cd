//! What unwinders are told of stubs, so that exceptions, the ends of threads and backtraces find their
//! way through them. All frames of a processor have one shape (`stub` has the pictures), so that one
//! entry describes all code in a range of addresses. Ranges are large and few, are announced before
//! there is code in them, and stay for ever: an unwinder that knows of thousands is slow.

use super::heap::ALIGN;
use super::machine::{DWARF_FRAME_POINTER, DWARF_RETURN_ADDRESS, FRAMELESS, symbol_address};
use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};

/// A function with which an unwinder is told of code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Unwinder {
    register: *const c_void,
    wants: Wants,
}

// SAFETY: a function's address, of a library that is never closed.
unsafe impl Send for Unwinder {}

/// What a function of one name takes, by who made it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    /// GCC's: a whole section, up to the word of zeros that ends it.
    Section,
    /// LLVM's: a single entry for a range.
    Entry,
}

/// What is known of each line of code in a range: whether its stub has a frame. An unwinder that comes from a
/// signal handler asks.
pub(super) struct Lines {
    pub(super) start: usize,
    pub(super) length: usize,
    flags: &'static [AtomicU8],
}

impl Lines {
    /// Of a range that begins at a multiple of a line.
    pub(super) fn new(start: usize, length: usize) -> Lines {
        let flags: Vec<AtomicU8> = (0..length / ALIGN).map(|_| AtomicU8::new(0)).collect();
        Lines {
            start,
            length,
            flags: flags.leak(),
        }
    }

    fn of(&self, address: usize, length: usize) -> &[AtomicU8] {
        let first = (address - self.start) / ALIGN;
        &self.flags[first..first + length.div_ceil(ALIGN)]
    }

    /// Says of lines whether their stub has no frame.
    pub(super) fn set(&self, address: usize, length: usize, is_frameless: bool) {
        for flag in self.of(address, length) {
            flag.store(is_frameless.into(), Ordering::Release);
        }
    }

    /// Whether the stub that a line belongs to has no frame.
    pub(super) fn is_frameless(&self, address: usize) -> bool {
        self.of(address, 1)[0].load(Ordering::Acquire) != 0
    }

    pub(super) fn contains(&self, address: usize) -> bool {
        (self.start..self.start + self.length).contains(&address)
    }
}

/// The ranges, and the unwinders that know them all.
pub(super) struct Announced {
    sections: Vec<&'static [u8]>,
    unwinders: Vec<Unwinder>,
}

impl Announced {
    pub(super) const NOTHING: Announced = Announced {
        sections: Vec::new(),
        unwinders: Vec::new(),
    };

    /// Tells all unwinders of a new range.
    pub(super) fn add(&mut self, lines: &Lines) {
        let section: &'static [u8] =
            self::section(lines.start as u64, lines.length as u64, Some(lines)).leak();
        self.add_section(section);
    }

    /// Tells all unwinders of a range in which nothing has a frame: the stack is as it was when the code was
    /// entered.
    pub(super) fn add_frameless(&mut self, start: usize, length: usize) {
        let description = description(FRAMELESS);
        self.add_section(section_of(description, start as u64, length as u64, &[]).leak());
    }

    fn add_section(&mut self, section: &'static [u8]) {
        self.sections.push(section);
        for &unwinder in &self.unwinders {
            tell(unwinder, section);
        }
    }

    /// Tells unwinders of all ranges, if they do not know them yet.
    pub(super) fn meet(&mut self, found: &[Unwinder]) {
        for &unwinder in found {
            if !self.unwinders.contains(&unwinder) {
                self.unwinders.push(unwinder);
                for section in &self.sections {
                    tell(unwinder, section);
                }
            }
        }
    }

    /// No range was announced.
    pub(super) fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// No unwinder was found yet.
    pub(super) fn knows_no_unwinder(&self) -> bool {
        self.unwinders.is_empty()
    }
}

fn tell(unwinder: Unwinder, section: &'static [u8]) {
    let entry = match unwinder.wants {
        Wants::Section => section,
        Wants::Entry => &section[part_length(section)..],
    };
    // SAFETY: the address is that of such a function, and what it gets is complete and stays.
    unsafe {
        let register: unsafe extern "C" fn(*const u8) = std::mem::transmute(unwinder.register);
        register(entry.as_ptr());
    }
}

const DW_CFA_NOP: u8 = 0;
pub(super) const DW_CFA_DEF_CFA: u8 = 0x0c;
pub(super) const DW_CFA_DEF_CFA_EXPRESSION: u8 = 0x0f;
pub(super) const DW_CFA_VAL_EXPRESSION: u8 = 0x16;
pub(super) const DW_CFA_OFFSET: u8 = 0x80;
const DW_EH_PE_ABSPTR: u8 = 0;

/// Bytes behind their own number, as parts of a section have them.
fn part(mut content: Vec<u8>) -> Vec<u8> {
    // With the number a multiple of 8.
    content.resize((content.len() + 4).next_multiple_of(8) - 4, DW_CFA_NOP);
    let mut part = (content.len() as u32).to_le_bytes().to_vec();
    part.append(&mut content);
    part
}

/// The bytes of the part that a section begins with, and of their number.
fn part_length(section: &[u8]) -> usize {
    let number = section
        .first_chunk()
        .map_or(0, |bytes| u32::from_le_bytes(*bytes));
    4 + number as usize
}

/// The shape of all frames: the frame begins 16 bytes above the frame pointer, which points to where the
/// caller's is saved, below the return address.
const FRAMED: &[u8] = &[
    DW_CFA_DEF_CFA,
    DWARF_FRAME_POINTER,
    16,
    DW_CFA_OFFSET | DWARF_RETURN_ADDRESS,
    1,
    DW_CFA_OFFSET | DWARF_FRAME_POINTER,
    2,
];

/// What entries of a kind have in common (a common information entry).
fn description(rules: &[u8]) -> Vec<u8> {
    let mut content = vec![0; 4];
    content.extend_from_slice(b"\x01zR\0");
    content.extend_from_slice(&[
        // Addresses are in bytes, offsets in units of -8 bytes.
        1,
        0x78,
        DWARF_RETURN_ADDRESS,
        1,
        DW_EH_PE_ABSPTR,
    ]);
    content.extend_from_slice(rules);
    part(content)
}

/// A section (.eh_frame) that says that all frames in a range have the shape; with `lines`, what is before
/// and after it too.
pub(super) fn section(address: u64, length: u64, lines: Option<&Lines>) -> Vec<u8> {
    let rules = lines.map_or_else(Vec::new, |lines| {
        super::machine::unwind_rules(
            lines.start as u64,
            lines.length as u64,
            lines.flags.as_ptr() as u64,
        )
    });
    section_of(description(FRAMED), address, length, &rules)
}

/// A section with one entry, whose rules are added to those of its description.
fn section_of(description: Vec<u8>, address: u64, length: u64, rules: &[u8]) -> Vec<u8> {
    let mut section = description;
    // How far back from here, behind the entry's own number, the description is.
    let back = section.len() as u32 + 4;
    let mut content = back.to_le_bytes().to_vec();
    content.extend_from_slice(&address.to_le_bytes());
    content.extend_from_slice(&length.to_le_bytes());
    content.push(0);
    content.extend_from_slice(rules);
    section.append(&mut part(content));
    section.extend_from_slice(&[0; 4]);
    section
}

/// Every unwinder of the process that can be found: the one that farcall is linked with, the one that
/// its symbols are resolved to now, and those that come with compilers, under their usual names. It
/// calls the loader, which may be waiting for a thread that wants code: no lock is held meanwhile.
pub(super) fn find() -> Vec<Unwinder> {
    const NAMES: [&CStr; 2] = [c"libgcc_s.so.1", c"libunwind.so.1"];
    let mut places = vec![
        Place {
            register: symbol_address!(".weak", "__register_frame"),
            of_llvm: symbol_address!(".weak", "__unw_add_dynamic_fde"),
        },
        Place::in_handle(libc::RTLD_DEFAULT),
    ];
    for name in NAMES {
        const FLAGS: c_int = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
        // SAFETY: the name ends in NUL; nothing is loaded that is not loaded.
        let handle = unsafe { libc::dlopen(name.as_ptr(), FLAGS) };
        // The handle is kept: the library must not go any more.
        if !handle.is_null() {
            places.push(Place::in_handle(handle));
        }
    }
    let mut found: Vec<Unwinder> = Vec::new();
    for place in &places {
        let is_known = found.iter().any(|one| one.register == place.register);
        if !place.register.is_null() && !is_known {
            let is_llvm = places.iter().any(|one| place.is_beside(one.of_llvm));
            let wants = match is_llvm {
                true => Wants::Entry,
                false => Wants::Section,
            };
            found.push(Unwinder {
                register: place.register,
                wants,
            });
        }
    }
    found
}

/// Where symbols were looked for, and what was found there.
struct Place {
    register: *const c_void,
    /// A function that only LLVM's unwinder has.
    of_llvm: *const c_void,
}

impl Place {
    fn in_handle(handle: *mut c_void) -> Place {
        // SAFETY: the handle is open, or stands for the whole program, and the names end in NUL.
        unsafe {
            Place {
                register: libc::dlsym(handle, c"__register_frame".as_ptr()),
                of_llvm: libc::dlsym(handle, c"__unw_add_dynamic_fde".as_ptr()),
            }
        }
    }

    /// The other function is of the same library as `register`. Two libraries may be loaded that both
    /// have a function of that name.
    fn is_beside(&self, other: *const c_void) -> bool {
        !other.is_null() && library_of(self.register) == library_of(other)
    }
}

/// Where the library begins in memory that an address is in.
fn library_of(address: *const c_void) -> *const c_void {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: the address is only looked up.
    unsafe { libc::dladdr(address, &mut info) };
    info.dli_fbase
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_two_parts_and_an_end() {
        let section = section(0x1000, 0x2000, None);
        let word = |at: usize| u32::from_le_bytes(section[at..at + 4].try_into().unwrap());
        let entry = 4 + word(0) as usize;
        assert_eq!(entry, description(FRAMED).len());
        assert_eq!(entry % 8, 0);
        // The entry finds its description.
        assert_eq!(word(entry + 4) as usize, entry + 4);
        let end = entry + 4 + word(entry) as usize;
        assert_eq!(section[end..], [0; 4]);
        assert_eq!(section[entry + 8..entry + 16], 0x1000u64.to_le_bytes());
        assert_eq!(section[entry + 16..entry + 24], 0x2000u64.to_le_bytes());
    }

    #[test]
    fn the_unwinder_of_this_program_is_found() {
        assert!(!find().is_empty());
        // Each is told once.
        let found = find();
        let mut announced = Announced::NOTHING;
        announced.meet(&found);
        announced.meet(&found);
        assert_eq!(announced.unwinders.len(), found.len());
    }
}

//! What debuggers and profilers are told of code. Each is told only if `FARCALL_DEBUG` names it:
//! "gdb", "perf", "dump", or several with commas between. A tool that cannot be told is left alone: the
//! program goes on.

mod gdb;
mod image;
mod jitdump;
mod perf_map;

use super::environment;
use jitdump::Dump;
use perf_map::Map;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};

const UNKNOWN: u8 = 0;
const KNOWN: u8 = 1;
const GDB: u8 = 2;
const PERF: u8 = 4;
const DUMP: u8 = 8;

fn asked() -> u8 {
    static ASKED: AtomicU8 = AtomicU8::new(UNKNOWN);
    let known = ASKED.load(Ordering::Relaxed);
    if known != UNKNOWN {
        return known;
    }
    let value = environment::variable(c"FARCALL_DEBUG");
    let words = value.map_or(&[][..], std::ffi::CStr::to_bytes);
    let bit = |word: &[u8]| match word.trim_ascii() {
        b"gdb" => GDB,
        b"perf" => PERF,
        b"dump" => DUMP,
        _ => 0,
    };
    let asked = words.split(|&byte| byte == b',').map(bit);
    let asked = asked.fold(KNOWN, |all, one| all | one);
    ASKED.store(asked, Ordering::Relaxed);
    asked
}

/// Some tool is to be told.
pub(super) fn is_wanted() -> bool {
    asked() != KNOWN
}

/// A piece of code that tools know.
struct Known {
    length: usize,
    name: String,
    gdb: Option<gdb::Registration>,
}

/// What the tools of this process have been told.
pub(super) struct Tools {
    /// The process whose files these are; 0 before there are any.
    owner: u32,
    code: BTreeMap<usize, Known>,
    map: Option<Map>,
    dump: Option<Dump>,
}

impl Tools {
    pub(super) const NONE: Tools = Tools {
        owner: 0,
        code: BTreeMap::new(),
        map: None,
        dump: None,
    };

    /// Tells of new code.
    pub(super) fn add(&mut self, address: usize, length: usize, name: String) {
        self.remove(address);
        self.open();
        self.write(address, length, &name);
        let gdb = (asked() & GDB != 0).then(|| gdb::register(address, length, &name));
        let known = Known { length, name, gdb };
        self.code.insert(address, known);
    }

    /// Code is gone. Files for perf know no such thing: what comes to its place later is told anew.
    pub(super) fn remove(&mut self, address: usize) {
        if let Some(known) = self.code.remove(&address)
            && let Some(registration) = known.gdb
        {
            gdb::unregister(registration);
        }
    }

    /// A child of fork has files of its own, which tell of all that it has inherited.
    pub(super) fn in_child(&mut self) {
        if self.owner != 0 {
            self.open();
        }
    }

    fn open(&mut self) {
        let process = std::process::id();
        if self.owner == process {
            return;
        }
        self.owner = process;
        self.map = (asked() & PERF != 0).then(|| Map::open(process)).flatten();
        self.dump = (asked() & DUMP != 0).then(|| Dump::open(process)).flatten();
        let inherited: Vec<_> = self.code.keys().copied().collect();
        for address in inherited {
            if let Some(known) = self.code.get(&address) {
                let (length, name) = (known.length, known.name.clone());
                self.write(address, length, &name);
            }
        }
    }

    fn write(&mut self, address: usize, length: usize, name: &str) {
        if let Some(map) = &mut self.map {
            map.add(address, length, name);
        }
        if let Some(dump) = &mut self.dump {
            // SAFETY: executable memory is readable and stays mapped.
            let code = unsafe { std::slice::from_raw_parts(address as *const u8, length) };
            dump.add(code, name);
        }
    }
}

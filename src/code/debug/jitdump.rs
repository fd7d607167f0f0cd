//! jit-PID.dump, perf's format for code that changes: records with the time, the name and the bytes of
//! each piece of code, from which `perf inject --jit` makes files that perf can show (the format is in
//! the kernel's tools/perf/Documentation/jitdump-specification.txt).

use crate::code::environment;
use crate::code::machine::ELF_MACHINE;
use std::ffi::{OsStr, c_int};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// "JiTD" where bytes are in the other order.
const MAGIC: u32 = 0x4A69_5444;
const VERSION: u32 = 1;
const HEADER_BYTES: u32 = 40;
const CODE_LOAD: u32 = 0;
/// Of a record of new code, without the name and the code.
const RECORD_BYTES: usize = 56;

pub(super) struct Dump {
    file: File,
    process: u32,
    count: u64,
}

impl Dump {
    /// In $JITDUMPDIR, or in the current folder.
    pub(super) fn open(process: u32) -> Option<Dump> {
        let folder = environment::variable(c"JITDUMPDIR");
        let folder = folder.map_or(Path::new("."), |one| {
            Path::new(OsStr::from_bytes(one.to_bytes()))
        });
        let path: PathBuf = folder.join(format!("jit-{process}.dump"));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        options.custom_flags(libc::O_NOFOLLOW);
        let mut file = match options.open(&path) {
            Ok(file) => file,
            // Of an earlier process that had the same number.
            Err(_) => {
                fs::remove_file(&path).ok()?;
                options.open(&path).ok()?
            }
        };
        let mut header = Vec::new();
        for word in [MAGIC, VERSION, HEADER_BYTES, ELF_MACHINE.into(), 0, process] {
            header.extend_from_slice(&word.to_ne_bytes());
        }
        header.extend_from_slice(&now().to_ne_bytes());
        header.extend_from_slice(&0u64.to_ne_bytes());
        file.write_all(&header).ok()?;
        mark(file.as_raw_fd());
        Some(Dump {
            file,
            process,
            count: 0,
        })
    }

    pub(super) fn add(&mut self, code: &[u8], name: &str) {
        let address = code.as_ptr() as u64;
        let total = RECORD_BYTES + name.len() + 1 + code.len();
        let mut record = Vec::with_capacity(total);
        for word in [CODE_LOAD, total as u32] {
            record.extend_from_slice(&word.to_ne_bytes());
        }
        record.extend_from_slice(&now().to_ne_bytes());
        for word in [self.process, thread()] {
            record.extend_from_slice(&word.to_ne_bytes());
        }
        for word in [address, address, code.len() as u64, self.count] {
            record.extend_from_slice(&word.to_ne_bytes());
        }
        record.extend_from_slice(name.as_bytes());
        record.push(0);
        record.extend_from_slice(code);
        let _ = self.file.write_all(&record);
        self.count += 1;
    }
}

/// perf finds the file by its being mapped as if it were code. The mapping stays.
fn mark(file: c_int) {
    let protection = libc::PROT_READ | libc::PROT_EXEC;
    // SAFETY: a new mapping at an address of the system's choice touches no other memory.
    unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            1,
            protection,
            libc::MAP_PRIVATE,
            file,
            0,
        )
    };
}

/// Nanoseconds by the clock that perf is told to use (perf record -k mono).
fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the time is written to memory of its type.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn thread() -> u32 {
    // SAFETY: the call has no preconditions.
    unsafe { libc::syscall(libc::SYS_gettid) as u32 }
}

//! /tmp/perf-PID.map, in which perf looks up names of code that is in no file: a line for each piece,
//! with its start and its size in hexadecimal, and its name.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

pub(super) struct Map(File);

impl Map {
    /// The folder is everyone's, so that only a new file will do, or one of this user's that has no
    /// second name: another compiler in this process may have begun it.
    pub(super) fn open(process: u32) -> Option<Map> {
        let path = format!("/tmp/perf-{process}.map");
        let mut options = OpenOptions::new();
        options.append(true).mode(0o600);
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        if let Ok(file) = options.clone().create_new(true).open(&path) {
            return Some(Map(file));
        }
        let file = options.open(&path).ok()?;
        let data = file.metadata().ok()?;
        // SAFETY: the function has no preconditions.
        let user = unsafe { libc::geteuid() };
        let is_ours = data.is_file() && data.uid() == user && data.nlink() == 1;
        is_ours.then_some(Map(file))
    }

    pub(super) fn add(&mut self, address: usize, length: usize, name: &str) {
        // In one piece, so that lines of others do not come between.
        let line = format!("{address:x} {length:x} {name}\n");
        let _ = self.0.write_all(line.as_bytes());
    }
}

//! The heap of executable memory: many stubs to a page. New code is written to a copy of its page,
//! which is sealed and moved over the old one; what else is on the page goes on running. Freed code
//! is reused, and never unmapped. Where the environment asks for it, code is written through a second
//! mapping instead.

use super::FILL;
use super::debug::{self, Tools};
use super::dual::Arena;
use super::lock::{Mutex, MutexGuard, new_raw};
use super::memory::{self, Draft, SparePages, page_size};
use super::mode::{self, Mode};
use super::unwind::{self, Announced, Lines};
use crate::error::{Error, Result};
use std::ops::Range;

/// Stubs begin at multiples of this: where they cross fewer cache lines and fetch windows, they run
/// faster.
pub const ALIGN: usize = 64;
/// Address space is reserved in pieces of this many bytes at first, and then of twice as many each
/// time, up to a limit: unwinders are slower the more pieces there are.
pub(super) const RESERVATION: usize = 1 << 18;
const LARGEST_RESERVATION: usize = 1 << 26;
/// Readable bytes before the first code of a page run: clang's -fsanitize=function reads 8 bytes
/// in front of a function before it calls it.
const MARGIN: usize = ALIGN;

/// Code in executable memory, freed when this is dropped.
#[derive(Debug)]
pub struct CodeBlock {
    address: usize,
    length: usize,
}

impl CodeBlock {
    /// Where the code is.
    pub fn address(&self) -> usize {
        self.address
    }

    /// The code itself, with what fills it up to a multiple of the alignment.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: executable memory is readable, stays mapped, and a block in use never changes.
        unsafe { std::slice::from_raw_parts(self.address as *const u8, self.length) }
    }

    /// Its bytes, alignment included.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The same block, of which these bytes, in whole lines, are a stub without a frame: it leaves the stack as
    /// it was, wherever a signal meets it.
    pub fn without_frame(self, bytes: Range<usize>) -> CodeBlock {
        let heap = HEAP.lock();
        if let Some(lines) = heap.lines_of(self.address) {
            lines.set(self.address + bytes.start, bytes.len(), true);
        }
        drop(heap);
        self
    }

    /// The same block, all of which is a stub without a frame if `is_so`.
    pub fn frameless(self, is_so: bool) -> CodeBlock {
        let length = self.length;
        match is_so {
            true => self.without_frame(0..length),
            false => self,
        }
    }

    /// The same block, with a name for debuggers and profilers. It is only made if one of them is to be
    /// told.
    pub fn named(self, name: impl FnOnce() -> String) -> CodeBlock {
        self::name(self.address, self.length, name);
        self
    }
}

/// Tells debuggers and profilers what code is called, if one of them is to be told. It is executable,
/// and no longer changes.
pub fn name(address: usize, length: usize, name: impl FnOnce() -> String) {
    if debug::is_wanted() {
        let name = name();
        HEAP.lock().tools.add(address, length, name);
    }
}

impl Drop for CodeBlock {
    fn drop(&mut self) {
        HEAP.lock().free(self.address, self.length);
    }
}

/// What the heap holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodeStatistics {
    /// Blocks in use.
    pub blocks: usize,
    /// Bytes in use, alignment included.
    pub block_bytes: usize,
    /// Bytes of executable memory.
    pub mapped_bytes: usize,
}

/// A run of pages that are sealed together.
struct Run {
    address: usize,
    length: usize,
    /// Unused ranges (offset, length), by offset, none adjacent to another.
    free: Vec<(usize, usize)>,
    /// It has been sealed once: its bytes can be read.
    sealed: bool,
    /// Where it is mapped twice: in which arena.
    arena: Option<usize>,
    /// It is shared with another process, and not changed any more.
    retired: bool,
}

struct Heap {
    page: usize,
    runs: Vec<Run>,
    /// Reserved address space that no run has yet.
    reserved: (usize, usize),
    /// Bytes of the next reservation.
    next: usize,
    announced: Announced,
    /// What unwinders find of each reservation.
    lines: Vec<Lines>,
    /// Memory that is mapped twice. The last is the one in which address space is reserved.
    arenas: Vec<Arena>,
    /// The process that may write to them.
    owner: u32,
    tools: Tools,
    spare: SparePages,
    statistics: CodeStatistics,
}

static HEAP: Mutex<Heap> = Mutex::new(Heap {
    page: 0,
    runs: Vec::new(),
    reserved: (0, 0),
    next: RESERVATION,
    announced: Announced::NOTHING,
    lines: Vec::new(),
    arenas: Vec::new(),
    owner: 0,
    tools: Tools::NONE,
    spare: SparePages::NONE,
    statistics: CodeStatistics {
        blocks: 0,
        block_bytes: 0,
        mapped_bytes: 0,
    },
});

/// Keeps the heap as it is while the process forks: a child must not find it locked by a thread that
/// it does not have.
pub fn lock_for_fork() {
    let mut heap = HEAP.lock();
    heap.arenas.iter_mut().for_each(Arena::make_copy);
    std::mem::forget(heap);
}

/// Ends `lock_for_fork` in the parent.
///
/// # Safety
///
/// The thread that calls this has called `lock_for_fork`.
pub unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe {
        (*HEAP.data_ptr()).keep_arenas(Arena::drop_copy);
        HEAP.force_unlock();
    }
}

/// Ends `lock_for_fork` in the child.
///
/// # Safety
///
/// The calling thread is the only one.
pub unsafe fn renew_after_fork() {
    // SAFETY: the caller's promise.
    unsafe { renew(&HEAP) };
    let mut heap = HEAP.lock();
    heap.keep_arenas(Arena::adopt_copy);
    heap.owner = std::process::id();
    heap.tools.in_child();
}

/// Makes a lock new. Unlocking it would look for threads that wait for it, of which the child has
/// none, in tables that one of them may have been changing.
///
/// # Safety
///
/// The calling thread is the only one.
pub unsafe fn renew<T>(mutex: &Mutex<T>) {
    // SAFETY: nobody else uses the lock's state, which is an atomic number behind a reference.
    unsafe {
        let raw = std::ptr::from_ref(mutex.raw()).cast_mut();
        raw.write(new_raw());
    }
}

/// Puts code of at most `length` bytes into executable memory. `write` gets the address where it
/// will be.
pub fn add(length: usize, write: impl FnOnce(usize) -> Vec<u8>) -> Result<CodeBlock> {
    if let Some(refusal) = mode::why_static() {
        return Err(refusal.error());
    }
    let length = length.max(1).next_multiple_of(ALIGN);
    let block = lock_with_room(length).add(length, write);
    block.map_err(mode::after).inspect(|_| mode::succeeded())
}

/// Locks the heap. Where it is going to reserve address space it knows all unwinders.
fn lock_with_room(length: usize) -> MutexGuard<'static, Heap> {
    let mut heap = HEAP.lock();
    heap.look_for_fork();
    if heap.has_room(length) {
        return heap;
    }
    drop(heap);
    let unwinders = unwind::find();
    let mut heap = HEAP.lock();
    heap.announced.meet(&unwinders);
    heap
}

/// Whether the stub at an address has no frame.
pub fn is_frameless(address: usize) -> bool {
    let heap = HEAP.lock();
    let lines = heap.lines_of(address);
    lines.is_some_and(|lines| lines.is_frameless(address))
}

/// To be called after a library was loaded: it may have brought an unwinder.
pub fn announce_to_new_unwinders() {
    if !HEAP.lock().announced.is_empty() {
        let unwinders = unwind::find();
        HEAP.lock().announced.meet(&unwinders);
    }
}

/// Finds the unwinders, if none is known yet: what is announced later they are then told.
pub fn find_unwinders() {
    if HEAP.lock().announced.knows_no_unwinder() {
        let unwinders = unwind::find();
        HEAP.lock().announced.meet(&unwinders);
    }
}

/// Tells the unwinders that are known of thunks. It finds no others, since its caller holds a lock.
pub(super) fn announce_thunks(start: usize, length: usize) {
    HEAP.lock().announced.add_frameless(start, length);
}

/// What the heap holds now.
pub fn statistics() -> CodeStatistics {
    HEAP.lock().statistics
}

impl Heap {
    fn add(&mut self, length: usize, write: impl FnOnce(usize) -> Vec<u8>) -> Result<CodeBlock> {
        let (index, offset) = match self.find(length) {
            Some(found) => found,
            None => (self.new_run(length)?, MARGIN),
        };
        let address = self.runs[index].address + offset;
        let mut code = write(address);
        if code.len() > length {
            return Err(Error::new(
                crate::error::Status::Internal,
                "code is longer than it was announced",
            ));
        }
        code.resize(length, FILL);
        if let Some(lines) = self.lines_of(address) {
            lines.set(address, length, false);
        }
        match self.runs[index].arena {
            Some(arena) => self.write(index, arena, offset, &code)?,
            None => self.seal(index, offset, &code)?,
        }
        let run = &mut self.runs[index];
        if !run.sealed {
            run.sealed = true;
            self.statistics.mapped_bytes += run.length;
        }
        run.take(offset, length);
        self.statistics.blocks += 1;
        self.statistics.block_bytes += length;
        Ok(CodeBlock { address, length })
    }

    fn lines_of(&self, address: usize) -> Option<&Lines> {
        self.lines.iter().find(|lines| lines.contains(address))
    }

    /// Puts code into a run of private pages.
    fn seal(&mut self, index: usize, offset: usize, code: &[u8]) -> Result<()> {
        let run = &self.runs[index];
        let mut draft = Draft::new(run.length, self.page, &mut self.spare)?;
        let bytes = draft.bytes();
        if run.sealed {
            // SAFETY: a sealed run is readable and `length` long, and stays mapped.
            let old = unsafe { std::slice::from_raw_parts(run.address as *const u8, run.length) };
            bytes.copy_from_slice(old);
        } else {
            bytes.fill(FILL);
        }
        bytes[offset..offset + code.len()].copy_from_slice(code);
        // SAFETY: the run's address came from `reserve`, and every byte of it that is in use is
        // the same in the draft.
        unsafe { draft.seal_over(run.address) }
    }

    /// Puts code into a run that is mapped twice.
    fn write(&mut self, index: usize, arena: usize, offset: usize, code: &[u8]) -> Result<()> {
        let run = &self.runs[index];
        let arena = &mut self.arenas[arena];
        // SAFETY: the run is in the arena, and what is written was not in use.
        unsafe {
            if !run.sealed {
                arena.use_more(run.length)?;
                arena.write(run.address, &vec![FILL; run.length]);
            }
            arena.write(run.address + offset, code);
        }
        Ok(())
    }

    /// After a fork: runs of arenas that are not this process's alone are not changed any more.
    fn keep_arenas(&mut self, is_own: impl Fn(&mut Arena) -> bool) {
        let own: Vec<bool> = self.arenas.iter_mut().map(is_own).collect();
        for run in &mut self.runs {
            run.retired |= run.arena.is_some_and(|arena| !own[arena]);
        }
        if own.last() == Some(&false) {
            self.reserved = (0, 0);
        }
    }

    /// A run with room, and the offset. The last run first: it is the one that is being filled.
    fn find(&self, length: usize) -> Option<(usize, usize)> {
        let with_room = |(index, run): (usize, &Run)| {
            if run.retired {
                return None;
            }
            let range = run.free.iter().find(|range| range.1 >= length)?;
            Some((index, range.0))
        };
        self.runs.iter().enumerate().rev().find_map(with_room)
    }

    /// A process that was forked without the C library's knowledge shares its arenas with its parent.
    fn look_for_fork(&mut self) {
        if !self.arenas.is_empty() {
            let process = std::process::id();
            if self.owner != process && self.owner != 0 {
                self.keep_arenas(|_| false);
            }
            self.owner = process;
        }
    }

    /// It takes no new address space to add so many bytes.
    fn has_room(&self, length: usize) -> bool {
        self.page != 0
            && (self.find(length).is_some() || self.reserved.1 >= self.bytes_of_run(length))
    }

    fn bytes_of_run(&self, length: usize) -> usize {
        (length + MARGIN).next_multiple_of(self.page)
    }

    fn new_run(&mut self, length: usize) -> Result<usize> {
        if self.page == 0 {
            self.page = page_size();
        }
        let bytes = self.bytes_of_run(length);
        if self.reserved.1 < bytes {
            let size = self.next.max(bytes.next_multiple_of(RESERVATION));
            self.reserved = (self.reserve(size)?, size);
            let lines = Lines::new(self.reserved.0, size);
            self.announced.add(&lines);
            self.lines.push(lines);
            self.next = (self.next * 2).min(LARGEST_RESERVATION);
        }
        let address = self.reserved.0;
        self.reserved = (address + bytes, self.reserved.1 - bytes);
        self.runs.push(Run {
            address,
            length: bytes,
            free: vec![(MARGIN, bytes - MARGIN)],
            sealed: false,
            arena: matches!(mode::mode(), Mode::Dual).then(|| self.arenas.len() - 1),
            retired: false,
        });
        Ok(self.runs.len() - 1)
    }

    /// Address space in which runs get their places.
    fn reserve(&mut self, length: usize) -> Result<usize> {
        match mode::mode() {
            Mode::Dual => {
                let arena = Arena::new(length)?;
                let address = arena.address();
                self.arenas.push(arena);
                Ok(address)
            }
            _ => memory::reserve(length),
        }
    }

    fn free(&mut self, address: usize, length: usize) {
        if debug::is_wanted() {
            self.tools.remove(address);
        }
        let run = self
            .runs
            .iter_mut()
            .find(|run| (run.address..run.address + run.length).contains(&address));
        if let Some(run) = run {
            run.give_back(address - run.address, length);
            self.statistics.blocks -= 1;
            self.statistics.block_bytes -= length;
        }
    }
}

impl Run {
    fn take(&mut self, offset: usize, length: usize) {
        if let Some(index) = self.free.iter().position(|range| range.0 == offset) {
            let (start, room) = self.free[index];
            if room == length {
                self.free.remove(index);
            } else {
                self.free[index] = (start + length, room - length);
            }
        }
    }

    fn give_back(&mut self, offset: usize, length: usize) {
        let index = self.free.partition_point(|range| range.0 < offset);
        self.free.insert(index, (offset, length));
        // Joined with the range behind, then with the one before.
        if let Some(&(next, room)) = self.free.get(index + 1)
            && offset + length == next
        {
            self.free[index].1 += room;
            self.free.remove(index + 1);
        }
        if index > 0 && self.free[index - 1].0 + self.free[index - 1].1 == offset {
            self.free[index - 1].1 += self.free[index].1;
            self.free.remove(index);
        }
    }
}

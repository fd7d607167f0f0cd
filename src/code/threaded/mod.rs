//! The snippets of threaded code, which are the library's own text, and programs made of their
//! addresses: calls for which no machine code has to be made.

use crate::abi;
use crate::stub::threaded::{Program, Word, receiver};
use crate::stub::{Arguments, Plan, Upcall};
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::{RECEIVER_PROGRAM, RECORD_CONTEXT};
    use crate::stub::threaded::receiver::first as receiver;
    use crate::stub::threaded::x86_64::first;
    use crate::stub::{RECORD_HANDLER, RECORD_USER};
    use std::arch::global_asm;

    global_asm!(
        include_str!("x86_64.s"),
        include_str!("x86_64_receiver.s"),
        enter = const first::ENTER,
        enter_push = const first::ENTER_PUSH,
        enter_pair = const first::ENTER_PAIR,
        enter_quad = const first::ENTER_QUAD,
        enter_vector_quad = const first::ENTER_VECTOR_QUAD,
        push_group = const first::PUSH_GROUP,
        push_narrow = const first::PUSH_NARROW,
        push_tail = const first::PUSH_TAIL,
        push_words = const first::PUSH_WORDS,
        push_block = const first::PUSH_BLOCK,
        make_room = const first::MAKE_ROOM,
        address = const first::ADDRESS,
        pair = const first::PAIR,
        quad = const first::QUAD,
        vector_quad = const first::VECTOR_QUAD,
        two_general = const first::TWO_GENERAL,
        two_vector = const first::TWO_VECTOR,
        load_general = const first::LOAD_GENERAL,
        load_vector = const first::LOAD_VECTOR,
        area_address = const first::AREA_ADDRESS,
        result_address = const first::RESULT_ADDRESS,
        vector_count = const first::VECTOR_COUNT,
        allocate = const first::ALLOCATE,
        copy_bytes = const first::COPY_BYTES,
        copy_words = const first::COPY_WORDS,
        copy_wide = const first::COPY_WIDE,
        copy_large = const first::COPY_LARGE,
        store_address = const first::STORE_ADDRESS,
        store_narrow = const first::STORE_NARROW,
        call = const first::CALL,
        store_general = const first::STORE_GENERAL,
        store_vector = const first::STORE_VECTOR,
        take = const first::TAKE,
        extend = const first::EXTEND,
        store_taken = const first::STORE_TAKEN,
        store_zero = const first::STORE_ZERO,
        store_x87 = const first::STORE_X87,
        keep_errno = const first::KEEP_ERRNO,
        return = const first::RETURN,
        count = const first::COUNT,
        r_enter = const receiver::R_ENTER,
        r_enter_and_store = const receiver::R_ENTER_AND_STORE,
        r_enter_whole = const receiver::R_ENTER_WHOLE,
        r_allocate = const receiver::R_ALLOCATE,
        r_store_general = const receiver::R_STORE_GENERAL,
        r_store_vector = const receiver::R_STORE_VECTOR,
        r_addresses = const receiver::R_ADDRESSES,
        r_values = const receiver::R_VALUES,
        r_value = const receiver::R_VALUE,
        r_pointee = const receiver::R_POINTEE,
        r_frame_address = const receiver::R_FRAME_ADDRESS,
        r_move = const receiver::R_MOVE,
        r_zero = const receiver::R_ZERO,
        r_result_in_frame = const receiver::R_RESULT_IN_FRAME,
        r_result_at_pointer = const receiver::R_RESULT_AT_POINTER,
        r_call = const receiver::R_CALL,
        r_call_and_return = const receiver::R_CALL_AND_RETURN,
        r_call_and_return_microsoft = const receiver::R_CALL_AND_RETURN_MICROSOFT,
        r_load_general = const receiver::R_LOAD_GENERAL,
        r_load_vector = const receiver::R_LOAD_VECTOR,
        r_load_x87 = const receiver::R_LOAD_X87,
        r_copy_result = const receiver::R_COPY_RESULT,
        r_restore_microsoft = const receiver::R_RESTORE_MICROSOFT,
        r_return = const receiver::R_RETURN,
        r_count = const receiver::COUNT,
        record_context = const RECORD_CONTEXT,
        record_handler = const RECORD_HANDLER,
        record_user = const RECORD_USER,
        receiver_program = const RECEIVER_PROGRAM,
    );
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::{RECEIVER_PROGRAM, RECORD_CONTEXT};
    use crate::stub::threaded::aarch64::first;
    use crate::stub::threaded::receiver::first as receiver;
    use crate::stub::{RECORD_HANDLER, RECORD_USER};
    use std::arch::global_asm;

    global_asm!(
        include_str!("aarch64.s"),
        include_str!("aarch64_receiver.s"),
        enter = const first::ENTER,
        allocate = const first::ALLOCATE,
        store_group = const first::STORE_GROUP,
        address = const first::ADDRESS,
        quad = const first::QUAD,
        vector_quad = const first::VECTOR_QUAD,
        narrow = const first::NARROW,
        two_general = const first::TWO_GENERAL,
        two_vector = const first::TWO_VECTOR,
        load_general = const first::LOAD_GENERAL,
        load_vector = const first::LOAD_VECTOR,
        area_address = const first::AREA_ADDRESS,
        result_address = const first::RESULT_ADDRESS,
        copy_bytes = const first::COPY_BYTES,
        copy_words = const first::COPY_WORDS,
        copy_wide = const first::COPY_WIDE,
        copy_large = const first::COPY_LARGE,
        store_address = const first::STORE_ADDRESS,
        store_narrow = const first::STORE_NARROW,
        call = const first::CALL,
        store_general = const first::STORE_GENERAL,
        store_vector = const first::STORE_VECTOR,
        take = const first::TAKE,
        extend = const first::EXTEND,
        store_taken = const first::STORE_TAKEN,
        store_zero = const first::STORE_ZERO,
        keep_errno = const first::KEEP_ERRNO,
        return = const first::RETURN,
        count = const first::COUNT,
        r_enter = const receiver::R_ENTER,
        r_enter_and_store = const receiver::R_ENTER_AND_STORE,
        r_enter_whole = const receiver::R_ENTER_WHOLE,
        r_allocate = const receiver::R_ALLOCATE,
        r_store_general = const receiver::R_STORE_GENERAL,
        r_store_vector = const receiver::R_STORE_VECTOR,
        r_addresses = const receiver::R_ADDRESSES,
        r_values = const receiver::R_VALUES,
        r_value = const receiver::R_VALUE,
        r_pointee = const receiver::R_POINTEE,
        r_frame_address = const receiver::R_FRAME_ADDRESS,
        r_move = const receiver::R_MOVE,
        r_zero = const receiver::R_ZERO,
        r_result_in_frame = const receiver::R_RESULT_IN_FRAME,
        r_result_at_pointer = const receiver::R_RESULT_AT_POINTER,
        r_call = const receiver::R_CALL,
        r_call_and_return = const receiver::R_CALL_AND_RETURN,
        r_call_and_return_microsoft = const receiver::R_CALL_AND_RETURN_MICROSOFT,
        r_load_general = const receiver::R_LOAD_GENERAL,
        r_load_vector = const receiver::R_LOAD_VECTOR,
        r_load_x87 = const receiver::R_LOAD_X87,
        r_copy_result = const receiver::R_COPY_RESULT,
        r_restore_microsoft = const receiver::R_RESTORE_MICROSOFT,
        r_return = const receiver::R_RETURN,
        r_count = const receiver::COUNT,
        record_context = const RECORD_CONTEXT,
        record_handler = const RECORD_HANDLER,
        record_user = const RECORD_USER,
        receiver_program = const RECEIVER_PROGRAM,
    );
}

#[cfg(target_arch = "aarch64")]
use crate::stub::threaded::aarch64 as machine;
#[cfg(target_arch = "x86_64")]
use crate::stub::threaded::x86_64 as machine;

/// Where a callback's record points to what has the receiver's program.
pub const RECORD_CONTEXT: usize = 24;
/// And where that has it.
pub const RECEIVER_PROGRAM: usize = 0;

const SNIPPETS: u32 = machine::first::COUNT + receiver::first::COUNT;

unsafe extern "C" {
    #[link_name = "farcall_threaded_table"]
    static TABLE: [i32; SNIPPETS as usize];
    #[link_name = "farcall_threaded_text"]
    static TEXT: u8;
    #[link_name = "farcall_threaded_end"]
    static END: u8;
}

/// Where a snippet is.
fn address(number: u32) -> *const c_void {
    // SAFETY: the table is constant, and as long as it is said to be.
    let distance = unsafe { TABLE[number as usize] };
    (&raw const TEXT).wrapping_offset(distance as isize).cast()
}

/// A program's words with the addresses of its snippets.
fn words<S: Copy>(program: Program<S>, number: impl Fn(S) -> u32) -> Box<[u64]> {
    let word = |word| match word {
        Word::Snippet(snippet) => address(number(snippet)) as u64,
        Word::Operand(operand) => operand,
    };
    program.0.into_iter().map(word).collect()
}

/// The program of one plan, ready to run.
#[derive(Debug)]
pub struct Threaded(Box<[u64]>);

impl Threaded {
    /// The plan as a program.
    pub fn new(plan: &Plan, arguments: Arguments) -> Threaded {
        let program = machine::program(plan, arguments);
        Threaded(words(program, machine::Snippet::number))
    }

    /// Where it is entered as a stub is, with a `StaticCall` in the context register.
    pub fn entry(&self) -> *const c_void {
        self.0[0] as *const c_void
    }
}

/// What the programs of a function find in the context register. The snippets know its layout.
#[repr(C)]
#[derive(Debug)]
pub struct StaticCall {
    /// Nothing that they know: a thunk's record, which may hold the rest too, begins with this.
    entry: *const c_void,
    target: *const c_void,
    programs: [*const u64; 2],
}

impl StaticCall {
    /// Calls of a target by two programs, which have to live as long.
    pub fn new(target: *const c_void, pointers: &Threaded, slots: &Threaded) -> StaticCall {
        StaticCall {
            entry: ptr::null(),
            target,
            programs: [pointers.0.as_ptr(), slots.0.as_ptr()],
        }
    }

    /// The same as the beginning of a record whose thunk enters one of the programs.
    pub fn of_record(&self, entry: *const c_void) -> StaticCall {
        StaticCall {
            entry,
            target: self.target,
            programs: self.programs,
        }
    }
}

/// A receiver's program, ready to run.
#[derive(Debug)]
pub struct ThreadedReceiver(Box<[u64]>);

impl ThreadedReceiver {
    /// The plan as a program.
    pub fn new(upcall: &Upcall) -> ThreadedReceiver {
        let processor = abi::processor(super::convention());
        let program = receiver::program(upcall, processor);
        let number = |snippet: receiver::Snippet| machine::first::COUNT + snippet.number();
        ThreadedReceiver(words(program, number))
    }

    /// What thunks jump to.
    pub fn entry(&self) -> *const c_void {
        self.0[0] as *const c_void
    }

    /// Where the program is, whose beginning has to be where the snippets look for it.
    pub fn words(&self) -> Range<usize> {
        let start = self.0.as_ptr().addr();
        start..start + size_of_val(&*self.0)
    }
}

/// The text of all snippets: what the programs of calls and of receivers run.
pub fn static_text() -> Range<usize> {
    (&raw const TEXT).addr()..(&raw const END).addr()
}

/// The part of it that the programs of receivers run.
pub fn receivers_text() -> Range<usize> {
    address(machine::first::COUNT).addr()..static_text().end
}

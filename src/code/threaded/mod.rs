//! The snippets of threaded code, which are the library's own text, and programs made of their
//! addresses: calls for which no machine code has to be made.

use crate::stub::threaded::{Program, Word};
use crate::stub::{Arguments, Plan};
use std::ffi::c_void;

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use crate::stub::threaded::x86_64::first;
    use std::arch::global_asm;

    global_asm!(
        include_str!("x86_64.s"),
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
    );
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use crate::stub::threaded::aarch64::first;
    use std::arch::global_asm;

    global_asm!(
        include_str!("aarch64.s"),
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
    );
}

#[cfg(target_arch = "aarch64")]
use crate::stub::threaded::aarch64 as machine;
#[cfg(target_arch = "x86_64")]
use crate::stub::threaded::x86_64 as machine;

unsafe extern "C" {
    #[link_name = "farcall_threaded_table"]
    static TABLE: [i32; machine::first::COUNT as usize];
    #[link_name = "farcall_threaded_text"]
    static TEXT: u8;
    #[link_name = "farcall_threaded_end"]
    static END: u8;
}

/// The address is in a snippet.
pub fn is_threaded(address: usize) -> bool {
    ((&raw const TEXT).addr()..(&raw const END).addr()).contains(&address)
}

/// Where a snippet is.
fn address(snippet: machine::Snippet) -> *const c_void {
    // SAFETY: the table is constant, and as long as it is said to be.
    let distance = unsafe { TABLE[snippet.number() as usize] };
    (&raw const TEXT).wrapping_offset(distance as isize).cast()
}

/// The program of one plan, ready to run.
#[derive(Debug)]
pub struct Threaded(Box<[u64]>);

impl Threaded {
    /// The plan as a program.
    pub fn new(plan: &Plan, arguments: Arguments) -> Threaded {
        let Program(words) = machine::program(plan, arguments);
        let word = |word| match word {
            Word::Snippet(snippet) => address(snippet) as u64,
            Word::Operand(operand) => operand,
        };
        Threaded(words.into_iter().map(word).collect())
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
    target: *const c_void,
    programs: [*const u64; 2],
}

impl StaticCall {
    /// Calls of a target by two programs, which have to live as long.
    pub fn new(target: *const c_void, pointers: &Threaded, slots: &Threaded) -> StaticCall {
        StaticCall {
            target,
            programs: [pointers.0.as_ptr(), slots.0.as_ptr()],
        }
    }
}

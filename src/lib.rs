//! farcall calls any C function from any language, through machine code that is made for its
//! signature. `ARCHITECTURE.md` has the picture; the C API is in `capi`, and in
//! `include/farcall.h`.

// In the order in which they may know each other: each only what stands before it.
pub mod error;
pub mod nearest;
pub mod memory;
pub mod types;
pub mod decl;
pub mod abi;
pub mod stub;
pub mod code;
pub mod fallback;
pub mod library;
pub mod invoke;
pub mod callback;
pub mod capi;

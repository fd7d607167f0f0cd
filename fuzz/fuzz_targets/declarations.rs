//! Any bytes as C declarations.
#![no_main]

mod ask;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ask::everything(bytes));

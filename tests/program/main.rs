//! The program `farcall`, as a user runs it.

mod callbacks;
mod calls;
mod command_line;
mod declarations;
mod disasm;
mod errors;
mod explain;
mod outputs;
mod run;
mod symbols;
mod values;
mod variadic;

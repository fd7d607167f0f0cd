//! Plans as threaded code, for systems that allow no new machine code.
//!
//! A program is data: addresses of snippets, which are a part of the library's own text, each
//! followed by its operands. A snippet does what one or a few instructions of a stub would do and
//! ends with a jump to the next one, so that nothing is decoded while a program runs. Snippets with
//! many registers and widths at once exist for what most calls need; the others do one thing each,
//! and together they do everything that stubs do.
//!
//! Here a program names its snippets by number: the numbers are those of the table in
//! `code::threaded`, which has their addresses.

pub mod aarch64;
mod numbers;
pub mod receiver;
mod width;
pub mod x86_64;

pub use width::Width;

use std::fmt;

/// A word of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<S> {
    /// The address of a snippet.
    Snippet(S),
    /// What the snippet before it reads.
    Operand(u64),
}

/// A plan as threaded code. It begins with its entry, which is entered as a stub is, with what holds
/// the program in the context register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<S>(pub Vec<Word<S>>);

impl<S> Program<S> {
    fn push(&mut self, snippet: S, operands: &[u64]) {
        self.0.push(Word::Snippet(snippet));
        self.0
            .extend(operands.iter().map(|operand| Word::Operand(*operand)));
    }
}

/// One snippet a line, with its operands.
impl<S: fmt::Display> fmt::Display for Program<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.0.iter().enumerate() {
            match word {
                Word::Snippet(snippet) if index == 0 => write!(f, "{snippet}")?,
                Word::Snippet(snippet) => write!(f, "\n{snippet}")?,
                Word::Operand(operand) => write!(f, " {operand:#x}")?,
            }
        }
        Ok(())
    }
}

/// Two numbers of 32 bits in one operand, the first in the lower half.
fn halves(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Four numbers of 16 bits in one operand, the first in the lowest.
fn quarters(numbers: &[u32]) -> u64 {
    let place = |(index, number): (usize, &u32)| u64::from(*number) << (16 * index);
    numbers.iter().enumerate().map(place).sum()
}

//! The steps from a declared name to the type of its specifiers, and the list that holds them.

use super::parser::Word;
use crate::types::{Convention, Link, ParameterNames, Qualifiers};

/// One step from the declared thing to the type of the specifiers.
pub(super) enum Operation {
    /// The thing is a pointer, itself qualified so, to the rest.
    Pointer(Qualifiers),
    /// The thing is an array of the rest.
    Array {
        length: Length,
        /// Of the pointer that a parameter becomes.
        qualifiers: Qualifiers,
        at: u32,
    },
    /// The thing is a function that returns the rest.
    Function {
        parameters: Parameters,
        convention: Option<Convention>,
        at: u32,
    },
}

/// The length of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// `[]`
    Missing,
    /// `[3]`
    Known(u64),
    /// `[n]` or `[*]`: it depends on parameters.
    Variable,
}

/// A parameter list.
#[derive(Default)]
pub(super) struct Parameters {
    pub(super) links: Vec<Link>,
    pub(super) names: ParameterNames,
    pub(super) variadic: bool,
    /// `()`: says nothing about parameters.
    pub(super) unspecified: bool,
}

/// What has been read of a declarator so far.
pub(super) struct Reading<'s> {
    pub(super) name: Option<Word<'s>>,
    pub(super) attributes: super::attribute::Attributes,
    /// The convention that attributes in parentheses ask for, for a function behind them.
    pub(super) pending: Option<(Convention, u32)>,
}

/// How many operations need no memory of their own.
const FEW: usize = 4;

/// A list of operations. Most declarations have few, and then it allocates nothing.
#[derive(Default)]
pub(super) struct Operations {
    few: [Option<Operation>; FEW],
    /// All of them, once they have been more than few.
    many: Vec<Option<Operation>>,
    length: usize,
}

impl Operations {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Those from an index on; all are there.
    #[inline]
    pub(super) fn from(&mut self, index: usize) -> &mut [Option<Operation>] {
        let all = if self.many.is_empty() {
            &mut self.few[..]
        } else {
            &mut self.many
        };
        &mut all[index..self.length]
    }

    #[inline]
    pub(super) fn push(&mut self, operation: Operation) {
        if self.many.is_empty() && self.length < FEW {
            self.few[self.length] = Some(operation);
        } else {
            if self.many.is_empty() {
                self.many.extend(self.few.iter_mut().map(Option::take));
            }
            self.many.push(Some(operation));
        }
        self.length += 1;
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Operation> {
        self.length = self.length.checked_sub(1)?;
        match self.many.is_empty() {
            true => self.few[self.length].take(),
            false => self.many.pop().flatten(),
        }
    }

    pub(super) fn truncate(&mut self, length: usize) {
        while self.length > length {
            self.pop();
        }
    }
}

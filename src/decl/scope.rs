//! The names of parameters while their prototype is read. They hide typedef names and enumerators
//! of the same spelling (C11, 6.2.1p4), and an array's length may speak of them.

use std::collections::HashMap;

/// Up to this many names are looked through one by one.
const FEW: usize = 16;

/// The parameters of the prototypes that are being read, innermost last.
#[derive(Default)]
pub(super) struct Scope<'s> {
    names: Vec<&'s str>,
    /// How often each name is there, once they are many.
    counts: HashMap<&'s str, u32>,
}

impl<'s> Scope<'s> {
    /// How many names there are: what `leave` needs to return to.
    pub(super) fn mark(&self) -> usize {
        self.names.len()
    }

    /// Adds the name of a parameter.
    pub(super) fn declare(&mut self, name: &'s str) {
        self.names.push(name);
        if self.names.len() == FEW + 1 {
            for &name in &self.names {
                *self.counts.entry(name).or_default() += 1;
            }
        } else if self.names.len() > FEW {
            *self.counts.entry(name).or_default() += 1;
        }
    }

    /// Takes away the names that came since `mark`.
    pub(super) fn leave(&mut self, mark: usize) {
        if self.names.len() > FEW && mark > FEW {
            for name in &self.names[mark..] {
                if let Some(count) = self.counts.get_mut(name) {
                    *count -= 1;
                }
            }
        } else if self.names.len() > FEW {
            self.counts.clear();
        }
        self.names.truncate(mark);
    }

    /// A parameter has this name.
    #[inline]
    pub(super) fn contains(&self, name: &str) -> bool {
        if self.names.len() <= FEW {
            return self.names.contains(&name);
        }
        self.counts.get(name).is_some_and(|&count| count > 0)
    }
}

//! The names of parameters while their prototype is read. They hide typedef names and enumerators
//! of the same spelling (C11, 6.2.1p4), and an array's length may speak of them.

use hashbrown::HashMap;

/// Up to this many names are looked through one by one, and need no memory of their own.
const FEW: usize = 8;

/// The parameters of the prototypes that are being read, innermost last.
#[derive(Default)]
pub(super) struct Scope<'s> {
    few: [&'s str; FEW],
    length: usize,
    /// Those after the few.
    more: Vec<&'s str>,
    /// How often each name is there, once they are many.
    counts: Option<HashMap<&'s str, u32>>,
}

impl<'s> Scope<'s> {
    /// How many names there are: what `leave` needs to return to.
    pub(super) fn mark(&self) -> usize {
        self.length
    }

    /// Adds the name of a parameter.
    #[inline]
    pub(super) fn declare(&mut self, name: &'s str) {
        match self.few.get_mut(self.length) {
            Some(place) => *place = name,
            None => self.declare_more(name),
        }
        self.length += 1;
    }

    fn declare_more(&mut self, name: &'s str) {
        let few = self.few;
        let counts = self.counts.get_or_insert_with(|| {
            let mut counts: HashMap<&str, u32> = HashMap::new();
            for name in few {
                *counts.entry(name).or_default() += 1;
            }
            counts
        });
        *counts.entry(name).or_default() += 1;
        self.more.push(name);
    }

    /// Takes away the names that came since `mark`.
    pub(super) fn leave(&mut self, mark: usize) {
        if let Some(counts) = &mut self.counts {
            if mark <= FEW {
                self.counts = None;
            } else {
                for name in &self.more[mark - FEW..] {
                    if let Some(count) = counts.get_mut(name) {
                        *count -= 1;
                    }
                }
            }
        }
        self.more.truncate(mark.saturating_sub(FEW));
        self.length = mark;
    }

    /// A parameter has this name.
    #[inline]
    pub(super) fn contains(&self, name: &str) -> bool {
        match &self.counts {
            None => self.few[..self.length].contains(&name),
            Some(counts) => counts.get(name).is_some_and(|&count| count > 0),
        }
    }
}

//! What a later module found out about a type.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

/// A place at a function type where a module that knows types, and whom types do not know, keeps what it
/// found out once. It is no part of the type: a copy of the type has an empty one.
#[derive(Default)]
pub struct Memo(OnceLock<Box<dyn Any + Send + Sync>>);

impl Memo {
    /// What is kept, if it is a `T`.
    #[inline]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.get()?.downcast_ref()
    }

    /// Keeps a value, unless there is one already, and gives what is kept, if it is a `T`.
    pub fn get_or_keep<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.0.get_or_init(|| Box::new(make())).downcast_ref()
    }
}

impl Clone for Memo {
    fn clone(&self) -> Memo {
        Memo::default()
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memo")
    }
}

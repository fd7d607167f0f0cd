//! Names and paths as messages show them: of whatever length, and with whatever bytes in them.

use std::fmt::Write;
use std::path::Path;

/// Of what is longer than this, in characters, the middle is left out.
const MOST: usize = 200;

pub(super) trait Shown {
    /// Cut to a length that can be read, and without characters that a terminal obeys.
    fn shown(&self) -> String;
}

impl Shown for str {
    fn shown(&self) -> String {
        let count = self.chars().count();
        let mut shown = String::new();
        for (index, c) in self.chars().enumerate() {
            if count > MOST && (MOST / 2..count - MOST / 2).contains(&index) {
                if index == MOST / 2 {
                    shown.push('…');
                }
                continue;
            }
            match c.is_control() {
                // Writing to a string cannot fail.
                true => drop(write!(shown, "\\x{:02x}", u32::from(c))),
                false => shown.push(c),
            }
        }
        shown
    }
}

impl Shown for Path {
    fn shown(&self) -> String {
        self.to_string_lossy().shown()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_and_control_characters() {
        assert_eq!("libm.so.6".shown(), "libm.so.6");
        assert_eq!("a\x1b[31mb\n".shown(), "a\\x1b[31mb\\x0a");
        assert_eq!("ä".repeat(200).shown(), "ä".repeat(200));
        let long = format!("{}{}", "ä".repeat(5000), "z".repeat(100));
        let cut = format!("{}…{}", "ä".repeat(100), "z".repeat(100));
        assert_eq!(long.shown(), cut);
        assert_eq!(Path::new(&long).shown(), cut);
    }
}

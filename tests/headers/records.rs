//! Records made at random, bit-fields above all, as C text. The same seed makes the same ones.

use std::fmt::Write;

/// What may be there besides members of any type and bit-fields of any width.
#[derive(Clone, Copy, Default)]
pub(crate) struct Features {
    pub(crate) unions: bool,
    /// `__attribute__((packed))`.
    pub(crate) packed: bool,
    /// `__attribute__((aligned))`, of bit-fields that have a width, other members and records.
    pub(crate) aligned: bool,
    /// `#pragma pack`.
    pub(crate) pragma: bool,
    /// Bit-fields of no width.
    pub(crate) no_width: bool,
}

/// Types of bit-fields, and how many bits they have at most.
const BIT_FIELDS: [(&str, u64); 9] = [
    ("char", 8),
    ("unsigned char", 8),
    ("_Bool", 1),
    ("short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("enum e", 32),
    ("long", 32),
    ("long long", 64),
];

/// Types of other members.
const OTHERS: [&str; 9] = [
    "char",
    "short",
    "int",
    "long",
    "long long",
    "double",
    "void *",
    "struct inner",
    "wide",
];

/// What they need.
pub(crate) const PROLOGUE: &str = "enum e { last = 0x7fffffff };\n\
     struct inner { short a : 3; char b; };\n\
     typedef short wide __attribute__((aligned(16)));\n";

pub(crate) struct Records {
    state: u64,
    features: Features,
}

impl Records {
    pub(crate) fn new(seed: u64, features: Features) -> Records {
        Records {
            state: seed,
            features,
        }
    }

    /// Below a bound, by Knuth's multiplier; the upper bits are the better ones.
    fn below(&mut self, bound: u64) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % bound
    }

    /// So many times in a hundred.
    fn happens(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    fn attributes(&mut self) -> String {
        let mut text = String::new();
        if self.features.packed && self.happens(15) {
            text.push_str(" __attribute__((packed))");
        }
        if self.features.aligned && self.happens(12) {
            let align = self.one_of(&[1, 2, 4, 8, 16]);
            write!(text, " __attribute__((aligned({align})))").expect("a string takes all");
        }
        text
    }

    fn member(&mut self, name: char) -> String {
        if self.happens(30) {
            let (ty, attributes) = (self.one_of(&OTHERS), self.attributes());
            return format!("{ty} {name}{attributes};");
        }
        let (ty, most) = self.one_of(&BIT_FIELDS);
        let width = match self.below(4) {
            0 => most,
            1 => 1,
            _ => 1 + self.below(most),
        };
        match self.below(100) {
            0..12 if self.features.no_width => format!("{ty} : 0;"),
            0..24 => format!("{ty} : {width}{};", self.attributes()),
            _ => format!("{ty} {name} : {width}{};", self.attributes()),
        }
    }

    /// The definition of a typedef of that name.
    pub(crate) fn typedef(&mut self, name: &str) -> String {
        let keyword = match self.features.unions && self.happens(20) {
            true => "union",
            false => "struct",
        };
        let count = 1 + self.below(6) as u8;
        let members: Vec<String> = (b'a'..b'a' + count)
            .map(|letter| self.member(char::from(letter)))
            .collect();
        let attributes = self.attributes();
        let record = format!(
            "typedef {keyword} {name} {{ {} }}{attributes} {name};\n",
            members.join(" ")
        );
        if self.features.pragma && self.happens(30) {
            let pack = self.one_of(&[1, 2, 4, 8, 16]);
            return format!("#pragma pack({pack})\n{record}#pragma pack()\n");
        }
        record
    }
}

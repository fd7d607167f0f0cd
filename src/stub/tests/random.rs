//! Numbers that look random and are the same in every run, and signatures made of them.

pub(super) struct Random(pub(super) u64);

impl Random {
    /// xorshift64*
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    pub(super) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 3);
        while bytes.len() < count {
            bytes.extend(((self.next() >> 32) as u32).to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }

    fn pick(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }
}

pub(super) const SCALARS: [&str; 22] = [
    "_Bool",
    "char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "void *",
    "__int128",
    "_Float16",
    "float",
    "double",
    "_Float128",
    "long double",
    "float _Complex",
    "double _Complex",
    "long double _Complex",
    "m128",
    "m256",
    "enum { A = -1 }",
];

const MEMBERS: [&str; 16] = [
    "char",
    "char",
    "short",
    "int",
    "int",
    "long",
    "float",
    "float",
    "double",
    "_Float16",
    "void *",
    "__int128",
    "long double",
    "float _Complex",
    "m128",
    "two_longs",
];

fn record(random: &mut Random) -> String {
    let keyword = if random.below(6) == 0 {
        "union"
    } else {
        "struct"
    };
    let attribute = match random.below(10) {
        0 => " __attribute__((packed))",
        1 => " __attribute__((aligned(32)))",
        2 => " __attribute__((aligned(16)))",
        _ => "",
    };
    let mut text = format!("{keyword}{attribute} {{ ");
    for index in 0..random.below(5) {
        let ty = random.pick(&MEMBERS);
        let suffix = match random.below(8) {
            0 => format!("[{}]", random.below(6)),
            1 if matches!(ty, "int" | "long" | "char") => format!(" : {}", 1 + random.below(8)),
            _ => String::new(),
        };
        text.push_str(&format!("{ty} m{index}{suffix}; "));
    }
    text + "}"
}

/// The type of a parameter or a result.
fn value(random: &mut Random) -> String {
    match random.below(16) {
        0..=6 => random.pick(&SCALARS).to_owned(),
        7 => format!("struct {{ char c[{}]; }}", 1 + random.below(70)),
        8 => {
            let element = random.pick(&[
                "float",
                "float",
                "double",
                "_Float16",
                "long double",
                "m128",
            ]);
            format!("struct {{ {element} f[{}]; }}", 1 + random.below(5))
        }
        9 => {
            let limit = if random.below(9) == 0 { 9000 } else { 400 };
            format!("struct {{ char c[{}]; }}", random.below(limit))
        }
        _ => record(random),
    }
}

pub(super) fn prototype(random: &mut Random) -> String {
    let result = if random.below(6) == 0 {
        "void".to_owned()
    } else {
        value(random)
    };
    let limit = if random.below(12) == 0 { 60 } else { 14 };
    let count = random.below(limit);
    // Enumerators may be declared once only.
    let mut seen = false;
    let mut list = vec![result];
    list.extend((0..count).map(|_| value(random)));
    for one in &mut list {
        if one.starts_with("enum") {
            if seen {
                "int".clone_into(one);
            }
            seen = true;
        }
    }
    let params = if count == 0 {
        "void".to_owned()
    } else {
        list[1..].join(", ")
    };
    format!("{} f({params})", list[0])
}

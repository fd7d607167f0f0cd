//! Texts that were cut off, or spoiled at random, get an answer: never a panic, never a hang.

use crate::decl::{Declarations, parse_signature};
use crate::types::target::LINUX_X86_64;

/// Something of everything.
const TEXTS: [&str; 12] = [
    "double pow(double x, double y);",
    "typedef struct node { struct node *next; int a : 3, : 0, b; union { float f; char c[4]; }; } node_t;",
    "enum color { RED, GREEN = 1 << 4, BLUE = GREEN | 0x7, LAST = 'a' + sizeof(int[3]) } __attribute__((packed));",
    "char (*(*x[3])(void))[5]; void (*signal(int, void (*)(int)))(int);",
    "#pragma pack(push, 2)\nstruct s { char a; int b __attribute__((aligned(8))); };\n#pragma pack(pop)\n# 12 \"f.h\" 3\n",
    "static inline int f(int a) { return \"}\"[a] + '}' /* } */; } extern \"C\" { int g(void) __asm__(\"g2\"); }",
    "__attribute__((ms_abi)) int h(const char *restrict, ...); int (__attribute__((sysv_abi)) *k)(va_list);",
    "_Static_assert(sizeof(int) == 4 ? 1 : 0, \"int\"); _Alignas(16) extern long long unsigned v[2][_Alignof(double)];",
    "typedef float v4 __attribute__((vector_size(16))); v4 add(v4, v4); _Complex double z(__int128, _Float16);",
    "int l(int n, int a[static n], int b[n][*], size_t c[const 2]); int m(int a[sizeof n]); typedef int T; int o(int T, T);",
    "struct \u{e9}t\u{e9} { int \u{4e16}; }; // \u{1f600}\n/* \u{e9} */ int p(struct \u{e9}t\u{e9} *);\tint\u{a0}q;",
    "typedef __typeof__(int (*)(void)) F; F *r(F, _Atomic(int) *); enum e : short { Z } s(enum e); int t[] = { 1, { 2 } }, u = 3;",
];

/// Pieces to put in.
const PIECES: [&str; 40] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "*",
    ";",
    ",",
    ":",
    "=",
    "...",
    "'",
    "\"",
    "/*",
    "//",
    "#",
    "\\",
    "\n",
    "\0",
    "\u{e9}",
    "int ",
    "struct ",
    "enum ",
    "typedef ",
    "sizeof",
    "__attribute__((",
    "))",
    "T",
    "0x",
    "99999999999999999999",
    "-1",
    "?",
    "<<",
    "unsigned ",
    "void",
    "_Pragma(\"pack(1)\")",
    "\n#pragma pack(",
    "static ",
    "1",
];

/// Numbers that look random (xorshift), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Whatever the text is, messages are well-formed and failures leave nothing behind.
fn feed(text: &str) {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations
        .add("typedef long known; struct point { int x, y; }; enum { KNOWN = 3 };")
        .unwrap();
    let before = declarations.len();
    match declarations.add(text) {
        Ok(()) => {
            for index in 0..declarations.len() {
                let (_, name) = declarations.at(index).unwrap();
                assert!(!name.is_empty());
            }
        }
        Err(error) => {
            assert_eq!(declarations.len(), before, "{text}");
            assert!(
                !error.message.is_empty() && !error.message.contains('\0'),
                "{text}"
            );
        }
    }
    let _ = declarations.find_type(text);
    let _ = parse_signature(Some(&declarations), &LINUX_X86_64, text);
    let _ = parse_signature(None, &LINUX_X86_64, text);
}

fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

#[test]
fn texts_themselves() {
    for text in TEXTS {
        feed(text);
    }
}

#[test]
fn texts_cut_off() {
    for text in TEXTS {
        for (at, _) in text.char_indices() {
            feed(&text[..at]);
            feed(&text[at..]);
        }
    }
}

#[test]
fn texts_spoiled() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..30_000 {
        let mut text = TEXTS[random.below(TEXTS.len())].to_owned();
        for _ in 0..=random.below(4) {
            let from = boundary(&text, random.below(text.len() + 1));
            let to = boundary(&text, from + random.below(8)).max(from);
            match random.below(4) {
                0 => text.replace_range(from..to, ""),
                1 => text.insert_str(from, PIECES[random.below(PIECES.len())]),
                2 => text.replace_range(from..to, PIECES[random.below(PIECES.len())]),
                _ => {
                    let other = TEXTS[random.below(TEXTS.len())];
                    let start = boundary(other, random.below(other.len()));
                    let end = boundary(other, start + random.below(20)).max(start);
                    text.insert_str(from, &other[start..end]);
                }
            }
        }
        feed(&text);
    }
}

#[test]
fn pieces_at_random() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..30_000 {
        let text: String = (0..random.below(30))
            .map(|_| PIECES[random.below(PIECES.len())])
            .collect();
        feed(&text);
    }
}

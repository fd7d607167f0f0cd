//! The fuzzer's corpus as a plain test: every text in it as it is, cut off, and spoiled in ways that
//! are the same in every run.

#[path = "../fuzz/fuzz_targets/ask.rs"]
mod ask;

use std::path::Path;

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

fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/declarations");
    let entries = std::fs::read_dir(folder).expect("the corpus is checked in");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    paths.sort();
    let texts: Vec<_> = paths
        .iter()
        .map(|path| std::fs::read(path).expect("it can be read"))
        .collect();
    assert!(texts.len() > 100, "{} texts", texts.len());
    texts
}

/// Says which text it was.
fn ask(text: &[u8]) {
    let asked = std::panic::catch_unwind(|| ask::everything(text));
    assert!(asked.is_ok(), "{:?}", String::from_utf8_lossy(text));
}

#[test]
fn texts_as_they_are() {
    for text in corpus() {
        ask(&text);
    }
}

#[test]
fn texts_cut_off() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for text in corpus() {
        for _ in 0..4 {
            let at = random.below(text.len() + 1);
            ask(&text[..at]);
            ask(&text[at..]);
        }
    }
}

#[test]
fn texts_spoiled_by_one_another() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let corpus = corpus();
    for _ in 0..6000 {
        let mut text = corpus[random.below(corpus.len())].clone();
        for _ in 0..=random.below(3) {
            let other = &corpus[random.below(corpus.len())];
            let start = random.below(other.len());
            let end = (start + random.below(24)).min(other.len());
            let from = random.below(text.len() + 1);
            let to = (from + random.below(8)).min(text.len());
            match random.below(4) {
                0 => drop(text.drain(from..to)),
                1 if from < to => text[from] ^= 1 << random.below(8),
                _ => drop(text.splice(from..to, other[start..end].iter().copied())),
            }
        }
        ask(&text);
    }
}

//! Bytes in pieces that one instruction moves.

/// The bytes from `start` to `end` in pieces that one instruction moves: each as an offset and 8,
/// 4, 2 or 1, the widest first.
pub(super) fn chunks(start: u32, end: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut done = start;
    std::iter::from_fn(move || {
        let chunk = match end - done {
            8.. => 8,
            4.. => 4,
            2.. => 2,
            1 => 1,
            0 => return None,
        };
        done += chunk;
        Some((done - chunk, chunk))
    })
}

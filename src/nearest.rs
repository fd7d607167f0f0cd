//! Which known names a wrong one is most like.

/// The candidate that a wrong name is most like, if any is like it.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = limit(name)?;
    candidates
        .filter_map(|candidate| Some((difference(name, candidate, limit)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The few candidates that a wrong name is most like, the likest first.
pub fn nearest_few<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let Some(limit) = limit(name) else {
        return Vec::new();
    };
    let mut near: Vec<(usize, &str)> = candidates
        .filter_map(|candidate| Some((difference(name, candidate, limit)?, candidate)))
        .collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(count);
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

/// How different a name may be and still be like another.
fn limit(name: &str) -> Option<usize> {
    match name.len() {
        0..=2 => None,
        3..=5 => Some(1),
        6..=LONGEST => Some(LARGEST_LIMIT),
        _ => None,
    }
}

/// Names of this length have likes; their likes are at most `LARGEST_LIMIT` longer.
const LONGEST: usize = 40;
const LARGEST_LIMIT: usize = 2;
const ROW: usize = LONGEST + LARGEST_LIMIT + 1;

fn difference(name: &str, candidate: &str, limit: usize) -> Option<usize> {
    if candidate.len().abs_diff(name.len()) > limit {
        return None;
    }
    distance(name.as_bytes(), candidate.as_bytes(), limit)
}

/// How many letters must be put in, taken out, changed, or swapped with their neighbour, if no more
/// than `limit`. A library has thousands of names, so that nothing is allocated and most are given
/// up after a few letters.
fn distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    let mut before_last = [0; ROW];
    let mut last: [usize; ROW] = std::array::from_fn(|index| index);
    for i in 1..=a.len() {
        let mut row = [i; ROW];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        // Later rows are no less than the least of two neighbours.
        let least = row[..=b.len()].iter().chain(&last[..=b.len()]).min();
        if least.is_none_or(|&least| least > limit) {
            return None;
        }
        before_last = last;
        last = row;
    }
    Some(last[b.len()]).filter(|&found| found <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likest_come_first() {
        let names = ["strlen", "strlcpy", "strnlen", "stpcpy", "strlen"];
        let near = |name: &str| nearest_few(name, names.into_iter(), 2);
        assert_eq!(near("strlne"), ["strlen", "strnlen"]);
        assert_eq!(near("strxlen"), ["strlen", "strnlen"]);
        assert!(near("no_such_name").is_empty());
        assert_eq!(nearest("strlenn", names.into_iter()), Some("strlen"));
        assert_eq!(nearest("st", names.into_iter()), None);
    }
}

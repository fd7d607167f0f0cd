//! Which known names a wrong one is most like.

/// The candidate that a wrong name is most like, if any is like it.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = limit(name)?;
    candidates
        .filter_map(|candidate| Some((difference(name, candidate, limit)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The few candidates that a wrong name is most like, the likest first.
pub(crate) fn nearest_few<'a>(
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
        6..=40 => Some(2),
        _ => None,
    }
}

fn difference(name: &str, candidate: &str, limit: usize) -> Option<usize> {
    if candidate.len().abs_diff(name.len()) > limit {
        return None;
    }
    Some(distance(name.as_bytes(), candidate.as_bytes())).filter(|&found| found <= limit)
}

/// How many letters must be put in, taken out, changed, or swapped with their neighbour.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
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

//! "Did you mean": the word nearest to a misspelled one.

/// The nearest of `words` if it is near enough to be a slip: a third of the letters at most,
/// case not counted.
pub(crate) fn nearest<'a>(
    found: &str,
    words: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let lower: Vec<char> = found.to_lowercase().chars().take(65).collect();
    let allowed = (lower.len().max(3) / 3).min(3);
    words
        .into_iter()
        .map(|word| {
            let letters: Vec<char> = word.to_lowercase().chars().collect();
            (distance(&lower, &letters), word)
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Optimal string alignment: insertions, deletions, substitutions, neighbours swapped.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut row = vec![i.saturating_add(1)];
        for (j, other) in b.iter().enumerate() {
            let get = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
            let swapped = i > 0
                && j > 0
                && a.get(i.saturating_sub(1)) == Some(other)
                && b.get(j.saturating_sub(1)) == Some(letter);
            let mut best = get(&last, j).saturating_add(usize::from(letter != other));
            best = best.min(get(&last, j.saturating_add(1)).saturating_add(1));
            best = best.min(get(&row, j).saturating_add(1));
            if swapped {
                best = best.min(get(&before, j.saturating_sub(1)).saturating_add(1));
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let words = ["policies", "price", "title", "upgrade_url"];
        assert_eq!(nearest("polices", words), Some("policies"));
        assert_eq!(nearest("tilte", words), Some("title"));
        assert_eq!(nearest("Price", words), Some("price"));
        assert_eq!(nearest("burst", words), None);
        assert_eq!(nearest("", words), None);
    }

    #[test]
    fn distances_are_literal() {
        let d = |a: &str, b: &str| {
            distance(
                &a.chars().collect::<Vec<_>>(),
                &b.chars().collect::<Vec<_>>(),
            )
        };
        assert_eq!(d("horu", "hour"), 1);
        assert_eq!(d("hour", "hours"), 1);
        assert_eq!(d("", "abc"), 3);
        assert_eq!(d("kitten", "sitting"), 3);
    }
}

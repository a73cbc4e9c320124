//! How many slips of the finger lie between two words.

/// Letters left out, put in, changed or swapped with their neighbour, from `typed` to `word`; and to the nearest
/// beginning of `word`, for whoever has not typed it to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slips {
    pub(super) whole: usize,
    pub(super) beginning: usize,
}

/// Counts them. Both words are short, so the whole table is filled.
pub(super) fn slips(typed: &[u8], word: &[u8]) -> Slips {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=word.len()).collect();
    for (row, letter) in typed.iter().enumerate() {
        let mut next = Vec::with_capacity(last.len());
        next.push(row + 1);
        for (column, other) in word.iter().enumerate() {
            let change = last[column] + usize::from(letter != other);
            let mut least = change.min(last[column + 1] + 1).min(next[column] + 1);
            let swapped = row > 0 && column > 0 && *letter == word[column - 1] && typed[row - 1] == *other;
            if swapped {
                least = least.min(before[column - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
    }
    Slips {
        whole: last[word.len()],
        beginning: last.into_iter().min().unwrap_or(typed.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        for (typed, word, whole, beginning) in [
            ("najdorf", "najdorf", 0, 0),
            ("najdrof", "najdorf", 1, 1),
            ("giuco", "giuoco", 1, 1),
            ("sicilain", "sicilian", 1, 1),
            ("grunfled", "grunfeld", 1, 1),
            ("nimz", "nimzo", 1, 0),
            ("scilia", "sicilian", 2, 1),
            ("abc", "", 3, 3),
            ("", "abc", 3, 0),
        ] {
            let expected = Slips { whole, beginning };
            assert_eq!(slips(typed.as_bytes(), word.as_bytes()), expected, "{typed} {word}");
        }
    }
}

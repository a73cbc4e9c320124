//! Text as the words it is found by.

use tabiya_chess::slug;

/// What players write short. Both names and questions are read with these written out, so that either finds the other.
const ABBREVIATIONS: [(&str, &[&str]); 13] = [
    ("bdg", &["blackmar", "diemer", "gambit"]),
    ("kg", &["king", "gambit"]),
    ("kga", &["king", "gambit", "accepted"]),
    ("kgd", &["king", "gambit", "declined"]),
    ("kia", &["king", "indian", "attack"]),
    ("kid", &["king", "indian", "defense"]),
    ("kp", &["king", "pawn"]),
    ("nid", &["nimzo", "indian", "defense"]),
    ("qg", &["queen", "gambit"]),
    ("qga", &["queen", "gambit", "accepted"]),
    ("qgd", &["queen", "gambit", "declined"]),
    ("qid", &["queen", "indian", "defense"]),
    ("qp", &["queen", "pawn"]),
];

/// One word under several spellings, further apart than a slip of the finger.
const SPELLINGS: [(&str, &str); 10] = [
    ("centre", "center"),
    ("defence", "defense"),
    ("gruenfeld", "grunfeld"),
    ("karlsbad", "carlsbad"),
    ("maccutcheon", "mccutcheon"),
    ("nimzovich", "nimzowitsch"),
    ("nimzovitch", "nimzowitsch"),
    ("petroff", "petrov"),
    ("russian", "petrov"),
    ("saemisch", "samisch"),
];

/// Words that say what kind of thing a name names: whoever leaves them out means the same.
const KINDS: [&str; 14] = [
    "attack",
    "defense",
    "formation",
    "game",
    "line",
    "main",
    "method",
    "normal",
    "opening",
    "setup",
    "system",
    "the",
    "variation",
    "with",
];

/// Words that make something else of what they stand beside.
const TURNING: [&str; 11] = [
    "accelerated",
    "accepted",
    "anti",
    "declined",
    "delayed",
    "deferred",
    "hyperaccelerated",
    "neo",
    "pseudo",
    "reversed",
    "semi",
];

/// The longest word that is looked at. The longest of any opening has 17 letters.
const MAX_WORD: usize = 32;

/// The words of a text: plain small letters, one spelling, no possessive or plural s, abbreviations written out.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in slug(text).split('-').filter(|word| !word.is_empty()) {
        // What `slug` leaves is ASCII, so every place is one to cut at.
        let word = &word[..word.len().min(MAX_WORD)];
        match ABBREVIATIONS.iter().find(|(short, _)| *short == word) {
            Some((_, long)) => words.extend(long.iter().map(|word| (*word).to_owned())),
            None => words.push(one_spelling(word).to_owned()),
        }
    }
    words
}

fn one_spelling(word: &str) -> &str {
    let stem = match word.strip_suffix('s') {
        // `kings` and `king` are one; `ross` stays, and so does `gens`.
        Some(stem) if stem.len() >= 4 && !stem.ends_with('s') => stem,
        _ => word,
    };
    let usual = SPELLINGS.iter().find(|(other, _)| *other == stem);
    usual.map_or(stem, |(_, usual)| usual)
}

/// Whether a word says only what kind of thing a name names.
pub(super) fn is_kind(word: &str) -> bool {
    KINDS.contains(&word)
}

/// Whether a word makes something else of what it stands beside: the Semi-Slav is no Slav.
pub(super) fn is_turning(word: &str) -> bool {
    TURNING.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_questions_meet_in_one_spelling() {
        for (text, expected) in [
            ("King's Indian Defence", "king indian defense"),
            ("KID", "king indian defense"),
            ("QGD: Gruenfeld", "queen gambit declined grunfeld"),
            ("Caro-Kann", "caro kann"),
            ("Réti, 2.d4!", "reti 2 d4"),
            ("Petroff's", "petrov"),
            ("ross", "ross"),
            ("…?!", ""),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_word_has_an_end() {
        assert_eq!(words(&"x".repeat(10_000))[0].len(), MAX_WORD);
    }
}

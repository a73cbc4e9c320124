//! The words annotators use for what a tactic is about.

use std::collections::BTreeSet;

/// What is written, in lower case, and the tag it becomes. Longer ones come before their parts.
const MOTIFS: [(&str, &str); 40] = [
    ("back rank", "back-rank"),
    ("back-rank", "back-rank"),
    ("smothered", "smothered-mate"),
    ("discovered attack", "discovered-attack"),
    ("discovered check", "discovered-check"),
    ("discovery", "discovered-attack"),
    ("double attack", "double-attack"),
    ("double check", "double-check"),
    ("removing the defender", "removing-the-defender"),
    ("removal of the guard", "removing-the-defender"),
    ("trapped piece", "trapped-piece"),
    ("hanging piece", "hanging-piece"),
    ("perpetual", "perpetual-check"),
    ("queen sacrifice", "queen-sacrifice"),
    ("exchange sacrifice", "exchange-sacrifice"),
    ("sacrifice", "sacrifice"),
    ("pin", "pin"),
    ("pinned", "pin"),
    ("fork", "fork"),
    ("forks", "fork"),
    ("skewer", "skewer"),
    ("x-ray", "x-ray"),
    ("deflection", "deflection"),
    ("decoy", "decoy"),
    ("attraction", "attraction"),
    ("interference", "interference"),
    ("clearance", "clearance"),
    ("overloading", "overloading"),
    ("overloaded", "overloading"),
    ("zwischenzug", "intermezzo"),
    ("intermezzo", "intermezzo"),
    ("zugzwang", "zugzwang"),
    ("stalemate", "stalemate"),
    ("promotion", "promotion"),
    ("underpromotion", "underpromotion"),
    ("windmill", "windmill"),
    ("desperado", "desperado"),
    ("greek gift", "greek-gift"),
    ("quiet move", "quiet-move"),
    ("mate", "mate"),
];

/// Adds the motifs a text names, as whole words, to `tags`.
pub(super) fn collect_motifs(text: &str, tags: &mut BTreeSet<String>) {
    let text = text.to_lowercase();
    for (words, tag) in MOTIFS {
        if holds_words(&text, words) {
            tags.insert(tag.to_owned());
        }
    }
}

fn holds_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut tags = BTreeSet::new();
        collect_motifs(text, &mut tags);
        assert_eq!(tags.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn motifs_are_whole_words_in_any_case() {
        check("A FORK, and a pin!", &["fork", "pin"]);
        check("opinion, pinwheel, forked, automate", &[]);
        check("Back rank / back-rank", &["back-rank"]);
        check("smothered mate", &["mate", "smothered-mate"]);
        check("zwischenzug", &["intermezzo"]);
        check("Lasker's (Greek gift)", &["greek-gift"]);
        check("", &[]);
    }

    #[test]
    fn letters_of_any_language_join_words() {
        check("äpin pinß ünfork", &[]);
        check("«pin»", &["pin"]);
        // Lower case may be longer than what it came from.
        check("İ pin", &["pin"]);
    }

    #[test]
    fn every_motif_finds_itself() {
        for (words, tag) in MOTIFS {
            let mut tags = BTreeSet::new();
            collect_motifs(words, &mut tags);
            assert!(tags.contains(tag), "{words}");
            assert_eq!(words, words.to_lowercase());
        }
    }
}

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

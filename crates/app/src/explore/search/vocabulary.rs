//! All words of all names, and which of them somebody may have meant.

use std::collections::{BTreeMap, HashMap};

use super::distance::slips;

/// A word by its number.
pub(super) type WordId = u32;

/// How far what was typed is from a word that may be meant.
pub(super) const BEGINNING: u32 = 6;
pub(super) const SLIP: u32 = 20;

/// A word that may be meant, and how far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meant {
    pub(super) word: WordId,
    pub(super) cost: u32,
}

/// Distinct words in alphabetical order, and the trigrams they are made of.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    words: Vec<String>,
    trigrams: HashMap<[u8; 3], Vec<WordId>>,
}

impl Vocabulary {
    pub(super) fn new(words: impl IntoIterator<Item = String>) -> Vocabulary {
        let mut words: Vec<String> = words.into_iter().collect();
        words.sort_unstable();
        words.dedup();
        let mut of_trigram: HashMap<[u8; 3], Vec<WordId>> = HashMap::new();
        for (word, text) in words.iter().enumerate() {
            for trigram in trigrams(text) {
                let owners = of_trigram.entry(trigram).or_default();
                if owners.last() != Some(&(word as WordId)) {
                    owners.push(word as WordId);
                }
            }
        }
        Vocabulary {
            words,
            trigrams: of_trigram,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn find(&self, word: &str) -> Option<WordId> {
        let found = self.words.binary_search_by(|known| known.as_str().cmp(word));
        found.ok().map(|place| place as WordId)
    }

    /// The word itself and those that begin with it.
    pub(super) fn as_typed(&self, typed: &str) -> Vec<Meant> {
        let start = self.words.partition_point(|word| word.as_str() < typed);
        self.words[start..]
            .iter()
            .take_while(|word| word.starts_with(typed))
            .enumerate()
            .map(|(place, word)| Meant {
                word: (start + place) as WordId,
                cost: if word == typed { 0 } else { BEGINNING },
            })
            .collect()
    }

    /// Words that are a slip or two away, as many as a word of this length may have.
    pub(super) fn mistyped(&self, typed: &str) -> Vec<Meant> {
        // Codes and moves differ by one letter and mean something else.
        let most = match typed.len() {
            _ if typed.bytes().any(|byte| byte.is_ascii_digit()) => 0,
            0..=3 => 0,
            4..=5 => 1,
            _ => 2,
        };
        if most == 0 {
            return Vec::new();
        }
        let mut shared: BTreeMap<WordId, usize> = BTreeMap::new();
        for trigram in trigrams(typed) {
            for word in self.trigrams.get(&trigram).into_iter().flatten() {
                *shared.entry(*word).or_default() += 1;
            }
        }
        let long_enough = |word: &WordId| self.words[*word as usize].len() + most >= typed.len();
        shared
            .into_keys()
            .filter(long_enough)
            .filter_map(|word| {
                let slips = slips(typed.as_bytes(), self.words[word as usize].as_bytes());
                // The beginning of a word has to be long to be told from that of another.
                let most_in_beginning = if typed.len() >= 5 { most.min(1) } else { 0 };
                let cost = if slips.whole <= most {
                    slips.whole as u32 * SLIP
                } else if slips.beginning <= most_in_beginning {
                    slips.beginning as u32 * SLIP + BEGINNING
                } else {
                    return None;
                };
                Some(Meant { word, cost })
            })
            .collect()
    }
}

/// Three letters at a time, with two blanks before the word and one behind it.
fn trigrams(word: &str) -> impl Iterator<Item = [u8; 3]> {
    let bytes = word.as_bytes();
    let at = |place: usize| match place {
        0 | 1 => b' ',
        _ => bytes.get(place - 2).copied().unwrap_or(b' '),
    };
    (0..=bytes.len()).map(move |place| [at(place), at(place + 1), at(place + 2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let words = ["najdorf", "nimzo", "nimzowitsch", "sicilian", "slav", "najdorf", "c50"];
        Vocabulary::new(words.map(str::to_owned))
    }

    fn shown(vocabulary: &Vocabulary, found: Vec<Meant>) -> Vec<(&str, u32)> {
        let text = |meant: &Meant| (vocabulary.words[meant.word as usize].as_str(), meant.cost);
        found.iter().map(text).collect()
    }

    #[test]
    fn beginnings_are_found_in_order() {
        let vocabulary = vocabulary();
        assert_eq!(vocabulary.len(), 6);
        let found = shown(&vocabulary, vocabulary.as_typed("nimzo"));
        assert_eq!(found, [("nimzo", 0), ("nimzowitsch", BEGINNING)]);
        assert_eq!(vocabulary.as_typed("x"), []);
    }

    #[test]
    fn slips_are_forgiven_where_words_are_long() {
        let vocabulary = vocabulary();
        let check = |typed: &str, expected: &[(&str, u32)]| {
            assert_eq!(shown(&vocabulary, vocabulary.mistyped(typed)), expected, "{typed}");
        };
        check("najdrof", &[("najdorf", SLIP)]);
        check("sicillain", &[("sicilian", 2 * SLIP)]);
        check("scicilia", &[("sicilian", 2 * SLIP)]);
        check("slva", &[("slav", SLIP)]);
        check("sla", &[]);
        check("c51", &[]);
        check("nimzovitch", &[("nimzowitsch", 2 * SLIP)]);
    }
}

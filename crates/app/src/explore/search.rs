//! Finding openings by whatever somebody types.
//!
//! Names and aliases are cut into words ([`words`]), and each distinct word is kept once with the places where it stands. A
//! question is answered by finding the words that may be meant by each of its own ([`vocabulary`]), and adding up at every
//! name how far it is from what was typed. Words are few, a couple of thousand; so whatever is expensive about a typo is
//! done to words and never to names.

mod distance;
mod query;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

use std::cmp::Reverse;
use std::ops::RangeInclusive;

use tabiya_store::OpeningView;

use self::{
    query::Query,
    vocabulary::{Meant, Vocabulary},
    words::{is_kind, is_turning, words},
};
use super::{Catalogue, Snapshot};

/// A word of a name that nobody asked for.
const UNASKED: u32 = 2;
/// A level of variations below the family.
const LEVEL: u32 = 3;
/// What a name says before the part that was asked for.
const CONTEXT: u32 = 1;
/// Another name than the opening's own.
const ALIAS: u32 = 3;
/// Something like `defense` that was asked for and is not part of the name.
const OTHER_KIND: u32 = 2;
/// A word that was asked for and is not part of the name.
const MISSING: u32 = 80;

/// An opening that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its place in [`Catalogue::openings`].
    pub place: usize,
    /// How near it is to the question: 1 for the very name of a family, less with every difference.
    pub score: f64,
    /// The alias that was found, where it is nearer than the name.
    pub alias: Option<String>,
}

/// All names of all openings, ready to be searched.
#[derive(Debug, Default)]
pub struct SearchIndex {
    vocabulary: Vocabulary,
    /// For each word the texts it is part of.
    occurrences: Vec<Vec<Occurrence>>,
    texts: Vec<Text>,
    openings: Vec<Ranked>,
}

/// A word in a text.
#[derive(Debug, Clone, Copy)]
struct Occurrence {
    text: u32,
    /// A bit for each place where it stands.
    places: u64,
}

/// A name or an alias.
#[derive(Debug)]
struct Text {
    opening: u32,
    alias: Option<String>,
    /// Where the words stand that tell it from others, for each part between colons, commas and brackets.
    parts: Vec<u64>,
    /// Those of them that turn what they stand before into something else.
    turning: u64,
}

/// What openings are ranked by that are as near as each other.
#[derive(Debug)]
struct Ranked {
    eco: String,
    /// How many levels below the family.
    level: u32,
    games: u64,
    /// How many openings have a name that begins with this one.
    variations: usize,
    name_length: usize,
}

/// How much of a question has to be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Every word; slips are forgiven where a word is unknown.
    AsTyped,
    /// Every word, each with or without slips.
    Mistyped,
    /// Half of the words.
    InPart,
}

impl SearchIndex {
    /// Reads all names. `games` says how many games an opening has: of two that are as near, the more played comes first.
    pub fn new(catalogue: &Catalogue, games: impl Fn(&OpeningView) -> u64) -> SearchIndex {
        let mut names: Vec<&str> = catalogue
            .openings()
            .iter()
            .map(|view| view.opening.name.as_str())
            .collect();
        names.sort_unstable();
        let variations = |name: &str| {
            let from = names.partition_point(|other| *other < name);
            let longer = names[from..].iter().map_while(|other| other.strip_prefix(name));
            longer
                .filter(|rest| rest.is_empty() || rest.starts_with([':', ',']))
                .count()
        };
        let mut read = Vec::new();
        let mut openings = Vec::with_capacity(catalogue.openings().len());
        for (place, view) in catalogue.openings().iter().enumerate() {
            let opening = &view.opening;
            openings.push(Ranked {
                eco: opening.eco.clone(),
                level: level(&opening.name),
                games: games(view),
                variations: variations(&opening.name),
                name_length: opening.name.chars().count(),
            });
            read.push(ReadText::new(place, &opening.name, false));
            read.extend(opening.aliases.iter().map(|alias| ReadText::new(place, alias, true)));
        }
        let vocabulary = Vocabulary::new(
            read.iter()
                .flat_map(|text| text.words.iter().map(|word| word.0.clone())),
        );
        let mut occurrences: Vec<Vec<Occurrence>> = vec![Vec::new(); vocabulary.len()];
        for (text, entry) in read.iter().enumerate() {
            for (word, places) in &entry.words {
                let Some(word) = vocabulary.find(word) else { continue };
                let known = &mut occurrences[word as usize];
                match known.last_mut().filter(|last| last.text == text as u32) {
                    Some(last) => last.places |= places,
                    None => known.push(Occurrence {
                        text: text as u32,
                        places: *places,
                    }),
                }
            }
        }
        SearchIndex {
            vocabulary,
            occurrences,
            texts: read.into_iter().map(|entry| entry.text).collect(),
            openings,
        }
    }

    /// The index of a snapshot, with the games of each opening's root.
    pub fn of(snapshot: &Snapshot) -> SearchIndex {
        let view = snapshot.all();
        SearchIndex::new(snapshot.catalogue(), |opening| {
            let root = view.find(opening.opening.root);
            root.map_or(0, |place| view.node(place).stats.games())
        })
    }

    /// The openings nearest to a question, at most `limit` of them: words in any order, beginnings of words, slips of the
    /// finger, ECO codes and ranges of them. Nearer ones come first; of equally near ones families before variations, then
    /// the more played, then the shorter name, then the smaller code.
    ///
    /// Whatever it is asked, it takes no longer than a few milliseconds: what is too long is cut.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Found> {
        let query = Query::read(query);
        let mut found = match (&query.codes, query.words.is_empty()) {
            (Some(codes), true) => self.with_codes(codes),
            (None, true) => Vec::new(),
            (codes, false) => self.with_words(&query.words, codes.as_ref()),
        };
        self.rank(&mut found);
        if !query.other_words.is_empty() {
            let mut others = self.with_words(&query.other_words, None);
            self.rank(&mut others);
            others.retain(|other| found.iter().all(|one| one.place != other.place));
            found.extend(others);
        }
        found.truncate(limit);
        let shown = |hit: Hit| Found {
            place: hit.place,
            score: 20.0 / (20.0 + f64::from(hit.cost)),
            alias: hit.text.and_then(|text| self.texts[text].alias.clone()),
        };
        found.into_iter().map(shown).collect()
    }

    fn rank(&self, hits: &mut [Hit]) {
        hits.sort_unstable_by_key(|hit| {
            let opening = &self.openings[hit.place];
            let known = (Reverse(opening.games), Reverse(opening.variations));
            (hit.cost, known, opening.name_length, hit.place)
        });
    }

    fn with_codes(&self, codes: &RangeInclusive<String>) -> Vec<Hit> {
        let asked = self.openings.iter().enumerate();
        asked
            .filter(|(_, opening)| codes.contains(&opening.eco))
            .map(|(place, opening)| Hit {
                place,
                cost: opening.level * LEVEL,
                text: None,
            })
            .collect()
    }

    fn with_words(&self, asked: &[String], codes: Option<&RangeInclusive<String>>) -> Vec<Hit> {
        for mode in [Mode::AsTyped, Mode::Mistyped, Mode::InPart] {
            let hits = self.compare(asked, codes, mode);
            if !hits.is_empty() {
                return hits;
            }
        }
        Vec::new()
    }

    /// The words that may be meant by each word that was asked for.
    fn meant(&self, asked: &[String], mode: Mode) -> Vec<Vec<Meant>> {
        let mut meant: Vec<Vec<Meant>> = (asked.iter())
            .map(|word| {
                let mut found = self.vocabulary.as_typed(word);
                if found.is_empty() || mode != Mode::AsTyped {
                    found.extend(self.vocabulary.mistyped(word));
                }
                found
            })
            .collect();
        // `counter gambit` is `countergambit` too.
        for first in 1..asked.len() {
            let joined = [asked[first - 1].as_str(), &asked[first]].concat();
            if let Some(word) = self.vocabulary.find(&joined) {
                meant[first - 1].push(Meant { word, cost: 0 });
                meant[first].push(Meant { word, cost: 0 });
            }
        }
        meant
    }

    /// All openings with a text that meets the question, each with its nearest text.
    fn compare(&self, asked: &[String], codes: Option<&RangeInclusive<String>>, mode: Mode) -> Vec<Hit> {
        const NOT_THERE: u32 = u32::MAX;
        let mut costs = vec![NOT_THERE; self.texts.len() * asked.len()];
        let mut covered = vec![0u64; self.texts.len()];
        for (number, meant) in self.meant(asked, mode).into_iter().enumerate() {
            for Meant { word, cost } in meant {
                for occurrence in &self.occurrences[word as usize] {
                    let text = occurrence.text as usize;
                    let known = &mut costs[text * asked.len() + number];
                    *known = cost.min(*known);
                    covered[text] |= occurrence.places;
                }
            }
        }
        let kinds: Vec<bool> = asked.iter().map(|word| is_kind(word)).collect();
        let only_kinds = kinds.iter().all(|kind| *kind);
        let telling = kinds.iter().filter(|kind| only_kinds || !**kind).count();
        let most_missing = if mode == Mode::InPart { telling / 2 } else { 0 };

        let mut hits: Vec<Hit> = Vec::new();
        for (number, text) in self.texts.iter().enumerate() {
            if covered[number] == 0 {
                continue;
            }
            let opening = &self.openings[text.opening as usize];
            if codes.is_some_and(|codes| !codes.contains(&opening.eco)) {
                continue;
            }
            let (mut cost, mut missing) = (0, 0);
            for (one, kind) in costs[number * asked.len()..][..asked.len()].iter().zip(&kinds) {
                cost += match *one {
                    NOT_THERE if *kind && !only_kinds => OTHER_KIND,
                    NOT_THERE => {
                        missing += 1;
                        MISSING
                    }
                    found => found,
                };
            }
            if missing > most_missing {
                continue;
            }
            cost += text.unasked(covered[number]) + opening.level * LEVEL;
            cost += u32::from(text.alias.is_some()) * ALIAS;
            let hit = Hit {
                place: text.opening as usize,
                cost,
                text: Some(number),
            };
            // The texts of an opening stand together.
            match hits.last_mut().filter(|last| last.place == hit.place) {
                Some(last) if hit.cost < last.cost => *last = hit,
                Some(_) => {}
                None => hits.push(hit),
            }
        }
        hits
    }
}

/// An opening that meets a question.
#[derive(Debug)]
struct Hit {
    place: usize,
    cost: u32,
    text: Option<usize>,
}

impl Text {
    /// What the words cost that nobody asked for. Whoever asks for a variation by its name leaves out those it is a
    /// variation of, however long they are.
    fn unasked(&self, covered: u64) -> u32 {
        let asked = self.parts.iter().rposition(|part| part & covered != 0);
        let (before, rest) = self.parts.split_at(asked.unwrap_or(0));
        let context = u32::from(before.iter().any(|part| part & !covered != 0)) * CONTEXT;
        let words = |words: u64| (words.count_ones() + (words & self.turning).count_ones()) * UNASKED;
        context + rest.iter().map(|part| words(part & !covered)).sum::<u32>()
    }
}

/// A text with its words, each with the places where it stands.
struct ReadText {
    text: Text,
    words: Vec<(String, u64)>,
}

impl ReadText {
    fn new(opening: usize, name: &str, is_alias: bool) -> ReadText {
        let mut entry = ReadText {
            text: Text {
                opening: opening as u32,
                alias: is_alias.then(|| name.to_owned()),
                parts: Vec::new(),
                turning: 0,
            },
            words: Vec::new(),
        };
        let mut next = 0;
        for part in name.split([':', ',', '(']) {
            let telling = entry.read(part, &mut next);
            entry.text.parts.push(telling);
        }
        entry
    }

    /// Takes up the words of a part, and gives the places of those that tell it from others.
    fn read(&mut self, part: &str, next: &mut u32) -> u64 {
        let mut telling = 0;
        for chunk in part.split_whitespace() {
            let words = words(chunk);
            let mut whole = 0;
            for word in &words {
                // No name has as many words; one that had would be found by the first of them.
                let place = 1u64.checked_shl(*next).unwrap_or(0);
                *next += 1;
                whole |= place;
                if !is_kind(word) {
                    telling |= place;
                }
                if is_turning(word) {
                    self.text.turning |= place;
                }
                self.words.push((word.clone(), place));
            }
            // `Caro-Kann` is found by `carokann` too.
            if words.len() == 2 && chunk.contains('-') {
                self.words.push((words.concat(), whole));
            }
        }
        telling
    }
}

/// How many levels a name is below its family: `Sicilian Defense: Najdorf Variation, English Attack` is 2.
fn level(name: &str) -> u32 {
    match name.split_once(':') {
        None => name.matches(',').count() as u32,
        Some((_, variation)) => 1 + variation.matches(',').count() as u32,
    }
}

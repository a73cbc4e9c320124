//! The texts of counted positions, for whoever takes counts to another machine: keys cannot be turned back.

use hashbrown::{HashMap, HashSet, hash_map::Entry};
use shakmaty::Chess;
use tabiya_chess::fnv1a;

use crate::CountError;

/// The positions of a block, each once.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockTexts {
    seen: HashSet<u64>,
    rows: Vec<(u64, u32)>,
    text: String,
}

impl BlockTexts {
    pub(crate) fn note(&mut self, key: u64, pos: &Chess) {
        if self.seen.insert(key) {
            tabiya_chess::write_epd(pos, &mut self.text);
            self.rows.push((key, self.text.len() as u32));
        }
    }

    pub(crate) fn clear(&mut self) {
        self.seen.clear();
        self.rows.clear();
        self.text.clear();
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        let mut start = 0;
        self.rows.iter().map(move |(key, end)| {
            let text = &self.text[start..*end as usize];
            start = *end as usize;
            (*key, text)
        })
    }
}

/// Appends a text as it lies on disk: the key, little endian, and the text behind its length.
pub(crate) fn write_row(key: u64, text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&key.to_le_bytes());
    // An EPD has 81 bytes at most.
    out.push(text.len() as u8);
    out.extend_from_slice(text.as_bytes());
}

/// Bytes of a row before its text.
pub(crate) const ROW_HEAD: usize = 9;

/// Remembers which texts were written lately, so that the positions of every block's games are not written with every
/// block. What it forgets is written again, which costs space and nothing else.
#[derive(Debug)]
pub(crate) struct Lately {
    slots: Vec<(u64, u64)>,
}

/// 4 MB.
const SLOTS: usize = 1 << 18;

impl Lately {
    pub(crate) fn new() -> Lately {
        Lately {
            slots: vec![(0, 0); SLOTS],
        }
    }

    /// Whether this text need not be written. The text counts as well as the key, so that a second position with the
    /// same key is written and found.
    pub(crate) fn has(&mut self, key: u64, text: &str) -> bool {
        let slot = &mut self.slots[key as usize % SLOTS];
        let now = (key, fnv1a(text.as_bytes()));
        std::mem::replace(slot, now) == now
    }
}

/// The texts of a range of keys.
#[derive(Debug, Default)]
pub(crate) struct TextsByKey {
    places: HashMap<u64, (u32, u8)>,
    text: String,
}

impl TextsByKey {
    pub(crate) fn insert(&mut self, key: u64, text: &str) -> Result<(), CountError> {
        match self.places.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert((self.text.len() as u32, text.len() as u8));
                self.text.push_str(text);
                Ok(())
            }
            Entry::Occupied(entry) => {
                let (start, len) = *entry.get();
                let known = &self.text[start as usize..start as usize + usize::from(len)];
                if known == text {
                    return Ok(());
                }
                Err(CountError::Collision {
                    key,
                    one: known.to_owned(),
                    other: text.to_owned(),
                })
            }
        }
    }

    pub(crate) fn get(&self, key: u64) -> Option<&str> {
        let (start, len) = *self.places.get(&key)?;
        self.text.get(start as usize..start as usize + usize::from(len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_with_one_key_are_an_error_that_names_both() {
        let mut texts = TextsByKey::default();
        texts.insert(7, "one").expect("new");
        texts.insert(8, "other").expect("new");
        texts.insert(7, "one").expect("the same again");
        assert_eq!(
            (texts.get(7), texts.get(8), texts.get(9)),
            (Some("one"), Some("other"), None)
        );
        let collision = texts.insert(7, "another").expect_err("another position");
        assert_eq!(
            collision.to_string(),
            "two positions share the counting key 0000000000000007: one and another"
        );
    }

    #[test]
    fn only_what_was_just_written_is_skipped() {
        let mut lately = Lately::new();
        assert!(!lately.has(7, "one"));
        assert!(lately.has(7, "one"));
        assert!(!lately.has(7, "another"));
        assert!(!lately.has(7 + SLOTS as u64, "far"));
        assert!(!lately.has(7, "another"));
    }
}

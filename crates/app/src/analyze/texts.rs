//! Texts that come again and again, each kept once.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::LazyLock,
};

use pgn_import::Tag;

/// A text among those it was taken in with, by the order of first appearance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TextId(u32);

impl TextId {
    /// The empty text, which is always there.
    pub(super) const EMPTY: TextId = TextId(0);

    pub(super) fn is_empty(self) -> bool {
        self == TextId::EMPTY
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn from_index(index: usize) -> TextId {
        TextId(index as u32)
    }
}

/// Texts one behind the other.
#[derive(Debug)]
pub(super) struct Texts {
    text: String,
    /// Where each begins, and where the last one ends.
    starts: Vec<u32>,
}

impl Texts {
    fn new() -> Texts {
        Texts {
            text: String::new(),
            starts: vec![0, 0],
        }
    }

    /// How many there are, the empty one included.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    pub(super) fn get(&self, id: TextId) -> &str {
        let at = id.index();
        &self.text[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Takes in texts and knows those it has.
#[derive(Debug)]
pub(super) struct Interner {
    texts: Texts,
    /// Half of a text's hash and its id; the empty text marks a free slot. At least half of them are free.
    slots: Vec<(u32, TextId)>,
}

impl Interner {
    pub(super) fn new() -> Interner {
        Interner {
            texts: Texts::new(),
            slots: vec![(0, TextId::EMPTY); 256],
        }
    }

    pub(super) fn texts(&self) -> &Texts {
        &self.texts
    }

    pub(super) fn into_texts(mut self) -> Texts {
        self.texts.text.shrink_to_fit();
        self.texts.starts.shrink_to_fit();
        self.texts
    }

    /// The value of a tag without blanks around it, which is likely to be this one.
    #[inline]
    pub(super) fn value(&mut self, tag: &Tag<'_>, likely: TextId) -> TextId {
        let raw = tag.raw();
        // Bytes without a backslash that are a known text stand for that text: it is UTF-8, on one line and trimmed.
        if !raw.contains(&b'\\') {
            if self.texts.get(likely).as_bytes() == raw {
                return likely;
            }
            if let Ok(known) = self.find(raw, hash(raw)) {
                return known;
            }
        }
        self.take(tag.value().trim())
    }

    #[inline]
    pub(super) fn take(&mut self, text: &str) -> TextId {
        if text.is_empty() {
            return TextId::EMPTY;
        }
        let hash = hash(text.as_bytes());
        match self.find(text.as_bytes(), hash) {
            Ok(known) => known,
            Err(free) => self.add(text, hash, free),
        }
    }

    /// A text that is there, or the slot for it.
    #[inline]
    fn find(&self, text: &[u8], hash: u64) -> Result<TextId, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (half, id) = self.slots[at];
            if id.is_empty() {
                return Err(at);
            }
            if half == (hash >> 32) as u32 && self.texts.get(id).as_bytes() == text {
                return Ok(id);
            }
            at = (at + 1) & mask;
        }
    }

    fn add(&mut self, text: &str, hash: u64, free: usize) -> TextId {
        let id = TextId::from_index(self.texts.len());
        self.texts.text.push_str(text);
        self.texts.starts.push(self.texts.text.len() as u32);
        self.slots[free] = ((hash >> 32) as u32, id);
        if self.texts.len() * 2 > self.slots.len() {
            self.make_room();
        }
        id
    }

    #[cold]
    fn make_room(&mut self) {
        self.slots = vec![(0, TextId::EMPTY); self.slots.len() * 4];
        for index in 1..self.texts.len() {
            let id = TextId::from_index(index);
            let text = self.texts.get(id).as_bytes();
            let hash = hash(text);
            if let Err(free) = self.find(text, hash) {
                self.slots[free] = ((hash >> 32) as u32, id);
            }
        }
    }
}

/// Another one in each process: nobody can write a file whose texts all fall into one slot.
static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));

/// A few steps for a short text, where the standard library's hash takes many.
#[inline]
fn hash(text: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |hash: u64| {
        let product = u128::from(hash) * u128::from(ODD);
        product as u64 ^ (product >> 64) as u64
    };
    let mut hash = *SEED ^ (text.len() as u64).wrapping_mul(ODD);
    match text.last_chunk::<8>() {
        Some(last) => {
            for chunk in text.chunks_exact(8) {
                // Eight bytes by the way they were cut.
                let word = chunk.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
                hash = fold(hash ^ word);
            }
            fold(hash ^ u64::from_le_bytes(*last))
        }
        None => {
            let word = text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            fold(fold(hash ^ word))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn each_text_is_kept_once_and_in_order() {
        let mut interner = Interner::new();
        let mut known: HashMap<String, TextId> = HashMap::from([(String::new(), TextId::EMPTY)]);
        for number in 0..20_000_u32 {
            let text = match number % 3 {
                0 => format!("{}", number % 700),
                1 => format!("a player with a longer name {}", number % 5_000),
                _ => "ü".repeat((number % 40) as usize),
            };
            let next = TextId::from_index(interner.texts().len());
            let id = interner.take(&text);
            assert_eq!(*known.entry(text).or_insert(next), id, "{number}");
        }
        for (text, id) in &known {
            assert_eq!(interner.texts().get(*id), text);
        }
        assert_eq!(interner.into_texts().len(), known.len());
    }
}

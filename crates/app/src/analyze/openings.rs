//! What the games' openings are called, and how they ended.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use shakmaty::{Chess, Position as _};
use tabiya_chess::{NamedPosition, Opening, OpeningTable};
use tabiya_counts::{PackedMove, PositionKey};

use super::{
    Analysis,
    date::{Date, earlier},
    key_map::KeyMap,
    replay,
    sums::Results,
};

/// Names by the keys that games are read with, so that no position has to be set up again.
#[derive(Debug)]
pub(super) struct Names {
    by_key: KeyMap<&'static Opening>,
    /// A bit for each value of a key's first bits: few enough for the fastest cache, so that nearly all positions without a
    /// name are known by it.
    sieve: Box<[u64; SIEVE]>,
    /// The fewest pieces of any position with a name that has these rights to castle, or some of them.
    fewest_pieces: [u32; 16],
}

/// Words of 64 bits.
const SIEVE: usize = 1 << 10;

/// Which word, and which bit of it.
#[inline]
fn slot(key: u64) -> (usize, u64) {
    ((key >> 54) as usize, 1 << (key >> 48 & 63))
}

/// The rights to castle as a number of four bits.
#[inline]
fn rights(pos: &Chess) -> usize {
    let corners = u64::from(pos.castles().castling_rights());
    (corners & 1 | corners >> 6 & 2 | corners >> 54 & 4 | corners >> 60 & 8) as usize
}

static EMBEDDED: LazyLock<Names> = LazyLock::new(|| {
    let keyed = |named: NamedPosition<'static>| {
        let key = PositionKey::of(named.position).value(named.position);
        (key, named.opening)
    };
    let table = OpeningTable::embedded();
    let by_key: KeyMap<&'static Opening> = table.named_positions().map(keyed).collect();
    let mut sieve = Box::new([0; SIEVE]);
    for key in by_key.keys() {
        let (word, bit) = slot(*key);
        sieve[word] |= bit;
    }
    let mut fewest_pieces = [u32::MAX; 16];
    for named in table.named_positions() {
        let pieces = named.position.board().occupied().count() as u32;
        let own = rights(named.position);
        for (rights, fewest) in fewest_pieces.iter_mut().enumerate() {
            if rights & own == own {
                *fewest = pieces.min(*fewest);
            }
        }
    }
    Names {
        by_key,
        sieve,
        fewest_pieces,
    }
});

impl Names {
    pub(super) fn embedded() -> &'static Names {
        &EMBEDDED
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<&'static Opening> {
        let (word, bit) = slot(key);
        if self.sieve[word] & bit == 0 {
            return None;
        }
        self.by_key.get(&key).copied()
    }

    /// Whether a position like this one, or one that comes of it, may have a name. Neither pieces nor rights to castle ever
    /// come back.
    pub(super) fn are_ahead(&self, pos: &Chess, pieces: u32) -> bool {
        pieces >= self.fewest_pieces[rights(pos)]
    }

    /// The name of the last position that has one, along these moves from the initial position.
    pub(super) fn last(&self, moves: &[PackedMove]) -> Option<&'static Opening> {
        let mut keys = Vec::new();
        replay::keys(moves, &mut keys);
        keys.into_iter().rev().find_map(|key| self.get(key))
    }
}

/// The games of one opening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningResults {
    pub eco: String,
    pub name: String,
    pub games: u32,
    pub white: u32,
    pub draws: u32,
    pub black: u32,
    /// Empty where no date is known.
    pub first_date: String,
}

impl Analysis {
    /// Results by opening, the most played first. A game's opening is that of the last of its positions that has a name.
    pub fn openings(&self) -> Vec<OpeningResults> {
        #[derive(Default)]
        struct Sum {
            games: u32,
            results: Results,
            first: Option<Date>,
        }
        // By where an opening lies first: games are many and openings few.
        let mut met: HashMap<Option<*const Opening>, (Option<&'static Opening>, Sum)> = HashMap::new();
        for game in 0..self.games.len() {
            let opening = self.games.opening(game);
            let (_, sum) = (met.entry(opening.map(std::ptr::from_ref))).or_insert_with(|| (opening, Sum::default()));
            sum.games += 1;
            sum.results.count(self.games.outcome(game));
            sum.first = earlier(sum.first, self.games.day(game));
        }
        let by_name: BTreeMap<Option<(String, &str)>, Sum> = met
            .into_values()
            .map(|(opening, sum)| (opening.map(|opening| (opening.eco().to_string(), opening.name())), sum))
            .collect();
        let mut openings: Vec<OpeningResults> = by_name
            .into_iter()
            .map(|(key, sum)| {
                let (eco, name) = key.unwrap_or_default();
                OpeningResults {
                    eco,
                    name: name.to_owned(),
                    games: sum.games,
                    white: sum.results.white,
                    draws: sum.results.draws,
                    black: sum.results.black,
                    first_date: sum.first.map(Date::text).unwrap_or_default(),
                }
            })
            .collect();
        // Stable, so that equals stay by code and name.
        openings.sort_by_key(|opening| std::cmp::Reverse(opening.games));
        openings
    }
}

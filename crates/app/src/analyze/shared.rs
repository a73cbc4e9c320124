//! Which positions more than one game has reached, by whatever moves.

use std::thread;

use shakmaty::Chess;
use tabiya_counts::PositionKey;

use super::{
    games::Games,
    key_map::KeyMap,
    replay::Keys,
    side_by_side::{joined, shares},
    trie::Trie,
};

/// One bit for each move of each game: whether another game has reached the position behind it too, though by other moves.
///
/// Where games share their moves nobody needs to ask. Behind that nearly every position is its game's alone, so they all
/// go through a filter that is small enough for the cache and never misses a position that comes twice; what is left
/// is looked at exactly.
#[derive(Debug)]
pub(super) struct SharedTails(Vec<u64>);

impl SharedTails {
    pub(super) fn find(games: &Games, keys: &Keys, trie: &Trie, threads: usize) -> SharedTails {
        let shares = shares(games, threads.max(1));
        let filter = Filter::of(games, keys, &shares);
        let parts = shares.len();
        let suspects: Vec<Vec<Vec<Suspect>>> = thread::scope(|scope| {
            let filter = &filter;
            let running: Vec<_> = shares
                .iter()
                .map(|share| scope.spawn(move || suspects(games, keys, trie, filter, share.clone(), parts)))
                .collect();
            joined(running)
        });
        let found: Vec<Vec<u64>> = thread::scope(|scope| {
            let suspects = &suspects;
            let running: Vec<_> = (0..parts)
                .map(|part| scope.spawn(move || convict(games, keys, trie, suspects, part)))
                .collect();
            joined(running)
        });
        let mut bits = vec![0; games.total_moves().div_ceil(64) as usize];
        for number in found.into_iter().flatten() {
            bits[(number / 64) as usize] |= 1 << (number % 64);
        }
        SharedTails(bits)
    }

    /// `number` counts the moves of all games.
    pub(super) fn contains(&self, number: u64) -> bool {
        self.0[(number / 64) as usize] & 1 << (number % 64) != 0
    }
}

/// Two bits for each slot: something fell into it; something fell into it again.
struct Filter {
    words: Vec<[u64; 2]>,
    shift: u32,
}

impl Filter {
    fn new(keys: u64) -> Filter {
        // Eight slots for each key leave one in nine of those that come once under suspicion.
        let slots = (keys * 8).next_power_of_two().max(64);
        Filter {
            words: vec![[0; 2]; (slots / 64) as usize],
            shift: 64 - slots.trailing_zeros(),
        }
    }

    fn of(games: &Games, keys: &Keys, shares: &[std::ops::Range<u32>]) -> Filter {
        let filters = thread::scope(|scope| {
            let fill = |share: std::ops::Range<u32>| {
                let mut filter = Filter::new(games.total_moves());
                for id in share {
                    keys.game(games, id).iter().for_each(|key| filter.add(*key));
                }
                filter
            };
            let running: Vec<_> = shares
                .iter()
                .map(|share| scope.spawn(move || fill(share.clone())))
                .collect();
            joined(running)
        });
        let mut filters = filters.into_iter();
        let mut all = filters.next().unwrap_or_else(|| Filter::new(0));
        for other in filters {
            for (word, other) in all.words.iter_mut().zip(other.words) {
                word[1] |= other[1] | word[0] & other[0];
                word[0] |= other[0];
            }
        }
        // Every game has been at the initial position, which stands behind no move: whoever comes back to it is not alone.
        for _ in 0..2 {
            all.add(initial_key());
        }
        all
    }

    #[inline]
    fn slot(&self, key: u64) -> (usize, u64) {
        let slot = key >> self.shift;
        ((slot / 64) as usize, 1 << (slot % 64))
    }

    #[inline]
    fn add(&mut self, key: u64) {
        let (word, bit) = self.slot(key);
        let word = &mut self.words[word];
        word[1] |= word[0] & bit;
        word[0] |= bit;
    }

    #[inline]
    fn suspects(&self, key: u64) -> bool {
        let (word, bit) = self.slot(key);
        self.words[word][1] & bit != 0
    }
}

/// A position behind a game's own moves that may be another game's too.
struct Suspect {
    key: u64,
    /// Among the moves of all games.
    number: u64,
    game: u32,
}

fn suspects(
    games: &Games,
    keys: &Keys,
    trie: &Trie,
    filter: &Filter,
    share: std::ops::Range<u32>,
    parts: usize,
) -> Vec<Vec<Suspect>> {
    let mut suspects: Vec<Vec<Suspect>> = (0..parts).map(|_| Vec::new()).collect();
    for game in share {
        let keys = keys.game(games, game);
        let from = trie.leaves_at(game, keys.len()) - 1;
        let before = games.moves_before(game);
        for (ply, key) in keys.iter().enumerate().skip(from) {
            if filter.suspects(*key) {
                suspects[part_of(*key, parts)].push(Suspect {
                    key: *key,
                    number: before + ply as u64,
                    game,
                });
            }
        }
    }
    suspects
}

/// By other bits than those that choose a slot, or a bucket in a table.
fn part_of(key: u64, parts: usize) -> usize {
    (key >> 20 & 0xffff) as usize % parts
}

fn initial_key() -> u64 {
    let initial = Chess::default();
    PositionKey::of(&initial).value(&initial)
}

/// A position's one game, or this.
const SEVERAL: u32 = u32::MAX;

/// The numbers of those moves of one part that lead where another game has been.
fn convict(games: &Games, keys: &Keys, trie: &Trie, suspects: &[Vec<Vec<Suspect>>], part: usize) -> Vec<u64> {
    let own = || suspects.iter().flat_map(|share| &share[part]);
    let mut owners: KeyMap<u32> = KeyMap::default();
    owners.reserve(own().count());
    for suspect in own() {
        let owner = owners.entry(suspect.key).or_insert(suspect.game);
        if *owner != suspect.game {
            *owner = SEVERAL;
        }
    }
    let parts = suspects.first().map_or(1, Vec::len);
    let root = initial_key();
    for node in trie.nodes().iter().filter(|node| node.games > 1) {
        let key = match node.ply {
            0 => root,
            ply => keys.game(games, node.first)[ply as usize - 1],
        };
        if part_of(key, parts) == part
            && let Some(owner) = owners.get_mut(&key)
        {
            *owner = SEVERAL;
        }
    }
    own()
        .filter(|suspect| owners.get(&suspect.key) == Some(&SEVERAL))
        .map(|suspect| suspect.number)
        .collect()
}

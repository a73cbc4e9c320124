//! The games that were left behind, written once for all who left them.

use tabiya_chess::PackedSan;

use super::{json::Json, trie::Trie};

/// What is kept from one novelty to the next.
#[derive(Default)]
pub(super) struct Novelties {
    pub(super) path: Vec<PackedSan>,
    /// The node whose games are written here.
    parent: Option<u32>,
    games: Json,
}

impl Novelties {
    /// The ids of a node's games, as JSON. Siblings follow each other, so most ask for what the one before has asked for.
    pub(super) fn games_at(&mut self, trie: &Trie, at: u32) -> &[u8] {
        if self.parent != Some(at) {
            self.parent = Some(at);
            self.games.buffer().clear();
            self.games = Json::appending(std::mem::take(self.games.buffer()), false);
            self.games.numbers(trie.games_at(at));
        }
        self.games.buffer()
    }
}

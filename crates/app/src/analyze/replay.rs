//! Plays games again, for what their moves alone do not say.

use std::thread;

use shakmaty::{Chess, Position as _};
use tabiya_chess::PackedSan;
use tabiya_counts::{PackedMove, PositionKey};

use super::{
    games::Games,
    side_by_side::{joined, shares},
    trie::{ROOT, Trie},
};

/// Appends how each of these moves from the initial position is written.
pub(super) fn sans(moves: &[PackedMove], out: &mut Vec<PackedSan>) {
    let mut pos = Chess::default();
    for packed in moves {
        let Some(m) = packed.retrace(&pos) else { return };
        let san = PackedSan::of(&pos, m);
        pos.play_unchecked(m);
        out.push(san.with_check(&pos));
    }
    // Behind a mate no move follows, so it is asked for once.
    if let Some(last) = out.last_mut().filter(|last| last.is_check())
        && pos.legal_moves().is_empty()
    {
        *last = last.with_mate();
    }
}

/// Appends the key of the position behind each of these moves from the initial position.
pub(super) fn keys(moves: &[PackedMove], out: &mut Vec<u64>) {
    let mut pos = Chess::default();
    let mut key = PositionKey::of(&pos);
    for packed in moves {
        let Some(m) = packed.retrace(&pos) else { return };
        key.play(pos.turn(), m);
        pos.play_unchecked(m);
        out.push(key.value(&pos));
    }
}

/// The keys of all positions of all games.
#[derive(Debug)]
pub(super) struct Keys {
    /// Of each block of games.
    blocks: Vec<Vec<u64>>,
}

impl Keys {
    pub(super) fn of(games: &Games, threads: usize) -> Keys {
        let threads = threads.max(1);
        let mut blocks: Vec<Vec<u64>> = games.blocks().iter().map(|_| Vec::new()).collect();
        thread::scope(|scope| {
            let each = blocks.len().div_ceil(threads).max(1);
            for (blocks, played) in blocks.chunks_mut(each).zip(games.blocks().chunks(each)) {
                scope.spawn(move || {
                    for (out, block) in blocks.iter_mut().zip(played) {
                        out.reserve_exact(block.moves.len());
                        for game in &block.games {
                            let first = game.first_move as usize;
                            keys(&block.moves[first..first + game.plies as usize], out);
                        }
                    }
                });
            }
        });
        Keys { blocks }
    }

    /// Those behind the moves of a game.
    #[inline]
    pub(super) fn game<'a>(&'a self, games: &Games, id: u32) -> &'a [u64] {
        let (block, moves) = games.place(id);
        &self.blocks[block][moves]
    }
}

/// How the move to each node of the trie is written.
#[derive(Debug)]
pub(super) struct NodeSans(Vec<Option<PackedSan>>);

impl NodeSans {
    pub(super) fn of(games: &Games, trie: &Trie, threads: usize) -> NodeSans {
        let found: Vec<Vec<(u32, PackedSan)>> = thread::scope(|scope| {
            let running = shares(games, threads.max(1))
                .into_iter()
                .map(|share| scope.spawn(move || first_played(games, trie, share)))
                .collect();
            joined(running)
        });
        let mut sans = vec![None; trie.nodes().len()];
        for (at, san) in found.into_iter().flatten() {
            sans[at as usize] = Some(san);
        }
        NodeSans(sans)
    }

    /// `None` at the root alone.
    pub(super) fn get(&self, at: u32) -> Option<PackedSan> {
        self.0[at as usize]
    }

    /// The moves that lead to a node.
    pub(super) fn path(&self, trie: &Trie, at: u32, out: &mut Vec<PackedSan>) {
        out.clear();
        let mut at = at;
        while let Some(san) = self.get(at) {
            out.push(san);
            at = trie.node(at).parent;
        }
        out.reverse();
    }
}

/// The nodes to which games of this share came first, each with its move.
fn first_played(games: &Games, trie: &Trie, share: std::ops::Range<u32>) -> Vec<(u32, PackedSan)> {
    let mut found = Vec::new();
    let mut written = Vec::new();
    for id in share {
        // Whoever comes to a node first comes first to all that follow on its way.
        let mut at = trie.leaf(id);
        if at == ROOT || trie.node(at).first != id {
            continue;
        }
        written.clear();
        sans(&games.moves(id)[..trie.node(at).ply as usize], &mut written);
        while at != ROOT && trie.node(at).first == id {
            let Some(san) = written.pop() else { break };
            found.push((at, san));
            at = trie.node(at).parent;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::tests::analysed, *};

    #[test]
    fn each_node_is_written_as_its_games_write_it() {
        let analysis = analysed(&[
            "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0",
            "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0",
            "1. e4 e5 2. Bc4 Nc6 3. Qh5 Ke7 4. Qxe5# 1-0",
            "1. e4 d5 2. Bb5+ c6 *",
            "1. e4 d5 2. Bb5+ Bd7 *",
            "*",
        ]);
        let (games, trie) = (&analysis.games, &analysis.trie);
        for threads in [1, 2, 3] {
            let sans = NodeSans::of(games, trie, threads);
            let mut path = Vec::new();
            let mut lines: Vec<String> = Vec::new();
            for game in 0..games.len() {
                sans.path(trie, trie.leaf(game), &mut path);
                lines.push(path.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
            }
            assert_eq!(
                lines,
                [
                    "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#",
                    "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#",
                    "e4 e5 Bc4",
                    "e4 d5 Bb5+ c6",
                    "e4 d5 Bb5+ Bd7",
                    ""
                ]
            );
            assert!(sans.get(ROOT).is_none());
            assert!((1..trie.nodes().len() as u32).all(|at| sans.get(at).is_some()));
        }
    }

    #[test]
    fn transposed_games_meet_in_their_keys() {
        let analysis = analysed(&["1. e4 e5 2. Nf3 Nc6 *", "1. Nf3 Nc6 2. e4 e5 *", "1. d4 *"]);
        let keys = Keys::of(&analysis.games, 2);
        let of = |game| keys.game(&analysis.games, game);
        assert_eq!((of(0).len(), of(1).len(), of(2).len()), (4, 4, 1));
        assert_eq!(of(0)[3], of(1)[3]);
        assert!((0..3).all(|ply| of(0)[ply] != of(1)[ply]));
    }
}

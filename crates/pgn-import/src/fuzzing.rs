//! What must hold for any bytes at all. Shared by the cargo-fuzz targets and by the seeded harness of the tests; no part
//! of the crate's interface.

use std::{fmt::Write as _, io::Cursor};

use crate::{
    Game, GameResult, Node, ROOT, Visitor,
    read::{REACH, TreeBuilder, Walker, legible},
    source::Blocks,
};

/// Reads the bytes as games, at once, in blocks and without building anything.
///
/// # Panics
///
/// If games or faults stand outside of their place, or depend on how the bytes were cut.
pub fn reader(bytes: &[u8]) {
    let games = games(bytes);
    let mut end = 0;
    for (index, game) in games.iter().enumerate() {
        assert_eq!(game.at.index, index as u64);
        assert!(
            game.at.offset >= end && game.at.offset < bytes.len() as u64,
            "game {index} begins at {:?}",
            game.at
        );
        let next = games.get(index + 1).map_or(bytes.len() as u64, |next| next.at.offset);
        for fault in &game.faults {
            let inside = game.at.offset <= fault.offset && fault.offset <= next;
            assert!(inside, "game {index} at {:?} has a fault at {}", game.at, fault.offset);
        }
        end = game.at.offset + 1;
    }
    assert_eq!(
        count(bytes, &mut Everything),
        games.len(),
        "a visitor that builds nothing"
    );
    assert_eq!(
        count(bytes, &mut MainLines),
        games.len(),
        "a visitor that passes over variations"
    );
    assert_same_in_blocks(bytes);
    // Nothing is cut near the end of what is there, so a short text must come more than once to be cut at all.
    if !bytes.is_empty() && bytes.len() < 4 * REACH {
        assert_same_in_blocks(&bytes.repeat(1 + 4 * REACH / bytes.len()));
    }
}

/// One size of blocks for each text, chosen by its content: all sizes have their turn, and no text takes long.
fn assert_same_in_blocks(bytes: &[u8]) {
    let whole: Vec<_> = games(bytes).iter().map(describe).collect();
    let block_bytes = [64, 97, 256, 1000][(tabiya_chess::fnv1a(bytes) % 4) as usize];
    let cut: Vec<_> = games_in_blocks(bytes, block_bytes).iter().map(describe).collect();
    assert_eq!(whole, cut, "in blocks of {block_bytes} bytes");
}

/// Reads the bytes as games, writes each and reads it again.
///
/// # Panics
///
/// If a game comes back as another one.
pub fn tree(bytes: &[u8]) {
    for game in games(bytes) {
        let text = game.to_string();
        let again = games(text.as_bytes());
        assert_eq!(again.len(), 1, "one game became several:\n{text}");
        assert_eq!(
            describe(&as_written(game)),
            describe(&as_written(again[0].clone())),
            "{text}"
        );
        assert_eq!(again[0].to_string(), text);
        if again[0].start.is_some() {
            assert_eq!(again[0].faults, [], "{text}");
        }
    }
}

/// All games, read at once.
pub fn games(bytes: &[u8]) -> Vec<Game> {
    let mut walker = Walker::new(bytes, 0, 0);
    let mut games = Vec::new();
    take_all(&mut walker, &mut games);
    games
}

/// All games, the bytes being cut into blocks first.
pub fn games_in_blocks(bytes: &[u8], block_bytes: usize) -> Vec<Game> {
    let mut blocks = Blocks::new(Box::new(Cursor::new(bytes.to_vec())), 0, block_bytes);
    let mut games = Vec::new();
    while let Ok(Some(block)) = blocks.next_block() {
        let mut walker = Walker::new(&block.bytes, block.offset, games.len() as u64);
        take_all(&mut walker, &mut games);
    }
    games
}

fn take_all(walker: &mut Walker<'_>, games: &mut Vec<Game>) {
    let mut tree = TreeBuilder::default();
    while walker.walk(&mut tree) {
        games.push(tree.take());
    }
}

/// Everything there is to a game, as text that is equal exactly if the games are.
pub fn describe(game: &Game) -> String {
    let mut text = format!("{:?} {:?} {:?}\n", game.at, game.tags, game.result);
    // Writing to a string cannot fail.
    let _ = match &game.start {
        Some(start) => writeln!(text, "{:?} {}", start.kind, tabiya_chess::full_fen(&start.position)),
        None => writeln!(text, "no start"),
    };
    // In the tree's own order: where a variation's first move has alternatives, a file may tell them in another.
    let mut open = vec![(ROOT, 0)];
    let mut written = 0;
    while let Some((id, parent)) = open.pop() {
        let Node {
            m,
            san,
            nags,
            comments_before,
            comments,
            ..
        } = game.node(id);
        let _ = writeln!(text, "{parent} {comments_before:?} {san} {m:?} {nags:?} {comments:?}");
        open.extend(game.children(id).iter().rev().map(|child| (*child, written)));
        written += 1;
    }
    for fault in &game.faults {
        let _ = writeln!(text, "{fault:?}");
    }
    text
}

/// What writing leaves of a game: tags' values are legible, blanks in comments are one, braces in them are parentheses, and there is
/// a result.
fn as_written(mut game: Game) -> Game {
    for (_, value) in &mut game.tags {
        *value = legible(value).into_owned();
    }
    let ids: Vec<_> = std::iter::once(ROOT).chain(game.moves()).collect();
    for id in ids {
        let node = game.node_mut(id);
        for comment in node.comments.iter_mut().chain(&mut node.comments_before) {
            let words: Vec<_> = comment.split_whitespace().collect();
            *comment = words.join(" ").replace('{', "(").replace('}', ")");
        }
    }
    game.at.index = 0;
    game.at.offset = 0;
    game.result = game.start.as_ref().map(|_| game.result.unwrap_or(GameResult::Unknown));
    game.faults.clear();
    game
}

fn count(bytes: &[u8], visitor: &mut impl Visitor) -> usize {
    let mut walker = Walker::new(bytes, 0, 0);
    std::iter::from_fn(|| walker.walk(visitor).then_some(())).count()
}

struct Everything;

impl Visitor for Everything {}

struct MainLines;

impl Visitor for MainLines {
    const VARIATIONS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What cargo-fuzz has found, kept.
    #[test]
    fn found_by_fuzzing() {
        // A fault at the end of a game of nothing but broken tags stood elsewhere where a block ended with that game.
        reader(b"[E\x0cvent \"U\"]2. Nf3 Nc6 1-0\n\n[Event \xe38\"Next 1-0\n\n[Event \"Ne]\n\n:. d4 *\n");
        // Bytes of Latin-1 become two each, and a quote that others stood behind was alone.
        tree(&[b"[White \"a\\\"]", &[0xfb; 500][..], b"\"]\n\n*"].concat());
        // Alternatives to a variation's first move are written in another order than they were read in.
        tree(b"1. e4 ({a} 1. d4 (1. c4 $2) {b} e5 (1... c5)) *");
    }
}

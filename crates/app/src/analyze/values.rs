//! What is written in many places of `db.json`.

use std::sync::LazyLock;

use tabiya_chess::PackedSan;

use super::{
    Score,
    json::{Json, push_number},
    sums::Results,
};

/// What a game's move shows.
pub(super) struct Marks {
    pub(super) games: u32,
    pub(super) is_novelty: bool,
    pub(super) is_branch: bool,
    pub(super) is_new_position: bool,
    pub(super) is_new_to_corpus: Option<bool>,
}

impl Marks {
    /// Nearly everything that a file consists of is written here, and most of it is about moves of one game alone.
    pub(super) fn write(&self, san: PackedSan, ply: u32, text: &mut Vec<u8>) {
        text.extend_from_slice(b"{\"san\":\"");
        san.write(text);
        let is_anything = self.is_novelty || self.is_branch || self.is_new_position || self.is_new_to_corpus.is_some();
        if self.games == 1
            && !is_anything
            && let Some(plain) = PLAIN.get(ply as usize)
        {
            return text.extend_from_slice(plain);
        }
        text.extend_from_slice(b"\",\"ply\":");
        push_number(text, u64::from(ply));
        text.extend_from_slice(b",\"gameCount\":");
        push_number(text, u64::from(self.games));
        let mut mark = |key: &[u8], is: bool| {
            text.extend_from_slice(key);
            text.extend_from_slice(if is { b"true".as_slice() } else { b"false" });
        };
        mark(b",\"isNovelty\":", self.is_novelty);
        mark(b",\"isBranchPoint\":", self.is_branch);
        mark(b",\"isPositionNovelty\":", self.is_new_position);
        if let Some(is_new) = self.is_new_to_corpus {
            mark(b",\"isCorpusNovelty\":", is_new);
        }
        text.push(b'}');
    }
}

/// What stands behind the SAN of a move of one game alone that is nothing special, by its half-move: a hundred bytes at once.
static PLAIN: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let plain = |ply: u64| {
        let mut text = b"\",\"ply\":".to_vec();
        push_number(&mut text, ply);
        text.extend_from_slice(
            b",\"gameCount\":1,\"isNovelty\":false,\"isBranchPoint\":false,\"isPositionNovelty\":false}",
        );
        text
    };
    (0..400).map(plain).collect()
});

/// The root of a trie alone has no move.
pub(super) fn write_san(json: &mut Json, san: Option<PackedSan>) {
    let Some(san) = san else { return };
    // No letter of SAN needs escaping.
    json.raw(|text| {
        text.push(b'"');
        san.write(text);
        text.push(b'"');
    });
}

pub(super) fn write_path(json: &mut Json, path: &[PackedSan]) {
    json.begin_array();
    path.iter().for_each(|san| write_san(json, Some(*san)));
    json.end_array();
}

pub(super) fn write_results(json: &mut Json, results: Results) {
    for (key, games) in [
        ("white", results.white),
        ("draws", results.draws),
        ("black", results.black),
    ] {
        json.key(key);
        json.number(u64::from(games));
    }
}

pub(super) fn write_score(json: &mut Json, score: Score) {
    for (key, games) in [
        ("games", score.games),
        ("wins", score.wins),
        ("draws", score.draws),
        ("losses", score.losses),
    ] {
        json.key(key);
        json.number(u64::from(games));
    }
    // Points of a hundred with one digit behind the point, so that the text does not hang on how floats are written.
    if let Some(percent) = score.percent() {
        json.key("score");
        json.raw(|text| text.extend_from_slice(format!("{percent:.1}").as_bytes()));
    }
}

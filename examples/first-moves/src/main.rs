//! Which first moves are played in files of games, how they fare, and what is wrong with the files.
//!
//! ```sh
//! cargo run --manifest-path examples/first-moves/Cargo.toml -- samples/*.pgn
//! ```

use std::{collections::BTreeMap, error::Error};

use pgn_import::{Game, GameResult, Source, expand_inputs, read_trees};

/// Games by how they ended.
#[derive(Default)]
struct Score {
    games: u64,
    white: u64,
    draws: u64,
    black: u64,
}

impl Score {
    fn add(&mut self, result: Option<GameResult>) {
        self.games += 1;
        match result.map_or("*", GameResult::as_str) {
            "1-0" => self.white += 1,
            "1/2-1/2" => self.draws += 1,
            "0-1" => self.black += 1,
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    // Files, directories, globs or `-`; plain or compressed.
    for input in expand_inputs(&named)? {
        let each = |game: Game| {
            for fault in &game.faults {
                eprintln!("{input}: game {}: {fault:?}", game.at.index + 1);
            }
            if let Some(first) = game.main_line().next() {
                scores.entry(game.node(first).san.clone()).or_default().add(game.result);
            }
        };
        read_trees(Source::open(&input)?, each)?;
    }
    for (san, score) in &scores {
        println!("{san}\t{}\t{}/{}/{}", score.games, score.white, score.draws, score.black);
    }
    Ok(())
}

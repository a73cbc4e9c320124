//! lila-openingexplorer, which is a server on a database of its own and is not run here, measured by somebody who is.

use anyhow::Result;

use crate::{contender::Contender as _, corpus::Corpus, reading::PgnExtract};

/// What it imports a second on two cores, on a machine on which pgn-extract reads so many of the same games.
const GAMES: f64 = 7_000.0;
const GAMES_OF_PGN_EXTRACT: f64 = 20_000.0;

/// What it would import here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer {
    pub(super) games_per_second: f64,
    /// What pgn-extract reads here, by which the above was scaled; none where it is not installed.
    pub(super) yardstick: Option<f64>,
}

impl Peer {
    /// Machines differ, and so do the hours of one; the ratio of two programs does not.
    pub(super) fn here(corpus: &Corpus, games: usize) -> Result<Peer> {
        let mut extract = PgnExtract::new(corpus.plain.clone(), corpus.bytes);
        if !extract.installed() {
            return Ok(Peer {
                games_per_second: GAMES,
                yardstick: None,
            });
        }
        let mut quickest = f64::INFINITY;
        for _ in 0..extract.turns() {
            quickest = quickest.min(extract.measure()?.wall.as_secs_f64());
        }
        let yardstick = games as f64 / quickest;
        Ok(Peer {
            games_per_second: GAMES * yardstick / GAMES_OF_PGN_EXTRACT,
            yardstick: Some(yardstick),
        })
    }
}

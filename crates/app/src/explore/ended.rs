//! Where games leave the graph.

use std::collections::HashMap;

use tabiya_chess::Stats;
use uuid::Uuid;

use super::View;

/// For every opening the games that went on from a position called after it to one that is not in the graph, or ended there. A game that
/// comes back to the graph by another order of moves leaves it again: counts alone cannot tell.
#[derive(Debug, Default)]
pub struct EndedGames {
    by_opening: HashMap<Uuid, [u64; 3]>,
}

impl EndedGames {
    pub fn of(view: &View) -> EndedGames {
        let mut by_opening: HashMap<Uuid, [u64; 3]> = HashMap::new();
        for place in view.places() {
            let node = view.node(place);
            let Some(opening) = node.opening else { continue };
            let mut left = results(&node.stats);
            for step in view.moves(place) {
                for (left, went_on) in left.iter_mut().zip(results(&step.edge.stats)) {
                    *left = left.saturating_sub(went_on);
                }
            }
            let sums = by_opening.entry(opening).or_default();
            for (sum, left) in sums.iter_mut().zip(left) {
                *sum += left;
            }
        }
        EndedGames { by_opening }
    }

    /// White's wins, draws and Black's wins.
    pub fn in_opening(&self, opening: Uuid) -> [u64; 3] {
        self.by_opening.get(&opening).copied().unwrap_or_default()
    }
}

fn results(stats: &Stats) -> [u64; 3] {
    [stats.white, stats.draws, stats.black]
}

//! Positions to think about.

use shakmaty::{Chess, Position};

use crate::rng::Rng;

const SEED: u64 = 1_997;

/// Positions that random moves lead to, each with a move to make.
pub(super) fn positions(count: usize) -> Vec<Chess> {
    let mut rng = Rng::seeded(SEED);
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let mut position = Chess::default();
        for _ in 0..rng.between(6, 20) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(moves[rng.below(moves.len())]);
        }
        if !position.is_game_over() {
            positions.push(position);
        }
    }
    positions
}

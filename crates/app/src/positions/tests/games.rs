//! Games for tests.

use shakmaty::{Chess, Position as _};
use tabiya_chess::to_san;

/// Numbers that are the same on every machine.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A game of random moves that nobody has won, as Lichess writes it.
pub(super) fn game(dice: &mut Dice, id: &str, plies: u64) -> String {
    let elo = 1000 + dice.below(1500);
    let result = ["1-0", "0-1", "1/2-1/2"][dice.below(3) as usize];
    let mut text = format!(
        "[Event \"Rated Blitz game\"]\n[Site \"https://lichess.org/{id}\"]\n[White \"a\"]\n[Black \"b\"]\n\
         [Result \"{result}\"]\n[WhiteElo \"{elo}\"]\n[BlackElo \"{elo}\"]\n[TimeControl \"180+2\"]\n\
         [Termination \"Normal\"]\n\n"
    );
    let mut position = Chess::default();
    for ply in 0..plies {
        let legal = position.legal_moves();
        // A game that could end is cut short: its result would have to fit.
        let quiet: Vec<_> = legal
            .iter()
            .filter(|m| {
                let mut after = position.clone();
                after.play_unchecked(**m);
                !after.is_check() && !after.legal_moves().is_empty()
            })
            .collect();
        let Some(m) = quiet.get(dice.below(quiet.len().max(1) as u64) as usize) else {
            break;
        };
        if ply % 2 == 0 {
            text.push_str(&format!("{}. ", ply / 2 + 1));
        }
        text.push_str(&format!("{} ", to_san(&position, **m)));
        position.play_unchecked(**m);
    }
    text + result + "\n\n"
}

/// Many of them, of 24 to 63 half-moves.
pub(super) fn games(seed: u64, number: usize) -> String {
    let mut dice = Dice(seed);
    (0..number)
        .map(|at| {
            let plies = 24 + dice.below(40);
            game(&mut dice, &format!("g{at:07}"), plies)
        })
        .collect()
}

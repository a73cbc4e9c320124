//! Random legal games, the same for the same seed.

use std::fmt::Write as _;

use shakmaty::{Chess, EnPassantMode, Position, fen::Fen, san::SanPlus};

/// SplitMix64: enough for tests, and the same everywhere.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 up to, and without, `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }
}

/// Games with variations; some start from a FEN, some contain a move that is none.
pub(crate) fn games(seed: u64, number: usize) -> String {
    let mut dice = Dice(seed);
    let mut text = String::new();
    for index in 0..number {
        game(&mut dice, index, &mut text);
    }
    text
}

fn game(dice: &mut Dice, index: usize, text: &mut String) {
    let mut position = Chess::default();
    let _ = write!(
        text,
        "[Event \"Random {index}\"]\n[White \"W{index}\"]\n[Black \"B\"]\n[Result \"*\"]\n"
    );
    if dice.one_in(20) {
        for _ in 0..10 {
            let _ = step(dice, &mut position);
        }
        let fen = Fen::from_position(&position, EnPassantMode::Legal);
        let _ = write!(text, "[SetUp \"1\"]\n[FEN \"{fen}\"]\n");
    }
    text.push('\n');
    let bad_at = dice.one_in(15).then(|| dice.below(20));
    for ply in 0..20 + dice.below(20) {
        if bad_at == Some(ply) {
            text.push_str("Kh9 ");
        }
        let before = position.clone();
        let Some(san) = step(dice, &mut position) else { break };
        let _ = write!(text, "{san} ");
        if dice.one_in(12) {
            let mut side_line = before;
            text.push_str("( ");
            for _ in 0..1 + dice.below(4) {
                let Some(san) = step(dice, &mut side_line) else { break };
                let _ = write!(text, "{san} ");
            }
            text.push_str(") ");
        }
    }
    text.push_str("*\n\n");
}

/// Plays a random move; None where there is none.
fn step(dice: &mut Dice, position: &mut Chess) -> Option<SanPlus> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return None;
    }
    let chosen = moves[dice.below(moves.len() as u64) as usize];
    Some(SanPlus::from_move_and_play_unchecked(position, chosen))
}

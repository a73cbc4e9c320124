//! Random games with results, ratings, dates and time controls, the same for the same seed.

use std::fmt::Write as _;

use shakmaty::{Chess, Position as _, san::SanPlus};

/// SplitMix64: enough for tests, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    fn one_of<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts[self.below(texts.len())]
    }
}

/// Games that often follow each other for a while, as real ones do; some of them do not count.
pub(crate) fn games(seed: u64, number: usize) -> String {
    let mut dice = Dice(seed);
    let mut text = String::new();
    for index in 0..number {
        let result = dice.one_of(&["1-0", "0-1", "1/2-1/2", "1-0", "0-1", "*"]);
        let _ = write!(
            text,
            "[Event \"Random\"]\n[White \"W{seed}-{index}\"]\n[Black \"B\"]\n[Date \"{}\"]\n[Result \"{result}\"]\n\
             [WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[TimeControl \"{}\"]\n\n",
            dice.one_of(&["1999.05.01", "2003.??.??", "????.??.??", "2020.12.31"]),
            dice.one_of(&["2400", "1650", "?"]),
            dice.one_of(&["2610", "1430"]),
            dice.one_of(&["180+2", "600+5", "-", "60+0"]),
        );
        let mut pos = Chess::default();
        for _ in 0..2 + dice.below(30) {
            let mut moves = pos.legal_moves();
            // A few moves out of many, so that games meet.
            moves.truncate(if dice.below(4) == 0 { 40 } else { 3 });
            if moves.is_empty() {
                break;
            }
            let m = moves[dice.below(moves.len())];
            let _ = write!(text, "{} ", SanPlus::from_move_and_play_unchecked(&mut pos, m));
        }
        if dice.below(20) == 0 {
            text.push_str("Kh9 ");
        }
        let _ = write!(text, "{result}\n\n");
    }
    text
}

//! Random games of every kind that a corpus has, and a count of them that is too simple to be wrong.

use std::collections::HashSet;

use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::{Outcome, Stats, epd, to_san, to_uci};

use crate::{corpus::Dice, workshop::Sums};

#[derive(Debug, Clone)]
pub(crate) struct RandomGame {
    number: usize,
    pub(crate) elos: [Option<u16>; 2],
    pub(crate) year: Option<u16>,
    pub(crate) result: &'static str,
    pub(crate) time_control: &'static str,
    moves: Vec<Move>,
    /// After so many half-moves something stands that is no move.
    broken_at: Option<usize>,
    pub(crate) from_fen: bool,
}

/// The same for the same seed. About one in ten is there twice.
pub(crate) fn random_games(seed: u64, number: usize) -> Vec<RandomGame> {
    let mut dice = Dice(seed);
    let mut games: Vec<RandomGame> = Vec::new();
    for at in 0..number {
        if at > 0 && dice.below(10) == 0 {
            let known = games[dice.below(games.len() as u64) as usize].clone();
            games.push(known);
        } else {
            games.push(random_game(&mut dice, seed as usize * 1_000_000 + at));
        }
    }
    games
}

fn random_game(dice: &mut Dice, number: usize) -> RandomGame {
    let mut elo = || (dice.below(4) > 0).then(|| 1500 + dice.below(1200) as u16);
    let elos = [elo(), elo()];
    let moves = random_moves(dice);
    RandomGame {
        number,
        elos,
        year: (dice.below(5) > 0).then(|| 1980 + dice.below(40) as u16),
        result: ["1-0", "1-0", "0-1", "1/2-1/2", "*"][dice.below(5) as usize],
        time_control: ["180+2", "600", "5400+30", "-", "?"][dice.below(5) as usize],
        broken_at: (dice.below(8) == 0).then(|| dice.below(moves.len() as u64 + 1) as usize),
        moves,
        from_fen: dice.below(12) == 0,
    }
}

/// Few moves are chosen from, so that games meet; some go back to where they began.
fn random_moves(dice: &mut Dice) -> Vec<Move> {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    let there_and_back = dice.below(5) == 0;
    for ply in 0..dice.below(24) {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
        let m = if there_and_back && ply < 4 {
            tabiya_chess::from_uci(&position, shuffle[ply as usize]).expect("knights move")
        } else {
            legal[dice.below(legal.len().min(3) as u64) as usize]
        };
        position.play_unchecked(m);
        moves.push(m);
    }
    moves
}

impl RandomGame {
    pub(crate) fn rating(&self) -> Option<u16> {
        Some((self.elos[0]? + self.elos[1]?) / 2)
    }

    fn outcome(&self) -> Option<Outcome> {
        Outcome::from_result(self.result.as_bytes())
    }

    pub(crate) fn is_broken(&self, max_ply: usize) -> bool {
        self.broken_at.is_some_and(|at| at < max_ply)
    }

    /// As PGN.
    pub(crate) fn text(&self) -> String {
        let elo = |elo: Option<u16>| elo.map_or("?".to_owned(), |elo| elo.to_string());
        let mut text = format!(
            "[White \"W{}\"]\n[Black \"B\"]\n[Result \"{}\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[TimeControl \"{}\"]\n",
            self.number,
            self.result,
            elo(self.elos[0]),
            elo(self.elos[1]),
            self.time_control
        );
        let date = self
            .year
            .map_or("????.??.??".to_owned(), |year| format!("{year}.05.03"));
        text.push_str(&format!("[Date \"{date}\"]\n"));
        if self.from_fen {
            text.push_str("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 ");
            return format!("{text}{}\n\n", self.result);
        }
        text.push('\n');
        let mut position = Chess::default();
        for (ply, m) in self.moves.iter().enumerate() {
            if self.broken_at == Some(ply) {
                text.push_str("Qa9 ");
            }
            text.push_str(&format!("{} ", to_san(&position, *m)));
            position.play_unchecked(*m);
        }
        if self.broken_at == Some(self.moves.len()) {
            text.push_str("Qa9 ");
        }
        format!("{text}{}\n\n", self.result)
    }
}

pub(crate) fn pgn(games: &[RandomGame]) -> String {
    games.iter().map(RandomGame::text).collect()
}

/// Every position once a game, with the first move from it.
pub(crate) fn naive_count(games: &[RandomGame], max_ply: usize, wanted: impl Fn(&RandomGame) -> bool) -> Sums {
    let mut sums = Sums::default();
    let mut numbers = HashSet::new();
    for game in games {
        let Some(outcome) = game.outcome() else { continue };
        if game.is_broken(max_ply) || game.from_fen || !wanted(game) || !numbers.insert(game.number) {
            continue;
        }
        let stats = Stats::of(outcome, game.rating(), game.year);
        let mut seen = HashSet::new();
        let mut position = Chess::default();
        for ply in 0..=game.moves.len().min(max_ply) {
            let text = epd(&position);
            let is_new = seen.insert(text.clone());
            if is_new {
                *sums.nodes.entry(text.clone()).or_default() += stats;
            }
            let Some(m) = game.moves.get(ply).filter(|_| ply < max_ply) else {
                break;
            };
            if is_new {
                *sums.edges.entry((text, to_uci(&position, *m))).or_default() += stats;
            }
            position.play_unchecked(*m);
        }
    }
    sums
}

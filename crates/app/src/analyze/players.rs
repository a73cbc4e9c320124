//! Who played, how it went, and what they play where.

use std::collections::HashMap;

use serde::Serialize;
use shakmaty::{Chess, Color, Position as _};
use tabiya_chess::{Outcome, PackedSan, full_fen};
use tabiya_counts::{PackedMove, PositionKey};

use super::{Analysis, games::PlayerId};

/// How games went for one of their players.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Score {
    /// Those without a result are in none of the three.
    pub games: u32,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

impl Score {
    fn count(&mut self, outcome: Option<Outcome>, color: Color) {
        self.games += 1;
        match (outcome, color) {
            (Some(Outcome::Draw), _) => self.draws += 1,
            (Some(Outcome::White), Color::White) | (Some(Outcome::Black), Color::Black) => self.wins += 1,
            (Some(_), _) => self.losses += 1,
            (None, _) => {}
        }
    }

    /// Points of a hundred, in games that have a result.
    pub fn percent(&self) -> Option<f64> {
        let decided = self.wins + self.draws + self.losses;
        let points = f64::from(self.wins) + f64::from(self.draws) / 2.0;
        (decided > 0).then(|| points * 100.0 / f64::from(decided))
    }
}

/// A player's games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerSummary {
    pub name: String,
    pub white: Score,
    pub black: Score,
    pub(super) id: PlayerId,
}

impl PlayerSummary {
    pub fn games(&self) -> u32 {
        self.white.games + self.black.games
    }
}

/// What a player plays in one position.
#[derive(Debug)]
pub(super) struct Habit {
    /// A way there: that of the first game.
    pub(super) game: u32,
    pub(super) ply: usize,
    pub(super) score: Score,
    /// In the order of first appearance.
    pub(super) moves: Vec<(PackedMove, Score)>,
}

impl Habit {
    /// The way there.
    pub(super) fn path<'a>(&self, analysis: &'a Analysis) -> &'a [PackedMove] {
        &analysis.games.moves(self.game)[..self.ply]
    }

    fn position(&self, analysis: &Analysis) -> Chess {
        let mut pos = Chess::default();
        for packed in self.path(analysis) {
            if let Some(m) = packed.retrace(&pos) {
                pos.play_unchecked(m);
            }
        }
        pos
    }

    /// The position, and the moves as they are written.
    pub(super) fn shown(&self, analysis: &Analysis) -> (String, Vec<(PackedSan, Score)>) {
        let pos = self.position(analysis);
        let san = |(packed, score): &(PackedMove, Score)| {
            let m = packed.retrace(&pos)?;
            let mut after = pos.clone();
            after.play_unchecked(m);
            Some((PackedSan::of(&pos, m).marked(&after), *score))
        };
        (full_fen(&pos), self.moves.iter().filter_map(san).collect())
    }
}

impl Analysis {
    /// All players, those with the most games first.
    pub fn players(&self) -> Vec<PlayerSummary> {
        let mut players: Vec<PlayerSummary> = (0..self.games.player_count() as PlayerId)
            .map(|id| PlayerSummary {
                name: self.games.name(id).to_owned(),
                white: Score::default(),
                black: Score::default(),
                id,
            })
            .collect();
        for game in 0..self.games.len() {
            let outcome = self.games.outcome(game);
            let (white, black) = (self.games.white(game), self.games.black(game));
            players[white as usize].white.count(outcome, Color::White);
            players[black as usize].black.count(outcome, Color::Black);
        }
        players.sort_by_key(|player| std::cmp::Reverse(player.games()));
        players
    }

    /// The games of each player, by id.
    pub(super) fn games_of_players(&self) -> Vec<Vec<u32>> {
        let mut games: Vec<Vec<u32>> = vec![Vec::new(); self.games.player_count()];
        for game in 0..self.games.len() {
            let (white, black) = (self.games.white(game), self.games.black(game));
            games[white as usize].push(game);
            if black != white {
                games[black as usize].push(game);
            }
        }
        games
    }

    /// What a player plays in every position that at least `min_games` of these games brought before them, whatever the order of
    /// moves; by color, the positions of many games first. A game that repeats a position counts there once, with its first
    /// move.
    pub(super) fn repertoire(&self, player: PlayerId, games: &[u32], color: Color, min_games: u32) -> Vec<Habit> {
        let mut places: HashMap<u64, usize> = HashMap::new();
        let mut habits: Vec<Habit> = Vec::new();
        let mut last_game: Vec<u32> = Vec::new();
        let initial = Chess::default();
        let initial = PositionKey::of(&initial).value(&initial);
        let parity = color.fold_wb(0, 1);
        for &game in games {
            let owner = color.fold_wb(self.games.white(game), self.games.black(game));
            if owner != player {
                continue;
            }
            let (moves, outcome) = (self.games.moves(game), self.games.outcome(game));
            let keys = self.keys().game(&self.games, game);
            for (ply, packed) in moves.iter().enumerate().skip(parity).step_by(2) {
                let key = if ply == 0 { initial } else { keys[ply - 1] };
                let place = *places.entry(key).or_insert_with(|| {
                    habits.push(Habit {
                        game,
                        ply,
                        score: Score::default(),
                        moves: Vec::new(),
                    });
                    last_game.push(u32::MAX);
                    habits.len() - 1
                });
                if std::mem::replace(&mut last_game[place], game) == game {
                    continue;
                }
                let habit = &mut habits[place];
                habit.score.count(outcome, color);
                let known = habit.moves.iter().position(|(played, _)| played == packed);
                let known = known.unwrap_or_else(|| {
                    habit.moves.push((*packed, Score::default()));
                    habit.moves.len() - 1
                });
                habit.moves[known].1.count(outcome, color);
            }
        }
        habits.retain(|habit| habit.score.games >= min_games);
        // Stable: as many games, the one that appeared first.
        habits.sort_by_key(|habit| std::cmp::Reverse(habit.score.games));
        habits
    }
}

//! The positions that a corpus reaches and the graph lacks. Most are reached by one game, and there may be millions: each
//! is a small row, and texts are kept once.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::{epd, to_san};

use super::{MissingVariation, walk::Departure};
use crate::{AppError, opening_graph::OpeningGraph};

/// An opening's name and its ECO code, by their numbers.
type Name = [u32; 2];

#[derive(Debug)]
struct Row {
    /// The place in the graph from which the first game went there, and by which move.
    parent: u32,
    by: Move,
    ply: u32,
    games: u64,
    /// What the first game calls it, and how many games do.
    name: Name,
    named: u64,
    /// White, Black and the date of the first game.
    example: [u32; 3],
}

#[derive(Debug, Default)]
pub(super) struct Strangers {
    rows: HashMap<u64, Row>,
    /// Names other than that of the first game, which few have.
    others: HashMap<(u64, Name), u64>,
    texts: Texts,
    games: HashSet<u64>,
}

/// A position that is missing often enough to be told.
#[derive(Debug)]
pub(super) struct Stranger {
    pub(super) parent: usize,
    pub(super) before: Chess,
    pub(super) by: Move,
    pub(super) told: MissingVariation,
}

impl Stranger {
    pub(super) fn after(&self) -> Chess {
        let mut after = self.before.clone();
        after.play_unchecked(self.by);
        after
    }
}

impl Strangers {
    /// Enters a game, unless the same one was entered before.
    pub(super) fn enter(&mut self, game: Departure) -> bool {
        if !self.games.insert(game.game) {
            return false;
        }
        let name = [self.texts.number(game.opening), self.texts.number(game.eco)];
        match self.rows.get_mut(&game.key) {
            Some(row) => {
                row.games += 1;
                row.ply = row.ply.min(game.ply);
                if row.name == name {
                    row.named += 1;
                } else {
                    *self.others.entry((game.key, name)).or_default() += 1;
                }
            }
            None => {
                let [white, black] = game.players;
                let row = Row {
                    parent: game.parent,
                    by: game.by,
                    ply: game.ply,
                    games: 1,
                    name,
                    named: 1,
                    example: [white, black, game.date].map(|text| self.texts.number(text)),
                };
                self.rows.insert(game.key, row);
            }
        }
        true
    }

    /// Those with enough games, the commonest first.
    pub(super) fn told(mut self, min_count: u64, graph: &OpeningGraph) -> Result<Vec<Stranger>, AppError> {
        self.rows.retain(|_, row| row.games >= min_count);
        let mut names: HashMap<u64, Vec<(Name, u64)>> = HashMap::new();
        for ((key, name), games) in &self.others {
            if self.rows.contains_key(key) {
                names.entry(*key).or_default().push((*name, *games));
            }
        }
        let mut told = Vec::with_capacity(self.rows.len());
        for (key, row) in &self.rows {
            let mut called = names.remove(key).unwrap_or_default();
            called.push((row.name, row.named));
            told.push((*key, self.tell(row, &called, graph)?));
        }
        told.sort_by(|(key, a), (other, b)| {
            (b.told.games, &a.told.parent_epd, key).cmp(&(a.told.games, &b.told.parent_epd, other))
        });
        Ok(told.into_iter().map(|(_, stranger)| stranger).collect())
    }

    fn tell(&self, row: &Row, called: &[(Name, u64)], graph: &OpeningGraph) -> Result<Stranger, AppError> {
        let parent = &graph.nodes[row.parent as usize];
        let before = tabiya_chess::parse_fen(&parent.epd)
            .map_err(|error| AppError::Corrupt(format!("the position {}: {error}", parent.epd)))?
            .position;
        // Of equally common names the smaller text.
        let text = |name: &Name| name.map(|number| self.texts.text(number));
        let most = called
            .iter()
            .max_by(|(a, a_games), (b, b_games)| a_games.cmp(b_games).then_with(|| text(b).cmp(&text(a))));
        let [opening, eco] = most.map(|(name, _)| text(name)).unwrap_or_default();
        let [white, black, date] = row.example.map(|number| self.texts.text(number));
        let mut stranger = Stranger {
            parent: row.parent as usize,
            by: row.by,
            told: MissingVariation {
                epd: String::new(),
                san: to_san(&before, row.by),
                parent_epd: parent.epd.clone(),
                ply: row.ply,
                opening: opening.to_owned(),
                eco: eco.to_owned(),
                games: row.games,
                example: format!("{white} - {black}, {date}"),
            },
            before,
        };
        stranger.told.epd = epd(&stranger.after());
        Ok(stranger)
    }
}

/// Every text once, by number.
#[derive(Debug, Default)]
struct Texts {
    numbers: HashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
}

impl Texts {
    fn number(&mut self, text: String) -> u32 {
        if let Some(number) = self.numbers.get(text.as_str()) {
            return *number;
        }
        let number = self.texts.len() as u32;
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }

    fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }
}

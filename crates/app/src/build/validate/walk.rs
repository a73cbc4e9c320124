//! One game after the other, up to where it leaves the graph.

use std::{
    collections::{BTreeMap, HashMap},
    ops::ControlFlow,
    sync::Arc,
};

use pgn_import::{Fault, GameAt, Start, StartKind, Tag, Visitor};
use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::{epd, to_san};
use tabiya_counts::PositionKey;

use super::MissingVariation;

/// What is known of a position that is in the graph.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// Whether the positions behind it are within the depth of a named one.
    pub(super) inside: bool,
}

/// A position that games reach by a named line and that is not in the graph.
#[derive(Debug, Clone)]
pub(super) struct Stranger {
    pub(super) key: u64,
    pub(super) before: Chess,
    pub(super) by: Move,
    pub(super) ply: u32,
    pub(super) games: u64,
    /// What games call it, and how many do.
    names: BTreeMap<(String, String), u64>,
    example: String,
}

impl Stranger {
    pub(super) fn merge(&mut self, other: Stranger) {
        self.games += other.games;
        self.ply = self.ply.min(other.ply);
        for (name, games) in other.names {
            *self.names.entry(name).or_default() += games;
        }
    }

    pub(super) fn after(&self) -> Chess {
        let mut after = self.before.clone();
        after.play_unchecked(self.by);
        after
    }

    pub(super) fn before_epd(&self) -> String {
        epd(&self.before)
    }

    pub(super) fn tell(&self) -> MissingVariation {
        let most = self.names.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        let (opening, eco) = most.map(|(name, _)| name.clone()).unwrap_or_default();
        MissingVariation {
            epd: epd(&self.after()),
            san: to_san(&self.before, self.by),
            parent_epd: self.before_epd(),
            ply: self.ply,
            opening,
            eco,
            games: self.games,
            example: self.example.clone(),
        }
    }
}

/// A visitor that follows games through the graph.
pub(super) struct Walk {
    known: Arc<HashMap<u64, Known>>,
    key: PositionKey,
    /// Whether a position behind this one would be within the depth.
    inside: bool,
    ply: u32,
    /// The move under way and the position it is made in.
    playing: Option<(Chess, Move)>,
    left: Option<Stranger>,
    opening: String,
    eco: String,
    players: [String; 2],
    date: String,
    broken: bool,
    pub(super) strangers: Vec<Stranger>,
    pub(super) corrupt: u64,
}

impl Walk {
    pub(super) fn new(known: Arc<HashMap<u64, Known>>) -> Walk {
        Walk {
            known,
            key: PositionKey::of(&Chess::default()),
            inside: false,
            ply: 0,
            playing: None,
            left: None,
            opening: String::new(),
            eco: String::new(),
            players: Default::default(),
            date: String::new(),
            broken: false,
            strangers: Vec::new(),
            corrupt: 0,
        }
    }
}

impl Visitor for Walk {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, _at: GameAt) {
        self.ply = 0;
        self.left = None;
        self.broken = false;
        self.opening.clear();
        self.eco.clear();
        self.date.clear();
        self.players.iter_mut().for_each(String::clear);
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        let text = match tag.name {
            b"Opening" => &mut self.opening,
            b"ECO" => &mut self.eco,
            b"White" => &mut self.players[0],
            b"Black" => &mut self.players[1],
            // Lichess's archives of earlier years have no other date.
            b"Date" | b"UTCDate" => &mut self.date,
            _ => return,
        };
        text.clear();
        let value = tag.value();
        // What says nothing is no name.
        if !matches!(value.trim(), "?" | "-" | "") {
            text.push_str(value.trim());
        }
    }

    fn begin_moves(&mut self, start: &Start) -> ControlFlow<()> {
        if start.kind != StartKind::Initial {
            return ControlFlow::Break(());
        }
        self.key = PositionKey::of(&start.position);
        let here = self.known.get(&self.key.value(&start.position));
        self.inside = here.is_some_and(|known| known.inside);
        ControlFlow::Continue(())
    }

    fn playing(&mut self, before: &Chess, m: Move) -> ControlFlow<()> {
        // Beyond a position that is missing, or out of depth, nothing is asked; errors there are still errors.
        if self.left.is_none() && self.inside {
            self.key.play(before.turn(), m);
            self.playing = Some((before.clone(), m));
        }
        ControlFlow::Continue(())
    }

    fn reached(&mut self, after: &Chess) {
        self.ply += 1;
        let Some((before, by)) = self.playing.take() else {
            return;
        };
        let key = self.key.value(after);
        match self.known.get(&key) {
            Some(known) => self.inside = known.inside,
            None => {
                self.left = Some(Stranger {
                    key,
                    before,
                    by,
                    ply: self.ply,
                    games: 1,
                    names: BTreeMap::new(),
                    example: String::new(),
                });
            }
        }
    }

    fn passed(&mut self, _before: &Chess) {
        self.broken = true;
    }

    fn fault(&mut self, _fault: &Fault<'_>) {
        self.broken = true;
    }

    fn end_game(&mut self) {
        self.playing = None;
        if self.broken {
            self.corrupt += 1;
            return;
        }
        // Only what games call by a name is a variation.
        if self.opening.is_empty() && self.eco.is_empty() {
            return;
        }
        if let Some(mut stranger) = self.left.take() {
            stranger.names.insert((self.opening.clone(), self.eco.clone()), 1);
            stranger.example = format!("{} - {}, {}", self.players[0], self.players[1], self.date);
            self.strangers.push(stranger);
        }
    }
}

//! One game after the other, up to where it leaves the graph.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::ControlFlow,
    sync::Arc,
};

use pgn_import::{Fault, FaultKind, GameAt, Start, StartError, StartKind, Tag, Visitor};
use shakmaty::{Chess, Move, Position as _};
use tabiya_counts::PositionKey;

use super::super::count::{LeftOut, played_on};

/// What is known of a position that is in the graph.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// Its place in the graph.
    pub(super) place: u32,
    /// Whether a position behind it that is missing is told.
    pub(super) inside: bool,
}

/// A game that left the graph by a named line.
#[derive(Debug)]
pub(super) struct Departure {
    /// The position that is missing.
    pub(super) key: u64,
    /// The place of the last one that is there, and the move that was made in it.
    pub(super) parent: u32,
    pub(super) by: Move,
    pub(super) ply: u32,
    /// Equal for games with the same moves, players and date.
    pub(super) game: u64,
    pub(super) opening: String,
    pub(super) eco: String,
    pub(super) players: [String; 2],
    pub(super) date: String,
}

/// Why the game at hand is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refused {
    Broken,
    OtherStart,
    OtherVariant,
}

/// A visitor that follows games through the graph.
pub(super) struct Walk {
    known: Arc<HashMap<u64, Known>>,
    key: PositionKey,
    /// Where the game stands, as long as that is in the graph.
    here: Option<Known>,
    ply: u32,
    /// The move under way.
    playing: Option<Move>,
    left: Option<(u64, Known, Move, u32)>,
    identity: DefaultHasher,
    opening: String,
    eco: String,
    players: [String; 2],
    date: String,
    utc_date: String,
    refused: Option<Refused>,
    pub(super) departures: Vec<Departure>,
    pub(super) left_out: LeftOut,
}

impl Walk {
    pub(super) fn new(known: Arc<HashMap<u64, Known>>) -> Walk {
        Walk {
            known,
            key: PositionKey::of(&Chess::default()),
            here: None,
            ply: 0,
            playing: None,
            left: None,
            identity: DefaultHasher::new(),
            opening: String::new(),
            eco: String::new(),
            players: Default::default(),
            date: String::new(),
            utc_date: String::new(),
            refused: None,
            departures: Vec::new(),
            left_out: LeftOut::default(),
        }
    }
}

impl Visitor for Walk {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, _at: GameAt) {
        self.ply = 0;
        self.here = None;
        self.left = None;
        self.refused = None;
        self.identity = DefaultHasher::new();
        self.opening.clear();
        self.eco.clear();
        self.date.clear();
        self.utc_date.clear();
        self.players.iter_mut().for_each(String::clear);
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        let text = match tag.name {
            b"Opening" => &mut self.opening,
            b"ECO" => &mut self.eco,
            b"White" => &mut self.players[0],
            b"Black" => &mut self.players[1],
            b"Date" => &mut self.date,
            b"UTCDate" => &mut self.utc_date,
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
        self.refused = match start.kind {
            StartKind::Initial => None,
            StartKind::Fen => Some(Refused::OtherStart),
            StartKind::Chess960 => Some(Refused::OtherVariant),
        };
        if self.refused.is_some() {
            return ControlFlow::Break(());
        }
        self.key = PositionKey::of(&start.position);
        self.here = self.known.get(&self.key.value(&start.position)).copied();
        ControlFlow::Continue(())
    }

    fn playing(&mut self, before: &Chess, m: Move) -> ControlFlow<()> {
        // Beyond a position that is missing nothing is asked; errors there are still errors.
        m.hash(&mut self.identity);
        if self.here.is_some() {
            self.key.play(before.turn(), m);
            self.playing = Some(m);
        }
        ControlFlow::Continue(())
    }

    fn reached(&mut self, after: &Chess) {
        self.ply += 1;
        let (Some(by), Some(from)) = (self.playing.take(), self.here) else {
            return;
        };
        let key = self.key.value(after);
        self.here = self.known.get(&key).copied();
        // A line may come back to a named position from beyond the depth, so only the last step decides.
        if self.here.is_none() && from.inside {
            self.left = Some((key, from, by, self.ply));
        }
    }

    fn passed(&mut self, _before: &Chess) {
        self.refused = Some(Refused::Broken);
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        self.refused = Some(match &fault.kind {
            FaultKind::Start(StartError::Variant(_)) => Refused::OtherVariant,
            FaultKind::Start(_) => Refused::OtherStart,
            _ => Refused::Broken,
        });
    }

    fn end_game(&mut self) {
        self.playing = None;
        match self.refused {
            Some(Refused::Broken) => return self.left_out.broken += 1,
            Some(Refused::OtherStart) => return self.left_out.other_start += 1,
            Some(Refused::OtherVariant) => return self.left_out.other_variant += 1,
            None => {}
        }
        // Only what games call by a name is a variation.
        if self.opening.is_empty() && self.eco.is_empty() {
            return;
        }
        let Some((key, from, by, ply)) = self.left.take() else {
            return;
        };
        let date = played_on(&self.date, &self.utc_date);
        (&self.players, date).hash(&mut self.identity);
        self.departures.push(Departure {
            key,
            parent: from.place,
            by,
            ply,
            game: self.identity.finish(),
            opening: self.opening.clone(),
            eco: self.eco.clone(),
            players: self.players.clone(),
            date: date.to_owned(),
        });
    }
}

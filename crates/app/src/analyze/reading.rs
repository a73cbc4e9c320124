//! Records games as a reader walks them.

use std::ops::ControlFlow;

use pgn_import::{Fault, FaultKind, GameAt, GameResult, Start, StartKind, Tag, Visitor};
use shakmaty::{Chess, Move};
use tabiya_chess::Outcome;
use tabiya_counts::PackedMove;

use super::{
    games::{Block, BlockGame, BlockLeftOut},
    spotter::Spotter,
};

/// The tags that matter. Strings keep their memory from game to game.
#[derive(Debug, Default)]
struct Tags {
    white: String,
    black: String,
    date: String,
    utc_date: String,
    event: String,
    round: String,
    site: String,
    link: String,
    outcome: Option<Outcome>,
}

impl Tags {
    fn clear(&mut self) {
        for text in [
            &mut self.white,
            &mut self.black,
            &mut self.date,
            &mut self.utc_date,
            &mut self.event,
            &mut self.round,
            &mut self.site,
            &mut self.link,
        ] {
            text.clear();
        }
        self.outcome = None;
    }

    fn note(&mut self, tag: &Tag<'_>) {
        let text = match tag.name {
            b"White" => &mut self.white,
            b"Black" => &mut self.black,
            b"Date" => &mut self.date,
            b"UTCDate" => &mut self.utc_date,
            b"Event" => &mut self.event,
            b"Round" => &mut self.round,
            b"Site" => &mut self.site,
            b"Link" => &mut self.link,
            b"Result" => return self.outcome = Outcome::from_result(tag.raw().trim_ascii()),
            _ => return,
        };
        if text.is_empty() {
            text.push_str(tag.value().trim());
        }
    }

    /// `????.??.??` is no date.
    fn date(&self) -> &str {
        let known = |date: &&str| date.contains(|c: char| c.is_ascii_digit());
        [&*self.date, &*self.utc_date].into_iter().find(known).unwrap_or("")
    }

    fn url(&self) -> &str {
        match () {
            () if !self.link.is_empty() => &self.link,
            () if is_url(&self.site) => &self.site,
            () => "",
        }
    }

    /// The address of a page is no place.
    fn site(&self) -> &str {
        if is_url(&self.site) { "" } else { known(&self.site) }
    }
}

fn is_url(site: &str) -> bool {
    site.starts_with("https://") || site.starts_with("http://")
}

/// `?` and `-` say that nobody knows.
fn known(text: &str) -> &str {
    if matches!(text, "?" | "-") { "" } else { text }
}

fn named(name: &str) -> &str {
    if name.is_empty() { "?" } else { name }
}

/// A visitor that keeps every game from the initial position whose moves are all legal.
#[derive(Debug)]
pub(super) struct Recorder {
    block: Block,
    tags: Tags,
    at: GameAt,
    spotter: Spotter,
    first_move: usize,
    refused: Option<String>,
    /// What stands behind the moves, for games without that tag.
    ending: Option<Outcome>,
}

impl Recorder {
    pub(super) fn new() -> Recorder {
        Recorder {
            block: Block::default(),
            tags: Tags::default(),
            at: GameAt { index: 0, offset: 0 },
            spotter: Spotter::new(),
            first_move: 0,
            refused: None,
            ending: None,
        }
    }

    pub(super) fn into_block(mut self) -> Block {
        self.block.moves.shrink_to_fit();
        self.block
    }

    fn keep(&mut self) {
        let text = &mut self.block.text;
        let start = text.len() as u32;
        let mut push = |part: &str| {
            text.push_str(part);
            text.len() as u32
        };
        let texts = [
            start,
            push(named(&self.tags.white)),
            push(named(&self.tags.black)),
            push(self.tags.date()),
            push(self.tags.url()),
            push(known(&self.tags.event)),
            push(self.tags.site()),
            push(known(&self.tags.round)),
        ];
        self.block.games.push(BlockGame {
            first_move: self.first_move as u32,
            plies: (self.block.moves.len() - self.first_move) as u32,
            texts,
            outcome: self.tags.outcome.or(self.ending),
            opening: self.spotter.opening(),
        });
    }
}

impl Visitor for Recorder {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, at: GameAt) {
        self.at = at;
        self.tags.clear();
        self.spotter.begin();
        self.first_move = self.block.moves.len();
        self.refused = None;
        self.ending = None;
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        self.tags.note(tag);
    }

    fn begin_moves(&mut self, start: &Start) -> ControlFlow<()> {
        let reason = match start.kind {
            StartKind::Initial => return ControlFlow::Continue(()),
            StartKind::Fen => "it starts from a FEN",
            StartKind::Chess960 => "it is a game of Chess960",
        };
        self.refused = Some(reason.to_owned());
        ControlFlow::Break(())
    }

    #[inline]
    fn playing(&mut self, before: &Chess, m: Move) -> ControlFlow<()> {
        self.block.moves.push(PackedMove::of(m));
        self.spotter.playing(before, m);
        ControlFlow::Continue(())
    }

    #[inline]
    fn reached(&mut self, after: &Chess) {
        self.spotter.reached(after);
    }

    fn passed(&mut self, _before: &Chess) {
        self.refused
            .get_or_insert_with(|| "a null move is among its moves".to_owned());
    }

    fn result(&mut self, result: GameResult) {
        self.ending = Outcome::from_result(result.as_str().as_bytes());
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        if self.refused.is_none() {
            self.refused = Some(reason(fault));
        }
    }

    fn end_game(&mut self) {
        // A lone result amid rubbish reads as a game; one that nobody played in and nobody moved in is none.
        let players = self.tags.white.len() + self.tags.black.len();
        if self.block.moves.len() == self.first_move && players == 0 {
            self.refused.get_or_insert_with(|| FaultKind::NotAGame.to_string());
        }
        match self.refused.take() {
            None => self.keep(),
            Some(reason) => {
                self.block.moves.truncate(self.first_move);
                self.block.left_out.push(BlockLeftOut {
                    index: self.at.index,
                    offset: self.at.offset,
                    reason,
                });
            }
        }
    }
}

/// `2... Nf6: no legal move is written like this here`.
fn reason(fault: &Fault<'_>) -> String {
    match &fault.kind {
        FaultKind::Start(why) => why.to_string(),
        FaultKind::NotAGame => fault.kind.to_string(),
        kind => {
            let token = String::from_utf8_lossy(fault.token);
            let number = fault.ply / 2 + 1;
            let dots = if fault.ply.is_multiple_of(2) { "." } else { "..." };
            format!("{number}{dots} {}: {kind}", token.escape_debug())
        }
    }
}

//! Tactics from games that start from a FEN.

use std::{collections::BTreeSet, ops::ControlFlow};

use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::{full_fen, tactic_id, write_uci};

use super::motifs::collect_motifs;
use crate::{
    Tactic,
    read::{Start, Tag},
    text::decode,
};

/// Each variation has all moves that lead to it, so a game's tactics take the square of its length. So many moves are copied for
/// all of them, which is a hundred times what a tactic has; a game with further variations is not whole without them.
pub(crate) const MOST_COPIED: usize = 100_000;

/// An event of more bytes names nothing.
const LONGEST_HINT: usize = 1_000;

/// Gathers one FEN-tagged game: its main line, and a line for each variation that is walked.
#[derive(Debug, Default)]
pub(crate) struct FenTactics {
    fen: String,
    event: Option<String>,
    /// What its tags say, a line each.
    tag_text: String,
    tag_motifs: BTreeSet<String>,
    line: Line,
    outer: Vec<Line>,
    finished: Vec<Line>,
    /// Moves of other lines, and lines, that variations were begun with.
    copied: usize,
    /// Whether there were more of them than that.
    left_out: bool,
}

#[derive(Debug, Clone, Default)]
struct Line {
    moves: Vec<String>,
    motifs: BTreeSet<String>,
    mate: bool,
    /// A null move ends what can be played out.
    dead: bool,
    /// That null move was the last one, so a variation that replaces it can be played out again.
    passed_last: bool,
    /// How many moves it shares with the line it left.
    shared: usize,
}

impl FenTactics {
    pub(crate) fn begin_game(&mut self) {
        self.fen.clear();
        self.event = None;
        self.tag_text.clear();
        self.tag_motifs.clear();
        self.line = Line::default();
        self.outer.clear();
        self.finished.clear();
        self.copied = 0;
        self.left_out = false;
    }

    pub(crate) fn note(&mut self, tag: &Tag<'_>) {
        match tag.name {
            // Who played where and when says nothing about the motif, and people are called Fork.
            b"Site" | b"Date" | b"Round" | b"White" | b"Black" | b"Result" | b"FEN" | b"SetUp" | b"ECO"
            | b"WhiteElo" | b"BlackElo" | b"UTCDate" | b"UTCTime" | b"TimeControl" | b"Termination" | b"Annotator" => {}
            b"Event" => {
                let event = tag.value().trim().to_owned();
                self.note_text(&event);
                self.event =
                    Some(event).filter(|event| !matches!(event.as_str(), "" | "?") && event.len() <= LONGEST_HINT);
            }
            _ => self.note_text(&tag.value()),
        }
    }

    /// Motifs are looked for when it is known that the game is a tactic; most are not. They are words within one line.
    fn note_text(&mut self, text: &str) {
        self.tag_text.push_str(text);
        self.tag_text.push('\n');
    }

    pub(crate) fn begin_moves(&mut self, start: &Start) {
        self.fen = full_fen(&start.position);
        collect_motifs(&self.tag_text, &mut self.tag_motifs);
    }

    pub(crate) fn playing(&mut self, before: &Chess, m: Move) {
        if self.line.dead {
            self.line.passed_last = false;
            return;
        }
        let mut uci = String::with_capacity(5);
        write_uci(before, m, &mut uci);
        self.line.moves.push(uci);
    }

    pub(crate) fn reached(&mut self, after: &Chess) {
        if !self.line.dead {
            self.line.mate = after.is_checkmate();
        }
    }

    pub(crate) fn passed(&mut self) {
        self.line.passed_last = !self.line.dead;
        self.line.dead = true;
    }

    pub(crate) fn is_behind_null_move(&self) -> bool {
        self.line.dead
    }

    pub(crate) fn is_in_variation(&self) -> bool {
        !self.outer.is_empty()
    }

    pub(crate) fn comment(&mut self, text: &[u8]) {
        collect_motifs(&decode(text), &mut self.line.motifs);
    }

    /// Breaks where the variation is to be passed over.
    pub(crate) fn begin_variation(&mut self) -> ControlFlow<()> {
        let replaced = usize::from(!self.line.passed_last);
        let shared = self.line.moves.len().saturating_sub(replaced);
        if self.copied + shared >= MOST_COPIED {
            self.left_out = true;
            return ControlFlow::Break(());
        }
        self.copied += shared + 1;
        let branch = Line {
            moves: self.line.moves[..shared].to_vec(),
            shared,
            dead: self.line.dead && !self.line.passed_last,
            ..Line::default()
        };
        self.outer.push(std::mem::replace(&mut self.line, branch));
        ControlFlow::Continue(())
    }

    pub(crate) fn end_variation(&mut self) {
        if let Some(outer) = self.outer.pop() {
            self.finished.push(std::mem::replace(&mut self.line, outer));
        }
    }

    /// Whether it has more variations than are gathered.
    pub(crate) fn has_left_out(&self) -> bool {
        self.left_out
    }

    /// The game's tactics: that of the main line first.
    pub(crate) fn finish(&mut self, source: &str) -> Vec<Tactic> {
        let hint = self.event.clone().unwrap_or_else(|| source.to_owned());
        let lines = std::iter::once(std::mem::take(&mut self.line)).chain(self.finished.drain(..));
        lines
            .filter(|line| line.moves.len() > line.shared)
            .map(|line| {
                let mut tags = self.tag_motifs.clone();
                tags.extend(line.motifs);
                if line.mate {
                    tags.insert(mate_tag(line.moves.len()));
                }
                Tactic {
                    id: tactic_id(&self.fen, &line.moves),
                    fen: self.fen.clone(),
                    pv_uci: line.moves,
                    tags: tags.into_iter().collect(),
                    source_hint: Some(hint.clone()),
                }
            })
            .collect()
    }
}

/// `mate-in-2` for a line of three half-moves.
pub(super) fn mate_tag(half_moves: usize) -> String {
    format!("mate-in-{}", half_moves.div_ceil(2))
}

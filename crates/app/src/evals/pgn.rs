//! Evaluations out of `[%eval]` in the comments of games.

use std::{borrow::Cow, io::Read, num::NonZeroUsize, ops::ControlFlow};

use pgn_import::{Fault, GameAt, Source, Start, StartKind, Visitor, read_games_parallel};
use shakmaty::{Chess, Position as _};
use tabiya_chess::{Analysis, EngineLine, Eval, EvalComment, SearchLimit, eval_in_comment};
use tabiya_lichess::MOST_PIECES;

use super::{
    Problem,
    read::{Found, Wanted, cut_short},
};
use crate::AppError;

/// Who evaluated is not written in a comment.
pub const PGN_ENGINE: &str = "pgn-comment";

/// As many troubles of a block are named; the others are counted.
const NAMED: usize = 100;

pub(super) fn read(
    reader: Box<dyn Read + Send>,
    name: &str,
    threads: NonZeroUsize,
    wanted: Wanted,
    take: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Result<(), AppError> {
    let source = Source::from_reader(name.to_owned(), reader, None, 0)
        .map_err(|error| cut_short(name, "its beginning cannot be read", &error))?;
    let visitor = move || Evaluations::new(wanted.clone());
    let read = read_games_parallel(source, threads.get(), visitor, |evaluations, games| {
        take(Found {
            read: games,
            ..evaluations.found
        })
    });
    read.map_err(|cut| AppError::EvaluationsCutShort {
        input: name.to_owned(),
        reason: cut.in_full(),
    })?;
    Ok(())
}

/// Notes every `[%eval]` with the position it belongs to: the one after the move it follows.
struct Evaluations {
    wanted: Wanted,
    found: Found,
    offset: u64,
    /// Something of this game made no sense; a game counts once.
    bad: bool,
    /// The position that a comment would be about; none behind a null move and before a variation's first move.
    now: Option<Chess>,
    outer: Vec<Option<Chess>>,
}

impl Evaluations {
    fn new(wanted: Wanted) -> Evaluations {
        Evaluations {
            wanted,
            found: Found::default(),
            offset: 0,
            bad: false,
            now: None,
            outer: Vec::new(),
        }
    }

    fn problem(&mut self, offset: u64, reason: String) {
        self.found.bad += u64::from(!self.bad);
        self.bad = true;
        if self.found.problems.len() < NAMED {
            let place = format!("byte {offset}");
            self.found.problems.push(Problem { place, reason });
        }
    }
}

impl Visitor for Evaluations {
    fn begin_game(&mut self, at: GameAt) {
        self.offset = at.offset;
        self.bad = false;
        self.now = None;
        self.outer.clear();
    }

    fn begin_moves(&mut self, start: &Start) -> ControlFlow<()> {
        if start.kind == StartKind::Chess960 {
            self.found.games_left_out += 1;
            return ControlFlow::Break(());
        }
        self.now = Some(start.position.clone());
        ControlFlow::Continue(())
    }

    fn reached(&mut self, after: &Chess) {
        match &mut self.now {
            Some(now) => now.clone_from(after),
            none => *none = Some(after.clone()),
        }
    }

    fn passed(&mut self, _before: &Chess) {
        self.now = None;
    }

    fn begin_variation(&mut self) -> ControlFlow<()> {
        self.outer.push(self.now.take());
        ControlFlow::Continue(())
    }

    fn end_variation(&mut self) {
        self.now = self.outer.pop().flatten();
    }

    fn comment(&mut self, text: &[u8]) {
        // Most comments are clocks and words; this is asked for each of them.
        if !text.windows(6).any(|six| six == b"[%eval") {
            return;
        }
        let Some(now) = &self.now else { return };
        let text = String::from_utf8_lossy(text);
        let Some(analysis) = eval_in_comment(&text).and_then(|comment| analysis(now, comment)) else {
            let reason = format!("`{}` is no evaluation of the position", shortened(&text));
            self.problem(self.offset, reason);
            return;
        };
        if analysis.depth() < self.wanted.min_depth || !self.wanted.position(now) {
            self.found.passed_over += 1;
        } else {
            self.found.positions.push((now.clone(), vec![analysis]));
        }
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        let token = String::from_utf8_lossy(fault.token);
        let reason = match token.is_empty() {
            true => fault.kind.to_string(),
            false => format!("`{}`: {}", shortened(&token), fault.kind),
        };
        self.problem(fault.offset, reason);
    }
}

/// A comment has one evaluation, and neither moves nor the name of who made it.
fn analysis(pos: &Chess, comment: EvalComment) -> Option<Analysis> {
    if pos.board().occupied().count() > MOST_PIECES {
        return None;
    }
    let depth = comment.depth.map_or(0, |depth| u8::try_from(depth).unwrap_or(u8::MAX));
    // The sign of "mate in 0" is anybody's guess; the board says who won.
    let eval = match (Eval::at_end(pos), comment.eval) {
        (Some(eval), _) => eval,
        (None, Eval::Checkmate(_)) => return None,
        (None, eval) => eval,
    };
    Some(Analysis {
        engine: PGN_ENGINE.to_owned(),
        limit: SearchLimit::depth(depth),
        multipv: 1,
        lines: vec![EngineLine {
            index: 1,
            eval,
            depth,
            seldepth: None,
            wdl: None,
            moves: Vec::new(),
        }],
        nodes: 0,
        millis: 0,
        hashfull: None,
        tbhits: 0,
    })
}

/// The beginning, on one line.
fn shortened(text: &str) -> Cow<'_, str> {
    const SHOWN: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]).into(),
        None => line.into(),
    }
}

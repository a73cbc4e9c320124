//! Reads the inputs one after the other, piece by piece.

use std::{
    collections::HashSet,
    io::{self, Cursor, Read},
    num::NonZeroUsize,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use pgn_import::{Input, Source, Watch, Watcher};
use shakmaty::Chess;
use tabiya_chess::{Analysis, PositionId};

use super::{EvalsRequest, FileKind, Problem, archive, pgn};
use crate::AppError;

/// As much of an input is looked at to see what it is.
const HEAD: u64 = 4096;

/// Some of an input's evaluations, and what was met on the way to them.
#[derive(Debug)]
pub(super) struct Piece {
    /// Which file it is of, from 0, not counting those without any piece.
    pub(super) file: usize,
    pub(super) name: Arc<str>,
    pub(super) kind: FileKind,
    pub(super) evaluations: Vec<(Chess, Analysis)>,
    /// As many are in `evaluations`, or were before they were taken out.
    pub(super) found: u64,
    pub(super) positions: u64,
    pub(super) read: u64,
    pub(super) passed_over: u64,
    pub(super) games_left_out: u64,
    pub(super) bad: u64,
    pub(super) problems: Vec<Problem>,
}

/// Positions with their evaluations, before it is said which file they are of.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) positions: Vec<(Chess, Vec<Analysis>)>,
    pub(super) read: u64,
    pub(super) passed_over: u64,
    pub(super) games_left_out: u64,
    pub(super) bad: u64,
    pub(super) problems: Vec<Problem>,
}

/// Which evaluations are wanted.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) min_depth: u8,
    pub(super) known: Option<Arc<HashSet<PositionId>>>,
}

impl Wanted {
    pub(super) fn position(&self, pos: &Chess) -> bool {
        let known = self.known.as_ref();
        known.is_none_or(|known| known.contains(&PositionId::of(pos)))
    }
}

/// All that reading needs to know.
pub(super) struct Reading {
    wanted: Wanted,
    left: Option<u64>,
    threads: NonZeroUsize,
    stop: Arc<AtomicBool>,
    watcher: Option<Watcher>,
}

/// How reading ended.
#[derive(Debug, Default)]
pub(super) struct End {
    pub(super) interrupted: bool,
    pub(super) limit_reached: bool,
    pub(super) errors: Vec<AppError>,
}

impl Reading {
    pub(super) fn new(request: &EvalsRequest, known: Option<HashSet<PositionId>>, watcher: Option<Watcher>) -> Reading {
        Reading {
            wanted: Wanted {
                min_depth: request.min_depth,
                known: known.map(Arc::new),
            },
            left: request.limit,
            threads: request.threads,
            stop: Arc::clone(&request.stop),
            watcher,
        }
    }

    /// Hands every piece to `give`, which says whether anybody wants more. An input that cannot be read does not keep
    /// the others from it.
    pub(super) fn run(mut self, inputs: &[Input], mut give: impl FnMut(Piece) -> bool) -> End {
        let mut end = End::default();
        let mut file = 0;
        let mut wanted = true;
        for input in inputs {
            let mut handed = 0;
            let outcome = self.input(input, &mut |piece| {
                handed += 1;
                wanted = give(Piece { file, ..piece });
                wanted
            });
            file += usize::from(handed > 0);
            end.errors.extend(outcome.err());
            end.interrupted = self.stop.load(Relaxed);
            end.limit_reached = self.left == Some(0);
            if end.interrupted || end.limit_reached || !wanted {
                break;
            }
        }
        end
    }

    fn input(&mut self, input: &Input, give: &mut dyn FnMut(Piece) -> bool) -> Result<(), AppError> {
        let name: Arc<str> = input.to_string().into();
        let bad = |reason: String| AppError::BadEvaluations {
            input: name.to_string(),
            reason,
        };
        let mut source = Source::open(input).map_err(|source| AppError::Unreadable {
            input: name.to_string(),
            source,
        })?;
        if let Some(watcher) = &self.watcher {
            watcher(Watch::Opened {
                source: &name,
                progress: source.progress(),
            });
        }
        let mut head = Vec::new();
        let looked = (&mut source).take(HEAD).read_to_end(&mut head);
        looked.map_err(|error| cut_short(&name, "its beginning cannot be read", &error))?;
        if head.is_empty() {
            return Err(bad("the file is empty".to_owned()));
        }
        let kind = kind(&name, &head);
        let whole = Cursor::new(head).chain(source);
        let (wanted, threads) = (self.wanted.clone(), self.threads);
        let mut total = Totals::default();
        let mut take = |found: Found| {
            let piece = self.piece(found, kind, &name, &mut total);
            if let Some(watcher) = &self.watcher {
                watcher(Watch::Games(total.found));
            }
            let goes_on = give(piece) && self.left != Some(0) && !self.stop.load(Relaxed);
            if goes_on {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        match kind {
            FileKind::Jsonl => archive::read(whole, &name, threads, wanted, &mut take)?,
            FileKind::Pgn => pgn::read(Box::new(whole), &name, threads, wanted, &mut take)?,
        }
        match total.sensible || self.stop.load(Relaxed) {
            true => Ok(()),
            false => Err(bad(match &total.first_problem {
                Some(problem) => format!(
                    "this is neither an archive of evaluations nor PGN; {}: {}",
                    problem.place, problem.reason
                ),
                None => "there is nothing in it".to_owned(),
            })),
        }
    }

    /// What is taken of `found`, which may be less when the limit is near.
    fn piece(&mut self, mut found: Found, kind: FileKind, name: &Arc<str>, total: &mut Totals) -> Piece {
        if let Some(left) = &mut self.left {
            let taken = found.positions.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
            found.positions.truncate(taken);
            *left -= taken as u64;
        }
        // A game may be bad and yet have had something to say.
        total.sensible |= found.read > found.bad || found.passed_over > 0 || !found.positions.is_empty();
        if total.first_problem.is_none() {
            total.first_problem = found.problems.first().cloned();
        }
        let positions = found.positions.len() as u64;
        let one_by_one = found
            .positions
            .into_iter()
            .flat_map(|(pos, analyses)| analyses.into_iter().map(move |analysis| (pos.clone(), analysis)));
        let evaluations: Vec<_> = one_by_one.collect();
        total.found += evaluations.len() as u64;
        Piece {
            file: 0,
            name: Arc::clone(name),
            kind,
            found: evaluations.len() as u64,
            evaluations,
            positions,
            read: found.read,
            passed_over: found.passed_over,
            games_left_out: found.games_left_out,
            bad: found.bad,
            problems: found.problems,
        }
    }
}

/// What an input has come to so far.
#[derive(Debug, Default)]
struct Totals {
    found: u64,
    /// Something in it made sense.
    sensible: bool,
    first_problem: Option<Problem>,
}

/// What begins like an object with a name in it is an archive; a comment of PGN hardly does. Where that does not help, the
/// name of the file does, unless it begins like a tag.
fn kind(name: &str, head: &[u8]) -> FileKind {
    let head = head.trim_ascii_start();
    let object = head.strip_prefix(b"{");
    let is_object = object.is_some_and(|inside| inside.trim_ascii_start().starts_with(b"\""));
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let named = [".jsonl", ".ndjson", ".json"]
        .iter()
        .any(|ending| file.contains(ending));
    match is_object || (named && !head.starts_with(b"[")) {
        true => FileKind::Jsonl,
        false => FileKind::Pgn,
    }
}

/// A compressed file that ends too early, for one.
pub(super) fn cut_short(name: &str, place: &str, error: &io::Error) -> AppError {
    AppError::EvaluationsCutShort {
        input: name.to_owned(),
        reason: format!("{place}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_what_is_in_them() {
        let kinds = [
            ("x", "{\"fen\":", FileKind::Jsonl),
            ("x", " \n{ \"fen\":", FileKind::Jsonl),
            ("lichess_db_eval.jsonl.zst", "garbage", FileKind::Jsonl),
            ("x.pgn", "[Event \"x\"]", FileKind::Pgn),
            ("x.pgn", "{a comment} 1. e4", FileKind::Pgn),
            ("-", "1. e4", FileKind::Pgn),
            ("games.json.d/x.pgn", "1. e4", FileKind::Pgn),
            ("from.json.pgn", "\n[Event \"x\"]", FileKind::Pgn),
        ];
        for (name, head, expected) in kinds {
            assert_eq!(kind(name, head.as_bytes()), expected, "{name} {head}");
        }
    }
}

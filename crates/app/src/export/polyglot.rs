//! Opening books that engines and chess programs read.

use std::{ops::Range, sync::atomic::AtomicBool, thread};

use shakmaty::{Chess, Color, File, Position as _, Rank, Square};
use tabiya_chess::{BookWriter, book_weight, from_uci, parse_fen_by_rights, polyglot_key, polyglot_key_beside};

use super::reach::Reach;
use crate::explore::{Place, Step, View};
use crate::{AppError, interrupt::go_on};

/// Moves of a view, each marked or not.
#[derive(Debug)]
pub(super) struct Marks(Vec<bool>);

impl Marks {
    pub(super) fn none(view: &View) -> Marks {
        Marks(vec![false; view.edge_count()])
    }

    pub(super) fn add(&mut self, reach: &Reach<'_>) {
        for step in &reach.steps {
            self.0[step.index] = true;
        }
    }

    fn has(&self, step: &Step<'_>) -> bool {
        self.0[step.index]
    }
}

/// The book of the marked moves of these positions.
pub(super) fn book(
    view: &View,
    marks: &Marks,
    places: impl Iterator<Item = Place>,
    stop: &AtomicBool,
) -> Result<BookWriter, AppError> {
    let mut book = BookWriter::default();
    let mut steps: Vec<Step<'_>> = Vec::new();
    for place in places {
        steps.clear();
        steps.extend(view.moves(place).filter(|step| marks.has(step)));
        if steps.is_empty() {
            continue;
        }
        go_on(stop)?;
        let epd = &view.node(place).epd;
        let position = parse_fen_by_rights(epd)
            .map_err(AppError::does_not_hold_together)?
            .position;
        let most = steps.iter().map(|step| step.edge.stats.games()).max().unwrap_or(0);
        let keys = keys(view, marks, place, &position);
        for step in &steps {
            let m = from_uci(&position, &step.edge.uci).map_err(AppError::does_not_hold_together)?;
            let weight = book_weight(step.edge.stats.games(), most);
            for key in &keys {
                book.add(*key, m, weight);
            }
        }
    }
    Ok(book)
}

/// The book of all marked moves, made on several threads.
pub(super) fn whole_book(
    view: &View,
    marks: &Marks,
    threads: usize,
    stop: &AtomicBool,
) -> Result<BookWriter, AppError> {
    let share = view.len().div_ceil(threads.max(1)).max(1);
    let ranges: Vec<Range<usize>> = (0..view.len())
        .step_by(share)
        .map(|begin| begin..(begin + share).min(view.len()))
        .collect();
    let parts = thread::scope(|scope| {
        let started: Vec<_> = ranges
            .into_iter()
            .map(|range| {
                scope.spawn(move || book(view, marks, view.places().skip(range.start).take(range.len()), stop))
            })
            .collect();
        started
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect::<Vec<_>>()
    });
    let mut whole = BookWriter::default();
    for part in parts {
        whole.append(part?);
    }
    Ok(whole)
}

/// The keys under which readers look a position up.
///
/// Polyglot hashes a double step beside an enemy pawn even where that pawn may not capture, which our positions forget. So
/// one of them may have several keys, by the moves that lead there.
fn keys(view: &View, marks: &Marks, place: Place, position: &Chess) -> Vec<u64> {
    let plain = polyglot_key(position);
    if position.legal_ep_square().is_some() {
        return vec![plain];
    }
    let mut keys = Vec::with_capacity(1);
    let mut is_start = true;
    for step in view.ways_to(place).filter(|step| marks.has(step)) {
        is_start = false;
        let key = match double_step(position, &step.edge.uci) {
            Some(file) => polyglot_key_beside(position, file),
            None => plain,
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    if is_start {
        keys.push(plain);
    }
    keys
}

/// The file of a pawn that has just made a double step to stand beside an enemy pawn.
fn double_step(after: &Chess, uci: &str) -> Option<File> {
    let &[from_file, from_rank, to_file, to_rank] = uci.as_bytes() else {
        return None;
    };
    let mover = !after.turn();
    let (home, rank) = mover.fold_wb((b'2', Rank::Fourth), (b'7', Rank::Fifth));
    if from_file != to_file || from_rank != home || to_rank != b'1' + rank as u8 {
        return None;
    }
    let file = File::from_char(char::from(to_file))?;
    let pawns = |color: Color| after.board().pawns() & after.board().by_color(color);
    let square = Square::from_coords(file, rank);
    let beside = [file.offset(-1), file.offset(1)].into_iter().flatten();
    let enemies = pawns(after.turn());
    let stands = pawns(mover).contains(square)
        && beside
            .into_iter()
            .any(|file| enemies.contains(Square::from_coords(file, rank)));
    stands.then_some(file)
}

//! What any bytes must satisfy; the fuzz target calls this.

use std::{io::Cursor, num::NonZeroUsize, ops::ControlFlow};

use tabiya_chess::{Analysis, PositionId};

use super::{EvalFilter, parse_eval_line, read_evals};
use crate::fuzzing::assert_playable;

/// Any bytes are read to their end, the same on one thread and on two, and whatever comes out can be played.
///
/// # Panics
///
/// If not.
pub fn eval_file(bytes: &[u8]) {
    let one = read(bytes, NonZeroUsize::MIN);
    assert_eq!(one, read(bytes, NonZeroUsize::MIN.saturating_add(1)));
    let by_line = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty());
    let filter = EvalFilter::default();
    let good = by_line.filter(|line| parse_eval_line(line, &filter).is_ok()).count();
    assert_eq!(good as u64, one.good, "a line means the same alone");
}

#[derive(Debug, Default, PartialEq)]
struct Read {
    good: u64,
    bad: Vec<u64>,
    ids: Vec<PositionId>,
    analyses: Vec<Analysis>,
}

fn read(bytes: &[u8], threads: NonZeroUsize) -> Read {
    let mut found = Read::default();
    let outcome = read_evals(Cursor::new(bytes.to_vec()), threads, &EvalFilter::default(), |block| {
        found.good += block.lines - block.bad;
        found.bad.extend(block.named.iter().map(|bad| bad.line));
        for position in block.positions {
            found.ids.push(PositionId::of(&position.position));
            position
                .analyses
                .iter()
                .for_each(|analysis| assert_playable(&position.position, analysis));
            found.analyses.extend(position.analyses);
        }
        ControlFlow::Continue(())
    });
    outcome.expect("bytes in memory can be read");
    found
}

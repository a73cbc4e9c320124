//! Evaluations out of Lichess's archive.

use std::{io::Read, num::NonZeroUsize, ops::ControlFlow};

use tabiya_lichess::{EvalFileError, EvalFilter, read_evals};

use super::{
    Problem,
    read::{Found, Wanted, cut_short},
};
use crate::AppError;

pub(super) fn read(
    reader: impl Read + Send + 'static,
    name: &str,
    threads: NonZeroUsize,
    wanted: Wanted,
    take: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Result<(), AppError> {
    let mut filter = EvalFilter::from_depth(wanted.min_depth);
    if wanted.known.is_some() {
        filter = filter.only(move |pos| wanted.position(pos));
    }
    let outcome = read_evals(reader, threads, &filter, |block| {
        let problems = block.named.iter().map(|bad| Problem {
            place: format!("line {}", bad.line),
            reason: bad.reason.to_string(),
        });
        take(Found {
            problems: problems.collect(),
            positions: block
                .positions
                .into_iter()
                .map(|found| (found.position, found.analyses))
                .collect(),
            read: block.lines,
            passed_over: block.passed_over,
            games_left_out: 0,
            bad: block.bad,
        })
    });
    outcome.map_err(|error| match &error {
        EvalFileError::Read { line, source } => cut_short(name, &format!("broke off behind line {line}"), source),
        _ => AppError::Corrupt(error.to_string()),
    })
}

//! From one format to another, many files into one, and without duplicates.

use std::{ops::ControlFlow, sync::atomic::AtomicBool};

use tabiya_chess::{full_fen, to_uci};

use super::{Grouped, SampleInputs, SampleOutput, ToolCounts, ToolManifest, conclude};
use crate::{
    AppError,
    positions::{PositionReason, PositionsError, check_output, dedupe::Sieve},
    scratch::{self, Scratch},
};

/// Writes all positions of all inputs into one output, in their order.
pub fn convert(
    verb: &str,
    inputs: &SampleInputs,
    output: &SampleOutput,
    stop: &AtomicBool,
) -> Result<ToolManifest, AppError> {
    let layout = inputs.layout(output, stop)?;
    let sources = inputs.records(stop)?;
    let mut writer = Grouped::create(&output.file, layout, output.batch_size).map_err(PositionsError::from)?;
    let mut counts = ToolCounts::default();
    inputs.for_each(stop, |sample| {
        counts.read += 1;
        writer.push(sample).map_err(PositionsError::from)?;
        Ok(ControlFlow::Continue(()))
    })?;
    counts.written = writer.finish().map_err(PositionsError::from)?.rows;
    conclude(verb, sources, output, layout, None, counts)
}

/// What duplicates are looked for against.
#[derive(Debug, Clone, Default)]
pub struct Dedupe {
    /// Positions of these files are left out too.
    pub with: SampleInputs,
}

/// As [`convert`], where of equal positions the first stays.
pub fn dedupe(
    inputs: &SampleInputs,
    against: &Dedupe,
    output: &SampleOutput,
    stop: &AtomicBool,
) -> Result<ToolManifest, AppError> {
    inputs.check_readable_twice()?;
    let layout = inputs.layout(output, stop)?;
    let sources = inputs.records(stop)?;
    check_output(&output.file)?;
    let spill = Scratch::beside(&output.file, scratch::SIEVE).map_err(PositionsError::from)?;
    let mut sieve = Sieve::create(&spill.path().join("sieve"))?;
    against.with.for_each(stop, |sample| {
        sieve.know(&sample.position)?;
        Ok(ControlFlow::Continue(()))
    })?;
    inputs.for_each(stop, |sample| {
        sieve.add(&sample.position)?;
        Ok(ControlFlow::Continue(()))
    })?;
    let mut fates = sieve.sift(stop)?;
    let mut writer = Grouped::create(&output.file, layout, output.batch_size).map_err(PositionsError::from)?;
    let mut counts = ToolCounts::default();
    inputs.for_each(stop, |sample| {
        counts.read += 1;
        match fates.next()? {
            None => writer.push(sample).map_err(PositionsError::from)?,
            Some(PositionReason::Duplicate) => counts.duplicates += 1,
            Some(_) => counts.known_elsewhere += 1,
        }
        Ok(ControlFlow::Continue(()))
    })?;
    counts.written = writer.finish().map_err(PositionsError::from)?.rows;
    conclude("dedupe", sources, output, layout, None, counts)
}

/// Hands out every position as a line for people: FEN, score, result, move and what else there is. `each` says whether
/// anybody reads on.
pub fn decode(
    inputs: &SampleInputs,
    limit: Option<u64>,
    stop: &AtomicBool,
    mut each: impl FnMut(&str) -> Result<bool, AppError>,
) -> Result<(), AppError> {
    let mut left = limit.unwrap_or(u64::MAX);
    if left == 0 {
        return Ok(());
    }
    inputs.for_each(stop, |sample| {
        left -= 1;
        let number = |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        let line = format!(
            "{} | score {} | result {} | depth {} | ply {} | elo {} | move {} | game {}\n",
            full_fen(&sample.position),
            number(sample.score.map(i64::from)),
            number(sample.result.map(i64::from)),
            number(sample.depth.map(i64::from)),
            number(sample.ply.map(i64::from)),
            number(sample.elo_avg.map(i64::from)),
            sample
                .played
                .map_or_else(|| "-".to_owned(), |m| to_uci(&sample.position, m)),
            if sample.game_id.is_empty() {
                "-"
            } else {
                &sample.game_id
            },
        );
        Ok(match each(&line)? && left > 0 {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    })
}

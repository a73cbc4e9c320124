//! What is in a file of positions, counted.

use std::{collections::BTreeMap, ops::ControlFlow, sync::atomic::AtomicBool};

use serde::Serialize;
use shakmaty::Position as _;

use super::SampleInputs;
use crate::AppError;

/// The counts of a file, or of several together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Inspection {
    pub positions: u64,
    pub format: String,
    pub fen_format: String,
    pub scores: Histogram,
    pub plies: Histogram,
    pub pieces: Histogram,
    pub ratings: Histogram,
    pub results: Histogram,
    pub variants: BTreeMap<String, u64>,
}

/// Bins in order, and how many positions have no such number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Histogram {
    pub bins: Vec<Bin>,
    pub missing: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bin {
    pub label: String,
    pub positions: u64,
}

/// Counts by lower bound, before they have labels.
#[derive(Default)]
struct Counting {
    bins: BTreeMap<i64, u64>,
    missing: u64,
}

impl Counting {
    fn add(&mut self, value: Option<i64>, width: i64) {
        match value {
            None => self.missing += 1,
            Some(value) => *self.bins.entry(value.div_euclid(width) * width).or_default() += 1,
        }
    }

    /// With every bin between the first and the last, so that gaps show.
    fn histogram(self, width: i64, label: impl Fn(i64) -> String) -> Histogram {
        let mut bins = Vec::new();
        if let (Some((&first, _)), Some((&last, _))) = (self.bins.first_key_value(), self.bins.last_key_value()) {
            let mut at = first;
            while at <= last {
                bins.push(Bin {
                    label: label(at),
                    positions: self.bins.get(&at).copied().unwrap_or(0),
                });
                at += width;
            }
        }
        Histogram {
            bins,
            missing: self.missing,
        }
    }
}

/// Scores beyond this many centipawns share a bin; mates have their own.
const FAR: i64 = 1_000;
const MATE: i64 = 10_000;
const SCORE_WIDTH: i64 = 100;

pub fn inspect(inputs: &SampleInputs, stop: &AtomicBool) -> Result<Inspection, AppError> {
    let mut inspection = Inspection::default();
    if let Some(path) = inputs.files.first() {
        let layout = inputs.open(path)?.layout();
        inspection.format = layout.format.to_string();
        inspection.fen_format = layout.fen.to_string();
    }
    let (mut scores, mut plies, mut pieces) = (Counting::default(), Counting::default(), Counting::default());
    let (mut ratings, mut results) = (Counting::default(), Counting::default());
    inputs.for_each(stop, |sample| {
        inspection.positions += 1;
        scores.add(sample.score.map(|score| folded(score.into())), SCORE_WIDTH);
        plies.add(sample.ply.map(i64::from), 10);
        pieces.add(Some(sample.position.board().occupied().count() as i64), 2);
        ratings.add(sample.elo_avg.map(i64::from), 200);
        results.add(sample.result.map(i64::from), 1);
        *inspection.variants.entry(sample.variant.to_string()).or_default() += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    inspection.scores = scores.histogram(SCORE_WIDTH, score_label);
    inspection.plies = plies.histogram(10, |at| format!("{at}–{}", at + 9));
    inspection.pieces = pieces.histogram(2, |at| format!("{at}–{}", at + 1));
    inspection.ratings = ratings.histogram(200, |at| format!("{at}–{}", at + 199));
    inspection.results = results.histogram(1, |at| {
        match at {
            1 => "White won",
            0 => "draw",
            _ => "Black won",
        }
        .to_owned()
    });
    Ok(inspection)
}

/// Two bins on either side stand for all that is far away: the further one for mates.
fn folded(score: i64) -> i64 {
    let side = score.signum();
    match score.abs() {
        MATE.. => side.min(0) + side * (FAR + SCORE_WIDTH) + side.max(0),
        FAR.. => side.min(0) + side * FAR,
        _ => score,
    }
}

fn score_label(at: i64) -> String {
    const BEYOND: i64 = FAR + SCORE_WIDTH;
    match at {
        BEYOND => "White mates".to_owned(),
        FAR => format!("≥ {FAR}"),
        at if at == -BEYOND - SCORE_WIDTH => "Black mates".to_owned(),
        at if at == -FAR - SCORE_WIDTH => format!("≤ -{FAR}"),
        at => format!("{at} to {}", at + SCORE_WIDTH - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_scores_share_a_bin_and_mates_have_theirs() {
        let label = |score: i64| {
            let mut counting = Counting::default();
            counting.add(Some(folded(score)), SCORE_WIDTH);
            counting.histogram(SCORE_WIDTH, score_label).bins[0].label.clone()
        };
        assert_eq!(label(0), "0 to 99");
        assert_eq!(label(-1), "-100 to -1");
        assert_eq!(label(999), "900 to 999");
        assert_eq!(label(-999), "-1000 to -901");
        assert_eq!((label(1_000), label(9_999)), ("≥ 1000".to_owned(), "≥ 1000".to_owned()));
        assert_eq!(label(-5_000), "≤ -1000");
        assert_eq!(
            (label(10_000), label(-10_000)),
            ("White mates".to_owned(), "Black mates".to_owned())
        );
    }
}

//! A random order of any number of positions, in bounded memory.
//!
//! Positions are thrown into buckets that fit the memory, each bucket is shuffled, and the buckets follow each other: every order
//! is as likely as any other.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use tabiya_dataset::training::{FenFormat, Layout, Packing, Sample, SampleFormat};

use super::{Grouped, SampleInputs, SampleOutput, ToolCounts, ToolManifest, conclude};
use crate::{
    AppError,
    positions::{PositionsError, draw::Draw},
    scratch::{self, Scratch},
};

/// Positions that are shuffled in memory, and buckets of one level.
const IN_MEMORY: u64 = 200_000;
const MOST_BUCKETS: u64 = 128;

/// Positions of a bucket that wait to be written.
const BUCKET_GROUP: usize = 500;

const SPILLED: Layout = Layout {
    format: SampleFormat::Parquet,
    fen: FenFormat::Packed,
    packing: Packing::None,
    variants: true,
};

/// Writes all positions of all inputs into one output, in an order that the seed decides.
pub fn shuffle(
    inputs: &SampleInputs,
    output: &SampleOutput,
    seed: u64,
    stop: &AtomicBool,
) -> Result<ToolManifest, AppError> {
    shuffle_by(inputs, output, seed, IN_MEMORY, stop)
}

fn shuffle_by(
    inputs: &SampleInputs,
    output: &SampleOutput,
    seed: u64,
    in_memory: u64,
    stop: &AtomicBool,
) -> Result<ToolManifest, AppError> {
    inputs.check_readable_twice()?;
    let layout = inputs.layout(output, stop)?;
    let sources = inputs.records(stop)?;
    let rows = count(inputs, stop)?;
    let spill = Scratch::beside(&output.file, scratch::SHUFFLE).map_err(PositionsError::from)?;
    let mut writer = Grouped::create(&output.file, layout, output.batch_size).map_err(PositionsError::from)?;
    let mut draw = Draw::new(seed, "shuffle");
    let mut work = Shuffling {
        in_memory,
        stop,
        draw: &mut draw,
        writer: &mut writer,
    };
    let counts = ToolCounts {
        read: work.shuffle(inputs, rows, spill.path(), 0)?,
        written: writer.finish().map_err(PositionsError::from)?.rows,
        ..ToolCounts::default()
    };
    conclude("shuffle", sources, output, layout, Some(seed), counts)
}

/// As the files say it, or by reading them.
fn count(inputs: &SampleInputs, stop: &AtomicBool) -> Result<u64, AppError> {
    let mut rows: u64 = 0;
    for path in &inputs.files {
        match inputs.open(path)?.rows() {
            Some(known) => rows = rows.saturating_add(known),
            None => {
                let one = SampleInputs {
                    files: vec![path.clone()],
                    ..inputs.clone()
                };
                one.for_each(stop, |_| {
                    rows += 1;
                    Ok(ControlFlow::Continue(()))
                })?;
            }
        }
    }
    Ok(rows)
}

struct Shuffling<'a> {
    in_memory: u64,
    stop: &'a AtomicBool,
    draw: &'a mut Draw,
    writer: &'a mut Grouped,
}

impl Shuffling<'_> {
    /// Gives the number of positions that were there.
    fn shuffle(&mut self, inputs: &SampleInputs, rows: u64, directory: &Path, level: u32) -> Result<u64, AppError> {
        if rows <= self.in_memory || level > 8 {
            let mut samples: Vec<Sample> = Vec::new();
            inputs.for_each(self.stop, |sample| {
                samples.push(sample);
                Ok(ControlFlow::Continue(()))
            })?;
            self.draw.shuffle(&mut samples);
            let read = samples.len() as u64;
            for sample in samples {
                self.writer.push(sample).map_err(PositionsError::from)?;
            }
            return Ok(read);
        }
        let number = (rows.saturating_mul(2) / self.in_memory + 1).min(MOST_BUCKETS) as usize;
        let paths: Vec<PathBuf> = (0..number)
            .map(|bucket| directory.join(format!("{level}-{bucket}.parquet")))
            .collect();
        let mut buckets = paths
            .iter()
            .map(|path| Grouped::create(path, SPILLED, BUCKET_GROUP))
            .collect::<Result<Vec<_>, _>>()
            .map_err(PositionsError::from)?;
        inputs.for_each(self.stop, |sample| {
            let bucket = self.draw.below(number);
            buckets[bucket].push(sample).map_err(PositionsError::from)?;
            Ok(ControlFlow::Continue(()))
        })?;
        let written = buckets
            .into_iter()
            .map(Grouped::finish)
            .collect::<Result<Vec<_>, _>>()
            .map_err(PositionsError::from)?;
        let mut read = 0;
        for (path, written) in paths.into_iter().zip(written) {
            let bucket = SampleInputs {
                files: vec![path.clone()],
                ..SampleInputs::default()
            };
            read += self.shuffle(&bucket, written.rows, directory, level + 1)?;
            std::fs::remove_file(&path).map_err(|error| PositionsError::io("remove", path, error))?;
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Chess;
    use tabiya_chess::Variant;

    use super::*;

    fn shuffled(directory: &Path, rows: u16, seed: u64, in_memory: u64) -> Vec<u16> {
        let input = directory.join("in.parquet");
        let mut writer = Grouped::create(&input, SPILLED, 100).expect("a file");
        for ply in 0..rows {
            let sample = Sample {
                ply: Some(ply),
                ..Sample::bare(Chess::default(), Variant::Standard)
            };
            writer.push(sample).expect("written");
        }
        writer.finish().expect("whole");
        let inputs = SampleInputs {
            files: vec![input],
            ..SampleInputs::default()
        };
        let output = SampleOutput {
            file: directory.join("out.parquet"),
            format: None,
            fen_format: None,
            batch_size: 64,
        };
        let stop = AtomicBool::new(false);
        let manifest = shuffle_by(&inputs, &output, seed, in_memory, &stop).expect("shuffled");
        assert_eq!(manifest.counts.written, u64::from(rows));
        let mut plies = Vec::new();
        let back = SampleInputs {
            files: vec![output.file],
            ..SampleInputs::default()
        };
        back.for_each(&stop, |sample| {
            plies.extend(sample.ply);
            Ok(ControlFlow::Continue(()))
        })
        .expect("read back");
        plies
    }

    #[test]
    fn nothing_is_lost_and_the_seed_decides() {
        let directory = tempfile::tempdir().expect("a directory");
        let one = shuffled(directory.path(), 3_000, 1, 100);
        let again = shuffled(directory.path(), 3_000, 1, 100);
        let other = shuffled(directory.path(), 3_000, 2, 100);
        assert_eq!(one, again);
        assert_ne!(one, other);
        let mut sorted = one.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..3_000).collect::<Vec<_>>());
        // No neighbours stay neighbours but by accident.
        let neighbours = one.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count();
        assert!(neighbours < 20, "{neighbours}");
    }

    #[test]
    fn every_place_is_as_likely_whatever_the_buckets() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut sum = 0_u64;
        for seed in 0..60 {
            let order = shuffled(directory.path(), 200, seed, 30);
            sum += order.iter().position(|ply| *ply == 0).expect("there") as u64;
        }
        // The mean place is 99.5, its deviation over 60 orders about 7.5.
        assert!((75 * 60..125 * 60).contains(&sum), "{}", sum / 60);
    }
}

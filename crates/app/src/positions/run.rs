//! A run from the first source to the joined output.

mod sift;

use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use pgn_import::{BlockRead, read_blocks_parallel};
use tabiya_dataset::training::{FenFormat, Layout, Packing, SampleFormat};
use tabiya_lichess::{CancellationToken, Downloaded};

use super::{
    Configuration, Counts, Manifest, OutputRecord, PositionsEvent, PositionsReport,
    archives::archive_error,
    caps::Caps,
    error::PositionsError,
    origin::Origin,
    parts::Parts,
    progress::{Paths, Phase, Place, Progress, VERSION, write_json},
    select::{Selected, Selection, Selector},
    stage::{Scoring, Stage},
    tools,
};
use crate::{AppError, interrupt};

/// What is put aside until duplicates are known.
const GATHERED: Layout = Layout {
    format: SampleFormat::Parquet,
    fen: FenFormat::Packed,
    packing: Packing::None,
    variants: true,
};

/// A run that may begin.
pub(super) struct Run {
    pub(super) origins: Vec<Origin>,
    pub(super) selection: Arc<Selection>,
    pub(super) layout: Layout,
    pub(super) paths: Paths,
    /// What the configuration names in words, which cannot say every path.
    pub(super) dedupe_with: Vec<PathBuf>,
    pub(super) progress: Progress,
    pub(super) threads: usize,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) told: Option<super::Told>,
    /// How far the downloads of this run are.
    pub(super) downloaded: Vec<Downloaded>,
    pub(super) left_out_months: Vec<String>,
    pub(super) warnings: Vec<String>,
    /// Held until the run ends.
    pub(super) _lock: super::OutputLock,
}

impl Run {
    /// Does all that is left. Everything blocks: call it on a thread of its own.
    pub(super) fn carry_out(mut self, scoring: Option<Scoring>) -> Result<PositionsReport, AppError> {
        if self.progress.phase == Phase::Gathering {
            self.gather()?;
        }
        let mut effort = (0, 0);
        match self.progress.phase {
            Phase::Extracting => effort = self.extract(scoring)?,
            Phase::Sifting => effort = self.sift(scoring)?,
            Phase::Gathering | Phase::Joining => {}
        }
        let mut report = self.conclude()?;
        (report.engine_nodes, report.engine_millis) = effort;
        Ok(report)
    }

    fn configuration(&self) -> &Configuration {
        &self.progress.configuration
    }

    fn stage(&mut self, scoring: Option<Scoring>, gathering: bool) -> Result<Stage, AppError> {
        let (directory, layout) = match gathering {
            true => (self.paths.gathered(), GATHERED),
            false => (self.paths.parts(), self.layout),
        };
        let configuration = self.configuration();
        let batch = configuration.batch_size;
        let (caps, shard) = match gathering {
            true => (Caps::default(), None),
            false => (
                Caps {
                    max: configuration.max,
                    strata: configuration.stratify.clone(),
                },
                configuration.shard,
            ),
        };
        let mut rules = self.selection.rules.clone();
        if gathering {
            // Without an engine it could be asked here already, but then the order of filters would depend on it.
            rules.result_consistent = None;
        }
        let done = std::mem::take(&mut self.progress.parts);
        let parts = Parts::open(directory, layout, batch, done)?;
        let (at, stop) = (self.progress.at.clone(), Arc::clone(&self.stop));
        Ok(Stage::new(rules, caps, shard, scoring, parts, at, stop))
    }

    /// Everything in one go: games, positions, scores, parts.
    fn extract(&mut self, scoring: Option<Scoring>) -> Result<(u64, u64), AppError> {
        let mut stage = self.stage(scoring, false)?;
        self.read_all(&mut stage)?;
        self.close(&mut stage, Phase::Joining)
    }

    /// Reads all sources from the place at hand on.
    fn read_all(&mut self, stage: &mut Stage) -> Result<(), AppError> {
        let begin = stage.now.source;
        for number in begin..self.origins.len() {
            if number > begin {
                stage.begin_source(number);
            }
            self.read(stage, number)?;
            if stage.full {
                return Ok(());
            }
            self.progress.sources[number].games = Some(stage.now.games - stage.now.games_before);
        }
        Ok(())
    }

    fn read(&mut self, stage: &mut Stage, number: usize) -> Result<(), AppError> {
        let origin = self.origins[number].clone();
        let name = origin.name();
        self.progress.month = self.progress.sources[number].month.clone();
        if let Some(variant) = &self.progress.sources[number].variant {
            self.progress.variant.clone_from(variant);
        }
        let called_off = CancellationToken::new();
        let _listening = interrupt::cancel_when_asked(Arc::clone(&self.stop), called_off.clone());
        let opened = origin.open(stage.now.offset, called_off)?;
        self.tell(&PositionsEvent::Opened {
            source: &name,
            progress: opened.source.progress(),
        });
        let selection = Arc::clone(&self.selection);
        let hash = opened.hash.clone();
        self.downloaded.extend(opened.downloaded.clone());
        let mut failed = None;
        let visitor = move || Selector::new(Arc::clone(&selection));
        let games_before = stage.now.games_before;
        let read = read_blocks_parallel(opened.source, self.threads, visitor, |block: BlockRead<Selector>| {
            let taken = self.take(stage, block.visitor.finish(), block.games, block.end);
            self.tell(&PositionsEvent::Games(stage.now.games - games_before));
            match taken {
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
                Ok(()) if stage.full => ControlFlow::Break(()),
                Ok(()) => ControlFlow::Continue(()),
            }
        });
        self.progress.sources[number].sha256 = hash.get();
        if let (Some(downloaded), Some(_)) = (&opened.downloaded, hash.get()) {
            self.progress.sources[number].bytes = Some(downloaded.bytes());
        }
        if let Some(error) = failed {
            return Err(self.keep(stage, error));
        }
        self.progress.sources[number].cut = read.is_err();
        if let Err(cut) = read {
            let reason = cut.in_full();
            let error = match archive_error(cut.source) {
                Ok(error) => error,
                Err(_) => PositionsError::CutShort { input: name, reason }.into(),
            };
            return Err(self.keep(stage, error));
        }
        Ok(())
    }

    fn take(&mut self, stage: &mut Stage, selected: Selected, games: u64, end: u64) -> Result<(), AppError> {
        let result = stage.take(selected, games, end, &mut |at, parts| self.note(at, parts));
        if self.stop.load(Relaxed) {
            return Err(AppError::Interrupted);
        }
        result
    }

    /// Keeps all whole groups before the run ends early, and says what it ends with.
    fn keep(&mut self, stage: &mut Stage, error: AppError) -> AppError {
        match stage.close_part(&mut |at, parts| self.note(at, parts)) {
            // Whoever wanted to stop has to hear of it. Otherwise it most likely failed for the same reason, which the first
            // error names.
            Err(unkept) if error.is_stop() => unkept,
            _ => error,
        }
    }

    /// Sees everything to its part. `next` is what is to be done then.
    fn close(&mut self, stage: &mut Stage, next: Phase) -> Result<(u64, u64), AppError> {
        let settled = stage.settle_all(&mut |at, parts| self.note(at, parts));
        if let Err(error) = settled {
            return Err(self.keep(stage, error));
        }
        // In the note of the last part already: a run that was killed behind it would look for more where a limit was reached,
        // and count what it passes over.
        let phase = std::mem::replace(&mut self.progress.phase, next);
        let closed = stage.close_part(&mut |at, parts| self.note(at, parts));
        if let Err(error) = closed {
            self.progress.phase = phase;
            return Err(self.keep(stage, error));
        }
        Ok((stage.nodes, stage.engine_millis))
    }

    /// Writes down how far the work is.
    fn note(&mut self, at: &Place, parts: &Parts) -> Result<(), AppError> {
        self.progress.at = at.clone();
        self.progress.parts.clone_from(&parts.done);
        self.progress.games_processed = at.games;
        self.progress.positions_extracted = parts.closed_rows();
        self.progress.last_game_offset = at.offset;
        self.progress.bytes_downloaded = self.downloaded();
        self.tell(&PositionsEvent::Written(self.progress.positions_extracted));
        Ok(write_json(&self.paths.progress(), &self.progress)?)
    }

    fn downloaded(&self) -> u64 {
        self.downloaded.iter().map(Downloaded::bytes).sum()
    }

    /// Joins the parts, writes the manifest, and removes what was needed on the way. Doing it again changes nothing.
    fn conclude(self) -> Result<PositionsReport, AppError> {
        let parts = Parts::open(
            self.paths.parts(),
            self.layout,
            self.configuration().batch_size,
            self.progress.parts.clone(),
        )?;
        let written = parts.join(&self.paths.output)?;
        let at = &self.progress.at;
        let mut passed_over = at.passed_over;
        passed_over += at.scored;
        let manifest = Manifest {
            version: VERSION,
            tabiya: env!("CARGO_PKG_VERSION").to_owned(),
            output: OutputRecord {
                file: self
                    .paths
                    .output
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                rows: written.rows,
                bytes: written.bytes,
                sha256: match self.paths.has_place() {
                    true => tools::hash_output(&self.paths.output)?.1,
                    false => String::new(),
                },
            },
            configuration: self.configuration().clone(),
            engine: self.progress.engine.clone(),
            sources: self.progress.sources.clone(),
            counts: Counts {
                games: at.games,
                positions: written.rows,
                games_left_out: at.games_left_out,
                positions_passed_over: passed_over,
            },
        };
        if self.paths.has_place() {
            write_json(&self.paths.manifest(), &manifest)?;
        }
        self.paths.clean();
        Ok(PositionsReport {
            output: self.paths.named.clone(),
            manifest,
            warnings: self.warnings,
            left_out_months: self.left_out_months,
            engine_nodes: 0,
            engine_millis: 0,
        })
    }

    fn tell(&self, event: &PositionsEvent<'_>) {
        if let Some(told) = &self.told {
            told(event);
        }
    }
}

//! Runs an import: inputs in, batches out, every game accounted for.

use std::{
    path::Path,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Instant,
};

use crate::{
    Batch, Checkpoint, Counters, ImportError, ImportJob, ImportOptions, IngestConfig, Journal, Reject, Storage,
    config::digest,
    metrics::publish,
    pipeline::{self, Piece},
    read::Walker,
    sink::{Journalled, Plain, Sink},
    source::{Block, Input, Progress, Source, expand_inputs, fingerprint},
    trie::{Harvest, Harvester, Rules},
};

/// Rows are sent to the store once this many have gathered, or the input ends. Ids are hashes, so a batch touches pages all
/// over a database's trees: the larger it is, the fewer of them are written again and again. Rows of all kinds count, because
/// a file of tactics has no edges.
const BATCH_ROWS: usize = 100_000;

/// After so many blocks it is noted that they are done, however little they brought: a run that is killed does not begin before
/// them again.
const BATCH_BLOCKS: usize = 64;

/// What one input came to.
#[derive(Debug, Clone, Default)]
pub struct IngestSummary {
    /// The input as it was named.
    pub source: String,
    /// Of the whole input, the part an earlier, interrupted run did included.
    pub counters: Counters,
    /// The ledger of this run.
    pub rejects: Vec<Reject>,
    /// The game an interrupted import was taken up at.
    pub resumed_at: Option<u64>,
    /// Ended early because somebody asked for it; the next run goes on from here.
    pub interrupted: bool,
    /// Decompressed bytes of the input.
    pub bytes: u64,
}

/// Is told how an import goes, for whoever shows progress.
pub type Watcher = Arc<dyn Fn(Watch<'_>) + Send + Sync>;

/// What a [`Watcher`] is told.
#[derive(Debug)]
pub enum Watch<'a> {
    /// An input has been opened.
    Opened { source: &'a str, progress: Arc<Progress> },
    /// That many games of it have been committed.
    Games(u64),
}

/// Turns PGN into an opening trie and a tactics bank in a store.
///
/// `K` is how it writes: [`Plain`] upserts, or a [`Journalled`] store.
pub struct Importer<K> {
    pub(crate) config: IngestConfig,
    pub(crate) options: ImportOptions,
    sink: K,
    watcher: Option<Watcher>,
    counters: Counters,
    pub(crate) failed: Option<IngestSummary>,
}

impl<K> std::fmt::Debug for Importer<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Importer")
            .field("config", &self.config)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<'a, S: Storage + Send> Importer<Plain<'a, S>> {
    /// An importer with the default options: it fails at the first game it cannot understand.
    pub fn new(config: IngestConfig, store: &'a mut S) -> Self {
        Importer::with_options(config, ImportOptions::default(), store)
    }

    pub fn with_options(config: IngestConfig, options: ImportOptions, store: &'a mut S) -> Self {
        Importer::into_sink(config, options, Plain(store))
    }
}

impl<'a, S: Journal> Importer<Journalled<'a, S>> {
    /// An importer that keeps a journal in the store, so that the next run goes on where this one was interrupted.
    pub fn journaled(config: IngestConfig, options: ImportOptions, store: &'a mut S) -> Self {
        Importer::into_sink(config, options, Journalled(store))
    }
}

impl<K: Sink> Importer<K> {
    fn into_sink(config: IngestConfig, options: ImportOptions, sink: K) -> Importer<K> {
        Importer {
            config,
            options,
            sink,
            watcher: None,
            counters: Counters::default(),
            failed: None,
        }
    }

    /// Tells `watcher` how things go.
    #[must_use]
    pub fn watched_by(mut self, watcher: Watcher) -> Importer<K> {
        self.watcher = Some(watcher);
        self
    }

    /// The sum over all inputs so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// What the input came to that failed last, up to where it did: its error says nothing of the games before.
    pub fn take_failed(&mut self) -> Option<IngestSummary> {
        self.failed.take()
    }

    /// Imports a file, every PGN file below a directory, or everything a glob matches.
    pub async fn ingest_pgn_path(&mut self, path: impl AsRef<Path>) -> Result<IngestSummary, ImportError> {
        let named = path.as_ref().to_string_lossy().into_owned();
        let mut whole = IngestSummary {
            source: named.clone(),
            ..IngestSummary::default()
        };
        for input in expand_inputs(&[named])? {
            let one = self.ingest(&input).await?;
            whole.counters += one.counters;
            whole.rejects.extend(one.rejects);
            whole.bytes += one.bytes;
            whole.resumed_at = whole.resumed_at.or(one.resumed_at);
            whole.interrupted |= one.interrupted;
            if whole.interrupted {
                break;
            }
        }
        Ok(whole)
    }

    /// Imports one input. Where it fails midway, [`Importer::take_failed`] knows what it came to before.
    pub async fn ingest(&mut self, input: &Input) -> Result<IngestSummary, ImportError> {
        self.failed = None;
        self.check_features()?;
        let name = input.to_string();
        let io = |source| ImportError::Io {
            name: name.clone(),
            source,
        };
        let fingerprint = fingerprint(input).map_err(io)?;
        let job = ImportJob {
            source: name.clone(),
            fingerprint: fingerprint.clone().unwrap_or_default(),
            config: digest(&self.config, &self.options),
        };
        // Standard input cannot be told from another one, so it is never resumed.
        let resumable = self.options.resume && fingerprint.is_some();
        let earlier = if resumable {
            self.sink.checkpoint(&job).await?
        } else {
            None
        };
        let begun = earlier.filter(|checkpoint| !checkpoint.done && checkpoint.offset > 0);
        let mut summary = IngestSummary {
            source: name.clone(),
            resumed_at: begun.as_ref().map(|checkpoint| checkpoint.games),
            ..IngestSummary::default()
        };
        let checkpoint = begun.unwrap_or_default();
        let source = Source::open_at(input, checkpoint.offset).map_err(io)?;
        tracing::info!(source = %name, resumed_at = summary.resumed_at, "reading");
        if let Some(watcher) = &self.watcher {
            watcher(Watch::Opened {
                source: &name,
                progress: source.progress(),
            });
        }
        let result = self.run(source, input, &job, checkpoint, &mut summary).await;
        self.account_for(&summary.counters);
        match &result {
            Ok(()) => tracing::info!(
                source = %name,
                games = summary.counters.pgn_games_total,
                failed = summary.counters.pgn_games_failed,
                positions = summary.counters.positions_inserted,
                edges = summary.counters.edges_inserted,
                "read"
            ),
            Err(error) => tracing::error!(source = %name, "{error}"),
        }
        self.handed_on(result, summary)
    }

    /// The summary, which is kept aside where there is an error to be told instead.
    pub(crate) fn handed_on(
        &mut self,
        result: Result<(), ImportError>,
        summary: IngestSummary,
    ) -> Result<IngestSummary, ImportError> {
        match result {
            Ok(()) => Ok(summary),
            Err(error) => {
                self.failed = Some(summary);
                Err(error)
            }
        }
    }

    /// Ends the import: positions get the ply and counters of their shortest path.
    pub async fn finalize(&mut self) -> Result<(), ImportError> {
        Ok(self.sink.settle().await?)
    }

    fn check_features(&self) -> Result<(), ImportError> {
        if self.config.tactic_from_comments && !cfg!(feature = "comment-tactic") {
            let msg = "tactics from comments need the cargo feature `comment-tactic`".to_owned();
            return Err(ImportError::Unsupported { msg });
        }
        Ok(())
    }

    async fn run(
        &mut self,
        source: Source,
        input: &Input,
        job: &ImportJob,
        mut checkpoint: Checkpoint,
        summary: &mut IngestSummary,
    ) -> Result<(), ImportError> {
        let rules = Arc::new(Rules {
            config: self.config.clone(),
            options: self.options.clone(),
            source: job.source.clone(),
            hint: input.short_name(),
        });
        let mut pieces = pipeline::spawn(source, self.options.block_bytes, self.options.threads.max(1), || {
            let mut harvester = Harvester::new(rules.clone());
            move |block: Block| harvest(&mut harvester, &block)
        });
        summary.counters = checkpoint.counters;
        let mut pending = Pending::default();
        let mut outcome = Ok(());
        let mut bad_game = Counters::default();
        while let Some(piece) = pieces.next().await {
            let Piece {
                value: mut gathered,
                end,
            } = match piece {
                Ok(piece) => piece,
                Err(cut) => {
                    outcome = Err(ImportError::cut_short(&job.source, checkpoint.games, cut));
                    break;
                }
            };
            for reject in &mut gathered.batch.rejects {
                reject.game_index += checkpoint.games;
                report(reject);
            }
            checkpoint.games += gathered.counters.pgn_games_total;
            let failure = gathered.failure.take();
            summary.rejects.extend(gathered.batch.rejects.iter().cloned());
            pending.add(gathered);
            if let Some((at, fault)) = failure {
                checkpoint.offset = at.offset;
                outcome = Err(ImportError::of_fault(checkpoint.games, &fault));
                bad_game = Counters {
                    pgn_games_total: 1,
                    pgn_games_failed: 1,
                    ..Counters::default()
                };
                break;
            }
            checkpoint.offset = end;
            if pending.is_full() || self.options.block_bytes < pipeline::BLOCK_BYTES {
                self.commit(job, &mut pending, &mut checkpoint, summary).await?;
            }
            if self.options.stop.load(Relaxed) {
                summary.interrupted = true;
                break;
            }
        }
        // A cut archive or a bad game is met again by the next run: what is before them is kept, but never called done.
        checkpoint.done = outcome.is_ok() && !summary.interrupted;
        self.commit(job, &mut pending, &mut checkpoint, summary).await?;
        // The game that ended the import is counted, but not in the journal: the next run meets it again.
        summary.counters += bad_game;
        summary.bytes = checkpoint.offset;
        outcome
    }

    /// Adds one input's counters to the importer's own and to the process's metrics.
    pub(crate) fn account_for(&mut self, counters: &Counters) {
        self.counters += *counters;
        publish(counters);
    }

    /// Writes what is pending, with the place it was read up to.
    pub(crate) async fn commit(
        &mut self,
        job: &ImportJob,
        pending: &mut Pending,
        checkpoint: &mut Checkpoint,
        summary: &mut IngestSummary,
    ) -> Result<(), ImportError> {
        let gathered = std::mem::take(pending);
        summary.counters += gathered.counters;
        checkpoint.counters = summary.counters;
        checkpoint.counters.positions_deduped += gathered.positions_seen;
        checkpoint.counters.edges_deduped += gathered.edges_seen;
        let clock = Instant::now();
        let inserted = self.sink.write(job, gathered.batch, checkpoint).await?;
        summary.counters = checkpoint.counting(inserted).counters;
        summary.counters.persist_ms += millis(clock);
        if let Some(watcher) = &self.watcher {
            watcher(Watch::Games(checkpoint.games));
        }
        Ok(())
    }
}

/// What waits to be written.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    batch: Batch,
    counters: Counters,
    positions_seen: u64,
    edges_seen: u64,
    rows: usize,
    blocks: usize,
}

impl Pending {
    fn is_full(&self) -> bool {
        self.rows >= BATCH_ROWS || self.blocks >= BATCH_BLOCKS
    }

    pub(crate) fn games(&self) -> u64 {
        self.counters.pgn_games_total
    }

    /// Strikes games off the store's ledger, which keeps all others.
    pub(crate) fn strike_off(&mut self, games: Vec<u64>) {
        self.batch.struck_off = Some(games);
    }

    /// Leaves a game in the store's ledger.
    pub(crate) fn keep_reject(&mut self, reject: Reject) {
        self.batch.rejects.push(reject);
    }

    pub(crate) fn add(&mut self, harvest: Harvest) {
        let clock = Instant::now();
        self.rows += rows(&harvest.batch);
        self.blocks += 1;
        self.batch.positions.extend(harvest.batch.positions);
        self.batch.edges.extend(harvest.batch.edges);
        self.batch.repertoire_edges.extend(harvest.batch.repertoire_edges);
        self.batch.tactics.extend(harvest.batch.tactics);
        self.batch.rejects.extend(harvest.batch.rejects);
        self.counters += harvest.counters;
        self.counters.merge_ms += millis(clock);
        self.positions_seen += harvest.positions_seen;
        self.edges_seen += harvest.edges_seen;
    }
}

/// How much there is to keep and to write. A tactic has a line of any length, whose moves count like rows.
fn rows(batch: &Batch) -> usize {
    let moves = batch.tactics.iter().map(|tactic| tactic.pv_uci.len());
    batch.positions.len()
        + batch.edges.len()
        + batch.repertoire_edges.len()
        + batch.tactics.len()
        + batch.rejects.len()
        + moves.sum::<usize>()
}

/// Reads a block's games.
fn harvest(harvester: &mut Harvester, block: &Block) -> Harvest {
    let clock = Instant::now();
    let mut walker = Walker::new(&block.bytes, block.offset, 0);
    while !harvester.failed() {
        #[cfg(feature = "comment-tactic")]
        let again = walker.clone();
        if !walker.walk(harvester) {
            break;
        }
        // Annotations are looked at in the game's tree, which is built only where somebody asks for it.
        #[cfg(feature = "comment-tactic")]
        if harvester.wants_comments() {
            harvester.add_from_comments(again);
        }
    }
    let mut harvest = harvester.take();
    harvest.counters.parse_ms += millis(clock);
    harvest
}

pub(crate) fn report(reject: &Reject) {
    tracing::warn!(
        source = %reject.source,
        game = reject.game_index,
        byte = reject.error_offset,
        ply = reject.ply,
        fen = %reject.fen,
        "`{}`: {}",
        reject.san,
        reject.reason
    );
}

fn millis(clock: Instant) -> u64 {
    u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX)
}

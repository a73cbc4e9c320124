//! Imports again just the games a ledger names.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering::Relaxed},
};

use shakmaty::{Chess, Move};
use tabiya_chess::full_fen;

use crate::{
    Checkpoint, ImportError, ImportJob, Importer, IngestSummary, Policy, Reject,
    importer::{Pending, report},
    pipeline,
    read::{Fault, GameAt, Start, Tag, Visitor, Walker},
    sink::Sink,
    source::{Block, Input, Source},
    trie::{Harvest, Harvester, Rules},
};

impl<K: Sink> Importer<K> {
    /// Imports the games a ledger names, and no others, from where they stand in their sources.
    ///
    /// Games it did not come to, because it was stopped or failed, or because they begin elsewhere by now, are among its rejects, as
    /// the ledger has them: whoever writes them in the ledger's place loses none.
    pub async fn ingest_rejects(&mut self, ledger: &[Reject]) -> Result<IngestSummary, ImportError> {
        self.failed = None;
        let mut by_source: BTreeMap<&str, Vec<&Reject>> = BTreeMap::new();
        for reject in ledger {
            by_source.entry(&reject.source).or_default().push(reject);
        }
        let mut whole = IngestSummary {
            source: "rejects".to_owned(),
            ..IngestSummary::default()
        };
        let mut outcome = Ok(());
        for (source, rejects) in by_source {
            if outcome.is_err() || whole.interrupted {
                whole.rejects.extend(rejects.into_iter().cloned());
                continue;
            }
            let one = match self.retry_source(source, &rejects).await {
                Ok(one) => one,
                Err(error) => {
                    outcome = Err(error);
                    // A source that cannot even be opened has come to nothing.
                    self.failed.take().unwrap_or_else(|| IngestSummary {
                        rejects: rejects.into_iter().cloned().collect(),
                        ..IngestSummary::default()
                    })
                }
            };
            whole.counters += one.counters;
            whole.rejects.extend(one.rejects);
            whole.bytes += one.bytes;
            whole.interrupted |= one.interrupted;
        }
        self.handed_on(outcome, whole)
    }

    async fn retry_source(&mut self, name: &str, ledger: &[&Reject]) -> Result<IngestSummary, ImportError> {
        let offsets: HashSet<u64> = ledger.iter().map(|reject| reject.byte_offset).collect();
        let input = match name {
            "-" => {
                let msg = "games from standard input cannot be read again".to_owned();
                return Err(ImportError::Unsupported { msg });
            }
            path => Input::Path(path.into()),
        };
        let source = Source::open(&input).map_err(|source| ImportError::Io {
            name: name.to_owned(),
            source,
        })?;
        let rules = Arc::new(Rules {
            config: self.config.clone(),
            options: self.options.clone(),
            source: name.to_owned(),
            hint: input.short_name(),
        });
        let job = ImportJob {
            source: name.to_owned(),
            fingerprint: "retry".to_owned(),
            config: String::new(),
        };
        // One worker, so that games are counted through the whole source.
        let left = Arc::new(Mutex::new(offsets));
        let by_index: HashMap<u64, Moved> = ledger
            .iter()
            .map(|reject| (reject.game_index, Moved::of(reject)))
            .collect();
        let mut pieces = pipeline::spawn(source, self.options.block_bytes, 1, || {
            let mut chosen = Chosen {
                left: Arc::clone(&left),
                by_index: by_index.clone(),
                moved: None,
                settles_faults: self.options.policy != Policy::FailFast,
                inner: Harvester::new(rules.clone()),
                taken: false,
            };
            let mut games = 0;
            move |block: Block| chosen.harvest(&block, &mut games)
        });
        let mut summary = IngestSummary {
            source: name.to_owned(),
            ..IngestSummary::default()
        };
        let mut pending = Pending::default();
        let mut outcome = Ok(());
        // Every game that begins before it was tried.
        let mut tried_up_to = 0;
        while let Some(piece) = pieces.next().await {
            let mut piece = match piece {
                Ok(piece) => piece,
                Err(cut) => {
                    outcome = Err(ImportError::cut_short(name, pending.games(), cut));
                    break;
                }
            };
            piece.value.batch.rejects.iter().for_each(report);
            summary.rejects.extend(piece.value.batch.rejects.iter().cloned());
            summary.bytes = piece.end;
            tried_up_to = piece.end;
            let failure = piece.value.failure.take();
            pending.add(piece.value);
            if let Some((game, fault)) = failure {
                tried_up_to = game.offset;
                outcome = Err(ImportError::of_fault(game.index, &fault));
                break;
            }
            if self.options.stop.load(Relaxed) {
                summary.interrupted = true;
                break;
            }
        }
        let broke_off = outcome.is_err() || summary.interrupted;
        let mut missing = 0;
        let left = std::mem::take(&mut *left.lock().unwrap_or_else(PoisonError::into_inner));
        for reject in ledger {
            let is_ahead = broke_off && reject.byte_offset >= tried_up_to;
            if is_ahead || left.contains(&reject.byte_offset) {
                missing += u64::from(!is_ahead);
                summary.rejects.push((*reject).clone());
                pending.keep_reject((*reject).clone());
            }
        }
        if missing > 0 {
            tracing::warn!(
                source = name,
                missing,
                "games of the ledger begin elsewhere by now, and stay in it: import the whole file again, of which nothing is stored twice"
            );
        }
        let mut checkpoint = Checkpoint {
            done: true,
            ..Checkpoint::default()
        };
        // A store that refuses the batch still has its ledger as it was.
        self.commit(&job, &mut pending, &mut checkpoint, &mut summary).await?;
        self.account_for(&summary.counters);
        self.handed_on(outcome, summary)
    }
}

/// A game that may begin elsewhere by now, because another before it was mended: told by its number, and believed if it comes
/// through the position in which it broke off, or breaks off again. Otherwise games were added or removed, and this is another.
#[derive(Clone)]
struct Moved {
    offset: u64,
    fen: String,
}

impl Moved {
    fn of(reject: &Reject) -> Moved {
        Moved {
            offset: reject.byte_offset,
            fen: reject.fen.clone(),
        }
    }
}

/// Lets only chosen games through to the harvester.
struct Chosen {
    /// Where those begin that were not met yet.
    left: Arc<Mutex<HashSet<u64>>>,
    by_index: HashMap<u64, Moved>,
    /// The game that goes by, if it was chosen by its number.
    moved: Option<Moved>,
    settles_faults: bool,
    inner: Harvester,
    taken: bool,
}

impl Chosen {
    fn harvest(&mut self, block: &Block, games: &mut u64) -> Harvest {
        let mut walker = Walker::new(&block.bytes, block.offset, *games);
        while !self.inner.failed() {
            #[cfg(feature = "comment-tactic")]
            let again = walker.clone();
            if !walker.walk(self) {
                break;
            }
            *games += 1;
            #[cfg(feature = "comment-tactic")]
            if self.taken && self.inner.wants_comments() {
                self.inner.add_from_comments(again);
            }
        }
        self.inner.take()
    }
}

impl Chosen {
    /// The game that goes by is the one that was meant.
    fn found(&mut self) {
        if let Some(moved) = self.moved.take() {
            self.left
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&moved.offset);
        }
    }
}

impl Visitor for Chosen {
    fn begin_game(&mut self, at: GameAt) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let is_here = left.remove(&at.offset);
        self.moved = self
            .by_index
            .get(&at.index)
            .filter(|moved| !is_here && left.contains(&moved.offset))
            .cloned();
        drop(left);
        self.taken = is_here || self.moved.is_some();
        if self.taken {
            self.inner.begin_game(at);
        }
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        if self.taken {
            self.inner.tag(tag);
        }
    }

    fn begin_moves(&mut self, start: &Start) -> ControlFlow<()> {
        if self.taken {
            self.inner.begin_moves(start)
        } else {
            ControlFlow::Break(())
        }
    }

    fn playing(&mut self, before: &Chess, m: Move) -> ControlFlow<()> {
        if self.moved.as_ref().is_some_and(|moved| moved.fen == full_fen(before)) {
            self.found();
        }
        self.inner.playing(before, m)
    }

    fn reached(&mut self, after: &Chess) {
        self.inner.reached(after);
    }

    fn passed(&mut self, before: &Chess) {
        self.inner.passed(before);
    }

    fn comment(&mut self, text: &[u8]) {
        self.inner.comment(text);
    }

    fn nag(&mut self, nag: u8) {
        self.inner.nag(nag);
    }

    fn begin_variation(&mut self) -> ControlFlow<()> {
        self.inner.begin_variation()
    }

    fn end_variation(&mut self) {
        self.inner.end_variation();
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        if self.taken {
            if self.settles_faults {
                self.found();
            }
            self.inner.fault(fault);
        }
    }

    fn end_game(&mut self) {
        if self.taken {
            self.inner.end_game();
        }
    }
}

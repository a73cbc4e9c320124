//! Imports again just the games a ledger names.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::ControlFlow,
    sync::{Arc, atomic::Ordering::Relaxed},
};

use shakmaty::{Chess, Move};
use tabiya_chess::full_fen;

use crate::{
    Checkpoint, ImportError, ImportJob, Importer, IngestSummary, Reject,
    importer::{Pending, report},
    pipeline::{self, Piece},
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
        let mut left: HashSet<u64> = ledger.iter().map(|reject| reject.byte_offset).collect();
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
        let by_index: HashMap<u64, Moved> = ledger
            .iter()
            .map(|reject| (reject.game_index, Moved::of(reject)))
            .collect();
        let mut pieces = pipeline::spawn(source, self.options.block_bytes, 1, || {
            let mut chosen = Chosen {
                ahead: left.clone(),
                settled: Vec::new(),
                by_index: by_index.clone(),
                moved: None,
                found: None,
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
        while let Some(piece) = pieces.next().await {
            let Piece {
                value: Retried { mut harvest, settled },
                end,
            } = match piece {
                Ok(piece) => piece,
                Err(cut) => {
                    outcome = Err(ImportError::cut_short(name, pending.games(), cut));
                    break;
                }
            };
            harvest.batch.rejects.iter().for_each(report);
            summary.rejects.extend(harvest.batch.rejects.iter().cloned());
            summary.bytes = end;
            for offset in settled {
                left.remove(&offset);
            }
            let failure = harvest.failure.take();
            pending.add(harvest);
            if let Some((game, fault)) = failure {
                outcome = Err(ImportError::of_fault(game.index, &fault));
                break;
            }
            if self.options.stop.load(Relaxed) {
                summary.interrupted = true;
                break;
            }
        }
        let mut missing = 0;
        for reject in ledger.iter().filter(|reject| left.contains(&reject.byte_offset)) {
            missing += 1;
            summary.rejects.push((*reject).clone());
            pending.keep_reject((*reject).clone());
        }
        // Of a run that broke off nobody knows which of them it would have come to.
        if missing > 0 && outcome.is_ok() && !summary.interrupted {
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

/// What one block of a source came to.
struct Retried {
    harvest: Harvest,
    /// Where those games of the ledger began that are done with. They are left out of it with the block that they stand in, and not
    /// before: blocks are read ahead of what is written.
    settled: Vec<u64>,
}

/// Lets only chosen games through to the harvester.
struct Chosen {
    /// Where those begin that were not met yet.
    ahead: HashSet<u64>,
    settled: Vec<u64>,
    by_index: HashMap<u64, Moved>,
    /// The game that goes by, if it was chosen by its number.
    moved: Option<Moved>,
    /// Where the game that goes by began, if it is the one that was meant.
    found: Option<u64>,
    inner: Harvester,
    taken: bool,
}

impl Chosen {
    fn harvest(&mut self, block: &Block, games: &mut u64) -> Retried {
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
        Retried {
            harvest: self.inner.take(),
            settled: std::mem::take(&mut self.settled),
        }
    }

    /// The game that goes by is the one that was meant.
    fn find(&mut self) {
        if let Some(moved) = self.moved.take() {
            self.found = Some(moved.offset);
        }
    }
}

impl Visitor for Chosen {
    fn begin_game(&mut self, at: GameAt) {
        let is_here = self.ahead.remove(&at.offset);
        self.found = is_here.then_some(at.offset);
        self.moved = self
            .by_index
            .get(&at.index)
            .filter(|moved| !is_here && self.ahead.contains(&moved.offset))
            .cloned();
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
            self.find();
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
            self.find();
            self.inner.fault(fault);
        }
    }

    fn end_game(&mut self) {
        if self.taken {
            self.inner.end_game();
            // A game that ends the run is not done with, whatever came to light of it.
            if let Some(offset) = self.found.filter(|_| !self.inner.failed()) {
                self.ahead.remove(&offset);
                self.settled.push(offset);
            }
        }
    }
}

//! Imports again just the games a ledger names.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::ControlFlow,
    sync::{Arc, atomic::Ordering::Relaxed},
};

use shakmaty::Chess;
use tabiya_chess::full_fen;

use crate::{
    Checkpoint, ImportError, ImportJob, Importer, IngestSummary, Reject,
    importer::{Pending, report},
    pipeline::{self, Piece},
    read::{Fault, GameAt, GameFault, Start, StartKind, Visitor, Walker},
    sink::Sink,
    source::{Block, Input, Source},
    trie::{Harvest, Harvester, Rules},
};

impl<K: Sink> Importer<K> {
    /// Imports the games a ledger names, and no others, from where they stand in their sources.
    ///
    /// Games it did not come to, because it was stopped or failed, or because they are not to be found by now, are among its rejects,
    /// as the ledger has them: whoever writes them in the ledger's place loses none. A store with a journal strikes off those that were
    /// done with, and keeps games that the ledger does not name.
    pub async fn ingest_rejects(&mut self, ledger: &[Reject]) -> Result<IngestSummary, ImportError> {
        self.failed = None;
        // Of several lines for one game the last one holds, as in a store.
        let mut by_source: BTreeMap<&str, BTreeMap<u64, &Reject>> = BTreeMap::new();
        for reject in ledger {
            let rejects = by_source.entry(&reject.source).or_default();
            rejects.insert(reject.game_index, reject);
        }
        let mut whole = IngestSummary {
            source: "rejects".to_owned(),
            ..IngestSummary::default()
        };
        let mut outcome = Ok(());
        for (source, rejects) in by_source {
            let rejects: Vec<&Reject> = rejects.into_values().collect();
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
        let sought = Arc::new(Sought::of(ledger));
        // One worker, so that games are counted through the whole source.
        let mut pieces = pipeline::spawn(source, self.options.block_bytes, 1, || {
            let mut reader = Reader {
                sought: Arc::clone(&sought),
                harvester: Harvester::new(rules.clone()),
                games: 0,
            };
            move |block: Block| reader.read(&block)
        });
        let mut settled = BTreeSet::new();
        let mut summary = IngestSummary {
            source: name.to_owned(),
            ..IngestSummary::default()
        };
        let mut pending = Pending::default();
        let mut outcome = Ok(());
        while let Some(piece) = pieces.next().await {
            let Piece {
                value: Retried { mut harvest, games },
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
            settled.extend(games);
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
        for reject in ledger.iter().filter(|reject| !settled.contains(&reject.game_index)) {
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
        pending.strike_off(settled.into_iter().collect());
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

/// The games of a ledger, by their numbers.
struct Sought {
    rejects: HashMap<u64, Reject>,
    /// Their numbers, by where they began.
    by_offset: HashMap<u64, u64>,
}

impl Sought {
    fn of(ledger: &[&Reject]) -> Sought {
        Sought {
            rejects: ledger
                .iter()
                .map(|reject| (reject.game_index, (*reject).clone()))
                .collect(),
            by_offset: ledger
                .iter()
                .map(|reject| (reject.byte_offset, reject.game_index))
                .collect(),
        }
    }

    /// The one that may stand here. Its number goes before its place: the ledger has one line for each number.
    fn at(&self, at: GameAt) -> Option<&Reject> {
        self.rejects
            .get(&at.index)
            .or_else(|| self.rejects.get(self.by_offset.get(&at.offset)?))
    }
}

/// What one block of a source came to.
struct Retried {
    harvest: Harvest,
    /// The numbers of those games in the ledger that are done with. They are left out of it with the block that they stand in, and
    /// not before: blocks are read ahead of what is written.
    games: Vec<u64>,
}

/// Reads the games that are sought, and no others.
struct Reader {
    sought: Arc<Sought>,
    harvester: Harvester,
    /// Games of the source so far.
    games: u64,
}

impl Reader {
    fn read(&mut self, block: &Block) -> Retried {
        let mut walker = Walker::new(&block.bytes, block.offset, self.games);
        let mut games = Vec::new();
        while !self.harvester.failed() {
            // What is gathered of a game cannot be taken back, so it is known before whether it is the one that was meant.
            let game = walker.clone();
            let mut finder = Finder::of(&self.sought);
            if !walker.walk(&mut finder) {
                break;
            }
            self.games += 1;
            let Some(found) = finder.found else { continue };
            game.clone().walk(&mut self.harvester);
            #[cfg(feature = "comment-tactic")]
            if self.harvester.wants_comments() {
                self.harvester.add_from_comments(game);
            }
            if !self.harvester.failed() {
                games.push(found);
            }
        }
        Retried {
            harvest: self.harvester.take(),
            games,
        }
    }
}

/// Tells whether the game that goes by is one that is sought.
///
/// One that stands where it stood is. Where others before it were mended it stands elsewhere, and where games were added or removed,
/// another stands there: what agrees in its number or its place alone is believed if it comes to the position in which it broke off as
/// far from where it begins, or breaks off there as before. Others of the same opening come to that position too, but seldom as far. The
/// position at the beginning says nothing, unless it is the game's own.
struct Finder<'a> {
    sought: &'a Sought,
    /// Where the game begins.
    offset: u64,
    /// What it may be.
    doubted: Option<&'a Reject>,
    /// Whether it came through the position in which that broke off, and whether it is there now.
    came_through: bool,
    is_there: bool,
    /// The number in the ledger of what it is.
    found: Option<u64>,
}

impl<'a> Finder<'a> {
    fn of(sought: &'a Sought) -> Finder<'a> {
        Finder {
            sought,
            offset: 0,
            doubted: None,
            came_through: false,
            is_there: false,
            found: None,
        }
    }

    fn come_through(&mut self, position: &Chess) {
        if let Some(reject) = self.doubted {
            self.is_there = reject.fen == full_fen(position);
            self.came_through |= self.is_there;
        }
    }
}

/// The position in which a game breaks off that goes on with nonsense behind these bytes.
fn broken_behind(before: &[u8]) -> Option<String> {
    struct Last(Option<String>);
    impl Visitor for Last {
        fn fault(&mut self, fault: &Fault<'_>) {
            self.0 = GameFault::of(fault).fen;
        }
    }
    // In the middle of a word there is no move to break off at.
    if before.last().is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let bytes = [before, b"Zz9"].concat();
    let mut last = Last(None);
    Walker::new(&bytes, 0, 0).walk(&mut last);
    last.0
}

impl Visitor for Finder<'_> {
    fn begin_game(&mut self, at: GameAt) {
        self.offset = at.offset;
        let reject = self.sought.at(at);
        let is_where_it_stood = |reject: &&Reject| (reject.game_index, reject.byte_offset) == (at.index, at.offset);
        self.found = reject.filter(is_where_it_stood).map(|reject| reject.game_index);
        self.doubted = reject.filter(|_| self.found.is_none());
    }

    fn begin_moves(&mut self, start: &Start) -> ControlFlow<()> {
        if self.doubted.is_none() {
            return ControlFlow::Break(());
        }
        if start.kind == StartKind::Fen {
            self.come_through(&start.position);
        }
        ControlFlow::Continue(())
    }

    fn reached(&mut self, after: &Chess) {
        self.come_through(after);
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        let Some(reject) = self.doubted else { return };
        let fault = GameFault::of(fault);
        // Neighbours are often refused for the same words, but seldom as far from where they begin.
        let is_as_far = fault.offset - self.offset == reject.error_offset.wrapping_sub(reject.byte_offset);
        if is_as_far && fault.fen.unwrap_or_default() == reject.fen {
            self.found = (fault.token == reject.san).then_some(reject.game_index);
            // Nothing behind it says more.
            self.doubted = None;
        }
    }

    fn text(&mut self, text: &[u8]) {
        let Some(reject) = self.doubted.filter(|_| self.came_through) else {
            return;
        };
        let far = usize::try_from(reject.error_offset.wrapping_sub(reject.byte_offset)).ok();
        let is_it = match far.and_then(|far| text.get(..far)) {
            Some(before) => broken_behind(before).as_deref() == Some(reject.fen.as_str()),
            // It was cut there.
            None => self.is_there,
        };
        self.found = is_it.then_some(reject.game_index);
    }
}

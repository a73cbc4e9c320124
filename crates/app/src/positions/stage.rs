//! From selected positions to the output: limits, shards, engines, filters that need a score, parts.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use tabiya_chess::{Analysis, SearchLimit, from_uci};
use tabiya_dataset::training::Sample;
use tabiya_engine::{Answer, Memory, NotDone, Pool, Replies, Search, Unit};
use tokio::runtime::Handle;

use super::{
    PositionReason, Rules, Shard,
    answers::{Answers, Key, Said},
    caps::{Caps, Fate},
    parts::Parts,
    progress::Place,
    score::{result_contradicts, training_score},
    select::{Selected, is_loud},
};
use crate::AppError;

/// So many positions wait or are thought about for each engine: enough that none idles while a hard one is waited for.
const AHEAD: usize = 16;

/// Engines, and what they are asked.
#[derive(Debug)]
pub(super) struct Scoring {
    pub(super) pool: Pool,
    pub(super) limit: SearchLimit,
    pub(super) engines: usize,
    pub(super) runtime: Handle,
    pub(super) answers: Answers,
}

/// A position on its way.
#[derive(Debug)]
struct Pending {
    sample: Sample,
    answer: Waiting,
    /// Where its block began, and how many positions of that block are done with it.
    block: Arc<Place>,
    skip: usize,
}

/// What a position waits for.
#[derive(Debug)]
enum Waiting {
    /// Nothing: no engine is asked.
    Nothing,
    /// Nothing: an earlier run has asked.
    Known(Said),
    Engine(Replies),
}

impl Pending {
    fn key(&self) -> Key {
        key(&self.block, self.skip)
    }
}

fn key(block: &Place, skip: usize) -> Key {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    (number(block.source), block.offset, number(skip))
}

/// Everything behind the selection. Positions leave in the order in which they came.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) rules: Rules,
    pub(super) caps: Caps,
    pub(super) shard: Option<Shard>,
    pub(super) scoring: Option<Scoring>,
    pub(super) parts: Parts,
    /// Whether the user wants to stop.
    stop: Arc<AtomicBool>,
    /// What was counted up to the block at hand, and where that is.
    pub(super) now: Place,
    pending: VecDeque<Pending>,
    /// The place behind the last whole group.
    whole: Place,
    /// The place behind the last group of the parts that are closed.
    closed: Place,
    /// Positions of the first block that an earlier run has done.
    skip: usize,
    /// Nothing more is wanted.
    pub(super) full: bool,
    pub(super) nodes: u64,
    pub(super) engine_millis: u64,
}

/// Told when a part was closed.
pub(super) type Note<'a> = &'a mut dyn FnMut(&Place, &Parts) -> Result<(), AppError>;

impl Stage {
    pub(super) fn new(
        rules: Rules,
        caps: Caps,
        shard: Option<Shard>,
        scoring: Option<Scoring>,
        parts: Parts,
        at: Place,
        stop: Arc<AtomicBool>,
    ) -> Stage {
        let skip = at.skip;
        Stage {
            rules,
            caps,
            shard,
            scoring,
            parts,
            stop,
            now: Place { skip: 0, ..at.clone() },
            pending: VecDeque::new(),
            whole: at.clone(),
            closed: at,
            skip,
            full: false,
            nodes: 0,
            engine_millis: 0,
        }
    }

    /// The beginning of another source.
    pub(super) fn begin_source(&mut self, source: usize) {
        self.now.source = source;
        self.now.offset = 0;
        self.now.games_before = self.now.games;
    }

    /// Takes a block that ends at `end`.
    pub(super) fn take(&mut self, selected: Selected, games: u64, end: u64, note: Note<'_>) -> Result<(), AppError> {
        let block = Arc::new(self.now.clone());
        let done_before = std::mem::take(&mut self.skip);
        for (index, sample) in selected.samples.into_iter().enumerate() {
            let reason = match self.caps.decide(&mut self.now.taken, &sample) {
                Fate::PassedOver(reason) => reason,
                Fate::Full => {
                    self.full = true;
                    break;
                }
                Fate::Number(number) if self.shard.is_some_and(|shard| !shard.has(number)) => {
                    PositionReason::OtherShard
                }
                Fate::Number(_) => {
                    if index >= done_before {
                        self.submit(sample, &block, index + 1, note)?;
                    }
                    continue;
                }
            };
            self.now.passed_over.add(reason, 1);
        }
        self.now.games += games;
        self.now.games_left_out += selected.games_left_out;
        self.now.passed_over += selected.passed_over;
        self.now.offset = end;
        Ok(())
    }

    fn submit(&mut self, sample: Sample, block: &Arc<Place>, skip: usize, note: Note<'_>) -> Result<(), AppError> {
        let (answer, ahead) = match &self.scoring {
            None => (Waiting::Nothing, 0),
            Some(scoring) => {
                let answer = match scoring.answers.get(key(block, skip)) {
                    Some(said) => Waiting::Known(said),
                    None => Waiting::Engine(scoring.ask(&sample)),
                };
                (answer, scoring.engines * AHEAD)
            }
        };
        self.pending.push_back(Pending {
            sample,
            answer,
            block: Arc::clone(block),
            skip,
        });
        while self.pending.len() > ahead {
            self.settle(note)?;
        }
        if self.stop.load(Relaxed) {
            return Err(AppError::Interrupted);
        }
        Ok(())
    }

    /// Waits for the position that is longest on its way, and sees it to its part.
    fn settle(&mut self, note: Note<'_>) -> Result<(), AppError> {
        let Some(mut pending) = self.pending.pop_front() else {
            return Ok(());
        };
        let key = pending.key();
        let said = match &mut pending.answer {
            Waiting::Nothing => None,
            Waiting::Known(said) => Some(*said),
            Waiting::Engine(replies) => self.hear(&pending.sample, key, replies)?,
        };
        let mut reason = match said {
            None => None,
            Some(Said::GaveUp) => Some(PositionReason::EngineGaveUp),
            Some(Said::Score { score, depth, loud }) => {
                pending.sample.score = Some(score);
                pending.sample.depth = Some(depth);
                (loud && self.rules.quiet).then_some(PositionReason::NotQuiet)
            }
        };
        if reason.is_none()
            && let Some(margin) = self.rules.result_consistent
            && let (Some(score), Some(result)) = (pending.sample.score, pending.sample.result)
            && result_contradicts(score, result, margin)
        {
            reason = Some(PositionReason::ResultContradictsScore);
        }
        let whole = match reason {
            Some(reason) => {
                self.now.scored.add(reason, 1);
                false
            }
            None => self.parts.push(pending.sample)?,
        };
        if whole {
            self.whole = Place {
                skip: pending.skip,
                scored: self.now.scored,
                ..Place::clone(&pending.block)
            };
            if self.parts.is_due() {
                self.close_part(note)?;
                // All that was answered is in parts now.
                if let Some(scoring) = &mut self.scoring {
                    scoring.answers.forget()?;
                }
            }
        }
        Ok(())
    }

    /// Waits for an answer, and writes it down.
    fn hear(&mut self, sample: &Sample, key: Key, replies: &mut Replies) -> Result<Option<Said>, AppError> {
        let Some(scoring) = &mut self.scoring else {
            return Ok(None);
        };
        let said = match scoring.runtime.block_on(replies.next()) {
            Some((_, Answer::Done(analysis))) => {
                self.nodes += analysis.nodes;
                self.engine_millis += analysis.millis;
                said_by(sample, &analysis)
            }
            Some((_, Answer::Quarantined { reason, .. })) => {
                tracing::warn!(
                    game = sample.game_id,
                    ply = sample.ply,
                    reason,
                    "no engine could answer"
                );
                Said::GaveUp
            }
            Some((_, Answer::NotDone(NotDone::NoEngine(reason)))) => return Err(AppError::NoEngineLeft { reason }),
            Some((_, Answer::NotDone(NotDone::Stopped))) | None => return Err(AppError::Interrupted),
        };
        scoring.answers.put(key, said)?;
        Ok(Some(said))
    }

    /// Notes how far the work is. Positions behind the last whole group will be taken again.
    pub(super) fn close_part(&mut self, note: Note<'_>) -> Result<(), AppError> {
        if let Some(scoring) = &mut self.scoring {
            scoring.answers.flush()?;
        }
        if let Err(error) = self.parts.close() {
            // The part is lost with all groups in it: whoever notes down how far the work is begins before it.
            self.whole = self.closed.clone();
            return Err(error.into());
        }
        self.closed = self.whole.clone();
        note(&self.whole, &self.parts)
    }

    /// Sees everything that is on its way to its part, which is left to be closed.
    pub(super) fn settle_all(&mut self, note: Note<'_>) -> Result<(), AppError> {
        while !self.pending.is_empty() {
            self.settle(note)?;
        }
        self.parts.write_rest()?;
        self.whole = self.now.clone();
        Ok(())
    }
}

impl Scoring {
    fn ask(&self, sample: &Sample) -> Replies {
        let search = Search {
            position: sample.position.clone(),
            limit: self.limit,
            multipv: 1,
        };
        self.pool.submit(Unit {
            searches: vec![search],
            memory: Memory::Nothing,
        })
    }
}

fn said_by(sample: &Sample, analysis: &Analysis) -> Said {
    let Some(best) = analysis.best() else {
        return Said::GaveUp;
    };
    let first = best.moves.first().map(ToString::to_string);
    let first = first.and_then(|uci| from_uci(&sample.position, &uci).ok());
    Said::Score {
        score: training_score(best.eval),
        depth: best.depth,
        loud: first.is_some_and(is_loud),
    }
}

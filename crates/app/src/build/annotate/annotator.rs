//! Answers the positions of a batch from what is known, from the cloud, from an engine, and writes down what it learned.

use std::time::{Duration, Instant};

use shakmaty::{Chess, Position as _};
use tabiya_chess::{Analysis, PositionId};
use tabiya_engine::{Answer, Memory, NotDone, Pool, Replies, Search, Unit};
use tabiya_lichess::CloudEval;
use tabiya_store::{NodeAnnotation, Store, StoreError};
use tokio::time::timeout;

use super::{
    Tally,
    batch::{Asked, Batch, BatchPosition},
    neighbours::{self, EVALUATION_REVIEW, Verdict},
    turn::Turn,
};
use crate::AppError;

/// How long an answer may wait to be written. A killed run has to search anew what it had not written.
const WRITE_AFTER: Duration = Duration::from_secs(1);

/// How long a database may be away before what was found is given up.
const DATABASE_PATIENCE: Duration = Duration::from_secs(120);

/// Who answers, and where answers go.
#[derive(Debug)]
pub struct Annotator {
    pub(crate) store: Store,
    pub(crate) pool: Pool,
    pub(crate) cloud: Option<CloudEval>,
    /// By how many centipawns neighbours may differ, where a batch does not say it.
    pub(crate) gap: u32,
}

/// What is not written yet.
#[derive(Default)]
struct Unwritten {
    analyses: Vec<(Chess, Analysis)>,
    nodes: Vec<NodeAnnotation>,
    questions: Vec<(PositionId, String)>,
    /// Nodes whose evaluation is replaced by one that raises no question.
    settled: Vec<PositionId>,
}

/// What engines were asked, by number in the batch.
struct Open {
    numbers: Vec<usize>,
    replies: Replies,
}

impl Annotator {
    /// Works through a batch. `told` hears the line of each position that is answered. What was learned is written even if
    /// the engines are stopped in the middle; doing the same batch again changes nothing. The engines get it when it is its turn.
    pub async fn work(&self, batch: &Batch, turn: Turn, told: impl Fn(&str)) -> Result<Tally, AppError> {
        let asked = batch.understand()?;
        let mut tally = Tally::default();
        let mut unwritten = Unwritten::default();
        let mut open = self.known(batch, &asked, &mut tally, &mut unwritten, &told).await?;
        if let Some(cloud) = &self.cloud {
            let mut missed = Vec::new();
            let mut written = Instant::now();
            for number in open {
                let answer = tokio::select! {
                    biased;
                    // The engines will say of whatever is left that it was not done.
                    () = self.pool.stopping() => None,
                    answer = self.ask_cloud(cloud, batch, &asked[number]) => answer,
                };
                match answer {
                    Some(analysis) => {
                        tally.from_cloud += 1;
                        self.take(batch, &asked, number, analysis, true, &mut tally, &mut unwritten);
                        told(&batch.positions[number].line);
                    }
                    None => missed.push(number),
                }
                if written.elapsed() > WRITE_AFTER {
                    self.write(&mut unwritten).await?;
                    written = Instant::now();
                }
            }
            open = missed;
        }
        if let Some(open) = self.submit(batch, &asked, open, turn).await {
            self.hear(batch, &asked, open, &mut tally, &mut unwritten, &told)
                .await?;
        }
        self.write(&mut unwritten).await?;
        Ok(tally)
    }

    /// Takes what the store knows; gives the numbers of the others.
    async fn known(
        &self,
        batch: &Batch,
        asked: &[Asked],
        tally: &mut Tally,
        unwritten: &mut Unwritten,
        told: &impl Fn(&str),
    ) -> Result<Vec<usize>, AppError> {
        let engine = batch.engine_only.then(|| self.pool.engine().name.as_str());
        let questions: Vec<_> = asked
            .iter()
            .map(|one| (one.position.clone(), one.question(batch.multipv, engine)))
            .collect();
        let mut open = Vec::new();
        for (number, found) in patiently(|| self.store.find_analyses(&questions))
            .await?
            .into_iter()
            .enumerate()
        {
            match found {
                Some(analysis) => {
                    tally.from_store += 1;
                    self.take(batch, asked, number, analysis, false, tally, unwritten);
                    told(&batch.positions[number].line);
                }
                None => open.push(number),
            }
        }
        Ok(open)
    }

    /// The cloud's answer, if it has one that is good enough; whatever else happens there, an engine can answer.
    async fn ask_cloud(&self, cloud: &CloudEval, batch: &Batch, asked: &Asked) -> Option<Analysis> {
        if batch.engine_only {
            return None;
        }
        let found = cloud.ask(&asked.position, batch.multipv).await;
        let analysis = found
            .inspect_err(|error| tracing::debug!(%error, "the cloud did not answer; an engine will"))
            .ok()??;
        let question = asked.question(batch.multipv, None);
        analysis.serves(&question, asked.legal_moves()).then_some(analysis)
    }

    /// Gives the engines what is open, when it is the batch's turn.
    async fn submit(&self, batch: &Batch, asked: &[Asked], open: Vec<usize>, mut turn: Turn) -> Option<Open> {
        // The cloud may take its time; engines are not to stand idle for the sake of an order.
        if self.cloud.is_none() {
            turn.come().await;
        }
        if open.is_empty() {
            return None;
        }
        let searches = open.iter().map(|number| Search {
            position: asked[*number].position.clone(),
            limit: asked[*number].limit,
            multipv: batch.multipv,
        });
        let replies = self.pool.submit(Unit {
            searches: searches.collect(),
            memory: match batch.reuse_hash {
                true => Memory::Everything,
                false => Memory::Nothing,
            },
        });
        Some(Open { numbers: open, replies })
    }

    async fn hear(
        &self,
        batch: &Batch,
        asked: &[Asked],
        open: Open,
        tally: &mut Tally,
        unwritten: &mut Unwritten,
        told: &impl Fn(&str),
    ) -> Result<(), AppError> {
        let Open { numbers, mut replies } = open;
        let mut written = Instant::now();
        loop {
            // The next answer may be minutes away.
            let Ok(reply) = timeout(WRITE_AFTER, replies.next()).await else {
                self.write(unwritten).await?;
                written = Instant::now();
                continue;
            };
            let Some((place, answer)) = reply else { break };
            let number = numbers[place];
            match answer {
                Answer::Done(analysis) => {
                    tally.searched += 1;
                    tally.nodes += analysis.nodes;
                    tally.engine_millis += analysis.millis;
                    self.take(batch, asked, number, analysis, true, tally, unwritten);
                    told(&batch.positions[number].line);
                }
                Answer::Quarantined { tries, reason } => {
                    tally.quarantined += 1;
                    let question = asked[number].question(batch.multipv, Some(&self.pool.engine().name));
                    patiently(|| {
                        self.store
                            .quarantine(&asked[number].position, &question, tries, &reason)
                    })
                    .await?;
                }
                Answer::NotDone(NotDone::Stopped) => tally.not_done += 1,
                Answer::NotDone(NotDone::NoEngine(reason)) => {
                    self.write(unwritten).await?;
                    return Err(AppError::NoEngineLeft { reason });
                }
            }
            if written.elapsed() > WRITE_AFTER {
                self.write(unwritten).await?;
                written = Instant::now();
            }
        }
        Ok(())
    }

    /// Keeps an answer for the next writing. One that the continuations contradict goes to review, and replaces nothing.
    #[expect(clippy::too_many_arguments, reason = "all of it is the state of one batch")]
    fn take(
        &self,
        batch: &Batch,
        asked: &[Asked],
        number: usize,
        analysis: Analysis,
        is_new: bool,
        tally: &mut Tally,
        unwritten: &mut Unwritten,
    ) {
        let (asked, wanted): (&Asked, &BatchPosition) = (&asked[number], &batch.positions[number]);
        let gap = batch.gap.unwrap_or(self.gap);
        if let Some(node) = NodeAnnotation::of(&asked.position, &analysis) {
            match neighbours::verdict(asked.position.turn(), &node, &wanted.children, gap) {
                Verdict::Sound => {
                    unwritten.settled.extend(wanted.shown.then_some(asked.id));
                    unwritten.nodes.push(node);
                }
                Verdict::Contradicted(detail) => {
                    tally.contradicted += 1;
                    unwritten.questions.push((asked.id, detail));
                    unwritten.nodes.extend((!wanted.shown).then_some(node));
                }
            }
        }
        if is_new {
            unwritten.analyses.push((asked.position.clone(), analysis));
        }
    }

    /// Evaluations first: they are what took long. A database that is away for a moment is waited for, because searching
    /// again takes longer; writing the same twice changes nothing.
    async fn write(&self, unwritten: &mut Unwritten) -> Result<(), AppError> {
        let Unwritten {
            analyses,
            nodes,
            questions,
            settled,
        } = std::mem::take(unwritten);
        if !analyses.is_empty() {
            patiently(|| self.store.put_analyses(analyses.clone())).await?;
        }
        if !nodes.is_empty() {
            patiently(|| self.store.annotate_nodes(nodes.clone())).await?;
        }
        if !settled.is_empty() {
            patiently(|| self.store.withdraw_reviews(EVALUATION_REVIEW, settled.clone())).await?;
        }
        if !questions.is_empty() {
            patiently(|| self.store.add_reviews(EVALUATION_REVIEW, questions.clone())).await?;
        }
        Ok(())
    }
}

/// Tries again what fails because the database is away, for a while.
async fn patiently<T, F>(attempt: impl Fn() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let given_up_at = Instant::now() + DATABASE_PATIENCE;
    let mut pause = Duration::from_millis(200);
    loop {
        match attempt().await {
            Err(error) if error.is_transient() && Instant::now() < given_up_at => {
                tracing::warn!(%error, "the database is away; trying again");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(5));
            }
            outcome => return outcome,
        }
    }
}

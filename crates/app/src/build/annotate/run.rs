//! Keeps all engines busy until everything is done or the user wants to stop.

use std::sync::atomic::AtomicBool;

use futures_util::{StreamExt as _, stream::FuturesUnordered};

use super::{AnnotateEvent, Annotator, Tally, batch::Batch, turn::Turns};
use crate::{AppError, engines::LAST_WORDS, interrupt};

/// Works off all batches; gives what became of them, and whether the user stopped it. What had been answered by then is
/// written.
pub(super) async fn work_off(
    annotator: &Annotator,
    batches: Vec<Batch>,
    engines: usize,
    stop: &AtomicBool,
    watch: &(impl Fn(AnnotateEvent<'_>) + Sync),
) -> Result<(Tally, bool), AppError> {
    let mut left = batches.into_iter();
    let mut at_work = FuturesUnordered::new();
    let mut tally = Tally::default();
    let mut failed = None;
    let mut interrupted = false;
    let told = |line: &str| watch(AnnotateEvent::Answered(line));
    let mut turns = Turns::default();
    let mut work = |batch: Batch| {
        let turn = turns.next();
        async move { annotator.work(&batch, turn, told).await }
    };
    // What is in flight has a moment to finish; the rest is given back, and the batches end by themselves.
    let stop_engines = || {
        let pool = annotator.pool.clone();
        tokio::spawn(async move { pool.stop(LAST_WORDS).await });
    };
    // One batch more than engines, so that none waits while another's answers are written.
    at_work.extend(left.by_ref().take(engines + 1).map(&mut work));
    let mut asked = std::pin::pin!(interrupt::asked(stop));
    loop {
        tokio::select! {
            done = at_work.next() => match done {
                None => break,
                Some(Ok(done)) => {
                    tally += done;
                    if !interrupted && failed.is_none() && let Some(batch) = left.next() {
                        at_work.push(work(batch));
                    }
                }
                Some(Err(error)) => {
                    failed.get_or_insert(error);
                    stop_engines();
                }
            },
            () = &mut asked, if !interrupted => {
                interrupted = true;
                stop_engines();
            }
        }
    }
    tally.not_done += left.map(|batch| batch.positions.len() as u64).sum::<u64>();
    match failed {
        Some(error) => Err(error),
        None => Ok((tally, interrupted)),
    }
}

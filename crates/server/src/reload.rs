//! Taking in what others have built.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tabiya_app::explore::KnowledgeBase;

use crate::shared::Shared;

/// A build that writes for longer than this is looked at in the middle.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long to wait before what could not be loaded is tried again, where nobody has asked for shorter intervals.
const AGAIN: Duration = Duration::from_secs(5);

/// Loads the first snapshot, then one after every change, until the task is aborted. What could not be loaded has not been seen,
/// and is tried again.
pub(crate) async fn keep_fresh(shared: Arc<Shared>, interval: Duration) {
    let knowledge = Arc::clone(&shared.knowledge);
    let mut seen = take_in(&shared).await;
    loop {
        tokio::select! {
            () = pause(interval, seen) => {}
            () = shared.reload.notified() => {
                seen = take_in(&shared).await;
                continue;
            }
        }
        match knowledge.mark().await {
            Ok(mark) if seen != Some(mark) => {
                let mark = settled(&knowledge, mark, interval).await;
                seen = load(&shared).await.then_some(mark);
            }
            Ok(_) => {}
            // Whoever asks hears of it; here it is only that nothing new is taken in.
            Err(error) => tracing::debug!(%error, "the database does not say whether it changed"),
        }
    }
}

/// What is there now. Gives its mark, if it could be loaded.
async fn take_in(shared: &Shared) -> Option<u64> {
    let mark = shared.knowledge.mark().await.ok();
    if load(shared).await { mark } else { None }
}

async fn pause(interval: Duration, seen: Option<u64>) {
    match (interval.is_zero(), seen) {
        (true, Some(_)) => std::future::pending().await,
        (true, None) => tokio::time::sleep(AGAIN).await,
        (false, None) => tokio::time::sleep(interval.min(AGAIN)).await,
        (false, Some(_)) => tokio::time::sleep(interval).await,
    }
}

/// Waits until nothing changes for one interval, or for too long.
async fn settled(knowledge: &KnowledgeBase, mut mark: u64, interval: Duration) -> u64 {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        tokio::time::sleep(interval).await;
        match knowledge.mark().await {
            Ok(next) if next != mark => mark = next,
            _ => break,
        }
    }
    mark
}

/// Whether it could be.
async fn load(shared: &Shared) -> bool {
    let begun = Instant::now();
    match shared.knowledge.reload().await {
        Ok(snapshot) => {
            let nodes = snapshot.all().len();
            // So that nobody has to wait for them later.
            let indexed = tokio::task::spawn_blocking(move || {
                snapshot.search();
                snapshot.skeletons();
            });
            if indexed.await.is_err() {
                tracing::error!("the indexes could not be made");
            }
            shared.meters.nodes.set(nodes as f64);
            shared.meters.reloads.increment(1);
            tracing::info!(
                nodes,
                seconds = begun.elapsed().as_secs_f64(),
                "the knowledge base is in memory"
            );
            true
        }
        Err(error) => {
            tracing::error!(%error, "the knowledge base could not be loaded; what was there stays");
            false
        }
    }
}

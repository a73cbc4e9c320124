//! Taking in what others have built.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tabiya_app::explore::KnowledgeBase;

use crate::shared::Shared;

/// A build that writes for longer than this is looked at in the middle.
const PATIENCE: Duration = Duration::from_secs(60);

/// Loads the first snapshot, then one after every change, until the task is aborted.
pub(crate) async fn keep_fresh(shared: Arc<Shared>, interval: Duration) {
    let knowledge = Arc::clone(&shared.knowledge);
    let mut seen = knowledge.mark().await.ok();
    load(&shared).await;
    loop {
        tokio::select! {
            () = pause(interval) => {}
            () = shared.reload.notified() => {
                seen = knowledge.mark().await.ok();
                load(&shared).await;
                continue;
            }
        }
        match knowledge.mark().await {
            Ok(mark) if seen != Some(mark) => {
                seen = Some(settled(&knowledge, mark, interval).await);
                load(&shared).await;
            }
            Ok(_) => {}
            // Whoever asks hears of it; here it is only that nothing new is taken in.
            Err(error) => tracing::debug!(%error, "the database does not say whether it changed"),
        }
    }
}

async fn pause(interval: Duration) {
    if interval.is_zero() {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(interval).await;
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

async fn load(shared: &Shared) {
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
        }
        Err(error) => tracing::error!(%error, "the knowledge base could not be loaded; what was there stays"),
    }
}

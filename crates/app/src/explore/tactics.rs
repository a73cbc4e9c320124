//! The bank of tactics, a page at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::sync::{Mutex, oneshot};

pub use pgn_import::Tactic;
use tabiya_store::Store;
pub use tabiya_store::{TacticFilter, TacticThemes};

use super::KnowledgeBase;
use crate::AppError;

/// So long themes are taken for what there is, unless a snapshot is loaded in between: then somebody has written.
const FRESH: Duration = Duration::from_secs(60);

/// The themes as they were a moment ago. To count them is to look at every tactic there is, so that is done for all who ask at once,
/// and goes on when they have stopped waiting: it would go on in the database too, and be begun anew beside itself.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownThemes(Arc<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Can be looked at while they are counted anew.
    last: ArcSwapOption<Counted>,
    /// Held by whoever counts.
    turn: Mutex<()>,
}

#[derive(Debug)]
struct Counted {
    at: Instant,
    /// The snapshot that was there when counting began.
    generation: u64,
    themes: Arc<TacticThemes>,
}

impl KnownThemes {
    /// Whether there were such tactics when they were counted last.
    fn had(&self, filter: TacticFilter<'_>) -> bool {
        let last = self.0.last.load();
        last.as_ref().is_some_and(|counted| counted.themes.has(filter))
    }
}

impl Known {
    /// For whoever holds the turn.
    async fn themes(&self, store: &Store, generation: u64) -> Result<Arc<TacticThemes>, AppError> {
        let is_fresh = |counted: &Arc<Counted>| counted.generation == generation && counted.at.elapsed() < FRESH;
        if let Some(counted) = self.last.load_full().filter(is_fresh) {
            return Ok(Arc::clone(&counted.themes));
        }
        let themes = Arc::new(store.tactic_themes().await?);
        self.last.store(Some(Arc::new(Counted {
            at: Instant::now(),
            generation,
            themes: Arc::clone(&themes),
        })));
        Ok(themes)
    }
}

impl KnowledgeBase {
    /// Up to `limit` tactics with ids above `after`, by id; ids are hashes, so that their order is as good as none.
    pub async fn tactics(
        &self,
        filter: TacticFilter<'_>,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Tactic>, AppError> {
        let is_filtered = filter.tag.is_some() || filter.source.is_some();
        // The database would look through all of them to find that there are none. Of a theme that was there once it is asked
        // however long ago that is: nobody waits for a count who will find some without it.
        if is_filtered && !self.themes.had(filter) && !self.tactic_themes().await?.has(filter) {
            return Ok(Vec::new());
        }
        Ok(self.store().tactics_wanted(filter, after, limit).await?)
    }

    /// What tactics can be asked for, or could a minute ago at the most.
    pub async fn tactic_themes(&self) -> Result<Arc<TacticThemes>, AppError> {
        let (known, store, loaded) = (self.themes.clone(), self.store().clone(), self.loaded());
        let (mut asker, answer) = oneshot::channel();
        tokio::spawn(async move {
            // Who has stopped waiting does not stay in line: where the database is away, each turn takes seconds to fail.
            let _turn = tokio::select! {
                biased;
                () = asker.closed() => return,
                turn = known.0.turn.lock() => turn,
            };
            let generation = *loaded.borrow();
            let themes = known.0.themes(&store, generation).await;
            // Nobody may be waiting any more; then it was counted for the next.
            let _ = asker.send(themes);
        });
        answer.await.map_err(|panic| AppError::Corrupt(panic.to_string()))?
    }
}

#[cfg(test)]
mod tests {
    use pgn_import::Storage as _;

    use super::*;

    #[tokio::test]
    async fn nobody_waits_for_a_count_who_asks_for_what_was_there_before() {
        let mut store = Store::connect("sqlite::memory:").await.expect("a database");
        let fork = Tactic {
            id: 1,
            fen: "8/8/8/8/8/8/8/8 w - - 0 1".to_owned(),
            pv_uci: vec!["a1a2".to_owned()],
            tags: vec!["fork".to_owned()],
            source_hint: None,
        };
        store.upsert_tactics(vec![fork.clone()]).await.expect("stored");
        let knowledge = KnowledgeBase::over(store).await.expect("it is there");
        let forks = TacticFilter {
            tag: Some("fork"),
            ..TacticFilter::default()
        };
        knowledge.tactic_themes().await.expect("counted");
        // Whoever counts holds it, for as long as that takes.
        let _counting = knowledge.themes.0.turn.lock().await;
        let found = tokio::time::timeout(Duration::from_secs(60), knowledge.tactics(forks, None, 9));
        assert_eq!(found.await.expect("an answer").expect("found"), [fork]);
    }
}

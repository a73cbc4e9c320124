//! The present snapshot, and the next.

use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use tabiya_chess::PositionId;
use tabiya_store::{NodeView, Store, Watch};
use tokio::sync::{Mutex, watch};

use super::tactics::KnownThemes;
use super::{Catalogue, Snapshot};
use crate::{AppError, database};

/// A database that is asked, with what is in memory of it.
#[derive(Debug)]
pub struct KnowledgeBase {
    store: Store,
    catalogue: ArcSwap<Catalogue>,
    snapshot: ArcSwapOption<Snapshot>,
    /// Counts the snapshots.
    loaded: watch::Sender<u64>,
    /// Made anew when its connection is lost.
    watch: Mutex<Option<Watch>>,
    pub(super) themes: KnownThemes,
}

impl KnowledgeBase {
    /// Opens a database that has to be there. Of what is in it only the catalogue is in memory yet.
    pub async fn open(url: &str) -> Result<KnowledgeBase, AppError> {
        KnowledgeBase::over(database::open(url).await?).await
    }

    pub async fn over(store: Store) -> Result<KnowledgeBase, AppError> {
        Ok(KnowledgeBase {
            catalogue: ArcSwap::from_pointee(Catalogue::load(&store).await?),
            store,
            snapshot: ArcSwapOption::empty(),
            loaded: watch::Sender::new(0),
            watch: Mutex::new(None),
            themes: KnownThemes::default(),
        })
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The present catalogue.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.load_full()
    }

    /// The present snapshot; `None` until the first is loaded.
    pub fn snapshot(&self) -> Option<Arc<Snapshot>> {
        self.snapshot.load_full()
    }

    /// Which snapshot is the present one: 0 for none, 1 for the first.
    pub fn generation(&self) -> u64 {
        *self.loaded.borrow()
    }

    /// The same, for as long as somebody wants to know.
    pub(super) fn loaded(&self) -> watch::Receiver<u64> {
        self.loaded.subscribe()
    }

    /// The present snapshot, without taking hold of it: for whoever gives an answer at once.
    pub fn glance(&self) -> arc_swap::Guard<Option<Arc<Snapshot>>> {
        self.snapshot.load()
    }

    /// The present snapshot, or the first one as soon as it is there.
    pub async fn wait_for_snapshot(&self) -> Arc<Snapshot> {
        let mut loaded = self.loaded.subscribe();
        loop {
            if let Some(snapshot) = self.snapshot() {
                return snapshot;
            }
            // The sender is ours, so there is always a next time.
            let _ = loaded.changed().await;
        }
    }

    /// Loads a snapshot and puts it in the place of the present one.
    pub async fn reload(&self) -> Result<Arc<Snapshot>, AppError> {
        let catalogue = Arc::new(Catalogue::load(&self.store).await?);
        let snapshot = Arc::new(Snapshot::under(Arc::clone(&catalogue), &self.store).await?);
        self.catalogue.store(catalogue);
        self.snapshot.store(Some(Arc::clone(&snapshot)));
        self.loaded.send_modify(|count| *count += 1);
        Ok(snapshot)
    }

    /// A number that is another after others have written to the database.
    pub async fn mark(&self) -> Result<u64, AppError> {
        let mut held = self.watch.lock().await;
        let mut watch = match held.take() {
            Some(watch) => watch,
            None => self.store.watch().await?,
        };
        let mark = watch.mark().await?;
        *held = Some(watch);
        Ok(mark)
    }

    /// A node as the database has it.
    pub async fn node(&self, position: PositionId, collection: Option<&str>) -> Result<Option<NodeView>, AppError> {
        Ok(self.store.node(position, collection).await?)
    }

    pub async fn close(&self) {
        // A connection that is out would be waited for.
        self.watch.lock().await.take();
        self.store.close().await;
    }
}

//! One state of the database, in memory.

use std::sync::{Arc, OnceLock};

use tabiya_store::{CollectionSource, Store, StoreError};

use super::{Catalogue, SearchIndex, SkeletonIndex, View};

/// The whole knowledge base as it was at one time.
#[derive(Debug)]
pub struct Snapshot {
    catalogue: Arc<Catalogue>,
    all: Arc<View>,
    /// One for each collection with games.
    single: Vec<(String, Arc<View>)>,
    /// Made when first asked for: exports need neither.
    search: OnceLock<SearchIndex>,
    skeletons: OnceLock<SkeletonIndex>,
}

impl Snapshot {
    /// Reads positions and moves to a catalogue that was just read. Each part is read on one state of the database, one part
    /// after the other; whoever reads while a build writes reads again when it has ended.
    pub async fn under(catalogue: Arc<Catalogue>, store: &Store) -> Result<Snapshot, StoreError> {
        let all = Arc::new(View::new(store.knowledge_graph(None).await?));
        let collections = catalogue.collections();
        let stubs = (collections.iter()).any(|collection| collection.source == CollectionSource::Validation);
        let counted: Vec<&str> = catalogue.counted().collect();
        let mut single = Vec::new();
        for name in &counted {
            // One collection and the named lines are all there is.
            let view = match counted.len() {
                1 if !stubs => Arc::clone(&all),
                _ => Arc::new(View::new(store.knowledge_graph(Some(name)).await?)),
            };
            single.push(((*name).to_owned(), view));
        }
        Ok(Snapshot {
            catalogue,
            all,
            single,
            search: OnceLock::new(),
            skeletons: OnceLock::new(),
        })
    }

    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// What all collections say together.
    pub fn all(&self) -> &View {
        &self.all
    }

    /// Openings by name.
    pub fn search(&self) -> &SearchIndex {
        self.search.get_or_init(|| SearchIndex::of(self))
    }

    /// Positions by their pawns.
    pub fn skeletons(&self) -> &SkeletonIndex {
        self.skeletons.get_or_init(|| SkeletonIndex::of(self))
    }

    /// What one collection says, or all of them; `None` where there is no such collection.
    pub fn view(&self, collection: Option<&str>) -> Option<&View> {
        match collection {
            None => Some(&self.all),
            Some(asked) => {
                let found = self.single.iter().find(|(name, _)| name == asked);
                found.map(|(_, view)| &**view)
            }
        }
    }
}

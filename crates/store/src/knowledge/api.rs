//! What a store answers to.

use serde_json::Value;
use tabiya_chess::PositionId;
use uuid::Uuid;

use super::openings::Which;
use super::pages::LoadPages;
use super::rows::{
    BookMove, Collection, CrawlAnswer, Graph, OpeningLink, OpeningRow, PhaseRecord, StructureBy, StructureLink,
    StructureRow, Stub,
};
use super::tx::Tx;
use super::views::{
    Change, CrawledNode, KnowledgeGraph, LinkedOpening, ListedGames, MoveFacet, NodeView, OpeningKey, OpeningName,
    OpeningView, Review, StructureView,
};
use super::{crawl, dump, enrich, games, graph, load, node, openings, plies};
use crate::fault::Trouble;
use crate::{Identity, SqliteStore, Store, StoreError};

/// What a change touches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Touches {
    /// Positions and edges too.
    Graph,
    Knowledge,
    /// What engines said and who asks them: nothing that a build or an import would have to wait for.
    Evaluations,
}

/// Runs `$work` in a transaction and commits what it did, or none of it.
macro_rules! change {
    ($store:expr, $touches:expr, $tx:ident => $work:expr) => {{
        let mut tx = $store.begin($touches).await?;
        let $tx = &mut tx;
        let worked = $work.await;
        $store.finish(tx, worked).await
    }};
}

/// Runs `$work` on one state of the knowledge base. Nothing is settled first: nodes have plies and clocks of their own, and who looks
/// does not write.
macro_rules! look {
    ($store:expr, $tx:ident => $work:expr) => {{
        let mut tx = $store.begin_look().await?;
        let $tx = &mut tx;
        let found = $work.await;
        $store.looked(found)
    }};
}

/// What a copy in Neo4j answers by itself.
macro_rules! copied {
    ($store:expr, $copy:ident => $answer:expr) => {
        if let Store::Neo4j($copy) = $store {
            return $answer.await;
        }
    };
}

/// Runs `$work` on one state of the database, whatever tells its positions apart.
macro_rules! glance {
    ($store:expr, $tx:ident => $work:expr) => {{
        let mut tx = $store.begin_glance().await?;
        let $tx = &mut tx;
        let found = $work.await;
        $store.looked(found)
    }};
}

pub(super) use {change, glance, look};

impl Store {
    pub(super) fn explain(&self, trouble: Trouble) -> StoreError {
        match self {
            Store::Sqlite(store) => store.explain(trouble),
            Store::Postgres(store) => store.explain(trouble),
            // What has no transaction of ours has no trouble of this kind.
            Store::Neo4j(store) => store.refuse(),
        }
    }

    /// What was found by a look, if the file it was found in stayed as it was meanwhile: pages of two states make no sense, or worse,
    /// some.
    pub(super) fn looked<T>(&self, found: Result<T, Trouble>) -> Result<T, StoreError> {
        let unchanged = match self {
            Store::Sqlite(store) => store.check_unchanged(),
            Store::Postgres(_) | Store::Neo4j(_) => Ok(()),
        };
        unchanged.and(found).map_err(|trouble| self.explain(trouble))
    }

    /// A node is a position by its EPD; where the whole FEN tells positions apart there is no knowledge base.
    fn check_identity(&self) -> Result<(), StoreError> {
        match self.identity() {
            Identity::Position => Ok(()),
            stored => Err(self.explain(Trouble::Identity {
                stored,
                asked: Identity::Position,
            })),
        }
    }

    pub(super) async fn begin(&self, touches: Touches) -> Result<Tx, StoreError> {
        if touches != Touches::Evaluations {
            self.check_identity()?;
        }
        let begun = match (self, touches) {
            (Store::Sqlite(store), Touches::Evaluations) => store.begin_evaluations().await.map(Tx::Sqlite),
            (Store::Sqlite(store), _) => store.begin_change().await.map(Tx::Sqlite),
            (Store::Postgres(store), Touches::Evaluations) => store.begin_evaluations().await.map(Tx::Postgres),
            (Store::Postgres(store), _) => store.begin_change(touches == Touches::Graph).await.map(Tx::Postgres),
            (Store::Neo4j(store), _) => return Err(store.refuse()),
        };
        begun.map_err(|trouble| self.explain(trouble))
    }

    pub(super) async fn begin_glance(&self) -> Result<Tx, StoreError> {
        let begun = match self {
            Store::Sqlite(store) => store.begin_look().await.map(Tx::Sqlite),
            Store::Postgres(store) => store.begin_look().await.map(Tx::Postgres),
            Store::Neo4j(store) => return Err(store.refuse()),
        };
        begun.map_err(|trouble| self.explain(trouble))
    }

    pub(crate) async fn begin_look(&self) -> Result<Tx, StoreError> {
        self.check_identity()?;
        self.begin_glance().await
    }

    pub(super) async fn finish<T>(&self, tx: Tx, worked: Result<T, Trouble>) -> Result<T, StoreError> {
        match (worked, tx) {
            (Ok(value), tx) => {
                let committed = match tx {
                    Tx::Sqlite(tx) => tx.commit().await,
                    Tx::Postgres(tx) => tx.commit().await,
                };
                committed.map_err(|e| self.explain(e.into()))?;
                Ok(value)
            }
            (Err(trouble), tx) => {
                match tx {
                    Tx::Sqlite(tx) => SqliteStore::undo(tx).await,
                    // What went wrong first is what to report.
                    Tx::Postgres(tx) => drop(tx.rollback().await),
                }
                Err(self.explain(trouble))
            }
        }
    }

    /// Replaces all openings and the collection `openings`, which is every position and move of `skeleton`, without games.
    pub async fn load_openings(&self, openings: &[OpeningRow], skeleton: Graph) -> Result<(), StoreError> {
        change!(self, Touches::Graph, tx => openings::load(tx, openings, skeleton))
    }

    /// Adds the graph and replaces each collection of the load. Nodes that no collection counts any more go, and what was
    /// found out about them; evaluations, openings and all other collections stay.
    pub async fn load_counts(&self, load: impl Into<LoadPages>) -> Result<(), StoreError> {
        let load = load.into();
        change!(self, Touches::Graph, tx => load::counts(tx, load))
    }

    /// Writes what an explorer said of one position, in place of what it said before.
    pub async fn commit_answer(&self, collection: &Collection, answer: CrawlAnswer) -> Result<(), StoreError> {
        change!(self, Touches::Graph, tx => crawl::commit(tx, collection, answer))
    }

    /// Forgets the answers that are not `kept`, and all moves with fewer games than the collection now keeps. Those that are kept
    /// get the depths they are given with.
    pub async fn keep_answers(&self, collection: &Collection, kept: Vec<(PositionId, u16)>) -> Result<(), StoreError> {
        change!(self, Touches::Graph, tx => crawl::keep(tx, collection, kept))
    }

    /// Brings the plies and clocks of all nodes up to date, which single answers leave to the end of a crawl.
    pub async fn settle_nodes(&self) -> Result<(), StoreError> {
        change!(self, Touches::Graph, tx => plies::settle(tx))
    }

    /// The positions an explorer has answered for in a collection, by id; none where there is no such collection.
    pub async fn crawled(&self, collection: &str) -> Result<Vec<CrawledNode>, StoreError> {
        look!(self, tx => crawl::crawled(tx, collection))
    }

    /// Adds lines that a check against a corpus found missing. They stay through all later builds.
    pub async fn add_stubs(&self, stubs: Vec<Stub>) -> Result<(), StoreError> {
        change!(self, Touches::Graph, tx => load::stubs(tx, stubs))
    }

    /// All nodes and moves with their games, summed over all collections; or those of one collection and of the named
    /// lines, with its games.
    pub async fn knowledge_graph(&self, collection: Option<&str>) -> Result<KnowledgeGraph, StoreError> {
        copied!(self, copy => copy.knowledge_graph(collection));
        look!(self, tx => graph::graph(tx, collection))
    }

    /// Enters the openings that nodes belong to, and takes theirs from those that have `lost` it: nodes that were below no named
    /// position, each with the opening it had when that was seen. All others are left alone, and so is who has found one since.
    /// Only where another one was entered before is that a change: it is logged and dated.
    pub async fn set_lineage(
        &self,
        lineage: Vec<(PositionId, Uuid)>,
        lost: Vec<(PositionId, Uuid)>,
    ) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => enrich::set_lineage(tx, lineage, lost))
    }

    /// Enters pawn structures. Changes are logged as for [`set_lineage`](Store::set_lineage); what a person said is left
    /// alone by rules.
    pub async fn set_structures(&self, structures: Vec<(PositionId, String, StructureBy)>) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => enrich::set_structures(tx, structures))
    }

    /// Takes the structure from every node that moves lead on from: more games may have made it one.
    pub async fn clear_inner_structures(&self) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => enrich::clear_inner_structures(tx))
    }

    /// Replaces the nodes where openings end.
    pub async fn replace_resolutions(&self, resolutions: Vec<(Uuid, PositionId)>) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => openings::replace_resolutions(tx, resolutions))
    }

    /// Replaces the pairs of related openings.
    pub async fn replace_relations(&self, relations: Vec<(Uuid, Uuid)>) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => openings::replace_relations(tx, relations))
    }

    /// Replaces the pairs of openings whose trees meet.
    pub async fn replace_transpositions(&self, links: Vec<OpeningLink>) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => openings::replace_transpositions(tx, links))
    }

    /// Replaces the catalogue of pawn structures.
    pub async fn replace_structures(&self, structures: Vec<StructureRow>) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => openings::replace_structures(tx, structures))
    }

    /// Replaces what structures arise from which openings.
    pub async fn replace_structure_links(&self, links: Vec<StructureLink>) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => openings::replace_structure_links(tx, links))
    }

    /// Replaces the open questions of one reason. Answered ones stay, and are not asked again.
    pub async fn queue_reviews(&self, reason: &str, questions: Vec<(PositionId, String)>) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => enrich::queue_reviews(tx, reason, questions))
    }

    /// Adds questions of one reason beside those that are open. One that was asked before is asked in the new words; one
    /// that was answered is not asked again.
    pub async fn add_reviews(&self, reason: &str, questions: Vec<(PositionId, String)>) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => enrich::add_reviews(tx, reason, questions))
    }

    /// Takes back open questions of one reason that have settled themselves.
    pub async fn withdraw_reviews(&self, reason: &str, nodes: Vec<PositionId>) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => enrich::withdraw_reviews(tx, reason, nodes))
    }

    /// Questions for people, by node and reason.
    pub async fn reviews(&self, open_only: bool) -> Result<Vec<Review>, StoreError> {
        look!(self, tx => enrich::reviews(tx, open_only))
    }

    /// Enters a person's answer and says whether there was such a question. To one of the reason `structure` the answer
    /// becomes the node's structure.
    pub async fn answer_review(&self, node: PositionId, reason: &str, answer: &str) -> Result<bool, StoreError> {
        change!(self, Touches::Knowledge, tx => enrich::answer_review(tx, node, reason, answer))
    }

    /// Replaces the moves of the book.
    pub async fn set_book_moves(&self, moves: Vec<BookMove>) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => enrich::set_book_moves(tx, moves))
    }

    /// The moves of the book, by position and UCI.
    pub async fn book_moves(&self) -> Result<Vec<BookMove>, StoreError> {
        look!(self, tx => enrich::book_moves(tx))
    }

    /// A node as all collections see it, or one together with the named lines; `None` for a position they do not have.
    pub async fn node(&self, position: PositionId, collection: Option<&str>) -> Result<Option<NodeView>, StoreError> {
        copied!(self, copy => copy.node(position, collection));
        look!(self, tx => node::node(tx, position, collection))
    }

    /// The moves from a node in one collection, told apart by year, rating band and speed.
    pub async fn facets(&self, position: PositionId, collection: &str) -> Result<Vec<MoveFacet>, StoreError> {
        copied!(self, copy => copy.facets(position, collection));
        look!(self, tx => node::facets(tx, position, collection))
    }

    /// The games listed at a position by one collection, or by all; none where they do not have it.
    pub async fn listed_games(
        &self,
        position: PositionId,
        collection: Option<&str>,
    ) -> Result<ListedGames, StoreError> {
        copied!(self, copy => copy.listed_games(position, collection));
        glance!(self, tx => games::listed(tx, position, collection))
    }

    /// Those of some positions that an opening is named after, each with its name, in no particular order.
    pub async fn names_at(&self, positions: &[PositionId]) -> Result<Vec<(PositionId, OpeningName)>, StoreError> {
        copied!(self, copy => copy.names_at(positions));
        glance!(self, tx => node::names_at(tx, positions))
    }

    pub async fn opening(&self, key: &OpeningKey) -> Result<Option<OpeningView>, StoreError> {
        copied!(self, copy => copy.opening(key));
        let found = look!(self, tx => openings::openings(tx, Which::Key(key)))?;
        Ok(found.into_iter().next())
    }

    /// The openings of an ECO code, by name.
    pub async fn openings_by_eco(&self, eco: &str) -> Result<Vec<OpeningView>, StoreError> {
        copied!(self, copy => copy.openings_by_eco(eco));
        look!(self, tx => openings::openings(tx, Which::Eco(eco)))
    }

    /// All openings, by ECO code and name.
    pub async fn openings(&self) -> Result<Vec<OpeningView>, StoreError> {
        copied!(self, copy => copy.openings());
        look!(self, tx => openings::openings(tx, Which::All))
    }

    /// All pawn structures, by slug.
    pub async fn structures(&self) -> Result<Vec<StructureView>, StoreError> {
        copied!(self, copy => copy.structures());
        look!(self, tx => openings::structures(tx))
    }

    /// The openings whose trees meet that of one, by id.
    pub async fn transpositions_of(&self, opening: Uuid) -> Result<Vec<LinkedOpening>, StoreError> {
        copied!(self, copy => copy.transpositions_of(opening));
        look!(self, tx => openings::transpositions_of(tx, opening))
    }

    /// All collections, by name.
    pub async fn collections(&self) -> Result<Vec<Collection>, StoreError> {
        copied!(self, copy => copy.collections());
        look!(self, tx => node::collections(tx))
    }

    /// What changed about a node, oldest first.
    pub async fn changelog(&self, node: PositionId) -> Result<Vec<Change>, StoreError> {
        look!(self, tx => enrich::changelog(tx, node))
    }

    /// The record of a phase that is done.
    pub async fn phase(&self, name: &str) -> Result<Option<PhaseRecord>, StoreError> {
        look!(self, tx => enrich::phase(tx, name))
    }

    /// Records that a phase is done, in place of an earlier record.
    pub async fn record_phase(&self, name: &str, input: &str, figures: &Value) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => enrich::record_phase(tx, name, input, figures))
    }

    /// Records that a phase is done, unless the record it began with is no longer there; says whether it was.
    pub async fn finish_phase(
        &self,
        name: &str,
        begun: &str,
        input: &str,
        figures: &Value,
    ) -> Result<bool, StoreError> {
        change!(self, Touches::Knowledge, tx => enrich::finish_phase(tx, name, begun, input, figures))
    }

    /// Forgets that phases were done.
    pub async fn forget_phases(&self, names: &[&str]) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => enrich::forget_phases(tx, names))
    }

    /// The knowledge base as sorted lines of text: two that hold the same give the same, whatever their database and the
    /// way they were built. Times and the log of changes are left out.
    pub async fn dump_knowledge(&self) -> Result<Vec<String>, StoreError> {
        look!(self, tx => dump::dump(tx))
    }
}

//! Everything about one position.

use std::collections::{HashMap, HashSet};

use tabiya_chess::{NodeId, PositionId, Stats};
use tabiya_store::{ChildView, NodeEvaluation, NodeView, OpeningName, OpeningRow, OtherParent};
use uuid::Uuid;

use super::{Asked, BestLine, Catalogue, KnowledgeBase, Place, Snapshot, Step, View};
use crate::AppError;

/// A position, what comes after each move, and who counts how many games there.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// Of the collection that was asked about, or of all.
    pub node: NodeView,
    /// The way from its parent; the others are the node's transpositions.
    pub parent: Option<OtherParent>,
    /// How the games came to the positions before it: for each the moves from the initial position along the chain of
    /// parents, in UCI.
    pub lines: HashMap<NodeId, Vec<String>>,
    /// The positions its moves lead to.
    pub after: HashMap<NodeId, After>,
    /// What each collection with games there counts, by name.
    pub collections: Vec<(String, Stats)>,
    /// What an engine would play, where the node shows an evaluation.
    pub best_lines: Vec<BestLine>,
    /// What the line that was given is called: after the last of its positions with a name of its own.
    pub path_name: Option<OpeningName>,
}

/// A position behind a move.
#[derive(Debug, Clone, PartialEq)]
pub struct After {
    /// By whatever move it was reached.
    pub stats: Stats,
    pub opening: Option<OpeningName>,
    /// Whether the name is its own.
    pub named: bool,
    pub evaluation: Option<NodeEvaluation>,
    pub structure: Option<String>,
}

impl KnowledgeBase {
    /// All there is to say of a position; `None` where the graph lacks it. Only games and lines come from the database once a
    /// snapshot is there.
    pub async fn facts(&self, asked: &Asked, collection: Option<&str>) -> Result<Option<Facts>, AppError> {
        let id = asked.id();
        // Held to the end: the next one may come while the database is asked, and one answer is about one state.
        let snapshot = self.snapshot();
        let found = match &snapshot {
            Some(snapshot) => {
                let Some(mut facts) = remembered(snapshot, id, collection) else {
                    return Ok(None);
                };
                let games = self.store().listed_games(id, collection).await?;
                (facts.node.top_games, facts.node.recent_games) = (games.top, games.recent);
                Some(facts)
            }
            None => self.looked_up(id, collection).await?,
        };
        let Some(mut facts) = found else {
            return Ok(None);
        };
        if facts.node.evaluation.is_some() {
            facts.best_lines = self.best_lines(asked).await?;
        }
        let called = |catalogue: &Catalogue| {
            let named = catalogue.name_on_path(asked.positions());
            named.map(|view| name(&view.opening))
        };
        facts.path_name = match &snapshot {
            Some(snapshot) => called(snapshot.catalogue()),
            None => called(&self.catalogue()),
        };
        Ok(Some(facts))
    }

    async fn looked_up(&self, id: PositionId, collection: Option<&str>) -> Result<Option<Facts>, AppError> {
        let Some(node) = self.node(id, collection).await? else {
            return Ok(None);
        };
        let mut after = HashMap::new();
        for child in &node.children {
            if let Some(next) = self.node(child.node_id.position(), collection).await? {
                after.insert(
                    child.node_id,
                    After {
                        stats: next.stats,
                        opening: next.opening,
                        named: next.named,
                        evaluation: next.evaluation,
                        structure: next.structure,
                    },
                );
            }
        }
        let mut collections = Vec::new();
        for name in self.catalogue().counted() {
            let counted = self.node(id, Some(name)).await?.map(|node| node.stats);
            collections.extend(
                counted
                    .filter(|stats| stats.games() > 0)
                    .map(|stats| (name.to_owned(), stats)),
            );
        }
        let parent = self.way_from_parent(&node, collection).await?;
        let mut lines = HashMap::new();
        for before in parent.iter().chain(&node.transpositions).map(|way| way.node_id) {
            lines.insert(before, self.line_to(before, collection).await?);
        }
        Ok(Some(Facts {
            parent,
            node,
            lines,
            after,
            collections,
            best_lines: Vec::new(),
            path_name: None,
        }))
    }

    /// The moves to a node along the chain of parents.
    async fn line_to(&self, node: NodeId, collection: Option<&str>) -> Result<Vec<String>, AppError> {
        let mut line = Vec::new();
        let mut at = self.node(node.position(), collection).await?;
        // Plies fall along the chain; data in which they do not must not lead us round for ever.
        let mut met = HashSet::new();
        while let Some(node) = at.filter(|node| met.insert(node.node_id)) {
            let Some(step) = self.way_from_parent(&node, collection).await? else {
                break;
            };
            line.push(step.uci);
            at = self.node(step.node_id.position(), collection).await?;
        }
        line.reverse();
        Ok(line)
    }

    async fn way_from_parent(
        &self,
        node: &NodeView,
        collection: Option<&str>,
    ) -> Result<Option<OtherParent>, AppError> {
        let Some(parent) = node.parent else {
            return Ok(None);
        };
        let Some(before) = self.node(parent.position(), collection).await? else {
            return Ok(None);
        };
        let played = |child: &&ChildView| child.node_id == node.node_id && Some(&child.san) == node.pgn_move.as_ref();
        let played = before.children.iter().find(played);
        Ok(played.map(|child| OtherParent {
            node_id: parent,
            uci: child.uci.clone(),
            san: child.san.clone(),
            stats: child.stats,
            opening: before.opening.clone(),
        }))
    }
}

fn remembered(snapshot: &Snapshot, id: PositionId, collection: Option<&str>) -> Option<Facts> {
    let catalogue = snapshot.catalogue();
    let view = snapshot.view(collection)?;
    let place = view.find(id)?;
    let after = view.moves(place).map(|step| {
        let next = view.node(step.child);
        let after = After {
            stats: next.stats,
            opening: next.opening.and_then(|opening| opening_name(catalogue, opening)),
            named: next.named,
            evaluation: next.evaluation.clone(),
            structure: next.structure.clone(),
        };
        (next.id.into(), after)
    });
    let counted = catalogue.counted().filter_map(|name| {
        let view = snapshot.view(Some(name))?;
        let stats = view.node(view.find(id)?).stats;
        (stats.games() > 0).then(|| (name.to_owned(), stats))
    });
    let lines = view.ways_to(place).map(|step| {
        let line = view.line_to(step.parent).into_iter();
        (
            step.edge.parent.into(),
            line.map(|step| step.edge.uci.clone()).collect(),
        )
    });
    Some(Facts {
        lines: lines.collect(),
        parent: view.from_parent(place).map(|step| other_parent(catalogue, view, step)),
        node: node_view(catalogue, view, place),
        after: after.collect(),
        collections: counted.collect(),
        best_lines: Vec::new(),
        path_name: None,
    })
}

/// A node as the database would give it, without its games and without what only people who keep the data want to know.
fn node_view(catalogue: &Catalogue, view: &View, place: Place) -> NodeView {
    let node = view.node(place);
    let parent = view.from_parent(place);
    let transpositions = view.transpositions(place).into_iter();
    NodeView {
        node_id: node.id.into(),
        fen: view.fen(place),
        ply: node.ply,
        pgn_move: parent.map(|step| step.edge.san.clone()),
        move_number: node.ply.div_ceil(2),
        side: view.mover(place).map(|mover| mover.fold_wb('W', 'B')),
        opening: node.opening.and_then(|opening| opening_name(catalogue, opening)),
        named: node.named,
        parent: parent.map(|step| step.edge.parent.into()),
        children: view
            .moves(place)
            .map(|step| ChildView {
                node_id: step.edge.child.into(),
                uci: step.edge.uci.clone(),
                san: step.edge.san.clone(),
                stats: step.edge.stats,
            })
            .collect(),
        is_branching: node.is_branching,
        transpositions: transpositions.map(|step| other_parent(catalogue, view, step)).collect(),
        structure: node.structure.clone(),
        structure_by: None,
        evaluation: node.evaluation.clone(),
        stats: node.stats,
        source: node.source,
        flagged: None,
        stub_count: node.stub_count,
        created_at: String::new(),
        updated_at: String::new(),
        top_games: Vec::new(),
        recent_games: Vec::new(),
    }
}

fn other_parent(catalogue: &Catalogue, view: &View, step: Step<'_>) -> OtherParent {
    OtherParent {
        node_id: step.edge.parent.into(),
        uci: step.edge.uci.clone(),
        san: step.edge.san.clone(),
        stats: step.edge.stats,
        opening: (view.node(step.parent).opening).and_then(|opening| opening_name(catalogue, opening)),
    }
}

fn opening_name(catalogue: &Catalogue, opening: Uuid) -> Option<OpeningName> {
    catalogue.opening(opening).map(|view| name(&view.opening))
}

fn name(opening: &OpeningRow) -> OpeningName {
    OpeningName {
        id: opening.id,
        eco: opening.eco.clone(),
        name: opening.name.clone(),
        family: opening.family.clone(),
        variation: opening.variation.clone(),
        slug: opening.slug.clone(),
    }
}

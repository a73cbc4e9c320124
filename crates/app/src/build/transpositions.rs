//! `build transpositions`: where the trees of different openings meet.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use tabiya_chess::PositionId;
use tabiya_store::{OpeningLink, OpeningRow, Store};
use uuid::Uuid;

use super::{
    phases::{self, Phase},
    progress::{Step, Steps},
};
use crate::AppError;
use crate::opening_graph::OpeningGraph;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TranspositionsReport {
    pub nodes: u64,
    /// Nodes with more than one parent.
    pub transpositions: u64,
    /// Of those, the ones whose parents belong to different openings.
    pub between_openings: u64,
    /// Pairs of openings whose trees meet.
    pub links: u64,
    pub commonest: Vec<Meeting>,
    #[serde(default)]
    pub skipped: bool,
}

/// Two openings that meet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Meeting {
    pub one: String,
    pub other: String,
    pub nodes: u64,
    pub games: u64,
    pub example: String,
}

/// Whatever changes the graph forgets the phase; another program may find other relations in it.
const INPUT: &str = concat!("graph, version ", env!("CARGO_PKG_VERSION"));

/// Links the openings that meet, and relates those that are near to each other.
pub async fn transpositions(database: &str, steps: &Steps) -> Result<TranspositionsReport, AppError> {
    steps.begin(Step::Transpositions);
    let store = Store::connect(database).await?;
    if let Some(done) = phases::done::<TranspositionsReport>(&store, &Phase::transpositions(), Some(INPUT)).await? {
        return Ok(TranspositionsReport { skipped: true, ..done });
    }
    let begun = phases::begin(&store, &Phase::transpositions()).await?;
    let graph = OpeningGraph::new(store.knowledge_graph(None).await?);
    if graph.nodes.is_empty() {
        phases::forget(&store, &Phase::transpositions()).await?;
        return Err(AppError::NoOpenings);
    }
    let openings: HashMap<Uuid, OpeningRow> = store
        .openings()
        .await?
        .into_iter()
        .map(|view| (view.opening.id, view.opening))
        .collect();
    let mut report = TranspositionsReport {
        nodes: graph.nodes.len() as u64,
        ..TranspositionsReport::default()
    };
    let links = meetings(&graph, &openings, &mut report);
    report.links = links.len() as u64;
    report.commonest = commonest(&graph, &openings, &links);
    store.replace_relations(relations(&openings, &links)).await?;
    store.replace_transpositions(links).await?;
    phases::record_undisturbed(&store, &Phase::transpositions(), &begun, Some(INPUT), &report).await?;
    store.close().await;
    Ok(report)
}

fn meetings(
    graph: &OpeningGraph,
    openings: &HashMap<Uuid, OpeningRow>,
    report: &mut TranspositionsReport,
) -> Vec<OpeningLink> {
    // A table may give one position several names, by several orders of moves.
    let mut named: HashMap<PositionId, BTreeSet<Uuid>> = HashMap::new();
    for opening in openings.values() {
        for position in &opening.positions {
            named.entry(position.id).or_default().insert(opening.id);
        }
    }
    let mut links: BTreeMap<(Uuid, Uuid), OpeningLink> = BTreeMap::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let mut meeting = named.get(&node.id).map(pairs).unwrap_or_default();
        if graph.edges_to(place).len() > 1 {
            let lineages: BTreeSet<Uuid> = graph
                .edges_to(place)
                .filter_map(|edge| graph.nodes[graph.parent(edge)].opening)
                .collect();
            report.transpositions += 1;
            report.between_openings += u64::from(lineages.len() > 1);
            meeting.extend(pairs(&lineages));
        }
        for (a, b) in meeting {
            let (Some(one), Some(other)) = (openings.get(&a), openings.get(&b)) else {
                continue;
            };
            if is_variation(&one.name, &other.name) || is_variation(&other.name, &one.name) {
                continue;
            }
            let games = node.stats.games();
            let link = links.entry((a, b)).or_insert_with(|| OpeningLink {
                a,
                b,
                nodes: 0,
                games: 0,
                example: node.id,
            });
            link.nodes += 1;
            link.games += games;
            let example = graph.place(link.example).map(|at| &graph.nodes[at]);
            // The best-known meeting place; of equals the smaller text.
            if example.is_some_and(|known| (known.stats.games(), &node.epd) < (games, &known.epd)) {
                link.example = node.id;
            }
        }
    }
    links.into_values().collect()
}

/// Each two of them, the smaller first.
fn pairs(of: &BTreeSet<Uuid>) -> BTreeSet<(Uuid, Uuid)> {
    of.iter()
        .flat_map(|a| of.range(a..).skip(1).map(|b| (*a, *b)))
        .collect()
}

/// Whether `name` is `of` with something added: `Italian Game: Evans Gambit` of `Italian Game`.
pub(super) fn is_variation(name: &str, of: &str) -> bool {
    name == of || name.strip_prefix(of).is_some_and(|rest| rest.starts_with([':', ',']))
}

/// Openings that meet, and each with the one it is a variation of.
fn relations(openings: &HashMap<Uuid, OpeningRow>, links: &[OpeningLink]) -> Vec<(Uuid, Uuid)> {
    let mut related: BTreeSet<(Uuid, Uuid)> = links.iter().map(|link| (link.a, link.b)).collect();
    let mut by_name: BTreeMap<&str, Vec<Uuid>> = BTreeMap::new();
    for opening in openings.values() {
        by_name.entry(&opening.name).or_default().push(opening.id);
    }
    for opening in openings.values() {
        let mut name = opening.name.as_str();
        // The nearest name that this one adds something to.
        while let Some(end) = name.rfind([',', ':']) {
            name = &name[..end];
            if let Some(parents) = by_name.get(name) {
                for parent in parents.iter().filter(|parent| **parent != opening.id) {
                    related.insert((opening.id.min(*parent), opening.id.max(*parent)));
                }
                break;
            }
        }
    }
    related.into_iter().collect()
}

fn commonest(graph: &OpeningGraph, openings: &HashMap<Uuid, OpeningRow>, links: &[OpeningLink]) -> Vec<Meeting> {
    let mut most: Vec<&OpeningLink> = links.iter().collect();
    most.sort_by_key(|link| (std::cmp::Reverse((link.games, link.nodes)), link.a, link.b));
    let name = |id: &Uuid| openings.get(id).map(|opening| opening.name.clone()).unwrap_or_default();
    most.iter()
        .take(10)
        .map(|link| Meeting {
            one: name(&link.a),
            other: name(&link.b),
            nodes: link.nodes,
            games: link.games,
            example: graph
                .place(link.example)
                .map(|at| graph.nodes[at].epd.clone())
                .unwrap_or_default(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::is_variation;

    #[test]
    fn a_variation_adds_to_the_name() {
        assert!(is_variation("Italian Game: Evans Gambit", "Italian Game"));
        assert!(is_variation(
            "Italian Game: Evans Gambit, Main Line",
            "Italian Game: Evans Gambit"
        ));
        assert!(is_variation("Italian Game", "Italian Game"));
        assert!(!is_variation("Italian Game", "Italian Game: Evans Gambit"));
        assert!(!is_variation("King's Indian Attack", "King's Indian"));
    }
}

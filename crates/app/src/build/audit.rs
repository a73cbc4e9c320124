//! `build audit`: is all of it as it should be?

mod evaluations;

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;
use tabiya_chess::NamingSystem;
use tabiya_store::{NodeSource, Store};

use super::progress::{Step, Steps};
use crate::AppError;
use crate::opening_graph::OpeningGraph;

/// One question, and how many things broke it.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub passed: bool,
    /// How many were looked at.
    pub of: u64,
    pub broken: u64,
    /// One of the broken ones, or what the figure means.
    pub detail: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct AuditReport {
    pub passed: bool,
    pub checks: Vec<Check>,
    /// Figures without a pass or a fail, for people.
    pub figures: Vec<(String, String)>,
}

/// Gathers what breaks one rule.
struct Broken {
    name: &'static str,
    of: u64,
    broken: u64,
    example: String,
}

impl Broken {
    fn of(name: &'static str, of: usize) -> Broken {
        Broken {
            name,
            of: of as u64,
            broken: 0,
            example: String::new(),
        }
    }

    fn note(&mut self, breaks: bool, example: impl FnOnce() -> String) {
        if breaks {
            self.broken += 1;
            if self.example.is_empty() {
                self.example = example();
            }
        }
    }

    fn check(self) -> Check {
        Check {
            name: self.name,
            passed: self.broken == 0,
            of: self.of,
            broken: self.broken,
            detail: self.example,
        }
    }
}

/// Looks at everything. It changes nothing.
pub async fn audit(database: &str, steps: &Steps) -> Result<AuditReport, AppError> {
    steps.begin(Step::Audit);
    let store = Store::connect(database).await?;
    let stored = store.knowledge_graph(None).await?;
    let (node_count, edge_count) = (stored.nodes.len(), stored.edges.len());
    let ids: HashSet<_> = stored.nodes.iter().map(|node| node.id).collect();
    let mut ends = Broken::of("every move leads from a node to a node", edge_count);
    for edge in &stored.edges {
        let known = ids.contains(&edge.parent) && ids.contains(&edge.child);
        ends.note(!known, || format!("{} from {}", edge.san, edge.parent));
    }
    let graph = OpeningGraph::new(stored);
    let openings = store.openings().await?;
    let mut checks = vec![ends.check()];
    // Whoever brings a table of names decides what is in it.
    if !openings
        .iter()
        .any(|view| view.opening.system == NamingSystem::Own.as_str())
    {
        checks.insert(0, codes(&openings));
    }
    checks.extend(graph_checks(&graph));
    checks.push(links(&store, &openings).await?);
    checks.push(edges_replay(&graph));
    checks.extend(evaluations::checks(&graph.nodes));
    let figures = figures(&graph, &store, openings.len()).await?;
    store.close().await;
    Ok(AuditReport {
        passed: checks.iter().all(|check| check.passed) && node_count > 0,
        checks,
        figures,
    })
}

fn codes(openings: &[tabiya_store::OpeningView]) -> Check {
    let codes: BTreeSet<&str> = openings.iter().map(|view| view.opening.eco.as_str()).collect();
    let missing: Vec<String> = tabiya_chess::Eco::all()
        .map(|eco| eco.to_string())
        .filter(|eco| !codes.contains(eco.as_str()))
        .collect();
    Check {
        name: "all 500 ECO codes have an opening",
        passed: missing.is_empty(),
        of: 500,
        broken: missing.len() as u64,
        detail: missing.into_iter().take(5).collect::<Vec<_>>().join(" "),
    }
}

fn graph_checks(graph: &OpeningGraph) -> Vec<Check> {
    let nodes = graph.nodes.len();
    let mut orphans = Broken::of("no orphans: every node but the initial position has a parent", nodes);
    let mut less = Broken::of(
        "a move has no more games than the position it is played in",
        graph.edges.len(),
    );
    let mut sums = Broken::of("the moves from a position have no more games than it", nodes);
    let mut games = Broken::of("every position that games reached has games", nodes);
    let mut branching = Broken::of("branching positions are marked as such", nodes);
    let mut labelled = Broken::of(
        "every terminal position has a structure or Unknown, and no other has",
        0,
    );
    let mut named = Broken::of(
        "every position below a named one has an opening, and no other has",
        nodes,
    );
    let namesakes = graph.namesakes();
    for (place, node) in graph.nodes.iter().enumerate() {
        let epd = || node.epd.clone();
        orphans.note(node.ply > 0 && graph.edges_to(place).len() == 0, epd);
        let mut sum = 0;
        for edge in graph.edges_from(place) {
            let played = graph.edges[edge].stats.games();
            sum += played;
            less.note(played > node.stats.games(), || {
                format!("{} in {}", graph.edges[edge].san, node.epd)
            });
        }
        sums.note(sum > node.stats.games(), epd);
        let expanded = matches!(node.source, NodeSource::Corpus | NodeSource::Explorer);
        games.note(expanded && node.stats.games() == 0, epd);
        branching.note(node.is_branching != (graph.edges_from(place).len() >= 2), epd);
        if graph.is_terminal(place) {
            labelled.of += 1;
            labelled.note(node.structure.is_none(), epd);
        } else {
            labelled.note(node.structure.is_some(), epd);
        }
        named.note(namesakes[place].is_some() != node.opening.is_some(), epd);
    }
    [orphans, less, sums, games, branching, labelled, named]
        .map(Broken::check)
        .into()
}

/// Every stored move must be legal where it is said to be played, and lead where it is said to lead.
fn edges_replay(graph: &OpeningGraph) -> Check {
    let mut wrong = Broken::of("every move is legal and leads to its position", graph.edges.len());
    for (place, node) in graph.nodes.iter().enumerate() {
        if graph.is_terminal(place) {
            continue;
        }
        let Ok(start) = tabiya_chess::parse_fen(&node.epd) else {
            wrong.note(true, || node.epd.clone());
            continue;
        };
        for edge in graph.edges_from(place) {
            let edge = &graph.edges[edge];
            let reached = tabiya_chess::from_uci(&start.position, &edge.uci).ok().map(|m| {
                let mut child = start.position.clone();
                shakmaty::Position::play_unchecked(&mut child, m);
                tabiya_chess::PositionId::of(&child)
            });
            wrong.note(reached != Some(edge.child), || format!("{} in {}", edge.san, node.epd));
        }
    }
    wrong.check()
}

async fn links(store: &Store, openings: &[tabiya_store::OpeningView]) -> Result<Check, AppError> {
    let mut pairs = HashSet::new();
    for view in openings {
        let linked = store.transpositions_of(view.opening.id).await?;
        pairs.extend(linked.into_iter().map(|link| (view.opening.id, link.opening)));
    }
    let mut wrong = Broken::of(
        "no opening is linked to itself, and links can be asked from either side",
        pairs.len(),
    );
    for (a, b) in &pairs {
        wrong.note(a == b || !pairs.contains(&(*b, *a)), || format!("{a} and {b}"));
    }
    Ok(wrong.check())
}

async fn figures(graph: &OpeningGraph, store: &Store, openings: usize) -> Result<Vec<(String, String)>, AppError> {
    let nodes = graph.nodes.len();
    let terminal: Vec<usize> = (0..nodes).filter(|place| graph.is_terminal(*place)).collect();
    let unknown = terminal
        .iter()
        .filter(|place| graph.nodes[**place].structure.as_deref() == Some(tabiya_chess::UNKNOWN))
        .count();
    let share =
        |part: usize, whole: usize| format!("{part} of {whole} ({:.1} %)", part as f64 * 100.0 / whole.max(1) as f64);
    let evaluated = |belongs: &dyn Fn(usize) -> bool| {
        let (mut part, mut whole) = (0, 0);
        for place in (0..nodes).filter(|place| belongs(*place)) {
            whole += 1;
            part += usize::from(graph.nodes[place].evaluation.is_some());
        }
        share(part, whole)
    };
    let mut figures = vec![
        ("openings".to_owned(), openings.to_string()),
        ("nodes".to_owned(), nodes.to_string()),
        ("moves".to_owned(), graph.edges.len().to_string()),
        (
            "nodes with games".to_owned(),
            share(graph.nodes.iter().filter(|node| node.stats.games() > 0).count(), nodes),
        ),
        (
            "branching nodes".to_owned(),
            share(graph.nodes.iter().filter(|node| node.is_branching).count(), nodes),
        ),
        ("terminal nodes".to_owned(), share(terminal.len(), nodes)),
        (
            "terminal nodes of unknown structure".to_owned(),
            share(unknown, terminal.len()),
        ),
        (
            "nodes with several parents".to_owned(),
            share(
                (0..nodes).filter(|place| graph.edges_to(*place).len() > 1).count(),
                nodes,
            ),
        ),
        (
            "branching nodes with an evaluation".to_owned(),
            evaluated(&|place| graph.nodes[place].is_branching),
        ),
        (
            "terminal nodes with an evaluation".to_owned(),
            evaluated(&|place| graph.is_terminal(place)),
        ),
    ];
    for collection in store.collections().await? {
        if collection.games > 0 {
            figures.push((
                format!("games in {}", collection.name),
                format!("{} (moves with {} or more)", collection.games, collection.min_games),
            ));
        }
    }
    Ok(figures)
}

//! `build structures`: names the pawn structure of every position where the tree ends.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use shakmaty::Board;
use tabiya_chess::{Structure, UNKNOWN, classify, pawn_diagram, pawn_skeleton};
use tabiya_store::{Review, Store, StructureBy, StructureLink, StructureRow};
use uuid::Uuid;

use super::{
    phases::{self, Phase},
    progress::{Step, Steps},
};
use crate::AppError;
use crate::opening_graph::OpeningGraph;

/// Why a structure is asked of a person.
pub const STRUCTURE_REVIEW: &str = "structure";

/// Why an answer of an explorer is shown to a person.
pub const FLAGGED_REVIEW: &str = "flagged";

/// The plies within which the share of unknown structures is told.
const MIDDLEGAME_BEGINS: std::ops::RangeInclusive<u16> = 16..=30;

/// How many of the commonest unknown skeletons are shown.
const SHOWN: usize = 10;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StructuresReport {
    pub terminal_nodes: u64,
    pub unknown_nodes: u64,
    /// The same for terminal nodes with games at plies 16 to 30.
    pub terminal_16_30: u64,
    pub unknown_16_30: u64,
    /// Games behind the two.
    pub games_16_30: u64,
    pub unknown_games_16_30: u64,
    /// Labels given by a person.
    pub by_person: u64,
    pub labels: BTreeMap<String, u64>,
    pub commonest_unknown: Vec<UnknownSkeleton>,
    #[serde(default)]
    pub skipped: bool,
}

impl StructuresReport {
    /// In percent, of the terminal nodes with games at plies 16 to 30.
    pub fn unknown_share(&self) -> f64 {
        self.unknown_16_30 as f64 * 100.0 / self.terminal_16_30.max(1) as f64
    }
}

/// Pawns on the c-, d- and e-files that no rule knows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UnknownSkeleton {
    pub skeleton: String,
    pub nodes: u64,
    pub games: u64,
    /// The pawns of the position with most games.
    pub diagram: String,
    pub example: String,
    #[serde(skip)]
    most: u64,
}

/// Labels every terminal node. What no rule knows is put to a person, and what a person said stays.
pub async fn structures(database: &str, steps: &Steps) -> Result<StructuresReport, AppError> {
    steps.begin(Step::Structures);
    let store = Store::connect(database).await?;
    let input = input(&store).await?;
    if let Some(done) = phases::done::<StructuresReport>(&store, &Phase::structures(), Some(&input)).await? {
        return Ok(StructuresReport { skipped: true, ..done });
    }
    let begun = phases::begin(&store, &Phase::structures()).await?;
    let graph = OpeningGraph::new(store.knowledge_graph(None).await?);
    if graph.nodes.is_empty() {
        phases::forget(&store, &Phase::structures()).await?;
        return Err(AppError::NoOpenings);
    }
    store.replace_structures(catalogue()).await?;
    let answered = answers(&store).await?;
    let mut tagger = Tagger::default();
    for place in (0..graph.nodes.len()).filter(|place| graph.is_terminal(*place)) {
        tagger.label(&graph, place, &answered);
    }
    store.clear_inner_structures().await?;
    store.set_structures(tagger.labels).await?;
    store.queue_reviews(STRUCTURE_REVIEW, tagger.questions).await?;
    let links = tagger
        .links
        .into_iter()
        .map(|((structure, opening), (nodes, games))| StructureLink {
            structure: structure.to_owned(),
            opening,
            nodes,
            games,
        });
    store.replace_structure_links(links.collect()).await?;
    let mut report = tagger.report;
    report.commonest_unknown = commonest(tagger.unknown);
    phases::record_undisturbed(&store, &Phase::structures(), &begun, Some(&input), &report).await?;
    store.close().await;
    Ok(report)
}

/// Changes with whatever the labels depend on: with another program they may be others.
async fn input(store: &Store) -> Result<String, AppError> {
    let reviews = store.reviews(false).await?;
    let own = reviews.iter().filter(|review| review.reason == STRUCTURE_REVIEW);
    let answered = own.filter(|review| review.answer.is_some()).count();
    let (structures, version) = (Structure::all().len(), env!("CARGO_PKG_VERSION"));
    Ok(format!(
        "{structures} structures of version {version}, {answered} answers"
    ))
}

/// The questions about structures that wait for a person, and what an explorer was caught at.
pub async fn structure_reviews(database: &str) -> Result<Vec<Review>, AppError> {
    let store = Store::connect(database).await?;
    let mut reviews = store.reviews(true).await?;
    reviews.retain(|review| [STRUCTURE_REVIEW, FLAGGED_REVIEW].contains(&review.reason.as_str()));
    store.close().await;
    Ok(reviews)
}

/// Enters a person's answer.
pub async fn assign_structure(database: &str, fen: &str, label: &str) -> Result<&'static Structure, AppError> {
    let structure = Structure::find(label).ok_or_else(|| AppError::NoStructure {
        label: label.to_owned(),
    })?;
    let position = tabiya_chess::parse_fen(fen).map_err(|error| AppError::BadFen {
        fen: fen.to_owned(),
        reason: error.to_string(),
    })?;
    let store = Store::connect(database).await?;
    let id = tabiya_chess::PositionId::of(&position.position);
    if !store.answer_review(id, STRUCTURE_REVIEW, structure.name).await? {
        return Err(AppError::NotAsked { fen: fen.to_owned() });
    }
    phases::forget(&store, &Phase::structures()).await?;
    store.close().await;
    Ok(structure)
}

fn catalogue() -> Vec<StructureRow> {
    let texts = |plans: &[&str]| plans.iter().map(|plan| (*plan).to_owned()).collect();
    let rows = Structure::all().iter().map(|structure| StructureRow {
        id: structure.id(),
        slug: structure.slug.to_owned(),
        name: structure.name.to_owned(),
        description: structure.description.to_owned(),
        plans_white: texts(structure.plans_white),
        plans_black: texts(structure.plans_black),
    });
    rows.collect()
}

/// What people have answered, by position.
async fn answers(store: &Store) -> Result<HashMap<tabiya_chess::PositionId, &'static Structure>, AppError> {
    let reviews = store.reviews(false).await?;
    let answered = reviews.into_iter().filter(|review| review.reason == STRUCTURE_REVIEW);
    Ok(answered
        .filter_map(|review| Some((review.node, Structure::find(&review.answer?)?)))
        .collect())
}

#[derive(Default)]
struct Tagger {
    report: StructuresReport,
    labels: Vec<(tabiya_chess::PositionId, String, StructureBy)>,
    questions: Vec<(tabiya_chess::PositionId, String)>,
    links: BTreeMap<(&'static str, Uuid), (u64, u64)>,
    unknown: HashMap<String, UnknownSkeleton>,
}

impl Tagger {
    fn label(
        &mut self,
        graph: &OpeningGraph,
        place: usize,
        answered: &HashMap<tabiya_chess::PositionId, &'static Structure>,
    ) {
        let node = &graph.nodes[place];
        let placement = node.epd.split(' ').next().unwrap_or_default();
        let Ok(board) = placement.parse::<Board>() else { return };
        let person = answered.get(&node.id).copied();
        let found = person.or_else(|| classify(&board).map(|found| found.structure));
        let games = node.stats.games();
        let counts = games > 0 && MIDDLEGAME_BEGINS.contains(&node.ply);
        let report = &mut self.report;
        report.terminal_nodes += 1;
        report.terminal_16_30 += u64::from(counts);
        report.games_16_30 += if counts { games } else { 0 };
        report.by_person += u64::from(person.is_some());
        *report
            .labels
            .entry(found.map_or(UNKNOWN, |found| found.name).to_owned())
            .or_default() += 1;
        let by = if person.is_some() {
            StructureBy::Person
        } else {
            StructureBy::Rule
        };
        let Some(structure) = found else {
            report.unknown_nodes += 1;
            report.unknown_16_30 += u64::from(counts);
            report.unknown_games_16_30 += if counts { games } else { 0 };
            let skeleton = pawn_skeleton(&board);
            self.labels.push((node.id, UNKNOWN.to_owned(), by));
            self.questions.push((node.id, skeleton.clone()));
            self.note_unknown(skeleton, &board, &node.epd, games);
            return;
        };
        self.labels.push((node.id, structure.name.to_owned(), by));
        if let Some(opening) = node.opening {
            let (nodes, played) = self.links.entry((structure.slug, opening)).or_default();
            *nodes += 1;
            *played += games;
        }
    }

    fn note_unknown(&mut self, skeleton: String, board: &Board, epd: &str, games: u64) {
        let known = self.unknown.entry(skeleton.clone()).or_insert_with(|| UnknownSkeleton {
            skeleton,
            nodes: 0,
            games: 0,
            diagram: String::new(),
            example: String::new(),
            most: 0,
        });
        known.nodes += 1;
        known.games += games;
        // Of equally common ones the smaller text, so that the report does not depend on anything's order.
        if known.example.is_empty() || (known.most, epd) < (games, known.example.as_str()) {
            known.most = games;
            known.diagram = pawn_diagram(board);
            known.example = epd.to_owned();
        }
    }
}

fn commonest(unknown: HashMap<String, UnknownSkeleton>) -> Vec<UnknownSkeleton> {
    let mut all: Vec<UnknownSkeleton> = unknown.into_values().collect();
    all.sort_by(|a, b| (b.nodes, b.games, &a.skeleton).cmp(&(a.nodes, a.games, &b.skeleton)));
    all.truncate(SHOWN);
    all
}

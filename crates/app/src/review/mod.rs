//! `review`: every move of a game judged, the same way every time.
//!
//! ```text
//! Game ──StateTree::of──▶ tree ──LineSource──▶ tree with lines ──chain──▶ moves
//!      ──extract_previous, extract_current──▶ nodes ──classify_move──▶ Verdict ──▶ MoveReport ──▶ GameReview
//! ```
//!
//! [`Reviewer::review`] does one game, for whoever has one; [`review_games`] does files of any length and can be gone on
//! with when it is interrupted.

mod canvas;
mod csv;
mod desk;
mod extract;
#[doc(hidden)]
pub mod fuzzing;
mod games;
mod graph;
mod guard;
mod journal;
mod json;
mod judge;
mod lines;
mod outputs;
mod pgn;
mod report;
mod run;
mod source;
mod summary;
mod tally;
#[cfg(test)]
mod tests;
mod theory;
mod tree;

use std::sync::atomic::AtomicBool;

use pgn_import::Game;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use crate::{AppError, engines::LAST_WORDS};

pub use desk::{DeskOptions, Refusal, ReviewDesk, Stage};
pub use extract::{ExtractedCurrent, ExtractedPrevious, evaluation, extract_current, extract_previous, subjective};
pub use graph::{expectations, svg};
pub use guard::DEFAULT_MARGIN;
pub use json::{Document, VERSION};
pub use judge::Rules;
pub use lines::{BadRecord, Line, RecordedLine, RecordedLines, RecordedPosition};
pub use outputs::{GraphKind, ReviewOutputs};
pub use report::{
    BoardState, ClassName, Counts, Evaluation, EvaluationKind, ExplanationReport, FailedGame, FileSummary, GameReview,
    LineReport, MotifReport, MoveReport, MoveText, NodeReport, OpeningReport, OpeningTally, PhaseReport,
    PlacedTurningPoint, PlayerReport, Side, SideReport, TurningPoint,
};
pub use run::{LinesFrom, ReviewEvent, ReviewOutcome, ReviewRequest, review_games};
pub use source::{LineSource, Live, Trouble};
pub use tally::Tally;
pub use theory::Theory;
pub use tree::{Played, StateNode, StateTree, Unfit};

/// How many lines are asked for.
pub const DEFAULT_MULTIPV: u8 = 3;

/// How many positions are searched about each.
pub const DEFAULT_NODES: u64 = 1_000_000;

/// A game with everything that was made of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reviewed {
    pub review: GameReview,
    /// The game with its annotations.
    pub pgn: String,
    /// The lines that were used.
    pub used: Vec<RecordedPosition>,
}

/// What became of a game.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    Reviewed(Box<Reviewed>),
    Failed(FailedGame),
}

/// How far a game is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Positions that have their lines.
    pub done: usize,
    pub total: usize,
    /// The half-move that led to the last of them.
    pub ply: u32,
}

/// Judges games.
#[derive(Debug)]
pub struct Reviewer {
    pub rules: Rules,
    pub lines: LineSource,
    /// Whether what was used is handed out too.
    pub record: bool,
}

/// Where a game comes from.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The input's name.
    pub file: &'a str,
    /// Its number among all games of all inputs, from 1: what recorded lines know it by.
    pub number: u64,
}

impl Reviewer {
    /// Opens whatever the lines come from. One reviewer serves any number of games, also side by side.
    pub async fn open(rules: Rules, from: &LinesFrom) -> Result<Reviewer, AppError> {
        Ok(Reviewer {
            rules,
            lines: run::open_lines(from).await?,
            record: false,
        })
    }

    /// Lets engines and database go; what is being searched is called off after a moment.
    pub async fn close(&self) {
        if let LineSource::Live(live) = &self.lines {
            live.pool.stop(LAST_WORDS).await;
            if let Some(store) = &live.store {
                store.close().await;
            }
        }
    }

    /// Reviews the first game of a text, as [`review`](Reviewer::review) does.
    pub async fn review_text(
        &self,
        pgn: &str,
        told: &(dyn Fn(Progress) + Sync),
        stop: &AtomicBool,
    ) -> Result<Reviewed, Trouble> {
        let game = games::first(pgn).map_err(|reason| Trouble::Unfit(Unfit::of(reason)))?;
        let origin = Origin { file: "-", number: 1 };
        self.review(origin, &game, told, stop).await
    }

    /// Reviews one game. `told` hears of every position that has its lines; when `stop` is set, or the future is dropped,
    /// the search is called off.
    pub async fn review(
        &self,
        origin: Origin<'_>,
        game: &Game,
        told: &(dyn Fn(Progress) + Sync),
        stop: &AtomicBool,
    ) -> Result<Reviewed, Trouble> {
        let mut tree = StateTree::of(game, self.rules.variations).map_err(Trouble::Unfit)?;
        let plies: Vec<u32> = tree.nodes.iter().map(|node| node.ply).collect();
        let done = std::sync::atomic::AtomicUsize::new(0);
        let count = |place: usize| {
            let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            told(Progress {
                done,
                total: plies.len(),
                ply: plies[place],
            });
        };
        self.lines.fill(&mut tree, origin.number, &count, stop).await?;
        for place in guard::contradictions(&tree, self.rules.margin) {
            let node = &tree.nodes[place];
            let (Some(played), Some(parent)) = (&node.played, node.parent) else {
                continue;
            };
            let before = &tree.nodes[parent];
            let asked = self
                .lines
                .ask_again(&before.position, &before.fen, origin.number, played.m, stop);
            tree.nodes[place].again = asked.await?;
        }
        Ok(self.conclude(origin, game, &tree))
    }

    /// Everything that needs no engine.
    fn conclude(&self, origin: Origin<'_>, game: &Game, tree: &StateTree) -> Reviewed {
        let judged = judge::judge(tree, &self.rules);
        let [white, black] = summary::lichess_accuracies(tree);
        let name = |tag| game.tag(tag).unwrap_or("?");
        let rules = self.rules.rules;
        let review = GameReview {
            file: origin.file.to_owned(),
            game: game.at.index + 1,
            tags: game.tags.iter().rev().cloned().collect(),
            result: game.result.map_or("*", |result| result.as_str()).to_owned(),
            initial_position: tree.nodes[0].fen.clone(),
            variant: if tree.chess960 { "chess960" } else { "standard" }.to_owned(),
            opening: summary::opening(tree),
            white: summary::side(name("White"), Color::White, &judged, rules, white),
            black: summary::side(name("Black"), Color::Black, &judged, rules, black),
            turning_points: summary::turning_points(&judged),
            unclassified: unclassified(tree, &judged),
            nodes: nodes(tree, &judged),
            moves: judged.into_iter().map(|one| one.report).collect(),
        };
        Reviewed {
            pgn: pgn::annotated(game, tree, &review.moves),
            used: if self.record {
                used(tree, origin.number)
            } else {
                Vec::new()
            },
            review,
        }
    }
}

/// Moves of which too little is known. Of those that were made where the game was over there is nothing more to know.
fn unclassified(tree: &StateTree, judged: &[judge::Judged]) -> u32 {
    let goes_on = |node: &StateNode| {
        let before = node.parent.map(|parent| &tree.nodes[parent].position);
        before.is_some_and(|position| extract::over(position).is_none())
    };
    let unjudged = judged.iter().zip(&tree.nodes[1..]);
    let unjudged = unjudged.filter(|(one, node)| one.verdict.is_none() && goes_on(node));
    unjudged.count() as u32
}

/// The tree as it is written.
fn nodes(tree: &StateTree, judged: &[judge::Judged]) -> Vec<NodeReport> {
    let report = |(place, node): (usize, &StateNode)| {
        let verdict = place
            .checked_sub(1)
            .and_then(|number| judged.get(number))
            .map(|one| &one.report);
        NodeReport {
            id: tree::id(place),
            mainline: node.mainline,
            parent: node.parent.map(tree::id),
            children: node.children.iter().copied().map(tree::id).collect(),
            state: BoardState {
                fen: node.fen.clone(),
                played: node.played.as_ref().map(|played| played.text.clone()),
                move_color: node.played.as_ref().map(|played| played.color.into()),
                engine_lines: node.lines.iter().map(|line| line.report(&node.position)).collect(),
                classification: verdict.and_then(|one| one.classification),
                accuracy: verdict.and_then(|one| one.accuracy),
                opening: theory::opening(&node.position).map(|opening| opening.name().to_owned()),
            },
        }
    };
    tree.nodes.iter().enumerate().map(report).collect()
}

/// Every line that went into a review.
fn used(tree: &StateTree, game: u64) -> Vec<RecordedPosition> {
    let mut seen = std::collections::HashSet::new();
    let mut all = Vec::new();
    for node in &tree.nodes {
        if seen.insert(node.fen.as_str()) {
            all.extend(lines::record(&node.position, &node.fen, game, &node.lines, None));
        }
    }
    for node in &tree.nodes {
        if let (Some(again), Some(parent), Some(played)) = (&node.again, node.parent, &node.played) {
            let before = &tree.nodes[parent];
            let lines = std::slice::from_ref(again);
            all.extend(lines::record(
                &before.position,
                &before.fen,
                game,
                lines,
                Some(played.m),
            ));
        }
    }
    all
}

//! Where lines come from: a file, or the cloud, the evaluation store and a pool of engines, in this order.

use std::{collections::HashMap, sync::atomic::AtomicBool};

use shakmaty::{CastlingMode, Chess, Move, Position as _};
use tabiya_chess::{Analysis, Question, SearchLimit, slug};
use tabiya_engine::{Answer, Memory, NotDone, Pool, Search, Unit};
use tabiya_lichess::CloudEval;
use tabiya_store::Store;

use super::{
    extract::over,
    lines::{Line, RecordedLines, of_analysis},
    tree::{StateTree, Unfit},
};
use crate::{AppError, interrupt};

/// Who says what positions are worth.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a review has one of it")]
pub enum LineSource {
    /// A file of recorded lines, and nobody else.
    Recorded(RecordedLines),
    /// Whoever can be asked.
    Live(Live),
}

/// Engines, and who is asked before them.
#[derive(Debug)]
pub struct Live {
    pub pool: Pool,
    /// Asked, and told what was learned.
    pub store: Option<Store>,
    pub cloud: Option<CloudEval>,
    pub limit: SearchLimit,
    pub multipv: u8,
}

/// Why a game has no review.
#[derive(Debug)]
pub enum Trouble {
    /// It is the game's, or an engine's with one of its positions: others are not concerned.
    Unfit(Unfit),
    /// The user wants to stop.
    Stopped,
    /// Nobody can go on.
    Fatal(AppError),
}

impl From<AppError> for Trouble {
    fn from(error: AppError) -> Trouble {
        Trouble::Fatal(error)
    }
}

/// A position to be asked about, and the nodes that have it.
struct Open {
    places: Vec<usize>,
}

impl LineSource {
    /// Whose lines they are.
    pub fn name(&self) -> String {
        match self {
            LineSource::Recorded(_) => "recorded".to_owned(),
            LineSource::Live(live) => slug(&live.pool.engine().name),
        }
    }

    /// Gives every node of a tree its lines. `told` hears of each node that has them.
    pub(super) async fn fill(
        &self,
        tree: &mut StateTree,
        game: u64,
        told: &(dyn Fn(usize) + Sync),
        stop: &AtomicBool,
    ) -> Result<(), Trouble> {
        match self {
            LineSource::Recorded(recorded) => {
                for place in tree.chain() {
                    let node = &mut tree.nodes[place];
                    if over(&node.position).is_none() {
                        node.lines = recorded.find(&node.position, &node.fen, game, None);
                    }
                    told(place);
                }
                Ok(())
            }
            LineSource::Live(live) => live.fill(tree, told, stop).await,
        }
    }

    /// What one move of a position is worth, searched from there.
    pub(super) async fn ask_again(
        &self,
        position: &Chess,
        fen: &str,
        game: u64,
        m: Move,
        stop: &AtomicBool,
    ) -> Result<Option<Line>, Trouble> {
        let lines = match self {
            LineSource::Recorded(recorded) => recorded.find(position, fen, game, Some(m)),
            LineSource::Live(live) => {
                let search = live.search(position);
                let asked = live.pool.analyse_move(search, m);
                let answer = unless_stopped(asked, stop).await?;
                of_analysis(position, &done(answer, fen)?)
            }
        };
        Ok(lines.into_iter().find(|line| line.moves.first() == Some(&m)))
    }
}

impl Live {
    fn search(&self, position: &Chess) -> Search {
        Search {
            position: position.clone(),
            limit: self.limit,
            multipv: self.multipv,
        }
    }

    async fn fill(
        &self,
        tree: &mut StateTree,
        told: &(dyn Fn(usize) + Sync),
        stop: &AtomicBool,
    ) -> Result<(), Trouble> {
        let mut open = unanswered(tree, told);
        if let Some(cloud) = &self.cloud {
            let mut missed = Vec::new();
            for one in open {
                let position = &tree.nodes[one.places[0]].position;
                match unless_stopped(self.ask_cloud(cloud, position), stop).await? {
                    Some(analysis) => give(tree, &one, &analysis, told),
                    None => missed.push(one),
                }
            }
            open = missed;
        }
        if let Some(store) = &self.store {
            open = self.ask_store(store, tree, open, told).await?;
        }
        self.ask_engine(tree, open, told, stop).await
    }

    fn question(&self) -> Question {
        Question {
            limit: self.limit,
            multipv: self.multipv,
            engine: None,
        }
    }

    /// The cloud's answer, if it has one that is good enough; whatever else happens there, an engine can answer.
    async fn ask_cloud(&self, cloud: &CloudEval, position: &Chess) -> Option<Analysis> {
        if is_chess960(position) {
            return None;
        }
        let found = cloud.ask(position, self.multipv).await;
        let analysis = found
            .inspect_err(|error| tracing::debug!(%error, "the cloud did not answer; an engine will"))
            .ok()??;
        let wanted = position.legal_moves().len();
        // The cloud counts depth; a number of nodes cannot be held against it.
        let question = Question {
            limit: match self.limit.depth {
                Some(depth) => SearchLimit::depth(depth),
                None => analysis.limit,
            },
            ..self.question()
        };
        analysis.serves(&question, wanted).then_some(analysis)
    }

    async fn ask_store(
        &self,
        store: &Store,
        tree: &mut StateTree,
        open: Vec<Open>,
        told: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Open>, Trouble> {
        let (asked, mut left): (Vec<Open>, Vec<Open>) = open
            .into_iter()
            .partition(|one| !is_chess960(&tree.nodes[one.places[0]].position));
        let questions: Vec<_> = asked
            .iter()
            .map(|one| (tree.nodes[one.places[0]].position.clone(), self.question()))
            .collect();
        let found = store.find_analyses(&questions).await.map_err(AppError::from)?;
        for (one, found) in asked.into_iter().zip(found) {
            match found {
                Some(analysis) => give(tree, &one, &analysis, told),
                None => left.push(one),
            }
        }
        // Backwards still, whoever was asked in between.
        left.sort_by_key(|one| std::cmp::Reverse(one.places[0]));
        Ok(left)
    }

    /// One engine goes through what is left, from the end of the game to its beginning, and remembers what it has seen.
    async fn ask_engine(
        &self,
        tree: &mut StateTree,
        open: Vec<Open>,
        told: &(dyn Fn(usize) + Sync),
        stop: &AtomicBool,
    ) -> Result<(), Trouble> {
        if open.is_empty() {
            return Ok(());
        }
        let searches = open.iter().map(|one| self.search(&tree.nodes[one.places[0]].position));
        let mut replies = self.pool.submit(Unit {
            searches: searches.collect(),
            memory: Memory::OfUnit,
        });
        let mut learned = Vec::new();
        let heard = async {
            while let Some((number, answer)) = unless_stopped(replies.next(), stop).await? {
                let one = &open[number];
                let node = &tree.nodes[one.places[0]];
                let analysis = done(answer, &node.fen)?;
                if self.store.is_some() && !is_chess960(&node.position) {
                    learned.push((node.position.clone(), analysis.clone()));
                }
                give(tree, one, &analysis, told);
            }
            Ok::<(), Trouble>(())
        };
        let heard = heard.await;
        // Kept whatever came of the rest: a game that is stopped at its last position, or has one that no engine answers, took
        // as long as any other.
        let kept = match &self.store {
            Some(store) if !learned.is_empty() => store.put_analyses(learned).await.map(|_| ()),
            _ => Ok(()),
        };
        heard?;
        Ok(kept.map_err(AppError::from)?)
    }
}

/// The positions that somebody has to be asked about, the last ones first. Those that occur more than once are asked about
/// once.
fn unanswered(tree: &StateTree, told: &(dyn Fn(usize) + Sync)) -> Vec<Open> {
    let mut open: Vec<Open> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for place in tree.chain().rev() {
        let node = &tree.nodes[place];
        if over(&node.position).is_some() {
            told(place);
            continue;
        }
        match known.get(node.fen.as_str()) {
            Some(number) => open[*number].places.push(place),
            None => {
                known.insert(&node.fen, open.len());
                open.push(Open { places: vec![place] });
            }
        }
    }
    open
}

fn give(tree: &mut StateTree, open: &Open, analysis: &Analysis, told: &(dyn Fn(usize) + Sync)) {
    for place in &open.places {
        let node = &mut tree.nodes[*place];
        node.lines = of_analysis(&node.position, analysis);
        told(*place);
    }
}

/// The analysis, or what is to be said of its absence.
fn done(answer: Answer, fen: &str) -> Result<Analysis, Trouble> {
    match answer {
        Answer::Done(analysis) => Ok(analysis),
        Answer::Quarantined { tries, reason } => Err(Trouble::Unfit(Unfit {
            ply: None,
            fen: Some(fen.to_owned()),
            reason: match tries {
                0 | 1 => reason,
                tries => format!("{reason} ({tries} tries)"),
            },
        })),
        Answer::NotDone(NotDone::Stopped) => Err(Trouble::Stopped),
        Answer::NotDone(NotDone::NoEngine(reason)) => Err(AppError::NoEngineLeft { reason }.into()),
    }
}

fn is_chess960(position: &Chess) -> bool {
    position.castles().mode() == CastlingMode::Chess960
}

/// Waits for something that may take long, unless the user wants to stop first.
async fn unless_stopped<T>(work: impl Future<Output = T>, stop: &AtomicBool) -> Result<T, Trouble> {
    interrupt::unless_asked(stop, work).await.ok_or(Trouble::Stopped)
}

//! `build annotate`: what engines think of the positions where openings branch and end.

mod annotator;
mod batch;
mod estimate;
mod neighbours;
mod plan;
mod run;
mod turn;
mod wish;

use std::{
    collections::HashSet,
    ops::AddAssign,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

use serde::{Deserialize, Serialize};
use shakmaty::Position as _;
use tabiya_chess::{PositionId, Question, SearchLimit, parse_fen};
use tabiya_engine::Pool;
use tabiya_lichess::{CloudConfig, CloudEval};
use tabiya_store::{NodeAnnotation, NodeEvaluation, Review, Store};

pub use annotator::Annotator;
pub use batch::{Batch, BatchPosition};
pub use estimate::Estimate;
pub use neighbours::{DEFAULT_GAP, EVALUATION_REVIEW};
pub use turn::Turn;
pub use wish::{Depths, Effort, Kind};

use crate::opening_graph::OpeningGraph;
use crate::{AppError, engines::EngineSettings};
use neighbours::Verdict;
use plan::Wanted;

/// Positions that one engine goes through before it is given others.
pub const DEFAULT_BATCH: usize = 16;

/// How many lines are asked for.
pub const DEFAULT_MULTIPV: u8 = 3;

/// How many questions a store is asked at a time.
const ASKED_AT_ONCE: usize = 2_000;

#[derive(Debug, Clone)]
pub struct AnnotateRequest {
    pub database: String,
    /// Whose games decide what is played most; all collections' by default.
    pub collection: Option<String>,
    pub engine: EngineSettings,
    /// Who is asked before an engine is.
    pub cloud: Option<CloudConfig>,
    pub effort: Effort,
    /// Ends a search that takes longer.
    pub millis: Option<u32>,
    pub multipv: u8,
    /// No more positions than this in one run.
    pub limit: Option<usize>,
    /// Only so many of the most played ones, whether or not they are done.
    pub most_played: Option<usize>,
    pub batch: usize,
    /// Whether an engine keeps its hash through a batch.
    pub reuse_hash: bool,
    /// Whether evaluations of others, imported ones and older versions' do not count.
    pub engine_only: bool,
    /// By how many centipawns neighbours may differ.
    pub gap: u32,
    /// Whether positions that no engine could answer are tried again.
    pub retry_quarantined: bool,
    pub stop: Arc<AtomicBool>,
}

impl AnnotateRequest {
    /// With everything as it usually is.
    pub fn new(database: impl Into<String>) -> AnnotateRequest {
        AnnotateRequest {
            database: database.into(),
            collection: None,
            engine: EngineSettings::default(),
            cloud: None,
            effort: Effort::default(),
            millis: None,
            multipv: DEFAULT_MULTIPV,
            limit: None,
            most_played: None,
            batch: DEFAULT_BATCH,
            reuse_hash: false,
            engine_only: false,
            gap: DEFAULT_GAP,
            retry_quarantined: false,
            stop: Arc::default(),
        }
    }

    pub(crate) fn check(&self) -> Result<(), AppError> {
        let refuse = |what: &str| Err(AppError::OutOfRange(what.to_owned()));
        if self.multipv == 0 {
            return refuse("--multipv must be 1 or more");
        }
        if self.batch == 0 {
            return refuse("--batch must be 1 or more");
        }
        match self.effort {
            Effort::Nodes(0) => refuse("--nodes must be 1 or more"),
            Effort::Depths(depths) if [depths.branching, depths.popular, depths.terminal].contains(&0) => {
                refuse("a depth must be 1 or more")
            }
            _ => Ok(()),
        }
    }
}

/// What became of positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub searched: u64,
    pub from_store: u64,
    pub from_cloud: u64,
    pub quarantined: u64,
    /// Left for the next run, because this one was stopped.
    pub not_done: u64,
    /// Answers that the continuations contradict.
    pub contradicted: u64,
    /// Nodes that engines searched.
    pub nodes: u64,
    /// Milliseconds that engines searched, all together.
    pub engine_millis: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.searched += other.searched;
        self.from_store += other.from_store;
        self.from_cloud += other.from_cloud;
        self.quarantined += other.quarantined;
        self.not_done += other.not_done;
        self.contradicted += other.contradicted;
        self.nodes += other.nodes;
        self.engine_millis += other.engine_millis;
    }
}

/// What there is to do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    pub branching: u64,
    pub terminal: u64,
    /// Of both, those that show an evaluation as deep as is wanted.
    pub done_before: u64,
    /// Those whose evaluation lay in the store.
    pub from_store: u64,
    /// Those that no engine could answer before, and that are left alone.
    pub in_quarantine: u64,
    /// What engines are to do now.
    pub to_search: u64,
    /// By limit, the number of positions.
    pub by_limit: Vec<(String, u64)>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct AnnotateReport {
    pub engine: String,
    pub planned: Planned,
    pub done: Tally,
    /// Evaluations that wait for a person.
    pub open_reviews: u64,
    pub seconds: f64,
    pub interrupted: bool,
}

/// What happens, for whoever watches.
#[derive(Debug)]
pub enum AnnotateEvent<'a> {
    /// There is an engine, and this is to be said about it.
    Engine {
        warning: Option<String>,
    },
    Planned(&'a Planned),
    /// A position was answered: the moves that lead there.
    Answered(&'a str),
}

/// Evaluates what is not evaluated. Every answer is written as it comes, so a run that ends early is gone on with by the
/// next.
pub async fn annotate(
    request: &AnnotateRequest,
    watch: impl Fn(AnnotateEvent<'_>) + Sync,
) -> Result<AnnotateReport, AppError> {
    request.check()?;
    let begun = Instant::now();
    let cloud = cloud(request)?;
    let store = Store::connect(&request.database).await?;
    let pool = request.engine.start().await?;
    watch(AnnotateEvent::Engine {
        warning: pool.engine().warning(),
    });
    let outcome = carry_out(&store, &pool, cloud, request, &watch).await;
    pool.stop(crate::engines::LAST_WORDS).await;
    let (planned, done, interrupted) = outcome?;
    if done.contradicted > 0 {
        // What was not let in may agree with continuations that were evaluated after it.
        let request = AnnotateRequest {
            retry_quarantined: false,
            ..request.clone()
        };
        prepare(&store, &request, Some(&pool.engine().name), true).await?;
    }
    let open_reviews = review(&store, request.gap).await?;
    store.close().await;
    Ok(AnnotateReport {
        engine: pool.engine().name.clone(),
        planned,
        done,
        open_reviews,
        seconds: begun.elapsed().as_secs_f64(),
        interrupted,
    })
}

async fn carry_out(
    store: &Store,
    pool: &Pool,
    cloud: Option<CloudEval>,
    request: &AnnotateRequest,
    watch: &(impl Fn(AnnotateEvent<'_>) + Sync),
) -> Result<(Planned, Tally, bool), AppError> {
    let annotator = Annotator {
        store: store.clone(),
        pool: pool.clone(),
        cloud,
        gap: request.gap,
    };
    let (planned, batches) = prepare(store, request, Some(&pool.engine().name), true).await?;
    watch(AnnotateEvent::Planned(&planned));
    let engines = request.engine.count();
    let (done, interrupted) = run::work_off(&annotator, batches, engines, &request.stop, watch).await?;
    Ok((planned, done, interrupted))
}

/// What would be done, and how long it would take: a few positions are searched to find out.
pub async fn estimate(request: &AnnotateRequest) -> Result<Estimate, AppError> {
    request.check()?;
    let store = Store::connect(&request.database).await?;
    let pool = request.engine.start().await?;
    let prepared = prepare(&store, request, Some(&pool.engine().name), false).await;
    let estimated = match prepared {
        Ok((planned, batches)) => {
            estimate::measure(&pool, planned, &batches, request.engine.count(), &request.stop).await
        }
        Err(error) => Err(error),
    };
    pool.stop(crate::engines::LAST_WORDS).await;
    store.close().await;
    estimated
}

pub(crate) fn cloud(request: &AnnotateRequest) -> Result<Option<CloudEval>, AppError> {
    Ok(request.cloud.clone().map(CloudEval::new).transpose()?)
}

/// Finds what is to do. Evaluations that the store has already are shown at their nodes at once if `show` says so. Where it
/// is not known whose evaluations alone count, whoever works on it has to look.
pub(crate) async fn prepare(
    store: &Store,
    request: &AnnotateRequest,
    engine: Option<&str>,
    show: bool,
) -> Result<(Planned, Vec<Batch>), AppError> {
    if request.retry_quarantined && show {
        store.release_quarantine(None).await?;
    }
    let graph = OpeningGraph::new(store.knowledge_graph(request.collection.as_deref()).await?);
    if graph.nodes.is_empty() {
        return Err(AppError::NoOpenings);
    }
    let own = request
        .engine_only
        .then(|| engine.unwrap_or("an engine that is not known yet"));
    let mut planned = Planned::default();
    let mut wanted = plan::wanted(&graph, request);
    wanted.truncate(request.most_played.unwrap_or(usize::MAX));
    for wish in &wanted {
        match wish.kind {
            Kind::Branching => planned.branching += 1,
            Kind::Terminal => planned.terminal += 1,
        }
    }
    let all = wanted.len();
    wanted.retain(|wish| !plan::is_served(graph.nodes[wish.place].evaluation.as_ref(), &wish.limit, own));
    planned.done_before = (all - wanted.len()) as u64;
    let refused = quarantined(store, request, engine).await?;
    let before = wanted.len();
    wanted.retain(|wish| !refused.contains(&(graph.nodes[wish.place].id, wish.limit.to_string())));
    planned.in_quarantine = (before - wanted.len()) as u64;
    let mut open = known_left_out(store, &graph, wanted, request, own, show, &mut planned).await?;
    open.truncate(request.limit.unwrap_or(usize::MAX));
    planned.to_search = open.len() as u64;
    planned.by_limit = by_limit(&open);
    let batches = plan::batches(&graph, &open, request);
    Ok((planned, batches))
}

/// Takes out what the store can answer. An answer that the continuations contradict replaces nothing, however often it is
/// met.
async fn known_left_out(
    store: &Store,
    graph: &OpeningGraph,
    wanted: Vec<Wanted>,
    request: &AnnotateRequest,
    own: Option<&str>,
    show: bool,
    planned: &mut Planned,
) -> Result<Vec<Wanted>, AppError> {
    let mut open = Vec::new();
    for some in wanted.chunks(ASKED_AT_ONCE) {
        let asked = some
            .iter()
            .map(|wish| Ok((plan::chess(graph, wish.place)?, plan::question(wish, request, own))))
            .collect::<Result<Vec<_>, AppError>>()?;
        let found = store.find_analyses(&asked).await?;
        let (mut shown, mut questions, mut settled) = (Vec::new(), Vec::new(), Vec::new());
        for ((wish, (position, _)), found) in some.iter().zip(&asked).zip(found) {
            match found.and_then(|analysis| NodeAnnotation::of(position, &analysis)) {
                Some(annotation) => {
                    planned.from_store += 1;
                    let node = &graph.nodes[wish.place];
                    let children = neighbours::children(graph, wish.place);
                    match neighbours::verdict(position.turn(), &annotation, &children, request.gap) {
                        Verdict::Sound => {
                            settled.extend(node.evaluation.is_some().then_some(node.id));
                            shown.push(annotation);
                        }
                        Verdict::Contradicted(detail) => {
                            questions.push((node.id, detail));
                            shown.extend(node.evaluation.is_none().then_some(annotation));
                        }
                    }
                }
                None => open.push(wish.clone()),
            }
        }
        if show {
            store.annotate_nodes(shown).await?;
            store.withdraw_reviews(EVALUATION_REVIEW, settled).await?;
            store.add_reviews(EVALUATION_REVIEW, questions).await?;
        }
    }
    Ok(open)
}

async fn quarantined(
    store: &Store,
    request: &AnnotateRequest,
    engine: Option<&str>,
) -> Result<HashSet<(PositionId, String)>, AppError> {
    if request.retry_quarantined {
        return Ok(HashSet::new());
    }
    let all = store.quarantined().await?;
    // Where it is not known who will be asked, nobody is asked what anybody could not answer.
    let own = all.into_iter().filter(|refused| {
        let by = refused.question.engine.as_deref();
        engine.is_none() || by.is_none() || by == engine
    });
    Ok(own
        .map(|refused| (refused.position, refused.question.limit.to_string()))
        .collect())
}

fn by_limit(open: &[Wanted]) -> Vec<(String, u64)> {
    let mut limits: Vec<(String, u64)> = Vec::new();
    for wish in open {
        let text = wish.limit.to_string();
        match limits.iter_mut().find(|(known, _)| *known == text) {
            Some((_, positions)) => *positions += 1,
            None => limits.push((text, 1)),
        }
    }
    limits
}

/// Puts evaluations that contradict each other to a person, and gives the number of open questions.
pub(crate) async fn review(store: &Store, gap: u32) -> Result<u64, AppError> {
    let graph = OpeningGraph::new(store.knowledge_graph(None).await?);
    let questions = neighbours::questions(&graph, gap);
    let settled = neighbours::settled(&graph, &open_reviews(store).await?, &questions);
    store.withdraw_reviews(EVALUATION_REVIEW, settled).await?;
    store.add_reviews(EVALUATION_REVIEW, questions).await?;
    Ok(open_reviews(store).await?.len() as u64)
}

async fn open_reviews(store: &Store) -> Result<Vec<Review>, AppError> {
    let mut reviews = store.reviews(true).await?;
    reviews.retain(|review| review.reason == EVALUATION_REVIEW);
    Ok(reviews)
}

/// The evaluations that wait for a person.
pub async fn evaluation_reviews(database: &str) -> Result<Vec<Review>, AppError> {
    let store = Store::connect(database).await?;
    let reviews = open_reviews(&store).await;
    store.close().await;
    reviews
}

/// What a person says of an evaluation in question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvaluationAnswer {
    /// Show the deepest that is known.
    Accept,
    /// Leave what is shown.
    Keep,
}

/// Enters a person's answer, after which nobody asks again; gives the evaluation that is shown now.
pub async fn answer_evaluation(
    database: &str,
    fen: &str,
    answer: EvaluationAnswer,
) -> Result<Option<NodeEvaluation>, AppError> {
    let start = parse_fen(fen).map_err(|error| AppError::BadFen {
        fen: fen.to_owned(),
        reason: error.to_string(),
    })?;
    let id = PositionId::of(&start.position);
    let store = Store::connect(database).await?;
    let word = match answer {
        EvaluationAnswer::Accept => "accept",
        EvaluationAnswer::Keep => "keep",
    };
    if !store.answer_review(id, EVALUATION_REVIEW, word).await? {
        return Err(AppError::EvaluationNotAsked { fen: fen.to_owned() });
    }
    if answer == EvaluationAnswer::Accept {
        let anything = Question {
            limit: SearchLimit::depth(1),
            multipv: 1,
            engine: None,
        };
        let deepest = store.find_analysis(&start.position, &anything).await?;
        let shown = deepest.and_then(|analysis| NodeAnnotation::of(&start.position, &analysis));
        store.annotate_nodes(shown.into_iter().collect()).await?;
    }
    let node = store.node(id, None).await?;
    store.close().await;
    Ok(node.and_then(|node| node.evaluation))
}

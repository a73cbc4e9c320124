//! Writing a knowledge base into Neo4j: what is new, what changed, and without what went.

mod analyses;
mod catalogue;
mod games;
mod moves;
mod places;
mod positions;
mod schema;
mod sent;
mod usual;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::knowledge::projection::Source;
use crate::knowledge::tx::ranges;
use crate::{Store, StoreError, StoreOptions};
use games::Games;
use moves::Moves;
use sent::Sent;
use writer::Writer;

/// How to go about it.
#[derive(Debug, Clone)]
pub struct ProjectOptions {
    pub connection: StoreOptions,
    /// How long to go on trying when the server is away in the middle of it.
    pub patience: Duration,
    /// Set by whoever wants it to end; what was written stays, and the next run goes on.
    pub stop: Arc<AtomicBool>,
}

impl Default for ProjectOptions {
    fn default() -> ProjectOptions {
        ProjectOptions {
            connection: StoreOptions::default(),
            patience: Duration::from_secs(60),
            stop: Arc::default(),
        }
    }
}

impl ProjectOptions {
    fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }
}

/// What is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectPhase {
    Positions,
    Moves,
    Games,
    Analyses,
    Openings,
    Tactics,
    Removing,
}

/// Is told how far it is: so many of so many.
pub type ProjectWatch<'a> = &'a (dyn Fn(ProjectPhase, u64, u64) + Sync);

/// What was done about one kind of thing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// How many there are now.
    pub total: u64,
    /// New or changed.
    pub written: u64,
    pub removed: u64,
    /// How long it took to compare and to write them; removing is not counted.
    pub took: Duration,
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectReport {
    /// The graph's database, without a password.
    pub database: String,
    pub positions: Written,
    /// All moves from a position are written anew where one of them changed; removed ones are not counted.
    pub moves: Written,
    pub openings: Written,
    pub structures: Written,
    pub collections: Written,
    pub games: Written,
    /// What engines answered, about these positions and others.
    pub analyses: Written,
    pub tactics: Written,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

impl ProjectReport {
    fn parts(&self) -> [&Written; 8] {
        [
            &self.positions,
            &self.moves,
            &self.openings,
            &self.structures,
            &self.collections,
            &self.games,
            &self.analyses,
            &self.tactics,
        ]
    }

    /// Whether anything was not as it is now.
    pub fn changed(&self) -> bool {
        self.parts().iter().any(|part| part.written + part.removed > 0)
    }
}

/// Writes the knowledge base of `source` into the Neo4j database that a URL names, and removes what is no part of it any
/// more. A run that was broken off is gone on with by the next.
pub async fn project(
    source: &Store,
    to: &str,
    options: &ProjectOptions,
    watch: ProjectWatch<'_>,
) -> Result<ProjectReport, StoreError> {
    let store = super::connect::reach(to, &options.connection).await?;
    let written = write(source, &store, options, watch).await;
    store.close().await;
    written
}

async fn write(
    source: &Store,
    store: &super::Neo4jStore,
    options: &ProjectOptions,
    watch: ProjectWatch<'_>,
) -> Result<ProjectReport, StoreError> {
    schema::check(store).await?;
    schema::create(store).await?;
    let mut from = Source::open(source).await?;
    let writer = Writer::begin(store.clone(), options).await?;
    let mut sent = Sent::new(&writer, watch);
    let mut report = ProjectReport {
        database: store.name().to_owned(),
        ..ProjectReport::default()
    };

    // What is pointed to comes before what points to it, and goes after.
    let begun = Instant::now();
    let known = catalogue::nodes(&mut from, &mut sent, &mut report).await?;
    report.openings.took = begun.elapsed();

    let begun = Instant::now();
    let written = positions::write(&mut from, &mut sent, &known, &mut report).await;
    // Whatever became of them: a run that another one took the place of must not leave that one's positions unheld.
    let held = writer.patiently(async || schema::create_rest(store).await).await;
    let (places, usual, gone) = written?;
    held?;
    report.positions.took = begun.elapsed();

    let begun = Instant::now();
    let mut moves = Moves::begin(&mut from, &sent, &places, &usual).await?;
    for range in ranges().take_while(|_| !options.stopped()) {
        moves.write(&mut from, &mut sent, range, &mut report).await?;
    }
    moves.end(&mut sent).await?;
    drop(places);
    report.moves.took = begun.elapsed();

    let begun = Instant::now();
    let mut games = Games::begin(&mut from, &sent).await?;
    for range in ranges().take_while(|_| !options.stopped()) {
        games.write(&mut from, &mut sent, range, &mut report).await?;
    }
    let gone_games = games.end(&mut sent).await?;
    report.games.took = begun.elapsed();

    let begun = Instant::now();
    let gone_analyses = analyses::write(&mut from, &mut sent, &mut report).await?;
    report.analyses.took = begun.elapsed();

    let begun = Instant::now();
    catalogue::links(&mut sent, &known, &mut report).await?;
    sent.landed().await?;
    report.openings.took += begun.elapsed();

    // A database in memory has one connection, which this gives back.
    drop(from);
    let begun = Instant::now();
    let gone_tactics = games::write_tactics(source, &mut sent, &mut report).await?;
    sent.landed().await?;
    report.tactics.took = begun.elapsed();
    if !sent.stopped() {
        positions::remove(&mut sent, gone, &mut report).await?;
        games::remove(&mut sent, gone_games, gone_tactics, &mut report).await?;
        analyses::remove(&mut sent, gone_analyses, &mut report).await?;
        catalogue::remove(&mut sent, &known, &mut report).await?;
        sent.landed().await?;
    }
    writer.patiently(async || schema::wait(store).await).await?;
    report.stopped = sent.stopped();
    if !report.stopped {
        writer.finish(&report).await?;
    }
    Ok(report)
}

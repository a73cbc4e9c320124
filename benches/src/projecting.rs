//! Copying the knowledge base to Neo4j: positions with their moves a second.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Result, ensure};
use tabiya_app::project::{ProjectReport, ProjectRequest, project};
use tabiya_store::Store;
use tokio::runtime::Runtime;

use crate::{
    clock::{Clock, Cost, Patience, timed},
    corpus::Corpus,
    expanding::build,
    floor::{Bound, Floor},
    report::Report,
    setting::Setting,
    table::Table,
};

/// With all that was ever played there would be millions, which a test server takes half an hour for.
const MIN_GAMES: u64 = 2;
const LEAST_POSITIONS: u64 = 200_000;
const TURNS: usize = 2;
/// Positions a second, with the moves that leave them.
const LEAST_RATE: f64 = 10_000.0;

/// Copies a knowledge base into an empty graph, each time anew. What the server had before is gone afterwards. Left out without a
/// server.
pub(crate) fn projecting(
    server: Option<&str>,
    corpus: &Corpus,
    also: &[PathBuf],
    setting: Setting<'_>,
    report: &mut Report,
) -> Result<()> {
    report.heading(&format!("Copying to Neo4j: {}", corpus.name));
    let Some(server) = server else {
        report.note("Left out: no server is named with --neo4j or TABIYA_TEST_NEO4J.");
        return Ok(());
    };
    let runtime = Runtime::new()?;
    let (database, nothing) = (setting.dir.join("project.db"), setting.dir.join("nothing.db"));
    let games: Vec<&Path> = std::iter::once(corpus.packed.as_path())
        .chain(also.iter().map(PathBuf::as_path))
        .collect();
    runtime.block_on(build(&games, &database, MIN_GAMES))?;
    runtime.block_on(async {
        let empty = Store::connect(&format!("sqlite://{}", nothing.display())).await?;
        empty.close().await;
        anyhow::Ok(())
    })?;
    let mut patience = Patience::with(Clock::Wall {
        patience: setting.patience,
    });
    let mut table = Table::new(&[
        "",
        "positions",
        "moves",
        "positions s",
        "moves s",
        "all s",
        "positions/s",
        "others' load",
    ]);
    let mut slowest: Option<(f64, Cost)> = None;
    for turn in 1..=TURNS {
        // A copy of nothing, so that there is everything to write.
        runtime.block_on(copy(&nothing, server))?;
        patience.wait_for_quiet();
        let (copied, cost) = timed(|| runtime.block_on(copy(&database, server)));
        let copied = copied?;
        let (positions, moves) = (&copied.positions, &copied.moves);
        ensure!(
            positions.written == positions.total && moves.written == moves.total,
            "not all of it was written: {copied:?}"
        );
        ensure!(
            positions.total >= LEAST_POSITIONS && moves.total >= LEAST_POSITIONS,
            "{} positions and {} moves are too few to go by: name more games with --also",
            positions.total,
            moves.total
        );
        let rate = positions.total as f64 / (positions.took + moves.took).as_secs_f64();
        table.row(vec![
            format!("turn {turn}"),
            positions.total.to_string(),
            moves.total.to_string(),
            format!("{:.2}", positions.took.as_secs_f64()),
            format!("{:.2}", moves.took.as_secs_f64()),
            format!("{:.2}", cost.wall.as_secs_f64()),
            format!("{rate:.0}"),
            format!("{:.0} %", cost.others * 100.0),
        ]);
        if slowest.is_none_or(|(known, _)| rate < known) {
            slowest = Some((rate, cost));
        }
    }
    report.table(&table);
    report.note("The server's own work counts among that of others.");
    if let Some((rate, cost)) = slowest {
        report.floor(Floor {
            what: "positions a second copied to Neo4j with their moves, in the slower turn".to_owned(),
            measured: rate,
            bound: Bound::AtLeast(LEAST_RATE),
            unit: "/s",
            others: Some(cost.others),
        });
    }
    Ok(())
}

async fn copy(database: &Path, server: &str) -> Result<ProjectReport> {
    let request = ProjectRequest {
        database: format!("sqlite://{}", database.display()),
        to: server.to_owned(),
        stop: Arc::default(),
    };
    Ok(project(&request, &|_, _, _| {}).await?)
}

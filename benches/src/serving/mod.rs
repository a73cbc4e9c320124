//! Answering over HTTP: requests a second beside what axum alone can do, trees, searches, the first answer.

mod questions;
pub(crate) mod wrk;

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use axum::{Router, routing::get};
use tabiya_server::{ServeOptions, Server};
use tokio::{net::TcpListener, runtime::Runtime, sync::oneshot};

use crate::{
    corpus::Corpus,
    expanding::build,
    floor::{Bound, Floor},
    report::Report,
    setting::Setting,
    table::Table,
};

/// Games that a move needs to be part of the graph: few, so that there are many nodes.
pub(crate) const MIN_GAMES: u64 = 2;
const LEAST_NODES: usize = 200_000;
const POSITIONS: usize = 2_000;
/// More than the server keeps answers to.
const MANY: usize = 150_000;
const SECONDS: u32 = 10;
/// On the machine where trials were made, from its cache of answers.
const PEER: f64 = 34_000.0;
const LEAST_PER_SECOND: f64 = 50_000.0;
const MOST_P99: f64 = 5.0;
const MOST_TREE: f64 = 200.0;
const MOST_SEARCH: f64 = 20.0;
const MOST_START: f64 = 1.0;

/// Everything that is promised of a server.
pub(crate) fn serve(corpus: &Corpus, also: &[PathBuf], setting: Setting<'_>, report: &mut Report) -> Result<()> {
    if !wrk::installed() {
        report.note("wrk is not installed; answering is not measured");
        return Ok(());
    }
    let runtime = Runtime::new()?;
    let database = setting.dir.join("serve.db");
    let games: Vec<&Path> = [corpus.packed.as_path()]
        .into_iter()
        .chain(also.iter().map(PathBuf::as_path))
        .collect();
    runtime.block_on(build(&games, &database, MIN_GAMES))?;
    report.heading(&format!("Answering over HTTP: {}", corpus.name));

    let begun = Instant::now();
    let served = runtime.block_on(Served::start(&database))?;
    let (first, _) = ask(
        served.address,
        "/node/fen/rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-",
    )?;
    let start = begun.elapsed();
    ensure!(first == 200, "the first question was answered with {first}");
    let snapshot = runtime.block_on(served.knowledge.wait_for_snapshot());
    let loaded = begun.elapsed();
    let nodes = snapshot.all().len();
    report.note(&format!(
        "{nodes} positions, {} moves; the first answer after {:.3} s, all in memory after {:.3} s",
        snapshot.all().edge_count(),
        start.as_secs_f64(),
        loaded.as_secs_f64()
    ));
    // Made when first asked for.
    snapshot.search();
    snapshot.skeletons();

    let constant = runtime.block_on(constant())?;
    let asked = questions::nodes(&snapshot, POSITIONS);
    let limit = wrk::load(constant, &asked, SECONDS, setting.dir)?;
    let node = wrk::load(served.address, &asked, SECONDS, setting.dir)?;
    let afresh = wrk::load(served.address, &questions::nodes(&snapshot, MANY), SECONDS, setting.dir)?;
    let search = wrk::load(served.address, &questions::searches(), SECONDS / 2, setting.dir)?;
    let structure = wrk::load(
        served.address,
        &questions::structures(&snapshot),
        SECONDS / 2,
        setting.dir,
    )?;
    let mut table = Table::new(&["50 connections", "requests/s", "median ms", "P99 ms"]);
    for (name, load) in [
        ("axum with one constant answer: the limit", limit),
        ("/node/fen, 2,000 positions", node),
        ("/node/fen, 150,000 positions, most made afresh", afresh),
        ("/opening/search", search),
        ("/structure/…/openings and /structure/search", structure),
    ] {
        table.row(vec![
            name.to_owned(),
            format!("{:.0}", load.per_second),
            format!("{:.2}", load.median),
            format!("{:.2}", load.p99),
        ]);
    }
    report.table(&table);

    let (tree, bytes, code) = largest_tree(served.address)?;
    report.note(&format!(
        "The largest tree, /opening/eco/{code}?depth=15: {bytes} bytes in {:.1} ms",
        tree.as_secs_f64() * 1e3
    ));
    let mut floor = |what: &str, measured: f64, bound: Bound, unit: &'static str| {
        report.floor(Floor {
            what: what.to_owned(),
            measured,
            bound,
            unit,
            others: None,
        });
    };
    floor(
        "nodes of the graph",
        nodes as f64,
        Bound::AtLeast(LEAST_NODES as f64),
        "",
    );
    floor(
        "/node/fen",
        node.per_second,
        Bound::AtLeast(LEAST_PER_SECOND),
        " requests/s",
    );
    floor(
        "/node/fen against lila-openingexplorer",
        node.per_second / PEER,
        Bound::AtLeast(1.0),
        "×",
    );
    floor("/node/fen, P99", node.p99, Bound::Below(MOST_P99), " ms");
    floor(
        "an ECO tree of depth 15",
        tree.as_secs_f64() * 1e3,
        Bound::Below(MOST_TREE),
        " ms",
    );
    floor("search, P99", search.p99, Bound::Below(MOST_SEARCH), " ms");
    floor("structures, P99", structure.p99, Bound::Below(MOST_SEARCH), " ms");
    floor(
        "start to first answer",
        start.as_secs_f64(),
        Bound::Below(MOST_START),
        " s",
    );
    runtime.block_on(served.stop());
    Ok(())
}

pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) knowledge: std::sync::Arc<tabiya_app::explore::KnowledgeBase>,
    stop: oneshot::Sender<()>,
    ended: tokio::task::JoinHandle<()>,
}

impl Served {
    pub(crate) async fn start(database: &Path) -> Result<Served> {
        Served::with_games(database, Vec::new()).await
    }

    /// One that shows these games too.
    pub(crate) async fn with_games(database: &Path, games: Vec<String>) -> Result<Served> {
        let options = ServeOptions {
            bind: ([127, 0, 0, 1], 0).into(),
            games,
            ..ServeOptions::default()
        };
        let server = Server::bind(&database.display().to_string(), options).await?;
        let (stop, stopped) = oneshot::channel::<()>();
        Ok(Served {
            address: server.address(),
            knowledge: std::sync::Arc::clone(server.knowledge()),
            stop,
            ended: tokio::spawn(async move {
                let run = server.run(async move {
                    let _ = stopped.await;
                });
                run.await.expect("it stops when it is told to");
            }),
        })
    }

    pub(crate) async fn stop(self) {
        // It may have ended by itself, and then says so when it is waited for.
        let _ = self.stop.send(());
        let _ = self.ended.await;
    }
}

/// A server that says the same to everybody.
async fn constant() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let router = Router::new().fallback(get(|| async { "{\"node_id\":null}" }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

/// Of some codes that have much below them: the one that takes longest, the best of three.
fn largest_tree(address: SocketAddr) -> Result<(Duration, usize, &'static str)> {
    let mut slowest = (Duration::ZERO, 0, "");
    for code in questions::codes() {
        let mut best = Duration::MAX;
        let mut bytes = 0;
        for _ in 0..3 {
            let begun = Instant::now();
            let (status, read) = ask(address, &format!("/opening/eco/{code}?depth=15"))?;
            ensure!(status == 200, "{code}: {status}");
            best = best.min(begun.elapsed());
            bytes = read;
        }
        if best > slowest.0 {
            slowest = (best, bytes, code);
        }
    }
    Ok(slowest)
}

/// The status, and how many bytes came.
pub(crate) fn ask(address: SocketAddr, uri: &str) -> Result<(u16, usize)> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "GET {uri} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let head = String::from_utf8_lossy(&answer[..answer.len().min(64)]).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Ok((status.context("no status")?, answer.len()))
}

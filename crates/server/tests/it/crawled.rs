//! A crawl of this server makes the knowledge base that the server has.

use std::collections::BTreeMap;

use tabiya_app::build::count::GameFilter;
use tabiya_app::build::explorer::ExplorerConfig;
use tabiya_app::build::{CrawlRequest, ExpandFrom, ExpandRequest, FacetKinds, MinGames, Steps, crawl_explorer, expand};
use tabiya_server::ServeOptions;
use tabiya_store::KnowledgeGraph;

use crate::kitchen::{self, Kind, Kitchen};
use crate::socket::run;

/// Wins, draws and losses of every move that was played.
fn played(graph: &KnowledgeGraph) -> BTreeMap<(u64, String), [u64; 3]> {
    let edges = graph.edges.iter().filter(|edge| edge.stats.games() > 0);
    edges
        .map(|edge| {
            let stats = &edge.stats;
            (
                (edge.parent.get(), edge.uci.clone()),
                [stats.white, stats.draws, stats.black],
            )
        })
        .collect()
}

/// Wins, draws and losses of every position that games reached.
fn reached(graph: &KnowledgeGraph) -> BTreeMap<&str, [u64; 3]> {
    let nodes = graph.nodes.iter().filter(|node| node.stats.games() > 0);
    nodes
        .map(|node| {
            let stats = &node.stats;
            (node.epd.as_str(), [stats.white, stats.draws, stats.black])
        })
        .collect()
}

/// Names that lie far apart: of the positions between them some have few games, and one can only be reached by another way than its
/// name's.
const FAR_NAMES: &str = "\
eco,name,pgn
B00,King's Pawn,1.e4
C26,Vienna Game,1.e4 e5 2.Nc3 Nf6 3.Nf3 Nc6 4.Bc4 Nxe4 5.Nxe4
C47,Four Knights Game: Italian Variation,1.Nc3 Nc6 2.Nf3 Nf6 3.e4 e5 4.Bc4 Bc5
D20,Queen's Gambit Accepted,1.d4 d5 2.c4 dxc4 3.e3 e5 4.Bxc4
";

/// Counts the kitchen's games again, and keeps moves with so many.
async fn count(kitchen: &Kitchen, min_games: u64) {
    let directory = kitchen.directory.path();
    let request = ExpandRequest {
        database: kitchen.database.clone(),
        from: ExpandFrom::Pgn(vec![directory.join("games-*.pgn").display().to_string()]),
        collection: "games".to_owned(),
        add: false,
        depth: 15,
        min_games: MinGames::Fixed(min_games),
        max_nodes: 1_000_000,
        max_ply: None,
        filter: GameFilter::default(),
        facets: FacetKinds::default(),
        threads: 1,
        state: Some(directory.join("state")),
        stop: std::sync::Arc::default(),
    };
    expand(&request, &Steps::default()).await.expect("games are counted");
}

#[tokio::test]
async fn our_crawler_on_our_explorer_ends_with_our_counts() {
    for kind in [Kind::Sqlite, Kind::Postgres] {
        let kitchen = Kitchen::new(kind).await;
        is_crawled(&kitchen, kitchen::NAMES, 1).await;
    }
}

#[tokio::test]
async fn moves_of_named_lines_are_crawled_below_the_threshold() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    for names in [kitchen::NAMES, FAR_NAMES] {
        kitchen.name(names).await;
        for min_games in [2, 5, 9, 30, 1_000] {
            count(&kitchen, min_games).await;
            is_crawled(&kitchen, names, min_games).await;
        }
    }
}

/// A crawl of a server over the kitchen's database ends with what is in there.
async fn is_crawled(kitchen: &Kitchen, names: &str, min_games: u64) {
    let running = run(kitchen.cold_server(ServeOptions::default()).await).await;
    let crawled = Kitchen::empty(Kind::Sqlite).await;
    crawled.name(names).await;
    for address in ["masters", "lichess"] {
        let mut explorer = ExplorerConfig::new(format!("http://{}/{address}", running.address).parse().expect("a URL"));
        explorer.rate = 10_000.0;
        let request = CrawlRequest {
            database: crawled.database.clone(),
            explorer,
            collection: "games".to_owned(),
            depth: 15,
            min_games,
            max_nodes: None,
            fresh: true,
            stop: std::sync::Arc::default(),
        };
        let summary = crawl_explorer(&request, &Steps::default(), |_| {})
            .await
            .expect("a crawl");
        assert!(summary.answered > if min_games == 1 { 30 } else { 10 }, "{summary:?}");
        let (counted, crawled) = (kitchen.store().await, crawled.store().await);
        let counted = counted.knowledge_graph(None).await.expect("a graph");
        let crawled = crawled.knowledge_graph(None).await.expect("a graph");
        let whose = format!("{}, /{address}, {min_games}", kitchen.database);
        assert_eq!(played(&counted), played(&crawled), "{whose}");
        assert_eq!(reached(&counted), reached(&crawled), "{whose}");
    }
    running.stop().await;
}

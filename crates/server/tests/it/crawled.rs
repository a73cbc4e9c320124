//! A crawl of this server makes the knowledge base that the server has.

use std::collections::BTreeMap;

use tabiya_app::build::explorer::ExplorerConfig;
use tabiya_app::build::{CrawlRequest, Steps, crawl_explorer};
use tabiya_server::ServeOptions;
use tabiya_store::KnowledgeGraph;

use crate::kitchen::{Kind, Kitchen};
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

#[tokio::test]
async fn our_crawler_on_our_explorer_ends_with_our_counts() {
    for kind in [Kind::Sqlite, Kind::Postgres] {
        let kitchen = Kitchen::new(kind).await;
        let running = run(kitchen.cold_server(ServeOptions::default()).await).await;

        let crawled = Kitchen::empty(Kind::Sqlite).await;
        for address in ["masters", "lichess"] {
            let mut explorer =
                ExplorerConfig::new(format!("http://{}/{address}", running.address).parse().expect("a URL"));
            explorer.rate = 10_000.0;
            let request = CrawlRequest {
                database: crawled.database.clone(),
                explorer,
                collection: "games".to_owned(),
                depth: 15,
                min_games: 1,
                max_nodes: None,
                fresh: true,
                stop: std::sync::Arc::default(),
            };
            let summary = crawl_explorer(&request, &Steps::default(), |_| {})
                .await
                .expect("a crawl");
            assert!(summary.answered > 30, "{summary:?}");
            let (counted, crawled) = (kitchen.store().await, crawled.store().await);
            let counted = counted.knowledge_graph(None).await.expect("a graph");
            let crawled = crawled.knowledge_graph(None).await.expect("a graph");
            assert_eq!(played(&counted), played(&crawled), "{kind:?}, /{address}");
        }
        running.stop().await;
    }
}

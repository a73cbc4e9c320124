//! The tables of docs/neo4j.md, held against a graph that has something of every kind.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shakmaty::Chess;
use tabiya_chess::{Analysis, Eval, FacetKinds, PositionId, SearchLimit, Stats, epd};
use tabiya_store::{Collection, CollectionSource, CrawlAnswer, Graph, GraphEdge, GraphNode, NodeAnnotation, Stub};

use crate::kitchen::{Kind, Kitchen, after};
use crate::neo4j::ask;

/// Labels or types, each with properties.
type Kinds = BTreeMap<String, BTreeSet<String>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_has_what_a_graph_has() {
    let kitchen = Kitchen::new(Kind::Neo4j).await;
    add_what_is_rare(&kitchen).await;
    kitchen.project().await;
    let url = kitchen.graph.as_ref().expect("a graph").url.clone();
    let found = ask(
        &url,
        &[
            "MATCH (n) UNWIND labels(n) AS label RETURN label, collect(DISTINCT keys(n))",
            "MATCH ()-[r]->() RETURN type(r), collect(DISTINCT keys(r))",
        ],
    );
    let page = include_str!("../../../../docs/neo4j.md");
    let mut faults = Vec::new();
    for (table, found) in [("label", &found[0]), ("relationship", &found[1])] {
        differences(&table_of(page, table), &kinds(found), &mut faults);
    }
    assert!(faults.is_empty(), "docs/neo4j.md:\n{}", faults.join("\n"));
}

/// What a kitchen has nothing of: an explorer's answer, which is flagged and knows no ratings, a line that the tree lacks, a mate, and
/// an engine that says how full its memory is.
async fn add_what_is_rare(kitchen: &Kitchen) {
    let node = |line: &str, ply| GraphNode {
        id: PositionId::of(&after(line)),
        epd: epd(&after(line)),
        ply,
        halfmove: 0,
    };
    let (start, kings_pawn) = (node("", 0), node("e4", 1));
    let explorer = Collection {
        name: "lichess".to_owned(),
        source: CollectionSource::Explorer,
        games: 3,
        min_games: 1,
        depth: 15,
        max_ply: Some(40),
        facets: FacetKinds::default(),
    };
    let unrated = Stats {
        white: 3,
        ..Stats::default()
    };
    let played = GraphEdge {
        parent: start.id,
        child: kings_pawn.id,
        uci: "e2e4".to_owned(),
        san: "e4".to_owned(),
    };
    let answer = CrawlAnswer {
        node: start.clone(),
        depth: 0,
        stats: unrated,
        edges: vec![(played, kings_pawn.clone(), unrated)],
        flagged: Some("the explorer offered e1e8".to_owned()),
    };
    let stub = Stub {
        line: Graph::default(),
        node: kings_pawn.id,
        count: 11,
    };
    let mate = NodeAnnotation {
        node: PositionId::of(&after("d4")),
        eval: Eval::Mate(3).into(),
        depth: 22,
        best_move: None,
        engine: "Stockfish 17".to_owned(),
    };
    let analysis = Analysis {
        engine: "Stockfish 17".to_owned(),
        limit: SearchLimit::depth(20),
        multipv: 1,
        lines: Vec::new(),
        nodes: 1_000_000,
        millis: 700,
        hashfull: Some(12),
        tbhits: 0,
    };
    let store = kitchen.store().await;
    store.commit_answer(&explorer, answer).await.expect("it is entered");
    store.add_stubs(vec![stub]).await.expect("it is entered");
    store.annotate_nodes(vec![mate]).await.expect("it is entered");
    let answered = store.put_analyses(vec![(Chess::default(), analysis)]).await;
    assert_eq!(answered.expect("it is entered"), 1);
    store.close().await;
}

/// What the graph says: rows of a name and the lists of properties that its nodes or relationships have.
fn kinds(rows: &Value) -> Kinds {
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let rows = list(rows).into_iter();
    rows.map(|row| {
        let properties = list(&row[1]).into_iter().flat_map(|properties| list(&properties));
        (text(&row[0]), properties.map(|property| text(&property)).collect())
    })
    .collect()
}

/// What the page says: the table whose first column is headed so, of each row what stands in backticks in its first and its last column.
/// Labels begin with a capital letter, and are no properties.
fn table_of(page: &str, heading: &str) -> Kinds {
    let heading = format!("| {heading} |");
    let table = page.lines().skip_while(|line| !line.starts_with(&heading));
    let rows = table.skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let columns: Vec<&str> = row.trim_matches('|').split('|').collect();
        let words = |column: &str| -> Vec<String> {
            let words = column.split('`').skip(1).step_by(2);
            words.map(str::to_owned).collect()
        };
        let name = words(columns[0]).pop().expect("a name");
        let properties = words(columns[columns.len() - 1]).into_iter();
        let is_label = |word: &String| word.starts_with(|first: char| first.is_uppercase());
        (name, properties.filter(|word| !is_label(word)).collect())
    })
    .collect()
}

/// Says which word is missing where.
fn differences(page: &Kinds, graph: &Kinds, faults: &mut Vec<String>) {
    for (name, properties) in graph {
        let Some(row) = page.get(name) else {
            faults.push(format!("there is no row for `{name}`, which the graph has"));
            continue;
        };
        for property in properties.difference(row) {
            faults.push(format!("the row of `{name}` lacks `{property}`, which the graph has"));
        }
        for word in row.difference(properties) {
            faults.push(format!("the row of `{name}` has `{word}`, which the graph lacks"));
        }
    }
    for name in page.keys().filter(|name| !graph.contains_key(*name)) {
        faults.push(format!("there is a row for `{name}`, which the graph lacks"));
    }
}

//! The graph: the questions of docs/neo4j.md, asked by Neo4j's own driver, and a server that answers from it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tabiya_chess::epd;
use tabiya_server::ServeOptions;
use tabiya_store::{KnowledgeEdge, KnowledgeGraph, OpeningKey, Store};

use crate::away::takes_nothing_with_it;
use crate::kitchen::{Kind, Kitchen, address, after, get, json as answer, read};
use crate::wire::Wire;

/// Asks each query of a list on standard input, and prints a list of rows for each.
const ASK: &str = "
import json, sys, urllib.parse
from neo4j import GraphDatabase
url = urllib.parse.urlparse(sys.argv[1])
auth = (url.username, urllib.parse.unquote(url.password or '')) if url.username else None
with GraphDatabase.driver(f'bolt://{url.hostname}:{url.port}', auth=auth) as driver, driver.session() as session:
    print(json.dumps([session.run(query).values() for query in json.load(sys.stdin)]))
";

pub(crate) fn ask(url: &str, queries: &[&str]) -> Vec<Value> {
    let python = std::env::home_dir()
        .expect("a home")
        .join(".cache/tabiya/venv/bin/python3");
    let mut child = Command::new(&python)
        .args(["-c", ASK, url])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error} (scripts/setup test installs it)", python.display()));
    let queries = serde_json::to_vec(queries).expect("JSON");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(&queries).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "it says why above");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// What is written between ```` ```cypher ```` and ```` ``` ````.
fn queries(page: &str) -> Vec<&str> {
    let blocks = page.split("```cypher\n").skip(1);
    blocks.filter_map(|block| block.split("```").next()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_questions_have_their_answers() {
    let kitchen = Kitchen::new(Kind::Neo4j).await;
    let page = include_str!("../../../../docs/neo4j.md");
    let asked = queries(page);
    assert_eq!(asked.len(), 10);
    let url = kitchen.graph.as_ref().expect("a graph").url.clone();
    let found = ask(&url, &asked);

    let store = kitchen.store().await;
    let graph = store.knowledge_graph(None).await.expect("a graph");
    let four_knights = epd(&after("e4 e5 Nf3 Nc6 Bc4 Nf6 Nc3"));
    assert_eq!(found[0], json!([["e4", 86, 55.2], ["d4", 6, 66.7]]));
    let line = "d4 d5 c4 dxc4 e3 e5 Bxc4 exd4 exd4 Nf6";
    let line: Vec<&str> = line.split(' ').collect();
    assert_eq!(found[1], json!([[10, line]]));
    assert_eq!(found[2], meetings(&store, "c55-italian-game-two-knights-defense").await);
    assert_eq!(
        found[3],
        json!([
            [2, epd(&after("e4 e5")), "Nc3", 4, 86],
            [7, four_knights, "Nxe4", 4, 19]
        ])
    );
    assert_eq!(found[4], where_ways_meet(&graph));
    assert_eq!(
        found[5],
        json!([
            [" e4 e5 Nc3 Nf6 Nf3 Nc6 Bc4"],
            [" e4 e5 Nf3 Nc6 Bc4 Nf6 Nc3"],
            [" e4 e5 Nf3 Nc6 Nc3 Nf6 Bc4"]
        ])
    );
    assert_eq!(found[6], better_moves(&graph));
    assert_eq!(found[7], structures_of(&store, "Italian Game").await);
    assert_eq!(found[8], json!([["Italian Game: Evans Gambit", "b4", 9, -55]]));
    let italian = epd(&after("e4 e5 Nf3 Nc6 Bc4"));
    assert_eq!(found[9], json!([["Italian Game", italian, "Nf6", 22, 50]]));
    // None of them is true of nothing.
    for (number, rows) in found.iter().enumerate() {
        assert!(rows.as_array().is_some_and(|rows| !rows.is_empty()), "{}", number + 1);
    }
}

/// What keeps a copy true and quick, by name; an index of labels is there in every database.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_has_its_constraints_and_indexes_and_no_others() {
    let kitchen = Kitchen::new(Kind::Neo4j).await;
    let url = kitchen.graph.as_ref().expect("a graph").url.clone();
    let found = ask(
        &url,
        &[
            "SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name",
            "SHOW INDEXES YIELD name, type, state WHERE type <> 'LOOKUP' RETURN name, state ORDER BY name",
        ],
    );
    let constraints = [
        "tabiya_analysis",
        "tabiya_collection",
        "tabiya_game",
        "tabiya_lane",
        "tabiya_opening",
        "tabiya_position",
        "tabiya_projection",
        "tabiya_structure",
        "tabiya_tactic",
    ];
    assert_eq!(
        found[0],
        constraints.iter().map(|name| json!([name])).collect::<Value>()
    );
    // Each constraint has an index of its name.
    let mut indexes = [&constraints[..], &["tabiya_eco", "tabiya_epd", "tabiya_slug"]].concat();
    indexes.sort_unstable();
    let indexes: Value = indexes.iter().map(|name| json!([name, "ONLINE"])).collect();
    assert_eq!(found[1], indexes);
}

/// As an earlier form of the copy has them: they are replaced, not written a second time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moves_that_say_nothing_of_themselves_are_written_anew() {
    let kitchen = Kitchen::new(Kind::Neo4j).await;
    let url = kitchen.graph.as_ref().expect("a graph").url.clone();
    let count = "MATCH (:Position)-[m:MOVE]->() RETURN count(m), count(m.digest)";
    let forget = "MATCH ()-[m:MOVE]->() REMOVE m.digest";
    let found = ask(&url, &[count, forget, count]);
    let (moves, marked) = (found[0][0][0].as_u64(), found[0][0][1].as_u64());
    assert!(moves > marked && marked > Some(10), "{found:?}");
    assert_eq!(found[2], json!([[moves, 0]]));
    kitchen.project().await;
    assert_eq!(ask(&url, &[count])[0], json!([[moves, marked]]));
}

/// Most positions leave out what the copy says of them all, and what docs/neo4j.md tells people to ask for is there all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_usual_is_said_once() {
    let kitchen = Kitchen::new(Kind::Neo4j).await;
    let url = kitchen.graph.as_ref().expect("a graph").url.clone();
    let said = [
        "MATCH (p:Position) RETURN count(p), count(p.source), count(p.collections)",
        "MATCH (t:Tabiya) MATCH (p:Position)
         RETURN count(coalesce(p.source, t.source)), count(coalesce(p.collections, t.collections)),
            count(coalesce(p.created_at, t.created_at)), count(coalesce(p.updated_at, p.created_at, t.updated_at))",
        "MATCH ()-[m:MOVE]->() RETURN count(m), count(m.collections)",
        "MATCH (t:Tabiya) MATCH ()-[m:MOVE]->() RETURN count(coalesce(m.collections, t.collections))",
    ];
    let found = ask(&url, &said);
    let [positions, sources, collections] = [0, 1, 2].map(|at| found[0][0][at].as_u64().expect("a number"));
    assert!(2 * sources < positions && 2 * collections < positions, "{found:?}");
    assert_eq!(found[1], json!([[positions, positions, positions, positions]]));
    let moves = found[2][0][0].as_u64().expect("a number");
    assert!(2 * found[2][0][1].as_u64().expect("a number") < moves, "{found:?}");
    assert_eq!(found[3], json!([[moves]]));
}

/// In the form before this one every position and move had all of it. A copy of that form becomes what a new one is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_in_which_everything_is_said_is_written_anew() {
    let kitchen = Kitchen::new(Kind::Neo4j).await;
    let url = kitchen.graph.as_ref().expect("a graph").url.clone();
    let all = [
        "MATCH (p:Position) RETURN properties(p) ORDER BY p.id",
        "MATCH (p:Position)-[m:MOVE]->() RETURN p.id, properties(m) ORDER BY p.id, m.uci",
        "MATCH (t:Tabiya) RETURN t.source, t.collections, t.created_at, t.updated_at",
    ];
    let expected = ask(&url, &all);
    let earlier = ask(
        &url,
        &[
            "MATCH (t:Tabiya) MATCH (p:Position) SET p.digest = 0,
                p.source = coalesce(p.source, t.source), p.collections = coalesce(p.collections, t.collections)",
            "MATCH (t:Tabiya) MATCH ()-[m:MOVE]->()
             SET m.digest = 0, m.collections = coalesce(m.collections, t.collections)",
            "MATCH (t:Tabiya) SET t.version = 4, t.source = null, t.collections = null",
            all[0],
            all[1],
        ],
    );
    assert!(earlier[3] != expected[0] && earlier[4] != expected[1]);
    kitchen.project().await;
    assert_eq!(ask(&url, &all), expected);
}

async fn meetings(store: &Store, slug: &str) -> Value {
    let key = OpeningKey::Slug(slug.to_owned());
    let mine = store.opening(&key).await.expect("an answer").expect("an opening");
    let mut rows = Vec::new();
    for link in store.transpositions_of(mine.opening.id).await.expect("links") {
        let key = OpeningKey::Id(link.opening);
        let other = store.opening(&key).await.expect("an answer").expect("an opening");
        rows.push((Reverse(link.games), other.opening.name, other.opening.eco, link.nodes));
    }
    rows.sort();
    let rows = rows.into_iter();
    rows.map(|(games, name, eco, nodes)| json!([eco, name, nodes, games.0]))
        .collect()
}

fn where_ways_meet(graph: &KnowledgeGraph) -> Value {
    let mut rows = Vec::new();
    for node in &graph.nodes {
        let ways = graph.edges.iter().filter(|edge| edge.child == node.id).count();
        if ways > 1 {
            rows.push((Reverse(ways), Reverse(node.stats.games()), &node.epd));
        }
    }
    rows.sort();
    rows.truncate(10);
    let rows = rows.into_iter();
    rows.map(|(ways, games, epd)| json!([epd, ways.0, games.0])).collect()
}

fn better_moves(graph: &KnowledgeGraph) -> Value {
    let score = |edge: &KnowledgeEdge| {
        let stats = &edge.stats;
        (stats.white as f64 + stats.draws as f64 / 2.0) / stats.games() as f64
    };
    let mut rows = Vec::new();
    for node in graph.nodes.iter().filter(|node| node.epd.contains(" w ")) {
        let mut moves: Vec<&KnowledgeEdge> = (graph.edges.iter())
            .filter(|edge| edge.parent == node.id && edge.stats.games() >= 5)
            .collect();
        moves.sort_by_key(|edge| (Reverse(edge.stats.games()), edge.uci.clone()));
        let Some((usual, others)) = moves.split_first() else {
            continue;
        };
        for other in others.iter().filter(|other| score(other) > score(usual)) {
            let gain = (1000.0 * (score(other) - score(usual))).round() / 10.0;
            rows.push((gain, &node.epd, &usual.san, &other.san, other.stats.games()));
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let rows = rows.into_iter();
    rows.map(|(gain, epd, usual, better, games)| json!([epd, usual, better, games, gain]))
        .collect()
}

async fn structures_of(store: &Store, family: &str) -> Value {
    let openings = store.openings().await.expect("openings");
    let is_of = |id| (openings.iter()).any(|view| view.opening.id == id && view.opening.family == family);
    let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for view in store.structures().await.expect("structures") {
        for link in view.arising_from.iter().filter(|link| is_of(link.opening)) {
            let sum = sums.entry(view.structure.name.clone()).or_default();
            *sum = (sum.0 + link.games, sum.1 + link.nodes);
        }
    }
    let mut rows: Vec<_> = sums.into_iter().collect();
    rows.sort_by_key(|(name, (games, _))| (Reverse(*games), name.clone()));
    let rows = rows.into_iter();
    rows.map(|(name, (games, nodes))| json!([name, games, nodes])).collect()
}

/// What is projected while a server runs is taken in when it looks again, and not before it is whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_takes_in_what_is_projected() {
    let kitchen = Kitchen::new(Kind::Neo4j).await;
    let server = kitchen.cold_server(ServeOptions::default()).await;
    let router = server.router();
    let knowledge = server.knowledge();
    let before = knowledge.mark().await.expect("a mark");
    knowledge.reload().await.expect("a snapshot");
    let unknown = address("g4 d5");
    assert_eq!(get(&router, &unknown).await.status(), 404);
    kitchen.cook("more", &[("g4 d5 Bg2", [1, 2, 0])]).await;
    assert_eq!(knowledge.mark().await.expect("a mark"), before);
    kitchen.project().await;
    assert_ne!(knowledge.mark().await.expect("a mark"), before);
    knowledge.reload().await.expect("a snapshot");
    let node = answer(&router, &unknown).await;
    assert_eq!(node["game_count"], 3, "{node}");
    let (status, ready) = read(get(&router, "/readyz").await).await;
    assert_eq!((status.as_u16(), &ready["status"]), (200, &json!("ok")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graph_that_goes_away_takes_nothing_with_it() {
    let mut kitchen = Kitchen::new(Kind::Neo4j).await;
    let graph = kitchen.graph.as_mut().expect("a graph");
    let (wire, url) = Wire::to(&graph.url).await;
    graph.url = url;
    takes_nothing_with_it(&kitchen, &wire).await;
}

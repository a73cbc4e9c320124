//! Exported tables: CSV, Parquet and JSON lines.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use serde_json::{Value, json};
use tabiya_app::export::{ExportFormat, ExportRequest};
use tabiya_chess::NodeId;

use crate::{
    exports::{Known, exported, full, read_with_python, request},
    workshop::{Workshop, game},
};

/// The fields of a node, in the order that everybody knows.
const FIELDS: &str = "node_id,fen,pgn_move,move_number,side,eco_code,opening_name,variation_name,parent_node_id,child_node_ids,\
is_branching_node,stockfish_eval,stockfish_depth,best_move,is_dubious,is_busted,transposition_ids,resulting_structure,\
game_count,white_win_pct,draw_pct";

type Table = Vec<BTreeMap<String, String>>;

async fn csv_of(workshop: &Workshop) -> Table {
    exported(&request(workshop, ExportFormat::Csv, "nodes.csv")).await;
    csv_in(workshop)
}

fn csv_in(workshop: &Workshop) -> Table {
    let mut reader = csv::Reader::from_path(workshop.path("nodes.csv")).expect("a table");
    let header = reader.headers().expect("a header").clone();
    let rows = reader
        .records()
        .map(|row| row.expect("as many cells as the header has"));
    let named = |row: csv::StringRecord| {
        header
            .iter()
            .map(str::to_owned)
            .zip(row.iter().map(str::to_owned))
            .collect()
    };
    rows.map(named).collect()
}

#[tokio::test]
async fn csv_export_all_fields_present() {
    let workshop = full().await;
    let rows = csv_of(&workshop).await;
    let header = fs::read_to_string(workshop.path("nodes.csv")).expect("a table");
    let header = header.lines().next().expect("a header").to_owned();
    assert!(header.starts_with(&format!("{FIELDS},")), "{header}");
    let known = Known::of(&workshop).await;
    assert_eq!(rows.len(), known.graph.nodes.len());
    for (row, node) in rows.iter().zip(&known.graph.nodes) {
        assert_eq!(row["node_id"], NodeId::from(node.id).to_string(), "by id");
        assert!(row["fen"].starts_with(&node.epd));
        assert_eq!(row["game_count"], node.stats.games().to_string());
        let eval = node.evaluation.as_ref().map(|shown| shown.eval.cp.to_string());
        assert_eq!(row["stockfish_eval"], eval.unwrap_or_default());
        let children: BTreeSet<String> = known
            .edges_from(node.id)
            .map(|edge| NodeId::from(edge.child).to_string())
            .collect();
        let written = row["child_node_ids"].split_whitespace().map(str::to_owned);
        assert_eq!(written.collect::<BTreeSet<_>>(), children);
        let ways = known.graph.edges.iter().filter(|edge| edge.child == node.id).count();
        let parents = usize::from(!row["parent_node_id"].is_empty());
        assert_eq!(
            row["transposition_ids"].split_whitespace().count() + parents,
            ways,
            "{row:?}"
        );
    }
    // Every field says something somewhere.
    for field in FIELDS.split(',') {
        assert!(rows.iter().any(|row| !row[field].is_empty()), "{field}");
    }
    let e4 = rows
        .iter()
        .find(|row| row["ply"] == "1" && row["pgn_move"] == "e4")
        .expect("1.e4");
    assert_eq!((e4["move_number"].as_str(), e4["side"].as_str()), ("1", "W"));
    let e5 = rows
        .iter()
        .find(|row| row["ply"] == "2" && row["pgn_move"] == "e5")
        .expect("1...e5");
    assert_eq!((e5["move_number"].as_str(), e5["side"].as_str()), ("1", "B"));
}

#[tokio::test]
async fn a_node_branches_where_its_row_has_two_children() {
    let workshop = full().await;
    workshop.write("club.pgn", &game(0, "", "e4 d6 d4 Nf6 Nc3 e5", "1-0"));
    let mut club = workshop.request(&["club.pgn"]);
    club.collection = "club".to_owned();
    workshop.expand(&club).await;
    let all = request(&workshop, ExportFormat::Csv, "nodes.csv");
    let limits = [
        all.clone(),
        ExportRequest {
            max_depth: Some(2),
            ..all.clone()
        },
        ExportRequest {
            min_games: 12,
            ..all.clone()
        },
        ExportRequest {
            eco: "C50-C59".parse().expect("a range"),
            ..all.clone()
        },
        ExportRequest {
            collection: Some("club".to_owned()),
            ..all
        },
    ];
    for limited in limits {
        exported(&limited).await;
        let rows = csv_in(&workshop);
        let limited_jsonl = ExportRequest {
            format: ExportFormat::Jsonl,
            output: workshop.path("jsonl"),
            ..limited
        };
        exported(&limited_jsonl).await;
        let nodes = fs::read_to_string(workshop.path("jsonl/nodes.jsonl")).expect("nodes");
        assert!(
            !rows.is_empty() && rows.len() == nodes.lines().count(),
            "{limited_jsonl:?}"
        );
        for (row, line) in rows.iter().zip(nodes.lines()) {
            let branching = row["child_node_ids"].split_whitespace().count() >= 2;
            assert_eq!(row["is_branching_node"], branching.to_string(), "{row:?}");
            let node: Value = serde_json::from_str(line).expect("a row");
            assert_eq!(node["is_branching_node"], branching, "{node}");
        }
    }
}

#[tokio::test]
async fn names_are_no_formulas() {
    let workshop = full().await;
    let rows = csv_of(&workshop).await;
    let patzer = rows.iter().find(|row| row["pgn_move"] == "Qh5").expect("2.Qh5");
    // A spreadsheet shows what stands behind the apostrophe, as text.
    assert_eq!(
        (patzer["opening_name"].as_str(), patzer["variation_name"].as_str()),
        ("'=1+1", "'@Patzer")
    );
    let modern = rows
        .iter()
        .find(|row| row["variation_name"].contains("Open"))
        .expect("a row");
    assert_eq!(modern["variation_name"], "Modern, or \"Open\", Variations");
    for row in &rows {
        for (field, cell) in row
            .iter()
            .filter(|(_, cell)| cell.starts_with(['=', '+', '-', '@', '\t', '\r']))
        {
            assert!(cell.parse::<i32>().is_ok(), "{field}: {cell}");
        }
    }
    assert!(
        rows.iter().any(|row| row["stockfish_eval"].starts_with('-')),
        "numbers are left alone"
    );
}

async fn jsonl_of(workshop: &Workshop) -> BTreeMap<String, Vec<Value>> {
    exported(&request(workshop, ExportFormat::Jsonl, "jsonl")).await;
    let tables = ["nodes", "edges", "openings", "transpositions"];
    let read = |table: &str| {
        let text = fs::read_to_string(workshop.path(&format!("jsonl/{table}.jsonl"))).expect(table);
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a row"))
            .collect()
    };
    tables.map(|table| (table.to_owned(), read(table))).into()
}

#[tokio::test]
async fn tables_join() {
    let workshop = full().await;
    let tables = jsonl_of(&workshop).await;
    let known = Known::of(&workshop).await;
    let ids = |table: &str, field: &str| -> BTreeSet<String> {
        let cells = tables[table].iter().filter_map(|row| row[field].as_str());
        cells.map(str::to_owned).collect()
    };
    let (nodes, openings) = (ids("nodes", "node_id"), ids("openings", "opening_id"));
    assert_eq!(nodes.len(), known.graph.nodes.len());
    assert_eq!(tables["edges"].len(), known.graph.edges.len());
    assert_eq!(openings.len(), 16);
    for (table, field) in [
        ("nodes", "parent_node_id"),
        ("edges", "parent_node_id"),
        ("edges", "child_node_id"),
        ("openings", "root_node_id"),
        ("transpositions", "node_id"),
        ("transpositions", "parent_node_id"),
    ] {
        let cells = ids(table, field);
        assert!(!cells.is_empty() && cells.is_subset(&nodes), "{table}.{field}");
    }
    assert!(ids("nodes", "opening_id").is_subset(&openings));
    let games = |table: &str| {
        tables[table]
            .iter()
            .map(|row| row["game_count"].as_u64().expect("a number"))
    };
    let counted: u64 = known.graph.edges.iter().map(|edge| edge.stats.games()).sum();
    assert_eq!(games("edges").sum::<u64>(), counted);
    for edge in &tables["edges"] {
        let number = |field: &str| edge[field].as_u64().expect("a number");
        assert_eq!(
            number("white") + number("draws") + number("black"),
            number("game_count")
        );
    }
    let italian = tables["openings"]
        .iter()
        .find(|row| row["name"] == "Italian Game")
        .expect("an opening");
    assert_eq!(
        (&italian["eco_code"], &italian["slug"]),
        (&json!("C50"), &json!("c50-italian-game"))
    );
    // Nodes say the same as the table of comma-separated values.
    for (csv, json) in csv_of(&workshop).await.iter().zip(&tables["nodes"]) {
        for field in FIELDS.split(',') {
            let cell = match &json[field] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                Value::Array(items) => items
                    .iter()
                    .map(|id| id.as_str().expect("an id"))
                    .collect::<Vec<_>>()
                    .join(" "),
                other => other.to_string(),
            };
            let number = |text: &str| text.parse::<f64>().ok();
            let plain = csv[field].trim_start_matches('\'');
            assert!(
                plain == cell || number(plain) == number(&cell),
                "{field}: {plain} {cell}"
            );
        }
    }
}

#[tokio::test]
async fn pyarrow_reads_what_the_lines_say() {
    let workshop = full().await;
    let lines = jsonl_of(&workshop).await;
    let report = exported(&request(&workshop, ExportFormat::Parquet, "parquet")).await;
    let names: Vec<&str> = report.files.iter().map(|file| file.file.as_str()).collect();
    assert_eq!(
        names,
        [
            "nodes.parquet",
            "edges.parquet",
            "openings.parquet",
            "transpositions.parquet"
        ]
    );
    let paths: Vec<_> = names.iter().map(|name| workshop.path("parquet").join(name)).collect();
    let read = read_with_python("read_parquet.py", &paths.iter().map(AsRef::as_ref).collect::<Vec<_>>());
    for (table, name) in read.as_array().expect("tables").iter().zip(&names) {
        let expected = &lines[name.trim_end_matches(".parquet")];
        let rows = table["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), expected.len(), "{name}");
        let columns: BTreeSet<&String> = table["columns"].as_object().expect("columns").keys().collect();
        for (row, line) in rows.iter().zip(expected) {
            assert!(
                line.as_object()
                    .expect("an object")
                    .keys()
                    .all(|field| columns.contains(field)),
                "{name}"
            );
            for field in &columns {
                let (ours, theirs) = (&line[field.as_str()], &row[field.as_str()]);
                let same = ours == theirs || ours.as_f64().is_some_and(|number| theirs.as_f64() == Some(number));
                assert!(same, "{name} {field}: {ours} {theirs}");
            }
        }
    }
    let types = &read[0]["columns"];
    assert_eq!(types["stockfish_eval"], "int32");
    assert_eq!(types["is_dubious"], "bool");
    assert_eq!(types["white_win_pct"], "double");
    assert!(
        types["child_node_ids"].as_str().expect("a type").starts_with("list<"),
        "{types}"
    );
}

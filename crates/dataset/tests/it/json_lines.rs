use std::{fs, io::Read, path::Path};

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::rows::{self, Row};

const NAMES: [&str; 3] = ["table.jsonl", "table.jsonl.zst", "table.jsonl.gz"];

fn text(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    match path.extension().unwrap().to_str().unwrap() {
        "zst" => String::from_utf8(zstd::decode_all(&bytes[..]).unwrap()).unwrap(),
        "gz" => {
            let mut text = String::new();
            flate2::read::GzDecoder::new(&bytes[..])
                .read_to_string(&mut text)
                .unwrap();
            text
        }
        _ => String::from_utf8(bytes).unwrap(),
    }
}

fn check(path: &Path, expected: &[Row]) {
    rows::write(path, expected);
    let text = text(path);
    assert!(text.is_empty() || text.ends_with('\n'));
    // Not `lines()`, which would also hide a stray carriage return.
    let lines: Vec<&str> = text.split_terminator('\n').collect();
    assert_eq!(lines.len(), expected.len());
    for (line, row) in lines.into_iter().zip(expected) {
        assert_eq!(
            serde_json::from_str::<Json>(line).unwrap(),
            json!({
                "id": row.id, "ply": row.ply, "fen": row.fen,
                "source_hint": row.source_hint, "pv_uci": row.pv_uci,
            })
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back(rows in rows::rows(), name in prop::sample::select(&NAMES[..])) {
        let directory = tempfile::tempdir().unwrap();
        check(&directory.path().join(name), &rows);
    }
}

#[test]
fn odd_values_and_empty_tables_survive() {
    let directory = tempfile::tempdir().unwrap();
    for name in NAMES {
        let path = directory.path().join(name);
        check(&path, &rows::odd_rows());
        check(&path, &[]);
    }
}

/// Enough to fill the line buffer many times over.
#[test]
fn large_tables_lose_nothing_between_buffers() {
    let directory = tempfile::tempdir().unwrap();
    let rows: Vec<Row> = std::iter::repeat_with(rows::odd_rows).flatten().take(5000).collect();
    for name in NAMES {
        check(&directory.path().join(name), &rows);
    }
}

#[test]
fn lines_are_exactly_these() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.jsonl");
    let row = Row {
        id: u64::MAX,
        ply: 3,
        fen: "a\"b\\c\n\u{1}é/♔".into(),
        source_hint: None,
        pv_uci: vec!["e2e4".into(), "e7e5".into()],
    };
    let bare = Row {
        source_hint: Some("x".into()),
        pv_uci: vec![],
        fen: String::new(),
        ..row.clone()
    };
    rows::write(&path, &[row, bare]);
    assert_eq!(
        text(&path),
        concat!(
            r#"{"id":18446744073709551615,"ply":3,"fen":"a\"b\\c\n\u0001é/♔","source_hint":null,"pv_uci":["e2e4","e7e5"]}"#,
            "\n",
            r#"{"id":18446744073709551615,"ply":3,"fen":"","source_hint":"x","pv_uci":[]}"#,
            "\n",
        )
    );
}

//! Tables of every kind of value, for the round trips.

use std::path::Path;

use proptest::{collection::vec, option, prelude::*};
use tabiya_dataset::table::{Column, Kind, Summary, TableWriter, Value};

pub(crate) const COLUMNS: [Column; 5] = [
    Column::new("id", Kind::U64),
    Column::new("ply", Kind::U32),
    Column::new("fen", Kind::Text),
    Column::new("source_hint", Kind::OptionalText),
    Column::new("pv_uci", Kind::TextList),
];

/// One row, owned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) id: u64,
    pub(crate) ply: u32,
    pub(crate) fen: String,
    pub(crate) source_hint: Option<String>,
    pub(crate) pv_uci: Vec<String>,
}

pub(crate) fn write(path: &Path, rows: &[Row]) -> Summary {
    let mut table = TableWriter::create(path, &COLUMNS).unwrap();
    for row in rows {
        table.write(&values(row)).unwrap();
    }
    let summary = table.finish().unwrap();
    assert_eq!(summary.rows, rows.len() as u64);
    assert_eq!(summary.bytes, path.metadata().unwrap().len());
    summary
}

pub(crate) fn values(row: &Row) -> [Value<'_>; 5] {
    [
        row.id.into(),
        row.ply.into(),
        row.fen.as_str().into(),
        row.source_hint.as_deref().into(),
        row.pv_uci.as_slice().into(),
    ]
}

/// What breaks formats: quotes, escapes, line ends, NUL, line separators, a BOM, surrogate neighbours, emoji.
const ODD: [&str; 12] = [
    "",
    "\"",
    "\\",
    "\n",
    "\r\n",
    "\0",
    "\u{1f}\u{7f}",
    "\u{2028}\u{2029}",
    "\u{feff}",
    "\u{d7ff}\u{e000}\u{ffff}",
    "♔👩🏽‍💻\u{10ffff}",
    "e\u{301}é",
];

/// A handful of rows with everything odd in them.
pub(crate) fn odd_rows() -> Vec<Row> {
    let odd = || ODD.iter().map(|&text| text.to_owned());
    let mut rows: Vec<Row> = odd()
        .map(|text| Row {
            id: u64::MAX,
            ply: u32::MAX,
            fen: text.clone(),
            source_hint: Some(text),
            pv_uci: odd().collect(),
        })
        .collect();
    rows.push(Row {
        id: 1 << 63,
        ply: 1 << 31,
        fen: String::new(),
        source_hint: None,
        pv_uci: vec![],
    });
    rows.push(Row {
        id: 0,
        ply: 0,
        fen: String::new(),
        source_hint: Some(String::new()),
        pv_uci: vec![String::new()],
    });
    rows
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        vec(prop::sample::select(&ODD[..]), 0..4).prop_map(|parts| parts.concat()),
        "[a-h][1-8][a-h][1-8]",
    ]
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        Just(u64::MAX),
        Just(0),
        Just(i64::MAX as u64 + 1),
        Just((1 << 53) + 1)
    ]
}

prop_compose! {
    fn row()(
        id in number(),
        ply in prop_oneof![any::<u32>(), Just(u32::MAX), Just(1 << 31)],
        fen in text(),
        source_hint in option::of(text()),
        pv_uci in vec(text(), 0..4),
    ) -> Row {
        Row { id, ply, fen, source_hint, pv_uci }
    }
}

pub(crate) fn rows() -> impl Strategy<Value = Vec<Row>> {
    vec(row(), 0..20)
}

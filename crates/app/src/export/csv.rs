//! All nodes as comma-separated values.

use std::sync::atomic::AtomicBool;

use tabiya_dataset::WholeFile;

use super::{
    ExportError,
    rows::{NodeRow, Selection},
};
use crate::{AppError, interrupt::go_on, spreadsheet::harmless};

/// The columns, in order; those behind `draw_pct` are ours.
pub(super) const HEADER: [&str; 26] = [
    "node_id",
    "fen",
    "pgn_move",
    "move_number",
    "side",
    "eco_code",
    "opening_name",
    "variation_name",
    "parent_node_id",
    "child_node_ids",
    "is_branching_node",
    "stockfish_eval",
    "stockfish_depth",
    "best_move",
    "is_dubious",
    "is_busted",
    "transposition_ids",
    "resulting_structure",
    "game_count",
    "white_win_pct",
    "draw_pct",
    "ply",
    "mate",
    "best_move_uci",
    "named",
    "source",
];

/// Writes the table with its header, and says how many rows it has. Lists are divided by spaces; what is not known is empty.
pub(super) fn table(file: &mut WholeFile, selection: Selection<'_>, stop: &AtomicBool) -> Result<u64, AppError> {
    let path = file.path().to_owned();
    let broken = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => AppError::from(ExportError::io("write", &path)(error)),
        other => AppError::Corrupt(format!("{other:?}")),
    };
    let mut writer = csv::Writer::from_writer(file);
    let mut rows = 0;
    writer.write_record(HEADER).map_err(broken)?;
    for place in selection.nodes() {
        go_on(stop)?;
        writer.write_record(record(&selection.row(place))).map_err(broken)?;
        rows += 1;
    }
    writer.flush().map_err(ExportError::io("write", &path))?;
    Ok(rows)
}

fn record(row: &NodeRow<'_>) -> [String; HEADER.len()] {
    fn text(value: Option<&str>) -> String {
        value.unwrap_or_default().to_owned()
    }
    fn number<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    [
        row.node_id.clone(),
        row.fen.clone(),
        text(row.pgn_move),
        row.move_number.to_string(),
        text(row.side),
        text(row.eco_code()),
        harmless(row.opening_name().unwrap_or_default()),
        harmless(row.variation_name().unwrap_or_default()),
        text(row.parent_node_id.as_deref()),
        row.child_node_ids.join(" "),
        row.is_branching().to_string(),
        number(row.eval()),
        number(row.depth()),
        text(row.best_move()),
        row.is_dubious().to_string(),
        row.is_busted().to_string(),
        row.transposition_ids.join(" "),
        text(row.node.structure.as_deref()),
        row.node.stats.games().to_string(),
        number(row.white_win_pct),
        number(row.draw_pct),
        row.node.ply.to_string(),
        number(row.mate()),
        text(row.best_move_uci()),
        row.node.named.to_string(),
        row.node.source.to_string(),
    ]
}

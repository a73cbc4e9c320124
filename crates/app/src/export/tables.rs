//! Nodes, moves, openings and transpositions as tables for other programs to join.

use std::{path::Path, sync::atomic::AtomicBool};

use tabiya_chess::NodeId;
use tabiya_dataset::table::{Column, Kind, Summary, TableWriter, Value};

use super::rows::{Selection, id};
use crate::{AppError, interrupt::go_on};

/// The tables, each a file of that name.
pub(super) const TABLES: [&str; 4] = ["nodes", "edges", "openings", "transpositions"];

const NODES: [Column; 28] = [
    Column::new("node_id", Kind::Text),
    Column::new("fen", Kind::Text),
    Column::new("pgn_move", Kind::OptionalText),
    Column::new("move_number", Kind::U32),
    Column::new("side", Kind::OptionalText),
    Column::new("eco_code", Kind::OptionalText),
    Column::new("opening_name", Kind::OptionalText),
    Column::new("variation_name", Kind::OptionalText),
    Column::new("parent_node_id", Kind::OptionalText),
    Column::new("child_node_ids", Kind::TextList),
    Column::new("is_branching_node", Kind::Bool),
    Column::new("stockfish_eval", Kind::OptionalI32),
    Column::new("stockfish_depth", Kind::OptionalI32),
    Column::new("best_move", Kind::OptionalText),
    Column::new("is_dubious", Kind::Bool),
    Column::new("is_busted", Kind::Bool),
    Column::new("transposition_ids", Kind::TextList),
    Column::new("resulting_structure", Kind::OptionalText),
    Column::new("game_count", Kind::U64),
    Column::new("white_win_pct", Kind::OptionalF64),
    Column::new("draw_pct", Kind::OptionalF64),
    Column::new("ply", Kind::U32),
    Column::new("mate", Kind::OptionalI32),
    Column::new("best_move_uci", Kind::OptionalText),
    Column::new("named", Kind::Bool),
    Column::new("source", Kind::Text),
    Column::new("opening_id", Kind::OptionalText),
    Column::new("average_rating", Kind::OptionalI32),
];

const EDGES: [Column; 9] = [
    Column::new("parent_node_id", Kind::Text),
    Column::new("child_node_id", Kind::Text),
    Column::new("uci", Kind::Text),
    Column::new("san", Kind::Text),
    Column::new("game_count", Kind::U64),
    Column::new("white", Kind::U64),
    Column::new("draws", Kind::U64),
    Column::new("black", Kind::U64),
    Column::new("average_rating", Kind::OptionalI32),
];

const OPENINGS: [Column; 13] = [
    Column::new("opening_id", Kind::Text),
    Column::new("eco_code", Kind::Text),
    Column::new("name", Kind::Text),
    Column::new("opening_name", Kind::Text),
    Column::new("variation_name", Kind::OptionalText),
    Column::new("slug", Kind::Text),
    Column::new("category", Kind::Text),
    Column::new("primary_color", Kind::Text),
    Column::new("root_node_id", Kind::Text),
    Column::new("aliases", Kind::TextList),
    Column::new("tags", Kind::TextList),
    Column::new("resolution_node_ids", Kind::TextList),
    Column::new("related_opening_ids", Kind::TextList),
];

const TRANSPOSITIONS: [Column; 8] = [
    Column::new("node_id", Kind::Text),
    Column::new("parent_node_id", Kind::Text),
    Column::new("uci", Kind::Text),
    Column::new("san", Kind::Text),
    Column::new("game_count", Kind::U64),
    Column::new("opening_id", Kind::OptionalText),
    Column::new("eco_code", Kind::OptionalText),
    Column::new("name", Kind::OptionalText),
];

/// Writes one of [`TABLES`].
pub(super) fn write(
    table: &str,
    path: &Path,
    selection: Selection<'_>,
    stop: &AtomicBool,
) -> Result<Summary, AppError> {
    match table {
        "nodes" => nodes(path, selection, stop),
        "edges" => edges(path, selection, stop),
        "openings" => openings(path, selection),
        _ => transpositions(path, selection, stop),
    }
}

fn rating(average: Option<u64>) -> Option<i32> {
    average.and_then(|rating| i32::try_from(rating).ok())
}

/// By id.
fn nodes(path: &Path, selection: Selection<'_>, stop: &AtomicBool) -> Result<Summary, AppError> {
    let mut table = TableWriter::create(path, &NODES)?;
    for place in selection.nodes() {
        go_on(stop)?;
        let row = selection.row(place);
        let node = row.node;
        let opening_id = node.opening.map(|id| id.to_string());
        table.write(&[
            Value::Text(&row.node_id),
            Value::Text(&row.fen),
            row.pgn_move.into(),
            Value::U32(row.move_number.into()),
            row.side.into(),
            row.eco_code().into(),
            row.opening_name().into(),
            row.variation_name().into(),
            row.parent_node_id.as_deref().into(),
            Value::TextList(&row.child_node_ids),
            row.is_branching().into(),
            row.eval().into(),
            row.depth().into(),
            row.best_move().into(),
            row.is_dubious().into(),
            row.is_busted().into(),
            Value::TextList(&row.transposition_ids),
            node.structure.as_deref().into(),
            node.stats.games().into(),
            row.white_win_pct.into(),
            row.draw_pct.into(),
            Value::U32(node.ply.into()),
            row.mate().into(),
            row.best_move_uci().into(),
            node.named.into(),
            Value::Text(node.source.as_str()),
            opening_id.as_deref().into(),
            rating(node.stats.average_rating()).into(),
        ])?;
    }
    Ok(table.finish()?)
}

/// By parent, the most played first.
fn edges(path: &Path, selection: Selection<'_>, stop: &AtomicBool) -> Result<Summary, AppError> {
    let mut table = TableWriter::create(path, &EDGES)?;
    for place in selection.nodes() {
        go_on(stop)?;
        let parent = id(selection.view.node(place));
        for step in selection.moves(place) {
            let stats = &step.edge.stats;
            table.write(&[
                Value::Text(&parent),
                Value::Text(&id(selection.view.node(step.child))),
                Value::Text(&step.edge.uci),
                Value::Text(&step.edge.san),
                stats.games().into(),
                stats.white.into(),
                stats.draws.into(),
                stats.black.into(),
                rating(stats.average_rating()).into(),
            ])?;
        }
    }
    Ok(table.finish()?)
}

/// By ECO code, then by name.
fn openings(path: &Path, selection: Selection<'_>) -> Result<Summary, AppError> {
    let mut table = TableWriter::create(path, &OPENINGS)?;
    let all = selection.catalogue.openings().iter();
    for view in all.filter(|view| selection.eco.contains(&view.opening.eco)) {
        let opening = &view.opening;
        let texts = |ids: &[NodeId]| ids.iter().map(NodeId::to_string).collect::<Vec<_>>();
        let related: Vec<String> = view.related_opening_ids.iter().map(ToString::to_string).collect();
        table.write(&[
            Value::Text(&opening.id.to_string()),
            Value::Text(&opening.eco),
            Value::Text(&opening.name),
            Value::Text(&opening.family),
            opening.variation.as_deref().into(),
            Value::Text(&opening.slug),
            Value::Text(&opening.category),
            Value::Text(opening.primary_color.encode_utf8(&mut [0; 4])),
            Value::Text(&view.root_node_id.to_string()),
            Value::TextList(&opening.aliases),
            Value::TextList(&opening.tags),
            Value::TextList(&texts(&view.resolution_node_ids)),
            Value::TextList(&related),
        ])?;
    }
    Ok(table.finish()?)
}

/// For each node that several moves lead to, those that are not its parent's, with the opening they come from.
fn transpositions(path: &Path, selection: Selection<'_>, stop: &AtomicBool) -> Result<Summary, AppError> {
    let mut table = TableWriter::create(path, &TRANSPOSITIONS)?;
    let view = selection.view;
    for place in selection.nodes() {
        go_on(stop)?;
        for step in view.transpositions(place) {
            let before = view.node(step.parent);
            let opening = selection.opening(before);
            let opening_id = opening.map(|opening| opening.id.to_string());
            table.write(&[
                Value::Text(&id(view.node(place))),
                Value::Text(&id(before)),
                Value::Text(&step.edge.uci),
                Value::Text(&step.edge.san),
                step.edge.stats.games().into(),
                opening_id.as_deref().into(),
                opening.map(|opening| opening.eco.as_str()).into(),
                opening.map(|opening| opening.name.as_str()).into(),
            ])?;
        }
    }
    Ok(table.finish()?)
}

//! The rules by which two rows about one thing become one, applied within a batch before it is sent.
//!
//! The SQL of both backends follows the same rules between a batch and what is stored.

use std::collections::BTreeSet;

use pgn_import::{Batch, Edge, Position, RepertoireEdge, Tactic};

use crate::Identity;
use crate::fault::Trouble;
use crate::rows::{PositionRow, bits, clean_owned};

/// The rows of a batch, each thing once, in the order of their primary keys: B-trees are filled fastest that way,
/// and writers that lock rows in one order cannot block each other.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub positions: Vec<PositionRow>,
    pub edges: Vec<Edge>,
    pub repertoire_edges: Vec<RepertoireEdge>,
    pub tactics: Vec<Tactic>,
}

impl Rows {
    pub(crate) fn of(batch: Batch, identity: Identity) -> Result<Rows, Trouble> {
        Ok(Rows {
            positions: positions(batch.positions, identity)?,
            edges: edges(batch.edges)?,
            repertoire_edges: repertoire_edges(batch.repertoire_edges),
            tactics: tactics(batch.tactics)?,
        })
    }
}

fn positions(batch: Vec<Position>, identity: Identity) -> Result<Vec<PositionRow>, Trouble> {
    let mut rows = batch
        .into_iter()
        .map(|position| PositionRow::new(position, identity))
        .collect::<Result<Vec<_>, _>>()
        .map_err(Trouble::Malformed)?;
    rows.sort_unstable_by_key(|row| row.id);
    fold(rows, |kept, next| {
        if kept.id != next.id {
            return Ok(Some(next));
        }
        if kept.key != next.key {
            return Err(position_collision(&kept.key, &next));
        }
        if next.outranks(kept.ply, kept.halfmove) {
            *kept = next;
        }
        Ok(None)
    })
}

pub(crate) fn edges(batch: Vec<Edge>) -> Result<Vec<Edge>, Trouble> {
    let mut rows = batch;
    for row in &mut rows {
        row.source_hint = row.source_hint.take().map(clean_owned);
    }
    rows.sort_unstable_by(|a, b| (bits(a.parent_id), &a.move_uci).cmp(&(bits(b.parent_id), &b.move_uci)));
    fold(rows, |kept, next| {
        if (kept.parent_id, &kept.move_uci) != (next.parent_id, &next.move_uci) {
            return Ok(Some(next));
        }
        if (kept.id, kept.child_id) != (next.id, next.child_id) {
            return Err(edge_collision(kept, &next));
        }
        if hint_outranks(next.source_hint.as_deref(), kept.source_hint.as_deref()) {
            kept.source_hint = next.source_hint;
        }
        Ok(None)
    })
}

fn repertoire_edges(batch: Vec<RepertoireEdge>) -> Vec<RepertoireEdge> {
    let mut rows: Vec<_> = batch
        .into_iter()
        .map(|row| RepertoireEdge {
            repertoire_key: clean_owned(row.repertoire_key),
            owner: clean_owned(row.owner),
            edge_id: row.edge_id,
        })
        .collect();
    rows.sort_unstable_by(|a, b| {
        (&a.repertoire_key, &a.owner, bits(a.edge_id)).cmp(&(&b.repertoire_key, &b.owner, bits(b.edge_id)))
    });
    rows.dedup();
    rows
}

fn tactics(batch: Vec<Tactic>) -> Result<Vec<Tactic>, Trouble> {
    let mut rows: Vec<_> = batch
        .into_iter()
        .map(|row| Tactic {
            fen: clean_owned(row.fen),
            pv_uci: row.pv_uci.into_iter().map(clean_owned).collect(),
            tags: union(row.tags.into_iter().map(clean_owned), []),
            source_hint: row.source_hint.map(clean_owned),
            id: row.id,
        })
        .collect();
    rows.sort_unstable_by_key(|row| bits(row.id));
    fold(rows, |kept, next| {
        if kept.id != next.id {
            return Ok(Some(next));
        }
        merge_tactic(kept, next)?;
        Ok(None)
    })
}

/// Takes `next` into `kept`, the same puzzle, and says whether that changed anything.
pub(crate) fn merge_tactic(kept: &mut Tactic, next: Tactic) -> Result<bool, Trouble> {
    if (&kept.fen, &kept.pv_uci) != (&next.fen, &next.pv_uci) {
        return Err(tactic_collision(kept, &next));
    }
    let mut changed = false;
    let known = kept.tags.len();
    kept.tags = union(std::mem::take(&mut kept.tags), next.tags);
    changed |= kept.tags.len() != known;
    if hint_outranks(next.source_hint.as_deref(), kept.source_hint.as_deref()) {
        kept.source_hint = next.source_hint;
        changed = true;
    }
    Ok(changed)
}

/// Of two source hints the smaller text stays, and any text rather than none.
pub(crate) fn hint_outranks(next: Option<&str>, kept: Option<&str>) -> bool {
    match (next, kept) {
        (Some(next), Some(kept)) => next < kept,
        (next, kept) => next.is_some() && kept.is_none(),
    }
}

pub(crate) fn position_collision(stored: &str, incoming: &PositionRow) -> Trouble {
    Trouble::Collision(format!(
        "position {:#018x} is both `{stored}` and `{}`",
        incoming.id, incoming.key
    ))
}

pub(crate) fn edge_collision(stored: &Edge, incoming: &Edge) -> Trouble {
    let text = |e: &Edge| {
        format!(
            "{:#018x} (from {:#018x} by {} to {:#018x})",
            e.id, e.parent_id, e.move_uci, e.child_id
        )
    };
    Trouble::Collision(format!("edge {} is stored, {} came", text(stored), text(incoming)))
}

pub(crate) fn tactic_collision(stored: &Tactic, incoming: &Tactic) -> Trouble {
    let text = |t: &Tactic| format!("`{}` with {}", t.fen, t.pv_uci.join(" "));
    Trouble::Collision(format!(
        "tactic {:#018x} is both {} and {}",
        incoming.id,
        text(stored),
        text(incoming)
    ))
}

fn union(tags: impl IntoIterator<Item = String>, more: impl IntoIterator<Item = String>) -> Vec<String> {
    let all: BTreeSet<String> = tags.into_iter().chain(more).collect();
    all.into_iter().collect()
}

/// Folds neighbours into one another; `merge` gives the next row back if it is about something else.
fn fold<T>(rows: Vec<T>, mut merge: impl FnMut(&mut T, T) -> Result<Option<T>, Trouble>) -> Result<Vec<T>, Trouble> {
    let mut kept: Vec<T> = Vec::with_capacity(rows.len());
    for row in rows {
        match kept.last_mut() {
            None => kept.push(row),
            Some(last) => {
                if let Some(other) = merge(last, row)? {
                    kept.push(other);
                }
            }
        }
    }
    Ok(kept)
}

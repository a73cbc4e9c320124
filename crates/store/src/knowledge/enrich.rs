//! What is found out about nodes after they were counted, with a log of what changed; questions for people and their
//! answers; phases.

use tabiya_chess::PositionId;
use uuid::Uuid;

use super::openings::{from_json, json};
use super::rows::{BookMove, PhaseRecord, StructureBy};
use super::tx::{Column, Tx, execute, fetch};
use super::views::{Change, Review};
use crate::fault::Trouble;
use crate::rows::clean;

/// The reason of the reviews whose answer is the name of a structure.
pub(super) const STRUCTURE: &str = "structure";

/// What replaces a value that was there is entered in the log; a first value is not a change. Nodes that are neither in `rows` nor
/// `lost` are left alone: they may have come, and been named, after whoever calls looked at the graph.
pub(super) async fn set_lineage(
    tx: &mut Tx,
    mut rows: Vec<(PositionId, Uuid)>,
    lost: Vec<(PositionId, Uuid)>,
) -> Result<(), Trouble> {
    rows.sort_unstable_by_key(|row| row.0.to_i64());
    tx.scratch("found", "id bigint PRIMARY KEY, opening_id uuid").await?;
    let columns = [
        Column::ids(rows.iter().map(|row| row.0.to_i64())),
        Column::uuids(rows.iter().map(|row| row.1)),
    ];
    tx.insert("found", &columns).await?;
    tx.analyze("found").await?;
    execute!(
        tx,
        "DELETE FROM found WHERE EXISTS (
             SELECT 1 FROM nodes n WHERE n.id = found.id AND n.opening_id = found.opening_id)"
    );
    // Who has lost an opening and gets another has had one before.
    let changes = fetch!(
        tx,
        (i64, Option<Uuid>, Uuid),
        "SELECT n.id, n.opening_id, f.opening_id FROM found f CROSS JOIN nodes n
         WHERE n.id = f.id AND (n.opening_id IS NOT NULL OR EXISTS (
             SELECT 1 FROM node_changelog l WHERE l.node_id = n.id AND l.field = 'opening_id')) ORDER BY n.id"
    );
    let log = changes
        .into_iter()
        .map(|(node, old, new)| (node, old.map(|old| old.to_string()), Some(new.to_string())))
        .collect();
    log_changes(tx, "opening_id", log).await?;
    execute!(
        tx,
        "UPDATE nodes SET
             updated_at = CASE WHEN opening_id IS NULL AND NOT EXISTS (
                     SELECT 1 FROM node_changelog l WHERE l.node_id = nodes.id AND l.field = 'opening_id')
                 THEN updated_at ELSE {now} END,
             opening_id = (SELECT f.opening_id FROM found f WHERE f.id = nodes.id)
         WHERE id IN (SELECT id FROM found)"
    );
    forget_lost(tx, lost).await
}

/// Takes their opening from nodes that no named position led to when whoever calls looked at the graph. Meanwhile one may have
/// got a name, another opening, or a way from a position that has an opening for a reason: it keeps what it has.
async fn forget_lost(tx: &mut Tx, mut lost: Vec<(PositionId, Uuid)>) -> Result<(), Trouble> {
    if lost.is_empty() {
        return Ok(());
    }
    lost.sort_unstable_by_key(|row| row.0.to_i64());
    tx.scratch("lost", "id bigint PRIMARY KEY, opening_id uuid").await?;
    let columns = [
        Column::ids(lost.iter().map(|row| row.0.to_i64())),
        Column::uuids(lost.iter().map(|row| row.1)),
    ];
    tx.insert("lost", &columns).await?;
    tx.analyze("lost").await?;
    // Whoever is found leads on to others.
    loop {
        let found = execute!(
            tx,
            "DELETE FROM lost WHERE NOT EXISTS (
                 SELECT 1 FROM nodes n WHERE n.id = lost.id AND n.opening_id = lost.opening_id AND NOT n.named)
             OR EXISTS (
                 SELECT 1 FROM edges e CROSS JOIN collections k CROSS JOIN edge_counts c CROSS JOIN nodes n
                 WHERE e.child_id = lost.id
                   AND c.collection = k.id AND c.parent_id = e.parent_id AND c.move_uci = e.move_uci
                   AND n.id = e.parent_id AND n.opening_id IS NOT NULL
                   AND NOT EXISTS (SELECT 1 FROM lost l WHERE l.id = n.id))"
        );
        if found == 0 {
            break;
        }
    }
    forget_lineage(tx, "id IN (SELECT id FROM lost)").await
}

/// Takes the opening from the nodes that fit a condition, and enters that in the log.
pub(super) async fn forget_lineage(tx: &mut Tx, condition: &'static str) -> Result<(), Trouble> {
    let lost = fetch!(
        tx,
        (i64, Uuid),
        &format!("SELECT id, opening_id FROM nodes WHERE opening_id IS NOT NULL AND {condition} ORDER BY id")
    );
    if lost.is_empty() {
        return Ok(());
    }
    let log = lost
        .into_iter()
        .map(|(node, old)| (node, Some(old.to_string()), None))
        .collect();
    log_changes(tx, "opening_id", log).await?;
    execute!(
        tx,
        &format!(
            "UPDATE nodes SET opening_id = NULL, updated_at = {{now}} WHERE opening_id IS NOT NULL AND {condition}"
        )
    );
    Ok(())
}

/// As for lineage. A rule leaves alone what a person said.
pub(super) async fn set_structures(
    tx: &mut Tx,
    mut rows: Vec<(PositionId, String, StructureBy)>,
) -> Result<(), Trouble> {
    rows.sort_by_key(|row| row.0.to_i64());
    tx.scratch(
        "found",
        "id bigint PRIMARY KEY, structure text COLLATE \"C\", said_by text COLLATE \"C\"",
    )
    .await?;
    let columns = [
        Column::ids(rows.iter().map(|row| row.0.to_i64())),
        Column::texts(rows.iter().map(|row| row.1.clone())),
        Column::texts(rows.iter().map(|row| row.2.as_str())),
    ];
    tx.insert("found", &columns).await?;
    tx.analyze("found").await?;
    execute!(
        tx,
        "DELETE FROM found WHERE EXISTS (
             SELECT 1 FROM nodes n WHERE n.id = found.id
             AND ((n.structure = found.structure AND n.structure_by = found.said_by)
                  OR (n.structure_by = 'person' AND found.said_by = 'rule')))"
    );
    let changes = fetch!(
        tx,
        (i64, String, String),
        "SELECT n.id, n.structure, f.structure FROM found f CROSS JOIN nodes n
         WHERE n.id = f.id AND n.structure <> f.structure ORDER BY n.id"
    );
    let log = changes
        .into_iter()
        .map(|(node, old, new)| (node, Some(old), Some(new)))
        .collect();
    log_changes(tx, "resulting_structure", log).await?;
    execute!(
        tx,
        "UPDATE nodes SET
             updated_at = CASE WHEN structure IS NULL THEN updated_at ELSE {now} END,
             structure = (SELECT f.structure FROM found f WHERE f.id = nodes.id),
             structure_by = (SELECT f.said_by FROM found f WHERE f.id = nodes.id)
         WHERE id IN (SELECT id FROM found)"
    );
    Ok(())
}

/// A position from which moves lead on is not where a tree ends, and has no structure that results.
pub(super) async fn clear_inner_structures(tx: &mut Tx) -> Result<(), Trouble> {
    execute!(
        tx,
        "INSERT INTO node_changelog (node_id, changed_at, field, old_value, new_value)
         SELECT id, {now}, 'resulting_structure', structure, NULL FROM nodes
         WHERE structure IS NOT NULL AND id IN (SELECT parent_id FROM edge_counts) ORDER BY id"
    );
    execute!(
        tx,
        "UPDATE nodes SET updated_at = {now}, structure = NULL, structure_by = NULL
         WHERE structure IS NOT NULL AND id IN (SELECT parent_id FROM edge_counts)"
    );
    Ok(())
}

/// A node, what was there, and what is there now.
type Logged = (i64, Option<String>, Option<String>);

async fn log_changes(tx: &mut Tx, field: &str, changes: Vec<Logged>) -> Result<(), Trouble> {
    if changes.is_empty() {
        return Ok(());
    }
    tx.scratch("log", "id bigint, old_value text, new_value text").await?;
    let columns = [
        Column::ids(changes.iter().map(|row| row.0)),
        Column::opt_texts(changes.iter().map(|row| row.1.clone())),
        Column::opt_texts(changes.iter().map(|row| row.2.clone())),
    ];
    tx.insert("log", &columns).await?;
    execute!(
        tx,
        "INSERT INTO node_changelog (node_id, changed_at, field, old_value, new_value)
         SELECT id, {now}, $1, old_value, new_value FROM log ORDER BY id",
        field
    );
    Ok(())
}

pub(super) async fn changelog(tx: &mut Tx, node: PositionId) -> Result<Vec<Change>, Trouble> {
    let rows = fetch!(
        tx,
        (String, String, Option<String>, Option<String>),
        "SELECT {text(changed_at)}, field, old_value, new_value FROM node_changelog
         WHERE node_id = $1 ORDER BY seq",
        node.to_i64()
    );
    Ok(rows
        .into_iter()
        .map(|row| Change {
            changed_at: row.0,
            field: row.1,
            old_value: row.2,
            new_value: row.3,
        })
        .collect())
}

async fn ask(tx: &mut Tx, mut rows: Vec<(PositionId, String)>) -> Result<(), Trouble> {
    rows.sort_by_key(|row| row.0.to_i64());
    tx.scratch("asked", "id bigint PRIMARY KEY, detail text COLLATE \"C\"")
        .await?;
    let columns = [
        Column::ids(rows.iter().map(|row| row.0.to_i64())),
        Column::texts(rows.into_iter().map(|row| row.1)),
    ];
    tx.insert("asked", &columns).await
}

/// Adds questions, or says open ones in new words. Answered ones stay, and are not asked again.
pub(super) async fn add_reviews(tx: &mut Tx, reason: &str, mut rows: Vec<(PositionId, String)>) -> Result<(), Trouble> {
    // Of two wordings the smaller, so that their order does not show.
    rows.sort_unstable_by(|a, b| (a.0.to_i64(), &a.1).cmp(&(b.0.to_i64(), &b.1)));
    rows.dedup_by_key(|row| row.0);
    ask(tx, rows).await?;
    execute!(
        tx,
        "INSERT INTO review_queue SELECT id, $1, detail, NULL FROM asked WHERE true
         ON CONFLICT (node_id, reason) DO UPDATE SET detail = excluded.detail WHERE review_queue.answer IS NULL",
        clean(reason)
    );
    Ok(())
}

/// Takes back open questions.
pub(super) async fn withdraw_reviews(tx: &mut Tx, reason: &str, mut nodes: Vec<PositionId>) -> Result<(), Trouble> {
    nodes.sort_unstable_by_key(|node| node.to_i64());
    nodes.dedup();
    ask(tx, nodes.into_iter().map(|node| (node, String::new())).collect()).await?;
    execute!(
        tx,
        "DELETE FROM review_queue WHERE reason = $1 AND answer IS NULL AND node_id IN (SELECT id FROM asked)",
        clean(reason)
    );
    Ok(())
}

/// Replaces the open questions of one reason. Answered ones stay, and are not asked again.
pub(super) async fn queue_reviews(tx: &mut Tx, reason: &str, rows: Vec<(PositionId, String)>) -> Result<(), Trouble> {
    ask(tx, rows).await?;
    execute!(
        tx,
        "DELETE FROM review_queue WHERE reason = $1 AND answer IS NULL",
        clean(reason)
    );
    execute!(
        tx,
        "INSERT INTO review_queue SELECT id, $1, detail, NULL FROM asked WHERE true ON CONFLICT DO NOTHING",
        clean(reason)
    );
    Ok(())
}

/// Questions by node and reason.
pub(super) async fn reviews(tx: &mut Tx, open_only: bool) -> Result<Vec<Review>, Trouble> {
    let rows = fetch!(
        tx,
        (i64, String, String, String, Option<String>),
        "SELECT r.node_id, p.key, r.reason, r.detail, r.answer
         FROM review_queue r JOIN positions p ON p.id = r.node_id
         WHERE r.answer IS NULL OR NOT $1
         ORDER BY r.node_id < 0, r.node_id, r.reason",
        open_only
    );
    Ok(rows
        .into_iter()
        .map(|row| Review {
            node: PositionId::from_i64(row.0),
            epd: row.1,
            reason: row.2,
            detail: row.3,
            answer: row.4,
        })
        .collect())
}

/// Enters a person's answer, and says whether there was such a question. The answer to one about a structure becomes the
/// node's structure, unless moves lead on from there by now: then it waits until they do not.
pub(super) async fn answer_review(tx: &mut Tx, node: PositionId, reason: &str, answer: &str) -> Result<bool, Trouble> {
    let asked = execute!(
        tx,
        "UPDATE review_queue SET answer = $3 WHERE node_id = $1 AND reason = $2",
        node.to_i64(),
        clean(reason),
        clean(answer)
    );
    if asked > 0 && reason == STRUCTURE && !moves_lead_on(tx, node).await? {
        set_structures(tx, vec![(node, answer.to_owned(), StructureBy::Person)]).await?;
    }
    Ok(asked > 0)
}

async fn moves_lead_on(tx: &mut Tx, node: PositionId) -> Result<bool, Trouble> {
    let moves = fetch!(
        tx,
        (i64,),
        "SELECT c.parent_id FROM collections k CROSS JOIN edge_counts c
         WHERE c.collection = k.id AND c.parent_id = $1 LIMIT 1",
        node.to_i64()
    );
    Ok(!moves.is_empty())
}

/// Replaces the moves of the book.
pub(super) async fn set_book_moves(tx: &mut Tx, mut rows: Vec<BookMove>) -> Result<(), Trouble> {
    rows.sort_unstable_by(|a, b| (a.parent.to_i64(), &a.uci).cmp(&(b.parent.to_i64(), &b.uci)));
    execute!(tx, "DELETE FROM book_moves");
    let columns = [
        Column::ids(rows.iter().map(|row| row.parent.to_i64())),
        Column::texts(rows.iter().map(|row| row.uci.clone())),
        Column::ints(rows.iter().map(|row| row.weight)),
    ];
    tx.insert("book_moves", &columns).await
}

/// The moves of the book, by position and UCI.
pub(super) async fn book_moves(tx: &mut Tx) -> Result<Vec<BookMove>, Trouble> {
    let rows = fetch!(
        tx,
        (i64, String, i32),
        "SELECT parent_id, move_uci, weight FROM book_moves ORDER BY parent_id < 0, parent_id, move_uci"
    );
    Ok(rows
        .into_iter()
        .map(|row| BookMove {
            parent: PositionId::from_i64(row.0),
            uci: row.1,
            weight: u16::try_from(row.2).unwrap_or(u16::MAX),
        })
        .collect())
}

pub(super) async fn phase(tx: &mut Tx, name: &str) -> Result<Option<PhaseRecord>, Trouble> {
    let rows = fetch!(
        tx,
        (String, String, String),
        "SELECT input, figures, {text(done_at)} FROM phases WHERE name = $1",
        clean(name)
    );
    let Some((input, figures, done_at)) = rows.into_iter().next() else {
        return Ok(None);
    };
    Ok(Some(PhaseRecord {
        input,
        figures: from_json(&figures)?,
        done_at,
    }))
}

pub(super) async fn record_phase(
    tx: &mut Tx,
    name: &str,
    input: &str,
    figures: &serde_json::Value,
) -> Result<(), Trouble> {
    let figures = json(figures)?;
    execute!(
        tx,
        "INSERT INTO phases VALUES ($1, $2, $3, {now})
         ON CONFLICT (name) DO UPDATE SET
             input = excluded.input, figures = excluded.figures, done_at = excluded.done_at",
        clean(name),
        clean(input),
        figures.as_str()
    );
    Ok(())
}

/// Records a phase if the record is still the one that it began with, and says whether it was.
pub(super) async fn finish_phase(
    tx: &mut Tx,
    name: &str,
    begun: &str,
    input: &str,
    figures: &serde_json::Value,
) -> Result<bool, Trouble> {
    let figures = json(figures)?;
    let finished = execute!(
        tx,
        "UPDATE phases SET input = $3, figures = $4, done_at = {now} WHERE name = $1 AND input = $2",
        clean(name),
        clean(begun),
        clean(input),
        figures.as_str()
    );
    Ok(finished > 0)
}

pub(super) async fn forget_phases(tx: &mut Tx, names: &[&str]) -> Result<(), Trouble> {
    for name in names {
        execute!(tx, "DELETE FROM phases WHERE name = $1", clean(name));
    }
    Ok(())
}

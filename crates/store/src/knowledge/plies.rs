//! How far every node is from the initial position, and its clock, along the moves that collections have.
//!
//! Positions and moves are shared with what was imported, and moves stay that no build has any more. By those a position may be
//! nearer to the initial one than by any line of the knowledge base, or to a root of its own; its number there is not the one
//! that its parent here leads to.

use std::collections::HashMap;

use shakmaty::Chess;
use tabiya_chess::PositionId;

use super::tx::{Column, Tx, execute, fetch};
use crate::fault::Trouble;

/// Brings the plies and clocks of all nodes up to date. Those of positions must be.
pub(super) async fn settle(tx: &mut Tx) -> Result<(), Trouble> {
    let root = PositionId::of(&Chess::default()).to_i64();
    if is_alone(tx, root).await? {
        execute!(
            tx,
            "UPDATE nodes SET ply = p.ply, halfmove = p.halfmove FROM positions p
             WHERE p.id = nodes.id AND (p.ply <> nodes.ply OR p.halfmove <> nodes.halfmove)"
        );
        return Ok(());
    }
    let nodes = fetch!(
        tx,
        (i64, String, i32, i32),
        "SELECT n.id, p.key, n.ply, n.halfmove FROM nodes n CROSS JOIN positions p WHERE p.id = n.id"
    );
    let moves = fetch!(
        tx,
        (i64, i64, i32),
        "SELECT DISTINCT e.parent_id, e.child_id, CAST(e.zeroing AS integer)
         FROM collections k CROSS JOIN edge_counts c CROSS JOIN edges e
         WHERE c.collection = k.id AND e.parent_id = c.parent_id AND e.move_uci = c.move_uci"
    );
    let changed = Graph::new(nodes, &moves).changed(root);
    write(tx, &changed).await
}

/// Whether the database has nothing but the knowledge base: then its positions have settled among themselves.
async fn is_alone(tx: &mut Tx, root: i64) -> Result<bool, Trouble> {
    let rows = fetch!(
        tx,
        (bool,),
        "SELECT NOT EXISTS (SELECT 1 FROM positions WHERE ply = 0 AND id <> $1)
            AND NOT EXISTS (SELECT 1 FROM edges e WHERE NOT EXISTS (
                SELECT 1 FROM collections k CROSS JOIN edge_counts c
                WHERE c.collection = k.id AND c.parent_id = e.parent_id AND c.move_uci = e.move_uci))",
        root
    );
    Ok(rows.first().is_some_and(|row| row.0))
}

async fn write(tx: &mut Tx, changed: &[(i64, Reached)]) -> Result<(), Trouble> {
    if changed.is_empty() {
        return Ok(());
    }
    tx.scratch("replied", "id bigint PRIMARY KEY, ply integer, halfmove integer")
        .await?;
    let columns = [
        Column::ids(changed.iter().map(|row| row.0)),
        Column::ints(changed.iter().map(|row| row.1.ply)),
        Column::ints(changed.iter().map(|row| row.1.halfmove)),
    ];
    tx.insert("replied", &columns).await?;
    tx.analyze("replied").await?;
    execute!(
        tx,
        "UPDATE nodes SET ply = r.ply, halfmove = r.halfmove FROM replied r WHERE r.id = nodes.id"
    );
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reached {
    ply: i32,
    halfmove: i32,
}

struct Node {
    id: i64,
    key: String,
    stored: Reached,
}

/// A move between two nodes, by their places.
struct Move {
    parent: usize,
    child: usize,
    zeroing: bool,
}

struct Graph {
    nodes: Vec<Node>,
    /// By parent.
    moves: Vec<Move>,
}

impl Graph {
    fn new(nodes: Vec<(i64, String, i32, i32)>, moves: &[(i64, i64, i32)]) -> Graph {
        let mut nodes: Vec<Node> = nodes
            .into_iter()
            .map(|(id, key, ply, halfmove)| Node {
                id,
                key,
                stored: Reached { ply, halfmove },
            })
            .collect();
        nodes.sort_unstable_by_key(|node| node.id);
        let places: HashMap<i64, usize> = nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        let between = |(parent, child, zeroing): &(i64, i64, i32)| {
            Some(Move {
                parent: *places.get(parent)?,
                child: *places.get(child)?,
                zeroing: *zeroing != 0,
            })
        };
        let mut moves: Vec<Move> = moves.iter().filter_map(between).collect();
        moves.sort_unstable_by_key(|m| m.parent);
        Graph { nodes, moves }
    }

    fn moves_from(&self, parent: usize) -> &[Move] {
        let begin = self.moves.partition_point(|m| m.parent < parent);
        let moves = &self.moves[begin..];
        &moves[..moves.partition_point(|m| m.parent == parent)]
    }

    /// The nodes whose numbers are not those that are stored, by id. What no line leads to keeps its own.
    fn changed(&self, root: i64) -> Vec<(i64, Reached)> {
        let mut reached: Vec<Option<Reached>> = vec![None; self.nodes.len()];
        let mut level: Vec<usize> = Vec::new();
        if let Ok(at) = self.nodes.binary_search_by_key(&root, |node| node.id) {
            reached[at] = Some(Reached { ply: 0, halfmove: 0 });
            level.push(at);
        }
        while !level.is_empty() {
            // Of several nearest parents the one with the smaller key decides.
            level.sort_unstable_by(|a, b| self.nodes[*a].key.cmp(&self.nodes[*b].key));
            let mut next = Vec::new();
            for parent in level {
                let Some(here) = reached[parent] else { continue };
                for m in self.moves_from(parent) {
                    if reached[m.child].is_none() {
                        reached[m.child] = Some(Reached {
                            ply: here.ply + 1,
                            halfmove: if m.zeroing { 0 } else { here.halfmove + 1 },
                        });
                        next.push(m.child);
                    }
                }
            }
            level = next;
        }
        let numbered = self.nodes.iter().zip(reached);
        numbered
            .filter_map(|(node, reached)| Some((node.id, reached.filter(|reached| *reached != node.stored)?)))
            .collect()
    }
}

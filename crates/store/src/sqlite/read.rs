//! Reading back, in the order of ids as u64.

use pgn_import::{Edge, Position, Reject, RepertoireEdge, Tactic};

use super::statement::fixed;
use super::{SqliteStore, journal};
use crate::StoreError;
use crate::fault::Trouble;
use crate::read::{Counts, RepertoireMove, RepertoireSummary, TacticFilter, TacticThemes};
use crate::rows::{PositionRow, clean, fen, id, ranges_after};

impl SqliteStore {
    /// All positions, by id; settles the graph first.
    pub async fn dump_positions(&self) -> Result<Vec<Position>, StoreError> {
        self.positions_after(None, usize::MAX).await
    }

    /// All edges, by id.
    pub async fn dump_edges(&self) -> Result<Vec<Edge>, StoreError> {
        self.edges_after(None, usize::MAX).await
    }

    /// All tactics, by id.
    pub async fn dump_tactics(&self) -> Result<Vec<Tactic>, StoreError> {
        self.tactics_after(None, usize::MAX).await
    }

    /// Up to `limit` positions with ids above `after`, by id; the first page settles the graph.
    pub async fn positions_after(&self, after: Option<u64>, limit: usize) -> Result<Vec<Position>, StoreError> {
        if after.is_none() {
            self.settle_if_needed().await?;
        }
        let mut page = Vec::new();
        for (low, high) in ranges_after(after) {
            let rows: Vec<(i64, String, u32, u32)> = fixed!(
                query_as,
                "SELECT id, key, ply, halfmove FROM positions
                 WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
                low,
                high,
                left(limit, page.len())
            )
            .fetch_all(self.reading()?)
            .await
            .map_err(|e| self.explain(e))?;
            page.extend(
                rows.into_iter().map(|(id, key, ply, halfmove)| {
                    PositionRow { id, key, ply, halfmove }.into_position(self.identity)
                }),
            );
        }
        Ok(page)
    }

    /// Up to `limit` edges with ids above `after`, by id.
    pub async fn edges_after(&self, after: Option<u64>, limit: usize) -> Result<Vec<Edge>, StoreError> {
        let mut page = Vec::new();
        for (low, high) in ranges_after(after) {
            let rows: Vec<(i64, i64, String, String, i64, Option<String>)> = fixed!(
                query_as,
                "SELECT id, parent_id, move_uci, move_san, child_id, source_hint FROM edges
                 WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
                low,
                high,
                left(limit, page.len())
            )
            .fetch_all(self.reading()?)
            .await
            .map_err(|e| self.explain(e))?;
            page.extend(rows.into_iter().map(|row| Edge {
                id: id(row.0),
                parent_id: id(row.1),
                move_uci: row.2,
                move_san: row.3,
                child_id: id(row.4),
                source_hint: row.5,
            }));
        }
        Ok(page)
    }

    /// Up to `limit` tactics with ids above `after`, by id.
    pub async fn tactics_after(&self, after: Option<u64>, limit: usize) -> Result<Vec<Tactic>, StoreError> {
        let mut page = Vec::new();
        for (low, high) in ranges_after(after) {
            let rows: Vec<TacticRow> = fixed!(
                query_as,
                "SELECT id, fen, pv_uci, tags, source_hint FROM tactics
                 WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
                low,
                high,
                left(limit, page.len())
            )
            .fetch_all(self.reading()?)
            .await
            .map_err(|e| self.explain(e))?;
            for row in rows {
                page.push(tactic(row).map_err(|e| self.explain(e))?);
            }
        }
        Ok(page)
    }

    /// Up to `limit` of the tactics that are wanted, with ids above `after`, by id.
    pub async fn tactics_wanted(
        &self,
        filter: TacticFilter<'_>,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Tactic>, StoreError> {
        let mut page = Vec::new();
        for (low, high) in ranges_after(after) {
            let rows: Vec<TacticRow> = sqlx::query_as(
                "SELECT id, fen, pv_uci, tags, source_hint FROM tactics
                 WHERE id BETWEEN ?1 AND ?2
                   AND (?3 IS NULL OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?3))
                   AND (?4 IS NULL OR source_hint = ?4)
                 ORDER BY id LIMIT ?5",
            )
            .bind(low)
            .bind(high)
            .bind(filter.tag.map(clean))
            .bind(filter.source.map(clean))
            .bind(left(limit, page.len()))
            .fetch_all(self.reading()?)
            .await
            .map_err(|e| self.explain(e))?;
            for row in rows {
                page.push(tactic(row).map_err(|e| self.explain(e))?);
            }
        }
        Ok(page)
    }

    /// What tactics can be asked for.
    pub async fn tactic_themes(&self) -> Result<TacticThemes, StoreError> {
        let tags: Vec<(String, i64)> = sqlx::query_as(
            "SELECT value, count(*) FROM tactics, json_each(tags) GROUP BY value ORDER BY count(*) DESC, value",
        )
        .fetch_all(self.reading()?)
        .await
        .map_err(|e| self.explain(e))?;
        let sources: Vec<(String, i64)> = sqlx::query_as(
            "SELECT source_hint, count(*) FROM tactics WHERE source_hint IS NOT NULL
             GROUP BY source_hint ORDER BY count(*) DESC, source_hint",
        )
        .fetch_all(self.reading()?)
        .await
        .map_err(|e| self.explain(e))?;
        Ok(TacticThemes::of(tags, sources))
    }

    /// All memberships, by repertoire, owner and edge.
    pub async fn dump_repertoire_edges(&self) -> Result<Vec<RepertoireEdge>, StoreError> {
        let rows: Vec<(String, String, i64)> = fixed!(
            query_as,
            "SELECT repertoire_key, owner, edge_id FROM repertoire_edges
             ORDER BY repertoire_key, owner, edge_id < 0, edge_id"
        )
        .fetch_all(self.reading()?)
        .await
        .map_err(|e| self.explain(e))?;
        Ok(rows
            .into_iter()
            .map(|(repertoire_key, owner, edge)| RepertoireEdge {
                repertoire_key,
                owner,
                edge_id: id(edge),
            })
            .collect())
    }

    /// Whose repertoires there are and how many edges each has, by owner and name.
    pub async fn repertoires(&self) -> Result<Vec<RepertoireSummary>, StoreError> {
        let rows: Vec<(String, String, i64)> = fixed!(
            query_as,
            "SELECT owner, repertoire_key, count(*) AS edges FROM repertoire_edges
             GROUP BY owner, repertoire_key ORDER BY owner, repertoire_key"
        )
        .fetch_all(self.reading()?)
        .await
        .map_err(|e| self.explain(e))?;
        Ok(rows
            .into_iter()
            .map(|(owner, repertoire_key, edges)| RepertoireSummary {
                owner,
                repertoire_key,
                edges: edges.cast_unsigned(),
            })
            .collect())
    }

    /// The moves of a repertoire, one owner's or everybody's, by ply, parent and UCI.
    pub async fn repertoire_graph(
        &self,
        owner: Option<&str>,
        repertoire_key: &str,
    ) -> Result<Vec<RepertoireMove>, StoreError> {
        self.settle_if_needed().await?;
        type Row = (i64, String, u32, u32, String, String, i64, String, u32, u32);
        let rows: Vec<Row> = fixed!(
            query_as,
            "SELECT p.id, p.key, p.ply, p.halfmove, e.move_uci, e.move_san,
                    c.id AS child_id, c.key AS child_key, c.ply AS child_ply, c.halfmove AS child_halfmove
             FROM (SELECT DISTINCT edge_id FROM repertoire_edges
                   WHERE repertoire_key = ?1 AND (?2 IS NULL OR owner = ?2)) r
             CROSS JOIN edges e ON e.id = r.edge_id
             CROSS JOIN positions p ON p.id = e.parent_id
             CROSS JOIN positions c ON c.id = e.child_id
             ORDER BY p.ply, p.key, e.move_uci",
            clean(repertoire_key),
            owner.map(clean)
        )
        .fetch_all(self.reading()?)
        .await
        .map_err(|e| self.explain(e))?;
        Ok(rows
            .into_iter()
            .map(|row| RepertoireMove {
                parent_id: id(row.0),
                parent_fen: fen(row.1, row.2, row.3, self.identity),
                ply: row.2,
                move_uci: row.4,
                move_san: row.5,
                child_id: id(row.6),
                child_fen: fen(row.7, row.8, row.9, self.identity),
            })
            .collect())
    }

    /// How much is stored.
    pub async fn counts(&self) -> Result<Counts, StoreError> {
        let row: (i64, i64, i64, i64, i64) = fixed!(
            query_as,
            "SELECT (SELECT count(*) FROM positions) AS positions, (SELECT count(*) FROM edges) AS edges,
                    (SELECT count(*) FROM repertoire_edges) AS repertoire_edges,
                    (SELECT count(*) FROM tactics) AS tactics, (SELECT count(*) FROM rejects) AS rejects"
        )
        .fetch_one(self.reading()?)
        .await
        .map_err(|e| self.explain(e))?;
        Ok(Counts {
            positions: row.0.cast_unsigned(),
            edges: row.1.cast_unsigned(),
            repertoire_edges: row.2.cast_unsigned(),
            tactics: row.3.cast_unsigned(),
            rejects: row.4.cast_unsigned(),
        })
    }

    /// The games that could not be taken whole, of one source or of all, by source and place.
    pub async fn rejects(&self, source: Option<&str>) -> Result<Vec<Reject>, StoreError> {
        journal::rejects(self.reading()?, source)
            .await
            .map_err(|e| self.explain(e))
    }
}

pub(super) type TacticRow = (i64, String, String, String, Option<String>);

pub(super) fn tactic(row: TacticRow) -> Result<Tactic, Trouble> {
    let texts = |json: &str| {
        serde_json::from_str(json).map_err(|e| Trouble::Malformed(format!("tactic {:#018x} is unreadable: {e}", row.0)))
    };
    Ok(Tactic {
        id: id(row.0),
        pv_uci: texts(&row.2)?,
        tags: texts(&row.3)?,
        fen: row.1,
        source_hint: row.4,
    })
}

fn left(limit: usize, taken: usize) -> i64 {
    i64::try_from(limit - taken).unwrap_or(i64::MAX)
}

//! The bank of exercises.

use pgn_import::Tactic;

use super::super::Neo4jStore;
use super::super::bolt::{BoltError, Row, Statement};
use crate::StoreError;
use crate::read::{TacticFilter, TacticThemes};
use crate::rows::{clean, id, ranges_after};

const WANTED: &str = "
    MATCH (t:Tactic)
    WHERE $low <= t.id <= $high AND ($tag IS NULL OR $tag IN t.tags) AND ($source IS NULL OR t.source = $source)
    RETURN t.id, t.fen, t.line, t.tags, t.source ORDER BY t.id LIMIT $limit";

const TAGS: &str = "
    MATCH (t:Tactic)
    UNWIND t.tags AS tag
    RETURN tag, count(*) AS tactics ORDER BY tactics DESC, tag";

const SOURCES: &str = "
    MATCH (t:Tactic)
    WHERE t.source IS NOT NULL
    RETURN t.source AS source, count(*) AS tactics ORDER BY tactics DESC, source";

impl Neo4jStore {
    pub(crate) async fn tactics_wanted(
        &self,
        filter: TacticFilter<'_>,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Tactic>, StoreError> {
        let mut page = Vec::new();
        for (low, high) in ranges_after(after) {
            let left = i64::try_from(limit - page.len()).unwrap_or(i64::MAX);
            let statement = Statement::new(WANTED)
                .int("low", low)
                .int("high", high)
                .opt_text("tag", filter.tag.map(clean).as_deref())
                .opt_text("source", filter.source.map(clean).as_deref())
                .int("limit", left);
            page.extend(self.rows(statement, tactic).await?);
        }
        Ok(page)
    }

    pub(crate) async fn tactic_themes(&self) -> Result<TacticThemes, StoreError> {
        let (mut tags, mut sources) = (Vec::new(), Vec::new());
        let statements = [Statement::new(TAGS), Statement::new(SOURCES)];
        self.ask(&statements, |statement, mut row| {
            let counted = (row.text()?, row.int()?);
            match statement {
                0 => tags.push(counted),
                _ => sources.push(counted),
            }
            Ok(())
        })
        .await?;
        Ok(TacticThemes::of(tags, sources))
    }
}

fn tactic(row: &mut Row) -> Result<Tactic, BoltError> {
    Ok(Tactic {
        id: id(row.int()?),
        fen: row.text()?,
        pv_uci: row.texts()?,
        tags: row.texts()?,
        source_hint: row.opt_text()?,
    })
}

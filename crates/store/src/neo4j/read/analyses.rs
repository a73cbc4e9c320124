//! What engines have answered.

use std::collections::HashMap;

use shakmaty::{Chess, Position as _};
use tabiya_chess::{Analysis, PositionId, Question, epd};

use super::super::Neo4jStore;
use super::super::bolt::{BoltError, Row, Statement};
use crate::StoreError;
use crate::knowledge::evaluation::{StoredAnalysis, best};

/// All properties of the index are named, or it would not be used.
const FIND: &str = "
    UNWIND $positions AS position
    MATCH (a:Analysis {position: position})
    WHERE a.engine IS NOT NULL AND a.search_limit IS NOT NULL AND a.multipv IS NOT NULL
    RETURN a.position, a.epd, a.engine, a.search_limit, a.multipv, a.nodes, a.millis, a.hashfull, a.tbhits, a.lines";

impl Neo4jStore {
    pub(crate) async fn find_analyses(&self, asked: &[(Chess, Question)]) -> Result<Vec<Option<Analysis>>, StoreError> {
        let ids: Vec<i64> = (asked.iter())
            .map(|(position, _)| PositionId::of(position).to_i64())
            .collect();
        let mut distinct = ids.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let mut known: HashMap<i64, Vec<(String, Analysis)>> = HashMap::new();
        if !distinct.is_empty() {
            let statement = Statement::new(FIND).ints("positions", &distinct);
            for mut stored in self.rows(statement, stored).await? {
                let (position, about) = (stored.position, std::mem::take(&mut stored.epd));
                let unreadable = |_| self.explain(BoltError::Unreadable(format!("an answer about `{about}`")));
                let read = stored.read().map_err(unreadable)?;
                known.entry(position).or_default().push((about, read));
            }
        }
        let mut answers = Vec::with_capacity(asked.len());
        for ((position, question), id) in asked.iter().zip(ids) {
            let known = known.get(&id).map_or(&[][..], Vec::as_slice);
            let about = epd(position);
            if let Some((other, _)) = known.iter().find(|(other, _)| *other != about) {
                return Err(StoreError::Collision {
                    database: self.name().to_owned(),
                    detail: format!("`{about}` and `{other}` are both position {}", PositionId::of(position)),
                });
            }
            let legal_moves = position.legal_moves().len();
            answers.push(best(known.iter().map(|(_, answer)| answer), question, legal_moves).cloned());
        }
        Ok(answers)
    }
}

fn stored(row: &mut Row) -> Result<StoredAnalysis, BoltError> {
    let number = |value: i64| i32::try_from(value).unwrap_or_default();
    Ok(StoredAnalysis {
        position: row.int()?,
        epd: row.text()?,
        engine: row.text()?,
        limit: row.text()?,
        multipv: number(row.int()?),
        nodes: row.int()?,
        millis: row.int()?,
        hashfull: row.opt_int()?.map(number),
        tbhits: row.int()?,
        lines: row.text()?,
    })
}

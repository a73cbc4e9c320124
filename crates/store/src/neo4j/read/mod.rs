//! What is asked of a knowledge base, answered from the graph.

mod analyses;
mod games;
mod graph;
mod node;
mod openings;
mod tactics;

use std::collections::HashMap;

use super::Neo4jStore;
use super::bolt::{BoltError, Row, Statement};
use super::columns::{Wanted, small};
use crate::knowledge::BestMove;
use crate::knowledge::{Collection, NodeEvaluation};
use crate::rows::id;
use crate::{About, StoreError};
use tabiya_chess::StoredEval;

const COLLECTIONS: &str = "
    MATCH (c:Collection)
    RETURN c.id, c.name, c.source, c.games, c.min_games, c.depth, c.max_ply, c.facets ORDER BY c.name";

/// All collections, by name, and their ids.
#[derive(Debug, Default)]
struct Collections {
    all: Vec<Collection>,
    ids: HashMap<String, i64>,
}

impl Collections {
    fn take(&mut self, row: &mut Row) -> Result<(), BoltError> {
        let id_here = row.int()?;
        let collection = Collection {
            name: row.text()?,
            source: row.text()?.parse().map_err(BoltError::Unreadable)?,
            games: id(row.int()?),
            min_games: id(row.int()?),
            depth: small(row.int()?),
            max_ply: row.opt_int()?.map(small),
            facets: row
                .text()?
                .parse()
                .map_err(|error: tabiya_chess::ParseFacetsError| BoltError::Unreadable(error.to_string()))?,
        };
        self.ids.insert(collection.name.clone(), id_here);
        self.all.push(collection);
        Ok(())
    }

    /// Whose games count when one collection is asked for: its own, and the named lines, which have none.
    fn wanted(&self, store: &Neo4jStore, collection: Option<&str>) -> Result<Wanted, StoreError> {
        let Some(name) = collection else {
            return Ok(Wanted::All);
        };
        match self.ids.get(name) {
            None => Err(StoreError::NoCollection {
                database: store.name().to_owned(),
                collection: name.to_owned(),
            }),
            Some(one) => {
                let named = self.ids.get(Collection::OPENINGS);
                Ok(Wanted::Only(std::iter::once(one).chain(named).copied().collect()))
            }
        }
    }
}

/// Takes `eval, mate, depth, best_move, best_move_uci, is_dubious, is_busted, engine`.
fn evaluation(row: &mut Row) -> Result<Option<NodeEvaluation>, BoltError> {
    let (eval, mate, depth) = (row.opt_int()?, row.opt_int()?, row.opt_int()?);
    let (san, uci) = (row.opt_text()?, row.opt_text()?);
    let (is_dubious, is_busted, engine) = (row.bool()?, row.bool()?, row.opt_text()?);
    let number = |value: i64| i32::try_from(value).unwrap_or_default();
    Ok(eval.map(|cp| NodeEvaluation {
        eval: StoredEval {
            cp: number(cp),
            mate: mate.map(number),
        },
        depth: depth.map_or(0, |depth| u8::try_from(depth).unwrap_or(u8::MAX)),
        best_move: san.zip(uci).map(|(san, uci)| BestMove { san, uci }),
        is_dubious,
        is_busted,
        engine: engine.unwrap_or_default(),
    }))
}

fn uuid(text: &str) -> Result<uuid::Uuid, BoltError> {
    text.parse()
        .map_err(|_| BoltError::Unreadable(format!("`{text}` is not a UUID")))
}

impl Neo4jStore {
    pub(crate) async fn collections(&self) -> Result<Vec<Collection>, StoreError> {
        Ok(self.all_collections().await?.all)
    }

    async fn all_collections(&self) -> Result<Collections, StoreError> {
        let mut found = Collections::default();
        self.ask(&[Statement::new(COLLECTIONS)], |_, mut row| found.take(&mut row))
            .await?;
        Ok(found)
    }

    /// Another number after every run that changed something.
    pub(crate) async fn mark(&self) -> Result<i64, StoreError> {
        Ok(self.state().await?.map_or(0, |state| state.generation))
    }

    pub(crate) async fn about(&self) -> Result<About, StoreError> {
        let version = Statement::new("CALL dbms.components() YIELD name, versions RETURN name, versions[0]");
        let found = self.rows(version, |row| Ok((row.text()?, row.text()?))).await?;
        let server = found
            .first()
            .map_or_else(String::new, |(_, version)| format!("Neo4j {version}"));
        Ok(About {
            server,
            schema: super::VERSION,
            bytes: None,
        })
    }
}

//! The games that are listed at a position.

use std::collections::{BTreeSet, HashMap};

use tabiya_chess::Outcome;

use super::super::Neo4jStore;
use super::super::bolt::{BoltError, Row, Statement};
use super::super::columns::{Wanted, read_lists, small};
use super::Collections;
use crate::StoreError;
use crate::knowledge::game_lists;
use crate::knowledge::{GameHeader, ListedGame, ListedGames};
use crate::rows::id;

const GAMES: &str = "
    UNWIND $keys AS key
    MATCH (g:Game {id: key[0], collection: key[1]})
    RETURN g.id, g.collection, g.white, g.black, g.white_elo, g.black_elo, g.result, g.date, g.event, g.site, g.round";

/// The lists of each collection that has some at a position, as text.
#[derive(Debug, Default)]
pub(super) struct Lists {
    of: Vec<(i64, String)>,
}

/// A game's rank in its list, its key (id and collection), and the move it went on with.
type Entry = (usize, (i64, i64), String);

impl Lists {
    /// Takes `lists`.
    pub(super) fn take(row: &mut Row) -> Result<Lists, BoltError> {
        let text = row.opt_text()?;
        Ok(Lists {
            of: text.as_deref().map(read_lists).transpose()?.unwrap_or_default(),
        })
    }
}

impl Neo4jStore {
    /// Top and recent games. Lists of several collections are shuffled into each other, rank by rank, in the order of their
    /// names.
    pub(super) async fn games(
        &self,
        collections: &Collections,
        lists: &Lists,
        wanted: &Wanted,
    ) -> Result<ListedGames, StoreError> {
        let unreadable = |what: String| self.explain(BoltError::Unreadable(what));
        let mut entries: [Vec<Entry>; 2] = Default::default();
        let mut keys = BTreeSet::new();
        for collection in &collections.all {
            let Some(of) = collections.ids.get(&collection.name) else {
                continue;
            };
            if let Wanted::Only(wanted) = wanted
                && !wanted.contains(of)
            {
                continue;
            }
            for (_, text) in lists.of.iter().filter(|(listed, _)| listed == of) {
                let read =
                    game_lists::read(text).map_err(|_| unreadable(format!("`{text}` is not two lists of games")))?;
                for (list, games) in entries.iter_mut().zip([read.top, read.recent]) {
                    for (rank, (game, uci)) in games.into_iter().enumerate() {
                        keys.insert((game, *of));
                        list.push((rank, (game, *of), uci));
                    }
                }
            }
        }
        if keys.is_empty() {
            return Ok(ListedGames::default());
        }
        let headers = self.headers(&keys).await?;
        let shown = |mut list: Vec<Entry>| {
            list.sort_by_key(|(rank, ..)| *rank);
            let games = list.into_iter().map(|(_, key, uci)| match headers.get(&key) {
                Some(game) => Ok(ListedGame {
                    uci,
                    game: game.clone(),
                }),
                None => Err(unreadable(format!("game {} is listed and not there", key.0))),
            });
            games.collect::<Result<Vec<_>, _>>()
        };
        let [top, recent] = entries;
        Ok(ListedGames {
            top: shown(top)?,
            recent: shown(recent)?,
        })
    }

    async fn headers(&self, keys: &BTreeSet<(i64, i64)>) -> Result<HashMap<(i64, i64), GameHeader>, StoreError> {
        let statement = Statement::new(GAMES).with("keys", |packer| {
            packer.list(keys.len());
            for (game, collection) in keys {
                packer.ints(&[*game, *collection]);
            }
        });
        let found = self.rows(statement, header).await?;
        Ok(found.into_iter().collect())
    }
}

fn header(row: &mut Row) -> Result<((i64, i64), GameHeader), BoltError> {
    let key = (row.int()?, row.int()?);
    let header = GameHeader {
        id: id(key.0),
        white: row.text()?,
        black: row.text()?,
        white_elo: row.opt_int()?.map(small),
        black_elo: row.opt_int()?.map(small),
        outcome: {
            let result = row.text()?;
            Outcome::from_result(result.as_bytes())
                .ok_or_else(|| BoltError::Unreadable(format!("`{result}` is not a result")))?
        },
        date: row.text()?,
        event: row.text()?,
        site: row.text()?,
        round: row.text()?,
    };
    Ok((key, header))
}

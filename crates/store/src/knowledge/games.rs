//! The games that are listed at a position.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;
use tabiya_chess::{Outcome, PositionId};

use super::game_lists;
use super::node::check;
use super::rows::GameHeader;
use super::stats::small;
use super::tx::{Tx, fetch};
use super::views::{ListedGame, ListedGames};
use crate::fault::Trouble;
use crate::rows::{clean, id};

/// The games of one collection, or of all.
pub(super) async fn listed(
    tx: &mut Tx,
    position: PositionId,
    collection: Option<&str>,
) -> Result<ListedGames, Trouble> {
    check(tx, collection).await?;
    let collection = collection.map(clean);
    at(tx, position.to_i64(), collection.as_deref()).await
}

/// Top and recent games. Lists of several collections are shuffled into each other, rank by rank.
pub(super) async fn at(tx: &mut Tx, key: i64, collection: Option<&str>) -> Result<ListedGames, Trouble> {
    let rows = fetch!(
        tx,
        (i64, String),
        "SELECT k.id, l.games FROM collections k CROSS JOIN node_games l
         WHERE ($2 IS NULL OR k.name IN ($2, 'openings')) AND l.collection = k.id AND l.node_id = $1
         ORDER BY k.name",
        key,
        collection
    );
    let mut lists = [Vec::new(), Vec::new()];
    let mut wanted = BTreeSet::new();
    for (collection, text) in rows {
        let read = game_lists::read(&text)?;
        for (list, games) in lists.iter_mut().zip([read.top, read.recent]) {
            for (rank, (game, uci)) in games.into_iter().enumerate() {
                wanted.insert((collection, game));
                list.push((rank, (collection, game), uci));
            }
        }
    }
    let headers = headers(tx, wanted).await?;
    let shown = |mut list: Vec<(usize, (i64, i64), String)>| {
        list.sort_by_key(|(rank, ..)| *rank);
        let games = list.into_iter().map(|(_, key, uci)| match headers.get(&key) {
            Some(game) => Ok(ListedGame {
                uci,
                game: game.clone(),
            }),
            None => Err(Trouble::Malformed(format!("game {} is listed and not there", key.1))),
        });
        games.collect::<Result<Vec<_>, _>>()
    };
    let [top, recent] = lists;
    Ok(ListedGames {
        top: shown(top)?,
        recent: shown(recent)?,
    })
}

/// Collection, id, both players with their ratings, result, date, event, site and round.
pub(super) type GameRow = (
    i64,
    i64,
    String,
    String,
    Option<i32>,
    Option<i32>,
    String,
    String,
    String,
    String,
    String,
);

/// All of some games at once, by collection and id.
async fn headers(tx: &mut Tx, wanted: BTreeSet<(i64, i64)>) -> Result<HashMap<(i64, i64), GameHeader>, Trouble> {
    const COLUMNS: &str = "g.collection, g.id, g.white, g.black, g.white_elo, g.black_elo, g.result, g.date, g.event,
        g.site, g.round";
    if wanted.is_empty() {
        return Ok(HashMap::new());
    }
    let (collections, ids): (Vec<i64>, Vec<i64>) = wanted.into_iter().unzip();
    let rows: Vec<GameRow> = match tx {
        Tx::Sqlite(tx) => {
            // A statement takes no lists, and one that has as many places as there are values is another each time.
            let pairs = collections.iter().zip(&ids);
            let list: Value = pairs
                .map(|(collection, id)| Value::from(vec![*collection, *id]))
                .collect();
            let sql = format!(
                "SELECT {COLUMNS} FROM json_each($1) j CROSS JOIN games g
                 WHERE g.collection = j.value ->> 0 AND g.id = j.value ->> 1"
            );
            let query = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(list.to_string());
            query.fetch_all(&mut **tx).await?
        }
        Tx::Postgres(tx) => {
            let sql = format!(
                "SELECT {COLUMNS} FROM unnest($1::bigint[], $2::bigint[]) j (collection, id)
                 JOIN games g ON g.collection = j.collection AND g.id = j.id"
            );
            let query = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(collections).bind(ids);
            query.fetch_all(&mut **tx).await?
        }
    };
    rows.into_iter().map(|row| Ok(((row.0, row.1), header(row)?))).collect()
}

fn header(row: GameRow) -> Result<GameHeader, Trouble> {
    Ok(GameHeader {
        id: id(row.1),
        white: row.2,
        black: row.3,
        white_elo: row.4.map(small),
        black_elo: row.5.map(small),
        outcome: Outcome::from_result(row.6.as_bytes())
            .ok_or_else(|| Trouble::Malformed(format!("`{}` is not a result", row.6)))?,
        date: row.7,
        event: row.8,
        site: row.9,
        round: row.10,
    })
}

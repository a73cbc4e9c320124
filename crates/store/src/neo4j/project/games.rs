//! Games that positions list, and exercises.

use std::collections::HashMap;

use pgn_import::Tactic;

use super::super::bolt::{Packer, Statement};
use super::sent::{Sent, digest, row};
use super::{ProjectPhase, ProjectReport};
use crate::knowledge::projection::{ProjectedGame, Source};
use crate::rows::bits;
use crate::{Store, StoreError};

/// Games or exercises in one transaction.
const BATCH: usize = 2000;

/// Where there are none yet; tried again, as where there are some.
const CREATE: &str = "
    CYPHER replan=skip
    UNWIND $rows AS row
    CREATE (:Game {id: row[0], collection: row[2], digest: row[1], white: row[3], black: row[4], white_elo: row[5],
        black_elo: row[6], result: row[7], date: row[8], event: row[9], site: row[10], round: row[11]})";

const MERGE: &str = "
    CYPHER replan=skip
    UNWIND $rows AS row
    MERGE (g:Game {id: row[0], collection: row[2]})
    SET g += {digest: row[1], white: row[3], black: row[4], white_elo: row[5], black_elo: row[6], result: row[7],
        date: row[8], event: row[9], site: row[10], round: row[11]}";

const TACTICS: &str = "
    UNWIND $rows AS row
    MERGE (t:Tactic {id: row[0]})
    SET t += {digest: row[1], fen: row[2], line: row[3], tags: row[4], source: row[5]}";

/// A game's id and its collection.
pub(super) type GameKey = (i64, i64);

/// Writes games. Nothing points to them, so any lane can take any of them.
pub(super) struct Games {
    total: u64,
    /// Whether there are none to be compared with.
    none_yet: bool,
    rows: Vec<Packer>,
    gone: Vec<GameKey>,
}

impl Games {
    pub(super) async fn begin(from: &mut Source<'_>, sent: &Sent<'_>) -> Result<Games, StoreError> {
        let any = Statement::new("MATCH (g:Game) RETURN g.id LIMIT 1");
        Ok(Games {
            total: from.number_of_games().await?,
            none_yet: sent.known(any, |row| row.int()).await?.is_empty(),
            rows: Vec::new(),
            gone: Vec::new(),
        })
    }

    pub(super) async fn write(
        &mut self,
        from: &mut Source<'_>,
        sent: &mut Sent<'_>,
        range: (i64, i64),
        report: &mut ProjectReport,
    ) -> Result<(), StoreError> {
        let mut there = match self.none_yet {
            true => HashMap::new(),
            false => digests(sent, range).await?,
        };
        for game in from.games(range).await? {
            report.games.total += 1;
            let content = game_content(&game);
            let digest = digest(&content);
            if there.remove(&(game.id, game.collection)) == Some(Some(digest)) {
                continue;
            }
            report.games.written += 1;
            self.rows.push(row(|key| key.int(game.id), digest, &content, 10));
            if self.rows.len() == BATCH {
                self.send(sent).await?;
            }
        }
        self.gone.extend(there.into_keys());
        sent.tell(ProjectPhase::Games, report.games.total, self.total);
        Ok(())
    }

    async fn send(&mut self, sent: &mut Sent<'_>) -> Result<(), StoreError> {
        let rows = std::mem::take(&mut self.rows);
        let cypher = if self.none_yet { CREATE } else { MERGE };
        let write = Statement::new(cypher).rows("rows", rows.iter());
        sent.send(vec![write.when_tried_again(MERGE)]).await
    }

    /// Gives those that went.
    pub(super) async fn end(mut self, sent: &mut Sent<'_>) -> Result<Vec<GameKey>, StoreError> {
        if !self.rows.is_empty() {
            self.send(sent).await?;
        }
        sent.landed().await?;
        Ok(self.gone)
    }
}

async fn digests(sent: &Sent<'_>, range: (i64, i64)) -> Result<HashMap<GameKey, Option<i64>>, StoreError> {
    let statement = Statement::new(
        "MATCH (g:Game) WHERE $low <= g.id <= $high AND g.collection IS NOT NULL
         RETURN g.id, g.collection, g.digest",
    )
    .int("low", range.0)
    .int("high", range.1);
    let found = sent
        .known(statement, |row| Ok(((row.int()?, row.int()?), row.opt_int()?)))
        .await?;
    Ok(found.into_iter().collect())
}

fn game_content(game: &ProjectedGame) -> Packer {
    let mut content = Packer::default();
    content.int(game.collection);
    content.text(&game.white);
    content.text(&game.black);
    content.opt_int(game.white_elo);
    content.opt_int(game.black_elo);
    content.text(&game.result);
    content.text(&game.date);
    content.text(&game.event);
    content.text(&game.site);
    content.text(&game.round);
    content
}

/// Writes the exercises that are new or changed, and gives the ids of those that went.
pub(super) async fn write_tactics(
    source: &Store,
    sent: &mut Sent<'_>,
    report: &mut ProjectReport,
) -> Result<Vec<i64>, StoreError> {
    if sent.stopped() {
        return Ok(Vec::new());
    }
    let there = Statement::new("MATCH (t:Tactic) RETURN t.id, t.digest");
    let there = sent.known(there, |row| Ok((row.int()?, row.opt_int()?))).await?;
    let mut there: HashMap<i64, Option<i64>> = there.into_iter().collect();
    let mut after = None;
    loop {
        let page = source.tactics_after(after, BATCH).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        let mut rows = Vec::new();
        for tactic in &page {
            let content = tactic_content(tactic);
            let digest = digest(&content);
            let id = bits(tactic.id);
            report.tactics.total += 1;
            if there.remove(&id) != Some(Some(digest)) {
                rows.push(row(|key| key.int(id), digest, &content, 4));
            }
        }
        report.tactics.written += rows.len() as u64;
        if !rows.is_empty() {
            sent.send(vec![Statement::new(TACTICS).rows("rows", rows.iter())])
                .await?;
        }
        sent.tell(ProjectPhase::Tactics, report.tactics.total, report.tactics.total);
        if sent.stopped() {
            return Ok(Vec::new());
        }
    }
    Ok(there.into_keys().collect())
}

fn tactic_content(tactic: &Tactic) -> Packer {
    let mut content = Packer::default();
    content.text(&tactic.fen);
    content.texts(&tactic.pv_uci);
    content.texts(&tactic.tags);
    content.opt_text(tactic.source_hint.as_deref());
    content
}

pub(super) async fn remove(
    sent: &mut Sent<'_>,
    games: Vec<GameKey>,
    tactics: Vec<i64>,
    report: &mut ProjectReport,
) -> Result<(), StoreError> {
    for keys in games.chunks(BATCH) {
        let delete =
            Statement::new("UNWIND $keys AS key MATCH (g:Game {id: key[0], collection: key[1]}) DETACH DELETE g");
        let delete = delete.with("keys", |packer| {
            packer.list(keys.len());
            for (id, collection) in keys {
                packer.ints(&[*id, *collection]);
            }
        });
        sent.send(vec![delete]).await?;
        report.games.removed += keys.len() as u64;
    }
    for ids in tactics.chunks(BATCH) {
        let delete =
            Statement::new("UNWIND $ids AS id MATCH (t:Tactic {id: id}) USING INDEX SEEK t:Tactic(id) DETACH DELETE t")
                .ints("ids", ids);
        sent.send(vec![delete]).await?;
        report.tactics.removed += ids.len() as u64;
    }
    Ok(())
}

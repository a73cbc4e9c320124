//! What engines have answered, about positions of the graph and others.

use std::collections::HashMap;

use super::super::bolt::{Packer, Statement};
use super::sent::{Sent, digest, row};
use super::{ProjectPhase, ProjectReport};
use crate::StoreError;
use crate::knowledge::evaluation::StoredAnalysis;
use crate::knowledge::projection::Source;
use crate::knowledge::tx::ranges;

/// Answers in one transaction.
const BATCH: usize = 2000;

/// Where there are none yet; tried again, as where there are some.
const CREATE: &str = "
    CYPHER replan=skip
    UNWIND $rows AS row
    CREATE (:Analysis {position: row[0], engine: row[2], search_limit: row[3], multipv: row[4],
        digest: row[1], epd: row[5], nodes: row[6], millis: row[7], hashfull: row[8], tbhits: row[9], lines: row[10]})";

const MERGE: &str = "
    CYPHER replan=skip
    UNWIND $rows AS row
    MERGE (a:Analysis {position: row[0], engine: row[2], search_limit: row[3], multipv: row[4]})
    SET a += {digest: row[1], epd: row[5], nodes: row[6], millis: row[7], hashfull: row[8], tbhits: row[9],
        lines: row[10]}";

/// All properties of the index are named, or it would not be used.
const DIGESTS: &str = "
    MATCH (a:Analysis)
    WHERE $low <= a.position <= $high
        AND a.engine IS NOT NULL AND a.search_limit IS NOT NULL AND a.multipv IS NOT NULL
    RETURN a.position, a.engine, a.search_limit, a.multipv, a.digest";

const REMOVE: &str = "
    UNWIND $keys AS key
    MATCH (a:Analysis {position: key[0], engine: key[1], search_limit: key[2], multipv: key[3]})
    DETACH DELETE a";

/// Position, engine, limit, number of lines.
pub(super) type AnalysisKey = (i64, String, String, i64);

/// Writes the answers that are new or changed, and gives the keys of those that went.
pub(super) async fn write(
    from: &mut Source<'_>,
    sent: &mut Sent<'_>,
    report: &mut ProjectReport,
) -> Result<Vec<AnalysisKey>, StoreError> {
    let any = Statement::new("MATCH (a:Analysis) RETURN a.position LIMIT 1");
    let none_yet = sent.known(any, |row| row.int()).await?.is_empty();
    let cypher = if none_yet { CREATE } else { MERGE };
    let batch = |rows: &[Packer]| vec![Statement::new(cypher).rows("rows", rows.iter()).when_tried_again(MERGE)];
    let (mut rows, mut gone) = (Vec::new(), Vec::new());
    for range in ranges() {
        if sent.stopped() {
            return Ok(Vec::new());
        }
        let mut there = match none_yet {
            true => HashMap::new(),
            false => digests(sent, range).await?,
        };
        for answer in from.analyses(range).await? {
            report.analyses.total += 1;
            let content = content(&answer);
            let digest = digest(&content);
            let position = answer.position;
            let key = (position, answer.engine, answer.limit, answer.multipv.into());
            if there.remove(&key) == Some(Some(digest)) {
                continue;
            }
            report.analyses.written += 1;
            rows.push(row(|packer| packer.int(position), digest, &content, 9));
            if rows.len() == BATCH {
                sent.send(batch(&rows)).await?;
                rows.clear();
                sent.tell(ProjectPhase::Analyses, report.analyses.total, report.analyses.total);
            }
        }
        gone.extend(there.into_keys());
    }
    if !rows.is_empty() {
        sent.send(batch(&rows)).await?;
    }
    sent.landed().await?;
    Ok(gone)
}

async fn digests(sent: &Sent<'_>, range: (i64, i64)) -> Result<HashMap<AnalysisKey, Option<i64>>, StoreError> {
    let statement = Statement::new(DIGESTS).int("low", range.0).int("high", range.1);
    let found = sent
        .known(statement, |row| {
            let key = (row.int()?, row.text()?, row.text()?, row.int()?);
            Ok((key, row.opt_int()?))
        })
        .await?;
    Ok(found.into_iter().collect())
}

fn content(answer: &StoredAnalysis) -> Packer {
    let mut content = Packer::default();
    content.text(&answer.engine);
    content.text(&answer.limit);
    content.int(answer.multipv.into());
    content.text(&answer.epd);
    content.int(answer.nodes);
    content.int(answer.millis);
    content.opt_int(answer.hashfull);
    content.int(answer.tbhits);
    content.text(&answer.lines);
    content
}

pub(super) async fn remove(
    sent: &mut Sent<'_>,
    gone: Vec<AnalysisKey>,
    report: &mut ProjectReport,
) -> Result<(), StoreError> {
    for keys in gone.chunks(BATCH) {
        let delete = Statement::new(REMOVE).with("keys", |packer| {
            packer.list(keys.len());
            for (position, engine, limit, multipv) in keys {
                packer.list(4);
                packer.int(*position);
                packer.text(engine);
                packer.text(limit);
                packer.int(*multipv);
            }
        });
        sent.send(vec![delete]).await?;
        report.analyses.removed += keys.len() as u64;
    }
    Ok(())
}

//! The crawl itself.

use futures_util::{StreamExt, stream::FuturesOrdered};
use shakmaty::{Chess, Move, Position};
use tabiya_chess::{UciError, from_uci};

use super::{CrawlEnd, CrawlOptions, CrawlOutcome, CrawlReport, CrawledNode, Frontier, Seed, Target};
use crate::{Explorer, ExplorerError};

/// Keeps what a crawl finds.
pub trait CrawlSink {
    /// Why a node could not be kept.
    type Error;

    /// Called once for every position that was answered. When it returns, the node must be safe: the crawl goes on, and
    /// a later run is told by its caller what is known.
    fn answered(&mut self, node: CrawledNode) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The moves of a position that are kept and followed however few games they have, and though the explorer lists none: games may
    /// have come there by another way.
    fn always(&self, _target: &Target) -> Vec<Move> {
        Vec::new()
    }
}

/// A move that an earlier run kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownMove {
    /// In UCI notation.
    pub uci: String,
    /// The games with this move.
    pub games: u64,
}

/// Asks for every position within reach of the seeds, shallow ones first and the most played of one depth first, and
/// hands every answer to `sink` before the next position is asked for. (With more than one request in flight, those
/// that are under way already excepted.)
///
/// `already` knows what an earlier run has kept: the moves of a position that was answered, perhaps none, or `None` for
/// one that was not. Such positions are not asked for again, and the crawl goes on behind them. It ends with the same
/// content as one that was never interrupted, provided that the earlier run kept moves with as few games as this one
/// wants.
pub async fn crawl<S: CrawlSink>(
    explorer: &Explorer,
    seeds: impl IntoIterator<Item = Seed>,
    options: CrawlOptions,
    already: impl Fn(&Target) -> Option<Vec<KnownMove>>,
    sink: &mut S,
) -> CrawlOutcome<S::Error> {
    let mut report = CrawlReport::default();
    let frontier = Frontier::new(options, seeds);
    let end = walk(explorer, frontier, options, already, sink, &mut report).await;
    CrawlOutcome {
        report,
        end: end.unwrap_or_else(|end| end),
    }
}

/// Both sides are ends, so that `?` can be used for the sudden ones.
async fn walk<S: CrawlSink>(
    explorer: &Explorer,
    mut frontier: Frontier,
    options: CrawlOptions,
    already: impl Fn(&Target) -> Option<Vec<KnownMove>>,
    sink: &mut S,
    report: &mut CrawlReport,
) -> Result<CrawlEnd<S::Error>, CrawlEnd<S::Error>> {
    // Answers are taken in the order of the questions, so that the sink sees one order however many are under way.
    let mut asking = FuturesOrdered::new();
    loop {
        while asking.len() < explorer.in_flight()
            && !explorer.is_stopped()
            && let Some(target) = frontier.next()
        {
            if let Some(moves) = already(&target) {
                let children = replay(&target, &moves)?;
                frontier.lead(&target, &sink.always(&target));
                frontier.answered(&target, children);
                report.known += 1;
                // Millions may be known, and others want to run too.
                tokio::task::consume_budget().await;
            } else {
                asking.push_back(async move {
                    let answer = explorer.position(&target.position).await;
                    (target, answer)
                });
            }
        }
        let Some((target, answer)) = asking.next().await else {
            break;
        };
        let answer = match answer {
            Ok(answer) => answer,
            // The others under way may have an answer yet; nobody waits for long now.
            Err(ExplorerError::Cancelled) => continue,
            Err(err) => return Err(CrawlEnd::Explorer(err)),
        };
        for illegal in &answer.illegal {
            tracing::warn!(
                epd = target.epd,
                uci = ?illegal.uci,
                san = ?illegal.san,
                reason = %illegal.reason,
                "the explorer lists an impossible move; it is left out"
            );
        }
        let always = sink.always(&target);
        let node = CrawledNode::new(target.clone(), answer, options, &always, frontier.waiting());
        let done = CrawlReport::from(&node);
        let children: Vec<(Chess, u64)> = node
            .moves
            .iter()
            .map(|m| (m.child.clone(), m.edge.tally.games()))
            .collect();
        sink.answered(node).await.map_err(CrawlEnd::Sink)?;
        *report += done;
        frontier.lead(&target, &always);
        frontier.answered(&target, children);
    }
    Ok(if explorer.is_stopped() && frontier.waiting() > 0 {
        CrawlEnd::Cancelled
    } else {
        CrawlEnd::Complete
    })
}

fn replay<E>(target: &Target, moves: &[KnownMove]) -> Result<Vec<(Chess, u64)>, CrawlEnd<E>> {
    let play = |known: &KnownMove| {
        let mut child = target.position.clone();
        child.play_unchecked(from_uci(&target.position, &known.uci)?);
        Ok((child, known.games))
    };
    moves
        .iter()
        .map(play)
        .collect::<Result<_, UciError>>()
        .map_err(|source| CrawlEnd::Known {
            epd: target.epd.clone(),
            source,
        })
}

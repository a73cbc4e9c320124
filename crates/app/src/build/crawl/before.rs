//! What earlier runs have asked an explorer, and whether it can be gone on with.

use serde::{Deserialize, Serialize};
use tabiya_lichess::KnownMove;
use tabiya_store::{Collection, Store};

use super::{
    CrawlRequest,
    room::{Answer, Answers},
};
use crate::{
    AppError,
    build::phases::{self, Phase},
};

/// What was asked for beside the explorer; it is recorded with its address.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) min_games: u64,
    /// Where the threshold had to be raised, what for: moves below it were forgotten, and nobody knows any more what they lead to.
    pub(super) raised_for: Option<Limits>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Limits {
    pub(super) max_nodes: u64,
    pub(super) depth: u16,
}

impl Asked {
    pub(super) fn of(request: &CrawlRequest) -> Asked {
        Asked {
            min_games: request.min_games,
            raised_for: None,
        }
    }

    pub(super) async fn record(&self, store: &Store, request: &CrawlRequest) -> Result<(), AppError> {
        let phase = Phase::explorer(&request.collection);
        phases::record(store, &phase, Some(&address(request)), self).await
    }
}

/// What earlier runs have asked, unless all is to be asked anew.
pub(super) async fn known(store: &Store, request: &CrawlRequest) -> Result<Answers, AppError> {
    if request.fresh {
        return Ok(Answers::new());
    }
    let answered = store.crawled(&request.collection).await?;
    Ok(answered
        .into_iter()
        .map(|node| {
            let moves = node.edges.into_iter().map(|edge| {
                let known = KnownMove {
                    games: edge.stats.games(),
                    uci: edge.uci,
                };
                (known, edge.child)
            });
            let answer = Answer {
                depth: node.depth,
                moves: moves.collect(),
                is_new: false,
                is_flagged: false,
            };
            (node.node.id, answer)
        })
        .collect())
}

/// What was asked for before, and the threshold that came of it. Answers add up to one tree only if they are the same explorer's, and
/// all with the same moves left out.
pub(super) async fn go_on(
    store: &Store,
    request: &CrawlRequest,
    collections: &[Collection],
) -> Result<(Asked, u64), AppError> {
    let name = &request.collection;
    let refuse = |why: String| {
        Err(AppError::OutOfRange(format!(
            "{why}, or --fresh to ask for everything anew"
        )))
    };
    let (phase, address) = (Phase::explorer(name), address(request));
    if let Some(asked) = phases::input(store, &phase).await?.filter(|asked| *asked != address) {
        return refuse(format!(
            "--explorer {address}: the answers in {name:?} are from {asked}; choose another --collection"
        ));
    }
    let before = collections.iter().find(|known| known.name == *name);
    let kept = before.map_or(request.min_games, |known| known.min_games);
    let asked = phases::done::<Asked>(store, &phase, Some(&address)).await?;
    let asked = asked.unwrap_or(Asked {
        min_games: kept,
        raised_for: None,
    });
    if asked.min_games != request.min_games {
        return refuse(format!(
            "--min-games {}: the answers in {name:?} were asked for with {}; say so to go on",
            request.min_games, asked.min_games
        ));
    }
    if let Some(limits) = asked.raised_for.as_ref().filter(|_| kept > asked.min_games) {
        let Limits { max_nodes, depth } = *limits;
        let lost = format!("moves with fewer than {kept} games are gone from {name:?}");
        match request.max_nodes {
            Some(most) if most <= max_nodes => {}
            Some(most) => {
                return refuse(format!(
                    "--max-nodes {most}: {lost}, to leave {max_nodes} positions; go on with no more than that"
                ));
            }
            None => return refuse(format!("{lost}; go on with --max-nodes {max_nodes}")),
        }
        if request.depth < depth {
            return refuse(format!(
                "--depth {}: {lost}, for a depth of {depth}; go on with that or more",
                request.depth
            ));
        }
    }
    Ok((asked, kept))
}

/// The explorer by what its answers depend on.
fn address(request: &CrawlRequest) -> String {
    let mut url = request.explorer.base.clone();
    url.set_fragment(None);
    url.to_string()
}

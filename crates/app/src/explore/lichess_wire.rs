//! The answers of the Lichess opening explorer, from our own games.
//!
//! Whoever speaks to Lichess's `/masters` and `/lichess` can speak to us instead: the questions are read as they are sent
//! there, and the answers have the same fields. Castling is written as there too, the king taking its rook (`e1h1`); in
//! questions both forms are understood.
//!
//! What differs: a game is known by its Lichess id only where it is from Lichess, ratings may be missing, and `since` and
//! `until` go by whole years.

mod answer;
mod error;
mod query;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use shakmaty::{CastlingMode, Chess, Position as _, uci::UciMove};
use tabiya_chess::{PositionId, Stats, from_uci, to_san};
use tabiya_store::{Collection, ListedGame};

use self::query::{Filter, Question};
pub use self::{
    answer::{ExplorerAnswer, ExplorerGame, ExplorerMove, ExplorerOpening, ExplorerPlayer},
    error::AskError,
    query::ExplorerQuery,
};
use super::{KnowledgeBase, Snapshot};
use crate::AppError;

/// What `/masters` answers: from the collection `masters`, else from all games.
///
/// # Errors
///
/// What is wrong with the question, [`AskError::NotToldApart`] for a filter that the games were not counted for, and
/// whatever goes wrong with the database. A position that nobody has played is none: its answer has no games.
pub async fn masters(base: &KnowledgeBase, query: &ExplorerQuery) -> Result<ExplorerAnswer, AskError> {
    let mut answer = Asking::new(base, "masters", query).await?.answer().await?;
    answer.recent_games = None;
    Ok(answer)
}

/// What `/lichess` answers: from the collection `lichess`, else from all games.
///
/// # Errors
///
/// As [`masters`].
pub async fn lichess(base: &KnowledgeBase, query: &ExplorerQuery) -> Result<ExplorerAnswer, AskError> {
    Asking::new(base, "lichess", query).await?.answer().await
}

/// A question on its way to an answer. All that is in memory is read from one snapshot.
struct Asking<'a> {
    base: &'a KnowledgeBase,
    snapshot: Option<Arc<Snapshot>>,
    question: Question,
    /// Those of games, not of lines.
    collections: Vec<Collection>,
    /// The one that is asked, or all of them.
    collection: Option<&'static str>,
}

/// What was played in a position.
#[derive(Default)]
struct Played {
    total: Stats,
    /// UCI as stored, and the games.
    moves: Vec<(String, Stats)>,
}

impl<'a> Asking<'a> {
    async fn new(
        base: &'a KnowledgeBase,
        preferred: &'static str,
        query: &ExplorerQuery,
    ) -> Result<Asking<'a>, AskError> {
        let question = query.read()?;
        let snapshot = base.snapshot();
        let mut collections = match &snapshot {
            Some(snapshot) => snapshot.catalogue().collections().to_vec(),
            None => base.store().collections().await.map_err(AppError::from)?,
        };
        collections.retain(Collection::is_of_games);
        let is_there = collections.iter().any(|collection| collection.name == preferred);
        Ok(Asking {
            base,
            snapshot,
            question,
            collections,
            collection: is_there.then_some(preferred),
        })
    }

    async fn answer(&self) -> Result<ExplorerAnswer, AskError> {
        let mut played = match &self.question.filter {
            Some(filter) => self.told_apart(filter).await?,
            None => self.all().await?,
        };
        played.moves.retain(|(_, stats)| stats.games() > 0);
        played.moves.truncate(self.question.moves);

        let position = self.question.position();
        let mut moves = Vec::with_capacity(played.moves.len());
        for (uci, stats) in played.moves {
            let corrupt = |reason: String| AskError::App(AppError::Corrupt(format!("a stored move: {reason}")));
            let played = from_uci(position, &uci).map_err(|error| corrupt(error.to_string()))?;
            let mut child = position.clone();
            child.play_unchecked(played);
            moves.push((ExplorerMove::new(position, played, stats), PositionId::of(&child)));
        }
        let names = self.names(moves.iter().map(|(_, child)| *child)).await?;
        let moves = moves.into_iter().map(|(mut counted, child)| {
            counted.opening = names.get(&child).cloned();
            counted
        });
        let path = self.question.path.iter().rev().map(PositionId::of);
        let opening = path.filter_map(|id| names.get(&id)).next().cloned();
        let (top_games, recent_games) = self.games().await?;
        Ok(ExplorerAnswer {
            opening,
            white: played.total.white,
            draws: played.total.draws,
            black: played.total.black,
            moves: moves.collect(),
            top_games,
            recent_games: Some(recent_games),
        })
    }

    /// All games, from memory where it has them.
    async fn all(&self) -> Result<Played, AskError> {
        let id = PositionId::of(self.question.position());
        if let Some(view) = self
            .snapshot
            .as_ref()
            .and_then(|snapshot| snapshot.view(self.collection))
        {
            let Some(place) = view.find(id) else {
                return Ok(Played::default());
            };
            return Ok(Played {
                total: view.node(place).stats,
                moves: (view.moves(place))
                    .map(|step| (step.edge.uci.clone(), step.edge.stats))
                    .collect(),
            });
        }
        let node = self
            .base
            .store()
            .node(id, self.collection)
            .await
            .map_err(AppError::from)?;
        Ok(node.map_or_else(Played::default, |node| Played {
            total: node.stats,
            moves: (node.children.into_iter())
                .map(|child| (child.uci, child.stats))
                .collect(),
        }))
    }

    /// The games of some years, ratings and speeds.
    async fn told_apart(&self, filter: &Filter) -> Result<Played, AskError> {
        let asked = |collection: &&Collection| self.collection.is_none_or(|name| name == collection.name);
        let collections: Vec<&Collection> = self.collections.iter().filter(asked).collect();
        for collection in &collections {
            filter.check(collection)?;
        }
        let id = PositionId::of(self.question.position());
        let mut moves: BTreeMap<String, Stats> = BTreeMap::new();
        let mut total = Stats::default();
        for collection in collections {
            let facets = self
                .base
                .store()
                .facets(id, &collection.name)
                .await
                .map_err(AppError::from)?;
            for counted in facets.into_iter().filter(|counted| filter.has(&counted.facet)) {
                total += counted.stats;
                // Under no move stand games that end here, or go on by a move too rare to be kept.
                if !counted.uci.is_empty() {
                    *moves.entry(counted.uci).or_default() += counted.stats;
                }
            }
        }
        let mut moves: Vec<(String, Stats)> = moves.into_iter().collect();
        // The sort is stable, so moves with as many games stay in the order of their UCI.
        moves.sort_by_key(|(_, stats)| Reverse(stats.games()));
        Ok(Played { total, moves })
    }

    /// The names of the positions on the way, and of those the moves lead to.
    async fn names(
        &self,
        children: impl Iterator<Item = PositionId>,
    ) -> Result<HashMap<PositionId, ExplorerOpening>, AskError> {
        let path = self.question.path.iter().map(PositionId::of);
        let positions: Vec<PositionId> = path.chain(children).collect();
        if let Some(snapshot) = &self.snapshot {
            let view = snapshot.all();
            let named = positions.into_iter().filter_map(|id| {
                let node = view.node(view.find(id)?);
                let opening = &snapshot
                    .catalogue()
                    .opening(node.opening.filter(|_| node.named)?)?
                    .opening;
                Some((id, ExplorerOpening::new(&opening.eco, &opening.name)))
            });
            return Ok(named.collect());
        }
        let named = self.base.store().names_at(&positions).await.map_err(AppError::from)?;
        let named = named.into_iter();
        Ok(named
            .map(|(id, name)| (id, ExplorerOpening::new(&name.eco, &name.name)))
            .collect())
    }

    /// Top and recent games, as far as they are asked for.
    async fn games(&self) -> Result<(Vec<ExplorerGame>, Vec<ExplorerGame>), AskError> {
        if self.question.top_games == 0 && self.question.recent_games == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        let position = self.question.position();
        let id = PositionId::of(position);
        let listed = self.base.store().listed_games(id, self.collection).await;
        let listed = listed.map_err(AppError::from)?;
        let shown = |games: &[ListedGame], limit: usize| {
            let asked = games.iter().filter(|game| {
                let filter = self.question.filter.as_ref();
                filter.is_none_or(|filter| filter.has_game(&game.game))
            });
            let shown = asked.filter_map(|game| Some(ExplorerGame::new(wire_uci(position, &game.uci)?, &game.game)));
            shown.take(limit).collect()
        };
        Ok((
            shown(&listed.top, self.question.top_games),
            shown(&listed.recent, self.question.recent_games),
        ))
    }
}

/// A stored move as the explorer writes it; `None` for a game that ended here.
fn wire_uci(position: &Chess, stored: &str) -> Option<String> {
    let played = from_uci(position, stored).ok()?;
    Some(UciMove::from_move(played, CastlingMode::Chess960).to_string())
}

impl ExplorerMove {
    fn new(position: &Chess, played: shakmaty::Move, stats: Stats) -> ExplorerMove {
        ExplorerMove {
            uci: UciMove::from_move(played, CastlingMode::Chess960).to_string(),
            san: to_san(position, played),
            average_rating: stats.average_rating(),
            white: stats.white,
            draws: stats.draws,
            black: stats.black,
            game: None,
            opening: None,
        }
    }
}

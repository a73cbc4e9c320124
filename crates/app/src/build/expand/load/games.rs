//! The games that are listed at positions.

use std::sync::Arc;

use shakmaty::Chess;
use tabiya_chess::{Outcome, to_uci};
use tabiya_counts::{Graph, GraphEdge, PackedMove};
use tabiya_store::{GameHeader, GameList, NodeGame, Pages};

use super::{Here, Part, Source, each};
use crate::AppError;

/// Games on a page. Each page reads the headers of all games from the first to the last, so there should not be many.
const PAGE: usize = 50_000;

/// A game that is listed anywhere.
#[derive(Clone, Copy)]
struct Game {
    number: u32,
    identity: u64,
    outcome: Outcome,
}

/// Which games are listed anywhere, by number.
pub(super) struct Listed(Vec<Game>);

impl Listed {
    pub(super) fn of(graph: &Graph, part: &Part) -> Result<Listed, AppError> {
        let mut outcomes: Vec<Option<Outcome>> = Vec::new();
        each(&graph.nodes, &graph.edges, 0, part, &mut |here| {
            for game in part
                .kept
                .top(here.position)
                .iter()
                .chain(part.kept.recent(here.position))
            {
                let number = game.game as usize;
                if outcomes.len() <= number {
                    outcomes.resize(number + 1, None);
                }
                outcomes[number] = Some(game.info.outcome());
            }
        });
        let numbered = || (0u32..).zip(&outcomes).filter(|(_, outcome)| outcome.is_some());
        let numbers: Vec<u32> = numbered().map(|(number, _)| number).collect();
        let identities = part.state.identities(&numbers)?;
        let games = numbered().zip(identities).filter_map(|((number, outcome), identity)| {
            Some(Game {
                number,
                identity,
                outcome: (*outcome)?,
            })
        });
        Ok(Listed(games.collect()))
    }

    /// The lists of one position.
    pub(super) fn at(&self, here: &Here<'_>, rows: &mut Vec<NodeGame>) {
        let kept = &here.part.kept;
        let mut moves = Moves::new(&here.node.epd, here.outward);
        for (kind, games) in [
            (GameList::Top, kept.top(here.position)),
            (GameList::Recent, kept.recent(here.position)),
        ] {
            for (rank, game) in games.iter().enumerate() {
                let known = self.0.binary_search_by_key(&game.game, |known| known.number);
                rows.push(NodeGame {
                    node: here.node.id,
                    kind,
                    rank: rank as u8,
                    game: known.map_or(0, |at| self.0[at].identity),
                    uci: moves.uci(game.by),
                });
            }
        }
    }
}

/// The headers of all games that are listed.
pub(super) fn headers(source: &Arc<Source>) -> Pages<GameHeader> {
    let source = Arc::clone(source);
    let mut games = source.listed.0.clone();
    games.sort_unstable_by_key(|game| game.identity.cast_signed());
    let pages: Vec<Vec<Game>> = games.chunks(PAGE).map(<[Game]>::to_vec).collect();
    Pages::new(pages.into_iter().map(move |mut page| {
        // As they lie in the file.
        page.sort_unstable_by_key(|game| game.number);
        let numbers: Vec<u32> = page.iter().map(|game| game.number).collect();
        let headers = source.part.state.headers(&numbers)?;
        let rows = page.iter().zip(headers).map(|(game, (identity, header))| GameHeader {
            id: identity,
            white: header.white,
            black: header.black,
            white_elo: header.white_elo,
            black_elo: header.black_elo,
            outcome: game.outcome,
            date: header.date,
            event: header.event,
            site: header.site,
            round: header.round,
        });
        Ok(rows.collect())
    }))
}

/// The moves of the games that are listed for one position, as UCI.
struct Moves<'a> {
    epd: &'a str,
    outward: &'a [GraphEdge],
    /// Set up when a game leaves by a move that is not kept, and once for all of them.
    position: Option<Chess>,
    others: Vec<(PackedMove, String)>,
}

impl<'a> Moves<'a> {
    fn new(epd: &'a str, outward: &'a [GraphEdge]) -> Moves<'a> {
        Moves {
            epd,
            outward,
            position: None,
            others: Vec::new(),
        }
    }

    /// The UCI of a listed game's move, which need not be one that is kept; empty where the game was not followed on.
    fn uci(&mut self, by: PackedMove) -> String {
        if by == PackedMove::NONE {
            return String::new();
        }
        if let Some(edge) = self.outward.iter().find(|edge| edge.by == by) {
            return edge.uci.clone();
        }
        if let Some((_, known)) = self.others.iter().find(|(other, _)| *other == by) {
            return known.clone();
        }
        let position = match self.position.take() {
            Some(position) => Some(position),
            None => tabiya_chess::parse_fen(self.epd).ok().map(|start| start.position),
        };
        let uci = position.as_ref().and_then(|pos| Some(to_uci(pos, by.retrace(pos)?)));
        self.position = position;
        let uci = uci.unwrap_or_default();
        self.others.push((by, uci.clone()));
        uci
    }
}

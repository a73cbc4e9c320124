//! All openings at once.

use serde::Serialize;
use shakmaty::Chess;
use tabiya_app::explore::{Catalogue, EndedGames, OpeningRow, OpeningView, View, rank_of};
use tabiya_chess::PositionId;
use utoipa::ToSchema;

/// Every opening and every code, with games.
#[derive(Debug, Serialize, ToSchema)]
pub struct Openings<'a> {
    /// All games.
    pub games: u64,
    /// A00 to E99, as far as there are openings.
    pub codes: Vec<CodeEntry<'a>>,
    /// By code, then by line.
    pub openings: Vec<OpeningGames<'a>>,
}

/// An ECO code, called after its shortest line.
#[derive(Debug, Serialize, ToSchema)]
pub struct CodeEntry<'a> {
    #[schema(example = "C50")]
    pub eco_code: &'a str,
    pub name: &'a str,
    pub slug: &'a str,
    /// The position it begins with.
    pub fen: Option<String>,
    pub line: &'a str,
    /// Games that left the graph at a position with the code. Some come back to it by another order of moves and leave it twice, so
    /// that these may add up to more than all games.
    pub games: Counted,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct OpeningGames<'a> {
    #[schema(example = "c50-italian-game")]
    pub slug: &'a str,
    pub eco_code: &'a str,
    pub name: &'a str,
    #[schema(example = "1. e4 e5 2. Nf3 Nc6 3. Bc4")]
    pub line: &'a str,
    /// Games that reached its position.
    pub games: Counted,
}

/// Results alone.
#[derive(Debug, Default, Clone, Copy, Serialize, ToSchema)]
pub struct Counted {
    pub game_count: u64,
    pub white: u64,
    pub draws: u64,
    pub black: u64,
}

impl Counted {
    fn of([white, draws, black]: [u64; 3]) -> Counted {
        Counted {
            game_count: white + draws + black,
            white,
            draws,
            black,
        }
    }
}

impl<'a> Openings<'a> {
    pub fn of(catalogue: &'a Catalogue, view: &View, ended: &EndedGames) -> Openings<'a> {
        let mut openings: Vec<OpeningGames<'a>> = catalogue
            .openings()
            .iter()
            .map(|entry| {
                let opening = &entry.opening;
                let stats = view.find(opening.root).map(|place| view.node(place).stats);
                OpeningGames {
                    slug: &opening.slug,
                    eco_code: &opening.eco,
                    name: &opening.name,
                    line: line(opening),
                    games: Counted::of(stats.map_or([0; 3], |stats| [stats.white, stats.draws, stats.black])),
                }
            })
            .collect();
        openings.sort_by_key(|opening| (opening.eco_code, opening.line));
        let entries = catalogue.openings();
        let codes: Vec<CodeEntry<'a>> = entries
            .chunk_by(|one, next| one.opening.eco == next.opening.eco)
            .filter_map(|entries| code(entries, view, ended))
            .collect();
        let start = view.find(PositionId::of(&Chess::default()));
        Openings {
            games: start.map_or(0, |start| view.node(start).stats.games()),
            codes,
            openings,
        }
    }
}

fn code<'a>(entries: &'a [OpeningView], view: &View, ended: &EndedGames) -> Option<CodeEntry<'a>> {
    let first = entries.iter().map(|entry| &entry.opening).min_by_key(|opening| {
        let line = line(opening);
        (rank_of(opening), line.len(), line)
    })?;
    let mut games = [0; 3];
    for entry in entries {
        for (sum, own) in games.iter_mut().zip(ended.in_opening(entry.opening.id)) {
            *sum += own;
        }
    }
    Some(CodeEntry {
        eco_code: &first.eco,
        name: &first.name,
        slug: &first.slug,
        fen: view.find(first.root).map(|place| view.fen(place)),
        line: line(first),
        games: Counted::of(games),
    })
}

/// The shortest line with its name.
fn line(opening: &OpeningRow) -> &str {
    let own = opening.positions.iter().find(|named| named.id == opening.root);
    own.map_or("", |named| named.line.as_str())
}

//! What is asked.

use serde::Deserialize;
use shakmaty::{Chess, Position as _};
use tabiya_chess::{Facet, RatingBand, Speed, from_uci, parse_fen};
use tabiya_store::{Collection, GameHeader};

use super::{AskError, answer::year};

/// The parameters of a question, as they are sent. Those that are missing have Lichess's defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExplorerQuery {
    /// `chess` or `standard`: there are no others here.
    pub variant: Option<String>,
    /// Where the line begins: a FEN or EPD, the initial position by default.
    pub fen: Option<String>,
    /// The line, as UCI moves between commas.
    pub play: Option<String>,
    /// How many moves are listed, 12 by default.
    pub moves: Option<usize>,
    /// How many top games are listed, all that there are by default.
    pub top_games: Option<usize>,
    /// How many recent games are listed, all that there are by default.
    pub recent_games: Option<usize>,
    /// The first year or month: `1998`, `1998-01`.
    pub since: Option<String>,
    /// The last year or month: `2004`, `2004-12`.
    pub until: Option<String>,
    /// Rating bands by their lower ends, between commas: `2200,2500`.
    pub ratings: Option<String>,
    /// Speeds between commas: `blitz,rapid`.
    pub speeds: Option<String>,
}

/// A question that can be answered.
#[derive(Debug)]
pub(super) struct Question {
    /// All positions of the line; the last is the one that is meant.
    pub(super) path: Vec<Chess>,
    pub(super) moves: usize,
    pub(super) top_games: usize,
    pub(super) recent_games: usize,
    /// `None` asks for all games.
    pub(super) filter: Option<Filter>,
}

/// Some of the games.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    since: Option<u16>,
    until: Option<u16>,
    /// Lower ends.
    ratings: Option<Vec<u16>>,
    speeds: Option<Vec<Speed>>,
}

impl Question {
    pub(super) fn position(&self) -> &Chess {
        // The path begins with a position.
        &self.path[self.path.len() - 1]
    }
}

impl ExplorerQuery {
    pub(super) fn read(&self) -> Result<Question, AskError> {
        if let Some(variant) = &self.variant
            && !["chess", "standard", "fromPosition", ""].contains(&variant.as_str())
        {
            let reason = "there are only games of standard chess here";
            return Err(AskError::parameter("variant", variant, reason));
        }
        let filter = Filter {
            since: bound("since", self.since.as_deref(), "01")?.filter(|year| !EARLIEST.contains(year)),
            until: bound("until", self.until.as_deref(), "12")?.filter(|year| *year < LATEST),
            ratings: chosen("ratings", self.ratings.as_deref(), &RatingBand::LOWER_ENDS, |text| {
                text.parse().ok().filter(|lower| RatingBand::LOWER_ENDS.contains(lower))
            })?,
            speeds: chosen("speeds", self.speeds.as_deref(), &Speed::ALL[1..], |text| {
                Speed::from_name(text).filter(|speed| *speed != Speed::Unknown)
            })?,
        };
        Ok(Question {
            path: self.path()?,
            moves: self.moves.unwrap_or(12),
            top_games: self.top_games.unwrap_or(usize::MAX),
            recent_games: self.recent_games.unwrap_or(usize::MAX),
            filter: (filter != Filter::default()).then_some(filter),
        })
    }

    fn path(&self) -> Result<Vec<Chess>, AskError> {
        let mut at = match self.fen.as_deref().map(str::trim).filter(|fen| !fen.is_empty()) {
            Some(fen) => {
                let start = parse_fen(fen).map_err(|error| AskError::parameter("fen", fen, error))?;
                start.position
            }
            None => Chess::default(),
        };
        let mut path = vec![at.clone()];
        let play = self.play.as_deref().unwrap_or_default();
        for text in play.split(',').map(str::trim).filter(|text| !text.is_empty()) {
            let played = from_uci(&at, text).map_err(|error| {
                let reason = format!("{error} (move {} of the line)", path.len());
                AskError::parameter("play", play, reason)
            })?;
            at.play_unchecked(played);
            path.push(at.clone());
        }
        Ok(path)
    }
}

/// What Lichess takes for `since` and `until` when they are not given; whoever sends them means all games. Years between are years
/// like others: here are older games than there.
const EARLIEST: [u16; 2] = [0, 1952];
const LATEST: u16 = 3000;

/// The year of `1998` or `1998-01`.
fn bound(name: &'static str, text: Option<&str>, whole_year: &str) -> Result<Option<u16>, AskError> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let (year, month) = match text.split_once('-') {
        Some((year, month)) => (year, Some(month)),
        None => (text, None),
    };
    let year = Some(year)
        .filter(|year| year.len() == 4)
        .and_then(|year| year.parse::<u16>().ok());
    let month_is_one = month.is_none_or(|month| month.len() == 2 && matches!(month.parse(), Ok(1..=12)));
    let Some(year) = year.filter(|_| month_is_one) else {
        return Err(AskError::parameter(
            name,
            text,
            "this is neither a year (1998) nor a month (1998-05)",
        ));
    };
    if month.is_some_and(|month| month != whole_year) && (1..LATEST).contains(&year) {
        let reason = format!("games are told apart by year, not by month: ask for {year}-{whole_year}");
        return Err(AskError::parameter(name, text, reason));
    }
    Ok(Some(year))
}

/// The values of a list; `None` where it is missing or has all of them, which asks for nothing special.
fn chosen<T: Copy + Ord + ToString>(
    name: &'static str,
    text: Option<&str>,
    all: &[T],
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<Vec<T>>, AskError> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let mut values = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let value = read(part).ok_or_else(|| {
            let known: Vec<String> = all.iter().map(ToString::to_string).collect();
            AskError::parameter(name, text, format!("`{part}` is none of {}", known.join(", ")))
        })?;
        values.push(value);
    }
    values.sort_unstable();
    values.dedup();
    Ok((values.len() < all.len()).then_some(values))
}

impl Filter {
    /// Whether a collection's games are told apart by all that is asked for.
    pub(super) fn check(&self, collection: &Collection) -> Result<(), AskError> {
        let kinds = collection.facets;
        let asked = [
            (self.since.is_some(), kinds.year, "since", "year"),
            (self.until.is_some(), kinds.year, "until", "year"),
            (self.ratings.is_some(), kinds.rating, "ratings", "rating"),
            (self.speeds.is_some(), kinds.speed, "speeds", "speed"),
        ];
        match asked.into_iter().find(|(asked, told_apart, ..)| *asked && !told_apart) {
            None => Ok(()),
            Some((_, _, name, facet)) => Err(AskError::NotToldApart {
                name,
                facet,
                collection: collection.name.clone(),
            }),
        }
    }

    pub(super) fn has(&self, facet: &Facet) -> bool {
        let speeds = self.speeds.as_ref();
        self.has_year(facet.year)
            && self.has_band(facet.band)
            && speeds.is_none_or(|speeds| speeds.contains(&facet.speed))
    }

    /// Whether a listed game is one of them. Lists do not say how fast a game was, so none is where that is asked for.
    pub(super) fn has_game(&self, game: &GameHeader) -> bool {
        let rating = game.white_elo.zip(game.black_elo);
        let mean = rating.map(|(white, black)| white.midpoint(black));
        self.speeds.is_none() && self.has_year(year(&game.date).unwrap_or(0)) && self.has_band(RatingBand::of(mean))
    }

    /// Games without a year are those of no year.
    fn has_year(&self, year: u16) -> bool {
        let since = self.since.is_none_or(|since| since <= year);
        let until = self.until.is_none_or(|until| year <= until && year > 0);
        since && until
    }

    fn has_band(&self, band: RatingBand) -> bool {
        let ratings = self.ratings.as_ref();
        ratings.is_none_or(|ratings| ratings.contains(&band.lower_end()))
    }
}

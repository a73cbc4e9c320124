//! From arguments to requests.

use std::{
    num::NonZeroU32,
    sync::{Arc, atomic::AtomicBool},
};

use tabiya_app::build::{
    CrawlRequest, DEFAULT_DEPTH, DEFAULT_MAX_NODES, EcoRequest, ExpandFrom, ExpandRequest, MinGames,
    count::GameFilter,
    explorer::{ExplorerConfig, Token, Url},
};
use tabiya_app::name::NameSources;

use super::{
    args::{CountArgs, ExplorerArgs, FromArgs, NamesArgs, PlainArgs},
    settings::{KEYS, Settings},
};
use crate::{
    args::Face,
    configuration::{layered, threads},
    dates::date_bound,
    failure::Failure,
    token::read_token,
};

const DEFAULT_COLLECTION: &str = "games";

/// What an explorer has fewer games of is not asked about.
const CRAWL_MIN_GAMES: u64 = 50;

pub(super) fn names(names: NamesArgs, database: String) -> EcoRequest {
    EcoRequest {
        database,
        names: NameSources {
            source: names.source,
            aliases: names.aliases,
        },
        book: names.book,
    }
}

/// Settings from all layers, checked.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) database: String,
    settings: Settings,
    filter: GameFilter,
    facets: tabiya_app::build::FacetKinds,
}

impl Plan {
    pub(super) fn new(counting: CountArgs, plain: &PlainArgs) -> Result<Plan, Failure> {
        let flags = counting.into_settings(plain.db.clone());
        let settings: Settings = layered(Face::Tabiya, plain.config.as_deref(), "build", &KEYS, &flags)?;
        let date = |text: &Option<String>, flag: &str| {
            text.as_deref()
                .map(date_bound)
                .transpose()
                .map_err(|error| Failure::usage(format!("--{flag}: {error}")).hint("write 2024, 2024-05 or 2024-05-31"))
        };
        let facets = settings.facets.as_deref().unwrap_or_default().parse();
        Ok(Plan {
            database: settings.persistence.clone().url(),
            filter: GameFilter {
                min_elo: settings.min_elo,
                since: date(&settings.since, "since")?,
                until: date(&settings.until, "until")?,
            },
            facets: facets.map_err(|error| {
                Failure::usage(format!("--facets: {error}"))
                    .hint("a list of year, rating and speed: --facets year,rating")
            })?,
            settings,
        })
    }

    pub(super) fn expand(self, from: FromArgs, add: bool, stop: Arc<AtomicBool>) -> ExpandRequest {
        let min_games = self.settings.min_games.map_or(MinGames::DEFAULT, MinGames::Fixed);
        let source = if from.counts.is_empty() {
            ExpandFrom::Pgn(from.pgn)
        } else {
            ExpandFrom::Counts(from.counts)
        };
        self.request(source, add, min_games, stop)
    }

    pub(super) fn all(self, pgn: Vec<String>, add: bool, stop: Arc<AtomicBool>) -> ExpandRequest {
        let min_games = self.settings.min_games.map_or(MinGames::BySize, MinGames::Fixed);
        self.request(ExpandFrom::Pgn(pgn), add, min_games, stop)
    }

    fn request(self, from: ExpandFrom, add: bool, min_games: MinGames, stop: Arc<AtomicBool>) -> ExpandRequest {
        let settings = self.settings;
        ExpandRequest {
            database: self.database,
            from,
            collection: settings.collection.unwrap_or_else(|| DEFAULT_COLLECTION.to_owned()),
            add,
            depth: settings.depth.unwrap_or(DEFAULT_DEPTH),
            min_games,
            max_nodes: settings.max_nodes.unwrap_or(DEFAULT_MAX_NODES),
            max_ply: settings.max_ply,
            filter: self.filter,
            facets: self.facets,
            threads: threads(settings.threads).get(),
            state: settings.state,
            stop,
        }
    }

    pub(super) fn crawl(self, base: &str, explorer: ExplorerArgs) -> Result<CrawlRequest, Failure> {
        // What is no URL is not repeated: a password may stand in it.
        let base: Url = base.parse().map_err(|error| {
            Failure::usage(format!("--explorer is no URL: {error}"))
                .hint("name it in full, such as https://explorer.lichess.org/masters")
        })?;
        let mut config = ExplorerConfig::new(base);
        config.token = token(&explorer)?;
        if let Some(rate) = explorer.rate.or(self.settings.rate) {
            config.rate = rate;
        }
        if let Some(asked) = explorer.in_flight.or(self.settings.in_flight) {
            config.in_flight = NonZeroU32::new(asked)
                .ok_or_else(|| Failure::usage("--in-flight must be 1 or more").hint("leave it out for the default"))?;
        }
        let min_games = self.settings.min_games.unwrap_or(CRAWL_MIN_GAMES);
        if min_games == 0 {
            return Err(Failure::usage("--min-games must be 1 or more").hint("leave it out for the default"));
        }
        Ok(CrawlRequest {
            database: self.database,
            explorer: config,
            collection: self
                .settings
                .collection
                .unwrap_or_else(|| DEFAULT_COLLECTION.to_owned()),
            depth: self.settings.depth.unwrap_or(DEFAULT_DEPTH),
            min_games,
            max_nodes: self.settings.max_nodes,
            fresh: explorer.fresh,
            stop: Arc::default(),
        })
    }
}

/// From the file, else from the environment.
fn token(explorer: &ExplorerArgs) -> Result<Option<Token>, Failure> {
    read_token(explorer.token_file.as_deref(), Some("TABIYA_EXPLORER_TOKEN"))
}

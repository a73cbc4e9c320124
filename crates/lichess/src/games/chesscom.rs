//! Games of a chess.com player: a list of months, then one answer for each.

use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::{
    GamesConfig, GamesError,
    client::{Client, PGN, Progress},
};
use crate::{Month, Wait, service::shown};

#[derive(Deserialize)]
struct Archives {
    archives: Vec<String>,
}

/// chess.com, or a server that publishes games as it does.
#[derive(Debug)]
pub struct ChessCom(Client);

impl ChessCom {
    /// Where it is.
    pub const BASE: &str = "https://api.chess.com";

    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`GamesError::BadBase`] names what cannot be used, [`GamesError::Client`] is about the system.
    pub fn new(config: GamesConfig) -> Result<ChessCom, GamesError> {
        Client::new(config).map(ChessCom)
    }

    /// Stops asking when `stop` is cancelled.
    #[must_use]
    pub fn stopped_by(self, stop: CancellationToken) -> ChessCom {
        ChessCom(self.0.stopped_by(stop))
    }

    /// Tells `tell` of every pause, in place of the log.
    #[must_use]
    pub fn on_wait(self, tell: impl Fn(&Wait) + Send + Sync + 'static) -> ChessCom {
        ChessCom(self.0.on_wait(tell))
    }

    /// The months in which a player has games, the oldest first.
    ///
    /// # Errors
    ///
    /// At once where asking again would not help; [`GamesError::Exhausted`] where it has not helped often enough.
    pub async fn months(&self, player: &str) -> Result<Vec<Month>, GamesError> {
        let player = player.to_lowercase();
        let url = self.0.address(&["pub", "player", &player, "games", "archives"]);
        let list = self.ask(&url, "application/json").await?;
        let bad = |source: crate::service::Cause| GamesError::NotAnAnswer {
            url: shown(&url),
            source,
        };
        let list: Archives = serde_json::from_slice(&list).map_err(|error| bad(error.into()))?;
        // Each is a whole address; the site that was named is asked, wherever they point to.
        let month = |address: &String| {
            let mut parts = address.trim_end_matches('/').rsplit('/');
            let (month, year) = (parts.next()?, parts.next()?);
            format!("{year}-{month}").parse::<Month>().ok()
        };
        let mut months = Vec::with_capacity(list.archives.len());
        for address in &list.archives {
            months.push(month(address).ok_or_else(|| bad(format!("{address:?} names no month").into()))?);
        }
        months.sort_unstable();
        months.dedup();
        Ok(months)
    }

    /// A month's games as PGN.
    ///
    /// # Errors
    ///
    /// As [`months`](ChessCom::months).
    pub async fn month(&self, player: &str, month: Month) -> Result<Vec<u8>, GamesError> {
        self.ask(&self.month_url(player, month), PGN).await
    }

    /// What is asked for a month, for whoever has something to say about the answer.
    #[must_use]
    pub fn address(&self, player: &str, month: Month) -> String {
        shown(&self.month_url(player, month))
    }

    fn month_url(&self, player: &str, month: Month) -> reqwest::Url {
        let player = player.to_lowercase();
        let (year, number) = (format!("{:04}", month.year()), format!("{:02}", month.number()));
        self.0
            .address(&["pub", "player", &player, "games", &year, &number, "pgn"])
    }

    async fn ask(&self, url: &reqwest::Url, accept: &'static str) -> Result<Vec<u8>, GamesError> {
        let client = &self.0;
        client
            .persist(|| {
                let asking = async move {
                    let answer = client.connection.get_as(url, accept).await;
                    answer.map_err(|failure| (failure, Progress::None))
                };
                (url.clone(), asking)
            })
            .await
    }
}

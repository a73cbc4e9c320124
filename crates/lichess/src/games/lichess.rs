//! Games of a Lichess player: one long answer, the oldest game first or the newest.

use std::{cell::Cell, ops::ControlFlow};

use reqwest::Url;
use tokio_util::sync::CancellationToken;

use super::{
    GamesConfig, GamesError,
    client::{Client, PGN, Progress},
};
use crate::{Wait, service::shown};

/// Which games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LichessQuery {
    pub player: String,
    /// Only games against this one.
    pub against: Option<String>,
    /// Created then or later, in milliseconds since 1970.
    pub since: Option<u64>,
    /// Created then or earlier.
    pub until: Option<u64>,
    /// Not more than these, and the newest first; without it all, and the oldest first.
    pub newest: Option<u64>,
    /// Only games of correspondence, which may end long after they were created.
    pub correspondence: bool,
}

/// Lichess, or a server that hands out games as it does.
#[derive(Debug)]
pub struct Lichess(Client);

impl Lichess {
    /// Where it is.
    pub const BASE: &str = "https://lichess.org";

    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`GamesError::BadBase`] names what cannot be used, [`GamesError::Client`] is about the system.
    pub fn new(config: GamesConfig) -> Result<Lichess, GamesError> {
        Client::new(config).map(Lichess)
    }

    /// Stops asking when `stop` is cancelled.
    #[must_use]
    pub fn stopped_by(self, stop: CancellationToken) -> Lichess {
        Lichess(self.0.stopped_by(stop))
    }

    /// Tells `tell` of every pause, in place of the log.
    #[must_use]
    pub fn on_wait(self, tell: impl Fn(&Wait) + Send + Sync + 'static) -> Lichess {
        Lichess(self.0.on_wait(tell))
    }

    /// Hands on games as they come, as bytes of PGN. An answer that breaks off is asked for again, with whatever `query` says
    /// then: `each` is told by an empty piece that what comes next begins anew.
    ///
    /// # Errors
    ///
    /// At once where asking again would not help; [`GamesError::Exhausted`] where it has not helped often enough.
    pub async fn games(
        &self,
        mut query: impl FnMut() -> LichessQuery,
        mut each: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), GamesError> {
        let each = Cell::new(Some(&mut each));
        let client = &self.0;
        client
            .persist(|| {
                let url = self.url(&query());
                let (asked, each) = (url.clone(), &each);
                let asking = async move {
                    // Requests come one after the other, so it is always there.
                    let Some(hand_on) = each.take() else {
                        return Ok(());
                    };
                    let mut progress = Progress::None;
                    let _ = hand_on(b"");
                    let streamed = client.connection.stream(&asked, PGN, |chunk| {
                        progress = Progress::Some;
                        hand_on(chunk)
                    });
                    let answer = streamed.await;
                    each.set(Some(hand_on));
                    answer.map_err(|failure| (failure, progress))
                };
                (url, asking)
            })
            .await
    }

    /// What is asked for such games, for whoever has something to say about the answer.
    #[must_use]
    pub fn address(&self, query: &LichessQuery) -> String {
        shown(&self.url(query))
    }

    fn url(&self, query: &LichessQuery) -> Url {
        let mut url = self.0.address(&["api", "games", "user", &query.player]);
        {
            let mut pairs = url.query_pairs_mut();
            if let Some(against) = &query.against {
                pairs.append_pair("vs", against);
            }
            for (name, value) in [("since", query.since), ("until", query.until), ("max", query.newest)] {
                if let Some(value) = value {
                    pairs.append_pair(name, &value.to_string());
                }
            }
            if query.correspondence {
                pairs.append_pair("perfType", "correspondence");
            }
            let sort = if query.newest.is_some() { "dateDesc" } else { "dateAsc" };
            pairs.append_pair("sort", sort);
        }
        url
    }
}

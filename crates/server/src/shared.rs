//! What all requests share.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use axum::extract::State;
use tabiya_app::explore::{KnowledgeBase, Snapshot};
use tabiya_app::review::ReviewDesk;
use tokio::sync::Notify;

use crate::conduct::{Kept, Meters, RateLimit};
use crate::games::OurGames;
use crate::guests::Guests;
use crate::options::{ApiKey, Limits};
use crate::problem::Problem;

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) knowledge: Arc<KnowledgeBase>,
    pub(crate) limits: Limits,
    pub(crate) api_key: Option<ApiKey>,
    pub(crate) desk: Arc<ReviewDesk>,
    pub(crate) games: OurGames,
    /// Answers that take longer to make than to send.
    pub(crate) kept: Kept,
    pub(crate) meters: Meters,
    pub(crate) rate: Option<RateLimit>,
    pub(crate) in_flight: AtomicUsize,
    /// What is being sent to us.
    pub(crate) bodies: Arc<Guests>,
    /// Wakes up whoever reloads.
    pub(crate) reload: Notify,
}

/// How handlers get at it.
pub(crate) type Tabiya = State<Arc<Shared>>;

impl Shared {
    /// For what cannot be answered from the database: the snapshot, which is a matter of seconds after the start.
    pub(crate) async fn snapshot(&self) -> Result<Arc<Snapshot>, Problem> {
        let patience = self.limits.time / 2;
        match tokio::time::timeout(patience, self.knowledge.wait_for_snapshot()).await {
            Ok(snapshot) => Ok(snapshot),
            Err(_) => Err(Problem::unavailable(
                "loading",
                "the knowledge base is still being loaded, and this needs all of it",
                5,
            )),
        }
    }
}

//! Starting, answering, stopping.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use axum::Router;
use tabiya_app::AppError;
use tabiya_app::analyze::check_inputs;
use tabiya_app::explore::KnowledgeBase;
use tabiya_app::review::ReviewDesk;
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::conduct::{Kept, Meters, RateLimit, bodies};
use crate::games::OurGames;
use crate::options::ServeOptions;
use crate::shared::Shared;
use crate::{connections, reload, routes};

/// Answers that are under way when the server is stopped get this long.
const GRACE: Duration = Duration::from_secs(10);

/// Why a server does not start, or stops.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    App(#[from] AppError),

    #[error("cannot listen on {address}")]
    Bind {
        address: SocketAddr,
        source: std::io::Error,
    },

    #[error("{origin:?} is not an origin")]
    Origin { origin: String },
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
    router: Router,
    reload: Duration,
}

impl Server {
    /// Opens the database and begins to listen; nobody is answered yet.
    pub async fn bind(database: &str, options: ServeOptions) -> Result<Server, ServeError> {
        // They are read while others are answered, which is too late for saying that there are none.
        check_inputs(&options.games)?;
        let knowledge = KnowledgeBase::open(database).await?;
        let shared = Arc::new(Shared {
            knowledge: Arc::new(knowledge),
            limits: options.limits,
            api_key: options.api_key.clone(),
            desk: Arc::new(ReviewDesk::new(options.reviews.clone())),
            games: OurGames::new(options.games.clone()),
            kept: Kept::new(),
            meters: Meters::new(routes::ROUTES),
            rate: options.limits.rate.map(RateLimit::new),
            in_flight: AtomicUsize::new(0),
            bodies: Arc::new(bodies(&options.limits)),
            reload: Notify::new(),
        });
        let router = routes::router(Arc::clone(&shared), &options.cors)?;
        let cannot = |source| ServeError::Bind {
            address: options.bind,
            source,
        };
        let listener = TcpListener::bind(options.bind).await.map_err(cannot)?;
        Ok(Server {
            address: listener.local_addr().map_err(cannot)?,
            listener,
            shared,
            router,
            reload: options.reload,
        })
    }

    /// Where it listens, with the port that was found where 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn knowledge(&self) -> &Arc<KnowledgeBase> {
        &self.shared.knowledge
    }

    /// The routes without a socket, for whoever calls them in the same process. Nothing is reloaded by itself.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// Answers until `stop` comes, then ends what is under way.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), ServeError> {
        let fresh = tokio::spawn(reload::keep_fresh(Arc::clone(&self.shared), self.reload));
        let games = Arc::clone(&self.shared);
        let games = tokio::spawn(async move { games.games.read().await });
        let (stopping, stopped) = tokio::sync::oneshot::channel();
        let serving = connections::serve(self.listener, self.router, self.shared.limits, async move {
            stop.await;
            let _ = stopping.send(());
        });
        tokio::select! {
            () = serving => {}
            () = async {
                // Where the sender is gone, serving has ended.
                let _ = stopped.await;
                tokio::time::sleep(GRACE).await;
            } => {}
        }
        self.shared.games.stop();
        games.abort();
        self.shared.desk.close().await;
        fresh.abort();
        // What it was reading must not be taken from under it: that would look like a fault.
        let _ = fresh.await;
        self.shared.knowledge.close().await;
        Ok(())
    }
}

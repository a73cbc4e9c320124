//! The servers the tests run on.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::servers::{Private, script, shared};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Server {
    Postgres,
    Redis,
}

pub(crate) const SERVERS: [Server; 2] = [Server::Postgres, Server::Redis];

impl Server {
    fn kind(self) -> &'static str {
        match self {
            Server::Postgres => "postgres",
            Server::Redis => "redis",
        }
    }

    /// A server of the test's own, to be mistreated.
    pub(crate) fn start(self) -> Private {
        Private::start(self.kind(), &[])
    }

    /// Kills a server that [`start`](Server::start) started, and starts it again.
    pub(crate) fn restart(self, url: &str) {
        let status = Command::new(script(self.kind()))
            .arg("restart")
            .arg(url)
            .status()
            .unwrap();
        assert!(status.success(), "{url} does not restart");
    }
}

/// The URL of a new, empty database.
pub(crate) async fn new_postgres() -> String {
    let name = unique("tabiya_queue_test");
    let url = shared(Server::Postgres.kind());
    execute(url, &format!("CREATE DATABASE {name}")).await;
    let (server, _) = url.rsplit_once('/').unwrap();
    format!("{server}/{name}")
}

pub(crate) fn redis_url() -> String {
    shared(Server::Redis.kind()).to_owned()
}

/// A name that no other test has, in this run or another at the same time.
pub(crate) fn unique(stem: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!(
        "{stem}_{}_{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    )
}

/// Runs SQL beside the queue.
pub(crate) async fn execute(url: &str, sql: &str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    connection.execute(AssertSqlSafe(sql.to_owned())).await.unwrap();
    connection.close().await.unwrap();
}

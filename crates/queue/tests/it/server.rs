//! The servers the tests run on: those in `TABIYA_TEST_POSTGRES` and `TABIYA_TEST_REDIS`, else private ones.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Server {
    Postgres,
    Redis,
}

pub(crate) const SERVERS: [Server; 2] = [Server::Postgres, Server::Redis];

/// A server and the script that waits for the end of its standard input, which is the end of this process.
pub(crate) struct Running {
    pub url: String,
    script: Option<Child>,
}

impl Drop for Running {
    /// Only a server of a single test gets here; the others end with the process.
    fn drop(&mut self) {
        if let Some(child) = &mut self.script {
            drop(child.stdin.take());
            child.wait().unwrap();
        }
    }
}

impl Server {
    fn script(self) -> &'static str {
        match self {
            Server::Postgres => concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/test-postgres"),
            Server::Redis => concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/test-redis"),
        }
    }

    fn variable(self) -> &'static str {
        match self {
            Server::Postgres => "TABIYA_TEST_POSTGRES",
            Server::Redis => "TABIYA_TEST_REDIS",
        }
    }

    /// A server of the test's own, to be mistreated.
    pub(crate) fn start(self) -> Running {
        let (script, variable) = (self.script(), self.variable());
        let mut child = Command::new(script)
            .arg("run")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("{script}: {e}"));
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url = line
            .trim()
            .strip_prefix(variable)
            .and_then(|rest| rest.strip_prefix('='))
            .unwrap_or_else(|| panic!("{script} started no server; it says why above"));
        Running {
            url: url.to_owned(),
            script: Some(child),
        }
    }

    /// Kills a server that [`start`](Server::start) started, and starts it again.
    pub(crate) fn restart(self, url: &str) {
        let status = Command::new(self.script()).arg("restart").arg(url).status().unwrap();
        assert!(status.success(), "{url} does not restart");
    }

    /// The server that all tests share.
    fn shared(self) -> &'static str {
        static POSTGRES: OnceLock<Running> = OnceLock::new();
        static REDIS: OnceLock<Running> = OnceLock::new();
        let cell = match self {
            Server::Postgres => &POSTGRES,
            Server::Redis => &REDIS,
        };
        let server = cell.get_or_init(|| match std::env::var(self.variable()) {
            Ok(url) => Running { url, script: None },
            Err(_) => self.start(),
        });
        &server.url
    }
}

/// The URL of a new, empty database.
pub(crate) async fn new_postgres() -> String {
    let name = unique("tabiya_queue_test");
    let url = Server::Postgres.shared();
    execute(url, &format!("CREATE DATABASE {name}")).await;
    let (server, _) = url.rsplit_once('/').unwrap();
    format!("{server}/{name}")
}

pub(crate) fn redis_url() -> String {
    Server::Redis.shared().to_owned()
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

//! The PostgreSQL server the tests run on: the one in `TABIYA_TEST_POSTGRES`, else a private one.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

/// The server and the script that waits for the end of its standard input, which is the end of this process.
struct Server {
    url: String,
    _script: Option<Child>,
}

static SERVER: OnceLock<Server> = OnceLock::new();

/// The URL of the server's database `postgres`.
pub(crate) fn url() -> &'static str {
    &SERVER.get_or_init(start).url
}

fn start() -> Server {
    if let Ok(url) = std::env::var("TABIYA_TEST_POSTGRES") {
        return Server { url, _script: None };
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/test-postgres");
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
        .strip_prefix("TABIYA_TEST_POSTGRES=")
        .unwrap_or_else(|| panic!("scripts/test-postgres started no server; it says why above"));
    Server {
        url: url.to_owned(),
        _script: Some(child),
    }
}

/// The URL of a new, empty database.
pub(crate) async fn new_database() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!(
        "tabiya_test_{}_{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    execute(url(), &format!("CREATE DATABASE {name}")).await;
    database(&name)
}

/// The URL of a database by name.
pub(crate) fn database(name: &str) -> String {
    let (server, _) = url().rsplit_once('/').unwrap();
    format!("{server}/{name}")
}

/// Runs SQL beside the store.
pub(crate) async fn execute(url: &str, sql: &str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    connection.execute(AssertSqlSafe(sql.to_owned())).await.unwrap();
    connection.close().await.unwrap();
}

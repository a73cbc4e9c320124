//! A real PostgreSQL: the one `TABIYA_TEST_POSTGRES` names, or a private one for the time of the tests.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

use sqlx::{AssertSqlSafe, Connection, PgConnection};

/// The URL of a new, empty database.
pub(crate) fn new_database() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("tabiya_cli_{}_{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
    let server = server();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut connection = PgConnection::connect(server).await.expect("the server answers");
        for statement in [
            format!("drop database if exists {name}"),
            format!("create database {name}"),
        ] {
            sqlx::raw_sql(AssertSqlSafe(statement))
                .execute(&mut connection)
                .await
                .expect("a database can be made");
        }
        connection.close().await.expect("the connection closes");
    });
    let (place, _) = server.rsplit_once('/').expect("a URL has a path");
    format!("{place}/{name}")
}

fn server() -> &'static str {
    static SERVER: OnceLock<(String, Option<Child>)> = OnceLock::new();
    let (url, _) = SERVER.get_or_init(|| match std::env::var("TABIYA_TEST_POSTGRES") {
        Ok(url) if !url.is_empty() => (url, None),
        _ => start(),
    });
    url
}

/// Starts a server that stops when our end of its standard input is closed, however we end.
fn start() -> (String, Option<Child>) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/test-postgres");
    let mut child = Command::new(script)
        .arg("run")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("scripts/test-postgres runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe"))
        .read_line(&mut line)
        .expect("it prints a line");
    let url = line
        .trim()
        .strip_prefix("TABIYA_TEST_POSTGRES=")
        .expect("it prints where the server is");
    (url.to_owned(), Some(child))
}

//! Real servers: the PostgreSQL that `TABIYA_TEST_POSTGRES` names, or private ones for the time of the tests.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
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
    static SERVER: OnceLock<(String, Option<Private>)> = OnceLock::new();
    let (url, _) = SERVER.get_or_init(|| match std::env::var("TABIYA_TEST_POSTGRES") {
        Ok(url) if !url.is_empty() => (url, None),
        _ => {
            let server = Private::start("postgres");
            (server.url.clone(), Some(server))
        }
    });
    url
}

/// A server of `scripts/test-*` that nobody else uses. It stops when our end of its standard input is closed, however we
/// end.
pub(crate) struct Private {
    pub(crate) url: String,
    child: Child,
}

impl Private {
    /// `postgres` or `redis`.
    pub(crate) fn start(kind: &str) -> Private {
        let mut child = Command::new(script(kind))
            .arg("run")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the script runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("it prints a line");
        let url = line
            .trim()
            .strip_prefix(&format!("TABIYA_TEST_{}=", kind.to_uppercase()))
            .unwrap_or_else(|| panic!("scripts/test-{kind} prints where the server is, not {line:?}"))
            .to_owned();
        Private { url, child }
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // Where it cannot be waited for, it is gone.
        let _ = self.child.wait();
    }
}

pub(crate) fn script(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scripts/test-{kind}"))
}

//! A database of one's own on a server that others use too.

use anyhow::{Context, Result};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

/// A database that was made for one run.
#[derive(Debug)]
pub(super) struct Scratch {
    server: String,
    name: String,
    url: String,
}

impl Scratch {
    pub(super) async fn create(server: &str) -> Result<Scratch> {
        let name = format!("tabiya_bench_{}", std::process::id());
        let (before, _) = server.rsplit_once('/').context("the server's URL names no database")?;
        let scratch = Scratch {
            url: format!("{before}/{name}"),
            server: server.to_owned(),
            name,
        };
        scratch.tell("DROP DATABASE IF EXISTS").await?;
        scratch.tell("CREATE DATABASE").await?;
        Ok(scratch)
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) async fn remove(self) -> Result<()> {
        self.tell("DROP DATABASE").await
    }

    async fn tell(&self, what: &str) -> Result<()> {
        let mut connection = PgConnection::connect(&self.server).await?;
        connection
            .execute(sqlx::raw_sql(AssertSqlSafe(format!("{what} {}", self.name))))
            .await?;
        Ok(connection.close().await?)
    }
}

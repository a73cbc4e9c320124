//! SQLite alone: rows that are ready and in key order, two tables, no index beside the keys, one transaction.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;
use pgn_import::{Edge, Position};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Executor, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use tokio::runtime::Runtime;

use super::{subject::Subject, tabiya::gather};
use crate::contender::{Contender, Counts};

/// Rows in one statement.
const ROWS: usize = 500;

const TABLES: &str = "
    CREATE TABLE positions (id INTEGER PRIMARY KEY, fen TEXT NOT NULL, ply INTEGER NOT NULL);
    CREATE TABLE edges (
        parent INTEGER NOT NULL, uci TEXT NOT NULL, san TEXT NOT NULL, child INTEGER NOT NULL,
        PRIMARY KEY (parent, uci)) WITHOUT ROWID";

#[derive(Debug)]
pub(crate) struct BareSqlite {
    runtime: Runtime,
    subject: Subject,
    database: PathBuf,
    games: u64,
    positions: Vec<Position>,
    edges: Vec<Edge>,
}

impl BareSqlite {
    pub(crate) fn new(subject: Subject, dir: &Path) -> Result<BareSqlite> {
        let database = dir.join("bare.db");
        Ok(BareSqlite {
            runtime: Runtime::new()?,
            subject,
            database,
            games: 0,
            positions: Vec::new(),
            edges: Vec::new(),
        })
    }

    async fn insert(&self) -> Result<()> {
        let options = SqliteConnectOptions::new()
            .filename(&self.database)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .disable_statement_logging();
        let mut connection = options.connect().await?;
        connection.execute(TABLES).await?;
        let mut tx = connection.begin().await?;
        for rows in self.positions.chunks(ROWS) {
            insert_positions(&mut tx, rows).await?;
        }
        for rows in self.edges.chunks(ROWS) {
            insert_edges(&mut tx, rows).await?;
        }
        tx.commit().await?;
        Ok(connection.close().await?)
    }
}

async fn insert_positions(connection: &mut SqliteConnection, rows: &[Position]) -> Result<()> {
    let mut query = sqlx::query(AssertSqlSafe(statement("positions", 3, rows.len())));
    for row in rows {
        query = query.bind(row.id.cast_signed()).bind(&row.fen).bind(row.ply);
    }
    query.execute(connection).await?;
    Ok(())
}

async fn insert_edges(connection: &mut SqliteConnection, rows: &[Edge]) -> Result<()> {
    let mut query = sqlx::query(AssertSqlSafe(statement("edges", 4, rows.len())));
    for row in rows {
        query = query
            .bind(row.parent_id.cast_signed())
            .bind(&row.move_uci)
            .bind(&row.move_san)
            .bind(row.child_id.cast_signed());
    }
    query.execute(connection).await?;
    Ok(())
}

fn statement(table: &str, columns: usize, rows: usize) -> String {
    let row = format!("({})", vec!["?"; columns].join(","));
    format!("INSERT INTO {table} VALUES {}", vec![row; rows].join(","))
}

impl Contender for BareSqlite {
    fn name(&self) -> String {
        "bare SQLite, rows ready and sorted (limit)".to_owned()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        let (store, counters) = self.runtime.block_on(gather(&self.subject))?;
        self.games = counters.pgn_games_total;
        self.positions = store.dump_positions();
        self.edges = store.dump_edges();
        self.positions.sort_unstable_by_key(|row| row.id.cast_signed());
        self.edges.sort_unstable_by(|a, b| {
            (a.parent_id.cast_signed(), &a.move_uci).cmp(&(b.parent_id.cast_signed(), &b.move_uci))
        });
        Ok(Some(Counts {
            games: self.games,
            moves: self.edges.len() as u64,
        }))
    }

    fn bytes(&self) -> u64 {
        self.subject.bytes
    }

    fn prepare(&mut self) -> Result<()> {
        for suffix in ["", "-wal", "-shm"] {
            // What is not there need not be removed.
            drop(fs::remove_file(format!("{}{suffix}", self.database.display())));
        }
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        self.runtime.block_on(self.insert())
    }

    fn turns(&self) -> usize {
        3
    }
}

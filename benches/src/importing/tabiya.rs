//! Tabiya's import, into a SQLite file and into memory.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, ensure};
use pgn_import::{Counters, Importer, InMemoryStore};
use tokio::runtime::Runtime;

use super::subject::Subject;
use crate::contender::{Contender, Counts};

/// Through the verb, into a new file each time.
#[derive(Debug)]
pub(crate) struct IntoSqlite {
    runtime: Runtime,
    subject: Subject,
    database: PathBuf,
    counted: Counts,
}

impl IntoSqlite {
    pub(crate) fn new(subject: Subject, dir: &Path) -> Result<IntoSqlite> {
        Ok(IntoSqlite {
            runtime: Runtime::new()?,
            subject,
            database: dir.join("import.db"),
            counted: Counts::default(),
        })
    }

    fn import(&self) -> Result<Counts> {
        self.runtime
            .block_on(self.subject.import_to(&self.database))
            .map(|counters| counts(&counters))
    }

    fn remove(&self) {
        for suffix in ["", "-wal", "-shm"] {
            // What is not there need not be removed.
            drop(fs::remove_file(format!("{}{suffix}", self.database.display())));
        }
    }
}

impl Contender for IntoSqlite {
    fn name(&self) -> String {
        "tabiya into a SQLite file".to_owned()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        self.remove();
        self.counted = self.import()?;
        Ok(Some(self.counted))
    }

    fn bytes(&self) -> u64 {
        self.subject.bytes
    }

    fn prepare(&mut self) -> Result<()> {
        self.remove();
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        ensure!(self.import()? == self.counted, "stored something else than before");
        Ok(())
    }

    fn turns(&self) -> usize {
        3
    }
}

/// The same reading into the reference store: what is left is the cost of SQLite.
#[derive(Debug)]
pub(crate) struct IntoMemory {
    runtime: Runtime,
    subject: Subject,
    counted: Counts,
}

impl IntoMemory {
    pub(crate) fn new(subject: Subject) -> Result<IntoMemory> {
        Ok(IntoMemory {
            runtime: Runtime::new()?,
            subject,
            counted: Counts::default(),
        })
    }

    fn import(&self) -> Result<Counts> {
        self.runtime
            .block_on(gather(&self.subject))
            .map(|(_, counters)| counts(&counters))
    }
}

/// Everything that the import brings, in memory.
pub(super) async fn gather(subject: &Subject) -> Result<(InMemoryStore, Counters)> {
    let mut store = InMemoryStore::default();
    let mut importer = Importer::journaled(subject.config(), Subject::options(), &mut store);
    let summary = importer.ingest_pgn_path(&subject.path).await?;
    importer.finalize().await?;
    drop(importer);
    Ok((store, summary.counters))
}

/// Games, and distinct edges for moves.
fn counts(counters: &Counters) -> Counts {
    Counts {
        games: counters.pgn_games_total,
        moves: counters.edges_inserted,
    }
}

impl Contender for IntoMemory {
    fn name(&self) -> String {
        "tabiya into memory (limit)".to_owned()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        self.counted = self.import()?;
        Ok(Some(self.counted))
    }

    fn bytes(&self) -> u64 {
        self.subject.bytes
    }

    fn run(&mut self) -> Result<()> {
        ensure!(self.import()? == self.counted, "stored something else than before");
        Ok(())
    }

    fn turns(&self) -> usize {
        3
    }
}

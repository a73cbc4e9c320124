//! All phases into a SQLite file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, ensure};
use tabiya_app::build::{
    DEFAULT_DEPTH, DEFAULT_MAX_NODES, EcoRequest, ExpandFrom, ExpandRequest, MinGames, Steps, eco, expand, structures,
    transpositions,
};
use tokio::runtime::Runtime;

use super::{MIN_GAMES, THREADS};
use crate::contender::{Contender, Counts};

/// Names, counts, structures and transpositions.
#[derive(Debug)]
pub(super) struct Whole {
    runtime: Runtime,
    path: PathBuf,
    bytes: u64,
    database: PathBuf,
    built: Counts,
}

impl Whole {
    pub(super) fn new(path: PathBuf, bytes: u64, dir: &Path) -> Result<Whole> {
        Ok(Whole {
            runtime: Runtime::new()?,
            path,
            bytes,
            database: database(dir),
            built: Counts::default(),
        })
    }
}

/// Builds a knowledge base; gives its games and moves.
pub(crate) async fn build(games: &[&Path], database: &Path, min_games: u64) -> Result<Counts> {
    let database = database.display().to_string();
    let steps = Steps::default();
    let names = EcoRequest {
        database: database.clone(),
        ..EcoRequest::default()
    };
    eco(&names, &steps).await?;
    let request = ExpandRequest {
        database: database.clone(),
        from: ExpandFrom::Pgn(games.iter().map(|path| path.display().to_string()).collect()),
        collection: "games".to_owned(),
        add: false,
        depth: DEFAULT_DEPTH,
        min_games: MinGames::Fixed(min_games),
        max_nodes: DEFAULT_MAX_NODES,
        max_ply: None,
        filter: Default::default(),
        facets: Default::default(),
        threads: THREADS,
        state: None,
        stop: Default::default(),
    };
    let report = expand(&request, &steps).await?;
    structures(&database, &steps).await?;
    transpositions(&database, &steps).await?;
    Ok(Counts {
        games: report.files.iter().map(|file| file.games).sum(),
        moves: report.edges,
    })
}

/// Per cent of the structures of the last build that no rule knows, as the phase has recorded it.
pub(super) fn unknown_structures(dir: &Path) -> Result<f64> {
    let database = database(dir).display().to_string();
    let report = Runtime::new()?.block_on(structures(&database, &Steps::default()))?;
    ensure!(report.skipped, "structures were to be there already");
    Ok(report.unknown_share())
}

fn database(dir: &Path) -> PathBuf {
    dir.join("build.db")
}

/// The database and its counts.
pub(super) fn remove(database: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        // What is not there need not be removed.
        drop(fs::remove_file(format!("{}{suffix}", database.display())));
    }
    drop(fs::remove_dir_all(format!("{}.counts", database.display())));
}

/// Empties the files below a directory and gives it another name. Some file systems pass over what was just removed for minutes, file
/// by file, whenever they make a new one; a first build meets nothing of the kind.
pub(super) fn set_aside(dir: &Path) -> Result<()> {
    if !dir.exists() {
        return Ok(());
    }
    let aside = tempfile::Builder::new()
        .prefix("aside-")
        .tempdir_in(dir.parent().unwrap_or(dir))?
        .keep();
    fs::rename(dir, &aside)?;
    empty(&aside)
}

fn empty(dir: &Path) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            empty(&entry.path())?;
        } else {
            fs::File::create(entry.path())?;
        }
    }
    Ok(())
}

impl Contender for Whole {
    fn name(&self) -> String {
        "names, counts, structures, transpositions into SQLite".to_owned()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        remove(&self.database);
        self.built = self.runtime.block_on(build(&[&self.path], &self.database, MIN_GAMES))?;
        Ok(Some(self.built))
    }

    fn expected(&self, whole: Counts) -> Counts {
        Counts {
            moves: self.built.moves,
            ..whole
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What the last run wrote is put aside, emptied: see [`set_aside`].
    fn prepare(&mut self) -> Result<()> {
        set_aside(Path::new(&format!("{}.counts", self.database.display())))?;
        remove(&self.database);
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        let built = self.runtime.block_on(build(&[&self.path], &self.database, MIN_GAMES))?;
        ensure!(built == self.built, "built something else than before");
        Ok(())
    }

    fn turns(&self) -> usize {
        3
    }
}

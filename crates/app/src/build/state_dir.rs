//! Where the counts of a database's collections lie.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tabiya_counts::{CountError, Rules, State};

use crate::AppError;

/// Beside the database: `tabiya.db.counts`, or `NAME.counts` in the current directory for a database on a server.
pub fn default_state_dir(database: &str) -> PathBuf {
    let path = database.split('?').next().unwrap_or(database);
    if path.starts_with("postgres://") || path.starts_with("postgresql://") {
        let name = path
            .rsplit('/')
            .next()
            .filter(|name| !name.is_empty() && !name.contains('@'));
        return PathBuf::from(format!("{}.counts", name.unwrap_or("postgres")));
    }
    let path = path.strip_prefix("sqlite:").unwrap_or(path);
    let path = path.strip_prefix("//").unwrap_or(path);
    match path {
        "" | ":memory:" => PathBuf::from("tabiya-memory.counts"),
        path => PathBuf::from(format!("{path}.counts")),
    }
}

/// The counts of all collections of one database.
#[derive(Debug, Clone)]
pub(super) struct StateDir {
    dir: PathBuf,
}

impl StateDir {
    pub(super) fn new(dir: PathBuf) -> StateDir {
        StateDir { dir }
    }

    fn of(&self, collection: &str) -> PathBuf {
        self.dir.join(collection)
    }

    /// A build that has not got to its end yet.
    fn unfinished(&self, collection: &str) -> PathBuf {
        self.dir.join(format!("{collection}.new"))
    }

    /// Counts that a finished build has replaced, until they are removed.
    fn replaced(&self, collection: &str) -> PathBuf {
        self.dir.join(format!("{collection}.old"))
    }

    /// The collection's counts, to add to them.
    pub(super) fn open(&self, collection: &str) -> Result<Option<State>, AppError> {
        let (dir, replaced) = (self.of(collection), self.replaced(collection));
        // A run that was killed between two renames has left the old counts under the other name.
        if !dir.exists() && replaced.exists() {
            fs::rename(&replaced, &dir).map_err(|source| CountError::Io {
                doing: "move",
                path: replaced,
                source,
            })?;
        }
        Ok(State::open(&dir)?)
    }

    /// New counts for the collection, beside those that are there: an unfinished build goes on where it was, if it
    /// was about the same files.
    pub(super) fn begin(&self, collection: &str, rules: &Rules, wanted: &[Option<String>]) -> Result<State, AppError> {
        let dir = self.unfinished(collection);
        if let Ok(Some(begun)) = State::open(&dir) {
            let sources = begun.sources();
            let same_files = sources.len() <= wanted.len()
                && sources
                    .iter()
                    .zip(wanted)
                    .all(|(source, wanted)| wanted.is_some() && source.fingerprint == *wanted);
            if same_files && begun.check_rules(rules).is_ok() {
                return Ok(begun);
            }
        }
        Ok(State::create(&dir, rules.clone())?)
    }

    /// Puts the new counts in the place of the old ones.
    pub(super) fn finish(&self, collection: &str) -> Result<State, AppError> {
        let (new, old, gone) = (
            self.unfinished(collection),
            self.of(collection),
            self.replaced(collection),
        );
        let doing = |doing: &'static str, path: &Path| {
            let path = path.to_owned();
            move |source| AppError::Count(CountError::Io { doing, path, source })
        };
        remove(&gone).map_err(doing("clear", &gone))?;
        match fs::rename(&old, &gone) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(doing("move", &old)(error)),
            _ => {}
        }
        fs::rename(&new, &old).map_err(doing("move", &new))?;
        remove(&gone).map_err(doing("clear", &gone))?;
        State::open(&old)?
            .ok_or_else(|| AppError::Corrupt(format!("{} has just been written and is gone", old.display())))
    }

    /// The other collections that were counted here, by name.
    pub(super) fn others(&self, collection: &str) -> Result<Vec<(String, State)>, AppError> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => {
                let path = self.dir.clone();
                return Err(CountError::Io {
                    doing: "read",
                    path,
                    source,
                }
                .into());
            }
        };
        let mut others = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name == collection || name.ends_with(".new") || name.ends_with(".old") {
                continue;
            }
            if let Some(state) = State::open(&entry.path())? {
                others.push((name, state));
            }
        }
        others.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(others)
    }
}

fn remove(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lie_beside_their_database() {
        let cases = [
            ("tabiya.db", "tabiya.db.counts"),
            ("sqlite:data/x.db", "data/x.db.counts"),
            ("sqlite:///tmp/x.db?mode=rwc", "/tmp/x.db.counts"),
            (
                "postgres://me:secret@host:5432/openings?sslmode=disable",
                "openings.counts",
            ),
            ("postgres://me:secret@host", "postgres.counts"),
        ];
        for (database, dir) in cases {
            assert_eq!(default_state_dir(database), PathBuf::from(dir), "{database}");
        }
    }
}

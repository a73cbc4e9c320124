//! Where the counts of a database's collections lie.

use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use tabiya_counts::{CountError, Rules, State};
use tabiya_store::{ServerPlace, file_of, server_of};

use crate::{AppError, lock::Lock};

/// Beside the database: `tabiya.db.counts`. For a database on a server it is in the current directory: `NAME.counts` for one on this
/// machine, `NAME@HOST.counts` for another.
pub fn default_state_dir(database: &str) -> PathBuf {
    if let Some(place) = server_of(database) {
        return state_dir_of(&place);
    }
    let mut name = file_of(database)
        .unwrap_or_else(|| "tabiya-memory".into())
        .into_os_string();
    name.push(".counts");
    name.into()
}

/// The directory for a database on a server. Another server's is never the one with the plain name, be that there or not: two databases
/// of one name would be counted into each other.
fn state_dir_of(place: &ServerPlace) -> PathBuf {
    const USUAL_PORT: u16 = 5432;
    let host = place.host.as_deref().unwrap_or("localhost");
    let is_here = ["", "localhost", "127.0.0.1", "::1", "[::1]"].contains(&host);
    let host = if is_here { "localhost" } else { host };
    let allowed = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let host = host.replace(|c| !allowed(c), "-");
    // Names in other letters stay apart.
    let name = place.database.replace(['/', '\\'], "-");
    PathBuf::from(match place.port {
        USUAL_PORT if is_here => format!("{name}.counts"),
        USUAL_PORT => format!("{name}@{host}.counts"),
        port => format!("{name}@{host}-{port}.counts"),
    })
}

/// Whether a collection may be called so. Its directory is, so there are no dots and slashes.
pub(super) fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= 64 && name.chars().all(allowed)
}

const LOCK: &str = ".lock";

/// No other build uses the directory as long as this is there.
#[derive(Debug)]
pub(super) struct Held {
    _lock: Option<Lock>,
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

    pub(super) fn path(&self) -> &Path {
        &self.dir
    }

    /// Keeps other builds away.
    pub(super) fn hold(&self) -> Result<Held, AppError> {
        let path = self.dir.join(LOCK);
        fs::create_dir_all(&self.dir).map_err(cannot("create", &self.dir))?;
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        match Lock::take(file.map_err(cannot("open", &path))?) {
            Ok(lock) => Ok(Held { _lock: Some(lock) }),
            Err(TryLockError::WouldBlock) => Err(AppError::CountsInUse { dir: self.dir.clone() }),
            // There are disks that know no locks, and they were good enough so far.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(Held { _lock: None }),
            Err(TryLockError::Error(error)) => Err(cannot("lock", &path)(error)),
        }
    }

    /// Whether anything was ever counted for the collection.
    pub(super) fn has(&self, collection: &str) -> bool {
        self.of(collection).exists() || self.replaced(collection).exists()
    }

    /// Whether they can be added to, as far as that is seen without going through them. Nothing is moved: another build may be using them.
    pub(super) fn is_whole(&self, collection: &str) -> bool {
        let dir = self.of(collection);
        let dir = if dir.exists() { dir } else { self.replaced(collection) };
        matches!(State::open(&dir), Ok(Some(_)))
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
        self.mend(collection)?;
        Ok(State::open(&self.of(collection))?)
    }

    /// A run that was killed between two renames has left the old counts under the other name.
    fn mend(&self, collection: &str) -> Result<(), AppError> {
        let (dir, replaced) = (self.of(collection), self.replaced(collection));
        if dir.exists() || !replaced.exists() {
            return Ok(());
        }
        fs::rename(&replaced, &dir).map_err(cannot("move", &replaced))
    }

    /// New counts for the collection, beside those that are there: an unfinished build goes on where it was, if it
    /// was about the same files.
    pub(super) fn begin(&self, collection: &str, rules: &Rules, wanted: &[Option<String>]) -> Result<State, AppError> {
        let dir = self.unfinished(collection);
        if let Ok(Some(begun)) = State::open(&dir) {
            // Not place by place: a file of which nothing counts is not committed, nor is one that is named twice.
            let mut rest = wanted.iter();
            let mut counted = begun.sources().iter();
            let same_files = counted.all(|source| rest.any(|wanted| wanted.is_some() && source.fingerprint == *wanted));
            // Where nothing was counted yet, nothing is lost by beginning anew, and every file is told about again.
            if begun.games() > 0 && same_files && begun.check_rules(rules).is_ok() {
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
        remove(&gone).map_err(cannot("clear", &gone))?;
        match fs::rename(&old, &gone) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot("move", &old)(error)),
            _ => {}
        }
        fs::rename(&new, &old).map_err(cannot("move", &new))?;
        remove(&gone).map_err(cannot("clear", &gone))?;
        State::open(&old)?
            .ok_or_else(|| AppError::Corrupt(format!("{} has just been written and is gone", old.display())))
    }

    /// The other collections that were counted here, by name. Whatever else lies here is left alone.
    pub(super) fn others(&self, collection: &str) -> Result<Vec<(String, State)>, AppError> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(cannot("read", &self.dir)(error)),
        };
        let mut names = BTreeSet::new();
        for entry in entries {
            let entry = entry.map_err(cannot("read", &self.dir))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let name = name.strip_suffix(".old").unwrap_or(&name);
            if name != collection && is_name(name) && entry.path().is_dir() {
                names.insert(name.to_owned());
            }
        }
        let mut others = Vec::new();
        for name in names {
            match self.open(&name) {
                Ok(Some(state)) => others.push((name, state)),
                Ok(None) => {}
                Err(AppError::Count(CountError::NotACount { .. })) if !State::is_at(&self.of(&name)) => {}
                Err(AppError::Count(
                    source @ (CountError::NotACount { .. } | CountError::Damaged { .. } | CountError::Older { .. }),
                )) => {
                    return Err(AppError::OtherCounts {
                        dir: self.of(&name),
                        collection: name,
                        source: Box::new(source),
                    });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(others)
    }
}

fn cannot(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> AppError {
    let path = path.to_owned();
    move |source| CountError::Io { doing, path, source }.into()
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
            ("a?b.db", "a?b.db.counts"),
            ("sqlite:data/x.db", "data/x.db.counts"),
            ("sqlite::memory:", "tabiya-memory.counts"),
            ("sqlite:///tmp/x.db?mode=rwc", "/tmp/x.db.counts"),
            (
                "postgres://me:secret@localhost:5432/openings?sslmode=disable",
                "openings.counts",
            ),
            (
                "postgres://me@other:5432/x?host=/run/postgresql&dbname=openings",
                "openings.counts",
            ),
            (
                "postgres://me@localhost:5432/openings?port=5433",
                "openings@localhost-5433.counts",
            ),
            (
                "postgres://localhost:5432/openings?sslmode=disable&host=host",
                "openings@host.counts",
            ),
            ("postgresql://me:secret@host:5432/openings", "openings@host.counts"),
            (
                "postgres://db.example.org:5433/openings",
                "openings@db.example.org-5433.counts",
            ),
        ];
        for (database, dir) in cases {
            assert_eq!(default_state_dir(database), PathBuf::from(dir), "{database}");
        }
    }

    /// What a URL leaves out, the environment says.
    #[test]
    fn every_database_on_a_server_has_a_directory_of_its_own() {
        let dir = |host: Option<&str>, port, database: &str| {
            state_dir_of(&ServerPlace {
                host: host.map(str::to_owned),
                port,
                database: database.to_owned(),
            })
        };
        assert_eq!(dir(None, 5432, "me"), PathBuf::from("me.counts"));
        assert_eq!(dir(Some("[::1]"), 5432, "me"), PathBuf::from("me.counts"));
        assert_eq!(dir(None, 5433, "me"), PathBuf::from("me@localhost-5433.counts"));
        assert_eq!(dir(None, 5432, "дебюты"), PathBuf::from("дебюты.counts"));
        assert_eq!(
            dir(Some("fe80::1"), 5432, "a/../b"),
            PathBuf::from("a-..-b@fe80--1.counts")
        );
    }
}

//! What a state directory holds, said in one file that is replaced as a whole.

use std::{fs, io, path::Path};

use serde::{Deserialize, Serialize};

use crate::{CountError, departure::PARTITIONS};

const FORMAT: &str = "tabiya-counts";
/// From 2 on what is known of a game is kept with the game, not with each of its departures; from 3 on all departures are in one file;
/// from 4 on months begin with the year 1400.
pub(crate) const VERSION: u32 = 4;
const FILE: &str = "manifest.json";

/// Which games were counted and how far. Counts can only be added up if these are the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    pub max_ply: u32,
    pub min_elo: Option<u16>,
    pub since: Option<String>,
    pub until: Option<String>,
}

impl std::fmt::Display for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "to ply {}", self.max_ply)?;
        if let Some(elo) = self.min_elo {
            write!(f, ", from {elo} Elo")?;
        }
        if let Some(since) = &self.since {
            write!(f, ", since {since}")?;
        }
        if let Some(until) = &self.until {
            write!(f, ", until {until}")?;
        }
        Ok(())
    }
}

/// A file of games or of partial counts that is in the sums.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedSource {
    pub name: String,
    /// `None` for what cannot be recognised again, such as standard input.
    pub fingerprint: Option<String>,
    pub games: u64,
    pub counted: u64,
    pub duplicates: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: String,
    version: u32,
    pub(crate) rules: Rules,
    pub(crate) sources: Vec<CountedSource>,
    /// The files of games behind those of the sources that are partial counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) merged: Vec<CountedSource>,
    pub(crate) games: u32,
    pub(crate) header_bytes: u64,
    /// How many pieces departures lie in.
    pub(crate) pieces: u64,
    /// Bytes of each partition's departures.
    pub(crate) departures: Vec<u64>,
    pub(crate) tallies: Vec<u64>,
    /// Games that are only in the tallies.
    pub(crate) tallied_games: u64,
    /// What all tallies are told apart by, as in `year,speed`; none where there are no tallies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tallied_facets: Option<String>,
    /// Bytes of texts; none where texts are not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) texts: Option<Vec<u64>>,
}

impl Manifest {
    pub(crate) fn new(rules: Rules) -> Manifest {
        Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            rules,
            sources: Vec::new(),
            merged: Vec::new(),
            games: 0,
            header_bytes: 0,
            pieces: 0,
            departures: vec![0; PARTITIONS],
            tallies: vec![0; PARTITIONS],
            tallied_games: 0,
            tallied_facets: None,
            texts: None,
        }
    }

    /// `None` where there is none.
    pub(crate) fn read(dir: &Path) -> Result<Option<Manifest>, CountError> {
        let path = dir.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(err) => return Err(CountError::io("read", path)(err)),
        };
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let not_ours = |why: String| CountError::NotACount {
            path: path.clone(),
            why,
        };
        let head: Head = serde_json::from_str(&text).map_err(|err| not_ours(err.to_string()))?;
        if head.format != FORMAT {
            return Err(not_ours(format!("its format is {:?}", head.format)));
        }
        if head.version > VERSION {
            return Err(CountError::Newer {
                path,
                found: head.version,
                known: VERSION,
            });
        }
        if head.version < VERSION {
            return Err(CountError::Older { path });
        }
        let manifest: Manifest = serde_json::from_str(&text).map_err(|err| not_ours(err.to_string()))?;
        let texts = manifest.texts.as_ref().map_or(PARTITIONS, Vec::len);
        if [manifest.departures.len(), manifest.tallies.len(), texts] != [PARTITIONS; 3] {
            return Err(not_ours("it has another number of parts".to_owned()));
        }
        Ok(Some(manifest))
    }

    pub(crate) fn remove(dir: &Path) -> io::Result<()> {
        match fs::remove_file(dir.join(FILE)) {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    pub(crate) fn write(&self, dir: &Path) -> Result<(), CountError> {
        let (path, fresh) = (dir.join(FILE), dir.join("manifest.json.new"));
        let text = serde_json::to_string(self).map_err(|error| CountError::io("write", &fresh)(error.into()))?;
        fs::write(&fresh, text).map_err(CountError::io("write", &fresh))?;
        fs::rename(&fresh, &path).map_err(CountError::io("replace", path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State;

    #[test]
    fn counts_of_an_older_version_are_not_read_and_can_be_counted_again() {
        let dir = tempfile::tempdir().expect("a directory");
        let rules = Rules {
            max_ply: 40,
            min_elo: None,
            since: None,
            until: None,
        };
        drop(State::create(dir.path(), rules.clone()).expect("a new state"));
        let path = dir.path().join(FILE);
        let text = fs::read_to_string(&path).expect("a manifest");
        let now = format!("\"version\":{VERSION}");
        assert!(text.contains(&now), "{text}");
        let before = format!("\"version\":{}", VERSION - 1);
        fs::write(&path, text.replace(&now, &before)).expect("room on the disk");

        let refused = State::open(dir.path()).expect_err("another layout");
        assert!(matches!(refused, CountError::Older { .. }), "{refused}");
        drop(State::create(dir.path(), rules).expect("a new state in its place"));
        assert!(State::open(dir.path()).expect("readable").is_some());
    }
}

//! `doctor`: looks at everything that other verbs need, and says what to do about what is wrong.

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
};

use serde::Serialize;
use shakmaty::Chess;
use tabiya_chess::SearchLimit;
use tabiya_engine::{Answer, NotDone, Search};
use tabiya_store::{Store, StoreError, file_of};

use crate::{AppError, check_database, engines::EngineSettings, thousands};

/// Below this much room a build may not end well.
const LITTLE_ROOM: u64 = 2 << 30;

/// How long an engine is let run to see how fast it is.
const TRIAL: SearchLimit = SearchLimit::millis(500);

#[derive(Debug, Clone, Serialize)]
pub struct DoctorReport {
    pub findings: Vec<Finding>,
    /// Whether nothing is broken.
    pub healthy: bool,
}

/// What was looked at, and what was seen.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    pub what: &'static str,
    pub state: Health,
    pub says: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    Fine,
    /// It works, and could be better.
    Warning,
    Broken,
}

impl Finding {
    fn fine(what: &'static str, says: impl Into<String>) -> Finding {
        Finding {
            what,
            state: Health::Fine,
            says: says.into(),
            hints: Vec::new(),
        }
    }

    fn warning(what: &'static str, says: impl Into<String>, hint: &str) -> Finding {
        Finding {
            state: Health::Warning,
            hints: vec![hint.to_owned()],
            ..Finding::fine(what, says)
        }
    }

    fn broken(what: &'static str, error: &AppError) -> Finding {
        let mut says = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            let cause_says = cause.to_string();
            if !says.contains(&cause_says) {
                says = format!("{says}: {cause_says}");
            }
            source = cause.source();
        }
        Finding {
            state: Health::Broken,
            hints: error.hints(),
            ..Finding::fine(what, says)
        }
    }
}

/// Looks at the program, the engine, the database and the disk. No database is made; one of an older schema is brought up to
/// date, as by every verb that opens it.
pub async fn doctor(database: &str, engine: &EngineSettings, bind: SocketAddr) -> DoctorReport {
    let mut findings = vec![program()];
    findings.push(look_at_engine(engine).await);
    findings.extend(look_at_database(database).await);
    findings.extend(disk(database));
    findings.push(port(bind));
    let healthy = findings.iter().all(|finding| finding.state != Health::Broken);
    DoctorReport { findings, healthy }
}

fn program() -> Finding {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let says = format!(
        "tabiya {} on {} {}, {cores} cores",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    Finding::fine("program", says)
}

async fn look_at_engine(settings: &EngineSettings) -> Finding {
    let found = match settings.probe().await {
        Ok(found) => found,
        Err(error) => return Finding::broken("engine", &error),
    };
    let (path, id) = found;
    let pool = match settings.start().await {
        Ok(pool) => pool,
        Err(error) => return Finding::broken("engine", &error),
    };
    let trial = Search {
        position: Chess::default(),
        limit: TRIAL,
        multipv: 1,
    };
    let mut answer = pool.analyse(trial.clone()).await;
    if let Answer::Done(_) = answer {
        // Now it has loaded, or compiled, all that it needs.
        answer = pool.analyse(trial).await;
    }
    pool.stop(crate::engines::LAST_WORDS).await;
    let speed = match answer {
        Answer::Done(analysis) => analysis.nodes * 1000 / analysis.millis.max(1),
        Answer::Quarantined { reason, .. } | Answer::NotDone(NotDone::NoEngine(reason)) => {
            return useless(&path, &reason);
        }
        Answer::NotDone(NotDone::Stopped) => return useless(&path, "it gave no answer"),
    };
    let says = format!("{id} at {}, {} thousand nodes a second", path.display(), speed / 1000);
    match id.warning() {
        Some(_) => Finding::warning(
            "engine",
            says,
            "it is old: Stockfish 16 or newer sees more in the same time; name one with --engine or TABIYA_ENGINE",
        ),
        None => Finding::fine("engine", says),
    }
}

/// An engine that starts and cannot be used.
fn useless(path: &Path, reason: &str) -> Finding {
    Finding {
        state: Health::Broken,
        hints: vec!["name another engine with --engine or TABIYA_ENGINE".to_owned()],
        ..Finding::fine(
            "engine",
            format!("{} cannot think about the initial position: {reason}", path.display()),
        )
    }
}

async fn look_at_database(database: &str) -> Vec<Finding> {
    if let Err(AppError::NoDatabase { path }) = check_database(database) {
        return vec![Finding::warning(
            "database",
            format!("{path} is not there yet"),
            "`tabiya import` and `tabiya build` make it, or name another with --db or TABIYA_DB",
        )];
    }
    let store = match Store::connect(database).await {
        Ok(store) => store,
        Err(error) => return vec![Finding::broken("database", &AppError::from(error))],
    };
    let findings = match contents(&store).await {
        Ok(findings) => findings,
        Err(error) => vec![Finding::broken("database", &error)],
    };
    store.close().await;
    findings
}

async fn contents(store: &Store) -> Result<Vec<Finding>, AppError> {
    let about = store.about().await?;
    let size = about
        .bytes
        .map_or_else(String::new, |bytes| format!(", {} MB", thousands(bytes / 1_000_000)));
    let says = format!("{} ({}, schema {}{size})", store.name(), about.server, about.schema);
    let mut findings = vec![Finding::fine("database", says)];
    let coverage = match store.evaluation_coverage().await {
        // Neither is a knowledge base's own database, and nothing is wrong with it.
        Err(StoreError::Projection { .. }) => {
            let says = "a copy of a knowledge base: the database that it was made of says what is in it";
            findings.push(Finding::fine("knowledge", says));
            return Ok(findings);
        }
        Err(StoreError::IdentityMismatch { stored, .. }) => {
            let says = format!(
                "none: positions are told apart by `{stored}` here, and a knowledge base needs another database"
            );
            findings.push(Finding::fine("knowledge", says));
            return Ok(findings);
        }
        known => known?,
    };
    findings.push(if coverage.nodes == 0 {
        Finding::warning(
            "knowledge",
            "there is no knowledge base in it yet",
            "`tabiya build all --pgn FILES` makes one",
        )
    } else {
        Finding::fine(
            "knowledge",
            format!(
                "{} positions, {} of them evaluated",
                thousands(coverage.nodes),
                thousands(coverage.evaluated)
            ),
        )
    });
    let quarantined = store.quarantined().await?.len();
    if quarantined > 0 {
        findings.push(Finding::warning(
            "quarantine",
            format!("no engine could answer {} positions", thousands(quarantined as u64)),
            "`tabiya build annotate --retry-quarantined` tries them again",
        ));
    }
    Ok(findings)
}

/// Whether `serve` could listen where it does unless the command line says otherwise.
fn port(place: SocketAddr) -> Finding {
    let other = SocketAddr::new(place.ip(), place.port().checked_add(1).unwrap_or(8000));
    match TcpListener::bind(place) {
        Ok(_) => Finding::fine("port", format!("{place} is free for `tabiya serve`")),
        Err(error) => Finding {
            hints: vec![
                format!("if it is not your own server: `tabiya serve --bind {other}`, `make run BIND={other}`"),
                "`ss -ltnp` shows whose it is, on macOS `lsof -nP -iTCP -sTCP:LISTEN`".to_owned(),
            ],
            ..Finding::warning("port", format!("{place} cannot be listened on: {error}"), "")
        },
    }
}

/// Room where the database lies, and where temporary files do.
fn disk(database: &str) -> Vec<Finding> {
    let mut places: Vec<PathBuf> = Vec::new();
    if let Some(file) = file_of(database) {
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        places.push(parent.unwrap_or(Path::new(".")).to_owned());
    }
    places.push(std::env::temp_dir());
    places.iter().filter_map(|place| room(place)).collect()
}

#[cfg(unix)]
fn room(place: &Path) -> Option<Finding> {
    let about = rustix::fs::statvfs(place).ok()?;
    let free = about.f_bavail * about.f_frsize;
    let says = format!("{:.1} GB free in {}", free as f64 / 1e9, place.display());
    Some(if free < LITTLE_ROOM {
        Finding::warning(
            "disk",
            says,
            "a build keeps about 0.7 kB for each game; make room, or name another place with --db and --state",
        )
    } else {
        Finding::fine("disk", says)
    })
}

#[cfg(not(unix))]
fn room(_place: &Path) -> Option<Finding> {
    None
}

#[cfg(test)]
mod tests {
    use tabiya_store::{Identity, StoreOptions};

    use super::*;

    #[tokio::test]
    async fn a_database_without_room_for_a_knowledge_base_is_no_patient() {
        let options = StoreOptions {
            identity: Some(Identity::FullFen),
            ..StoreOptions::default()
        };
        let store = Store::connect_with("sqlite::memory:", options)
            .await
            .expect("a database");
        let findings = contents(&store).await.expect("findings");
        let seen: Vec<(&str, Health)> = findings.iter().map(|finding| (finding.what, finding.state)).collect();
        assert_eq!(
            seen,
            [("database", Health::Fine), ("knowledge", Health::Fine)],
            "{findings:?}"
        );
    }
}

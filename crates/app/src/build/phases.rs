//! What has been done to a database, so that it need not be done again.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Serialize, de::DeserializeOwned};
use tabiya_store::{Collection, Store};

use crate::AppError;

/// A phase of the build by its name in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phase(String);

const EXPAND: &str = "expand:";

/// Those that are done with the graph as the others leave it.
const READERS: [&str; 2] = ["structures", "transpositions"];

/// The mark of a phase that has begun.
#[derive(Debug)]
pub(super) struct Begun(String);

impl Phase {
    pub(super) fn eco() -> Phase {
        Phase("eco".to_owned())
    }

    pub(super) fn expand(collection: &str) -> Phase {
        Phase(format!("{EXPAND}{collection}"))
    }

    /// Which explorer the answers of a collection are from, and what was asked for; it is said before the first of them.
    pub(super) fn explorer(collection: &str) -> Phase {
        Phase(format!("explorer:{collection}"))
    }

    /// Never recorded: a corpus is checked as often as it is asked for.
    pub(super) fn validation() -> Phase {
        Phase("validation".to_owned())
    }

    pub(super) fn structures() -> Phase {
        Phase("structures".to_owned())
    }

    pub(super) fn transpositions() -> Phase {
        Phase("transpositions".to_owned())
    }
}

/// The report of a phase that was done with the very same input.
pub(super) async fn done<R: DeserializeOwned>(
    store: &Store,
    phase: &Phase,
    input: Option<&str>,
) -> Result<Option<R>, AppError> {
    let record = store.phase(&phase.0).await?;
    Ok(record
        .filter(|record| Some(record.input.as_str()) == input)
        .and_then(|record| serde_json::from_value(record.figures).ok()))
}

/// What a phase was done with, whatever came of it.
pub(super) async fn input(store: &Store, phase: &Phase) -> Result<Option<String>, AppError> {
    Ok(store.phase(&phase.0).await?.map(|record| record.input))
}

pub(super) async fn record(
    store: &Store,
    phase: &Phase,
    input: Option<&str>,
    report: &impl Serialize,
) -> Result<(), AppError> {
    let figures = serde_json::to_value(report).unwrap_or_default();
    Ok(store
        .record_phase(&phase.0, input.unwrap_or_default(), &figures)
        .await?)
}

/// Notes that a phase has begun that reads the graph; see [`record_undisturbed`].
pub(super) async fn begin(store: &Store, phase: &Phase) -> Result<Begun, AppError> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let begun = Begun(format!("begun by {} at {}", std::process::id(), since.as_nanos()));
    record(store, phase, Some(&begun.0), &()).await?;
    Ok(begun)
}

/// Records a phase, unless the graph was changed since it began: then it was done with what is no longer there.
pub(super) async fn record_undisturbed(
    store: &Store,
    phase: &Phase,
    begun: &Begun,
    input: Option<&str>,
    report: &impl Serialize,
) -> Result<(), AppError> {
    let figures = serde_json::to_value(report).unwrap_or_default();
    store
        .finish_phase(&phase.0, &begun.0, input.unwrap_or_default(), &figures)
        .await?;
    Ok(())
}

/// Forgets what was done with the graph as it was, once it has changed. Whoever reads it at the same time may have read it
/// before.
pub(super) async fn graph_changed(store: &Store) -> Result<(), AppError> {
    Ok(store.forget_phases(&READERS).await?)
}

/// Forgets this phase and what stands on it, before it is done anew.
pub(super) async fn forget_after(store: &Store, phase: &Phase) -> Result<(), AppError> {
    let mut names = vec![phase.0.as_str()];
    names.extend(READERS);
    let expanded: Vec<String> = match phase.0.as_str() {
        "eco" => store
            .collections()
            .await?
            .into_iter()
            .map(|known| format!("{EXPAND}{}", known.name))
            .collect(),
        _ => Vec::new(),
    };
    names.extend(expanded.iter().map(String::as_str));
    Ok(store.forget_phases(&names).await?)
}

/// Forgets the expansions with other settings than these: an expansion leaves all collections with its own.
pub(super) async fn forget_expansions_but(
    store: &Store,
    collections: &[Collection],
    settings: &str,
) -> Result<(), AppError> {
    for collection in collections {
        let name = Phase::expand(&collection.name).0;
        let record = store.phase(&name).await?;
        if record.is_some_and(|record| !record.input.ends_with(settings)) {
            store.forget_phases(&[&name]).await?;
        }
    }
    Ok(())
}

/// Forgets the expansions of these collections.
pub(super) async fn forget_expansions(store: &Store, collections: &[Collection]) -> Result<(), AppError> {
    for collection in collections {
        forget(store, &Phase::expand(&collection.name)).await?;
    }
    Ok(())
}

/// Forgets one phase.
pub(super) async fn forget(store: &Store, phase: &Phase) -> Result<(), AppError> {
    Ok(store.forget_phases(&[&phase.0]).await?)
}

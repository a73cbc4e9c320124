//! `build all`: every phase, one after the other, leaving out what is done.

use std::{fs, io, path::Path};

use pgn_import::Input;
use serde::Serialize;
use tabiya_counts::CountError;

use super::expand::check_database_of;
use super::{
    AnnotateReport, AnnotateRequest, AuditReport, EcoReport, EcoRequest, ExpandReport, ExpandRequest, Step, Steps,
    StructuresReport, TranspositionsReport, annotate, audit, eco, expand, structures, transpositions,
};
use crate::{AppError, interrupt};

#[derive(Debug, Clone, Serialize)]
pub struct BuildReport {
    pub eco: EcoReport,
    pub expand: ExpandReport,
    /// `None` where nobody asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotate: Option<AnnotateReport>,
    pub structures: StructuresReport,
    pub transpositions: TranspositionsReport,
    pub audit: AuditReport,
}

/// Runs all phases. Each is whole in itself, so a run that is interrupted is gone on with by the next. What cannot be done
/// is found before the first of them changes anything.
pub async fn build_all(
    names: &EcoRequest,
    games: &ExpandRequest,
    engines: Option<&AnnotateRequest>,
    steps: &Steps,
) -> Result<BuildReport, AppError> {
    check(games, engines).await?;
    // Every phase that is done stays done, whichever of them the user stopped.
    let go_on = || interrupt::go_on(&games.stop).map_err(|_| CountError::Stopped);
    let eco = eco(names, steps).await?;
    go_on()?;
    let expand = expand(games, steps).await?;
    go_on()?;
    let annotate = match engines {
        Some(request) => {
            steps.begin(Step::Annotate);
            Some(annotate(request, |event| steps.engine_event(event)).await?)
        }
        None => None,
    };
    if annotate.as_ref().is_some_and(|report| report.interrupted) {
        return Err(CountError::Stopped.into());
    }
    let structures = structures(&games.database, steps).await?;
    go_on()?;
    let transpositions = transpositions(&games.database, steps).await?;
    go_on()?;
    Ok(BuildReport {
        eco,
        expand,
        annotate,
        structures,
        transpositions,
        audit: audit(&games.database, steps).await?,
    })
}

/// Names and books are read before anything is written; this is about the phases behind them.
async fn check(games: &ExpandRequest, engines: Option<&AnnotateRequest>) -> Result<(), AppError> {
    for input in super::expand::inputs(games)? {
        if let Input::Path(path) = &input {
            can_be_read(path).map_err(|source| AppError::Unreadable {
                input: input.to_string(),
                source,
            })?;
        }
    }
    if let Some(request) = engines {
        request.check()?;
        super::annotate::cloud(request)?;
        request.engine.probe().await?;
    }
    // Last: a database that is opened may be brought to this program's form.
    check_database_of(games).await
}

/// A named pipe is opened once, by whoever reads it: to open it is to wait for a writer, who is lost when it is closed again.
fn can_be_read(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        fs::File::open(path)?;
    }
    Ok(())
}

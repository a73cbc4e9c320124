//! `build all`: every phase, one after the other, leaving out what is done.

use serde::Serialize;

use super::{
    AnnotateReport, AnnotateRequest, AuditReport, EcoReport, EcoRequest, ExpandReport, ExpandRequest, Step, Steps,
    StructuresReport, TranspositionsReport, annotate, audit, eco, expand, structures, transpositions,
};
use crate::AppError;

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

/// Runs all phases. Each is whole in itself, so a run that is interrupted is gone on with by the next.
pub async fn build_all(
    names: &EcoRequest,
    games: &ExpandRequest,
    engines: Option<&AnnotateRequest>,
    steps: &Steps,
) -> Result<BuildReport, AppError> {
    let eco = eco(names, steps).await?;
    let expand = expand(games, steps).await?;
    let annotate = match engines {
        Some(request) => {
            steps.begin(Step::Annotate);
            Some(annotate(request, |event| steps.engine_event(event)).await?)
        }
        None => None,
    };
    if annotate.as_ref().is_some_and(|report| report.interrupted) {
        return Err(AppError::Interrupted);
    }
    Ok(BuildReport {
        eco,
        expand,
        annotate,
        structures: structures(&games.database, steps).await?,
        transpositions: transpositions(&games.database, steps).await?,
        audit: audit(&games.database, steps).await?,
    })
}

//! `build all`: every phase, one after the other, leaving out what is done.

use serde::Serialize;

use super::{
    AuditReport, EcoReport, EcoRequest, ExpandReport, ExpandRequest, Steps, StructuresReport, TranspositionsReport,
    audit, eco, expand, structures, transpositions,
};
use crate::AppError;

#[derive(Debug, Clone, Serialize)]
pub struct BuildReport {
    pub eco: EcoReport,
    pub expand: ExpandReport,
    pub structures: StructuresReport,
    pub transpositions: TranspositionsReport,
    pub audit: AuditReport,
}

/// Runs all phases. Each is whole in itself, so a run that is interrupted is gone on with by the next.
pub async fn build_all(names: &EcoRequest, games: &ExpandRequest, steps: &Steps) -> Result<BuildReport, AppError> {
    Ok(BuildReport {
        eco: eco(names, steps).await?,
        expand: expand(games, steps).await?,
        structures: structures(&games.database, steps).await?,
        transpositions: transpositions(&games.database, steps).await?,
        audit: audit(&games.database, steps).await?,
    })
}

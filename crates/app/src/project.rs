//! `project`: the knowledge base as a graph in Neo4j.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tabiya_store::{ProjectOptions, project as write};
pub use tabiya_store::{ProjectPhase, ProjectReport, ProjectWatch, Written};

use crate::{AppError, database};

/// What to copy, and where to.
#[derive(Debug, Clone)]
pub struct ProjectRequest {
    /// A knowledge base in SQLite or PostgreSQL.
    pub database: String,
    /// `neo4j://user:password@host:7687`.
    pub to: String,
    /// Set by whoever wants it to end; what was written stays.
    pub stop: Arc<AtomicBool>,
}

/// Writes what is new or changed since the last time, and removes what went.
pub async fn project(request: &ProjectRequest, watch: ProjectWatch<'_>) -> Result<ProjectReport, AppError> {
    let source = database::open(&request.database).await?;
    let options = ProjectOptions {
        stop: Arc::clone(&request.stop),
        ..ProjectOptions::default()
    };
    let written = write(&source, &request.to, &options, watch).await;
    source.close().await;
    Ok(written?)
}

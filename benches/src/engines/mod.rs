//! Engines: what feeding them costs, and what their memory is worth among related positions.

mod bare;
mod feeding;
mod positions;
mod reuse;

use std::path::Path;

use anyhow::Result;
use tabiya_engine::{EngineConfig, find_engine};

use crate::{corpus::Corpus, report::Report, setting::Setting};

/// Everything that needs an engine; without one it is left out.
pub(crate) fn engines(asked: Option<&Path>, corpus: &Corpus, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    let engine = match (find_engine(asked), asked) {
        (Ok(engine), _) => EngineConfig::new(engine),
        (Err(error), Some(_)) => return Err(error.into()),
        (Err(error), None) => {
            report.heading("Engines");
            report.note(&format!("Left out: {error}"));
            return Ok(());
        }
    };
    feeding::feeding(&engine, setting, report)?;
    reuse::reuse(&engine, corpus, setting, report)
}

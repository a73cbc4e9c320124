//! What a build is at, for whoever shows it.

use std::sync::Arc;

use pgn_import::Watcher;

use super::annotate::AnnotateEvent;

/// The steps of a build, each of which takes a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Openings,
    Count,
    Sort,
    Store,
    Names,
    Crawl,
    Validate,
    Annotate,
    Structures,
    Transpositions,
    Audit,
}

impl Step {
    /// In words: what is being done.
    pub fn doing(self) -> &'static str {
        match self {
            Step::Openings => "entering opening names",
            Step::Count => "counting games",
            Step::Sort => "sorting what was counted",
            Step::Store => "storing the graph",
            Step::Names => "naming positions",
            Step::Crawl => "asking the explorer",
            Step::Validate => "checking against the corpus",
            Step::Annotate => "asking engines",
            Step::Structures => "naming pawn structures",
            Step::Transpositions => "linking transpositions",
            Step::Audit => "checking everything",
        }
    }
}

/// Told about each step as it begins, and about the files that are read.
#[derive(Clone, Default)]
pub struct Steps {
    told: Option<Arc<dyn Fn(Step) + Send + Sync>>,
    watcher: Option<Watcher>,
    engines: Option<Arc<EngineWatcher>>,
}

/// Told what engines do.
type EngineWatcher = dyn Fn(AnnotateEvent<'_>) + Send + Sync;

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Steps").finish_non_exhaustive()
    }
}

impl Steps {
    pub fn new(told: impl Fn(Step) + Send + Sync + 'static, watcher: Option<Watcher>) -> Steps {
        Steps {
            told: Some(Arc::new(told)),
            watcher,
            engines: None,
        }
    }

    /// Tells somebody what engines do, too.
    #[must_use]
    pub fn with_engines(self, told: impl Fn(AnnotateEvent<'_>) + Send + Sync + 'static) -> Steps {
        Steps {
            engines: Some(Arc::new(told)),
            ..self
        }
    }

    pub(super) fn engine_event(&self, event: AnnotateEvent<'_>) {
        if let Some(told) = &self.engines {
            told(event);
        }
    }

    pub(super) fn begin(&self, step: Step) {
        if let Some(told) = &self.told {
            told(step);
        }
    }

    pub(super) fn watcher(&self) -> Option<Watcher> {
        self.watcher.clone()
    }
}

//! What a store answers beyond the rows it was given.

use crate::rows::clean;

/// How much is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub positions: u64,
    pub edges: u64,
    pub repertoire_edges: u64,
    pub tactics: u64,
    pub rejects: u64,
}

/// Which tactics are wanted; all of them by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TacticFilter<'a> {
    /// Those with this tag.
    pub tag: Option<&'a str>,
    /// Those from this source.
    pub source: Option<&'a str>,
}

/// What tactics can be asked for, each with how many there are, the most frequent first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TacticThemes {
    pub tags: Vec<(String, u64)>,
    pub sources: Vec<(String, u64)>,
}

/// One repertoire and its size.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepertoireSummary {
    pub owner: String,
    pub repertoire_key: String,
    pub edges: u64,
}

/// One move of a repertoire, with what writing it as PGN needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepertoireMove {
    pub parent_id: u64,
    pub parent_fen: String,
    pub move_uci: String,
    pub move_san: String,
    pub child_id: u64,
    pub child_fen: String,
    /// The parent's distance from the root.
    pub ply: u32,
}

impl TacticThemes {
    pub(crate) fn of(tags: Vec<(String, i64)>, sources: Vec<(String, i64)>) -> TacticThemes {
        let counted = |rows: Vec<(String, i64)>| {
            let rows = rows.into_iter();
            rows.map(|(text, count)| (text, count.cast_unsigned())).collect()
        };
        TacticThemes {
            tags: counted(tags),
            sources: counted(sources),
        }
    }

    /// Whether there can be a tactic that is wanted.
    pub fn has(&self, wanted: TacticFilter<'_>) -> bool {
        let is_among = |what: Option<&str>, all: &[(String, u64)]| {
            // They are stored so.
            what.map(clean)
                .is_none_or(|what| all.iter().any(|(theirs, _)| *theirs == *what))
        };
        is_among(wanted.tag, &self.tags) && is_among(wanted.source, &self.sources)
    }
}

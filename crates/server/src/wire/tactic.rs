//! Tactics.

use serde::Serialize;
use tabiya_app::explore::{Tactic, TacticThemes};
use utoipa::ToSchema;

/// Some tactics, and where the next are.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tactics<'a> {
    pub tactics: Vec<TacticEntry<'a>>,
    /// What `after` has to be for the next; null where there are none.
    pub next: Option<String>,
}

/// A position with the moves that solve it.
#[derive(Debug, Serialize, ToSchema)]
pub struct TacticEntry<'a> {
    /// A number of up to 20 digits, as text because JavaScript would round it.
    #[schema(example = "9914513921843725012")]
    pub id: String,
    pub fen: &'a str,
    /// In UCI, both sides' moves; the first is the solver's.
    pub moves: &'a [String],
    pub tags: &'a [String],
    pub source: Option<&'a str>,
}

/// What tactics can be asked for, the most frequent first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Themes<'a> {
    pub motifs: Vec<Theme<'a>>,
    pub sources: Vec<Theme<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Theme<'a> {
    #[schema(example = "fork")]
    pub name: &'a str,
    pub tactics: u64,
}

impl<'a> Tactics<'a> {
    pub fn of(tactics: &'a [Tactic], more: bool) -> Tactics<'a> {
        Tactics {
            next: tactics.last().filter(|_| more).map(|last| last.id.to_string()),
            tactics: tactics
                .iter()
                .map(|tactic| TacticEntry {
                    id: tactic.id.to_string(),
                    fen: &tactic.fen,
                    moves: &tactic.pv_uci,
                    tags: &tactic.tags,
                    source: tactic.source_hint.as_deref(),
                })
                .collect(),
        }
    }
}

impl<'a> Themes<'a> {
    pub fn of(themes: &'a TacticThemes) -> Themes<'a> {
        let named = |rows: &'a [(String, u64)]| {
            let rows = rows.iter();
            rows.map(|(name, tactics)| Theme {
                name,
                tactics: *tactics,
            })
            .collect()
        };
        Themes {
            motifs: named(&themes.tags),
            sources: named(&themes.sources),
        }
    }
}

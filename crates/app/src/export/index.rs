//! The list of a directory's files: for readers to choose from, for us to know what is ours.

use serde::{Deserialize, Serialize};

use super::files::INDEX;

/// The version of this file, and of what it lists.
const VERSION: u32 = 1;

/// `index.json`. It has no date and no place in it, so the same database gives the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) tabiya_export: u32,
    pub(super) format: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) collection: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) repertoire: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) eco: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) max_depth: Option<u16>,
    #[serde(default)]
    pub(super) min_games: u64,
    pub(super) files: Vec<ExportedFile>,
}

/// A file that was written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExportedFile {
    pub file: String,
    /// What it is about; absent for tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eco: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<String>,
    /// Nodes, moves, book entries or rows.
    pub entries: u64,
    /// Half-moves below the opening's own position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u16>,
    /// Whether it would have gone deeper, had it fitted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub depth_cut: bool,
    pub bytes: u64,
}

impl Index {
    pub(super) fn new(format: &str) -> Index {
        Index {
            tabiya_export: VERSION,
            format: format.to_owned(),
            collection: None,
            repertoire: None,
            eco: None,
            max_depth: None,
            min_games: 0,
            files: Vec::new(),
        }
    }

    #[cfg(test)]
    pub(super) fn of_names(format: &str, names: &[&str]) -> Index {
        let files = names.iter().map(|name| ExportedFile {
            file: (*name).to_owned(),
            ..ExportedFile::default()
        });
        Index {
            files: files.collect(),
            ..Index::new(format)
        }
    }

    /// `None` for anything that is not a list of ours.
    pub(super) fn read(bytes: &[u8]) -> Option<Index> {
        serde_json::from_slice(bytes).ok()
    }

    pub(super) fn json(&self) -> Vec<u8> {
        // Plain values with text keys can always be written.
        let mut json = serde_json::to_vec_pretty(self).unwrap_or_default();
        json.push(b'\n');
        json
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files
            .iter()
            .map(|file| file.file.as_str())
            .filter(|name| *name != INDEX)
    }
}

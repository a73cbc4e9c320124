//! What rows of partial counts must have in common to be added up.

use serde::{Deserialize, Serialize};
use tabiya_chess::FacetKinds;
use tabiya_counts::Rules;

/// The version of the table's layout.
pub(super) const VERSION: u32 = 1;

/// How a part was counted. It stands in every row as JSON, which costs a column of one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRules {
    pub rules: Rules,
    pub facets: FacetKinds,
}

#[derive(Serialize, Deserialize)]
struct Written {
    version: u32,
    #[serde(flatten)]
    rules: Rules,
    facets: String,
}

/// Why a text is not how a part was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BadRules {
    Newer(u32),
    Unreadable(String),
}

impl PartRules {
    /// The same bytes for the same rules on every machine, so that rows can be grouped by them.
    pub(super) fn to_text(&self) -> String {
        let written = Written {
            version: VERSION,
            rules: self.rules.clone(),
            facets: self.facets.to_string(),
        };
        // Plain values with text keys can always be written.
        serde_json::to_string(&written).unwrap_or_default()
    }

    pub(super) fn from_text(text: &str) -> Result<PartRules, BadRules> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let unreadable = |error: serde_json::Error| BadRules::Unreadable(error.to_string());
        let head: Head = serde_json::from_str(text).map_err(unreadable)?;
        if head.version > VERSION {
            return Err(BadRules::Newer(head.version));
        }
        let written: Written = serde_json::from_str(text).map_err(unreadable)?;
        let facets = written
            .facets
            .parse()
            .map_err(|error| BadRules::Unreadable(format!("{error}")))?;
        Ok(PartRules {
            rules: written.rules,
            facets,
        })
    }
}

impl std::fmt::Display for PartRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.rules)?;
        if self.facets.any() {
            write!(f, ", by {}", self.facets)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_come_back_and_newer_ones_are_refused() {
        let rules = PartRules {
            rules: Rules {
                max_ply: 51,
                min_elo: Some(2200),
                since: Some("1999-07".to_owned()),
                until: None,
            },
            facets: FacetKinds {
                year: true,
                ..FacetKinds::default()
            },
        };
        let text = rules.to_text();
        assert_eq!(
            text,
            r#"{"version":1,"max_ply":51,"min_elo":2200,"since":"1999-07","until":null,"facets":"year"}"#
        );
        assert_eq!(PartRules::from_text(&text), Ok(rules.clone()));
        assert_eq!(
            PartRules::from_text(&text.replace("\"version\":1", "\"version\":2")),
            Err(BadRules::Newer(2))
        );
        assert!(matches!(
            PartRules::from_text("to ply 51"),
            Err(BadRules::Unreadable(_))
        ));
        assert_eq!(rules.to_string(), "to ply 51, from 2200 Elo, since 1999-07, by year");
    }
}

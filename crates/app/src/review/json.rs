//! One JSON document, in three pieces, so that nobody has to hold all games at a time.

use serde_json::json;
use tabiya_chess::SearchLimit;

use super::{
    judge::Rules,
    report::{FailedGame, FileSummary, GameReview},
};

/// Changes when a field is renamed, removed or means something else; docs/review.schema.json describes it.
pub const VERSION: u32 = 1;

/// Everything but games.
#[derive(Debug, Clone)]
pub struct Document {
    pub rules: Rules,
    /// Whose lines they are.
    pub source: String,
    /// None where lines were recorded.
    pub limit: Option<SearchLimit>,
    pub multipv: Option<u8>,
}

impl Document {
    /// What stands before the first game.
    pub fn head(&self) -> String {
        let thresholds = &self.rules.thresholds;
        let mates = &thresholds.mates;
        let head = json!({
            "version": VERSION,
            "ruleSet": self.rules.rules.as_str(),
            "thresholds": {
                "best": thresholds.best,
                "excellent": thresholds.excellent,
                "okay": thresholds.okay,
                "inaccuracy": thresholds.inaccuracy,
                "mistake": thresholds.mistake,
                "critical": thresholds.critical,
                "winning": thresholds.winning,
                "lichessInaccuracy": thresholds.lichess_inaccuracy,
                "lichessMistake": thresholds.lichess_mistake,
                "lichessBlunder": thresholds.lichess_blunder,
                "mateSlowerExcellent": mates.slower_excellent,
                "mateSlowerOkay": mates.slower_okay,
                "mateTurnedBlunder": mates.turned_blunder,
                "mateLostExcellent": mates.lost_excellent,
                "mateLostOkay": mates.lost_okay,
                "mateLostInaccuracy": mates.lost_inaccuracy,
                "mateLostMistake": mates.lost_mistake,
                "mateAllowedBlunder": mates.allowed_blunder,
                "mateAllowedMistake": mates.allowed_mistake,
                "lichessMateInaccuracy": mates.lichess_inaccuracy,
                "lichessMateMistake": mates.lichess_mistake,
            },
            "theory": self.rules.theory.as_str(),
            "noiseMargin": self.rules.margin,
            "source": self.source,
            "limit": self.limit.map(|limit| limit.to_string()),
            "multiPv": self.multipv,
        });
        let mut text = head.to_string();
        // The object goes on.
        text.pop();
        text.push_str(",\"games\":[");
        text
    }

    /// A game, with what divides it from the one before.
    pub fn game(&self, review: &GameReview, is_first: bool) -> Result<String, serde_json::Error> {
        let gap = if is_first { "\n" } else { ",\n" };
        Ok(format!("{gap}{}", serde_json::to_string(review)?))
    }

    /// What stands behind the last game.
    pub fn tail(&self, failures: &[FailedGame], summary: &FileSummary, interrupted: bool) -> String {
        format!(
            "\n],\"failures\":{},\"summary\":{},\"interrupted\":{interrupted}}}\n",
            json!(failures),
            json!(summary)
        )
    }
}

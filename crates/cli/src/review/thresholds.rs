//! The section `[review.thresholds]`: where one class ends and the next begins.

use serde::{Deserialize, Serialize};
use tabiya_chess::{MateThresholds, Thresholds};

/// Every key of it. What is absent is as the rules say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ThresholdKeys {
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excellent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    okay: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inaccuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mistake: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    critical: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winning: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lichess_inaccuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lichess_mistake: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lichess_blunder: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate_slower_excellent: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate_slower_okay: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate_turned_blunder: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate_lost_excellent: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate_lost_okay: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate_lost_inaccuracy: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate_lost_mistake: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate_allowed_blunder: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate_allowed_mistake: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lichess_mate_inaccuracy: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lichess_mate_mistake: Option<i32>,
}

impl ThresholdKeys {
    pub(super) fn over(&self, usual: Thresholds) -> Thresholds {
        let mates = usual.mates;
        Thresholds {
            best: self.best.unwrap_or(usual.best),
            excellent: self.excellent.unwrap_or(usual.excellent),
            okay: self.okay.unwrap_or(usual.okay),
            inaccuracy: self.inaccuracy.unwrap_or(usual.inaccuracy),
            mistake: self.mistake.unwrap_or(usual.mistake),
            critical: self.critical.unwrap_or(usual.critical),
            winning: self.winning.unwrap_or(usual.winning),
            lichess_inaccuracy: self.lichess_inaccuracy.unwrap_or(usual.lichess_inaccuracy),
            lichess_mistake: self.lichess_mistake.unwrap_or(usual.lichess_mistake),
            lichess_blunder: self.lichess_blunder.unwrap_or(usual.lichess_blunder),
            mates: MateThresholds {
                slower_excellent: self.mate_slower_excellent.unwrap_or(mates.slower_excellent),
                slower_okay: self.mate_slower_okay.unwrap_or(mates.slower_okay),
                turned_blunder: self.mate_turned_blunder.unwrap_or(mates.turned_blunder),
                lost_excellent: self.mate_lost_excellent.unwrap_or(mates.lost_excellent),
                lost_okay: self.mate_lost_okay.unwrap_or(mates.lost_okay),
                lost_inaccuracy: self.mate_lost_inaccuracy.unwrap_or(mates.lost_inaccuracy),
                lost_mistake: self.mate_lost_mistake.unwrap_or(mates.lost_mistake),
                allowed_blunder: self.mate_allowed_blunder.unwrap_or(mates.allowed_blunder),
                allowed_mistake: self.mate_allowed_mistake.unwrap_or(mates.allowed_mistake),
                lichess_inaccuracy: self.lichess_mate_inaccuracy.unwrap_or(mates.lichess_inaccuracy),
                lichess_mistake: self.lichess_mate_mistake.unwrap_or(mates.lichess_mistake),
            },
        }
    }
}

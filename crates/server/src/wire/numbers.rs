//! Numbers as people read them.

/// Percent with two decimals at most.
pub(super) fn percent(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}

/// A part of a whole in percent; `None` of nothing.
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| percent(part as f64 * 100.0 / whole as f64))
}

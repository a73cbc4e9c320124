//! What must hold.

use std::fmt;

use crate::clock::QUIET;

/// A promise and what was measured.
#[derive(Debug, Clone)]
pub(crate) struct Floor {
    pub(crate) what: String,
    pub(crate) measured: f64,
    pub(crate) bound: Bound,
    pub(crate) unit: &'static str,
    /// The share of the machine that others used meanwhile, where that can make the difference.
    pub(crate) others: Option<f64>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    AtLeast(f64),
    Below(f64),
}

impl Floor {
    pub(crate) fn holds(&self) -> bool {
        match self.bound {
            Bound::AtLeast(least) => self.measured >= least,
            Bound::Below(most) => self.measured < most,
        }
    }
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.holds() { "PASS" } else { "FAIL" };
        let (sign, bound) = match self.bound {
            Bound::AtLeast(least) => ("≥", least),
            Bound::Below(most) => ("<", most),
        };
        let (measured, unit) = (shown(self.measured), self.unit);
        write!(
            f,
            "{verdict}  {}: {measured}{unit} (floor {sign} {}{unit})",
            self.what,
            shown(bound)
        )?;
        match self.others {
            Some(others) if others > QUIET && !self.holds() => {
                write!(f, ", while others used {:.0} % of the machine", others * 100.0)
            }
            _ => Ok(()),
        }
    }
}

/// Two digits behind the point where they matter, none where they do not.
fn shown(number: f64) -> String {
    if number < 100.0 {
        format!("{number:.2}")
    } else {
        format!("{number:.0}")
    }
}

//! The figures that divide one class from the next.

/// Where one class ends and the next begins. The defaults are those of the rules; users may have their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Less expected points lost than this is best.
    pub best: f64,
    /// … excellent.
    pub excellent: f64,
    /// … okay.
    pub okay: f64,
    /// … an inaccuracy.
    pub inaccuracy: f64,
    /// … a mistake; anything else is a blunder.
    pub mistake: f64,
    /// A move is critical if the second best would have lost so many expected points.
    pub critical: f64,
    /// Whoever would stand so well with the second best move too needs neither critical moves nor brilliant ones.
    pub winning: i32,
    /// Lichess: the drop in winning chances, from −1 to 1, that is an inaccuracy.
    pub lichess_inaccuracy: f64,
    /// … a mistake.
    pub lichess_mistake: f64,
    /// … a blunder.
    pub lichess_blunder: f64,
    /// Where a mate is in sight before a move or after it.
    pub mates: MateThresholds,
}

/// The figures for moves before or after which somebody mates. Numbers of moves are distances, whoever mates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MateThresholds {
    /// Mates in sight before and after: a distance that is worse by less than so many moves is excellent.
    pub slower_excellent: i32,
    /// … okay; anything else is an inaccuracy.
    pub slower_okay: i32,
    /// Who could mate and is mated instead within so many moves has blundered; later it is a mistake.
    pub turned_blunder: i32,
    /// A mate is given away, and so many centipawns are left: excellent.
    pub lost_excellent: i32,
    /// … okay.
    pub lost_okay: i32,
    /// … an inaccuracy.
    pub lost_inaccuracy: i32,
    /// … a mistake; anything less is a blunder.
    pub lost_mistake: i32,
    /// A mate is allowed within so many moves: a blunder.
    pub allowed_blunder: i32,
    /// … a mistake; anything later is an inaccuracy.
    pub allowed_mistake: i32,
    /// Lichess: a mate is given away for more than so many centipawns, or allowed by who was worse by more than them: an
    /// inaccuracy.
    pub lichess_inaccuracy: i32,
    /// … a mistake; anything else is a blunder.
    pub lichess_mistake: i32,
}

impl Default for MateThresholds {
    fn default() -> MateThresholds {
        MateThresholds {
            slower_excellent: 2,
            slower_okay: 7,
            turned_blunder: 3,
            lost_excellent: 800,
            lost_okay: 400,
            lost_inaccuracy: 200,
            lost_mistake: 0,
            allowed_blunder: 2,
            allowed_mistake: 5,
            lichess_inaccuracy: 999,
            lichess_mistake: 700,
        }
    }
}

impl MateThresholds {
    /// What is wrong with them, if anything.
    fn objection(&self) -> Option<String> {
        let moves = [
            ("mate_slower_excellent", self.slower_excellent),
            ("mate_slower_okay", self.slower_okay),
            ("mate_turned_blunder", self.turned_blunder),
            ("mate_allowed_blunder", self.allowed_blunder),
            ("mate_allowed_mistake", self.allowed_mistake),
        ];
        if let Some((name, value)) = moves.iter().find(|(_, value)| *value < 0) {
            return Some(format!("the threshold `{name}` is {value}; it is a number of moves"));
        }
        [
            &moves[..2],
            &moves[3..],
            &[
                ("mate_lost_mistake", self.lost_mistake),
                ("mate_lost_inaccuracy", self.lost_inaccuracy),
                ("mate_lost_okay", self.lost_okay),
                ("mate_lost_excellent", self.lost_excellent),
            ],
            &[
                ("lichess_mate_mistake", self.lichess_mistake),
                ("lichess_mate_inaccuracy", self.lichess_inaccuracy),
            ],
        ]
        .into_iter()
        .find_map(crossed)
    }
}

/// Two neighbours of a row that should rise and does not.
fn crossed<T: PartialOrd + std::fmt::Display>(row: &[(&str, T)]) -> Option<String> {
    row.windows(2).find_map(|pair| {
        let ((lower, low), (upper, high)) = (&pair[0], &pair[1]);
        (low > high).then(|| format!("the threshold `{lower}` is {low}, more than `{upper}`, which is {high}"))
    })
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            best: 0.01,
            excellent: 0.045,
            okay: 0.08,
            inaccuracy: 0.12,
            mistake: 0.22,
            critical: 0.10,
            winning: 700,
            lichess_inaccuracy: 0.1,
            lichess_mistake: 0.2,
            lichess_blunder: 0.3,
            mates: MateThresholds::default(),
        }
    }
}

impl Thresholds {
    /// What is wrong with them, if anything: each class has to begin where the one before ends, or later.
    #[must_use]
    pub fn objection(&self) -> Option<String> {
        let rows: [&[(&str, f64)]; 3] = [
            &[
                ("best", self.best),
                ("excellent", self.excellent),
                ("okay", self.okay),
                ("inaccuracy", self.inaccuracy),
                ("mistake", self.mistake),
            ],
            &[
                ("lichess_inaccuracy", self.lichess_inaccuracy),
                ("lichess_mistake", self.lichess_mistake),
                ("lichess_blunder", self.lichess_blunder),
            ],
            &[("critical", self.critical)],
        ];
        for row in rows {
            if let Some((name, value)) = row.iter().find(|(_, value)| !(0.0..=2.0).contains(value)) {
                return Some(format!(
                    "the threshold `{name}` is {value}; it must lie between 0 and 2"
                ));
            }
            if let Some(objection) = crossed(row) {
                return Some(objection);
            }
        }
        self.mates.objection()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_sound_and_others_must_be() {
        let usual = Thresholds::default();
        assert_eq!(usual.objection(), None);
        let crossed = Thresholds { okay: 0.5, ..usual };
        assert!(crossed.objection().is_some_and(|text| text.contains("`okay` is 0.5")));
        let negative = Thresholds { best: -0.1, ..usual };
        assert!(negative.objection().is_some_and(|text| text.contains("`best`")));
        let not_a_number = Thresholds {
            critical: f64::NAN,
            ..usual
        };
        assert!(not_a_number.objection().is_some());
    }

    #[test]
    fn figures_of_mates_must_be_sound_too() {
        let objection = |mates: MateThresholds| {
            Thresholds {
                mates,
                ..Thresholds::default()
            }
            .objection()
            .unwrap_or_default()
        };
        let usual = MateThresholds::default();
        assert_eq!(objection(usual), "");
        let crossed = objection(MateThresholds {
            lost_okay: 900,
            ..usual
        });
        assert!(
            crossed.contains("`mate_lost_okay` is 900, more than `mate_lost_excellent`"),
            "{crossed}"
        );
        let negative = objection(MateThresholds {
            turned_blunder: -3,
            ..usual
        });
        assert!(negative.contains("`mate_turned_blunder` is -3"), "{negative}");
        let crossed = objection(MateThresholds {
            allowed_blunder: 6,
            ..usual
        });
        assert!(crossed.contains("`mate_allowed_mistake`"), "{crossed}");
        let crossed = objection(MateThresholds {
            lichess_inaccuracy: 1,
            ..usual
        });
        assert!(crossed.contains("`lichess_mate_mistake`"), "{crossed}");
    }
}

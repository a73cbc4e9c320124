//! What is known to be wrong with the archives, as data. Lichess publishes it beside them.

use std::fmt;

use tabiya_chess::Variant;

use super::Month;

/// The months in which something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first month; none for as far back as there are archives.
    pub from: Option<(u16, u8)>,
    /// The last month.
    pub until: (u16, u8),
    /// As people write it.
    pub words: &'static str,
}

/// Which archives are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichVariants {
    All,
    /// Chess960 alone.
    Chess960,
    /// All but standard chess.
    AllButStandard,
}

/// What is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The month is not read.
    Skip,
    /// Games whose result contradicts their last position are left out, which is the default.
    CheckResults,
    /// Evaluations of the games are wrong. They are not used unless they are asked for.
    MindEvaluations,
    /// Too rare to matter.
    Ignore,
}

/// Something that is wrong with archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownIssue {
    pub span: Span,
    pub variants: WhichVariants,
    pub what: &'static str,
    pub action: Action,
}

const fn issue(
    from: Option<(u16, u8)>,
    until: (u16, u8),
    words: &'static str,
    variants: WhichVariants,
    what: &'static str,
    action: Action,
) -> KnownIssue {
    KnownIssue {
        span: Span { from, until, words },
        variants,
        what,
        action,
    }
}

/// The whole table.
#[rustfmt::skip]
pub const KNOWN_ISSUES: [KnownIssue; 10] = [
    issue(Some((2023, 11)), (2023, 11), "November 2023", WhichVariants::Chess960,
        "rematches have invalid castling rights", Action::Skip),
    issue(Some((2021, 3)), (2021, 3), "March 12, 2021", WhichVariants::All,
        "incorrect results after a fire in the data centre", Action::Skip),
    issue(Some((2021, 2)), (2021, 2), "February 9, 2021", WhichVariants::All,
        "resignations after the game had ended", Action::CheckResults),
    issue(Some((2020, 12)), (2021, 1), "December 2020 to January 2021", WhichVariants::AllButStandard,
        "variants were analysed with the wrong network", Action::Skip),
    issue(Some((2020, 7)), (2020, 8), "July 31 to August 16, 2020", WhichVariants::All,
        "incorrect evaluations of up to 15 plies of the opening", Action::MindEvaluations),
    issue(Some((2016, 12)), (2016, 12), "December 2016, above all the 9th", WhichVariants::All,
        "many incorrect evaluations", Action::MindEvaluations),
    issue(None, (2015, 12), "before 2016", WhichVariants::All,
        "distances to mate may be incorrect", Action::MindEvaluations),
    issue(Some((2020, 6)), (2020, 6), "June 2020", WhichVariants::All,
        "some players played rated games against themselves", Action::Ignore),
    issue(None, (2016, 2), "before March 2016", WhichVariants::All,
        "some players played rated games against themselves", Action::Ignore),
    issue(None, (2016, 8), "up to August 2016", WhichVariants::All,
        "7 illegal castling moves", Action::Ignore),
];

impl KnownIssue {
    /// Whether an archive is concerned.
    #[must_use]
    pub fn concerns(&self, month: Month, variant: Variant) -> bool {
        let bound = |(year, number)| Month::new(year, number);
        let begun = self.span.from.is_none_or(|from| bound(from) <= Some(month));
        let variant = match self.variants {
            WhichVariants::All => true,
            WhichVariants::Chess960 => variant == Variant::Chess960,
            WhichVariants::AllButStandard => variant != Variant::Standard,
        };
        begun && Some(month) <= bound(self.span.until) && variant
    }
}

/// Why an archive is better not read.
#[must_use]
pub fn blocking_issue(month: Month, variant: Variant) -> Option<&'static KnownIssue> {
    let blocks = |issue: &&KnownIssue| issue.action == Action::Skip && issue.concerns(month, variant);
    KNOWN_ISSUES.iter().find(blocks)
}

impl fmt::Display for WhichVariants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            WhichVariants::All => "all",
            WhichVariants::Chess960 => "chess960",
            WhichVariants::AllButStandard => "all but standard",
        })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Action::Skip => "the month is skipped",
            Action::CheckResults => "results are checked against the board",
            Action::MindEvaluations => "safe unless --use-evals",
            Action::Ignore => "ignored",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocked(month: &str, variant: Variant) -> bool {
        blocking_issue(month.parse().expect(month), variant).is_some()
    }

    #[test]
    fn bad_months_are_skipped_for_whom_they_are_bad() {
        assert!(blocked("2021-03", Variant::Standard) && blocked("2021-03", Variant::Chess960));
        assert!(blocked("2023-11", Variant::Chess960) && !blocked("2023-11", Variant::Standard));
        for month in ["2020-12", "2021-01"] {
            assert!(blocked(month, Variant::Chess960) && !blocked(month, Variant::Standard));
        }
        for month in [
            "2020-11", "2021-02", "2021-04", "2023-10", "2023-12", "2016-12", "2013-01",
        ] {
            assert!(
                !blocked(month, Variant::Standard) && !blocked(month, Variant::Chess960),
                "{month}"
            );
        }
    }

    #[test]
    fn issues_reach_as_far_as_they_say() {
        let concerned = |month: &str, action: Action| {
            let month: Month = month.parse().expect(month);
            let issues = KNOWN_ISSUES.iter().filter(|issue| issue.action == action);
            issues.filter(|issue| issue.concerns(month, Variant::Standard)).count()
        };
        assert_eq!(concerned("2013-01", Action::MindEvaluations), 1);
        assert_eq!(concerned("2015-12", Action::MindEvaluations), 1);
        assert_eq!(concerned("2016-01", Action::MindEvaluations), 0);
        assert_eq!(concerned("2020-08", Action::MindEvaluations), 1);
        assert_eq!(concerned("2016-02", Action::Ignore), 2);
        assert_eq!(concerned("2016-08", Action::Ignore), 1);
        assert_eq!(concerned("2021-02", Action::CheckResults), 1);
        assert_eq!(concerned("2024-01", Action::CheckResults), 0);
    }
}

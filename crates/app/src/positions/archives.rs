//! Monthly archives: which are read, and which are better not.

use std::{fmt, path::PathBuf, str::FromStr};

use tabiya_chess::Variant;
use tabiya_lichess::{
    Action, Archive, ArchiveError, ArchiveSite, KNOWN_ISSUES, KnownIssue, Month, Published, blocking_issue,
};

use super::{PositionsError, origin::Origin, progress::Paths, select::Selection};
use crate::AppError;

/// Archives to be read.
#[derive(Debug, Clone)]
pub struct ArchivesRequest {
    /// Where archives lie: `https://database.lichess.org`.
    pub base: String,
    pub months: Vec<Month>,
    pub blocklist: Blocklist,
    /// Where downloads are kept; beside the output, and only until it is whole, where nothing is named.
    pub download_dir: Option<PathBuf>,
    /// Nothing is kept on disk, so that a resumed run downloads again.
    pub stream: bool,
}

/// Months that are not read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Blocklist {
    /// Those that Lichess says are bad.
    #[default]
    Known,
    /// These, of one variant or of all.
    Only(Vec<(Option<Variant>, Month)>),
}

/// Not a list of months.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither `known`, `none` nor a list of months such as 2021-03,chess960:2023-11")]
pub struct ParseBlocklistError(String);

impl FromStr for Blocklist {
    type Err = ParseBlocklistError;

    fn from_str(text: &str) -> Result<Blocklist, ParseBlocklistError> {
        let bad = || ParseBlocklistError(text.to_owned());
        match text.trim() {
            "known" => return Ok(Blocklist::Known),
            "none" | "" => return Ok(Blocklist::Only(Vec::new())),
            _ => {}
        }
        let entry = |entry: &str| {
            let (variant, month) = match entry.split_once(':') {
                None => (None, entry),
                Some((variant, month)) => (Some(variant.trim().parse().map_err(|_| bad())?), month),
            };
            Ok((variant, month.trim().parse().map_err(|_| bad())?))
        };
        text.split(',')
            .map(entry)
            .collect::<Result<_, _>>()
            .map(Blocklist::Only)
    }
}

impl fmt::Display for Blocklist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Blocklist::Known => f.write_str("known"),
            Blocklist::Only(months) if months.is_empty() => f.write_str("none"),
            Blocklist::Only(months) => {
                let entry = |(variant, month): &(Option<Variant>, Month)| match variant {
                    Some(variant) => format!("{variant}:{month}"),
                    None => month.to_string(),
                };
                f.write_str(&months.iter().map(entry).collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl Blocklist {
    /// Why an archive is not read.
    pub fn objection(&self, month: Month, variant: Variant) -> Option<String> {
        match self {
            Blocklist::Known => blocking_issue(month, variant).map(|issue| issue.what.to_owned()),
            Blocklist::Only(months) => {
                let blocked = |(which, blocked): &(Option<Variant>, Month)| {
                    *blocked == month && which.is_none_or(|which| which == variant)
                };
                months.iter().any(blocked).then(|| "it is on the blocklist".to_owned())
            }
        }
    }
}

/// An archive, ready to be downloaded.
#[derive(Debug, Clone)]
pub(super) struct ArchiveOrigin {
    pub(super) site: ArchiveSite,
    pub(super) archive: Archive,
    pub(super) published: Published,
    /// Where a copy is kept.
    pub(super) keep: Option<PathBuf>,
}

/// What was asked for, looked at.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Archives that are read, in the order in which they were named, variant by variant.
    pub(super) origins: Vec<Origin>,
    /// Archives that are not, in words.
    pub(super) left_out: Vec<String>,
    /// What is wrong with those that are, as far as it matters.
    pub(super) warnings: Vec<String>,
}

pub(super) async fn find(request: &ArchivesRequest, selection: &Selection, paths: &Paths) -> Result<Found, AppError> {
    let site = ArchiveSite::new(&request.base)?;
    let mut found = Found::default();
    for variant in &selection.variants {
        for month in &request.months {
            if let Some(reason) = request.blocklist.objection(*month, *variant) {
                found.left_out.push(format!("{variant} {month}: {reason}"));
                continue;
            }
            if selection.rules.use_evals {
                let concerns =
                    |issue: &&KnownIssue| issue.action == Action::MindEvaluations && issue.concerns(*month, *variant);
                let issues = KNOWN_ISSUES.iter().filter(concerns);
                found
                    .warnings
                    .extend(issues.map(|issue| format!("{variant} {month}: {}", issue.what)));
            }
            let archive = site.archive(*variant, *month)?;
            let published = site.published(&archive).await?;
            let name = format!("lichess_db_{variant}_rated_{month}.pgn.zst");
            let directory = request.download_dir.clone().unwrap_or_else(|| paths.download());
            found.origins.push(Origin::Archive(Box::new(ArchiveOrigin {
                site: site.clone(),
                archive,
                published,
                keep: (!request.stream).then(|| directory.join(name)),
            })));
        }
    }
    if found.origins.is_empty() && !found.left_out.is_empty() {
        let reasons = found.left_out.join("; ");
        return Err(PositionsError::AllBlocked { reasons }.into());
    }
    Ok(found)
}

/// The months a server has archives of, oldest first.
pub async fn list_months(base: &str, variant: Variant) -> Result<Vec<Month>, AppError> {
    let archives = ArchiveSite::new(base)?.list(variant).await?;
    Ok(archives.iter().map(|archive| archive.month).collect())
}

/// The archive's own error, where that is what a reader's error is about.
pub(super) fn archive_error(error: std::io::Error) -> Result<AppError, std::io::Error> {
    match error.get_ref().is_some_and(|inner| inner.is::<ArchiveError>()) {
        false => Err(error),
        true => match error.into_inner().map(|inner| inner.downcast::<ArchiveError>()) {
            Some(Ok(inner)) if matches!(*inner, ArchiveError::Cancelled) => Ok(AppError::Interrupted),
            Some(Ok(inner)) => Ok((*inner).into()),
            // It was one a moment ago.
            _ => Err(std::io::ErrorKind::Other.into()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocklists_round_trip_and_replace_the_known_one() {
        for text in ["known", "none", "2021-03", "2021-03,chess960:2023-11"] {
            assert_eq!(text.parse::<Blocklist>().expect(text).to_string(), text);
        }
        assert!("2021".parse::<Blocklist>().is_err());
        let month = |text: &str| text.parse::<Month>().expect(text);
        let own: Blocklist = "chess960:2020-01".parse().expect("a list");
        assert!(own.objection(month("2021-03"), Variant::Standard).is_none());
        assert!(own.objection(month("2020-01"), Variant::Standard).is_none());
        assert!(own.objection(month("2020-01"), Variant::Chess960).is_some());
        assert!(
            Blocklist::Known
                .objection(month("2021-03"), Variant::Standard)
                .is_some()
        );
    }
}

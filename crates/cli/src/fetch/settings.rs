//! The settings of `tabiya fetch` as they are written in a file, in the environment or on the command line.

use std::{path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use tabiya_app::fetch::{Day, Site, SiteUrl};

use super::FetchArgs;
use crate::failure::Failure;

/// Every key of the section `[fetch]`. What is absent is left to the next layer below.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slow_down: Option<u64>,
    lichess: SiteKeys,
    chesscom: SiteKeys,
}

/// What is one site's business: a token that is meant for one must never go to the other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct SiteKeys {
    #[serde(skip_serializing_if = "Option::is_none")]
    base_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_file: Option<PathBuf>,
}

/// The keys a file may have; a test keeps this list and the struct together.
pub(crate) const KEYS: [&str; 8] = [
    "since",
    "until",
    "max",
    "slow_down",
    "lichess.base_url",
    "lichess.token_file",
    "chesscom.base_url",
    "chesscom.token_file",
];

const SLOW_DOWN: u64 = 60;

impl Settings {
    /// What the command line says about the site that is asked.
    pub(super) fn new(arguments: &FetchArgs, site: Site) -> Settings {
        let mut settings = Settings {
            since: arguments.since.map(|day| day.to_string()),
            until: arguments.until.map(|day| day.to_string()),
            max: arguments.max,
            slow_down: arguments.slow_down,
            ..Settings::default()
        };
        *settings.site_mut(site) = SiteKeys {
            base_url: arguments.base_url.clone(),
            token_file: arguments.token_file.clone(),
        };
        settings
    }

    fn site_mut(&mut self, site: Site) -> &mut SiteKeys {
        match site {
            Site::Lichess => &mut self.lichess,
            Site::ChessCom => &mut self.chesscom,
        }
    }

    fn site(&self, site: Site) -> &SiteKeys {
        match site {
            Site::Lichess => &self.lichess,
            Site::ChessCom => &self.chesscom,
        }
    }

    pub(super) fn since(&self) -> Result<Option<Day>, Failure> {
        day("since", self.since.as_deref())
    }

    pub(super) fn until(&self) -> Result<Option<Day>, Failure> {
        day("until", self.until.as_deref())
    }

    pub(super) fn max(&self) -> Result<Option<u64>, Failure> {
        match self.max {
            Some(0) => Err(Failure::usage("configuration: max: 0 games are nothing to fetch")),
            max => Ok(max),
        }
    }

    pub(super) fn slow_down(&self) -> Duration {
        Duration::from_secs(self.slow_down.unwrap_or(SLOW_DOWN))
    }

    /// Who is asked.
    pub(super) fn base(&self, site: Site) -> Result<SiteUrl, Failure> {
        let url = self.site(site).base_url.as_deref().unwrap_or(site.base());
        // What is no URL is not repeated: a password may stand in it.
        SiteUrl::parse(url).map_err(|error| {
            Failure::usage(format!("--base-url is no URL: {error}")).hint("give a URL such as https://lichess.org")
        })
    }

    pub(super) fn token_file(&self, site: Site) -> Option<PathBuf> {
        self.site(site).token_file.clone()
    }
}

/// A day of a file, which nobody has looked at yet.
fn day(key: &str, text: Option<&str>) -> Result<Option<Day>, Failure> {
    text.map(str::parse)
        .transpose()
        .map_err(|error| Failure::usage(format!("configuration: {key}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::assert_keys;

    #[test]
    fn every_key_is_known() {
        let word = || Some("x".to_owned());
        let site = SiteKeys {
            base_url: word(),
            token_file: Some(PathBuf::from("x")),
        };
        let all = Settings {
            since: word(),
            until: word(),
            max: Some(1),
            slow_down: Some(1),
            lichess: site.clone(),
            chesscom: site,
        };
        assert_keys(&all, &KEYS);
    }

    #[test]
    fn what_is_one_site_s_is_not_the_other_s() {
        let text = "[fetch.lichess]\nbase_url = \"http://127.0.0.1:1\"\ntoken_file = \"token\"\n";
        let settings: Settings =
            crate::configuration::from_text("tabiya.toml", text, "fetch", &KEYS).expect("a configuration");
        let base = |site| settings.base(site).expect("a URL").to_string();
        assert_eq!(base(Site::Lichess), "http://127.0.0.1:1/");
        assert_eq!(settings.token_file(Site::Lichess), Some(PathBuf::from("token")));
        assert_eq!(settings.token_file(Site::ChessCom), None);
        assert!(base(Site::ChessCom).starts_with(Site::ChessCom.base()));
    }

    #[test]
    fn days_may_be_dates_or_texts() {
        for text in ["since = 2024-01-31", "since = \"2024-01-31\"", "since = \"2024.1.31\""] {
            let settings: Settings =
                crate::configuration::from_text("own.toml", text, "fetch", &KEYS).expect("a configuration");
            let since = settings.since().expect("a day").map(|day| day.to_string());
            assert_eq!(since.as_deref(), Some("2024-01-31"), "{text}");
        }
    }
}

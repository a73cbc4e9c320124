//! A server with archives: which there are, and what it publishes about them.

use std::time::{Duration, SystemTime};

use reqwest::{Client, Response, StatusCode, Url, redirect};
use rustls::crypto::ring;
use tabiya_chess::Variant;

use super::{ArchiveError, Month};
use crate::service::{Address, Fault, retry_after, shown, transport};

/// So many are followed, one behind the other. Mirrors and those who share their load redirect, and nobody sends a token here.
const MOST_REDIRECTS: usize = 3;

/// As much of a list is read.
const LONGEST_LIST: usize = 4 << 20;

/// A server with archives, under one base URL.
#[derive(Clone, Debug)]
pub struct ArchiveSite {
    base: Url,
    pub(super) client: Client,
}

/// One month of one variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    pub variant: Variant,
    pub month: Month,
    pub url: Url,
}

/// What a server says of an archive beforehand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// In hexadecimal.
    pub sha256: Option<String>,
}

impl ArchiveSite {
    /// Where Lichess keeps its own.
    pub const LICHESS: &'static str = "https://database.lichess.org";

    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::BadUrl`] for what cannot be asked.
    pub fn new(base: &str) -> Result<ArchiveSite, ArchiveError> {
        let bad = |url: String, reason| ArchiveError::BadUrl { url, reason };
        // What is no URL is not repeated: a password may stand in it.
        let url = Url::parse(base).map_err(|_| bad("…".to_owned(), "it is no URL"))?;
        if let Some(reason) = Address(&url).fault() {
            return Err(bad(shown(&url), reason));
        }
        // An error means that the process has a provider already, which is just as good.
        let _ = ring::default_provider().install_default();
        let builder = || {
            let builder = Client::builder()
                .user_agent(concat!("tabiya/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(Duration::from_secs(20))
                // Between two pieces of a body, not for all of it.
                .read_timeout(Duration::from_secs(60))
                .redirect(redirect::Policy::limited(MOST_REDIRECTS))
                .retry(reqwest::retry::never());
            match Address(&url).is_loopback() {
                true => builder.no_proxy(),
                false => builder,
            }
        };
        let client = match builder().build() {
            // Not every machine has certificates to trust. Without any there is no way on to https, and that is all.
            Err(_) if url.scheme() == "http" => builder().tls_certs_only([]).build(),
            built => built,
        };
        let client = client.map_err(|error| ArchiveError::Client(error.into()))?;
        Ok(ArchiveSite { base: url, client })
    }

    /// One month's archive; whether it is there, the download will say.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::BadUrl`] for a base that nothing can follow.
    pub fn archive(&self, variant: Variant, month: Month) -> Result<Archive, ArchiveError> {
        let url = self.below(variant, &format!("lichess_db_{variant}_rated_{month}.pgn.zst"))?;
        Ok(Archive { variant, month, url })
    }

    /// The archives of a variant, oldest first, out of its `list.txt`.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`] if it cannot be had.
    pub async fn list(&self, variant: Variant) -> Result<Vec<Archive>, ArchiveError> {
        let url = self.below(variant, "list.txt")?;
        let text = self
            .text(&url)
            .await?
            .ok_or_else(|| ArchiveError::NotFound { url: shown(&url) })?;
        let mut archives: Vec<Archive> = text
            .lines()
            .filter_map(|line| {
                let url = url.join(line.trim()).ok()?;
                let name = url.path_segments()?.next_back()?.to_owned();
                let month = name.strip_suffix(".pgn.zst")?.rsplit_once('_')?.1.parse().ok()?;
                Some(Archive { variant, month, url })
            })
            .collect();
        archives.sort_by_key(|archive| archive.month);
        archives.dedup_by_key(|archive| archive.month);
        Ok(archives)
    }

    /// The published hash of an archive, out of `sha256sums.txt`. That there is none is no error.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`] if the server cannot be asked.
    pub async fn published(&self, archive: &Archive) -> Result<Published, ArchiveError> {
        let url = self.below(archive.variant, "sha256sums.txt")?;
        let name = archive.url.path_segments().and_then(|mut parts| parts.next_back());
        let sums = self.text(&url).await?.unwrap_or_default();
        let sha256 = sums.lines().find_map(|line| {
            let (hash, file) = line.split_once(char::is_whitespace)?;
            let sound = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            (sound && Some(file.trim().trim_start_matches('*')) == name).then(|| hash.to_ascii_lowercase())
        });
        Ok(Published { sha256 })
    }

    fn below(&self, variant: Variant, name: &str) -> Result<Url, ArchiveError> {
        let mut url = self.base.clone();
        match url.path_segments_mut() {
            Ok(mut segments) => {
                segments.pop_if_empty().push(variant.as_str()).push(name);
            }
            Err(()) => {
                return Err(ArchiveError::BadUrl {
                    url: shown(&self.base),
                    reason: "nothing can lie below it",
                });
            }
        }
        Ok(url)
    }

    /// A small text; nothing where there is none.
    async fn text(&self, url: &Url) -> Result<Option<String>, ArchiveError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.try_text(url).await {
                Err(TextError::Passing(fault)) if tries >= 4 => {
                    return Err(ArchiveError::GivenUp {
                        url: shown(url),
                        tries,
                        fault,
                    });
                }
                Err(TextError::Passing(fault)) => {
                    tracing::warn!(url = shown(url), %fault, "trying again");
                    tokio::time::sleep(Duration::from_millis(250) * 2_u32.pow(tries)).await;
                }
                Err(TextError::Lasting(error)) => return Err(error),
                Ok(text) => return Ok(text),
            }
        }
    }

    async fn try_text(&self, url: &Url) -> Result<Option<String>, TextError> {
        let mut response = self
            .client
            .get(url.clone())
            .send()
            .await
            .map_err(|error| unanswered(url, error))?;
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        check(url, &response)?;
        let mut text = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| TextError::Passing(transport(error)))?
        {
            text.extend_from_slice(&chunk);
            if text.len() > LONGEST_LIST {
                let reason = format!("it has more than {LONGEST_LIST} bytes");
                return Err(TextError::Lasting(ArchiveError::Refused {
                    url: shown(url),
                    reason,
                }));
            }
        }
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }
}

/// Why a text was not had.
pub(super) enum TextError {
    Passing(Fault),
    Lasting(ArchiveError),
}

/// Why there is no answer. Whoever is led in a circle would be led through it again.
pub(super) fn unanswered(url: &Url, error: reqwest::Error) -> TextError {
    if !error.is_redirect() {
        return TextError::Passing(transport(error));
    }
    TextError::Lasting(ArchiveError::Refused {
        url: shown(url),
        reason: format!("it redirects more than {MOST_REDIRECTS} times"),
    })
}

/// Whether an answer is one.
pub(super) fn check(url: &Url, response: &Response) -> Result<(), TextError> {
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    let number = status.as_u16();
    let retry_after = retry_after(response.headers(), SystemTime::now());
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Err(TextError::Passing(Fault::SlowDown { retry_after }));
    }
    if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT {
        return Err(TextError::Passing(Fault::Status {
            status: number,
            retry_after,
        }));
    }
    if status == StatusCode::NOT_FOUND {
        return Err(TextError::Lasting(ArchiveError::NotFound { url: shown(url) }));
    }
    Err(TextError::Lasting(ArchiveError::Refused {
        url: shown(url),
        reason: format!("status {number}"),
    }))
}

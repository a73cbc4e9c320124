//! Asking a server for the rest of a file, and going on where it sends all of it.

use reqwest::{
    Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_RANGE, IF_RANGE, RANGE},
};
use sha2::{Digest, Sha256};

use super::{Download, head::Head, identity::Identity};
use crate::{
    archive::{
        ArchiveError,
        site::{TextError, check, unanswered},
    },
    service::{Fault, shown, transport},
};

impl Download {
    /// Asks for the rest of the file, or for all of it.
    pub(super) async fn ask(&mut self) -> Result<Response, TextError> {
        let mut request = self.site.client.get(self.url.clone());
        if self.offset > 0 {
            request = request.header(RANGE, format!("bytes={}-", self.offset));
            if let Some(condition) = self.identity.as_ref().and_then(Identity::condition) {
                request = request.header(IF_RANGE, condition);
            }
        }
        let mut response = request.send().await.map_err(|error| unanswered(&self.url, error))?;
        let changed = |what: String| {
            TextError::Lasting(ArchiveError::Changed {
                url: shown(&self.url),
                what,
            })
        };
        if response.status() == StatusCode::RANGE_NOT_SATISFIABLE {
            return Err(changed(format!("it has no byte {}", self.offset)));
        }
        check(&self.url, &response)?;
        let partial = response.status() == StatusCode::PARTIAL_CONTENT;
        let total = match partial {
            true => {
                let range = response
                    .headers()
                    .get(CONTENT_RANGE)
                    .and_then(|range| range.to_str().ok());
                let (from, total) = range.and_then(content_range).unwrap_or((0, None));
                if from != self.offset {
                    return Err(changed(format!("byte {from} came instead of {}", self.offset)));
                }
                total
            }
            // Not `content_length()`, which is what is left of the body.
            false => response
                .headers()
                .get(CONTENT_LENGTH)
                .and_then(|length| length.to_str().ok()?.parse().ok()),
        };
        let first = match partial || self.offset == 0 {
            true => None,
            // Before it is compared: a page has another tag and length, as another archive has.
            false => Some(first_bytes(&mut response).await?),
        };
        let identity = Identity::of(response.headers(), total);
        match &self.identity {
            Some(known) => {
                if let Some(what) = known.difference(&identity) {
                    return Err(changed(what));
                }
            }
            None => {
                self.keep_identity(&identity)?;
                self.identity = Some(identity);
            }
        }
        match first {
            Some(first) => self.pass_over(response, first).await,
            None => Ok(response),
        }
    }

    /// The server sends everything again: what is there already is compared and passed over.
    async fn pass_over(&mut self, mut response: Response, first: Vec<u8>) -> Result<Response, TextError> {
        let mut again = Sha256::new();
        let mut left = self.offset;
        let mut bytes = first;
        loop {
            let known = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
            again.update(&bytes[..known]);
            left -= known as u64;
            if left == 0 {
                if again.finalize() != self.hasher.clone().finalize() {
                    return Err(TextError::Lasting(ArchiveError::Changed {
                        url: shown(&self.url),
                        what: format!("its first {} bytes are others", self.offset),
                    }));
                }
                self.ahead = bytes[known..].to_vec();
                return Ok(response);
            }
            bytes = next(&mut response).await?.ok_or_else(|| {
                TextError::Passing(Fault::BrokenOff(
                    format!("{left} bytes before the place to go on from").into(),
                ))
            })?;
        }
    }
}

/// The first bytes of an answer that has all of the archive again. What is there already is not given up for a page that asks
/// for patience, as it would be for another archive.
async fn first_bytes(response: &mut Response) -> Result<Vec<u8>, TextError> {
    let first = next(response).await?.unwrap_or_default();
    match Head::default().fits(&first) {
        true => Ok(first),
        false => {
            let what = "what came then is no archive packed with zstd";
            Err(TextError::Passing(Fault::BrokenOff(what.into())))
        }
    }
}

/// The next bytes of an answer, until it ends.
async fn next(response: &mut Response) -> Result<Option<Vec<u8>>, TextError> {
    let bytes = response.chunk().await;
    let bytes = bytes.map_err(|error| TextError::Passing(transport(error)))?;
    Ok(bytes.map(|bytes| bytes.to_vec()))
}

/// `bytes 5-9/10` as 5 and 10.
fn content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.trim().strip_prefix("bytes")?.trim().split_once('/')?;
    let from = range.split_once('-')?.0.trim().parse().ok()?;
    Some((from, total.trim().parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        assert_eq!(content_range("bytes 5-9/10"), Some((5, Some(10))));
        assert_eq!(content_range("bytes 5-9/*"), Some((5, None)));
        assert_eq!(content_range("items 5-9/10"), None);
        assert_eq!(content_range("bytes */10"), None);
    }
}

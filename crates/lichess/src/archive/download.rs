//! A download that goes on where it broke off.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use reqwest::{
    Response, StatusCode, Url,
    header::{CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderMap, IF_RANGE, LAST_MODIFIED, RANGE},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::{
    ArchiveError, ArchiveSite,
    site::{TextError, check},
};
use crate::service::{Fault, shown, transport};

/// How a download goes about it.
#[derive(Clone, Debug)]
pub struct DownloadOptions {
    /// A copy is kept here, as far as it goes; a later download of the same file goes on behind it. While somebody else keeps
    /// one there it is read if it is whole, and nothing is kept otherwise.
    pub keep: Option<PathBuf>,
    /// The hash the whole must have.
    pub sha256: Option<String>,
    /// Tries in a row without a byte more before it is given up.
    pub max_tries: u32,
    /// The pause after the first failure; doubled with every further one, up to a minute.
    pub first_pause: Duration,
    /// Cancelled when nobody wants it any more.
    pub stop: CancellationToken,
}

impl Default for DownloadOptions {
    fn default() -> DownloadOptions {
        DownloadOptions {
            keep: None,
            sha256: None,
            max_tries: 10,
            first_pause: Duration::from_secs(1),
            stop: CancellationToken::new(),
        }
    }
}

/// How many bytes came over the wire, or were there already.
#[derive(Clone, Debug, Default)]
pub struct Downloaded(Arc<AtomicU64>);

impl Downloaded {
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// What tells whether a file is still the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    etag: Option<String>,
    last_modified: Option<String>,
    total: Option<u64>,
}

impl Identity {
    fn of(headers: &HeaderMap, total: Option<u64>) -> Identity {
        let text = |name| {
            headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned)
        };
        Identity {
            etag: text(ETAG),
            last_modified: text(LAST_MODIFIED),
            total,
        }
    }

    /// What `If-Range` may be asked with: a strong tag, or a date.
    fn condition(&self) -> Option<&str> {
        let strong = self.etag.as_deref().filter(|tag| !tag.starts_with("W/"));
        strong.or(self.last_modified.as_deref())
    }

    /// What differs from an earlier answer, as far as both say it.
    fn difference(&self, other: &Identity) -> Option<String> {
        fn differ<T: PartialEq + std::fmt::Debug>(one: Option<&T>, other: Option<&T>) -> Option<String> {
            match (one, other) {
                (Some(one), Some(other)) if one != other => Some(format!("{one:?} became {other:?}")),
                _ => None,
            }
        }
        differ(self.etag.as_ref(), other.etag.as_ref())
            .map(|what| format!("its ETag {what}"))
            .or_else(|| differ(self.total.as_ref(), other.total.as_ref()).map(|what| format!("its length {what}")))
            .or_else(|| {
                differ(self.last_modified.as_ref(), other.last_modified.as_ref()).map(|what| format!("its date {what}"))
            })
    }
}

/// An archive on its way: a stream of bytes that hides disconnections. It reads blockingly, on a thread outside of the
/// runtime it was made with.
pub struct Download {
    site: ArchiveSite,
    url: Url,
    options: DownloadOptions,
    runtime: Handle,
    /// Bytes handed out, or in the copy before they are.
    offset: u64,
    identity: Option<Identity>,
    hasher: Sha256,
    /// The copy of an earlier run, until it is read to its end.
    copied: Option<File>,
    /// Where new bytes are kept; locked, so that nobody else adds to it.
    copy: Option<File>,
    body: Option<Response>,
    /// Came with bytes that were passed over.
    ahead: Vec<u8>,
    chunk: Vec<u8>,
    given: usize,
    ended: bool,
    downloaded: Downloaded,
}

impl std::fmt::Debug for Download {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Download")
            .field("url", &shown(&self.url))
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

impl Download {
    /// Prepares a download; nothing is sent before it is read from. Call it inside a runtime.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Disk`] if the copy cannot be opened.
    pub fn new(site: &ArchiveSite, url: Url, options: DownloadOptions) -> Result<Download, ArchiveError> {
        let mut download = Download {
            site: site.clone(),
            url,
            options,
            runtime: Handle::current(),
            offset: 0,
            identity: None,
            hasher: Sha256::new(),
            copied: None,
            copy: None,
            body: None,
            ahead: Vec::new(),
            chunk: Vec::new(),
            given: 0,
            ended: false,
            downloaded: Downloaded::default(),
        };
        if let Some(path) = download.options.keep.clone() {
            download.open_copy(&path).map_err(|source| ArchiveError::Disk {
                action: "write",
                path: path.display().to_string(),
                source,
            })?;
        }
        Ok(download)
    }

    /// How far it is: shared, so that somebody else can show it.
    #[must_use]
    pub fn downloaded(&self) -> Downloaded {
        self.downloaded.clone()
    }

    fn open_copy(&mut self, path: &Path) -> io::Result<()> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let copy = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let is_ours = match copy.try_lock() {
            Err(TryLockError::WouldBlock) => false,
            // Where nothing can be locked, everybody has to take care of it.
            Ok(()) | Err(TryLockError::Error(_)) => true,
        };
        let identity: Option<Identity> = fs::read(sidecar(path))
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok());
        if !is_ours {
            let length = copy.metadata()?.len();
            if let Some(identity) = identity.filter(|identity| identity.total == Some(length)) {
                self.identity = Some(identity);
                self.copied = Some(File::open(path)?);
            }
            return Ok(());
        }
        match identity {
            Some(identity) => {
                self.identity = Some(identity);
                self.copied = Some(File::open(path)?);
            }
            // Nobody knows what these bytes are of.
            None => copy.set_len(0)?,
        }
        self.copy = Some(copy);
        Ok(())
    }

    /// The next bytes, in `chunk`. False at the end.
    async fn fill(&mut self) -> Result<bool, ArchiveError> {
        let mut tries = 0;
        loop {
            if self.identity.as_ref().and_then(|known| known.total) == Some(self.offset) && self.body.is_none() {
                return Ok(false);
            }
            let stop = self.options.stop.clone();
            let step = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(ArchiveError::Cancelled),
                step = self.step() => step,
            };
            let fault = match step {
                Ok(Step::Bytes(bytes)) => {
                    self.chunk = bytes;
                    return Ok(true);
                }
                Ok(Step::End) => return Ok(false),
                Ok(Step::Again) => continue,
                Err(TextError::Lasting(error)) => return Err(error),
                Err(TextError::Passing(fault)) => fault,
            };
            self.body = None;
            tries += 1;
            if tries >= self.options.max_tries {
                return Err(ArchiveError::GivenUp {
                    url: shown(&self.url),
                    tries,
                    fault,
                });
            }
            let pause = self.options.first_pause.saturating_mul(1 << (tries - 1).min(10));
            let pause = pause.min(Duration::from_secs(60));
            let pause = pause.max(fault.retry_after().unwrap_or_default());
            tracing::warn!(url = shown(&self.url), %fault, offset = self.offset, "the download broke off; going on");
            tokio::select! {
                () = stop.cancelled() => return Err(ArchiveError::Cancelled),
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    async fn step(&mut self) -> Result<Step, TextError> {
        let Some(body) = &mut self.body else {
            self.ahead.clear();
            self.body = Some(self.ask().await?);
            return Ok(Step::Again);
        };
        if !self.ahead.is_empty() {
            return Ok(Step::Bytes(std::mem::take(&mut self.ahead)));
        }
        match body
            .chunk()
            .await
            .map_err(|error| TextError::Passing(transport(error)))?
        {
            Some(bytes) => Ok(Step::Bytes(bytes.to_vec())),
            None => {
                self.body = None;
                match self.identity.as_ref().and_then(|known| known.total) {
                    // A connection that ends early need not say so.
                    Some(total) if self.offset < total => Err(TextError::Passing(Fault::BrokenOff(
                        format!("{} of {total} bytes came", self.offset).into(),
                    ))),
                    _ => Ok(Step::End),
                }
            }
        }
    }

    /// Asks for the rest of the file, or for all of it.
    async fn ask(&mut self) -> Result<Response, TextError> {
        let mut request = self.site.client.get(self.url.clone());
        if self.offset > 0 {
            request = request.header(RANGE, format!("bytes={}-", self.offset));
            if let Some(condition) = self.identity.as_ref().and_then(Identity::condition) {
                request = request.header(IF_RANGE, condition);
            }
        }
        let response = request
            .send()
            .await
            .map_err(|error| TextError::Passing(transport(error)))?;
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
        if partial || self.offset == 0 {
            return Ok(response);
        }
        self.pass_over(response).await
    }

    /// The server sends everything again: what is there already is compared and passed over.
    async fn pass_over(&mut self, mut response: Response) -> Result<Response, TextError> {
        let mut again = Sha256::new();
        let mut left = self.offset;
        loop {
            let Some(bytes) = response
                .chunk()
                .await
                .map_err(|error| TextError::Passing(transport(error)))?
            else {
                return Err(TextError::Passing(Fault::BrokenOff(
                    format!("{left} bytes before the place to go on from").into(),
                )));
            };
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
        }
    }

    fn keep_identity(&self, identity: &Identity) -> Result<(), TextError> {
        let Some(path) = self.kept() else {
            return Ok(());
        };
        let text = serde_json::to_vec(identity).unwrap_or_default();
        fs::write(sidecar(path), text).map_err(|error| TextError::Lasting(self.disk(error)))
    }

    /// The copy, if it is ours.
    fn kept(&self) -> Option<&Path> {
        self.options.keep.as_deref().filter(|_| self.copy.is_some())
    }

    /// Lets whoever comes next begin anew, where going on would come to the same end.
    fn forget(&self, error: &ArchiveError) {
        let is_other = matches!(error, ArchiveError::Changed { .. } | ArchiveError::WrongHash { .. });
        if let Some(path) = self.kept().filter(|_| is_other) {
            // Where it cannot be removed the next one says the same again.
            let _ = fs::remove_file(sidecar(path));
        }
    }

    fn disk(&self, source: io::Error) -> ArchiveError {
        let path = self.options.keep.clone().unwrap_or_default();
        ArchiveError::Disk {
            action: "write",
            path: path.display().to_string(),
            source,
        }
    }

    /// New bytes: kept first, then handed out.
    fn take(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        if let Some(copy) = &mut self.copy {
            copy.write_all(&bytes)?;
        }
        self.count(&bytes);
        self.chunk = bytes;
        self.given = 0;
        Ok(())
    }

    fn count(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.offset += bytes.len() as u64;
        self.downloaded.0.store(self.offset, Relaxed);
    }

    fn verify(&self) -> Result<(), ArchiveError> {
        let Some(published) = &self.options.sha256 else {
            return Ok(());
        };
        let found: String = self
            .hasher
            .clone()
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        if found.eq_ignore_ascii_case(published) {
            return Ok(());
        }
        Err(ArchiveError::WrongHash {
            url: shown(&self.url),
            found,
            published: published.clone(),
        })
    }

    /// More bytes in `chunk`, or the end.
    fn more(&mut self) -> io::Result<()> {
        if let Some(copied) = &mut self.copied {
            let mut bytes = vec![0; 1 << 16];
            let got = copied.read(&mut bytes)?;
            bytes.truncate(got);
            if got > 0 {
                self.count(&bytes);
                self.chunk = bytes;
                self.given = 0;
                return Ok(());
            }
            self.copied = None;
        }
        self.chunk.clear();
        self.given = 0;
        let runtime = self.runtime.clone();
        let filled = runtime.block_on(self.fill());
        if let Ok(true) = filled {
            let bytes = std::mem::take(&mut self.chunk);
            return self.take(bytes);
        }
        let ended = filled.and_then(|_| {
            self.ended = true;
            self.verify()
        });
        ended.map_err(|error| {
            self.forget(&error);
            io::Error::other(error)
        })
    }
}

enum Step {
    Bytes(Vec<u8>),
    End,
    /// A connection was made.
    Again,
}

impl Read for Download {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.chunk.len() {
            if self.ended || buffer.is_empty() {
                return Ok(0);
            }
            self.more()?;
        }
        let waiting = &self.chunk[self.given..];
        let len = waiting.len().min(buffer.len());
        buffer[..len].copy_from_slice(&waiting[..len]);
        self.given += len;
        Ok(len)
    }
}

/// Beside the copy: what it is a copy of.
fn sidecar(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".identity.json");
    path.with_file_name(name)
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

    #[test]
    fn weak_tags_are_not_asked_with() {
        let identity = Identity {
            etag: Some("W/\"x\"".to_owned()),
            last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".to_owned()),
            total: None,
        };
        assert_eq!(identity.condition(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    }
}

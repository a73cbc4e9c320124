//! A download that goes on where it broke off.

mod copy;
mod head;
mod identity;
mod range;

use std::{
    fs::File,
    io::{self, Read, Write as _},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use reqwest::{Response, Url};
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use self::{head::Head, identity::Identity};
use super::{ArchiveError, ArchiveSite, site::TextError};
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
    head: Head,
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
            head: Head::default(),
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
            let opened = download.open_copy(&path);
            opened.map_err(|source| download.disk("write", source))?;
        }
        Ok(download)
    }

    /// How far it is: shared, so that somebody else can show it.
    #[must_use]
    pub fn downloaded(&self) -> Downloaded {
        self.downloaded.clone()
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
                    self.look_at(&bytes)?;
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
            tracing::warn!(url = shown(&self.url), %fault, offset = self.offset, ?pause, "the download broke off; going on after a pause");
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

    /// Whether these can be the next bytes of the archive. A page to log in, say, comes with the same status, and would be read
    /// as a game that cannot be read: the run would end well, without a position.
    fn look_at(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        let url = || shown(&self.url);
        if !self.head.fits(bytes) {
            return Err(ArchiveError::NotAnArchive { url: url() });
        }
        match self.identity.as_ref().and_then(|known| known.total) {
            // A server that says it goes on, and begins anew.
            Some(total) if self.offset + bytes.len() as u64 > total => Err(ArchiveError::Changed {
                url: url(),
                what: format!("more than its {total} bytes came"),
            }),
            _ => Ok(()),
        }
    }

    /// New bytes: kept first, then handed out.
    fn take(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        if let Some(copy) = &mut self.copy {
            let written = copy.write_all(&bytes);
            written.map_err(|error| io::Error::other(self.disk("write", error)))?;
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
        if !self.head.is_whole() {
            return Err(ArchiveError::NotAnArchive { url: shown(&self.url) });
        }
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
            let got = copied.read(&mut bytes);
            let got = got.map_err(|error| io::Error::other(self.disk("read", error)))?;
            bytes.truncate(got);
            if got > 0 {
                self.look_at(&bytes).map_err(|error| self.ended_by(error))?;
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
        ended.map_err(|error| self.ended_by(error))
    }

    fn ended_by(&self, error: ArchiveError) -> io::Error {
        self.forget(&error);
        io::Error::other(error)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// It is the disk that is at fault, not the address.
    #[tokio::test]
    async fn a_copy_that_takes_no_more_is_named() {
        let directory = tempfile::tempdir().expect("a directory");
        let keep = directory.path().join("archive.zst");
        let url = Url::parse("http://127.0.0.1:9/").expect("a URL");
        let site = ArchiveSite::new(url.as_str()).expect("a site");
        let options = DownloadOptions {
            keep: Some(keep.clone()),
            ..DownloadOptions::default()
        };
        let mut download = Download::new(&site, url, options).expect("a download");
        download.copy = Some(File::open(&keep).expect("a copy that can be read only"));
        let error = Download::take(&mut download, vec![1, 2, 3]).expect_err("nowhere to put it");
        let told = error.downcast::<ArchiveError>().expect("an error of ours");
        assert!(
            matches!(&told, ArchiveError::Disk { action: "write", path, .. } if *path == keep.display().to_string()),
            "{told:?}"
        );
    }
}

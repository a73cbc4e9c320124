//! Where games come from, one source after the other.

use std::{fs::File, io, io::Read};

use pgn_import::{Input, Source, expand_inputs, fingerprint};
use tabiya_lichess::{CancellationToken, Download, DownloadOptions, Downloaded};

use super::{
    archives::{ArchiveOrigin, archive_error},
    hashing::{Hash, Hashing},
    progress::SourceRecord,
};
use crate::AppError;

/// Something with games in it.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    Input(Input),
    Archive(Box<ArchiveOrigin>),
}

/// An opened source, and what will be known of it when it was read.
pub(super) struct Opened {
    pub(super) source: Source,
    pub(super) hash: Hash,
    pub(super) downloaded: Option<Downloaded>,
}

pub(super) fn inputs(named: &[String]) -> Result<Vec<Origin>, AppError> {
    Ok(expand_inputs(named)?.into_iter().map(Origin::Input).collect())
}

impl Origin {
    pub(super) fn name(&self) -> String {
        match self {
            Origin::Input(input) => input.to_string(),
            Origin::Archive(origin) => origin.archive.url.to_string(),
        }
    }

    /// What is known before anything is read.
    pub(super) fn record(&self) -> Result<SourceRecord, AppError> {
        match self {
            Origin::Input(input) => {
                let unreadable = |source| AppError::Unreadable {
                    input: input.to_string(),
                    source,
                };
                let bytes = match input {
                    Input::Stdin => None,
                    Input::Path(path) => {
                        let meta = std::fs::metadata(path).map_err(unreadable)?;
                        meta.is_file().then_some(meta.len())
                    }
                };
                Ok(SourceRecord {
                    name: self.name(),
                    bytes,
                    fingerprint: fingerprint(input).map_err(unreadable)?,
                    ..SourceRecord::default()
                })
            }
            Origin::Archive(origin) => Ok(SourceRecord {
                name: self.name(),
                month: Some(origin.archive.month.to_string()),
                variant: Some(origin.archive.variant.to_string()),
                // A file that was replaced has another one.
                fingerprint: origin.published.sha256.clone(),
                ..SourceRecord::default()
            }),
        }
    }

    /// Opens it and goes to `offset` of its decompressed bytes. Call it inside a runtime. A download ends when `stop` is cancelled.
    pub(super) fn open(&self, offset: u64, stop: CancellationToken) -> Result<Opened, AppError> {
        let name = self.name();
        let mut downloaded = None;
        let (reader, len): (Box<dyn Read + Send>, Option<u64>) = match self {
            Origin::Input(Input::Stdin) => (Box::new(io::stdin()), None),
            Origin::Input(Input::Path(path)) => {
                let file = File::open(path).map_err(|error| unreadable(&name, error))?;
                let meta = file.metadata().map_err(|error| unreadable(&name, error))?;
                let len = meta.is_file().then_some(meta.len());
                (Box::new(file), len)
            }
            Origin::Archive(origin) => {
                let options = DownloadOptions {
                    keep: origin.keep.clone(),
                    sha256: origin.published.sha256.clone(),
                    stop,
                    ..DownloadOptions::default()
                };
                let download = Download::new(&origin.site, origin.archive.url.clone(), options)?;
                downloaded = Some(download.downloaded());
                (Box::new(download), None)
            }
        };
        let (reader, hash) = Hashing::new(reader);
        let source = Source::from_reader(name.clone(), Box::new(reader), len, offset)
            .map_err(|error| unreadable(&name, error))?;
        Ok(Opened {
            source,
            hash,
            downloaded,
        })
    }
}

/// A download has errors of its own, with hints of their own.
pub(super) fn unreadable(name: &str, error: io::Error) -> AppError {
    match archive_error(error) {
        Ok(error) => error,
        Err(source) => AppError::Unreadable {
            input: name.to_owned(),
            source,
        },
    }
}

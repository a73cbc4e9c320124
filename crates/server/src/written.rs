//! Answers that are sent more than once, as gzip too: to pack a large one takes far longer than all the rest of sending it again.

use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use flate2::Compression;

use crate::answer::again;

/// Smaller ones are packed in no time, and there are very many of them.
const LARGE: usize = 4 << 10;

/// JSON that was written once.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    body: Bytes,
    tag: HeaderValue,
    /// Made for the first who takes it.
    packed: Option<Arc<OnceLock<Option<Bytes>>>>,
}

impl Written {
    pub(crate) fn new(body: Bytes, tag: HeaderValue) -> Written {
        Written {
            packed: (body.len() > LARGE).then(Arc::default),
            body,
            tag,
        }
    }

    /// The most that it takes in memory, packed form and all.
    pub(crate) fn weight(&self) -> usize {
        match &self.packed {
            None => self.body.len(),
            Some(_) => self.body.len() + self.body.len() / 2,
        }
    }

    /// The answer as it was written.
    pub(crate) fn plain(self) -> Response {
        again(self.body, self.tag)
    }

    /// The answer, packed for whoever takes gzip.
    pub(crate) fn answer(self, takes_gzip: bool) -> Response {
        let packed = self.packed.as_ref().filter(|_| takes_gzip);
        let packed = packed.and_then(|packed| {
            let pack = || Some(gzip(&self.body, Compression::default())).filter(|one| one.len() <= self.body.len() / 2);
            packed.get_or_init(pack).clone()
        });
        let Some(packed) = packed else { return self.plain() };
        let mut response = again(packed, self.tag);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        // Whoever packs the others says the same of them.
        headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        response
    }
}

/// Whether a client takes gzip.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT_ENCODING);
    let accepts = accepts.and_then(|accepts| accepts.to_str().ok()).unwrap_or_default();
    accepts.split(',').any(|one| {
        let (coding, weight) = one.split_once(';').unwrap_or((one, ""));
        coding.trim().eq_ignore_ascii_case("gzip") && !matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

pub(crate) fn gzip(content: &[u8], level: Compression) -> Bytes {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), level);
    // Memory takes everything.
    let packed = packer.write_all(content).and_then(|()| packer.finish());
    packed.map_or_else(|_| Bytes::new(), |packed| Bytes::from(packed.into_boxed_slice()))
}

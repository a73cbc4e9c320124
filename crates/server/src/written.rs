//! Answers that are sent more than once, as gzip too: to pack a large one takes far longer than all the rest of sending it again.

use std::io::{self, Cursor, Read as _, Write as _};
use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use flate2::Compression;
use flate2::read::GzDecoder;
use futures_util::stream;

use crate::answer::again;

/// Smaller ones are packed in no time, and there are very many of them.
const LARGE: usize = 4 << 10;

/// Larger ones take so long to pack that others would wait for it, and so much room that few could be kept as they are.
const HUGE: usize = 64 << 10;

/// As much of a huge one is unpacked at a time.
const PIECE: usize = 64 << 10;

/// JSON that was written once.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    form: Form,
    tag: HeaderValue,
}

#[derive(Debug, Clone)]
enum Form {
    Small(Bytes),
    /// Packed for the first who takes it.
    Large(Bytes, Arc<OnceLock<Option<Bytes>>>),
    /// Packed alone, with its length before that. For whoever does not take it, hardly anybody, it is unpacked while it is sent.
    Huge(Bytes, usize),
}

impl Written {
    /// Of a huge one this takes a while: see [`Written::make`].
    fn new(body: Bytes, tag: HeaderValue) -> Written {
        let form = if body.len() <= LARGE {
            Form::Small(body)
        } else if body.len() <= HUGE {
            Form::Large(body, Arc::default())
        } else {
            let length = body.len();
            half(&body).map_or(Form::Small(body), |packed| Form::Huge(packed, length))
        };
        Written { form, tag }
    }

    /// Packs a huge one where nobody waits for it but who asked.
    pub(crate) async fn make(body: Bytes, tag: HeaderValue) -> Written {
        if body.len() <= HUGE {
            return Written::new(body, tag);
        }
        let (same, its_tag) = (body.clone(), tag.clone());
        let packed = tokio::task::spawn_blocking(move || Written::new(same, its_tag)).await;
        packed.unwrap_or(Written {
            form: Form::Small(body),
            tag,
        })
    }

    /// The most that it takes in memory, packed form and all.
    pub(crate) fn weight(&self) -> usize {
        match &self.form {
            Form::Small(body) | Form::Huge(body, _) => body.len(),
            Form::Large(body, _) => body.len() + body.len() / 2,
        }
    }

    /// The answer as it was written.
    pub(crate) fn plain(self) -> Response {
        match self.form {
            Form::Small(body) | Form::Large(body, _) => again(body, self.tag),
            Form::Huge(packed, length) => {
                let mut response = again(Body::from_stream(stream::iter(pieces(packed))), self.tag);
                response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
                response
            }
        }
    }

    /// The answer, packed for whoever takes gzip.
    pub(crate) fn answer(self, takes_gzip: bool) -> Response {
        let packed = match &self.form {
            _ if !takes_gzip => None,
            Form::Small(_) => None,
            Form::Large(body, packed) => packed.get_or_init(|| half(body)).clone(),
            Form::Huge(packed, _) => Some(packed.clone()),
        };
        let Some(packed) = packed else { return self.plain() };
        let mut response = again(packed, self.tag);
        let gzip = HeaderValue::from_static("gzip");
        response.headers_mut().insert(header::CONTENT_ENCODING, gzip);
        response
    }
}

/// The packed form, where it is half as large at most.
fn half(body: &Bytes) -> Option<Bytes> {
    Some(gzip(body, Compression::default())).filter(|packed| packed.len() <= body.len() / 2)
}

/// What [`gzip`] packed, one piece after the other as they are asked for: many may take it at once and slowly, and none of them
/// holds more than a piece.
fn pieces(packed: Bytes) -> impl Iterator<Item = io::Result<Bytes>> {
    let mut unpacker = GzDecoder::new(Cursor::new(packed));
    std::iter::from_fn(move || {
        let mut piece = Vec::with_capacity(PIECE);
        let read = unpacker.by_ref().take(PIECE as u64).read_to_end(&mut piece);
        match read {
            Ok(0) => None,
            Ok(_) => Some(Ok(piece.into())),
            Err(error) => Some(Err(error)),
        }
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: usize) -> (Bytes, Written) {
        let body = Bytes::from(b"[\"e4\",\"e5\"] ".repeat(bytes / 12 + 1));
        (body.clone(), Written::new(body, HeaderValue::from_static("W/\"1\"")))
    }

    fn gunzip(packed: Bytes) -> Bytes {
        let pieces: Vec<Bytes> = pieces(packed).collect::<io::Result<_>>().expect("what was packed");
        assert!(pieces.iter().all(|piece| piece.len() <= PIECE));
        pieces.concat().into()
    }

    async fn body(response: Response) -> Bytes {
        axum::body::to_bytes(response.into_body(), usize::MAX)
            .await
            .expect("a body")
    }

    #[tokio::test]
    async fn every_size_comes_back_packed_or_not() {
        for (bytes, is_packed) in [(100, false), (LARGE + 1, true), (HUGE + 1, true), (20 * HUGE, true)] {
            let (content, written) = of(bytes);
            let made = Written::make(content.clone(), HeaderValue::from_static("W/\"1\"")).await;
            assert_eq!(made.weight(), written.weight());
            for written in [written, made] {
                let plain = written.clone().answer(false);
                let told = plain.headers().get(header::CONTENT_LENGTH).cloned();
                assert!(told.is_none_or(|told| told == content.len().to_string()), "{bytes}");
                assert!(body(plain).await == content, "{bytes}");
                let packed = written.answer(true);
                assert_eq!(
                    packed.headers().contains_key(header::CONTENT_ENCODING),
                    is_packed,
                    "{bytes}"
                );
                let packed = body(packed).await;
                assert!(if is_packed { gunzip(packed) } else { packed } == content, "{bytes}");
            }
        }
    }

    #[test]
    fn the_huge_take_no_more_room_than_they_must() {
        let (content, written) = of(20 * HUGE);
        assert!(written.weight() < content.len() / 10);
        // What cannot be packed is kept as it is.
        let noise: Vec<u8> = (0..2 * HUGE as u64)
            .flat_map(|n| (n * n).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes())
            .collect();
        let length = noise.len();
        let noise = Written::new(noise.into(), HeaderValue::from_static("W/\"2\""));
        assert_eq!(noise.weight(), length);
    }
}

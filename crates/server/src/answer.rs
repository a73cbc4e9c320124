//! Answers that can be kept: JSON with a tag that changes with its content.

use std::hash::{DefaultHasher, Hasher};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::problem::Problem;

/// Data change when somebody builds; until then an answer stays what it was.
const CACHE: HeaderValue = HeaderValue::from_static("public, max-age=60");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// JSON, ready to be sent.
#[derive(Debug)]
pub(crate) struct Answer(Vec<u8>);

impl Answer {
    pub(crate) fn of(value: &impl Serialize) -> Result<Answer, Problem> {
        Answer::with_room(value, 1024)
    }

    /// Where something larger than usual is to be expected.
    pub(crate) fn with_room(value: &impl Serialize, bytes: usize) -> Result<Answer, Problem> {
        let mut body = Vec::with_capacity(bytes);
        serde_json::to_writer(&mut body, value).map_err(|error| {
            tracing::error!(%error, "an answer cannot be written as JSON");
            Problem::internal()
        })?;
        Ok(Answer(body))
    }

    /// JSON that somebody else has written.
    pub(crate) fn written(json: Vec<u8>) -> Answer {
        Answer(json)
    }
}

impl Answer {
    /// The body and its tag, for whoever wants to keep them.
    pub(crate) fn parts(self) -> (Bytes, HeaderValue) {
        let tag = tag(&self.0);
        (self.0.into(), tag)
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let (body, tag) = self.parts();
        again(body, tag)
    }
}

/// An answer that was made before.
pub(crate) fn again(body: impl Into<Body>, tag: HeaderValue) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, JSON);
    headers.insert(header::CACHE_CONTROL, CACHE);
    headers.insert(header::ETAG, tag);
    // Some addresses are pages too, for whoever asks for one. That it may be packed is said here, though others pack it: they never
    // see it where the client has it already, and the same has to be said then.
    headers.insert(header::VARY, HeaderValue::from_static("accept, accept-encoding"));
    response
}

/// It is weak, because a compressed answer has other bytes and the same content.
fn tag(body: &[u8]) -> HeaderValue {
    let mut hasher = DefaultHasher::new();
    hasher.write(body);
    let tag = HeaderValue::try_from(format!("W/\"{:016x}\"", hasher.finish()));
    tag.unwrap_or(HeaderValue::from_static("W/\"\""))
}

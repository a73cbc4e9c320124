//! Answers that take longer to make than to send, or are asked for over and over, are made once for each snapshot.

use std::sync::Arc;

use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use quick_cache::{Equivalent, Weighter, sync::Cache};
use tabiya_app::explore::KnowledgeBase;

use crate::problem::Problem;
use crate::shared::Shared;
use crate::written::{Written, takes_gzip};

/// Bytes of all that is kept.
const MOST: u64 = 64 << 20;
/// What they are on average, for sizing the table.
const USUAL: usize = 16 << 10;

/// The snapshot, and what was asked of it.
type Asked = (u64, String);

/// Answers by question.
#[derive(Debug)]
pub(crate) struct Kept(Cache<Asked, Written, Weight>);

#[derive(Debug, Clone)]
struct Weight;

impl Weighter<Asked, Written> for Weight {
    fn weight(&self, asked: &Asked, answer: &Written) -> u64 {
        // Beside the texts: two handles, a tag, and a place in the table.
        (asked.1.len() + answer.weight() + 256) as u64
    }
}

/// The same, borrowed.
#[derive(Hash)]
struct Asking<'a>(u64, &'a str);

impl Equivalent<Asked> for Asking<'_> {
    fn equivalent(&self, asked: &Asked) -> bool {
        self.0 == asked.0 && self.1 == asked.1
    }
}

impl Kept {
    pub(crate) fn new() -> Kept {
        Kept(Cache::with_weighter(MOST as usize / USUAL, MOST, Weight))
    }

    /// What was answered to this before.
    pub(crate) fn find(&self, snapshot: u64, asked: &str) -> Option<Written> {
        self.0.get(&Asking(snapshot, asked))
    }

    /// Keeps what was made of a snapshot, unless the next has come meanwhile: nothing of it may pass for this one's. Gives it in the form
    /// in which it is kept.
    pub(crate) async fn keep(
        &self,
        knowledge: &KnowledgeBase,
        snapshot: u64,
        asked: &str,
        body: &Bytes,
        tag: HeaderValue,
    ) -> Written {
        // A copy, for the answer has room at its end that would be kept with it and counted by nobody.
        let written = Written::make(Bytes::copy_from_slice(body), tag).await;
        if snapshot != 0 && knowledge.generation() == snapshot {
            self.0.insert((snapshot, asked.to_owned()), written.clone());
        }
        written
    }
}

/// Around the routes whose answers depend on the snapshot alone.
pub(crate) async fn keep(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    // While there is none, answers come from the database, which may be changing.
    let snapshot = shared.knowledge.generation();
    if snapshot == 0 || request.method() != Method::GET {
        return next.run(request).await;
    }
    let asked = question(request.uri()).to_owned();
    let takes_gzip = takes_gzip(request.headers());
    if let Some(written) = shared.kept.find(snapshot, &asked) {
        return written.answer(takes_gzip);
    }
    let response = next.run(request).await;
    let Some(tag) = response.headers().get(header::ETAG).cloned() else {
        return response;
    };
    if response.status() != StatusCode::OK {
        return response;
    }
    // It is in memory as a whole already.
    let Ok(body) = to_bytes(response.into_body(), usize::MAX).await else {
        return Problem::internal().into_response();
    };
    let kept = shared.kept.keep(&shared.knowledge, snapshot, &asked, &body, tag).await;
    kept.answer(takes_gzip)
}

/// What is asked, as it was written.
pub(crate) fn question(uri: &Uri) -> &str {
    uri.path_and_query().map_or("", |asked| asked.as_str())
}

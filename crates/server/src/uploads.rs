//! Games that strangers send: how many bodies are taken in at the same time, whose they are, and how many are worked on.

use std::collections::HashSet;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// Bodies and answers in memory at the same time.
const PLACES: usize = 8;
/// Of those so many are worked on: each takes a core.
const AT_WORK: usize = 2;

/// Who sends games at the moment.
#[derive(Debug)]
pub(crate) struct Uploads {
    places: Arc<Semaphore>,
    at_work: Arc<Semaphore>,
    present: Mutex<HashSet<IpAddr>>,
}

/// One upload, from before its body is read until its answer is sent.
#[derive(Debug)]
pub(crate) struct Upload {
    uploads: Arc<Uploads>,
    from: Option<IpAddr>,
    _place: OwnedSemaphorePermit,
}

impl Uploads {
    pub(crate) fn new() -> Uploads {
        Uploads {
            places: Arc::new(Semaphore::new(PLACES)),
            at_work: Arc::new(Semaphore::new(AT_WORK)),
            present: Mutex::default(),
        }
    }

    /// Lets somebody send games, or says why not. To be asked before anything is read: what nobody has read lies with the sender.
    pub(crate) fn admit(self: &Arc<Self>, from: Option<IpAddr>) -> Result<Upload, Problem> {
        let busy = |detail: &str| Problem::unavailable("busy", detail, 5);
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| busy("other games are being compared at the moment"))?;
        // One who sends slowly, or never takes the answer, keeps nobody else out.
        if from.is_some_and(|from| !self.present().insert(from)) {
            return Err(busy("games from your address are being compared at the moment"));
        }
        Ok(Upload {
            uploads: Arc::clone(self),
            from,
            _place: place,
        })
    }

    fn present(&self) -> MutexGuard<'_, HashSet<IpAddr>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Upload {
    /// Waits for its turn to be worked on.
    pub(crate) async fn turn(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let turn = Arc::clone(&self.uploads.at_work).acquire_owned().await;
        // Nobody closes it.
        turn.map_err(|_| Problem::internal())
    }

    /// An answer that keeps the place until it is sent, for it is larger than what it is an answer to.
    pub(crate) fn until_sent(self, response: Response) -> Response {
        response.map(|body| Body::new(Sending { body, _upload: self }))
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(from) = &self.from {
            self.uploads.present().remove(from);
        }
    }
}

/// A body on its way out.
struct Sending {
    body: Body,
    _upload: Upload,
}

impl HttpBody for Sending {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

//! The user's wish to stop: a flag, which those who work look at.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::AppError;

/// How often whoever waits looks at the flag.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Waits until somebody wants to stop.
pub(crate) async fn asked(stop: &AtomicBool) {
    while !stop.load(Relaxed) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Hands the wish on to those who wait for a token, as long as what this gives is there.
#[must_use = "nobody listens any more when it is dropped"]
pub(crate) fn cancel_when_asked(stop: Arc<AtomicBool>, token: CancellationToken) -> Listening {
    Listening(tokio::spawn(async move {
        asked(&stop).await;
        token.cancel();
    }))
}

#[derive(Debug)]
pub(crate) struct Listening(JoinHandle<()>);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Waits for something that may take long, unless the user wants to stop first.
pub(crate) async fn unless_asked<T>(stop: &AtomicBool, work: impl Future<Output = T>) -> Option<T> {
    let mut work = std::pin::pin!(work);
    // Asked before every wait: answers may come faster than anybody would look otherwise.
    while !stop.load(Relaxed) {
        if let Ok(done) = tokio::time::timeout(LOOK_EVERY, &mut work).await {
            return Some(done);
        }
    }
    None
}

/// An error where the user wants to stop, for those who do not wait.
pub(crate) fn go_on(stop: &AtomicBool) -> Result<(), AppError> {
    match stop.load(Relaxed) {
        true => Err(AppError::Interrupted),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_wish_is_handed_on_as_long_as_anybody_listens() {
        let (stop, token) = (Arc::<AtomicBool>::default(), CancellationToken::new());
        let listening = cancel_when_asked(Arc::clone(&stop), token.clone());
        tokio::time::sleep(LOOK_EVERY * 3).await;
        assert!(!token.is_cancelled());
        stop.store(true, Relaxed);
        token.cancelled().await;
        drop(listening);

        let token = CancellationToken::new();
        drop(cancel_when_asked(Arc::clone(&stop), token.clone()));
        tokio::time::sleep(LOOK_EVERY * 3).await;
        assert!(!token.is_cancelled());
        assert_eq!(Arc::strong_count(&stop), 1);
    }
}

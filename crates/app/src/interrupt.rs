//! The user's wish to stop: a flag, which those who work look at.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Duration,
};

use crate::AppError;

/// How often whoever waits looks at the flag.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Waits until somebody wants to stop.
pub(crate) async fn asked(stop: &AtomicBool) {
    while !stop.load(Relaxed) {
        tokio::time::sleep(LOOK_EVERY).await;
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

//! Ctrl-C: the first one asks the work to stop at a good place, the second one ends the process.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use crate::{
    failure::INTERRUPTED,
    terminal::{Label, say},
};

/// Sets `stop` at the first interrupt and ends the process at the second. Call it inside a runtime.
pub(crate) fn listen(stop: Arc<AtomicBool>) {
    tokio::spawn(async move {
        if !interrupted().await {
            return;
        }
        stop.store(true, Relaxed);
        say(
            Label::Note,
            "stopping after the batch at hand; press Ctrl-C again to end at once",
        );
        if interrupted().await {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
}

/// Waits for SIGINT or SIGTERM. False where neither can be listened to.
#[cfg(unix)]
async fn interrupted() -> bool {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return false;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    true
}

#[cfg(not(unix))]
async fn interrupted() -> bool {
    tokio::signal::ctrl_c().await.is_ok()
}

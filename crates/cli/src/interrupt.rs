//! Ctrl-C: the first one asks the work to stop at a good place, the second one ends the process.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use tokio::runtime::Runtime;

use crate::{
    failure::INTERRUPTED,
    terminal::{Label, say},
};

/// Sets `stop` at the first interrupt and ends the process at the second. Call it inside a runtime.
pub(crate) fn listen(stop: Arc<AtomicBool>) {
    // Registered before anything else happens: an interrupt must not fall between two chairs.
    let Some(mut interrupts) = Interrupts::register() else {
        return;
    };
    tokio::spawn(async move {
        interrupts.next().await;
        stop.store(true, Relaxed);
        say(
            Label::Note,
            "stopping after the batch at hand; press Ctrl-C again to end at once",
        );
        interrupts.next().await;
        std::process::exit(i32::from(INTERRUPTED));
    });
}

/// Ends the process at the first interrupt, for as long as the runtime is there.
pub(crate) fn end_at_once(runtime: &Runtime) {
    let _inside = runtime.enter();
    let Some(mut interrupts) = Interrupts::register() else {
        return;
    };
    runtime.spawn(async move {
        interrupts.next().await;
        std::process::exit(i32::from(INTERRUPTED));
    });
}

/// Comes back at the first interrupt, or never where they cannot be listened to.
pub(crate) async fn asked_to_stop() {
    match Interrupts::register() {
        Some(mut interrupts) => interrupts.next().await,
        None => std::future::pending().await,
    }
}

/// SIGINT and SIGTERM.
#[cfg(unix)]
struct Interrupts {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Interrupts {
    /// None where they cannot be listened to: then they end the process, as they do by default.
    fn register() -> Option<Interrupts> {
        use tokio::signal::unix::{SignalKind, signal};
        Some(Interrupts {
            interrupt: signal(SignalKind::interrupt()).ok()?,
            terminate: signal(SignalKind::terminate()).ok()?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Ctrl-C.
#[cfg(windows)]
struct Interrupts(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Interrupts {
    fn register() -> Option<Interrupts> {
        tokio::signal::windows::ctrl_c().ok().map(Interrupts)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}

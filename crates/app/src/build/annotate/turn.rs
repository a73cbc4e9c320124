//! Batches reach the engines in their order, however long each of them takes to look up what is known already.

use tokio::sync::oneshot;

/// Gives out turns, each after the one before.
#[derive(Debug, Default)]
pub(super) struct Turns {
    last: Option<oneshot::Receiver<()>>,
}

impl Turns {
    pub(super) fn next(&mut self) -> Turn {
        let (pass, after) = oneshot::channel();
        Turn {
            before: self.last.replace(after),
            _pass: Some(pass),
        }
    }
}

/// A batch's place in the row. It is passed on when it is dropped, whatever became of the batch.
#[derive(Debug, Default)]
pub struct Turn {
    before: Option<oneshot::Receiver<()>>,
    _pass: Option<oneshot::Sender<()>>,
}

impl Turn {
    /// A place of one's own, with nobody before.
    pub fn free() -> Turn {
        Turn::default()
    }

    /// Waits for those before.
    pub(super) async fn come(&mut self) {
        if let Some(before) = self.before.take() {
            // Nothing is ever sent: the other end is dropped.
            let _ = before.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[tokio::test]
    async fn the_slow_are_not_overtaken() {
        let mut turns = Turns::default();
        let came = Mutex::new(Vec::new());
        let batch = |number: u64, mut turn: Turn| {
            let came = &came;
            async move {
                tokio::time::sleep(std::time::Duration::from_millis(20 * (3 - number))).await;
                turn.come().await;
                came.lock().expect("nobody panicked").push(number);
            }
        };
        let [one, two, three] = [turns.next(), turns.next(), turns.next()];
        tokio::join!(batch(2, three), batch(0, one), batch(1, two));
        assert_eq!(*came.lock().expect("nobody panicked"), [0, 1, 2]);
    }

    #[tokio::test]
    async fn who_fails_passes_it_on() {
        let mut turns = Turns::default();
        drop(turns.next());
        turns.next().come().await;
        Turn::free().come().await;
    }
}

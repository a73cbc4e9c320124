//! A unit on its way through the pool.

use shakmaty::Move;
use tokio::sync::mpsc;

use crate::{Answer, Memory, NotDone, Search, Unit};

/// A unit, and how far it is. Whatever happens to it, each of its positions gets one answer: those that are left when it is
/// dropped are answered as not done.
#[derive(Debug)]
pub(crate) struct Job {
    unit: Unit,
    /// The one move to think about, in all positions.
    only: Option<Move>,
    next: usize,
    replies: mpsc::UnboundedSender<(usize, Answer)>,
}

impl Job {
    pub(crate) fn new(unit: Unit, only: Option<Move>) -> (Job, mpsc::UnboundedReceiver<(usize, Answer)>) {
        let (replies, receiver) = mpsc::unbounded_channel();
        let job = Job {
            unit,
            only,
            next: 0,
            replies,
        };
        (job, receiver)
    }

    /// The position whose turn it is.
    pub(crate) fn search(&self) -> Option<&Search> {
        self.unit.searches.get(self.next)
    }

    /// The one move to think about, where there is one.
    pub(crate) fn only(&self) -> Option<Move> {
        self.only
    }

    /// Whether the engine has to forget what it knows first.
    pub(crate) fn wants_fresh(&self) -> bool {
        match self.unit.memory {
            Memory::Nothing => true,
            Memory::OfUnit => self.next == 0,
            Memory::Everything => false,
        }
    }

    /// Answers the position whose turn it is, and goes on to the next.
    pub(crate) fn answer(&mut self, answer: Answer) {
        // Fails only if nobody waits any more.
        let _ = self.replies.send((self.next, answer));
        self.next += 1;
    }

    /// Answers all that is left.
    pub(crate) fn refuse(mut self, reason: &NotDone) {
        self.answer_rest(reason);
    }

    fn answer_rest(&mut self, reason: &NotDone) {
        while self.next < self.unit.searches.len() {
            self.answer(Answer::NotDone(reason.clone()));
        }
    }

    /// Whether nobody waits any more.
    pub(crate) fn is_unwanted(&self) -> bool {
        self.replies.is_closed()
    }

    /// Is done when nobody waits any more.
    pub(crate) async fn unwanted(&self) {
        self.replies.closed().await;
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.answer_rest(&NotDone::Stopped);
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Chess;
    use tabiya_chess::SearchLimit;

    use super::*;

    #[test]
    fn an_engine_forgets_as_often_as_its_unit_says() {
        for (memory, forgets) in [
            (Memory::Nothing, [true, true]),
            (Memory::OfUnit, [true, false]),
            (Memory::Everything, [false, false]),
        ] {
            let search = Search {
                position: Chess::default(),
                limit: SearchLimit::nodes(1),
                multipv: 1,
            };
            let unit = Unit {
                searches: vec![search; 2],
                memory,
            };
            let (mut job, _replies) = Job::new(unit, None);
            let first = job.wants_fresh();
            job.answer(Answer::NotDone(NotDone::Stopped));
            assert_eq!([first, job.wants_fresh()], forgets, "{memory:?}");
        }
    }
}

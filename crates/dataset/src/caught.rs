//! Panics of other people's readers. What they panic at is a damaged file, which is an error like any other.

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
};

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread would be caught and told as an error about a file. A program's panic hook need not tell it, too.
pub fn panics_are_caught() -> bool {
    CAUGHT.get()
}

/// Lets somebody else's code read; none if it panicked. What it was reading with is not to be used again then.
pub(crate) fn caught<T>(read: impl FnOnce() -> T) -> Option<T> {
    let outer = CAUGHT.replace(true);
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    CAUGHT.set(outer);
    read.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_for_as_long_as_somebody_catches() {
        assert!(!panics_are_caught());
        assert_eq!(caught(panics_are_caught), Some(true));
        assert_eq!(caught(|| (caught(|| ()), panics_are_caught())), Some((Some(()), true)));
        assert_eq!(
            caught(|| assert!(!panics_are_caught(), "as somebody else's reader")),
            None
        );
        assert!(!panics_are_caught());
    }
}

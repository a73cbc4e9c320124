//! Texts that are made on several threads and come out in order.

use std::{
    any::Any,
    collections::BTreeMap,
    panic::{self, AssertUnwindSafe},
    sync::{Mutex, PoisonError, mpsc},
    thread,
};

/// A numbered text, or the panic of whoever was to make it.
type Made = (usize, Result<Vec<u8>, Box<dyn Any + Send>>);

/// Lets `make` write the texts 0 to `count` on several threads and hands them to `take` in order, which may end it. Only a few
/// are under way at a time.
pub(super) fn in_order<E>(
    threads: usize,
    count: usize,
    make: impl Fn(usize, &mut Vec<u8>) + Sync,
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    if threads < 2 || count < 2 {
        let mut text = Vec::new();
        return (0..count).try_for_each(|number| {
            text.clear();
            make(number, &mut text);
            take(&text)
        });
    }
    let (wanted, orders) = mpsc::channel::<(usize, Vec<u8>)>();
    let orders = Mutex::new(orders);
    thread::scope(|scope| {
        // It goes when this closure is left, and then the threads do.
        let wanted = wanted;
        let (to_caller, made) = mpsc::channel::<Made>();
        for _ in 0..threads {
            let (to_caller, orders, make) = (to_caller.clone(), &orders, &make);
            scope.spawn(move || {
                loop {
                    let order = orders.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((number, mut text)) = order else { return };
                    let done = panic::catch_unwind(AssertUnwindSafe(|| {
                        make(number, &mut text);
                        text
                    }));
                    if to_caller.send((number, done)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(to_caller);
        let mut ordered = 0;
        let mut order = |text: Vec<u8>| {
            if ordered < count {
                // The threads wait for it.
                let _ = wanted.send((ordered, text));
                ordered += 1;
            }
        };
        (0..threads * 3).for_each(|_| order(Vec::new()));
        let mut early = BTreeMap::new();
        for number in 0..count {
            let mut text = loop {
                if let Some(text) = early.remove(&number) {
                    break text;
                }
                let Ok((number, done)) = made.recv() else { return Ok(()) };
                early.insert(number, done.unwrap_or_else(|bug| panic::resume_unwind(bug)));
            };
            take(&text)?;
            text.clear();
            order(text);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_in_order_whoever_is_slow() {
        for threads in [1, 2, 5] {
            let mut all = Vec::new();
            let make = |number: usize, text: &mut Vec<u8>| {
                if number.is_multiple_of(7) {
                    thread::sleep(std::time::Duration::from_millis(2));
                }
                text.push(number as u8);
            };
            let done: Result<(), ()> = in_order(threads, 100, make, |text| {
                all.extend_from_slice(text);
                Ok(())
            });
            assert_eq!((done, all), (Ok(()), (0..100).collect::<Vec<u8>>()));
        }
    }

    #[test]
    fn whoever_has_seen_enough_ends_it() {
        for threads in [1, 2] {
            let mut taken = 0;
            let done = in_order(
                threads,
                1_000_000,
                |_, _| {},
                |_| {
                    taken += 1;
                    if taken == 10 { Err("enough") } else { Ok(()) }
                },
            );
            assert_eq!((done, taken), (Err("enough"), 10));
        }
    }

    #[test]
    #[should_panic(expected = "a bug")]
    fn a_panic_is_not_waited_for() {
        let _: Result<(), ()> = in_order(2, 100, |number, _| assert!(number < 50, "a bug"), |_| Ok(()));
    }
}

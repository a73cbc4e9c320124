//! Work on all games that several threads share.

use std::{ops::Range, thread};

use super::games::Games;

/// Runs of games with about as many moves each.
pub(super) fn shares(games: &Games, threads: usize) -> Vec<Range<u32>> {
    let each = games.total_moves() / threads as u64 + 1;
    let mut shares = Vec::new();
    let mut start = 0;
    for number in 1..=threads as u64 {
        let mut end = start;
        while end < games.len() && (number == threads as u64 || games.moves_before(end) < number * each) {
            end += 1;
        }
        shares.push(start..end);
        start = end;
    }
    shares
}

/// What all of them came to, in their order; a panic of one is one here.
pub(super) fn joined<T>(running: Vec<thread::ScopedJoinHandle<'_, T>>) -> Vec<T> {
    running
        .into_iter()
        .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        .collect()
}

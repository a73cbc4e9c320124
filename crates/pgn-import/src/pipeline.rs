//! One mechanism for all parallel reading: a thread cuts blocks of whole games, workers read them, and whoever asked
//! gets the results in file order.

use std::{
    any::Any,
    collections::BTreeMap,
    ops::ControlFlow,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use tokio::sync::mpsc as results;

use crate::{
    read::{Game, TreeBuilder, Visitor, Walker},
    source::{Block, CutShort, Source},
};

/// Blocks of this size keep all cores busy and cost next to no memory.
pub(crate) const BLOCK_BYTES: usize = 1 << 20;

/// What became of one block.
#[derive(Debug)]
pub(crate) struct Piece<T> {
    pub(crate) value: T,
    /// Where the block ends in the decompressed source.
    pub(crate) end: u64,
}

/// Why a thread has no piece to give.
enum Stop {
    Cut(CutShort),
    /// A bug; it must not pass for the end of the source.
    Panic(Box<dyn Any + Send>),
}

/// A numbered piece on its way to whoever asked.
type Numbered<T> = (u64, Result<Piece<T>, Stop>);

/// The results of a source's blocks, in file order.
pub(crate) struct Pieces<T> {
    results: results::Receiver<Numbered<T>>,
    early: BTreeMap<u64, Result<Piece<T>, CutShort>>,
    next: u64,
    /// One for each block that may be begun: given back when a piece is taken.
    permits: mpsc::Sender<()>,
    #[cfg(test)]
    threads: Vec<thread::JoinHandle<()>>,
}

impl<T> Pieces<T> {
    /// The next piece; the last one may be the error that the source broke off.
    pub(crate) async fn next(&mut self) -> Option<Result<Piece<T>, CutShort>> {
        while !self.early.contains_key(&self.next) {
            let arrived = self.results.recv().await?;
            self.keep(arrived);
        }
        self.take_next()
    }

    /// The same for callers outside of any runtime.
    pub(crate) fn next_blocking(&mut self) -> Option<Result<Piece<T>, CutShort>> {
        while !self.early.contains_key(&self.next) {
            let arrived = self.results.blocking_recv()?;
            self.keep(arrived);
        }
        self.take_next()
    }

    fn keep(&mut self, (number, piece): Numbered<T>) {
        let piece = piece.map_err(|stop| match stop {
            Stop::Cut(cut) => cut,
            Stop::Panic(panic) => panic::resume_unwind(panic),
        });
        self.early.insert(number, piece);
    }

    fn take_next(&mut self) -> Option<Result<Piece<T>, CutShort>> {
        let piece = self.early.remove(&self.next);
        self.next += 1;
        // At the end of the source nobody waits for it any more.
        let _ = self.permits.send(());
        piece
    }
}

/// Starts reading. Each of `threads` workers is made by `worker` and keeps what it wants between its blocks. Dropping
/// the result stops everything.
pub(crate) fn spawn<T, W>(
    source: Source,
    block_bytes: usize,
    threads: usize,
    mut worker: impl FnMut() -> W,
) -> Pieces<T>
where
    T: Send + 'static,
    W: FnMut(Block) -> T + Send + 'static,
{
    // No more blocks are under way than this, however slow one of them may be: enough that nobody waits, little
    // enough to stay small.
    let most = threads * 3;
    let (permits, permitted) = mpsc::channel();
    for _ in 0..most {
        // The receiver is right here.
        let _ = permits.send(());
    }
    let (to_workers, blocks) = mpsc::channel();
    let (to_caller, results) = results::channel(most);
    let blocks = Arc::new(Mutex::new(blocks));
    let mut started = Vec::with_capacity(threads + 1);
    for _ in 0..threads {
        let (blocks, to_caller, work) = (blocks.clone(), to_caller.clone(), worker());
        started.push(thread::spawn(move || work_off(&blocks, &to_caller, work)));
    }
    started.push(thread::spawn(move || {
        cut_blocks(source, block_bytes, &permitted, &to_workers, &to_caller);
    }));
    // Threads end by themselves when nobody listens; only tests wait for that.
    #[cfg(not(test))]
    drop(started);
    Pieces {
        results,
        early: BTreeMap::new(),
        next: 0,
        permits,
        #[cfg(test)]
        threads: started,
    }
}

/// A worker's life: block after block, until there are none or nobody wants them.
fn work_off<T>(
    blocks: &Mutex<mpsc::Receiver<(u64, Block)>>,
    to_caller: &results::Sender<Numbered<T>>,
    mut work: impl FnMut(Block) -> T,
) {
    loop {
        let received = blocks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, block)) = received else { return };
        let end = block.offset + block.bytes.len() as u64;
        let done = panic::catch_unwind(AssertUnwindSafe(|| work(block)));
        let piece = done.map(|value| Piece { value, end }).map_err(Stop::Panic);
        if to_caller.blocking_send((number, piece)).is_err() {
            return;
        }
    }
}

/// The source's thread: cuts as many blocks as are permitted. How it ends is the last piece.
fn cut_blocks<T>(
    source: Source,
    block_bytes: usize,
    permitted: &mpsc::Receiver<()>,
    to_workers: &mpsc::Sender<(u64, Block)>,
    to_caller: &results::Sender<Numbered<T>>,
) {
    let mut blocks = source.blocks(block_bytes);
    for number in 0.. {
        if permitted.recv().is_err() {
            return;
        }
        let stop = match panic::catch_unwind(AssertUnwindSafe(|| blocks.next_block())) {
            Ok(Ok(Some(block))) => match to_workers.send((number, block)) {
                Ok(()) => continue,
                Err(_) => return,
            },
            Ok(Ok(None)) => return,
            Ok(Err(cut)) => Stop::Cut(cut),
            Err(panic) => Stop::Panic(panic),
        };
        // Nobody listening any more is fine: then nobody wants to know.
        drop(to_caller.blocking_send((number, Err(stop))));
        return;
    }
}

/// Reads a source from beginning to end on this thread. Gives the number of games.
pub fn read_games<V: Visitor>(source: Source, visitor: &mut V) -> Result<u64, CutShort> {
    let mut blocks = source.blocks(BLOCK_BYTES);
    let mut games = 0;
    while let Some(block) = blocks.next_block()? {
        let mut walker = Walker::new(&block.bytes, block.offset, games);
        while walker.walk(visitor) {
            games += 1;
        }
        visitor.end_block();
    }
    Ok(games)
}

/// Reads a source from beginning to end on this thread and hands out every game as a tree. Gives the number of games.
pub fn read_trees(source: Source, mut each: impl FnMut(Game)) -> Result<u64, CutShort> {
    let mut blocks = source.blocks(BLOCK_BYTES);
    let mut games = 0;
    let mut tree = TreeBuilder::default();
    while let Some(block) = blocks.next_block()? {
        let mut walker = Walker::new(&block.bytes, block.offset, games);
        while walker.walk(&mut tree) {
            games += 1;
            each(tree.take());
        }
    }
    Ok(games)
}

/// What one block of a source came to.
#[derive(Debug)]
pub struct BlockRead<V> {
    pub visitor: V,
    pub games: u64,
    /// Where the block ends in the decompressed source. Whoever opens the source there again reads on as if nothing had
    /// happened, in the same blocks.
    pub end: u64,
}

/// Reads a source on several threads. Every block of games gets a visitor of its own, made by `visitor`; `merge` is
/// handed them in file order, each with its number of games, and may end the reading. A game's `index` counts from its
/// block's beginning.
pub fn read_games_parallel<V: Visitor + Send + 'static>(
    source: Source,
    threads: usize,
    visitor: impl Fn() -> V + Clone + Send + 'static,
    mut merge: impl FnMut(V, u64) -> ControlFlow<()>,
) -> Result<u64, CutShort> {
    read_blocks_parallel(source, threads, visitor, |block| merge(block.visitor, block.games))
}

/// As [`read_games_parallel`], for whoever wants to go on later where a block ended.
pub fn read_blocks_parallel<V: Visitor + Send + 'static>(
    source: Source,
    threads: usize,
    visitor: impl Fn() -> V + Clone + Send + 'static,
    mut merge: impl FnMut(BlockRead<V>) -> ControlFlow<()>,
) -> Result<u64, CutShort> {
    let mut pieces = spawn(source, BLOCK_BYTES, threads.max(1), || {
        let visitor = visitor.clone();
        move |block: Block| {
            let mut visitor = visitor();
            let mut games = 0;
            let mut walker = Walker::new(&block.bytes, block.offset, 0);
            while walker.walk(&mut visitor) {
                games += 1;
            }
            visitor.end_block();
            (visitor, games)
        }
    });
    let mut total = 0;
    while let Some(piece) = pieces.next_blocking() {
        let Piece {
            value: (visitor, games),
            end,
        } = piece?;
        total += games;
        if merge(BlockRead { visitor, games, end }).is_break() {
            break;
        }
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn source(games: usize) -> Source {
        let text = "[Event \"x\"]\n\n1. e4 e5 1-0\n\n".repeat(games);
        Source::from_reader("test".to_owned(), Box::new(Cursor::new(text)), None, 0).expect("a source")
    }

    #[test]
    fn pieces_come_in_file_order_from_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let mut pieces = spawn(source(500), 100, threads, || |block: Block| block.offset);
            let mut end = 0;
            while let Some(piece) = pieces.next_blocking() {
                let piece = piece.expect("whole");
                assert_eq!(piece.value, end);
                end = piece.end;
            }
            assert_eq!(end, 500 * 27);
        }
    }

    #[test]
    #[should_panic(expected = "a bug in a worker")]
    fn a_worker_s_panic_does_not_pass_for_the_end() {
        let mut pieces = spawn(source(500), 100, 2, || {
            |block: Block| assert!(block.offset < 5_000, "a bug in a worker")
        });
        while let Some(piece) = pieces.next_blocking() {
            piece.expect("whole");
        }
    }

    #[test]
    fn whoever_stops_listening_stops_the_reading() {
        let mut pieces = spawn(source(5_000), 64, 2, || |_: Block| ());
        assert!(pieces.next_blocking().is_some());
        let threads = std::mem::take(&mut pieces.threads);
        drop(pieces);
        for thread in threads {
            thread.join().expect("ended");
        }
    }

    #[test]
    fn reading_goes_on_where_a_block_ended_in_the_same_blocks() {
        struct Nothing;
        impl Visitor for Nothing {}
        let text = "[Event \"x\"]\n\n1. e4 e5 {a comment} 1-0\n\n".repeat(90_000);
        let ends = |offset: usize| {
            let rest = text.as_bytes()[offset..].to_vec();
            let source = Source::from_reader("test".to_owned(), Box::new(Cursor::new(rest)), None, 0);
            let mut ends = Vec::new();
            let each = |block: BlockRead<Nothing>| {
                ends.push(block.end + offset as u64);
                ControlFlow::Continue(())
            };
            read_blocks_parallel(source.expect("a source"), 2, || Nothing, each).expect("whole");
            ends
        };
        let all = ends(0);
        assert!(all.len() > 3, "{all:?}");
        for at in 0..all.len() - 1 {
            assert_eq!(ends(all[at] as usize), all[at + 1..]);
        }
    }

    #[test]
    fn games_are_counted_alike_one_by_one_and_side_by_side() {
        struct Nothing;
        impl Visitor for Nothing {}
        assert_eq!(read_games(source(70_000), &mut Nothing).expect("whole"), 70_000);
        let mut merged = 0;
        let total = read_games_parallel(
            source(70_000),
            3,
            || Nothing,
            |_, games| {
                merged += games;
                ControlFlow::Continue(())
            },
        );
        assert_eq!((total.expect("whole"), merged), (70_000, 70_000));
    }
}

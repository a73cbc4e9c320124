//! Reads the whole archive on several threads, in file order, in bounded memory.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Read},
    num::NonZeroUsize,
    ops::ControlFlow,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use memchr::memchr_iter;
use shakmaty::Chess;
use thiserror::Error;

use super::{
    EvalLineError, EvaluatedPosition,
    blocks::{Block, Blocks, MAX_LINE},
    parse_eval_line,
};

/// As many bad lines of a block are named; the others are counted.
const NAMED: usize = 100;

/// What of an archive is wanted.
#[derive(Clone, Default)]
pub struct EvalFilter {
    /// Searches below this depth are passed over.
    pub min_depth: u8,
    wanted: Option<Arc<Wanted>>,
}

type Wanted = dyn Fn(&Chess) -> bool + Send + Sync;

impl EvalFilter {
    /// Every position, and of its searches those that reached this depth.
    #[must_use]
    pub fn from_depth(min_depth: u8) -> EvalFilter {
        EvalFilter {
            min_depth,
            wanted: None,
        }
    }

    /// Only positions that `wanted` says yes to. Others cost next to nothing.
    #[must_use]
    pub fn only(mut self, wanted: impl Fn(&Chess) -> bool + Send + Sync + 'static) -> EvalFilter {
        self.wanted = Some(Arc::new(wanted));
        self
    }

    pub(super) fn wants(&self, pos: &Chess) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted(pos))
    }
}

impl fmt::Debug for EvalFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvalFilter")
            .field("min_depth", &self.min_depth)
            .field("only", &self.wanted.is_some())
            .finish()
    }
}

/// What became of some lines of an archive.
#[derive(Debug, Default)]
pub struct EvalBlock {
    /// The positions, in file order.
    pub positions: Vec<EvaluatedPosition>,
    /// Lines that say something, good or bad. Empty ones do not count.
    pub lines: u64,
    /// Lines that the filter wants nothing of.
    pub passed_over: u64,
    /// Lines that cannot be used.
    pub bad: u64,
    /// The first of them.
    pub named: Vec<BadEvalLine>,
}

/// A line that cannot be used.
#[derive(Debug, Error)]
#[error("line {line}: {reason}")]
pub struct BadEvalLine {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    #[source]
    pub reason: EvalLineError,
}

/// Why an archive could not be read to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvalFileError {
    /// The file broke off, or its compression is damaged.
    #[error("broke off behind line {line}")]
    Read {
        /// The last whole line.
        line: u64,
        /// What went wrong.
        #[source]
        source: io::Error,
    },
    /// A bug; it must not pass for the end of the file.
    #[error("a thread that read lines has panicked")]
    Panicked,
}

enum Message {
    Done(u64, EvalBlock),
    /// There are so many blocks.
    End(u64),
    Failed(u64, EvalFileError),
    /// A worker will give no more.
    Panicked,
}

/// Reads an archive from beginning to end on `threads` threads. `each` is handed its positions block by block, in file
/// order, and may end the reading.
///
/// # Errors
///
/// [`EvalFileError`] where the file cannot be read to its end; everything before was handed out.
pub fn read_evals(
    reader: impl Read + Send + 'static,
    threads: NonZeroUsize,
    filter: &EvalFilter,
    mut each: impl FnMut(EvalBlock) -> ControlFlow<()>,
) -> Result<(), EvalFileError> {
    let (permits, messages) = spawn(reader, threads.get(), filter);
    let mut early = BTreeMap::new();
    let mut end: Option<(u64, Option<EvalFileError>)> = None;
    for next in 0.. {
        let block = loop {
            if let Some(block) = early.remove(&next) {
                break block;
            }
            if let Some((blocks, failed)) = &mut end
                && *blocks == next
            {
                return failed.take().map_or(Ok(()), Err);
            }
            match messages.recv() {
                Ok(Message::Done(number, block)) => {
                    early.insert(number, block);
                }
                Ok(Message::End(blocks)) => end = Some((blocks, None)),
                Ok(Message::Failed(blocks, why)) => end = Some((blocks, Some(why))),
                Ok(Message::Panicked) | Err(_) => return Err(EvalFileError::Panicked),
            }
        };
        // At the end of the file nobody waits for it any more.
        let _ = permits.send(());
        if each(block).is_break() {
            break;
        }
    }
    Ok(())
}

/// Starts the threads, which end by themselves when nobody listens. They are not waited for: one of them may hang at
/// standard input.
fn spawn(
    reader: impl Read + Send + 'static,
    threads: usize,
    filter: &EvalFilter,
) -> (mpsc::Sender<()>, mpsc::Receiver<Message>) {
    // No more blocks are under way than this, however slow one of them may be.
    let most = threads * 3;
    let (permits, permitted) = mpsc::channel();
    for _ in 0..most {
        // The receiver is right here.
        let _ = permits.send(());
    }
    let (to_workers, blocks) = mpsc::channel();
    let (to_caller, messages) = mpsc::channel();
    let blocks = Arc::new(Mutex::new(blocks));
    for _ in 0..threads {
        let (blocks, to_caller, filter) = (Arc::clone(&blocks), to_caller.clone(), filter.clone());
        thread::spawn(move || work_off(&blocks, &to_caller, &filter));
    }
    thread::spawn(move || cut(Blocks::new(reader), &permitted, &to_workers, &to_caller));
    (permits, messages)
}

/// A worker's life: block after block, until there are none or nobody wants them.
fn work_off(blocks: &Mutex<mpsc::Receiver<(u64, Block)>>, to_caller: &mpsc::Sender<Message>, filter: &EvalFilter) {
    loop {
        let received = blocks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, block)) = received else { return };
        let parsed = panic::catch_unwind(AssertUnwindSafe(|| parse(&block, filter)));
        let message = parsed.map_or(Message::Panicked, |found| Message::Done(number, found));
        if to_caller.send(message).is_err() {
            return;
        }
    }
}

/// The reader's thread: cuts as many blocks as are permitted, and says how it ended.
fn cut(
    mut blocks: Blocks<impl Read>,
    permitted: &mpsc::Receiver<()>,
    to_workers: &mpsc::Sender<(u64, Block)>,
    to_caller: &mpsc::Sender<Message>,
) {
    for number in 0.. {
        if permitted.recv().is_err() {
            return;
        }
        let last = match blocks.next_block() {
            Ok(Some(block)) => match to_workers.send((number, block)) {
                Ok(()) => continue,
                Err(_) => return,
            },
            Ok(None) => Message::End(number),
            Err(source) => {
                let line = blocks.lines();
                Message::Failed(number, EvalFileError::Read { line, source })
            }
        };
        // Nobody listening any more is fine: then nobody wants to know.
        let _ = to_caller.send(last);
        return;
    }
}

fn parse(block: &Block, filter: &EvalFilter) -> EvalBlock {
    let mut found = EvalBlock::default();
    if block.cut {
        found.lines += 1;
        found.reject(block.first_line, EvalLineError::TooLong { limit: MAX_LINE });
    }
    let mut begin = 0;
    let ends = memchr_iter(b'\n', &block.bytes).chain([block.bytes.len()]);
    for (number, end) in (block.first_line..).zip(ends) {
        let line = block.bytes[begin..end].trim_ascii();
        begin = end + 1;
        if line.is_empty() {
            continue;
        }
        found.lines += 1;
        match parse_eval_line(line, filter) {
            Ok(Some(position)) => found.positions.push(position),
            Ok(None) => found.passed_over += 1,
            Err(reason) => found.reject(number, reason),
        }
    }
    found
}

impl EvalBlock {
    fn reject(&mut self, line: u64, reason: EvalLineError) {
        self.bad += 1;
        if self.named.len() < NAMED {
            self.named.push(BadEvalLine { line, reason });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    const LINE: &str = r#"{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -","evals":[{"pvs":[{"cp":21,"line":"e2e4"}],"knodes":9,"depth":40}]}"#;

    fn threads(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).expect("more than none")
    }

    #[test]
    fn bad_lines_are_named_and_cost_nothing_else() {
        let text = format!("{LINE}\r\n\n{{\n{LINE}\nnot JSON\n{LINE}");
        let mut all = EvalBlock::default();
        let read = read_evals(Cursor::new(text), threads(2), &EvalFilter::default(), |block| {
            all.lines += block.lines;
            all.bad += block.bad;
            all.positions.extend(block.positions);
            all.named.extend(block.named);
            ControlFlow::Continue(())
        });
        read.expect("a whole file");
        assert_eq!((all.positions.len(), all.lines, all.bad), (3, 5, 2));
        let named: Vec<String> = all.named.iter().map(ToString::to_string).collect();
        assert!(named[0].starts_with("line 3: not an evaluation: EOF"), "{named:?}");
        assert!(named[1].starts_with("line 5: not an evaluation: expected"), "{named:?}");
    }

    #[test]
    fn blocks_come_in_file_order_and_can_be_ended() {
        // Some eight megabytes, every line with its number as evaluation and bad ones among them.
        let line = |number: usize| match number % 1000 {
            999 => "{}\n".to_owned(),
            _ => LINE.replace("\"cp\":21", &format!("\"cp\":{number}")) + "\n",
        };
        let text: String = (0..60_000).map(line).collect();
        for number in [1, 3] {
            let (mut evals, mut bad) = (Vec::new(), Vec::new());
            let read = read_evals(
                Cursor::new(text.clone()),
                threads(number),
                &EvalFilter::default(),
                |block| {
                    evals.extend(block.positions.iter().map(|found| found.analyses[0].lines[0].eval));
                    bad.extend(block.named.iter().map(|bad| bad.line));
                    ControlFlow::Continue(())
                },
            );
            read.expect("a whole file");
            let expected = (0..60_000).filter(|number| number % 1000 != 999);
            assert!(evals.iter().copied().eq(expected.map(tabiya_chess::Eval::Cp)));
            assert!(bad.iter().copied().eq((1..=60).map(|thousand| thousand * 1000)));
        }
        let mut blocks = 0;
        let read = read_evals(Cursor::new(text), threads(2), &EvalFilter::default(), |_| {
            blocks += 1;
            ControlFlow::Break(())
        });
        assert!(read.is_ok() && blocks == 1);
    }

    #[test]
    fn a_panic_does_not_pass_for_the_end() {
        let filter = EvalFilter::default().only(|_| panic!("a bug in a filter"));
        let read = read_evals(Cursor::new(LINE), threads(2), &filter, |_| ControlFlow::Continue(()));
        assert!(matches!(read, Err(EvalFileError::Panicked)), "{read:?}");
    }
}

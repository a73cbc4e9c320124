//! A conversation with one engine: getting it ready, and one search after the other.

mod deadline;
#[doc(hidden)]
pub mod fuzzing;
mod greet;

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use shakmaty::{CastlingMode, Chess, Move, Position, uci::UciMove};
use tabiya_chess::{Analysis, EngineLine, from_uci, write_full_fen};
use tokio::time::timeout;

use self::{
    deadline::Deadline,
    greet::{NotReady, clears_by_itself, greet},
};
use crate::{
    EngineConfig, EngineError, EngineId, Fault, Search,
    process::{NoLine, Process},
    uci::{Info, KeptLines, OptionKind, Score, shown, split_word},
};

/// How many lines that are no UCI an engine may write during a search. The protocol asks us to pass over what we do not
/// understand; an engine that writes nothing else is broken.
const MAX_STRANGE_LINES: u32 = 100;

/// An engine that has said `uciok`.
#[derive(Debug)]
pub(crate) struct Session {
    process: Process,
    id: EngineId,
    multipv: u8,
    /// How castling is written; nothing where the engine does not let us choose.
    castling: Option<CastlingMode>,
    /// Whether `ucinewgame` alone may leave something in the hash.
    clear_hash: bool,
    kept: KeptLines,
    commands: String,
}

/// What the lines of a search say as a whole.
#[derive(Debug, Default)]
struct Totals {
    nodes: u64,
    millis: Option<u64>,
    hashfull: Option<u16>,
    tbhits: u64,
    /// Whether there was any line with a score.
    any_score: bool,
    strange: u32,
}

impl Session {
    /// Starts an engine and sets it up. When `called_off` is done it is ended again.
    pub(crate) async fn start(
        config: &EngineConfig,
        called_off: impl Future<Output = ()>,
    ) -> Result<Session, EngineError> {
        let path = || config.command.clone();
        let mut process = Process::start(config).map_err(|source| EngineError::NotStarted { path: path(), source })?;
        let greeted = tokio::select! {
            greeted = timeout(config.start_within, greet(&mut process, config)) => greeted.unwrap_or(Err(NotReady::Late)),
            () = called_off => Err(NotReady::CalledOff),
        };
        let not_ready = match greeted {
            Ok((id, offered)) => {
                return Ok(Session {
                    process,
                    clear_hash: offered.get("Clear Hash") == Some(OptionKind::Button) && !clears_by_itself(&id),
                    id,
                    multipv: 1,
                    castling: offered.get("UCI_Chess960").map(|_| CastlingMode::Standard),
                    kept: KeptLines::default(),
                    commands: String::with_capacity(256),
                });
            }
            Err(not_ready) => not_ready,
        };
        let end = process.kill().await;
        let reason = match not_ready {
            NotReady::CalledOff => return Err(EngineError::CalledOff),
            NotReady::BadOption(reason) => return Err(EngineError::BadOption { path: path(), reason }),
            NotReady::Ended => format!("it ended ({end})"),
            NotReady::Fault(fault) => fault.to_string(),
            NotReady::Late => format!("it did not get ready within {} s", config.start_within.as_secs_f64()),
        };
        Err(EngineError::NotUci { path: path(), reason })
    }

    pub(crate) fn id(&self) -> &EngineId {
        &self.id
    }

    /// Thinks about one position, or about one move in it. `fresh` forgets everything before it. When `called_off` is done
    /// the search is stopped.
    pub(crate) async fn search(
        &mut self,
        search: &Search,
        only: Option<Move>,
        fresh: bool,
        config: &EngineConfig,
        called_off: impl Future<Output = ()>,
    ) -> Result<Analysis, Fault> {
        let castling = search.castling_mode();
        if castling == CastlingMode::Chess960 && self.castling.is_none() {
            return Err(Fault::NoChess960);
        }
        let wanted = if only.is_some() { 1 } else { search.wanted() };
        self.kept.begin(wanted);
        self.process.output.renew_budget();
        self.command(search, only, castling, wanted, fresh);
        if self.process.write(self.commands.as_bytes()).await.is_err() {
            return Err(Fault::Died(String::new()));
        }
        let mut deadline = Deadline::new(config);
        let mut totals = Totals::default();
        let mut called_off = std::pin::pin!(called_off);
        let mut ready = false;
        let mut began = Instant::now();
        let best = loop {
            let line = if self.process.output.has_line() {
                self.process.output.next_line().await
            } else {
                // Waiting starts here and not with every line: those that came together are read without looking at a clock.
                deadline.extend();
                tokio::select! {
                    line = self.process.output.next_line() => line,
                    () = &mut deadline.alarm => return Err(deadline.fault()),
                    () = &mut called_off => return Err(self.call_off(config.grace).await),
                }
            };
            let line = line.map_err(|no_line| match no_line {
                NoLine::End => Fault::Died(String::new()),
                NoLine::Fault(fault) => fault,
            })?;
            let (word, rest) = split_word(line);
            match word {
                // Everything before this belongs to an earlier search.
                b"readyok" if !ready => {
                    ready = true;
                    deadline.begin(search, config);
                    began = Instant::now();
                }
                _ if !ready => {}
                b"info" => {
                    let info =
                        Info::parse(rest).map_err(|bad| Fault::Nonsense(format!("{bad} in `{}`", shown(line))))?;
                    totals.add(&info);
                    self.kept.take(&info, rest);
                }
                b"bestmove" => break String::from_utf8_lossy(split_word(rest).0).into_owned(),
                _ => totals.pass_over(line)?,
            }
        };
        // Some engines do not say how long they took.
        totals
            .millis
            .get_or_insert_with(|| u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        self.answer(search, wanted, &best, &totals)
    }

    /// All that starts a search, written at once. `isready` needs no waiting: its answer comes before those of the search and
    /// tells them from anything that was still on its way.
    fn command(&mut self, search: &Search, only: Option<Move>, castling: CastlingMode, wanted: usize, fresh: bool) {
        let commands = &mut self.commands;
        commands.clear();
        let multipv = u8::try_from(wanted).unwrap_or(u8::MAX);
        // Writing to a string cannot fail.
        if self.multipv != multipv {
            self.multipv = multipv;
            let _ = writeln!(commands, "setoption name MultiPV value {multipv}");
        }
        if self.castling.is_some_and(|now| now != castling) {
            self.castling = Some(castling);
            let _ = writeln!(commands, "setoption name UCI_Chess960 value {}", castling.is_chess960());
        }
        if fresh {
            commands.push_str("ucinewgame\n");
            if self.clear_hash {
                commands.push_str("setoption name Clear Hash\n");
            }
        }
        commands.push_str("isready\nposition fen ");
        write_full_fen(&search.position, commands);
        let _ = write!(commands, "\ngo {}", search.limit);
        if let Some(only) = only {
            let _ = write!(commands, " searchmoves {}", UciMove::from_move(only, castling));
        }
        commands.push('\n');
    }

    /// Stops a search and leaves the engine as if it had ended.
    async fn call_off(&mut self, grace: Duration) -> Fault {
        let stopped = async {
            self.process.write(b"stop\n").await.ok()?;
            loop {
                let line = self.process.output.next_line().await.ok()?;
                if split_word(line).0 == b"bestmove" {
                    return Some(());
                }
            }
        };
        match timeout(grace, stopped).await {
            Ok(Some(())) => Fault::CalledOff,
            Ok(None) => Fault::Died(String::new()),
            Err(_) => Fault::Late(grace),
        }
    }

    fn answer(&self, search: &Search, wanted: usize, best: &str, totals: &Totals) -> Result<Analysis, Fault> {
        let position = &search.position;
        from_uci(position, best).map_err(|err| Fault::Illegal(format!("bestmove {err}")))?;
        let mut lines: Vec<EngineLine> = Vec::with_capacity(wanted);
        for rest in self.kept.lines() {
            lines.push(engine_line(position, search.castling_mode(), rest)?);
        }
        if lines.is_empty() {
            return Err(match totals.any_score {
                true => Fault::Unfinished {
                    wanted,
                    limit: search.limit.to_string(),
                },
                false => Fault::Nonsense(format!("`bestmove {best}` without a line that says why")),
            });
        }
        Ok(Analysis {
            engine: self.id.name.clone(),
            limit: search.limit,
            multipv: search.multipv.max(1),
            lines,
            nodes: totals.nodes,
            millis: totals.millis.unwrap_or(0),
            hashfull: totals.hashfull,
            tbhits: totals.tbhits,
        })
    }

    /// Asks the engine to quit, and makes sure of it.
    pub(crate) async fn quit(self, grace: Duration) {
        self.process.quit(grace).await;
    }

    /// Ends the engine at once; how it ended.
    pub(crate) async fn kill(self) -> String {
        self.process.kill().await
    }
}

impl Totals {
    fn add(&mut self, info: &Info<'_>) {
        self.nodes = info.nodes.unwrap_or(self.nodes);
        self.millis = info.millis.or(self.millis);
        self.hashfull = info.hashfull.or(self.hashfull);
        self.tbhits = info.tbhits.unwrap_or(self.tbhits);
        self.any_score |= info.score.is_some();
    }

    fn pass_over(&mut self, line: &[u8]) -> Result<(), Fault> {
        self.strange += u32::from(!line.is_empty());
        match std::str::from_utf8(line) {
            Ok(_) if self.strange <= MAX_STRANGE_LINES => Ok(()),
            _ => Err(Fault::Nonsense(format!("`{}`", shown(line)))),
        }
    }
}

/// A kept line, its moves checked one by one.
fn engine_line(position: &Chess, castling: CastlingMode, rest: &[u8]) -> Result<EngineLine, Fault> {
    let nonsense = |what: &str| Fault::Nonsense(format!("{what} in `{}`", shown(rest)));
    let info = Info::parse(rest).map_err(|bad| nonsense(&bad.to_string()))?;
    let mover = position.turn();
    let score = match info.score {
        // Mate in no moves is on the board, and then there are none to be searched.
        Some(Score::Mate(0)) | None => return Err(nonsense("no score")),
        Some(score) => score,
    };
    let mut here = position.clone();
    let mut moves: Vec<UciMove> = Vec::with_capacity(rest.len() / 5);
    for word in info.moves() {
        let text = String::from_utf8_lossy(word);
        let m = from_uci(&here, &text).map_err(|err| Fault::Illegal(format!("{err} in `{}`", shown(rest))))?;
        moves.push(UciMove::from_move(m, castling));
        here.play_unchecked(m);
    }
    Ok(EngineLine {
        index: info.multipv.and_then(|index| u8::try_from(index).ok()).unwrap_or(1),
        eval: score.eval(mover),
        depth: info.depth.unwrap_or(0),
        seldepth: info.seldepth,
        wdl: info.white_wdl(mover),
        moves,
    })
}

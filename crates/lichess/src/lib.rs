//! Speaks to Lichess-compatible services: the opening explorer (how often every move was played in a position, and how
//! those games ended) and the cloud evaluation (what engines have said about it). Reads Lichess's archive of evaluations.
//! Downloads players' games, from chess.com too.
//!
//! ```text
//! ExplorerConfig ──▶ Explorer ──position──▶ ExplorerAnswer: tallies, legal moves, illegal ones apart
//!                       │
//! Seed, CrawlOptions ──▶ crawl ──▶ Frontier: whom to ask next
//!                       └──answered──▶ CrawlSink: keeps every node before the next is asked for
//!
//! CloudConfig ──▶ CloudEval ──ask──▶ Analysis, a miss, or CloudError::Busy at once
//! GamesConfig ──▶ Lichess, ChessCom ──▶ PGN of a player's games
//! lichess_db_eval.jsonl ──read_evals──▶ EvalBlock: positions with their analyses, bad lines apart
//! ArchiveSite ──list──▶ months; ──archive──▶ Download: bytes that hide disconnections, a changed file apart
//! ```
//!
//! # Example
//!
//! One question:
//!
//! ```no_run
//! use shakmaty::Chess;
//! use tabiya_lichess::{Explorer, ExplorerConfig, Url};
//!
//! # async fn ask() -> Result<(), Box<dyn std::error::Error>> {
//! let mut config = ExplorerConfig::new(Url::parse("https://explorer.lichess.org/masters")?);
//! config.token = Some(std::fs::read_to_string("token.txt")?.parse()?);
//! let answer = Explorer::new(config)?.position(&Chess::default()).await?;
//! for m in &answer.moves {
//!     println!("{} {}", m.san, m.tally.games());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Invariants
//!
//! - A token goes to the host that was named and nowhere else: redirects are not followed, but for archives, which
//!   take none; and no error, log line or debug output contains it.
//! - Whoever asks through one [`Explorer`] shares its rate, its number of requests in flight and its
//!   pauses: a server that wants to be left alone is left alone by all.
//! - Nobody waits for a [`CloudEval`] that is to be left alone, because an engine can answer meanwhile.
//! - Moves that come out are legal where they were asked for. What is not is reported beside them.
//! - What a [`crawl`] asks for depends on the answers alone, not on the number of requests in flight
//!   and not on how often it was interrupted.

mod answer;
mod archive;
mod cloud;
mod crawl;
mod eval_file;
mod evaluation;
mod explorer;
#[doc(hidden)]
pub mod fuzzing;
mod games;
mod month;
mod service;

pub use answer::{ExplorerAnswer, ExplorerMove, GameSummary, IllegalMove, IllegalReason, OpeningName, Player, Tally};
pub use archive::{
    Action, Archive, ArchiveError, ArchiveSite, Download, DownloadOptions, Downloaded, KNOWN_ISSUES, KnownIssue,
    Published, Span, WhichVariants, blocking_issue,
};
pub use cloud::{CloudConfig, CloudError, CloudEval};
pub use crawl::{
    CrawlEnd, CrawlOptions, CrawlOutcome, CrawlReport, CrawlSink, CrawledMove, CrawledNode, Frontier, KnownMove, Seed,
    Target, crawl,
};
pub use eval_file::{
    BadEvalLine, EvalBlock, EvalFileError, EvalFilter, EvalLineError, EvaluatedPosition, MOST_PIECES, parse_eval_line,
    read_evals,
};
pub use evaluation::{BadLine, CLOUD_ENGINE, NoAnalysis};
pub use explorer::{Explorer, ExplorerConfig, ExplorerError, Politeness, Wait, WaitReason};
pub use games::{ChessCom, GamesConfig, GamesError, Lichess, LichessQuery};
pub use month::{Month, ParseMonthError};
pub use reqwest::Url;
pub use service::{BadToken, Fault, Token};
pub use tokio_util::sync::CancellationToken;

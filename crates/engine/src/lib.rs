//! Answers positions from a supervised pool of UCI processes.
//!
//! ```text
//! Unit ──submit──▶ Pool ──queue──▶ worker ──▶ EngineStub ──order──▶ EngineActor ──▶ process
//!                                    │ tries again, replaces,            │ owns it; commands out, lines in
//! Replies ◀── Answer ────────────────┘ gives up with a reason            └ KeptLines: the deepest whole set
//! ```
//!
//! # Example
//!
//! ```no_run
//! use shakmaty::Chess;
//! use tabiya_chess::SearchLimit;
//! use tabiya_engine::{Answer, EngineConfig, Pool, PoolConfig, Search, find_engine};
//!
//! # async fn ask() -> Result<(), tabiya_engine::EngineError> {
//! let config = EngineConfig::new(find_engine(None)?);
//! let pool = Pool::start(PoolConfig::new(config)).await?;
//! let search = Search {
//!     position: Chess::default(),
//!     limit: SearchLimit::nodes(100_000),
//!     multipv: 1,
//! };
//! if let Answer::Done(analysis) = pool.analyse(search).await {
//!     println!("{}: {:?}", analysis.engine, analysis.best());
//! }
//! pool.stop(std::time::Duration::from_secs(1)).await;
//! # Ok(())
//! # }
//! ```
//!
//! # Invariants
//!
//! - Every position that is submitted gets exactly one [`Answer`], whatever happens to engines and pool.
//! - Answers are White's view, their moves are legal, and their lines are of one depth; what an engine says of a depth
//!   that it did not finish, and scores that are mere bounds, never come out.
//! - With one thread and a limit of nodes or depth, the answers to a [`Unit`] depend on it alone: not on the number of workers, and
//!   not on what an engine was asked before.
//! - When [`Pool::stop`] returns no process is left; a pool that is dropped works off what somebody still waits for.

mod actor;
mod config;
mod error;
mod find;
mod group;
mod id;
mod pool;
mod process;
mod search;
mod session;
mod uci;

pub use config::{EngineConfig, PoolConfig};
pub use error::EngineError;
pub(crate) use error::Fault;
pub use find::find_engine;
pub use id::EngineId;
pub use pool::{Pool, Replies, probe};
pub use search::{Answer, Memory, NotDone, Search, Unit};
#[doc(hidden)]
pub use session::fuzzing;

//! Counts the positions and moves of any number of games in bounded memory, exactly, and keeps what it counted, so
//! that more games can be added later.
//!
//! ```text
//! games ──Tally──▶ Block ──State::add──▶ departures in 256 parts ──survey──▶ moves ──replay──▶ Graph ──extract──▶ Kept
//!         (worker)          (in file order)    (by position key)    (≥ min games)   (ids, names)     (sums, games)
//! ```
//!
//! A game leaves one departure for each position it reached: the position's key, the move first made there (or
//! none, where the counting ends), and what the game says. All else is sums over departures, so nothing depends on
//! threads, files or their order, but for games that appear twice: the first one counts.
//!
//! # Example
//!
//! ```
//! use hashbrown::HashMap;
//! use shakmaty::{Chess, Position};
//! use tabiya_chess::{FacetKinds, Outcome, Speed, parse_line};
//! use tabiya_counts::{Block, CountedSource, Extraction, GameInfo, PositionKey, Rules, State, Tally, extract};
//!
//! # let directory = tempfile::tempdir()?;
//! let mut tally = Tally::new(Block::default(), 20);
//! for line in ["1.e4 e5", "1.e4 c5", "1.d4"] {
//!     let mut position = Chess::default();
//!     tally.begin(&position);
//!     for m in parse_line(line)?.moves() {
//!         tally.playing(&position, *m);
//!         position.play_unchecked(*m);
//!         tally.reached(&position);
//!     }
//!     tally.count(GameInfo::new(Outcome::White, None, None, Speed::Unknown), |_| {});
//! }
//! let rules = Rules { max_ply: 20, min_elo: None, since: None, until: None };
//! let mut state = State::create(directory.path(), rules)?;
//! assert_eq!(state.add(&tally.into_block())?.counted, 3);
//! state.commit(CountedSource { name: "three games".into(), fingerprint: None, games: 3, counted: 3, duplicates: 0 })?;
//!
//! let wanted = Extraction {
//!     min_games: 2,
//!     facets: FacetKinds::default(),
//!     always: &HashMap::new(),
//!     threads: 1,
//!     stop: &false.into(),
//! };
//! let kept = &extract(&[&state], &wanted)?[0];
//! let start = Chess::default();
//! let start = kept.position(PositionKey::of(&start).value(&start)).expect("all games began there");
//! // 1.e4 was played twice, 1.d4 once.
//! assert_eq!(kept.moves(start).len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Invariants
//!
//! - A game counts a position once, with its first departure; so a position's games are the sum of its departures.
//! - Keys are for counting only. Positions get their ids by replaying the moves that are kept, and two positions with
//!   one key are an error then, never one position.
//! - A state directory is whole after a kill at any instant: what its manifest does not speak of is cut off.

mod block;
mod departure;
mod error;
mod extract;
mod files;
mod graph;
mod group;
mod header;
mod info;
mod kept;
mod key;
mod manifest;
mod packed_move;
mod partition;
mod parts;
mod sieve;
mod spill;
mod state;
mod survey;
mod texts;
mod walk;

pub use block::{Block, CountedGame, Tally};
pub use error::CountError;
pub use extract::{Extraction, extract, threshold};
pub use graph::{Graph, GraphEdge, GraphNode, Skeleton};
pub use group::{GameRef, KeptMove};
pub use header::GameHeader;
pub use info::{GameInfo, Month};
pub use kept::{CollectionKept, KeptPosition};
pub use key::PositionKey;
pub use manifest::{CountedSource, Rules};
pub use packed_move::PackedMove;
pub use state::{Added, State};
pub use survey::{Outline, Survey, survey};
pub use walk::{Departed, walk};

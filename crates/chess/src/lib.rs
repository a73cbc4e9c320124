//! Chess knowledge as pure values and total functions: what a position is, what a move is
//! called, what an evaluation means.
//!
//! Nothing here reads, waits, prints or rolls dice, and the rules of the game are
//! [shakmaty]'s. The flow, from text to identity and back:
//!
//! ```text
//! FEN ──parse_fen──▶ Chess ──epd──▶ EPD ──▶ PositionId ──▶ NodeId (UUIDv8)
//!                      │
//! SAN ──parse_san──▶ San ──resolve──▶ Move ──to_uci──▶ UCI ──edge_id──▶ edge
//!                                       └───to_san──▶ canonical SAN
//! 1.e4 e5 … ──parse_line──▶ Line ──OpeningTable──▶ Opening (ECO code, names)
//! [%eval …] ──eval_in_comment──▶ Eval ──expected_points──▶ loss, accuracy
//! two positions, two Evals ──classify_move──▶ Verdict ──▶ explain: what was wrong with a move
//! Board ──classify──▶ Structure: its name, and both sides' plans
//! ```
//!
//! # Example
//!
//! Two move orders, one position:
//!
//! ```
//! use shakmaty::{Chess, Position};
//! use tabiya_chess::{NodeId, PositionId, full_fen, parse_san, resolve};
//!
//! fn play(line: &str) -> Chess {
//!     let mut pos = Chess::default();
//!     for text in line.split(' ') {
//!         let (san, _check, _consumed) = parse_san(text.as_bytes()).expect("a move");
//!         pos.play_unchecked(resolve(&pos, san).expect("a legal move"));
//!     }
//!     pos
//! }
//!
//! let (a, b) = (play("Nf3 d5 d4"), play("d4 d5 Nf3"));
//! assert_ne!(full_fen(&a), full_fen(&b)); // the half-move clocks differ …
//! assert_eq!(PositionId::of(&a), PositionId::of(&b)); // … and do not matter
//!
//! let node = NodeId::from(PositionId::of(&a));
//! assert_eq!(node.to_string(), "9a2fff3f-65a3-8657-9d92-991fdba64600");
//! ```
//!
//! # Invariants
//!
//! - A position's text is its EPD with the en-passant square only where a capture is legal; its
//!   id is the FNV-1a hash of that text. Both are published and never change.
//! - An [`Eval`] is White's, everywhere.
//! - [`resolve`] is shakmaty's judgement, faster; where it is more lenient its page says so,
//!   and a differential test holds it to that.

mod address;
mod analysis;
mod ascii;
mod eval;
mod expected;
mod fen;
#[doc(hidden)]
pub mod fuzzing;
mod identity;
mod moves;
mod opening;
mod packing;
mod polyglot;
mod review;
mod stats;
mod structure;
mod variant;

pub use address::lichess_game_id;
pub use analysis::{Analysis, EngineLine, ParseLimitError, Question, SearchLimit, Wdl};
pub use eval::{Eval, EvalComment, ParseEvalError, StoredEval, eval_in_comment};
pub use expected::{expected_points, expected_points_loss, move_accuracy, shown_accuracy};
pub use fen::{
    FenError, Ignored, StartPosition, fen_at, full_fen, parse_board, parse_fen, parse_fen_by_rights,
    parse_fen_with_mode, ply_of, turn_of, write_full_fen,
};
pub use identity::{
    Fnv1a, NodeId, NotANodeId, ParseNodeIdError, PositionId, edge_id, epd, fnv1a, tactic_id, write_epd,
};
pub use moves::{
    PackedSan, SanError, UciError, figurine, from_uci, numbered_line, parse_san, resets_clock, resolve, to_san, to_uci,
    write_check_mark, write_san, write_san_unmarked, write_uci,
};
pub use opening::{
    Alias, Category, Eco, Family, Line, LineError, NamedPosition, NamesError, NamesFault, NamesFormat, NamingSystem,
    NotANamingSystem, NotAnEcoCode, Opening, OpeningId, OpeningLine, OpeningLineError, OpeningTable, Skeleton,
    SkeletonEdge, SkeletonNode, parse_line, read_names, slug,
};
pub use packing::{PackingError, PositionKey, from_compact, from_packed, position_key, write_compact, write_packed};
pub use polyglot::{
    BookMove, BookMoves, BookWriter, PolyglotBook, PolyglotError, book_weight, polyglot_key, polyglot_key_beside,
};
pub use review::{
    After, Before, Class, Explanation, INITIAL_CP, MateThresholds, Motif, NotAClass, NotARuleSet, Phase, Phases,
    Reason, RuleSet, Thresholds, Verdict, class_by_evaluation, classify as classify_move, explain, lichess_accuracy,
    lichess_drop, lichess_game_accuracy, lichess_judgement, lichess_win_percent, line_in_san, motifs, piece_value,
};
pub use stats::{Facet, FacetKinds, Outcome, ParseFacetsError, RatingBand, Speed, Stats};
pub use structure::{Classified, PawnRule, PawnRuleError, Structure, UNKNOWN, classify, pawn_diagram, pawn_skeleton};
pub use variant::{OtherVariant, Variant};

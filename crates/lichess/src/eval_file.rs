//! Lichess's archive of evaluations (`lichess_db_eval.jsonl`): one position a line, with its searches.

mod blocks;
pub(crate) mod fuzzing;
mod line;
mod read;

pub use line::{EvalLineError, EvaluatedPosition, MOST_PIECES, parse_eval_line};
pub use read::{BadEvalLine, EvalBlock, EvalFileError, EvalFilter, read_evals};

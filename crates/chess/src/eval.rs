//! Evaluations: one point of view, and the forms they take in PGN and in the knowledge base.

mod comment;
mod pawns;
mod stored;
mod value;

pub use comment::{EvalComment, eval_in_comment};
pub use pawns::ParseEvalError;
pub use stored::StoredEval;
pub use value::Eval;

//! Why a move has its class, in words.

use shakmaty::{Board, Chess, Color, Move, Position, Role, Square};

use super::{
    classify::{After, Before},
    pieces::direct_attackers,
};
use crate::{Eval, expected_points_loss, to_san};

/// Why a move has its class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// There was no other.
    OnlyMove,
    /// It leads to a position with a name.
    Named,
    /// It mates.
    Checkmate,
    /// It is what the engine would play.
    TopMove,
    /// All others are worse; the second best loses so much.
    OnlyGood {
        /// Expected points.
        loss: f64,
    },
    /// It leaves the piece on this square to the opponent, and is right.
    Offer {
        /// Where it stands.
        square: Square,
    },
    /// It changes so much.
    Loss {
        /// Expected points.
        loss: f64,
    },
    /// It lets a mate go.
    MateLost {
        /// In so many moves.
        moves: u32,
    },
    /// It lets itself be mated.
    MateAllowed {
        /// In so many moves.
        moves: u32,
    },
    /// It finds a mate that was not seen before.
    MateFound {
        /// In so many moves.
        moves: u32,
    },
    /// Somebody mates either way; it takes so many moves now.
    MateMoved {
        /// Whether the mover mates.
        own: bool,
        /// Moves before.
        before: u32,
        /// Moves after.
        after: u32,
    },
}

impl Reason {
    /// What two evaluations say of a move.
    #[must_use]
    pub fn by_evaluation(before: Eval, after: Eval, mover: Color) -> Reason {
        let mate = |eval: Eval| match eval.to_mover(mover) {
            Eval::Cp(_) => None,
            Eval::Mate(moves) => Some((moves > 0, moves.unsigned_abs())),
            Eval::Checkmate(winner) => Some((winner.is_white(), 0)),
        };
        match (mate(before), mate(after)) {
            (Some((own, before)), Some((still, after))) if own == still => Reason::MateMoved { own, before, after },
            (_, Some((false, moves))) => Reason::MateAllowed { moves },
            (_, Some((true, moves))) => Reason::MateFound { moves },
            (Some((true, moves)), None) => Reason::MateLost { moves },
            _ => Reason::Loss {
                loss: expected_points_loss(before, after, mover),
            },
        }
    }

    /// The reason as half a sentence.
    #[must_use]
    pub fn in_words(&self, before: &Before<'_>, after: &After<'_>) -> String {
        match *self {
            Reason::OnlyMove => "the only legal move".to_owned(),
            Reason::Named => "a named opening position".to_owned(),
            Reason::Checkmate => "checkmate".to_owned(),
            Reason::TopMove => "the engine's first choice".to_owned(),
            Reason::OnlyGood { loss } => format!("the only good move: the second best would lose {loss:.2} points"),
            Reason::Offer { square } => offer(after.position, square, after.eval),
            Reason::Loss { loss } if loss < 0.005 => "as good as the engine's first choice".to_owned(),
            Reason::Loss { loss } => match before.top {
                Some(top) => format!("loses {loss:.2} points against {}", to_san(before.position, top)),
                None => format!("loses {loss:.2} points"),
            },
            Reason::MateLost { moves } => format!("misses mate in {moves}"),
            Reason::MateAllowed { moves } => format!("allows mate in {moves}"),
            Reason::MateFound { moves } => format!("leads to mate in {moves}"),
            Reason::MateMoved { own: true, after, .. } => format!("still mates, in {after}"),
            Reason::MateMoved { own: false, after, .. } => format!("is mated in {after}"),
        }
    }
}

fn offer(position: &Chess, square: Square, eval: Eval) -> String {
    let left = left_to(position.board(), square).unwrap_or_else(|| "offers a piece".to_owned());
    format!("{left}, and is right ({})", eval.signed())
}

/// `leaves the knight on e5 to a pawn`, by the cheapest attacker.
pub(super) fn left_to(board: &Board, square: Square) -> Option<String> {
    let piece = board.piece_at(square)?;
    let attacks = direct_attackers(board, square, !piece.color);
    // Of a knight and a bishop the knight, wherever they stand.
    let cheapest = attacks.iter().min_by_key(|attack| (attack.value(), attack.role))?;
    let by = match cheapest.role {
        Role::King | Role::Queen => "the",
        _ => "a",
    };
    Some(format!(
        "leaves the {} to {by} {}",
        named(piece.role, square),
        role_name(cheapest.role)
    ))
}

/// `knight on e5`.
pub(super) fn named(role: Role, square: Square) -> String {
    format!("{} on {square}", role_name(role))
}

const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// The moves of a line in standard notation, as far as they can be played.
#[must_use]
pub fn line_in_san(position: &Chess, moves: &[Move]) -> Vec<String> {
    let mut here = position.clone();
    let mut texts = Vec::with_capacity(moves.len());
    for m in moves {
        if !here.is_legal(*m) {
            break;
        }
        texts.push(to_san(&here, *m));
        here.play_unchecked(*m);
    }
    texts
}

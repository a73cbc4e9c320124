//! What was wrong with a move.

use shakmaty::{Chess, Color, Move, Position, Role};

use super::{
    Motif, Reason,
    classify::{After, Before},
    motif::motifs,
    pieces::piece_value,
    words::{left_to, line_in_san, named},
};
use crate::{Eval, to_san};

/// As many half-moves of a refutation are looked at.
const LOOKED_AT: usize = 8;

/// As many half-moves are quoted, the move itself included.
const QUOTED: usize = 6;

/// What was wrong with a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// What would have been best, in SAN, where that is known.
    pub best: Option<String>,
    /// How that would have gone on, in SAN, the best move first.
    pub best_line: Vec<String>,
    /// How the opponent answers, in SAN.
    pub refutation: Vec<String>,
    /// What the opponent wins by it, in pawns; negative where the mover is ahead for all that.
    pub material: i32,
    /// In how many moves the opponent mates.
    pub mate: Option<u32>,
    /// What the refutation lives on.
    pub motifs: Vec<Motif>,
    /// All of it as a sentence without its end.
    pub text: String,
}

/// Explains a move that is not good. `reason` is that of its verdict, `best` the line that begins with the top move, `refutation`
/// the one that answers what was played.
#[must_use]
pub fn explain(
    before: &Before<'_>,
    after: &After<'_>,
    reason: &Reason,
    best: &[Move],
    refutation: &[Move],
) -> Explanation {
    let mover = before.position.turn();
    let refutation = &refutation[..refutation.len().min(LOOKED_AT)];
    let found = motifs(after.position, refutation);
    let answers = line_in_san(after.position, refutation);
    let lost = balance(before.position, mover).less(quiet_balance(after.position, refutation, mover));
    let material = lost.in_pawns();
    let mate = match after.eval.to_mover(mover) {
        Eval::Mate(moves) if moves < 0 => Some(moves.unsigned_abs()),
        _ => None,
    };
    let fault = fault(before, after, reason, &found, lost);
    let played = to_san(before.position, before.played);
    let top = before.top.map(|top| to_san(before.position, top));
    let mut text = fault;
    if !answers.is_empty() {
        let quoted: Vec<&str> = std::iter::once(played.as_str())
            .chain(answers.iter().map(String::as_str))
            .take(QUOTED)
            .collect();
        text.push_str("; the line goes ");
        text.push_str(&quoted.join(" "));
    }
    if let Some(top) = &top {
        text.push_str("; better is ");
        text.push_str(top);
    }
    Explanation {
        best: top,
        best_line: line_in_san(before.position, best),
        refutation: answers,
        material,
        mate,
        motifs: found,
        text,
    }
}

/// The first clause: the worst there is to say.
fn fault(before: &Before<'_>, after: &After<'_>, reason: &Reason, motifs: &[Motif], lost: Balance) -> String {
    let board = after.position.board();
    let material = lost.in_pawns();
    if let Reason::MateAllowed { .. } | Reason::MateLost { .. } = reason {
        let words = reason.in_words(before, after);
        return match motifs.iter().any(|motif| matches!(motif, Motif::BackRank(_))) {
            true => format!("{words} on the back rank"),
            false => words,
        };
    }
    for motif in motifs {
        let square = motif.square();
        let what = board.role_at(square).map(|role| named(role, square));
        let told = match motif {
            // What is hanging and yet costs nothing was paid for.
            Motif::HangingPiece(_) if material > 0 => left_to(board, square),
            Motif::TrappedPiece(_) => what.map(|what| format!("lets the {what} be trapped")),
            Motif::Fork(_) => Some(format!("allows a fork on {square}")),
            Motif::DiscoveredAttack(_) => what.map(|what| format!("allows a discovered attack on the {what}")),
            Motif::Pin(_) => what.map(|what| format!("lets the {what} be pinned")),
            Motif::HangingPiece(_) | Motif::BackRank(_) => None,
        };
        if let Some(told) = told {
            return told;
        }
    }
    match material {
        1.. => format!("loses {}", lost.in_words()),
        _ => reason.in_words(before, after),
    }
}

/// How many more pawns, pieces (a knight is worth a bishop), rooks and queens a side has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Balance([i32; 4]);

impl Balance {
    /// One of each kind, for its worth.
    const KINDS: [Role; 4] = [Role::Pawn, Role::Knight, Role::Rook, Role::Queen];

    fn less(self, other: Balance) -> Balance {
        Balance(std::array::from_fn(|kind| self.0[kind] - other.0[kind]))
    }

    fn in_pawns(self) -> i32 {
        let values = Balance::KINDS.map(|role| i32::try_from(piece_value(role)).unwrap_or(i32::MAX));
        self.0.iter().zip(values).map(|(count, value)| count * value).sum()
    }

    /// `a pawn`, `a piece`, `material worth 2 pawns`: a piece is named where nothing but that one piece is missing.
    fn in_words(self) -> String {
        match self.0 {
            [1, 0, 0, 0] => "a pawn".to_owned(),
            [0, 1, 0, 0] => "a piece".to_owned(),
            [0, 0, 1, 0] => "a rook".to_owned(),
            [0, 0, 0, 1] => "the queen".to_owned(),
            _ => match self.in_pawns() {
                1 => "material worth a pawn".to_owned(),
                pawns => format!("material worth {pawns} pawns"),
            },
        }
    }
}

fn balance(position: &Chess, side: Color) -> Balance {
    let board = position.board();
    let kinds = [
        board.pawns(),
        board.knights() | board.bishops(),
        board.rooks(),
        board.queens(),
    ];
    let (ours, theirs) = (board.by_color(side), board.by_color(!side));
    Balance(kinds.map(|kind| (kind & ours).count() as i32 - (kind & theirs).count() as i32))
}

/// The balance at the last point of a line at which nobody is about to take anything: engines break off in the middle of
/// exchanges.
fn quiet_balance(position: &Chess, line: &[Move], side: Color) -> Balance {
    let mut here = position.clone();
    let mut quiet = balance(position, side);
    for (number, m) in line.iter().enumerate() {
        if !here.is_legal(*m) {
            break;
        }
        here.play_unchecked(*m);
        let goes_on = line
            .get(number + 1)
            .is_some_and(|next| next.is_capture() || next.is_promotion());
        // Where the line ends with a capture, whoever was taken from may take back; he has said so if he does.
        let settled = number + 1 < line.len() || !m.is_capture();
        if !goes_on && settled && !here.is_check() {
            quiet = balance(&here, side);
        }
    }
    quiet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{from_uci, parse_fen};

    fn line(position: &Chess, text: &str) -> Vec<Move> {
        let mut here = position.clone();
        let read = |uci: &str| {
            let m = from_uci(&here, uci).expect(uci);
            here.play_unchecked(m);
            m
        };
        text.split_whitespace().map(read).collect()
    }

    fn explained(fen: &str, played: &str, evals: (Eval, Eval), best: &str, refutation: &str) -> Explanation {
        let position = parse_fen(fen).expect(fen).position;
        let played = from_uci(&position, played).expect(played);
        let mut next = position.clone();
        next.play_unchecked(played);
        let best = line(&position, best);
        let before = Before {
            position: &position,
            eval: evals.0,
            top: Some(best[0]),
            second: None,
            played,
        };
        let after = After {
            position: &next,
            eval: evals.1,
            theory: false,
        };
        let reason = Reason::by_evaluation(before.eval, after.eval, position.turn());
        explain(&before, &after, &reason, &best, &line(&next, refutation))
    }

    #[test]
    fn a_piece_is_left_to_a_pawn() {
        // The game of the rules' own example: the knight goes to e5, where a pawn takes it.
        let told = explained(
            "rnbqkbnr/ppp2ppp/3p4/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3",
            "f3e5",
            (Eval::Cp(40), Eval::Cp(-250)),
            "d2d4 e5d4 f3d4",
            "d6e5 d1h5 b8c6",
        );
        assert_eq!(
            told.text,
            "leaves the knight on e5 to a pawn; the line goes Nxe5 dxe5 Qh5 Nc6; better is d4"
        );
        assert_eq!((told.material, told.mate), (2, None));
        assert_eq!(told.best_line, ["d4", "exd4", "Nxd4"]);
        assert_eq!(told.motifs, [Motif::HangingPiece(shakmaty::Square::E5)]);
    }

    #[test]
    fn a_piece_is_named_where_it_is_all_that_is_lost() {
        let counts = |pawns, pieces, rooks, queens| Balance([pawns, pieces, rooks, queens]);
        for (lost, words) in [
            (counts(1, 0, 0, 0), "a pawn"),
            (counts(0, 1, 0, 0), "a piece"),
            (counts(0, 0, 1, 0), "a rook"),
            (counts(0, 0, 0, 1), "the queen"),
            (counts(2, 0, 0, 0), "material worth 2 pawns"),
            (counts(3, 0, 0, 0), "material worth 3 pawns"),
            (counts(2, 1, 0, 0), "material worth 5 pawns"),
            (counts(-1, -1, 1, 0), "material worth a pawn"),
            (counts(0, -1, 1, 0), "material worth 2 pawns"),
            (counts(1, 1, -2, 1), "material worth 3 pawns"),
        ] {
            assert_eq!(lost.in_words(), words);
        }
    }

    #[test]
    fn mates_come_first() {
        let told = explained(
            "r5k1/5ppp/8/8/3R4/8/5PPP/6K1 w - - 0 1",
            "d4h4",
            (Eval::Cp(0), Eval::Mate(-1)),
            "g2g3 g7g6",
            "a8a1",
        );
        assert_eq!(
            told.text,
            "allows mate in 1 on the back rank; the line goes Rh4 Ra1#; better is g3"
        );
        assert_eq!(told.mate, Some(1));
        let told = explained(
            "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1",
            "g2g3",
            (Eval::Mate(1), Eval::Cp(500)),
            "b1b8",
            "g7g6",
        );
        assert_eq!(told.text, "misses mate in 1; the line goes g3 g6; better is Rb8#");
    }

    #[test]
    fn what_nothing_is_seen_of_is_a_number() {
        let told = explained(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "g2g4",
            (Eval::Cp(30), Eval::Cp(-120)),
            "e2e4",
            "d7d5 h2h3",
        );
        assert_eq!(
            told.text,
            "loses 0.13 points against e4; the line goes g4 d5 h3; better is e4"
        );
    }
}

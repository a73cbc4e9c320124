//! `resolve` against shakmaty's `San::to_move`, on SANs that make sense and on those that do not.

use proptest::prelude::*;
use shakmaty::{
    CastlingSide, Chess, File, Move, Position, Rank, Role, Square,
    san::{San, SanError as Theirs},
    uci::UciMove,
};
use tabiya_chess::{SanError, full_fen, resolve};

use crate::walks::{Dice, walk};

/// What `resolve` has to say, in shakmaty's words. This is the whole list of differences.
fn expected(pos: &Chess, san: San) -> Result<Move, SanError> {
    let San::Normal {
        role,
        file,
        rank,
        to,
        promotion,
        ..
    } = san
    else {
        return theirs(pos, san);
    };
    let ask = |capture| {
        theirs(
            pos,
            San::Normal {
                role,
                file,
                rank,
                capture,
                to,
                promotion,
            },
        )
    };
    match (role, file, rank) {
        // Difference: file and rank without a piece mean the piece on that square. UCI decides,
        // and the king's castled square stands for castling in Chess960 as well.
        (Role::Pawn, Some(file), Some(rank)) => {
            let from = Square::from_coords(file, rank);
            let uci = UciMove::Normal { from, to, promotion };
            let by_uci = uci.to_move(pos).ok();
            // shakmaty overlooks a promotion written on an en-passant capture; we do not.
            let by_uci = by_uci.filter(|m| m.promotion() == promotion);
            let king = pos.our(Role::King).contains(from) && promotion.is_none();
            let castling = || king.then(|| castling_to(pos, to)).flatten();
            by_uci.or_else(castling).ok_or(SanError::Illegal)
        }
        // Difference: a pawn without a file never captures.
        (Role::Pawn, None, _) => ask(false),
        // Difference: the capture mark is ignored. A square is empty or it is not, so at most
        // one of the two answers finds anything.
        (Role::King, ..) => ask(false).or_else(|_| ask(true)).or_else(|err| {
            // Difference: a king that cannot step there castles there.
            let king = pos.board().king_of(pos.turn()).expect("a king");
            let origin = file.is_none_or(|file| file == king.file()) && rank.is_none_or(|rank| rank == king.rank());
            let castling = (origin && promotion.is_none()).then(|| castling_to(pos, to));
            castling.flatten().ok_or(err)
        }),
        _ => match (ask(false), ask(true)) {
            (Err(SanError::Illegal), answer) | (answer, Err(SanError::Illegal)) => answer,
            both => panic!("a capture and not a capture: {both:?}"),
        },
    }
}

fn theirs(pos: &Chess, san: San) -> Result<Move, SanError> {
    san.to_move(pos).map_err(|err| match err {
        Theirs::IllegalSan => SanError::Illegal,
        Theirs::AmbiguousSan => SanError::Ambiguous,
    })
}

fn castling_to(pos: &Chess, to: Square) -> Option<Move> {
    CastlingSide::ALL
        .into_iter()
        .find(|side| side.king_to(pos.turn()) == to)
        .and_then(|side| pos.castling_moves(side).first().copied())
}

fn check(pos: &Chess, san: San) {
    assert_eq!(resolve(pos, san), expected(pos, san), "{san} in {}", full_fen(pos));
}

fn maybe<T: Copy>(dice: &mut Dice, all: &[T]) -> Option<T> {
    (dice.roll(3) == 0).then(|| dice.pick(all))
}

/// Any SAN whatever.
fn any_san(dice: &mut Dice) -> San {
    San::Normal {
        role: dice.pick(&Role::ALL),
        file: maybe(dice, &File::ALL),
        rank: maybe(dice, &Rank::ALL),
        capture: dice.roll(2) == 0,
        to: dice.pick(&Square::ALL),
        promotion: (dice.roll(8) == 0).then(|| dice.pick(&Role::ALL)),
    }
}

/// A SAN for a piece that is there, most often one that can go there: where mistakes hide.
fn likely_san(pos: &Chess, dice: &mut Dice) -> San {
    let from = dice.pick(&pos.us().into_iter().collect::<Vec<_>>());
    let role = pos.board().role_at(from).expect("one of us");
    let reach = pos.board().attacks_from(from).into_iter();
    let pushes = [8, 16, -8, -16].map(|step| from.offset(step));
    let reach = reach.chain(pushes.into_iter().flatten()).collect::<Vec<_>>();
    let to = dice.pick(&reach);
    let promotes = role == Role::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth);
    San::Normal {
        role: if dice.roll(8) == 0 { Role::Pawn } else { role },
        file: (dice.roll(2) == 0).then(|| from.file()),
        rank: (dice.roll(3) == 0).then(|| from.rank()),
        capture: dice.roll(2) == 0,
        to,
        promotion: (promotes != (dice.roll(8) == 0)).then(|| dice.pick(&Role::ALL)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn agrees_with_shakmaty_on_any_san(seed: u64) {
        walk(seed, 100, |pos, dice| {
            for m in pos.legal_moves() {
                check(pos, San::from_move(pos, m));
                let mut all = shakmaty::MoveList::new();
                all.push(m);
                // Not disambiguated: several pieces may fit.
                check(pos, San::disambiguate(m, &all));
            }
            for _ in 0..12 {
                check(pos, any_san(dice));
                check(pos, likely_san(pos, dice));
                check(pos, likely_san(pos, dice));
            }
            for side in CastlingSide::ALL {
                check(pos, San::Castle(side));
            }
            check(pos, San::Null);
            check(pos, San::Put { role: dice.pick(&Role::ALL), to: dice.pick(&Square::ALL) });
        });
    }
}

/// Every SAN there is, in one position each.
#[test]
fn agrees_with_shakmaty_on_every_san() {
    let optional = |n: usize| 0..=n;
    for (seed, plies) in [(1, 12), (2, 20), (3, 8)] {
        let mut pos = Chess::default();
        walk(seed, plies, |visited, _| pos = visited.clone());
        for role in Role::ALL {
            for (file, rank) in optional(8).flat_map(|f| optional(8).map(move |r| (f, r))) {
                for to in Square::ALL {
                    let promotion = [None, Some(Role::Queen)][(file + rank + to.to_usize()) % 2];
                    check(
                        &pos,
                        San::Normal {
                            role,
                            file: File::ALL.get(file).copied(),
                            rank: Rank::ALL.get(rank).copied(),
                            capture: false,
                            to,
                            promotion,
                        },
                    );
                }
            }
        }
    }
}

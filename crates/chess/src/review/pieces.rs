//! Who attacks a square, who stands behind him, and who takes back.

use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

use crate::moves::king_is_safe;

/// What a piece is worth. A king is worth more than everything.
#[must_use]
pub const fn piece_value(role: Role) -> u32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => u32::MAX,
    }
}

/// A way to take what stands on a square.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attack {
    pub(super) from: Square,
    pub(super) role: Role,
    pub(super) promotion: Option<Role>,
    /// Only a king attacks what it may not take.
    pub(super) legal: bool,
}

/// Whether a king may take does not make it another attacker.
impl PartialEq for Attack {
    fn eq(&self, other: &Attack) -> bool {
        (self.from, self.role, self.promotion) == (other.from, other.role, other.promotion)
    }
}

impl Attack {
    pub(super) const fn value(&self) -> u32 {
        piece_value(self.role)
    }
}

/// Every legal capture on `square` by `side`, each promotion for itself, and its king if that stands next to it.
pub(super) fn direct_attackers(board: &Board, square: Square, side: Color) -> Vec<Attack> {
    let mut found = Vec::new();
    let Some(king) = board.king_of(side) else {
        return found;
    };
    for from in board.attacks_to(square, side, board.occupied()) {
        let Some(role) = board.role_at(from) else { continue };
        let king = if role == Role::King { square } else { king };
        let legal = may_go(board, side, king, from, square);
        let attack = |promotion| Attack {
            from,
            role,
            promotion,
            legal,
        };
        if role == Role::Pawn && square.rank() == (!side).backrank() {
            let kinds = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
            found.extend(kinds.into_iter().filter(|_| legal).map(|kind| attack(Some(kind))));
        } else if legal || role == Role::King {
            found.push(attack(None));
        }
    }
    found
}

/// Whether the king, which stands on `king` afterwards, is safe once a piece went from one square to another.
pub(super) fn may_go(board: &Board, side: Color, king: Square, from: Square, to: Square) -> bool {
    let occupied = board.occupied().without(from).with(to);
    king_is_safe(board, side, king, occupied, Bitboard::from_square(to))
}

/// The direct attackers and those that appear behind them when they are gone.
pub(super) fn attackers(board: &Board, square: Square, side: Color) -> Vec<Attack> {
    let mut all = direct_attackers(board, square, side);
    let mut fronts: Vec<(Board, Attack)> = all.iter().map(|attack| (board.clone(), *attack)).collect();
    while let Some((mut board, front)) = fronts.pop() {
        // Nobody attacks through a king, and what neither slides nor uncovers a slider has nothing behind it.
        if front.role == Role::King {
            continue;
        }
        let before = direct_attackers(&board, square, side);
        board.discard_piece_at(front.from);
        for revealed in direct_attackers(&board, square, side) {
            if !before.contains(&revealed) {
                all.push(revealed);
                fronts.push((board.clone(), revealed));
            }
        }
    }
    all
}

/// The squares in an order that knows no colour: as `side` sees them, its first rank first.
pub(super) fn as_seen_by(side: Color, squares: Bitboard) -> impl Iterator<Item = Square> {
    let turned = move |square: Square| side.fold_wb(square, square.flip_vertical());
    side.fold_wb(squares, squares.flip_vertical()).into_iter().map(turned)
}

/// Who would take back on `square`, batteries included, against the capture that leaves the fewest of them. Where nobody
/// can take, those who attack the square as if the piece on it were the other side's.
pub(super) fn defenders(board: &Board, square: Square) -> Vec<Attack> {
    let Some(piece) = board.piece_at(square) else {
        return Vec::new();
    };
    let captures = direct_attackers(board, square, !piece.color);
    let sets = captures.iter().filter(|capture| capture.legal).map(|capture| {
        let mut after = board.clone();
        after.discard_piece_at(capture.from);
        let role = capture.promotion.unwrap_or(capture.role);
        after.set_piece_at(
            square,
            Piece {
                role,
                color: !piece.color,
            },
        );
        attackers(&after, square, piece.color)
    });
    // Of sets as small as each other the one with the dearest defenders: whoever takes chooses how.
    let smallest = sets.min_by_key(|set| (set.len(), std::cmp::Reverse(cheapest(set))));
    smallest.unwrap_or_else(|| {
        let mut turned = board.clone();
        turned.set_piece_at(
            square,
            Piece {
                color: !piece.color,
                ..piece
            },
        );
        attackers(&turned, square, piece.color)
    })
}

/// What the cheapest of them is worth.
pub(super) fn cheapest(attacks: &[Attack]) -> Option<u32> {
    attacks.iter().map(Attack::value).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_board;

    fn squares(attacks: &[Attack]) -> String {
        let mut names: Vec<String> = attacks.iter().map(|attack| attack.from.to_string()).collect();
        names.sort();
        names.join(" ")
    }

    /// What attacks, with batteries, and defends the piece on a square: as it stands, and with colours exchanged.
    #[track_caller]
    fn check(text: &str, square: Square, direct: &str, all: &str, defending: &str) {
        for mirror in [false, true] {
            let mut board = parse_board(text).expect(text);
            let turned = |square: Square| if mirror { square.flip_vertical() } else { square };
            if mirror {
                board.mirror();
            }
            let square = turned(square);
            let owner = board.color_at(square).expect("a piece");
            let upright = |attacks: Vec<Attack>| {
                let back = |attack: &Attack| Attack {
                    from: turned(attack.from),
                    ..*attack
                };
                squares(&attacks.iter().map(back).collect::<Vec<_>>())
            };
            assert_eq!(upright(direct_attackers(&board, square, !owner)), direct, "direct");
            assert_eq!(upright(attackers(&board, square, !owner)), all, "all");
            assert_eq!(upright(defenders(&board, square)), defending, "defending");
        }
    }

    #[test]
    fn nobody_and_somebody() {
        check("4k3/8/8/8/3N4/8/8/4K3", Square::D4, "", "", "");
        check("4k3/8/8/2p5/3N4/4P3/8/4K3", Square::D4, "c5", "c5", "e3");
        check("3rk3/8/8/8/3N4/8/3R4/4K3", Square::D4, "d8", "d8", "d2");
    }

    #[test]
    fn rooks_queens_and_bishops_stand_behind_each_other() {
        check("3qk3/3r4/3r4/8/3N4/8/3R4/3QK3", Square::D4, "d6", "d6 d7 d8", "d1 d2");
        check("4k3/6q1/5b2/8/3N4/8/8/4K3", Square::D4, "f6", "f6 g7", "");
        check("4k3/8/8/2p5/3N4/8/1q6/4K3", Square::D4, "b2 c5", "b2 c5", "");
        // The bishop stands behind its pawn.
        check("4k3/b7/8/2p5/3N4/8/8/4K3", Square::D4, "c5", "a7 c5", "");
        // A queen behind a rook, where both go straight; not behind a knight, which hides nothing on this line.
        check("4k3/8/8/8/q2r1N2/8/8/4K3", Square::F4, "d4", "a4 d4", "");
        check("4k3/8/3n4/8/4N3/8/8/4K3", Square::E4, "d6", "d6", "");
    }

    #[test]
    fn a_king_attacks_what_it_may_not_take_and_hides_what_is_behind_it() {
        check("8/8/8/4k3/3N4/8/8/3RK3", Square::D4, "e5", "e5", "d1");
        check("8/6q1/8/4k3/3N4/8/8/4K3", Square::D4, "e5", "e5", "");
    }

    #[test]
    fn pinned_pieces_attack_and_defend_only_along_the_pin() {
        check("3k4/3n4/8/4N3/8/8/8/3RK3", Square::E5, "", "", "");
        check("8/3k4/3n4/8/2N1K3/8/3R4/8", Square::C4, "", "", "");
        // The pinned rook takes the one that pins it.
        check("3k4/3r4/8/8/8/8/3R4/4K3", Square::D2, "d7", "d7", "e1");
        // A knight that is pinned takes nothing back.
        check("4k3/8/8/2p5/3P4/1N6/8/K7", Square::D4, "c5", "c5", "b3");
        check("4k3/8/8/2p5/3P4/8/8/KN5q", Square::D4, "c5", "c5", "");
    }

    #[test]
    fn each_promotion_counts() {
        check("R2k4/1p6/8/8/8/8/8/4K3", Square::A8, "", "", "");
        check("4k3/8/8/8/8/8/1p6/R3K3", Square::A1, "b2 b2 b2 b2", "b2 b2 b2 b2", "");
    }

    #[test]
    fn the_capture_that_leaves_the_fewest_is_the_one() {
        // The bishop's capture lets the pawn take back, the queen's uncovers nothing either; both leave one.
        check("4k3/8/8/2p5/3N4/4P3/1q6/4K3", Square::D4, "b2 c5", "b2 c5", "e3");
        // Taken by the pawn on e5 the piece is taken back by two; taken by the rook, which stood in the way, by three.
        check(
            "3qk3/3r4/8/4p3/3N4/4P3/8/3QK3",
            Square::D4,
            "d7 e5",
            "d7 d8 e5",
            "d1 e3",
        );
    }

    #[test]
    fn who_is_in_check_attacks_with_what_ends_it() {
        // The rook gives check: the queen may take it, and not the knight.
        let text = "4k3/8/8/N7/8/8/7K/q3R3";
        check(text, Square::A5, "", "", "");
        check(text, Square::E1, "a1", "a1", "");
        check("4k3/8/8/N7/8/8/7K/q7", Square::A5, "a1", "a1", "");
    }
}

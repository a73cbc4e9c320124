//! The rule language read once more, token by token and square by square, without a thought for speed.

use shakmaty::{Board, Color, File, Piece, Rank, Role, Square};

/// Row, alternative and side of the first rule that holds.
pub(super) fn classify(rows: &[(usize, &'static str)], board: &Board) -> Option<(usize, &'static str, Color)> {
    let reversed = board.clone().into_mirrored();
    for &(row, rules) in rows {
        for rule in rules.split("; ") {
            if holds(rule, board) {
                return Some((row, rule, Color::White));
            }
            if rule.ends_with('~') && holds(rule, &reversed) {
                return Some((row, rule, Color::Black));
            }
        }
    }
    None
}

fn holds(rule: &str, board: &Board) -> bool {
    let (white, black) = rule.trim_end_matches(" ~").split_once(" / ").expect("two sides");
    side_holds(white, board, Color::White) && side_holds(black, board, Color::Black)
}

fn side_holds(part: &str, board: &Board, color: Color) -> bool {
    let mut choice: Option<bool> = None;
    for token in part.split(' ') {
        let (opens, closes) = (token.starts_with('['), token.ends_with(']'));
        let found = token_holds(token.trim_matches(['[', ']']), board, color);
        if opens || choice.is_some() {
            let one = choice.unwrap_or(false) || found;
            if !closes {
                choice = Some(one);
                continue;
            }
            choice = None;
            if !one {
                return false;
            }
        } else if !found {
            return false;
        }
    }
    true
}

fn token_holds(token: &str, board: &Board, color: Color) -> bool {
    if token == "." {
        return true;
    }
    if let Some(absent) = token.strip_prefix('-') {
        let (files, ranks) = split(absent);
        let ranks = if ranks.is_empty() { "*" } else { ranks };
        return files.chars().all(|file| !stands(board, color, Role::Pawn, file, ranks));
    }
    let (role, squares) = match token.strip_prefix('B') {
        Some(squares) => (Role::Bishop, squares),
        None => (Role::Pawn, token),
    };
    let (file, ranks) = split(squares);
    stands(board, color, role, file.chars().next().expect("a file"), ranks)
}

fn split(squares: &str) -> (&str, &str) {
    let letters = squares.chars().take_while(char::is_ascii_lowercase).count();
    squares.split_at(letters)
}

fn stands(board: &Board, color: Color, role: Role, file: char, ranks: &str) -> bool {
    let file = File::from_char(file).expect("a file");
    let ranks = ranks.replace('*', "12345678");
    ranks.chars().any(|rank| {
        let square = Square::from_coords(file, Rank::from_char(rank).expect("a rank"));
        board.piece_at(square) == Some(Piece { color, role })
    })
}

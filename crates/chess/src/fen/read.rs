//! FEN to position, leniently.

use std::num::NonZeroU32;

use shakmaty::{
    Board, CastlingMode, Chess, FromSetup, PositionError, PositionErrorKinds, Setup,
    fen::{Fen, ParseFenError},
};

use super::FenError;
use crate::PackingError;

/// A position read from a FEN, and what had to be overlooked to play on from it.
#[derive(Clone, Debug)]
pub struct StartPosition {
    /// The position, with its counters.
    pub position: Chess,
    /// What the FEN claimed and the board does not support.
    pub ignored: Ignored,
}

impl StartPosition {
    /// Whether this is the initial position of standard chess. Counters do not matter.
    #[must_use]
    pub fn is_initial(&self) -> bool {
        self.position == Chess::default()
    }
}

/// Claims of a FEN that were dropped, or oddities that were let through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ignored {
    /// Castling rights without the king and rook for them were dropped.
    pub castling_rights: bool,
    /// An en-passant square that no double push can have left was dropped.
    pub ep_square: bool,
    /// More pieces than promotion can make were kept.
    pub too_much_material: bool,
    /// A check that no legal move can have given was kept.
    pub impossible_check: bool,
}

impl Ignored {
    /// Whether anything was overlooked.
    #[must_use]
    pub const fn any(self) -> bool {
        self.castling_rights || self.ep_square || self.too_much_material || self.impossible_check
    }
}

/// Reads a FEN of standard chess.
///
/// Accepted are six fields or fewer (missing ones read `w - - 0 1`), any white space or `_`
/// between them, `-` for an unknown counter, move number 0 for 1, and the word `startpos`.
/// What is harmless is overlooked and listed in [`Ignored`].
///
/// ```
/// use tabiya_chess::{full_fen, parse_fen};
///
/// let start = parse_fen("4k3/8/8/8/8/8/4P3/4K3_w_KQ_-")?;
/// assert_eq!(full_fen(&start.position), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
/// assert!(start.ignored.castling_rights);
/// # Ok::<_, tabiya_chess::FenError>(())
/// ```
///
/// # Errors
///
/// [`FenError`] names the field that does not parse, or why the position cannot be played.
pub fn parse_fen(text: &str) -> Result<StartPosition, FenError> {
    parse_fen_with_mode(text, CastlingMode::Standard)
}

/// Reads a FEN of standard chess or Chess960, where castling rights are `KQkq` (the outermost
/// rook) or file letters.
///
/// # Errors
///
/// As [`parse_fen`].
pub fn parse_fen_with_mode(text: &str, mode: CastlingMode) -> Result<StartPosition, FenError> {
    let mut fields = fields(text);
    let setup = read_setup(&mut fields)?;
    if let Some(trailing) = fields.next() {
        return Err(FenError::Trailing(trailing.to_owned()));
    }
    into_start(setup, mode).map_err(|kinds| FenError::Unplayable {
        fen: text.split_whitespace().collect::<Vec<_>>().join(" "),
        kinds,
    })
}

/// Reads a FEN of standard chess, or of Chess960 where only that knows the castling rights it claims: positions of both that were
/// written down side by side come back as they were.
///
/// ```
/// use shakmaty::{CastlingMode, Position as _};
/// use tabiya_chess::parse_fen_by_rights;
///
/// let mode = |fen| parse_fen_by_rights(fen).map(|start| start.position.castles().mode());
/// assert_eq!(mode("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -")?, CastlingMode::Standard);
/// assert_eq!(mode("1r1k2r1/8/8/8/8/8/8/1R1K2R1 w KQkq -")?, CastlingMode::Chess960);
/// # Ok::<_, tabiya_chess::FenError>(())
/// ```
///
/// # Errors
///
/// As [`parse_fen`].
pub fn parse_fen_by_rights(text: &str) -> Result<StartPosition, FenError> {
    let standard = parse_fen(text)?;
    if !standard.ignored.castling_rights {
        return Ok(standard);
    }
    // Rights that Chess960 does not know either are nobody's.
    let shuffled = parse_fen_with_mode(text, CastlingMode::Chess960);
    let shuffled = shuffled.ok().filter(|start| !start.ignored.castling_rights);
    Ok(shuffled.unwrap_or(standard))
}

/// Reads the board of a FEN or of its first field alone, whether or not anybody could play on from it: kings may be
/// missing. The other fields are checked as far as they are there; the operations of an EPD (`bm Nf3;`) are passed over.
///
/// ```
/// use tabiya_chess::parse_board;
///
/// let board = parse_board("8/8/4p3/3pP3/3P4/8/8/8_w_-_-")?;
/// assert_eq!(board.pawns().count(), 4);
/// # Ok::<_, tabiya_chess::FenError>(())
/// ```
///
/// # Errors
///
/// [`FenError`] names the field that does not parse. It is never [`FenError::Unplayable`].
pub fn parse_board(text: &str) -> Result<Board, FenError> {
    let is_operation = |field: &&str| field.starts_with(|letter: char| letter.is_ascii_alphabetic());
    // An operation can only follow the first four fields.
    let mut fields = fields(text)
        .enumerate()
        .take_while(|(number, field)| *number < 4 || !is_operation(field))
        .map(|(_, field)| field);
    let setup = read_setup(&mut fields)?;
    match fields.next() {
        Some(trailing) => Err(FenError::Trailing(trailing.to_owned())),
        None => Ok(setup.board),
    }
}

fn fields(text: &str) -> impl Iterator<Item = &str> {
    text.split(|ch: char| ch.is_whitespace() || ch == '_')
        .filter(|field| !field.is_empty())
}

fn read_setup<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Result<Setup, FenError> {
    let board = fields.next().ok_or(FenError::Empty)?;
    if board.eq_ignore_ascii_case("startpos") {
        return Ok(Setup::initial());
    }
    // shakmaty would read Crazyhouse's promoted pieces and pockets here.
    if board.contains(['~', '[']) || board.matches('/').count() != 7 {
        return Err(FenError::Board(board.to_owned()));
    }
    let turn = fields.next().unwrap_or("w");
    let castling = fields.next().unwrap_or("-");
    let ep_square = fields.next().unwrap_or("-");

    let side = turn.to_ascii_lowercase();
    let fen = Fen::from_ascii(format!("{board} {side} {castling} {ep_square}").as_bytes());
    let mut setup = fen
        .map_err(|err| match err {
            ParseFenError::InvalidTurn => FenError::Turn(turn.to_owned()),
            ParseFenError::InvalidCastling => FenError::Castling(castling.to_owned()),
            ParseFenError::InvalidEpSquare => FenError::EnPassant(ep_square.to_owned()),
            // The remaining kinds belong to fields that were not handed over.
            _ => FenError::Board(board.to_owned()),
        })?
        .into_setup();

    setup.halfmoves = counter(fields.next(), FenError::Halfmoves)?;
    let fullmoves = counter(fields.next(), FenError::Fullmoves)?;
    setup.fullmoves = NonZeroU32::new(fullmoves).unwrap_or(NonZeroU32::MIN);
    Ok(setup)
}

fn counter(field: Option<&str>, err: fn(String) -> FenError) -> Result<u32, FenError> {
    match field {
        None | Some("-") => Ok(0),
        Some(digits) => digits.parse().map_err(|_| err(digits.to_owned())),
    }
}

/// The position that a set-up is exactly: nothing of it is overlooked but what games from odd starts have.
pub(crate) fn position_of_setup(setup: Setup, mode: CastlingMode) -> Result<Chess, PackingError> {
    let fen = || Fen::try_from_setup(setup.clone()).map_or_else(|_| setup.board.to_string(), |fen| fen.to_string());
    let start = into_start(setup.clone(), mode).map_err(|kinds| FenError::Unplayable { fen: fen(), kinds })?;
    match start.ignored {
        Ignored {
            castling_rights: true, ..
        } => Err(PackingError::Misfit("a castling right")),
        Ignored { ep_square: true, .. } => Err(PackingError::Misfit("the en-passant square")),
        _ => Ok(start.position),
    }
}

fn into_start(setup: Setup, mode: CastlingMode) -> Result<StartPosition, PositionErrorKinds> {
    let mut kinds = PositionErrorKinds::empty();
    let position = Chess::from_setup(setup, mode)
        .inspect_err(|err| kinds = err.kinds())
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|err| err.kinds())?;
    Ok(StartPosition {
        position,
        ignored: Ignored {
            castling_rights: kinds.contains(PositionErrorKinds::INVALID_CASTLING_RIGHTS),
            ep_square: kinds.contains(PositionErrorKinds::INVALID_EP_SQUARE),
            too_much_material: kinds.contains(PositionErrorKinds::TOO_MUCH_MATERIAL),
            impossible_check: kinds.contains(PositionErrorKinds::IMPOSSIBLE_CHECK),
        },
    })
}

#[cfg(test)]
mod tests {
    use shakmaty::Position as _;

    use super::*;
    use crate::full_fen;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn check(text: &str, expected: &str) {
        let start = parse_fen(text).expect(text);
        assert_eq!(full_fen(&start.position), expected, "{text}");
        assert!(!start.ignored.any(), "{text}: {:?}", start.ignored);
    }

    fn check_960(text: &str, expected: &str) {
        let start = parse_fen_with_mode(text, CastlingMode::Chess960).expect(text);
        assert_eq!(full_fen(&start.position), expected, "{text}");
        assert!(!start.ignored.any(), "{text}: {:?}", start.ignored);
    }

    fn check_ignored(text: &str, expected: &str, ignored: Ignored) {
        let start = parse_fen(text).expect(text);
        assert_eq!(full_fen(&start.position), expected, "{text}");
        assert_eq!(start.ignored, ignored, "{text}");
    }

    fn check_error(text: &str, expected: &str) {
        assert_eq!(parse_fen(text).expect_err(text).to_string(), expected);
    }

    #[test]
    fn reads_fen_as_people_write_it() {
        check(START, START);
        check("startpos", START);
        check("  startpos \n", START);
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", START);
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0", START);
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0", START);
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - - -", START);
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1", START);
        check(
            "\trnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR  W KQkq\u{a0}-  0 1 ",
            START,
        );
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1", START);
        check("4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        check("4k3/8/8/8/8/8/8/4K3 b - - 17 80", "4k3/8/8/8/8/8/8/4K3 b - - 17 80");
        assert!(parse_fen("startpos").unwrap().is_initial());
        assert!(!parse_fen("4k3/8/8/8/8/8/8/4K3").unwrap().is_initial());
    }

    #[test]
    fn chess960_rights_are_letters_of_either_kind() {
        let fen = "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w KQkq - 0 1";
        check_960(fen, fen);
        check_960("bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf -", fen);
        check_960("startpos", START);
        let start = parse_fen_with_mode("startpos", CastlingMode::Chess960).unwrap();
        assert!(start.is_initial());
        let inner = "4k3/8/8/8/8/8/8/4K1RR w G - 0 1";
        check_960(inner, inner);
    }

    #[test]
    fn a_position_is_of_chess960_where_its_rights_say_so() {
        let check = |fen: &str, mode: CastlingMode| {
            let start = parse_fen_by_rights(fen).expect(fen);
            assert_eq!(
                (full_fen(&start.position).as_str(), start.position.castles().mode()),
                (fen, mode)
            );
        };
        check(START, CastlingMode::Standard);
        check(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
            CastlingMode::Standard,
        );
        check(
            "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1",
            CastlingMode::Chess960,
        );
        check(
            "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w - - 0 1",
            CastlingMode::Standard,
        );
        check("4k3/8/8/8/8/8/8/4K1RR w G - 0 1", CastlingMode::Chess960);
        // Nobody has these.
        let nobody_s = parse_fen_by_rights("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1").expect("a position");
        assert!(nobody_s.ignored.castling_rights);
        assert_eq!(nobody_s.position.castles().mode(), CastlingMode::Standard);
    }

    #[test]
    fn harmless_claims_are_overlooked_and_listed() {
        check_ignored(
            "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            Ignored {
                castling_rights: true,
                ..Ignored::default()
            },
        );
        check_ignored(
            "4k3/8/8/8/8/8/8/4K3 w - e4 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            Ignored {
                ep_square: true,
                ..Ignored::default()
            },
        );
        let queens = "4k3/8/8/8/QQQQQQQQ/QQQ5/8/4K3 b - - 0 1";
        check_ignored(
            queens,
            queens,
            Ignored {
                too_much_material: true,
                ..Ignored::default()
            },
        );
        let checks = "4k3/8/3N1N2/8/8/8/8/4RK2 b - - 0 1";
        check_ignored(
            checks,
            checks,
            Ignored {
                impossible_check: true,
                ..Ignored::default()
            },
        );
    }

    #[test]
    fn a_board_needs_no_kings() {
        for text in [
            "8/8/8/3p4/8/8/8/8",
            "8/8/8/3p4/8/8/8/8 w - -",
            "8/8/8/3p4/8/8/8/8_b_KQkq_e3_0_1",
            "8/8/8/3p4/8/8/8/8 w - - bm d4; id \"an EPD\";",
            "8/8/8/3p4/8/8/8/8 w - - 0 1 bm d4;",
        ] {
            assert_eq!(parse_board(text).expect(text).to_string(), "8/8/8/3p4/8/8/8/8");
        }
        assert_eq!(parse_board("startpos"), Ok(Board::new()));
        let check = |text: &str, expected: FenError| assert_eq!(parse_board(text), Err(expected), "{text}");
        check("", FenError::Empty);
        check("8/8/8", FenError::Board("8/8/8".to_owned()));
        check("8/8/8/3p4/8/8/8/8 x", FenError::Turn("x".to_owned()));
        check("8/8/8/3p4/8/8/8/8 w - - 1 2 3", FenError::Trailing("3".to_owned()));
        check("e4", FenError::Board("e4".to_owned()));
    }

    #[test]
    fn errors_are_sentences_that_name_the_text() {
        check_error(" _ ", "the FEN is empty");
        check_error(
            "hello",
            "the board `hello` is not eight ranks of eight squares separated by `/`",
        );
        check_error(
            "4k3/8/8/8/8/8/8/4K3/ w - -",
            "the board `4k3/8/8/8/8/8/8/4K3/` is not eight ranks of eight squares separated by `/`",
        );
        check_error(
            "4k3/8/8/8/8/8/8/4K2Q~ w - -",
            "the board `4k3/8/8/8/8/8/8/4K2Q~` is not eight ranks of eight squares separated by `/`",
        );
        check_error(
            "4k3/8/8/8/8/8/8/4K3 x - -",
            "the side to move must be `w` or `b`, not `x`",
        );
        check_error(
            "4k3/8/8/8/8/8/8/4K3 w Kx -",
            "the castling rights must be `-` or letters such as `KQkq`, not `Kx`",
        );
        check_error(
            "4k3/8/8/8/8/8/8/4K3 w - e9",
            "the en-passant square must be `-` or a square such as `e3`, not `e9`",
        );
        check_error(
            "4k3/8/8/8/8/8/8/4K3 w - - x 1",
            "the half-move clock must be a number, not `x`",
        );
        check_error(
            "4k3/8/8/8/8/8/8/4K3 w - - 0 -1",
            "the move number must be a number, not `-1`",
        );
        check_error(
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1 bm",
            "nothing may follow the move number, but there is `bm`",
        );
        check_error(
            "8/8/8/8/8/8/8/8  w - - 0 1",
            "`8/8/8/8/8/8/8/8 w - - 0 1` cannot be played: the board is empty, a king is missing",
        );
        check_error(
            "4k3/4Q3/8/8/8/8/8/4K3 w - -",
            "`4k3/4Q3/8/8/8/8/8/4K3 w - -` cannot be played: the side that is not to move is in check",
        );
    }
}

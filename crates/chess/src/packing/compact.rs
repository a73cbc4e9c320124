//! The compact layout: `flags | board | white castling | black castling | ep | halfmove | fullmove (LE16)`.
//!
//! The board is one run of nibbles from a8 to h1, the high nibble first: a piece is its index in `KQRBNPkqrbnp`; a run of
//! up to eight empty squares, which may cross ranks, is C and its length − 1; an odd tail is padded with F.

use std::num::NonZeroU32;

use shakmaty::{Bitboard, Board, Chess, Color, EnPassantMode, File, Piece, Position, Rank, Role, Setup, Square};

use super::PackingError;
use crate::{Variant, fen::position_of_setup};

const BLACK_TO_MOVE: u8 = 1;
const CHESS960: u8 = 2;
const EMPTY_RUN: u8 = 0xc;
const PADDING: u8 = 0xf;
const NO_SQUARE: u8 = 0xff;

/// Pieces by their nibble, without regard to colour.
const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

/// Appends the position in the compact layout. Counters beyond 255 half-moves and 65535 moves are cut down to that.
pub fn write_compact(pos: &Chess, variant: Variant, out: &mut Vec<u8>) {
    let setup = pos.to_setup(EnPassantMode::Legal);
    let black = setup.turn.fold_wb(0, BLACK_TO_MOVE);
    let chess960 = match variant {
        Variant::Standard => 0,
        Variant::Chess960 => CHESS960,
    };
    out.push(black | chess960);
    let mut nibbles = Nibbles { out, high: None };
    let mut empty = 0;
    for square in squares() {
        match setup.board.piece_at(square) {
            None => empty += 1,
            Some(piece) => {
                nibbles.push_empty(&mut empty);
                nibbles.push(nibble_of(piece));
            }
        }
    }
    nibbles.push_empty(&mut empty);
    nibbles.pad();
    for color in [Color::White, Color::Black] {
        let rooks = setup.castling_rights & Bitboard::from_rank(color.fold_wb(Rank::First, Rank::Eighth));
        out.push(
            rooks
                .into_iter()
                .fold(0, |files, square| files | 1 << u32::from(square.file())),
        );
    }
    out.push(setup.ep_square.map_or(NO_SQUARE, |square| square as u8));
    out.push(u8::try_from(setup.halfmoves).unwrap_or(u8::MAX));
    let fullmoves = u16::try_from(setup.fullmoves.get()).unwrap_or(u16::MAX);
    out.extend_from_slice(&fullmoves.to_le_bytes());
}

/// Reads back what [`write_compact`] wrote.
///
/// # Errors
///
/// [`PackingError`] for anything else.
pub fn from_compact(bytes: &[u8]) -> Result<(Chess, Variant), PackingError> {
    let (&flags, rest) = bytes.split_first().ok_or(PackingError::TooShort)?;
    if flags & !(BLACK_TO_MOVE | CHESS960) != 0 {
        return Err(PackingError::Meaningless {
            what: "the byte of flags",
            value: flags,
        });
    }
    let variant = match flags & CHESS960 {
        0 => Variant::Standard,
        _ => Variant::Chess960,
    };
    let (board, board_bytes) = read_board(rest)?;
    let tail = &rest[board_bytes..];
    let &[white, black, ep, halfmoves, low, high] = match tail.len() {
        0..6 => return Err(PackingError::TooShort),
        6 => tail.first_chunk::<6>().ok_or(PackingError::TooShort)?,
        more => return Err(PackingError::TooLong(more - 6)),
    };
    let mut setup = Setup::empty();
    setup.board = board;
    setup.turn = Color::from_white(flags & BLACK_TO_MOVE == 0);
    for (files, rank) in [(white, Rank::First), (black, Rank::Eighth)] {
        for file in (0..8u32).filter(|file| files >> file & 1 == 1) {
            setup.castling_rights.add(Square::from_coords(File::new(file), rank));
        }
    }
    setup.ep_square = match ep {
        NO_SQUARE => None,
        0..64 => Some(Square::new(u32::from(ep))),
        value => {
            return Err(PackingError::Meaningless {
                what: "the en-passant square",
                value,
            });
        }
    };
    setup.halfmoves = halfmoves.into();
    let fullmoves = u16::from_le_bytes([low, high]);
    setup.fullmoves = NonZeroU32::new(fullmoves.into()).ok_or(PackingError::Meaningless {
        what: "the move number",
        value: 0,
    })?;
    Ok((position_of_setup(setup, variant.castling_mode())?, variant))
}

/// The board, and how many bytes it took.
fn read_board(bytes: &[u8]) -> Result<(Board, usize), PackingError> {
    let mut nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    let mut next = || nibbles.next().ok_or(PackingError::TooShort);
    let mut board = Board::empty();
    let mut squares = squares();
    let (mut done, mut read) = (0, 0);
    while done < 64 {
        let nibble = next()?;
        read += 1;
        if nibble == EMPTY_RUN {
            let length = usize::from(next()?) + 1;
            read += 1;
            if length > 8 || done + length > 64 {
                return Err(PackingError::Misfit("a run of empty squares"));
            }
            squares.nth(length - 1);
            done += length;
        } else {
            let piece = piece_of(nibble)?;
            if let Some(square) = squares.next() {
                board.set_piece_at(square, piece);
            }
            done += 1;
        }
    }
    if read % 2 == 1 {
        match next()? {
            PADDING => read += 1,
            value => {
                return Err(PackingError::Meaningless {
                    what: "the half-byte behind the board",
                    value,
                });
            }
        }
    }
    Ok((board, read / 2))
}

/// a8 to h8, then a7 and so on to h1.
fn squares() -> impl Iterator<Item = Square> {
    (0..64).map(|place: u32| Square::new(place ^ 56))
}

fn nibble_of(piece: Piece) -> u8 {
    let kind = match piece.role {
        Role::King => 0,
        Role::Queen => 1,
        Role::Rook => 2,
        Role::Bishop => 3,
        Role::Knight => 4,
        Role::Pawn => 5,
    };
    kind + piece.color.fold_wb(0, 6)
}

fn piece_of(nibble: u8) -> Result<Piece, PackingError> {
    let color = Color::from_white(nibble < 6);
    match ROLES.get(usize::from(nibble % 6)) {
        Some(&role) if nibble < 12 => Ok(Piece { color, role }),
        _ => Err(PackingError::Meaningless {
            what: "a square",
            value: nibble,
        }),
    }
}

/// Puts half-bytes together.
struct Nibbles<'a> {
    out: &'a mut Vec<u8>,
    high: Option<u8>,
}

impl Nibbles<'_> {
    fn push(&mut self, nibble: u8) {
        match self.high.take() {
            None => self.high = Some(nibble << 4),
            Some(high) => self.out.push(high | nibble),
        }
    }

    fn push_empty(&mut self, empty: &mut u8) {
        while *empty > 0 {
            let run = (*empty).min(8);
            self.push(EMPTY_RUN);
            self.push(run - 1);
            *empty -= run;
        }
    }

    fn pad(&mut self) {
        if self.high.is_some() {
            self.push(PADDING);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::CastlingMode;

    use super::*;
    use crate::{full_fen, parse_fen_with_mode};

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn check(fen: &str, variant: Variant) -> Vec<u8> {
        let pos = parse_fen_with_mode(fen, variant.castling_mode()).expect(fen).position;
        let mut bytes = Vec::new();
        write_compact(&pos, variant, &mut bytes);
        let (back, back_variant) = from_compact(&bytes).expect(fen);
        assert_eq!((full_fen(&back), back_variant), (full_fen(&pos), variant));
        assert_eq!(back, pos);
        bytes
    }

    #[test]
    fn the_published_examples() {
        let start = check("startpos", Variant::Standard);
        assert_eq!(hex(&start), "008a9769a8bbbbbbbbc7c7c7c755555555243103428181ff000100");
        let endgame = check("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", Variant::Standard);
        assert_eq!(hex(&endgame), "00c7c1bc7bc305c48c02c2bc06c7c35c05c7c00000ff000100");
    }

    #[test]
    fn everything_a_position_has_comes_back() {
        check("4k3/8/8/8/8/8/8/4K3 b - - 99 4000", Variant::Standard);
        check(
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            Variant::Standard,
        );
        check(
            "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1",
            Variant::Chess960,
        );
        check("4k3/8/8/8/8/8/8/4K1RR w G - 0 1", Variant::Chess960);
    }

    #[test]
    fn counters_are_cut_down_to_what_fits() {
        let pos = parse_fen_with_mode("4k3/8/8/8/8/8/8/4K3 b - - 300 70000", CastlingMode::Standard)
            .expect("a FEN")
            .position;
        let mut bytes = Vec::new();
        write_compact(&pos, Variant::Standard, &mut bytes);
        let (back, _) = from_compact(&bytes).expect("a position");
        assert!(full_fen(&back).ends_with(" 255 65535"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let start = check("startpos", Variant::Standard);
        let reason = |bytes: &[u8]| from_compact(bytes).expect_err("broken").to_string();
        assert!(reason(&[]).contains("middle"));
        assert!(reason(&start[..start.len() - 1]).contains("middle"));
        assert!(reason(&[&start[..], &[0]].concat()).contains("1 bytes are left over"));
        let mut broken = start.clone();
        broken[0] = 9;
        assert!(reason(&broken).contains("flags"));
        let mut broken = start.clone();
        broken[1] = 0xda;
        assert!(reason(&broken).contains("a square has the value 13"));
        let mut broken = start;
        let castling = broken.len() - 6;
        broken[castling] = 0x40;
        assert!(reason(&broken).contains("castling"), "{}", reason(&broken));
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_come_back(bytes in prop::collection::vec(any::<u8>(), 0..48)) {
            if let Ok((pos, variant)) = from_compact(&bytes) {
                let mut again = Vec::new();
                write_compact(&pos, variant, &mut again);
                prop_assert_eq!(from_compact(&again).expect("written here").0, pos);
            }
        }
    }
}

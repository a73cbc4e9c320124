//! bulletformat: 32 bytes a position, as the side to move sees it.
//!
//! The board is turned so that whoever is to move plays White, which is how it comes back. Castling rights, the en-passant
//! square, counters, moves, ratings and games are not kept.

use bulletformat::{BulletFormat as _, ChessBoard};
use shakmaty::{Board, CastlingMode, Chess, Color, FromSetup, Piece, Position as _, Role, Setup, Square};
use tabiya_chess::Variant;

use super::{Sample, SampleError, SampleFormat};

pub(super) const RECORD: usize = 32;

/// In bulletformat's order.
const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

pub(super) fn encode(samples: &[Sample]) -> Result<Vec<u8>, SampleError> {
    let mut out = Vec::with_capacity(samples.len() * RECORD);
    for sample in samples {
        let board = to_board(sample)?;
        out.extend_from_slice(&board.occ.to_le_bytes());
        out.extend_from_slice(&board.pcs);
        out.extend_from_slice(&board.score.to_le_bytes());
        out.extend_from_slice(&[board.result, board.ksq, board.opp_ksq]);
        out.extend_from_slice(&board.extra);
    }
    Ok(out)
}

fn to_board(sample: &Sample) -> Result<ChessBoard, SampleError> {
    let lacking = |what| SampleError::Lacking {
        format: SampleFormat::Bulletformat,
        what,
        game: sample.game_id.clone(),
    };
    let score = sample.score.ok_or_else(|| lacking("a score"))?;
    let result = sample.result.ok_or_else(|| lacking("a result"))?;
    let board = sample.position.board();
    if board.occupied().count() > 32 {
        return Err(lacking("a board of at most 32 pieces"));
    }
    let mut bitboards = [0; 8];
    bitboards[0] = board.white().0;
    bitboards[1] = board.black().0;
    for (place, role) in ROLES.into_iter().enumerate() {
        bitboards[place + 2] = board.by_role(role).0;
    }
    // The least i16 cannot be turned round.
    let score = score.clamp(-i32::from(i16::MAX), i32::from(i16::MAX)) as i16;
    let side = sample.position.turn().fold_wb(0, 1);
    let result = (f32::from(result) + 1.0) / 2.0;
    ChessBoard::from_raw(bitboards, side, score, result).map_err(|_| lacking("a whole board"))
}

pub(super) fn decode(record: &[u8; RECORD]) -> Result<Sample, String> {
    let (occ, rest) = record.split_first_chunk::<8>().ok_or("too short")?;
    let (pcs, rest) = rest.split_first_chunk::<16>().ok_or("too short")?;
    let (score, rest) = rest.split_first_chunk::<2>().ok_or("too short")?;
    let stored = ChessBoard {
        occ: u64::from_le_bytes(*occ),
        pcs: *pcs,
        score: i16::from_le_bytes(*score),
        result: rest[0],
        ksq: rest[1],
        opp_ksq: rest[2],
        extra: [rest[3], rest[4], rest[5]],
    };
    if stored.result > 2 {
        return Err(format!("{} is no result", stored.result));
    }
    if stored.occ.count_ones() > 32 {
        return Err("it has more than 32 pieces".to_owned());
    }
    let mut board = Board::empty();
    for (piece, square) in stored {
        let role = ROLES
            .get(usize::from(piece & 7))
            .ok_or_else(|| format!("{piece} is no piece"))?;
        let color = Color::from_white(piece & 8 == 0);
        board.set_piece_at(Square::new(square.into()), Piece { color, role: *role });
    }
    let setup = Setup {
        board,
        ..Setup::empty()
    };
    let position = Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(shakmaty::PositionError::ignore_too_much_material)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .map_err(|error| error.to_string())?;
    Ok(Sample {
        score: Some(stored.score().into()),
        result: Some(stored.result as i8 - 1),
        ..Sample::bare(position, Variant::Standard)
    })
}

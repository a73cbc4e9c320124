//! Stockfish's binpack: position, move, score, ply and result, the last three as the mover sees them.
//!
//! Ratings, depths and games are not kept, nor is Chess960.

use std::io::{self, BufRead, Read as _};

use sfbinpack::{
    ChunkReader, CompressedTrainingDataEntryWriter, TrainingDataEntry,
    chess::{
        color::Color as BinColor,
        coords::Square as BinSquare,
        r#move::{Move as BinMove, MoveType},
        piece::Piece as BinPiece,
        piecetype::PieceType,
        position::Position as BinPosition,
    },
};
use shakmaty::{CastlingSide, Color, Move, Position as _, Role, Square};
use tabiya_chess::{Variant, from_uci, full_fen, parse_fen, ply_of};

use super::{Sample, SampleError, SampleFormat};
use crate::caught::caught;

/// Plies have 14 bits.
const MOST_PLIES: u16 = 0x3fff;

/// What a chunk begins with; how long it is follows in four bytes.
const MAGIC: &[u8; 4] = b"BINP";

/// Stockfish's have about 1 MB. A chunk is held whole.
const LONGEST_CHUNK: u32 = 16 << 20;

/// A group of its own chunks: how groups are divided over files does not show in them.
pub(super) fn encode(samples: &[Sample]) -> Result<Vec<u8>, SampleError> {
    if samples.is_empty() {
        return Ok(Vec::new());
    }
    let entries = samples.iter().map(to_entry).collect::<Result<Vec<_>, _>>()?;
    let broken = |reason: String| SampleError::Encoding {
        format: SampleFormat::Binpack,
        reason,
    };
    let mut writer = CompressedTrainingDataEntryWriter::new_in_memory().map_err(|error| broken(error.to_string()))?;
    for entry in &entries {
        writer.write_entry(entry).map_err(|error| broken(error.to_string()))?;
    }
    writer.into_bytes().map_err(|error| broken(error.to_string()))
}

fn to_entry(sample: &Sample) -> Result<TrainingDataEntry, SampleError> {
    let lacking = |what| SampleError::Lacking {
        format: SampleFormat::Binpack,
        what,
        game: sample.game_id.clone(),
    };
    if sample.variant == Variant::Chess960 {
        return Err(SampleError::NoChess960 {
            format: SampleFormat::Binpack,
            game: sample.game_id.clone(),
        });
    }
    let score = sample.mover_score().ok_or_else(|| lacking("a score"))?;
    let result = sample.mover_result().ok_or_else(|| lacking("a result"))?;
    let played = sample.played.ok_or_else(|| lacking("a move"))?;
    if sample.position.board().occupied().count() > 32 {
        return Err(lacking("a board of at most 32 pieces"));
    }
    let pos = BinPosition::from_fen(&full_fen(&sample.position)).map_err(|_| lacking("a FEN it can read"))?;
    let ply = sample.ply.map_or_else(|| ply_of(&sample.position), u32::from);
    Ok(TrainingDataEntry {
        pos,
        mv: to_move(played, sample.position.turn()),
        score,
        ply: u16::try_from(ply).unwrap_or(MOST_PLIES).min(MOST_PLIES),
        result: result.into(),
    })
}

fn square(square: Square) -> BinSquare {
    BinSquare::new(square.into())
}

fn to_move(m: Move, mover: Color) -> BinMove {
    match m {
        Move::Normal {
            from,
            to,
            promotion: Some(role),
            ..
        } => {
            let kind = match role {
                Role::Knight => PieceType::Knight,
                Role::Bishop => PieceType::Bishop,
                Role::Rook => PieceType::Rook,
                _ => PieceType::Queen,
            };
            let color = mover.fold_wb(BinColor::White, BinColor::Black);
            BinMove::promotion(square(from), square(to), BinPiece::new(kind, color))
        }
        Move::EnPassant { from, to } => BinMove::en_passant(square(from), square(to)),
        Move::Castle { king, rook } => BinMove::castle(square(king), square(rook)),
        Move::Normal { from, to, .. } => BinMove::normal(square(from), square(to)),
        Move::Put { to, .. } => BinMove::normal(square(to), square(to)),
    }
}

/// A chunk on its way to samples.
#[derive(Default)]
pub(super) struct Chunk {
    bytes: Vec<u8>,
    reader: ChunkReader,
}

impl Chunk {
    pub(super) fn new(bytes: Vec<u8>) -> Chunk {
        let reader = ChunkReader::default();
        Chunk { bytes, reader }
    }

    /// The next chunk of a file, if there is one. Not by the crate's own reader, which has to go back and forth in the file and finds a
    /// pipe empty.
    pub(super) fn read(file: &mut impl BufRead) -> io::Result<Option<Chunk>> {
        if file.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let mut head = [0; 8];
        file.read_exact(&mut head)?;
        let [magic @ .., a, b, c, d] = head;
        if magic != *MAGIC {
            return Err(io::Error::other("a chunk does not begin with BINP"));
        }
        let length = u32::from_le_bytes([a, b, c, d]);
        if length > LONGEST_CHUNK {
            let why = format!("a chunk has {length} bytes, {LONGEST_CHUNK} are allowed");
            return Err(io::Error::other(why));
        }
        let mut bytes = Vec::new();
        if file.take(length.into()).read_to_end(&mut bytes)? < length as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some(Chunk::new(bytes)))
    }

    /// The next sample, one at a time: moves may take a few bits each, and samples take hundreds of bytes. The crate that reads them panics
    /// at what it cannot read.
    pub(super) fn next(&mut self) -> Result<Option<Result<Sample, String>>, String> {
        let Chunk { bytes, reader } = self;
        if !reader.has_next(bytes) {
            return Ok(None);
        }
        let sample = caught(|| from_entry(&reader.next(bytes)));
        sample.map(Some).ok_or_else(|| "a chunk is damaged".to_owned())
    }
}

fn from_entry(entry: &TrainingDataEntry) -> Result<Sample, String> {
    let fen = entry.pos.fen().map_err(|_| "it holds no position".to_owned())?;
    let start = parse_fen(&fen).map_err(|why| why.to_string())?;
    if start.ignored.castling_rights {
        return Err(format!("the castling rights of `{fen}` do not fit the board"));
    }
    let position = start.position;
    let mover = position.turn();
    let uci = uci_of(entry.mv, mover);
    let played = from_uci(&position, &uci).map_err(|why| format!("{why}: {fen}"))?;
    if !(-1..=1).contains(&entry.result) {
        return Err(format!("{} is no result", entry.result));
    }
    Ok(Sample {
        score: Some(Sample::turned(mover, entry.score.into())),
        result: Some(Sample::turned(mover, entry.result.into()) as i8),
        ply: Some(entry.ply),
        played: Some(played),
        ..Sample::bare(position, Variant::Standard)
    })
}

fn uci_of(m: BinMove, mover: Color) -> String {
    let name = |square: BinSquare| Square::new(square.index().min(63)).to_string();
    if m.mtype() == MoveType::Castle {
        let rank = mover.fold_wb('1', '8');
        let side = if m.to().index() > m.from().index() {
            CastlingSide::KingSide
        } else {
            CastlingSide::QueenSide
        };
        let file = if side.is_king_side() { 'g' } else { 'c' };
        return format!("e{rank}{file}{rank}");
    }
    let promotion = match (m.mtype(), m.promoted_piece().piece_type()) {
        (MoveType::Promotion, PieceType::Knight) => "n",
        (MoveType::Promotion, PieceType::Bishop) => "b",
        (MoveType::Promotion, PieceType::Rook) => "r",
        (MoveType::Promotion, _) => "q",
        _ => "",
    };
    format!("{}{}{promotion}", name(m.from()), name(m.to()))
}

//! `FEN | score | result`: centipawns and 1.0, 0.5 or 0.0, both White's.

use std::fmt::Write as _;

use tabiya_chess::{Variant, parse_fen, parse_fen_with_mode, write_full_fen};

use super::{Sample, SampleError, SampleFormat};

pub(super) fn encode(samples: &[Sample]) -> Result<Vec<u8>, SampleError> {
    let mut out = String::with_capacity(samples.len() * 80);
    for sample in samples {
        let lacking = |what| SampleError::Lacking {
            format: SampleFormat::Text,
            what,
            game: sample.game_id.clone(),
        };
        let score = sample.score.ok_or_else(|| lacking("a score"))?;
        let result = match sample.result.ok_or_else(|| lacking("a result"))? {
            1 => "1.0",
            0 => "0.5",
            _ => "0.0",
        };
        write_full_fen(&sample.position, &mut out);
        // Writing to a String cannot fail.
        let _ = writeln!(out, " | {score} | {result}");
    }
    Ok(out.into_bytes())
}

pub(super) fn decode(line: &str) -> Result<Sample, String> {
    let mut fields = line.split('|').map(str::trim);
    let fen = fields.next().unwrap_or_default();
    let mut sample = position(fen)?;
    match fields.next() {
        None | Some("") => {}
        Some(score) => {
            let parsed = score.parse().map_err(|_| format!("`{score}` is no score"))?;
            sample.score = Some(parsed);
        }
    }
    sample.result = match fields.next() {
        None | Some("") => None,
        Some("1.0" | "1" | "[1.0]" | "1-0") => Some(1),
        Some("0.5" | "1/2" | "[0.5]" | "1/2-1/2") => Some(0),
        Some("0.0" | "0" | "[0.0]" | "0-1") => Some(-1),
        Some(other) => return Err(format!("`{other}` is no result such as 1.0, 0.5 or 0.0")),
    };
    match fields.next() {
        None => Ok(sample),
        Some(more) => Err(format!("`{more}` follows the result")),
    }
}

/// A FEN whose castling rights only Chess960 knows is of Chess960; any other is of standard chess.
pub(super) fn position(fen: &str) -> Result<Sample, String> {
    let standard = parse_fen(fen).map_err(|why| why.to_string())?;
    if standard.ignored.castling_rights {
        let mode = Variant::Chess960.castling_mode();
        let shuffled = parse_fen_with_mode(fen, mode).map_err(|why| why.to_string())?;
        if shuffled.ignored.castling_rights {
            return Err(format!("the castling rights of `{fen}` do not fit the board"));
        }
        return Ok(Sample::bare(shuffled.position, Variant::Chess960));
    }
    Ok(Sample::bare(standard.position, Variant::Standard))
}

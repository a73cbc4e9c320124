//! JSON lines: one object a position, with the names of the Parquet columns and plain FEN.

use serde::{Deserialize, Serialize};
use tabiya_chess::{Variant, from_uci, full_fen, parse_fen_with_mode, to_uci};

use super::{Sample, text};

#[derive(Serialize, Deserialize)]
struct Line {
    fen: String,
    #[serde(default)]
    score: Option<i32>,
    #[serde(default)]
    ply: Option<u16>,
    #[serde(default)]
    elo_avg: Option<u16>,
    #[serde(default)]
    result: Option<i8>,
    #[serde(default)]
    depth: Option<u8>,
    #[serde(default, rename = "move")]
    played: Option<String>,
    #[serde(default)]
    game_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    variant: Option<String>,
}

pub(super) fn encode(samples: &[Sample], variants: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(samples.len() * 160);
    for sample in samples {
        let line = Line {
            fen: full_fen(&sample.position),
            score: sample.score,
            ply: sample.ply,
            elo_avg: sample.elo_avg,
            result: sample.result,
            depth: sample.depth,
            played: sample.played.map(|m| to_uci(&sample.position, m)),
            game_id: sample.game_id.clone(),
            // Without castling rights nobody could tell by the position.
            variant: (variants || sample.variant != Variant::Standard).then(|| sample.variant.as_str().to_owned()),
        };
        // Plain values can always be written.
        let _ = serde_json::to_writer(&mut out, &line);
        out.push(b'\n');
    }
    out
}

pub(super) fn decode(line: &str) -> Result<Sample, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let mut sample = match line.variant.as_deref() {
        None => text::position(&line.fen)?,
        Some(name) => {
            let variant: Variant = name
                .parse()
                .map_err(|error: tabiya_chess::OtherVariant| error.to_string())?;
            let start = parse_fen_with_mode(&line.fen, variant.castling_mode()).map_err(|why| why.to_string())?;
            Sample::bare(start.position, variant)
        }
    };
    if line.result.is_some_and(|result| !(-1..=1).contains(&result)) {
        return Err("a result is 1, 0 or -1".to_owned());
    }
    sample.played = match &line.played {
        None => None,
        Some(uci) => Some(from_uci(&sample.position, uci).map_err(|why| why.to_string())?),
    };
    Ok(Sample {
        score: line.score,
        ply: line.ply,
        elo_avg: line.elo_avg,
        result: line.result,
        depth: line.depth,
        game_id: line.game_id,
        ..sample
    })
}

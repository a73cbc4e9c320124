//! Which format, how positions are written in it, and what a path asks for.

use std::{fmt, path::Path, str::FromStr};

/// The formats training positions come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SampleFormat {
    /// A table for everyone.
    #[default]
    Parquet,
    /// Records of 32 bytes, for bullet. Keeps the board as the mover sees it, score and result, and nothing else.
    Bulletformat,
    /// Stockfish's own. Needs score, result and move; keeps those, the position and its ply.
    Binpack,
    /// `FEN | score | result`, White's view.
    Text,
    /// One JSON object a line.
    Jsonl,
}

impl SampleFormat {
    pub const ALL: [SampleFormat; 5] = [
        SampleFormat::Parquet,
        SampleFormat::Bulletformat,
        SampleFormat::Binpack,
        SampleFormat::Text,
        SampleFormat::Jsonl,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            SampleFormat::Parquet => "parquet",
            SampleFormat::Bulletformat => "bulletformat",
            SampleFormat::Binpack => "binpack",
            SampleFormat::Text => "text",
            SampleFormat::Jsonl => "jsonl",
        }
    }

    /// Whether every position needs a score and a result in it.
    pub fn needs_score(self) -> bool {
        !matches!(self, SampleFormat::Parquet | SampleFormat::Jsonl)
    }

    /// What a file's name says, if anything: `.parquet`, `.bullet`, `.binpack`, `.txt`, `.jsonl` and other names of theirs, the
    /// last two perhaps with `.zst` or `.gz` behind.
    pub fn from_path(path: &Path) -> Option<SampleFormat> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let packing = Packing::from_path(path);
        let stem = match packing {
            Packing::None => name.as_str(),
            Packing::Zstd => name.trim_end_matches(".zst"),
            Packing::Gzip => name.trim_end_matches(".gz"),
        };
        let format = match stem.rsplit_once('.')?.1 {
            "parquet" | "pq" => SampleFormat::Parquet,
            "bullet" | "bulletformat" | "data" | "bin" => SampleFormat::Bulletformat,
            "binpack" => SampleFormat::Binpack,
            "txt" | "text" | "plain" | "epd" => SampleFormat::Text,
            "jsonl" | "ndjson" | "json" => SampleFormat::Jsonl,
            _ => return None,
        };
        let is_text = matches!(format, SampleFormat::Text | SampleFormat::Jsonl);
        (is_text || packing == Packing::None).then_some(format)
    }
}

/// How text is compressed, told by the end of a file's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Packing {
    #[default]
    None,
    Zstd,
    Gzip,
}

impl Packing {
    pub fn from_path(path: &Path) -> Packing {
        match path.extension().map(|end| end.to_ascii_lowercase()) {
            Some(end) if end == "zst" => Packing::Zstd,
            Some(end) if end == "gz" => Packing::Gzip,
            _ => Packing::None,
        }
    }
}

/// How a position is written in a Parquet column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FenFormat {
    /// shakmaty's `PackedSetup`.
    #[default]
    Packed,
    /// The compact layout.
    Compact,
    /// Plain FEN.
    Text,
}

impl FenFormat {
    pub const ALL: [FenFormat; 3] = [FenFormat::Packed, FenFormat::Compact, FenFormat::Text];

    pub fn as_str(self) -> &'static str {
        match self {
            FenFormat::Packed => "packed",
            FenFormat::Compact => "compact",
            FenFormat::Text => "text",
        }
    }
}

/// Everything that decides how samples become bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Layout {
    pub format: SampleFormat,
    /// Of Parquet; the others have their own.
    pub fen: FenFormat,
    /// Of text and JSON lines; the others are dense already.
    pub packing: Packing,
    /// Whether a column says which variant a position is of.
    pub variants: bool,
}

/// A word that names nothing here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not known")]
pub struct ParseFormatError(pub String);

impl FromStr for SampleFormat {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<SampleFormat, ParseFormatError> {
        let found = SampleFormat::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| ParseFormatError(text.to_owned()))
    }
}

impl FromStr for FenFormat {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<FenFormat, ParseFormatError> {
        let found = FenFormat::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| ParseFormatError(text.to_owned()))
    }
}

impl fmt::Display for SampleFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for FenFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ask_for_formats() {
        for (path, format) in [
            ("a/p.parquet", Some(SampleFormat::Parquet)),
            ("p.bullet", Some(SampleFormat::Bulletformat)),
            ("p.data", Some(SampleFormat::Bulletformat)),
            ("p.binpack", Some(SampleFormat::Binpack)),
            ("p.TXT", Some(SampleFormat::Text)),
            ("p.txt.zst", Some(SampleFormat::Text)),
            ("p.jsonl.gz", Some(SampleFormat::Jsonl)),
            ("p.zst", None),
            ("p", None),
            ("p.pgn", None),
        ] {
            assert_eq!(SampleFormat::from_path(Path::new(path)), format, "{path}");
        }
        assert_eq!(Packing::from_path(Path::new("p.jsonl.zst")), Packing::Zstd);
    }

    #[test]
    fn words_round_trip() {
        for format in SampleFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        for format in FenFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("csv".parse::<SampleFormat>().is_err());
    }
}

//! Rows per second and bytes per row of every format, on rows shaped like opening edges.
//!
//! `cargo bench -p tabiya-dataset`, or with a number of rows: `cargo bench -p tabiya-dataset -- 5000000`.
#![expect(clippy::print_stdout, reason = "a benchmark has only its terminal to report to")]

use std::{error::Error, fs::File, io::Read, path::Path, time::Instant};

use tabiya_dataset::table::{Column, Kind, TableWriter, Value};

const COLUMNS: [Column; 6] = [
    Column::new("id", Kind::U64),
    Column::new("parent_id", Kind::U64),
    Column::new("move_uci", Kind::Text),
    Column::new("move_san", Kind::Text),
    Column::new("child_id", Kind::U64),
    Column::new("source_hint", Kind::OptionalText),
];

const MOVES: [(&str, &str); 5] = [
    ("e2e4", "e4"),
    ("g1f3", "Nf3"),
    ("e1g1", "O-O"),
    ("e7e8q", "e8=Q+"),
    ("d7d5", "d5"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let rows = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(1_000_000);
    let directory = tempfile::tempdir()?;
    let mut names = vec!["edges.jsonl", "edges.jsonl.zst", "edges.jsonl.gz"];
    if cfg!(feature = "parquet") {
        names.push("edges.parquet");
    }
    for name in names {
        let path = directory.path().join(name);
        let start = Instant::now();
        let mut table = TableWriter::create(&path, &COLUMNS)?;
        for row in 0..rows {
            let (uci, san) = MOVES[(row % 5) as usize];
            table.write(&[
                Value::U64(hash(row)),
                Value::U64(hash(row / 3)),
                Value::Text(uci),
                Value::Text(san),
                Value::U64(hash(row + 1)),
                Value::OptionalText((row % 4 == 0).then_some("Candidates 2024")),
            ])?;
        }
        let summary = table.finish()?;
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(count_rows(&path)?, rows, "{name}");
        println!(
            "{name:16} {:6.2} M rows/s   {:6.1} bytes/row",
            rows as f64 / seconds / 1e6,
            summary.bytes as f64 / rows as f64,
        );
    }
    Ok(())
}

/// As good as a position id: 64 bits without a pattern.
fn hash(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30))
        .wrapping_add(0x9e37_79b9)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

fn count_rows(path: &Path) -> Result<u64, Box<dyn Error>> {
    let file = File::open(path)?;
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("zst") => count_lines(zstd::Decoder::new(file)?),
        Some("gz") => count_lines(flate2::read::GzDecoder::new(file)),
        #[cfg(feature = "parquet")]
        Some("parquet") => {
            use parquet::file::reader::{FileReader, SerializedFileReader};
            Ok(SerializedFileReader::new(file)?
                .metadata()
                .file_metadata()
                .num_rows()
                .try_into()?)
        }
        _ => count_lines(file),
    }
}

fn count_lines(mut reader: impl Read) -> Result<u64, Box<dyn Error>> {
    let mut buffer = vec![0; 1 << 16];
    let mut lines = 0;
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(lines),
            read => lines += buffer[..read].iter().filter(|&&byte| byte == b'\n').count() as u64,
        }
    }
}

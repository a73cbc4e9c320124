//! Training positions through every format and back.

use std::{fs, path::Path};

use shakmaty::{Chess, Position as _};
use tabiya_chess::{Variant, from_uci, full_fen, parse_fen_with_mode, parse_line};
use tabiya_dataset::training::{
    FenFormat, Layout, Packing, Sample, SampleError, SampleFormat, SampleReader, SampleWriter, join,
};

/// A game with castling on both sides, an en-passant capture and promotions.
const GAME: &str = "1.e4 e6 2.e5 d5 3.exd6 Nf6 4.Nf3 Be7 5.Be2 O-O 6.O-O Nc6 7.dxc7 a6 8.cxd8=N Rxd8 9.d4 b5";

/// Every position of the game with the move played there, and numbers that tell them apart.
fn samples() -> Vec<Sample> {
    let line = parse_line(GAME).expect("a game");
    let mut pos = Chess::default();
    let mut samples = Vec::new();
    for (ply, m) in line.moves().iter().enumerate() {
        samples.push(Sample {
            score: Some(if ply == 4 { 10_000 } else { 37 * ply as i32 - 200 }),
            depth: (ply % 3 > 0).then_some(12),
            ply: Some(ply as u16),
            elo_avg: (ply % 4 > 0).then_some(1500 + ply as u16),
            result: Some((ply % 3) as i8 - 1),
            played: Some(*m),
            game_id: format!("game{ply:04}"),
            ..Sample::bare(pos.clone(), Variant::Standard)
        });
        pos.play_unchecked(*m);
    }
    samples
}

fn chess960() -> Sample {
    let fen = "1r2k2r/8/8/8/8/8/8/4K1RR w Gb - 3 20";
    let position = parse_fen_with_mode(fen, Variant::Chess960.castling_mode())
        .expect(fen)
        .position;
    Sample {
        played: Some(from_uci(&position, "e1g1").expect("castling")),
        ..Sample::bare(position, Variant::Chess960)
    }
}

fn layout(format: SampleFormat, fen: FenFormat, path: &Path) -> Layout {
    Layout {
        format,
        fen,
        packing: Packing::from_path(path),
        variants: true,
    }
}

fn write(path: &Path, layout: Layout, groups: &[&[Sample]]) {
    let mut writer = SampleWriter::create(path, layout).expect("a file");
    for group in groups {
        writer.write_group(group).expect("a group");
    }
    writer.finish().expect("in place");
}

fn read(path: &Path) -> Vec<Sample> {
    let reader = SampleReader::open(path, None, None).expect("samples");
    reader.collect::<Result<_, _>>().expect("whole samples")
}

#[test]
fn tables_and_json_lines_keep_everything() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut all = samples();
    all.push(chess960());
    all.push(Sample::bare(Chess::default(), Variant::Standard));
    for (name, format, fen) in [
        ("packed.parquet", SampleFormat::Parquet, FenFormat::Packed),
        ("compact.parquet", SampleFormat::Parquet, FenFormat::Compact),
        ("text.parquet", SampleFormat::Parquet, FenFormat::Text),
        ("s.jsonl", SampleFormat::Jsonl, FenFormat::Text),
        ("s.jsonl.zst", SampleFormat::Jsonl, FenFormat::Text),
        ("s.jsonl.gz", SampleFormat::Jsonl, FenFormat::Text),
    ] {
        let path = directory.path().join(name);
        write(&path, layout(format, fen, &path), &[&all[..5], &all[5..]]);
        assert_eq!(read(&path), all, "{name}");
    }
}

#[test]
fn a_table_without_a_column_for_it_refuses_chess960() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("p.parquet");
    for fen in FenFormat::ALL {
        let layout = Layout {
            variants: false,
            ..layout(SampleFormat::Parquet, fen, &path)
        };
        let mut writer = SampleWriter::create(&path, layout).expect("a file");
        writer.write_group(&samples()).expect("a group");
        let written = writer.write_group(&[chess960()]);
        if fen == FenFormat::Packed {
            let error = written.expect_err("nobody could tell");
            assert!(error.to_string().contains("Chess960"), "{error}");
            assert!(writer.finish().is_err() && !path.exists());
        } else {
            written.expect("the position says it");
            writer.finish().expect("in place");
            assert_eq!(read(&path).last(), Some(&chess960()));
            fs::remove_file(&path).expect("removed");
        }
    }
}

#[test]
fn text_keeps_position_score_and_result() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("s.txt");
    let all = samples();
    write(&path, layout(SampleFormat::Text, FenFormat::Text, &path), &[&all]);
    let back = read(&path);
    for (one, other) in all.iter().zip(&back) {
        assert_eq!(
            (full_fen(&one.position), one.score, one.result),
            (full_fen(&other.position), other.score, other.result)
        );
    }
    assert_eq!(back.len(), all.len());
    let text = fs::read_to_string(&path).expect("text");
    assert_eq!(
        text.lines().next(),
        Some("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | -200 | 0.0")
    );
}

#[test]
fn bulletformat_is_what_its_own_crate_makes_of_the_text() {
    let directory = tempfile::tempdir().expect("a directory");
    let (text, bullet) = (directory.path().join("s.txt"), directory.path().join("s.bullet"));
    let all = samples();
    write(&text, layout(SampleFormat::Text, FenFormat::Text, &text), &[&all]);
    write(
        &bullet,
        layout(SampleFormat::Bulletformat, FenFormat::Text, &bullet),
        &[&all[..3], &all[3..]],
    );
    let lines = fs::read_to_string(&text).expect("text");
    let theirs: Vec<bulletformat::ChessBoard> = lines.lines().map(|line| line.parse().expect(line)).collect();
    let theirs = <bulletformat::ChessBoard as bulletformat::BulletFormat>::as_bytes_slice(&theirs);
    assert_eq!(fs::read(&bullet).expect("bytes"), theirs);
    for (one, other) in all.iter().zip(read(&bullet)) {
        let mover = one.position.turn();
        assert!(other.position.turn().is_white(), "whoever moves plays White there");
        assert_eq!(other.score, one.score.map(|score| mover.fold_wb(score, -score)));
        assert_eq!(other.result, one.result.map(|result| mover.fold_wb(result, -result)));
        let mut board = one.position.board().clone();
        if mover.is_black() {
            board.flip_vertical();
            board.swap_colors();
        }
        assert_eq!(other.position.board(), &board);
    }
}

#[test]
fn binpack_keeps_moves_and_plies() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("s.binpack");
    let all = samples();
    write(
        &path,
        layout(SampleFormat::Binpack, FenFormat::Text, &path),
        &[&all[..4], &all[4..]],
    );
    let back = read(&path);
    assert_eq!(back.len(), all.len());
    for (one, other) in all.iter().zip(&back) {
        assert_eq!(full_fen(&one.position), full_fen(&other.position));
        assert_eq!(
            (one.score, one.result, one.ply, one.played),
            (other.score, other.result, other.ply, other.played)
        );
    }
}

#[test]
fn how_groups_lie_in_parts_does_not_show_in_the_joined_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let all = samples();
    let groups: Vec<&[Sample]> = all.chunks(4).collect();
    for format in SampleFormat::ALL {
        let path = |name: &str| directory.path().join(format!("{name}.{format}"));
        let layout = layout(format, FenFormat::Packed, &path("x"));
        let mut whole: Option<Vec<u8>> = None;
        for parts in [1, 2, groups.len()] {
            let mut names = Vec::new();
            for (number, part) in groups.chunks(groups.len().div_ceil(parts)).enumerate() {
                names.push(path(&format!("part{number}")));
                write(&names[number], layout, part);
            }
            let target = path("joined");
            let joined = join(&names, &target, layout, all.len() as u64).expect("joined");
            assert_eq!(joined.rows, all.len() as u64);
            let bytes = fs::read(&target).expect("joined");
            assert_eq!(joined.bytes, bytes.len() as u64);
            assert!(
                whole.get_or_insert_with(|| bytes.clone()) == &bytes,
                "{format} in {parts} parts"
            );
            let back = SampleReader::open(&target, Some(format), None).expect("samples");
            let back: Vec<_> = back.map(|sample| sample.expect("a sample")).collect();
            assert_eq!(back.len(), all.len());
        }
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused_with_a_way_out() {
    let directory = tempfile::tempdir().expect("a directory");
    let whole = samples().remove(3);
    let refused = |format: SampleFormat, sample: &Sample| -> SampleError {
        let path = directory.path().join(format!("refused.{format}"));
        let mut writer = SampleWriter::create(&path, layout(format, FenFormat::Packed, &path)).expect("a file");
        writer.write_group(std::slice::from_ref(sample)).expect_err("refused")
    };
    for format in [SampleFormat::Bulletformat, SampleFormat::Binpack, SampleFormat::Text] {
        let no_score = Sample {
            score: None,
            ..whole.clone()
        };
        let error = refused(format, &no_score);
        assert!(error.to_string().contains("needs a score"), "{error}");
        assert!(error.hint().is_some_and(|hint| hint.contains("--use-evals")), "{error}");
        let no_result = Sample {
            result: None,
            ..whole.clone()
        };
        assert!(refused(format, &no_result).to_string().contains("needs a result"));
    }
    let no_move = Sample {
        played: None,
        ..whole.clone()
    };
    assert!(
        refused(SampleFormat::Binpack, &no_move)
            .to_string()
            .contains("needs a move")
    );
    let shuffled = Sample {
        score: Some(1),
        result: Some(0),
        ..chess960()
    };
    assert!(
        refused(SampleFormat::Binpack, &shuffled)
            .to_string()
            .contains("Chess960")
    );
}

#[test]
fn what_is_no_file_of_positions_is_said() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str, content: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, content).expect("writable");
        path
    };
    let said = |path: &Path| match SampleReader::open(path, None, None) {
        Err(error) => error.to_string(),
        Ok(reader) => reader
            .filter_map(Result::err)
            .map(|error| error.to_string())
            .collect::<Vec<_>>()
            .join("; "),
    };
    assert!(said(&path("a.parquet", b"hello")).contains("is no parquet file of positions"));
    assert!(said(&path("a.bullet", &[1; 33])).contains("no whole number of records"));
    assert!(said(&path("b.bullet", &[0xff; 32])).contains("position 1"));
    assert!(said(&path("a.binpack", b"not a binpack")).contains("is no binpack file"));
    assert!(
        said(&path(
            "b.binpack",
            b"BINP\x22\x00\x00\x00aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        ))
        .contains("binpack")
    );
    let huge = b"BINP\x01\x00\x00\x01aaaa";
    assert!(said(&path("c.binpack", huge)).contains("a chunk has 16777217 bytes, 16777216 are allowed"));
    let broken = "startpos | x | 1.0\n\nstartpos | 3 | 2\nstartpos | 3 | 1.0\nnonsense | 3 | 1.0\n";
    let text = path("a.txt", broken.as_bytes());
    assert_eq!(said(&text).matches("position").count(), 3, "{}", said(&text));
    assert!(said(&path("a.jsonl", b"{\"fen\": 3}\n")).contains("position 1"));
    assert!(said(&path("a.xyz", b"")).contains("cannot be told"));
    assert!(said(directory.path()).contains("directory"));
    assert_eq!(said(&path("empty.txt", b"")), "");
}

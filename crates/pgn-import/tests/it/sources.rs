//! Where PGN comes from: packed, cut off, broken, piped, in directories.

use std::{
    fs,
    io::{self, Cursor, Read, Write as _},
    path::Path,
};

use pgn_import::{
    Compression, CutShort, ImportError, Importer, InMemoryStore, Input, InputError, Source, expand_inputs, fingerprint,
    fingerprint_of_first, read_trees,
};

use crate::support::{Outcome, block_on, fixture_dir, skipping, source_of};

/// Games that can be told apart, each a little larger than the last.
fn games(count: usize) -> String {
    (0..count)
        .map(|n| {
            let filler = format!("{:x} ", n * 2_654_435_761).repeat(n % 7);
            format!("[Event \"Game {n}\"]\n[Round \"{n}\"]\n\n1. e4 e5 {{{filler}}} 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n")
        })
        .collect()
}

fn zstd_frame(text: &str) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("an encoder");
    encoder.include_checksum(true).expect("a checksum");
    encoder.write_all(text.as_bytes()).expect("packed");
    encoder.finish().expect("packed")
}

fn gzip_member(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).expect("packed");
    encoder.finish().expect("packed")
}

fn bzip2_stream(text: &str) -> Vec<u8> {
    // The smallest blocks there are, so that a cut leaves some of them whole.
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text.as_bytes()).expect("packed");
    encoder.finish().expect("packed")
}

type Pack = fn(&str) -> Vec<u8>;
const PACKED: [(&str, Compression, Pack); 3] = [
    ("zst", Compression::Zstd, zstd_frame),
    ("gz", Compression::Gzip, gzip_member),
    ("bz2", Compression::Bzip2, bzip2_stream),
];

/// The events of all games that can be read, and how it ended.
fn events(source: Source) -> (Vec<String>, Result<u64, CutShort>) {
    let mut events = Vec::new();
    let result = read_trees(source, |game| {
        events.push(game.tag("Event").unwrap_or_default().to_owned())
    });
    (events, result)
}

#[test]
fn packed_files_read_as_plain_ones() {
    let text = games(200);
    let (plain, _) = events(source_of(text.as_bytes()));
    assert_eq!(plain.len(), 200);
    for (name, compression, pack) in PACKED {
        let packed = pack(&text);
        let source = source_of(&packed);
        assert_eq!(source.compression, compression);
        let (unpacked, result) = events(source);
        assert_eq!((unpacked, result.expect(name)), (plain.clone(), 200), "{name}");
    }
}

#[test]
fn archives_of_several_parts_read_to_their_end() {
    let (first, second, third) = (games(30), "[Event \"Middle\"]\n\n1. d4 *\n\n", games(3));
    for (name, _, pack) in PACKED {
        // The second game of the middle stands across the border of two parts.
        let (head, tail) = second.split_at(20);
        let parts = [pack(&first), pack(head), pack(tail), pack(""), pack(&third)];
        let (read, result) = events(source_of(&parts.concat()));
        assert_eq!(result.expect(name), 34, "{name}");
        assert_eq!(read[30], "Middle", "{name}");
    }
}

#[test]
fn skippable_frames_are_skipped_wherever_they_stand() {
    let skippable = |magic: u8, len: u32| {
        let mut frame = vec![magic, 0x2a, 0x4d, 0x18];
        frame.extend_from_slice(&len.to_le_bytes());
        frame.extend(std::iter::repeat_n(0xaa, len as usize));
        frame
    };
    let parts = [
        skippable(0x50, 4),
        zstd_frame(&games(5)),
        skippable(0x5f, 1_000),
        skippable(0x53, 0),
        zstd_frame("[Event \"Last\"]\n\n1. e4 *\n"),
        skippable(0x50, 9),
    ];
    let source = source_of(&parts.concat());
    assert_eq!(source.compression, Compression::Zstd);
    let (read, result) = events(source);
    assert_eq!((result.expect("whole"), read[5].as_str()), (6, "Last"));
}

/// Every whole game before the cut, then an error that names where.
#[test]
fn cut_archives_give_every_whole_game_and_say_where_they_end() {
    // Enough for several blocks of every format, the smallest of which is 100 kB.
    let text = games(6_000);
    for (name, _, pack) in PACKED {
        let packed = pack(&text);
        for share in [2, 3, 10] {
            let cut = &packed[..packed.len() - packed.len() / share];
            let mut unpacked = Vec::new();
            source_of(cut).read_to_end(&mut unpacked).expect_err("cut");
            let (read, result) = events(source_of(cut));
            let error = result.expect_err(name);
            assert_eq!(error.offset, unpacked.len() as u64, "{name}");
            assert!(error.to_string().contains(&error.offset.to_string()), "{name}: {error}");
            // All that ended before the cut, and nothing of the one it went through.
            let whole = String::from_utf8_lossy(&unpacked).matches("a6 1-0").count();
            assert_eq!(read.len(), whole, "{name}");
            assert!(
                read.iter().enumerate().all(|(n, event)| *event == format!("Game {n}")),
                "{name}"
            );
        }
        let short = &packed[..packed.len().min(3)];
        assert!(
            Source::from_reader(name.to_owned(), Box::new(Cursor::new(short.to_vec())), None, 0).is_ok(),
            "{name}"
        );
    }
}

#[test]
fn cut_archives_import_what_is_whole_and_are_named() {
    let text = games(6_000);
    for (name, _, pack) in PACKED {
        let packed = pack(&text);
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join(format!("games.pgn.{name}"));
        fs::write(&path, &packed[..packed.len() * 2 / 3]).expect("a file");
        let mut store = InMemoryStore::default();
        let error = block_on(async {
            let mut importer = Importer::journaled(Default::default(), skipping(), &mut store);
            importer.ingest_pgn_path(&path).await.expect_err("cut")
        });
        let ImportError::Io { name: source, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(source, &path.display().to_string());
        let message = error.to_string();
        assert!(
            message.contains("breaks off after") && message.contains("whole games"),
            "{message}"
        );
        assert_eq!(
            Outcome::of(&store).sans(),
            ["Bb5", "Nc6", "Nf3", "a6", "e4", "e5"],
            "{name}"
        );
    }
}

#[test]
fn a_broken_middle_ends_the_archive_there() {
    let text = games(6_000);
    for (name, _, pack) in PACKED {
        let mut packed = pack(&text);
        let middle = packed.len() / 2;
        for byte in &mut packed[middle..middle + 64] {
            *byte ^= 0x5a;
        }
        let (read, result) = events(source_of(&packed));
        result.expect_err(name);
        // What comes out before a checksum is known to be wrong cannot be told from games; what is before that is whole.
        let sound = read
            .iter()
            .enumerate()
            .take_while(|(n, event)| **event == format!("Game {n}"))
            .count();
        assert!((1_000..5_900).contains(&sound), "{name}: {sound} of {}", read.len());
    }
}

#[test]
fn a_plain_file_that_is_cut_is_simply_short() {
    let text = games(10);
    let (read, result) = events(source_of(&text.as_bytes()[..text.len() - 30]));
    assert_eq!((read.len(), result.expect("no error can be seen")), (10, 10));
}

/// A stream that fails after some bytes, as networks and discs do.
struct Failing(Cursor<Vec<u8>>);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::new(io::ErrorKind::ConnectionReset, "the line went dead")),
            // Little at a time, to be nasty.
            got => Ok(got),
        }
    }
}

#[test]
fn a_stream_that_fails_gives_what_came_before() {
    let text = games(10);
    let lost = text.len() - 30;
    let reader = Failing(Cursor::new(text.as_bytes()[..lost].to_vec()));
    let source = Source::from_reader("net".to_owned(), Box::new(reader), None, 0).expect("a source");
    let (read, result) = events(source);
    let error = result.expect_err("broken");
    assert_eq!((read.len(), error.offset), (9, lost as u64));
    assert_eq!(error.source.to_string(), "the line went dead");
    // The last game had shown its result when the line went dead: it is whole.
    let reader = Failing(Cursor::new(text.trim_end().as_bytes().to_vec()));
    let source = Source::from_reader("net".to_owned(), Box::new(reader), None, 0).expect("a source");
    assert_eq!(events(source).0.len(), 10);
}

/// A stream that hands out a byte at a time and is interrupted before each.
struct Dripping(Cursor<Vec<u8>>, bool);

impl Read for Dripping {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let len = buffer.len().min(1);
        self.0.read(&mut buffer[..len])
    }
}

#[test]
fn a_slow_stream_is_a_stream() {
    let text = games(40);
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut all = vec![text.clone().into_bytes(), utf16];
    all.extend(PACKED.map(|(_, _, pack)| pack(&text)));
    for bytes in all {
        let reader = Box::new(Dripping(Cursor::new(bytes), false));
        let source = Source::from_reader("-".to_owned(), reader, None, 0).expect("a source");
        let (read, result) = events(source);
        assert_eq!((read.len(), result.expect("whole")), (40, 40));
    }
}

#[test]
fn text_in_utf_16_reads_in_pieces_of_any_size() {
    let text = format!("{}{{♔ 😀}}", games(300));
    for (mark, bytes) in [
        (
            [0xff, 0xfe],
            text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
        ),
        ([0xfe, 0xff], text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
    ] {
        let whole = [&mark[..], &bytes].concat();
        for step in [1, 2, 3, 5, 4_096] {
            let mut source = source_of(&whole);
            let mut read = Vec::new();
            let mut piece = vec![0; step];
            loop {
                match source.read(&mut piece).expect("read") {
                    0 => break,
                    got => read.extend_from_slice(&piece[..got]),
                }
            }
            assert_eq!(source.read(&mut piece).expect("the end stays the end"), 0);
            assert!(read == text.as_bytes(), "in pieces of {step}");
        }
    }
}

#[test]
fn sources_begin_at_an_offset_of_what_is_packed() {
    let text = games(50);
    let offset = text.find("[Event \"Game 20\"]").expect("there") as u64;
    let directory = tempfile::tempdir().expect("a directory");
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut files = vec![
        ("plain.pgn".to_owned(), text.clone().into_bytes()),
        ("utf16.pgn".to_owned(), utf16),
    ];
    files.extend(PACKED.map(|(name, _, pack)| (format!("p.pgn.{name}"), pack(&text))));
    for (name, bytes) in files {
        let path = directory.path().join(&name);
        fs::write(&path, bytes).expect("a file");
        let source = Source::open_at(&Input::Path(path), offset).expect("a source");
        let mut first = None;
        let count = read_trees(source, |game| {
            first.get_or_insert((game.tag("Event").map(str::to_owned), game.at.offset));
        });
        assert_eq!(first, Some((Some("Game 20".to_owned()), offset)), "{name}");
        assert_eq!(count.expect("whole"), 30, "{name}");
    }
}

#[test]
fn directories_and_globs_become_files_in_the_order_of_their_names() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
    fs::create_dir_all(root.join("b/deep")).expect("made");
    fs::create_dir(root.join("empty")).expect("made");
    for name in [
        "c.PGN",
        "a.pgn",
        "b/x.pgn.zst",
        "b/deep/y.txt",
        "b/z.pgn.gz",
        "notes.md",
        "a.pgn.bak",
        "d.bz2",
    ] {
        fs::write(root.join(name), "1. e4 *\n").expect("written");
    }
    let expand = |name: &str| -> Result<Vec<String>, InputError> {
        let inputs = expand_inputs(&[root.join(name).to_string_lossy()])?;
        let relative = |input: &Input| {
            input
                .to_string()
                .trim_start_matches(&*root.to_string_lossy())
                .to_owned()
        };
        Ok(inputs.iter().map(relative).collect())
    };
    assert_eq!(
        expand("").expect("read"),
        ["a.pgn", "b/deep/y.txt", "b/x.pgn.zst", "b/z.pgn.gz", "c.PGN"].map(|n| format!("/{n}"))
    );
    assert_eq!(expand("*.pgn").expect("read"), ["/a.pgn"]);
    assert_eq!(expand("**/*.txt").expect("read"), ["/b/deep/y.txt"]);
    // What is named itself is read, whatever it is called.
    assert_eq!(expand("notes.md").expect("read"), ["/notes.md"]);
    assert!(matches!(expand("nothing.pgn"), Err(InputError::NotFound { .. })));
    assert!(matches!(expand("*.nothing"), Err(InputError::NoMatch { .. })));
    assert!(matches!(expand("[a"), Err(InputError::Pattern { .. })));
    assert!(matches!(expand("empty"), Err(InputError::EmptyDirectory { .. })));
    assert_eq!(expand_inputs(&["-"]).expect("stdin"), [Input::Stdin]);
}

#[test]
fn a_directory_is_imported_whole() {
    let mut store = InMemoryStore::default();
    let summary = block_on(async {
        let mut importer = Importer::journaled(Default::default(), skipping(), &mut store);
        importer.ingest_pgn_path(fixture_dir()).await.expect("imported")
    });
    assert!(summary.counters.pgn_games_total > 150);
    // Each ledger line names its own file.
    assert!(summary.rejects.iter().all(|reject| Path::new(&reject.source).is_file()));
}

#[test]
fn a_missing_file_is_an_error_that_names_it() {
    let mut store = InMemoryStore::default();
    let error = block_on(async {
        Importer::new(Default::default(), &mut store)
            .ingest_pgn_path("no/such/file.pgn")
            .await
            .expect_err("missing")
    });
    assert!(error.to_string().contains("no/such/file.pgn"), "{error}");
}

#[test]
fn fingerprints_change_with_the_content() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.pgn");
    let input = Input::Path(path.clone());
    fs::write(&path, games(3_000)).expect("written");
    let first = fingerprint(&input).expect("read");
    assert_eq!(first, fingerprint(&input).expect("read"));
    fs::write(&path, games(3_001)).expect("written");
    assert_ne!(first, fingerprint(&input).expect("read"));
    assert_eq!(fingerprint(&Input::Stdin).expect("none"), None);
    // Of the same length and alike at both ends.
    let text = games(30_000);
    fs::write(&path, &text).expect("written");
    let first = fingerprint(&input).expect("read");
    let mut other = text.clone().into_bytes();
    let middle = other.len() / 2;
    assert!(middle > 1 << 18, "{middle}");
    other[middle] ^= 1;
    fs::write(&path, &other).expect("written");
    assert_ne!(first, fingerprint(&input).expect("read"));
    // What grows keeps the fingerprint of its beginning.
    fs::write(&path, format!("{text}{text}")).expect("written");
    assert_ne!(first, fingerprint(&input).expect("read"));
    assert_eq!(first, fingerprint_of_first(&input, text.len() as u64).expect("read"));
}

/// `pgn-import --input <(zstdcat games.pgn.zst)`: a pipe has a path, and can be read only once.
#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_like_standard_input() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let writer = std::thread::spawn({
        let path = path.clone();
        move || fs::write(path, games(500)).expect("written")
    });
    let mut store = InMemoryStore::default();
    let summary = block_on(async {
        let mut importer = Importer::journaled(Default::default(), skipping(), &mut store);
        importer.ingest(&Input::Path(path)).await.expect("imported")
    });
    writer.join().expect("written");
    assert_eq!(summary.counters.pgn_games_total, 500);
}

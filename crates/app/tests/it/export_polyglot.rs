//! Exported books, read by python-chess and by Polyglot itself.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    path::{Path, PathBuf},
};

use serde_json::Value;
use shakmaty::Chess;
use tabiya_app::export::ExportFormat;
use tabiya_chess::{PolyglotBook, PositionId, polyglot_key, to_uci};

use crate::{
    book::after,
    exports::{Known, PINNED, UNPINNED, exported, full, read_with_python, request, run},
    workshop::Workshop,
};

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// A book as python-chess reads it.
struct Read {
    /// Key, weight and packed move, in the order of the file.
    entries: Vec<(String, u64, u64)>,
    /// EPD and UCI of every move that is found from the initial position on, with its weight.
    found: BTreeMap<(String, String), u64>,
    keys: BTreeSet<String>,
    castlings: BTreeSet<String>,
}

fn read(path: &Path) -> Read {
    let books = read_with_python("read_book.py", &[path]);
    let book = &books[0];
    let entries = list(&book["entries"]).iter().map(|entry| {
        assert_eq!(entry[3], 0, "nothing is learnt");
        let number = |at: usize| entry[at].as_u64().expect("a number");
        (text(&entry[0]), number(2), number(1))
    });
    let mut read = Read {
        entries: entries.collect(),
        found: BTreeMap::new(),
        keys: BTreeSet::new(),
        castlings: BTreeSet::new(),
    };
    for found in list(&book["found"]) {
        read.keys.insert(text(&found[0]));
        let weight = found[3].as_u64().expect("a number");
        // A position that has two keys says the same under both.
        let before = read.found.insert((text(&found[1]), text(&found[2])), weight);
        assert!(before.is_none_or(|before| before == weight), "{found}");
        if found[4] == true {
            read.castlings.insert(text(&found[2]));
        }
    }
    read
}

impl Read {
    #[track_caller]
    fn is_in_order(&self) {
        assert!(!self.entries.is_empty());
        let heavier_first = |a: &(String, u64, u64), b: &(String, u64, u64)| a.0 < b.0 || (a.0 == b.0 && a.1 >= b.1);
        assert!(self.entries.is_sorted_by(heavier_first), "by key, then by weight");
        assert!(self.entries.iter().all(|(_, weight, _)| (1..=65535).contains(weight)));
        let moves: BTreeSet<_> = self.entries.iter().map(|(key, _, packed)| (key, packed)).collect();
        assert_eq!(moves.len(), self.entries.len(), "no move twice");
        let keys: BTreeSet<&String> = self.entries.iter().map(|(key, ..)| key).collect();
        assert_eq!(
            keys,
            self.keys.iter().collect(),
            "everything is found from the initial position"
        );
    }
}

/// Weights as the games are; these databases are too small for them to be scaled.
fn weights(known: &Known, moves: BTreeSet<(String, String)>) -> BTreeMap<(String, String), u64> {
    let weigh = |(epd, uci): (String, String)| {
        let id = PositionId::from_text(&epd);
        let edge = known.edges_from(id).find(|edge| edge.uci == uci).expect("a move");
        ((epd, uci), edge.stats.games().max(1))
    };
    moves.into_iter().map(weigh).collect()
}

#[tokio::test]
async fn polyglot_export_produces_valid_bin() {
    let workshop = full().await;
    let known = Known::of(&workshop).await;
    let mut request = request(&workshop, ExportFormat::Polyglot, "books");
    request.max_depth = Some(30);
    let report = exported(&request).await;
    for file in &report.files {
        let book = read(&workshop.path("books").join(&file.file));
        book.is_in_order();
        assert_eq!(book.entries.len() as u64, file.entries);
        assert_eq!(book.entries.len() as u64 * 16, file.bytes);
        let roots = book
            .found
            .keys()
            .filter(|(epd, _)| *epd == tabiya_chess::epd(&Chess::default()));
        assert!(roots.count() >= 1, "{}: the root's move is in the book", file.file);
    }
    for (name, stem) in [
        ("italian-game", "e4 e5 Nf3 Nc6 Bc4"),
        ("sicilian-defense", "e4 c5"),
        ("kings-gambit", "e4 e5 f4"),
    ] {
        let book = read(&workshop.path("books").join(format!("{name}.bin")));
        assert_eq!(book.found, weights(&known, known.moves_around(stem, 30, 0)), "{name}");
    }
}

#[tokio::test]
async fn one_book_of_everything_has_every_move() {
    let workshop = full().await;
    let known = Known::of(&workshop).await;
    exported(&request(&workshop, ExportFormat::Polyglot, "all.bin")).await;
    let book = read(&workshop.path("all.bin"));
    book.is_in_order();
    let all = known.graph.edges.iter();
    let all = all.map(|edge| (known.node(edge.parent).epd.clone(), edge.uci.clone()));
    assert_eq!(book.found, weights(&known, all.collect()));
    assert_eq!(
        book.castlings,
        ["e1g1", "e8g8", "e1c1", "e8c8"].map(str::to_owned).into(),
        "all four"
    );
    // In the file the king takes its rook.
    let packed = |from: u64, to: u64| from << 6 | to;
    for (king, rook) in [(4, 7), (60, 63), (4, 0), (60, 56)] {
        let castles = book.entries.iter().filter(|(_, _, raw)| *raw == packed(king, rook));
        assert!(castles.count() > 0, "{king} takes {rook}");
    }
    let promotes = book.entries.iter().any(|(_, _, raw)| *raw == 4 << 12 | packed(49, 56));
    assert!(promotes, "b7a8q");
}

/// The key knows of a double step beside an enemy pawn whether or not that may take; our positions know only if it may.
#[tokio::test]
async fn a_double_step_beside_a_pinned_pawn_has_a_key_of_its_own() {
    let workshop = full().await;
    exported(&request(&workshop, ExportFormat::Polyglot, "all.bin")).await;
    let book = std::fs::read(workshop.path("all.bin")).expect("a book");
    let book = PolyglotBook::from_bytes(&book).expect("whole entries");
    assert!(book.was_sorted());
    let (stepped, walked) = (after(PINNED), after(UNPINNED));
    assert_eq!(PositionId::of(&stepped), PositionId::of(&walked), "one position");
    assert_ne!(polyglot_key(&stepped), polyglot_key(&walked), "two keys");
    for position in [stepped, walked, after("e4 d5 e5 f5"), after("e4 d5 e5")] {
        let found = book.moves(&position);
        assert!(!found.moves.is_empty() && found.illegal == 0, "{found:?}");
    }
    let answers = book.moves(&after(PINNED)).moves;
    assert_eq!(to_uci(&after(PINNED), answers[0].m), "d1e2");
    assert_eq!(answers[0].weight, 3, "by whatever way");
}

/// Debian installs games out of the way.
fn polyglot() -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut found = env::split_paths(&path).map(|directory| directory.join("polyglot"));
    found
        .find(|path| path.is_file())
        .unwrap_or_else(|| PathBuf::from("/usr/games/polyglot"))
}

/// What Polyglot itself says of a book: its figures by their names.
fn information(workshop: &Workshop, book: &str) -> BTreeMap<String, u64> {
    let said = run(&polyglot(), &["info-book", "-bin", book], workshop.directory());
    let figures = said.lines().filter_map(|line| line.split_once(':'));
    figures
        .map(|(name, number)| (name.trim().to_owned(), number.trim().parse().expect("a number")))
        .collect()
}

#[tokio::test]
async fn polyglot_itself_finds_every_position() {
    let workshop = full().await;
    let mut whole = request(&workshop, ExportFormat::Polyglot, "books");
    whole.max_depth = Some(30);
    let report = exported(&whole).await;
    exported(&request(&workshop, ExportFormat::Polyglot, "all.bin")).await;
    let mut books: Vec<String> = report.files.iter().map(|file| format!("books/{}", file.file)).collect();
    books.push("all.bin".to_owned());
    for book in &books {
        let keys = read(&workshop.path(book)).keys.len() as u64;
        let figures = information(&workshop, book);
        let on_lines = figures["Positions on lines for white"] + figures["Positions on lines for black"];
        assert_eq!(
            (on_lines, figures["Isolated positions"]),
            (keys, 0),
            "{book}: {figures:?}"
        );
    }
    // A line of White's: our moves with their shares, as often as they were played.
    run(
        &polyglot(),
        &[
            "dump-book",
            "-bin",
            "books/italian-game.bin",
            "-color",
            "black",
            "-out",
            "lines",
        ],
        workshop.directory(),
    );
    let lines = std::fs::read_to_string(workshop.path("lines")).expect("lines");
    assert!(lines.contains("Nc6{100%} 3. Bc4 Bc5{75%}"), "{lines}");
    assert!(lines.contains("4. O-O Nf6{100%} 5. d3 O-O{"), "{lines}");
}

//! Figures stand in one place, and elsewhere as they stand there.

use std::{fs, path::Path};

const MEASURED: &str = "docs/benchmarks.md";

fn read(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(name)).expect(name)
}

/// What stands between a heading and the next one.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, behind) = text.split_once(&format!("{heading}\n")).expect(heading);
    behind.split_once("\n## ").map_or(behind, |(section, _)| section)
}

/// Cells of the rows of tables, one table behind the other, heads and all.
fn rows(section: &str) -> Vec<Vec<&str>> {
    let rows = section.lines().filter(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

fn is_rule(row: &[&str]) -> bool {
    row.iter().all(|cell| cell.starts_with([':', '-']))
}

/// Every number in a text, as it is written there but for what parts its thousands.
fn numbers(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_digit() && c != ',' && c != '.')
        .map(|word| word.trim_matches([',', '.']).replace(',', ""))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Where a figure was written down first.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// Section, row, column.
    Cell(&'static str, &'static str, &'static str),
    /// The first number behind these words of a section.
    Behind(&'static str, &'static str),
    /// One cell of a section by another.
    Ratio(&'static str, [&'static str; 2], [&'static str; 2]),
}
use Source::{Behind, Cell, Ratio};

impl Source {
    fn value(self, measured: &str) -> f64 {
        let first = |text: &str| -> f64 {
            let number = numbers(text).into_iter().next();
            let number = number.unwrap_or_else(|| panic!("{self:?}: no number in {text:?}"));
            number.parse().expect("a number")
        };
        match self {
            Cell(heading, row, column) => first(&cell(measured, heading, row, column)),
            Behind(heading, words) => {
                let text = section(measured, heading)
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ");
                let (_, behind) = text
                    .split_once(words)
                    .unwrap_or_else(|| panic!("{MEASURED} does not say {words:?} under {heading:?}"));
                first(behind)
            }
            Ratio(heading, [row, column], [by_row, by_column]) => {
                first(&cell(measured, heading, row, column)) / first(&cell(measured, heading, by_row, by_column))
            }
        }
    }
}

/// A cell by what its row begins with and the head of its column.
fn cell(text: &str, heading: &str, row: &str, column: &str) -> String {
    let rows = rows(section(text, heading));
    let mut head: &[&str] = &[];
    for (number, cells) in rows.iter().enumerate() {
        // A head is what a rule follows.
        if rows.get(number + 1).is_some_and(|next| is_rule(next)) {
            head = cells;
        } else if cells.join(" | ").starts_with(row)
            && let Some(place) = head.iter().position(|name| *name == column)
        {
            return cells[place].to_owned();
        }
    }
    panic!("{MEASURED} has no {row:?}, {column:?} under {heading:?}")
}

/// Every figure of a page's tables, but for those in the first column, is where its source says, in the page's own precision.
fn assert_told(page: &str, heading: &str, sources: &[Source]) {
    let (measured, text) = (read(MEASURED), read(page));
    let rows = rows(section(&text, heading));
    let behind_rule = rows.iter().skip_while(|row| !is_rule(row)).skip(1);
    let mut sources_left = sources.iter();
    for row in behind_rule {
        for told in row[1..].iter().flat_map(|cell| numbers(cell)) {
            let source = sources_left
                .next()
                .unwrap_or_else(|| panic!("{page}, {row:?}: nothing says where {told} was measured"));
            let decimals = told.split_once('.').map_or(0, |(_, behind)| behind.len());
            let value = source.value(&measured);
            assert_eq!(told, format!("{value:.decimals$}"), "{page}, {row:?}: {source:?}");
        }
    }
    assert_eq!(
        sources_left.next().map(|left| format!("{left:?}")),
        None,
        "{page} does not tell it"
    );
}

const READING: &str = "## Reading with every move checked";
const IMPORT: &str = "## Import";
const KNOWLEDGE: &str = "## The knowledge base";
const ENGINES: &str = "## Engines";
const REVIEWS: &str = "## Reviews";
const POSITIONS: &str = "## Training positions";
const HTTP: &str = "## Answering over HTTP";
const LOAD: &str = "## Many people at once";
const NEO4J: &str = "## Copying to Neo4j";
const SIZES: &str = "## Sizes on disk";

#[test]
fn what_machines_need_is_what_was_measured() {
    const GAMES: Source = Behind("# Benchmarks", "`twic-a` is");
    assert_told(
        "docs/operations.md",
        "## What the machine needs",
        &[
            GAMES,
            Behind("# Benchmarks", "of The Week in Chess,"),
            Cell(READING, "plain file, two", "games/s"),
            Cell(IMPORT, "reading | 1,000", "games"),
            Cell(IMPORT, "reading | 1,000", "file MB"),
            Cell(IMPORT, "reading | 1,000", "peak MB"),
            GAMES,
            Cell(IMPORT, "twic-a, the first 20 half-moves", "edges"),
            Cell(IMPORT, "twic-a, the first 20 half-moves", "s"),
            Cell(SIZES, "`tabiya import`, 20 half-moves deep", "MB"),
            Cell(IMPORT, "import to depth 20 | 1,000", "games"),
            Cell(IMPORT, "import to depth 20 | 1,000", "file MB"),
            Cell(IMPORT, "import to depth 20 | 1,000", "peak MB"),
            GAMES,
            Cell(KNOWLEDGE, "`.zst`: names, counts, structures", "wall s"),
            Cell(KNOWLEDGE, "twic-a (", "MB"),
            Cell(SIZES, "`tabiya build all`: the database", "MB"),
            Cell(SIZES, "`tabiya build all`: what was counted", "MB"),
            Cell(KNOWLEDGE, "generated games of random moves", "games"),
            Behind(KNOWLEDGE, "generated games of random moves,"),
            Behind(KNOWLEDGE, "games kept;"),
            Cell(KNOWLEDGE, "generated games of random moves", "MB"),
            Behind(HTTP, "moves of two games and more,"),
            Behind(HTTP, "positions,"),
            Behind(HTTP, "The first answer came"),
            Behind(HTTP, "all was in memory after"),
            Behind(LOAD, "on the same two cores,"),
            Cell(LOAD, "as fast as it is answered", "requests/s"),
            Cell(LOAD, "as fast as it is answered", "memory, MB"),
            Behind(NEO4J, "lichess-2013-01,"),
            Behind(NEO4J, "positions and"),
            Cell(NEO4J, "the same server, all removed and copied again", "all s"),
            Cell(NEO4J, "a server that had just started", "all s"),
            Behind(POSITIONS, "from an archive of"),
            Cell(POSITIONS, "`tabiya positions --no-engine`", "games/s by the wall"),
            Behind(POSITIONS, "Peak memory:"),
            Behind(REVIEWS, "everything but the engine:"),
            Behind(REVIEWS, "made-up lines, one core |"),
            Behind(REVIEWS, "peak memory of"),
            Behind(REVIEWS, "PGN and CSV written |"),
            Behind(ENGINES, "with an engine that answers at once,"),
            Behind(ENGINES, "6,126 down to"),
        ],
    );
}

#[test]
fn we_are_compared_with_others_as_was_measured() {
    const OURS: [&str; 2] = ["/node/fen, 2,000 positions", "requests/s"];
    const LIMIT: [&str; 2] = ["axum with one constant answer", "requests/s"];
    let of_another = |row| [Cell(READING, row, "games/s"), Cell(READING, row, "we are faster by")];
    let reading = [
        vec![Cell(READING, "tabiya", "games/s")],
        of_another("pgn-reader with shakmaty").to_vec(),
        of_another("pgn-extract").to_vec(),
        of_another("python-chess").to_vec(),
    ];
    let others = vec![
        Cell(POSITIONS, "`tabiya positions --no-engine`", "games/s by the wall"),
        Cell(POSITIONS, "python-chess, the plain loop", "games/s by the wall"),
        Behind(POSITIONS, "(floor 0.7) and"),
        Cell(KNOWLEDGE, "`.zst`: counting", "games/s"),
        Behind(KNOWLEDGE, "it imported"),
        Behind(KNOWLEDGE, "Of that we count"),
        Cell(HTTP, OURS[0], OURS[1]),
        Cell(HTTP, LIMIT[0], LIMIT[1]),
        Ratio(HTTP, OURS, LIMIT),
        Behind(ENGINES, "The median rate is"),
    ];
    assert_told(
        "README.md",
        "## Beside the tools people use today",
        &[reading.concat(), others].concat(),
    );
}

/// Numbers of four digits and more in what the rows are called, too; years are none.
#[test]
fn what_is_said_to_be_measured_was() {
    let long = |text: &str| -> Vec<String> {
        let long = numbers(text).into_iter();
        long.filter(|number| number.len() > 3 && !number.contains('.') && number != "2026")
            .collect()
    };
    let measured = long(&read(MEASURED));
    for (page, heading) in [
        ("README.md", "## Beside the tools people use today"),
        ("docs/operations.md", "## What the machine needs"),
    ] {
        let text = read(page);
        let tables: Vec<String> = rows(section(&text, heading)).iter().map(|row| row.join("|")).collect();
        let told = long(&tables.join("\n"));
        assert!(told.len() > 5, "{page}: {told:?}");
        for figure in told {
            assert!(measured.contains(&figure), "{page}: {figure} is not in {MEASURED}");
        }
    }
}

#[test]
fn figures_are_found_where_they_were_written_down() {
    let measured =
        "## One\n\n| work | s | MB |\n|---|---:|---:|\n| reading | 1.25 | 1,000 |\n| reading | 2.5 | 10 |\n\n## Two\n";
    assert_eq!(cell(measured, "## One", "reading", "s"), "1.25");
    assert_eq!(cell(measured, "## One", "reading | 2.5", "MB"), "10");
    let value = |source: Source| source.value(measured).to_string();
    assert_eq!(value(Cell("## One", "read", "MB")), "1000");
    assert_eq!(value(Behind("## One", "| 2.5 |")), "10");
    assert_eq!(value(Ratio("## One", ["reading | 2.5", "s"], ["reading", "s"])), "2");
    assert_eq!(numbers("1,475,418 games, 1.4 GB; 31 s."), ["1475418", "1.4", "31"]);
}

#[test]
fn the_table_beside_the_load_tool_is_that_of_the_benchmarks() {
    let (measured, beside) = (read(MEASURED), read("benches/load/README.md"));
    let table = rows(section(&measured, LOAD));
    assert!(table.len() > 2, "there is a head, a rule and what was measured");
    let told = rows(&beside);
    let without_rules = |rows: &[Vec<&str>]| -> Vec<String> {
        let rows = rows.iter().filter(|row| !is_rule(row));
        rows.map(|row| row.join(" | ").replace(',', "")).collect()
    };
    assert_eq!(without_rules(&told), without_rules(&table));
}

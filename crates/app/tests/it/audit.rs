//! An audit sees what is wrong: a sound database, broken one row at a time.

use sqlx::{Connection as _, Executor as _, SqliteConnection};
use tabiya_app::build::{Steps, audit, build_all, structures};
use tabiya_chess::PositionId;

use crate::{
    book::after,
    workshop::{TEN_NAMES, Workshop, game},
};

const ITALIAN: &str = "e4 e5 Nf3 Nc6 Bc4 Bc5";

const ORPHANS: &str = "no orphans: every node but the initial position has a parent";
const ENDS: &str = "every move leads from a node to a node";
const LESS: &str = "a move has no more games than the position it is played in";
const SUMS: &str = "the moves from a position have no more games than it";
const GAMES: &str = "every position that games reached has games";
const BRANCHING: &str = "branching positions are marked as such";
const LABELLED: &str = "every terminal position has a structure or Unknown, and no other has";
const NAMED: &str = "every position below a named one has an opening, and no other has";
const LINKS: &str = "no opening is linked to itself, and links can be asked from either side";
const REPLAY: &str = "every move is legal and leads to its position";

/// The number a position is stored under.
fn id(line: &str) -> i64 {
    PositionId::of(&after(line)).to_i64()
}

async fn connect(workshop: &Workshop, name: &str) -> SqliteConnection {
    let path = workshop.path(name).display().to_string();
    SqliteConnection::connect(&format!("sqlite://{path}"))
        .await
        .expect("a database")
}

/// A copy of the database, broken by SQL, and the checks that fail on it.
async fn failing(workshop: &Workshop, number: usize, sql: &str) -> Vec<&'static str> {
    let name = format!("broken{number}.db");
    let path = workshop.path(&name);
    let copy = format!("VACUUM INTO '{}'", path.display());
    let mut whole = connect(workshop, "tabiya.db").await;
    whole.execute(sqlx::AssertSqlSafe(copy)).await.expect("a copy");
    let mut broken = connect(workshop, &name).await;
    let touched = broken
        .execute(sqlx::AssertSqlSafe(sql.to_owned()))
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    assert!(touched.rows_affected() > 0, "{sql}");
    broken.close().await.expect("closed");
    let report = audit(&format!("sqlite://{}", path.display()), &Steps::default())
        .await
        .expect("an audit");
    let failed: Vec<&str> = report
        .checks
        .iter()
        .filter(|check| !check.passed)
        .map(|check| check.name)
        .collect();
    assert_eq!(report.passed, failed.is_empty(), "{sql}");
    for check in &report.checks {
        assert_eq!(
            (check.passed, check.detail.is_empty()),
            (check.broken == 0, check.broken == 0),
            "{check:?}"
        );
    }
    failed
}

#[tokio::test]
async fn every_check_finds_what_breaks_it() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let lines = ["c3", "d3", "O-O"].map(|san| format!("{ITALIAN} {san}"));
    let games: String = lines
        .iter()
        .zip(0..)
        .map(|(line, at)| game(at, "", line, "1-0"))
        .collect();
    workshop.write("games.pgn", &(games + &game(9, "", "d4 Nf6 c4", "0-1")));
    let request = workshop.request(&["games.pgn"]);
    let built = build_all(&workshop.eco_request(), &request, None, &Steps::default())
        .await
        .expect("a build");
    assert!(built.audit.passed, "{:?}", built.audit);

    let (parent, [c3, d3, _]) = (id(ITALIAN), lines.each_ref().map(|line| id(line)));
    let cases: Vec<(String, &[&str])> = vec![
        ("UPDATE collections SET name = name".to_owned(), &[]),
        (format!("DELETE FROM nodes WHERE id = {c3}"), &[ENDS]),
        (
            format!("DELETE FROM edge_counts WHERE parent_id = {parent} AND move_uci = 'c2c3'"),
            &[ORPHANS, NAMED],
        ),
        // One move with too many games is too many for all of them.
        (
            format!("UPDATE edge_counts SET draws = 50 WHERE parent_id = {parent} AND move_uci = 'c2c3' AND white > 0"),
            &[LESS, SUMS],
        ),
        (
            format!("UPDATE edge_counts SET black = black + 1 WHERE parent_id = {parent} AND white > 0"),
            &[SUMS],
        ),
        (
            format!("UPDATE node_counts SET white = 0, draws = 0, black = 0 WHERE node_id = {c3}"),
            &[GAMES],
        ),
        (
            format!("UPDATE nodes SET is_branching = NOT is_branching WHERE id = {c3}"),
            &[BRANCHING],
        ),
        (
            format!("UPDATE nodes SET is_branching = NOT is_branching WHERE id = {parent}"),
            &[BRANCHING],
        ),
        (
            format!("UPDATE nodes SET structure = NULL WHERE id = {c3}"),
            &[LABELLED],
        ),
        (
            format!("UPDATE nodes SET structure = 'Unknown' WHERE id = {parent}"),
            &[LABELLED],
        ),
        (format!("UPDATE nodes SET opening_id = NULL WHERE id = {c3}"), &[NAMED]),
        (
            format!(
                "UPDATE nodes SET opening_id = (SELECT min(id) FROM openings) WHERE id = {}",
                id("")
            ),
            &[NAMED],
        ),
        // The database itself refuses this, unless it is told not to.
        (
            format!(
                "PRAGMA ignore_check_constraints = ON;
                 INSERT INTO node_transpositions SELECT min(id), min(id), 1, 1, {c3} FROM openings"
            ),
            &[LINKS],
        ),
        (
            format!(
                "UPDATE edges SET child_id = CASE move_uci WHEN 'c2c3' THEN {d3} ELSE {c3} END
                 WHERE parent_id = {parent} AND move_uci IN ('c2c3', 'd2d3')"
            ),
            &[REPLAY],
        ),
    ];
    for (number, (sql, expected)) in cases.iter().enumerate() {
        assert_eq!(failing(&workshop, number, sql).await, *expected, "{sql}");
    }
}

#[tokio::test]
async fn a_code_without_an_opening_is_missed() {
    let workshop = Workshop::new();
    workshop.eco().await;
    structures(&workshop.database(), &Steps::default())
        .await
        .expect("labels");
    assert!(failing(&workshop, 0, "UPDATE openings SET eco = eco").await.is_empty());
    let without = "UPDATE openings SET eco = 'C61' WHERE eco = 'C60'";
    assert_eq!(
        failing(&workshop, 1, without).await,
        ["all 500 ECO codes have an opening"]
    );
}

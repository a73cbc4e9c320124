use tabiya_chess::{FacetKinds, Outcome, PositionId, Speed, parse_fen};
use tabiya_store::{Collection, CollectionSource, GameHeader};

use super::{AskError, ExplorerGame, ExplorerQuery};

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// The position behind a FEN and a line, or the complaint.
#[track_caller]
fn check_path(fen: &str, play: &str, expected: Result<&str, &str>) {
    let query = ExplorerQuery {
        fen: text(fen),
        play: text(play),
        ..ExplorerQuery::default()
    };
    let found = query.read().map(|question| PositionId::of(question.position()));
    let expected = expected.map(|fen| PositionId::of(&parse_fen(fen).expect(fen).position));
    assert_eq!(
        found.map_err(|error| error.to_string()),
        expected.map_err(str::to_owned)
    );
}

#[test]
fn lines_are_played_from_anywhere() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    check_path("", "", Ok(start));
    check_path(start, "", Ok(start));
    check_path(
        "",
        "e2e4, e7e5",
        Ok("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"),
    );
    let ready = "r3k2r/5p2/8/8/8/8/5P2/R3K2R w KQkq - 0 1";
    let castled = Ok("r4rk1/5p2/8/8/8/8/5P2/R4RK1 w - - 0 1");
    check_path(ready, "e1g1,e8g8", castled);
    check_path(ready, "e1h1,e8h8", castled);
    check_path(
        "",
        "e2e4,e2e4",
        Err("play=e2e4,e2e4: `e2e4` is not a legal move here (move 2 of the line)"),
    );
    check_path(
        "",
        "castle",
        Err("play=castle: `castle` is not a move in UCI notation (move 1 of the line)"),
    );
}

#[test]
fn a_fen_that_is_none_is_named() {
    let query = ExplorerQuery {
        fen: text("here be dragons"),
        ..ExplorerQuery::default()
    };
    let error = query.read().expect_err("no FEN").to_string();
    assert!(error.starts_with("fen=here be dragons: "), "{error}");
}

/// What a filter asks for, or the complaint.
fn filter(change: impl FnOnce(&mut ExplorerQuery)) -> Result<bool, String> {
    let mut query = ExplorerQuery::default();
    change(&mut query);
    let question = query.read().map_err(|error| error.to_string())?;
    Ok(question.filter.is_some())
}

#[test]
fn whatever_asks_for_all_games_asks_for_no_facets() {
    assert_eq!(filter(|_| ()), Ok(false));
    assert_eq!(filter(|query| query.since = text("1952")), Ok(false));
    assert_eq!(filter(|query| query.since = text("0000-01")), Ok(false));
    assert_eq!(filter(|query| query.until = text("3000-12")), Ok(false));
    assert_eq!(
        filter(|query| query.ratings = text("2500,0,1000,1200,1400,1600,1800,2000,2200")),
        Ok(false)
    );
    let all = "ultraBullet,bullet,blitz,rapid,classical,correspondence";
    assert_eq!(filter(|query| query.speeds = text(all)), Ok(false));
    assert_eq!(filter(|query| query.variant = text("standard")), Ok(false));
    assert_eq!(filter(|query| query.speeds = text("")), Ok(false));

    assert_eq!(filter(|query| query.since = text("1998")), Ok(true));
    assert_eq!(filter(|query| query.since = text("1750-01")), Ok(true));
    assert_eq!(filter(|query| query.until = text("1800")), Ok(true));
    assert_eq!(filter(|query| query.until = text("2004-12")), Ok(true));
    assert_eq!(filter(|query| query.ratings = text("2500")), Ok(true));
    assert_eq!(filter(|query| query.speeds = text("blitz,rapid")), Ok(true));
}

#[test]
fn what_cannot_be_asked_is_explained() {
    let complaint = |change: fn(&mut ExplorerQuery)| filter(change).expect_err("a complaint");
    assert_eq!(
        complaint(|query| query.variant = text("atomic")),
        "variant=atomic: there are only games of standard chess here"
    );
    for wrong in ["98", "199x", "1998-13", "1998-", "-1", "99999"] {
        let error = filter(|query| query.since = text(wrong)).expect_err(wrong);
        assert_eq!(
            error,
            format!("since={wrong}: this is neither a year (1998) nor a month (1998-05)")
        );
    }
    assert_eq!(
        complaint(|query| query.until = text("1998-05")),
        "until=1998-05: games are told apart by year, not by month: ask for 1998-12"
    );
    assert_eq!(
        complaint(|query| query.since = text("1750-05")),
        "since=1750-05: games are told apart by year, not by month: ask for 1750-01"
    );
    assert_eq!(
        complaint(|query| query.ratings = text("2200,2300")),
        "ratings=2200,2300: `2300` is none of 0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500"
    );
    assert_eq!(
        complaint(|query| query.speeds = text("unknown")),
        "speeds=unknown: `unknown` is none of ultraBullet, bullet, blitz, rapid, classical, correspondence"
    );
}

#[test]
fn a_filter_needs_its_facet() {
    let query = ExplorerQuery {
        since: text("1998"),
        speeds: text("blitz"),
        ..ExplorerQuery::default()
    };
    let filter = query.read().expect("a question").filter.expect("a filter");
    let collection = |facets: &str| Collection {
        name: "games".to_owned(),
        source: CollectionSource::Pgn,
        games: 1,
        min_games: 1,
        depth: 15,
        max_ply: None,
        facets: facets.parse().expect(facets),
    };
    assert!(filter.check(&collection("year,rating,speed")).is_ok());
    for (facets, name, missing) in [("rating,speed", "since", "year"), ("year", "speeds", "speed")] {
        let error = filter.check(&collection(facets)).expect_err(facets);
        assert!(error.is_usage() && error.to_string().starts_with(name), "{error}");
        assert!(error.hints()[0].contains(&format!("`--facets {missing}`")), "{error:?}");
        assert!(matches!(error, AskError::NotToldApart { .. }));
    }
    let of = |year, speed| {
        FacetKinds {
            year: true,
            rating: true,
            speed: true,
        }
        .of(year, Some(2300), speed)
    };
    assert!(filter.has(&of(Some(1998), Speed::Blitz)));
    assert!(!filter.has(&of(Some(1997), Speed::Blitz)) && !filter.has(&of(None, Speed::Blitz)));
    assert!(!filter.has(&of(Some(2000), Speed::Rapid)) && !filter.has(&of(Some(2000), Speed::Unknown)));
}

#[test]
fn games_are_summed_up() {
    let game = |site: &str, date: &str| GameHeader {
        id: 0xabc,
        white: "Anand, V".to_owned(),
        black: "N N".to_owned(),
        white_elo: Some(2786),
        black_elo: None,
        outcome: Outcome::Black,
        date: date.to_owned(),
        event: String::new(),
        site: site.to_owned(),
        round: String::new(),
    };
    let shown = ExplorerGame::new(
        "e2e4".to_owned(),
        &game("https://lichess.org/abcdEFG1/black", "2008.10.??"),
    );
    assert_eq!((shown.id.as_str(), shown.winner), ("abcdEFG1", Some("black")));
    assert_eq!((shown.year, shown.month.as_deref()), (Some(2008), Some("2008-10")));
    assert_eq!((shown.white.rating, shown.black.rating), (Some(2786), None));
    for site in [
        "Bonn GER",
        "https://lichess.org/study/abcdefgh",
        "https://lichess.org/é",
    ] {
        let shown = ExplorerGame::new(String::new(), &game(site, "????.??.??"));
        assert_eq!(
            (shown.id.as_str(), shown.year, shown.month),
            ("0000000000000abc", None, None),
            "{site}"
        );
    }
}

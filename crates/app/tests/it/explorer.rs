//! The explorer's answers from our own games.

use shakmaty::Chess;
use tabiya_app::build::MinGames;
use tabiya_app::explore::{AskError, ExplorerAnswer, ExplorerQuery, KnowledgeBase, lichess, masters};
use tabiya_chess::FacetKinds;

use crate::{
    book::after,
    workshop::{TEN_NAMES, Workshop, game},
};

const ITALIAN: &str = "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O";

fn tags(year: u16, elo: u16, time_control: &str) -> String {
    format!(
        "[Date \"{year}.05.01\"]\n[WhiteElo \"{elo}\"]\n[BlackElo \"{elo}\"]\n[TimeControl \"{time_control}\"]\n[Site \"https://lichess.org/abcdefg{}\"]",
        year % 10
    )
}

/// Four games of a collection, told apart by everything.
async fn built(collection: &str, facets: &str) -> Workshop {
    let workshop = Workshop::named(TEN_NAMES).await;
    add(&workshop, collection, facets).await;
    workshop
}

async fn add(workshop: &Workshop, collection: &str, facets: &str) {
    let games = [
        game(0, &tags(1998, 2600, "7200+30"), ITALIAN, "1-0"),
        game(1, &tags(2004, 2450, "180+2"), ITALIAN, "1/2-1/2"),
        game(2, &tags(2011, 2000, "180+2"), "e4 e5 Nf3 Nc6 Bb5 a6", "0-1"),
        game(3, &tags(2012, 1500, "600+0"), "d4 Nf6", "1-0"),
    ];
    let file = format!("{collection}.pgn");
    workshop.write(&file, &games.concat());
    let mut request = workshop.request(&[&file]);
    request.collection = collection.to_owned();
    request.facets = facets.parse::<FacetKinds>().expect(facets);
    workshop.expand(&request).await;
}

fn query(play: &str) -> ExplorerQuery {
    ExplorerQuery {
        play: Some(play.to_owned()),
        ..ExplorerQuery::default()
    }
}

fn counts(answer: &ExplorerAnswer) -> (u64, u64, u64) {
    (answer.white, answer.draws, answer.black)
}

fn moves(answer: &ExplorerAnswer) -> Vec<(&str, u64)> {
    let count = |m: &tabiya_app::explore::ExplorerMove| m.white + m.draws + m.black;
    answer.moves.iter().map(|m| (m.san.as_str(), count(m))).collect()
}

/// A database, and the same with all of it in memory.
struct Desk {
    cold: KnowledgeBase,
    warm: KnowledgeBase,
}

impl Desk {
    async fn over(workshop: &Workshop) -> Desk {
        let open = async || KnowledgeBase::open(&workshop.database()).await.expect("a database");
        let desk = Desk {
            cold: open().await,
            warm: open().await,
        };
        desk.warm.reload().await.expect("a snapshot");
        desk
    }

    /// What both say.
    async fn ask(&self, query: &ExplorerQuery) -> ExplorerAnswer {
        assert!(self.cold.snapshot().is_none() && self.warm.snapshot().is_some());
        let cold = lichess(&self.cold, query).await.expect("an answer");
        let warm = lichess(&self.warm, query).await.expect("an answer");
        assert_eq!(cold, warm);
        warm
    }
}

#[tokio::test]
async fn memory_and_database_answer_alike_and_our_client_reads_it() {
    let workshop = built("games", "").await;
    let desk = Desk::over(&workshop).await;
    let start = desk.ask(&ExplorerQuery::default()).await;
    assert_eq!(counts(&start), (2, 1, 1));
    assert_eq!(moves(&start), [("e4", 3), ("d4", 1)]);
    assert_eq!(start.opening, None);
    assert_eq!(start.moves[0].average_rating, Some(2350));
    assert_eq!(
        start.moves[0].opening.as_ref().map(|opening| opening.name.as_str()),
        Some("King's Pawn")
    );
    assert_eq!(start.top_games.len(), 4);
    assert_eq!(
        (start.top_games[0].id.as_str(), start.top_games[0].year),
        ("abcdefg8", Some(1998))
    );

    let italian = desk.ask(&query("e2e4,e7e5,g1f3,b8c6,f1c4,f8c5")).await;
    assert_eq!((counts(&italian), moves(&italian)), ((1, 1, 0), vec![("O-O", 2)]));
    assert_eq!(italian.moves[0].uci, "e1h1");
    assert_eq!(italian.top_games[0].uci, "e1h1");
    assert_eq!(
        italian.opening.as_ref().map(|opening| opening.name.as_str()),
        Some("Italian Game: Giuoco Piano")
    );
    // The name of a line stays with what follows, that of a bare position does not.
    let castled = desk.ask(&query("e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,e1h1")).await;
    assert_eq!(
        (castled.opening.clone(), counts(&castled)),
        (italian.opening.clone(), (1, 1, 0))
    );
    let fen = tabiya_chess::full_fen(&after(ITALIAN));
    let bare = ExplorerQuery {
        fen: Some(fen),
        ..ExplorerQuery::default()
    };
    assert_eq!(desk.ask(&bare).await.opening, None);

    // What we say, our own client understands.
    for (line, answer) in [("", &start), ("e4 e5 Nf3 Nc6 Bc4 Bc5", &italian)] {
        let json = serde_json::to_vec(answer).expect("JSON");
        let position: Chess = after(line);
        let read = tabiya_lichess::ExplorerAnswer::from_json(&position, &json).expect("an answer");
        assert!(read.illegal.is_empty(), "{:?}", read.illegal);
        assert_eq!(read.tally.games(), answer.white + answer.draws + answer.black);
        let names: Vec<&str> = read.moves.iter().map(|m| m.san.as_str()).collect();
        assert_eq!(names, answer.moves.iter().map(|m| m.san.as_str()).collect::<Vec<_>>());
        assert_eq!(
            (read.top_games.len(), read.recent_games.len()),
            (answer.top_games.len(), answer.recent_games.as_ref().map_or(0, Vec::len))
        );
        assert_eq!(
            read.opening.map(|opening| opening.name),
            answer.opening.as_ref().map(|opening| opening.name.clone())
        );
    }
}

#[tokio::test]
async fn the_wire_has_the_explorers_fields() {
    let workshop = built("games", "").await;
    let desk = Desk::over(&workshop).await;
    let asked = ExplorerQuery {
        play: Some("d2d4".to_owned()),
        ..ExplorerQuery::default()
    };
    let answer = masters(&desk.warm, &asked).await.expect("an answer");
    let json = serde_json::to_value(&answer).expect("JSON");
    let expected = serde_json::json!({
        "opening": {"eco": "A40", "name": "Queen's Pawn"},
        "white": 1, "draws": 0, "black": 0,
        "moves": [{"uci": "g8f6", "san": "Nf6", "averageRating": 1500, "white": 1, "draws": 0, "black": 0,
            "game": null, "opening": {"eco": "A45", "name": "Indian Defense"}}],
        "topGames": [{"uci": "g8f6", "id": "abcdefg2", "winner": "white", "white": {"name": "W3", "rating": 1500},
            "black": {"name": "B", "rating": 1500}, "year": 2012, "month": "2012-05"}],
    });
    assert_eq!(json, expected);
}

#[tokio::test]
async fn a_position_that_nobody_played_has_no_games() {
    let workshop = built("games", "year").await;
    let desk = Desk::over(&workshop).await;
    for since in [None, Some("2000".to_owned())] {
        let unknown = ExplorerQuery {
            since,
            ..query("h2h4,h7h5")
        };
        let answer = desk.ask(&unknown).await;
        assert_eq!(
            (counts(&answer), answer.moves.len(), answer.top_games.len()),
            ((0, 0, 0), 0, 0)
        );
        assert_eq!((answer.opening, answer.recent_games), (None, Some(Vec::new())));
    }
    // A named line that nobody played: nothing was played, but it has a name.
    let answer = desk.ask(&query("e2e4,e7e5,g1f3,b8c6,f1c4,g8f6")).await;
    assert_eq!(answer.opening.map(|opening| opening.eco), Some("C55".to_owned()));
}

#[tokio::test]
async fn some_of_the_games_can_be_asked_for_where_they_are_told_apart() {
    let workshop = built("games", "year,rating,speed").await;
    let desk = Desk::over(&workshop).await;
    let check = |change: fn(&mut ExplorerQuery), expected: &'static [(&'static str, u64)], listed: usize| {
        let desk = &desk;
        async move {
            let mut asked = ExplorerQuery::default();
            change(&mut asked);
            let answer = desk.ask(&asked).await;
            assert_eq!(moves(&answer), expected, "{asked:?}");
            assert_eq!(answer.top_games.len(), listed, "{asked:?}");
            let (white, draws, black) = counts(&answer);
            assert_eq!(
                white + draws + black,
                expected.iter().map(|(_, games)| games).sum::<u64>()
            );
        }
    };
    check(
        |query| query.since = Some("2004".to_owned()),
        &[("e4", 2), ("d4", 1)],
        3,
    )
    .await;
    check(|query| query.until = Some("2004-12".to_owned()), &[("e4", 2)], 2).await;
    check(|query| query.ratings = Some("2500".to_owned()), &[("e4", 1)], 1).await;
    check(
        |query| query.ratings = Some("1400,2000".to_owned()),
        &[("d4", 1), ("e4", 1)],
        2,
    )
    .await;
    // Lists of games do not say how fast they were.
    check(|query| query.speeds = Some("blitz".to_owned()), &[("e4", 2)], 0).await;
    check(
        |query| {
            query.speeds = Some("blitz,rapid".to_owned());
            query.since = Some("2011".to_owned());
        },
        &[("d4", 1), ("e4", 1)],
        0,
    )
    .await;
    let short = ExplorerQuery {
        moves: Some(1),
        top_games: Some(2),
        recent_games: Some(0),
        ..ExplorerQuery::default()
    };
    let answer = desk.ask(&short).await;
    assert_eq!((moves(&answer), counts(&answer)), (vec![("e4", 3)], (2, 1, 1)));
    assert_eq!((answer.top_games.len(), answer.recent_games), (2, Some(Vec::new())));
}

/// Moves and the years of games, 0 for none, that are listed for `since` and `until`.
async fn check_years(desk: &Desk, [since, until]: [&str; 2], expected: &[(&str, u64)], years: &[u16]) {
    let asked = ExplorerQuery {
        since: Some(since.to_owned()),
        until: Some(until.to_owned()),
        ..ExplorerQuery::default()
    };
    let answer = desk.ask(&asked).await;
    assert_eq!(moves(&answer), expected, "{asked:?}");
    let recent = answer.recent_games.expect("a list");
    let recent: Vec<u16> = recent.iter().map(|game| game.year.unwrap_or(0)).collect();
    assert_eq!(recent, years, "{asked:?}");
}

#[tokio::test]
async fn games_of_any_century_can_be_asked_for() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let games = [
        game(0, &tags(1750, 2000, "-"), "e4 e5", "1-0"),
        game(1, &tags(1851, 2000, "-"), "e4 e5", "1-0"),
        game(2, &tags(1998, 2000, "-"), "d4 Nf6", "0-1"),
        game(3, "", "e4 e5", "0-1"),
    ];
    workshop.write("games.pgn", &games.concat());
    let mut request = workshop.request(&["games.pgn"]);
    request.facets = "year".parse().expect("a facet");
    workshop.expand(&request).await;
    let desk = Desk::over(&workshop).await;
    check_years(&desk, ["", "1800"], &[("e4", 1)], &[1750]).await;
    check_years(&desk, ["1751", ""], &[("d4", 1), ("e4", 1)], &[1998, 1851]).await;
    check_years(&desk, ["1750-01", "1900-12"], &[("e4", 2)], &[1851, 1750]).await;
    check_years(&desk, ["1400", ""], &[("e4", 2), ("d4", 1)], &[1998, 1851, 1750]).await;
    // What is sent for all games.
    check_years(&desk, ["1952", "3000"], &[("e4", 3), ("d4", 1)], &[1998, 1851, 1750, 0]).await;
}

#[tokio::test]
async fn games_that_leave_by_no_kept_move_count_for_the_position_alone() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let games = [
        game(0, &tags(2004, 2600, "180+2"), ITALIAN, "1-0"),
        game(1, &tags(2004, 2450, "180+2"), ITALIAN, "1/2-1/2"),
        game(2, &tags(2011, 2000, "180+2"), "e4 e5 Nf3 Nc6 Bc4 Bc5 b4", "0-1"),
        game(3, &tags(2012, 1500, "180+2"), "e4 e5 Nf3 Nc6 Bc4 Bc5", "0-1"),
    ];
    workshop.write("games.pgn", &games.concat());
    let mut request = workshop.request(&["games.pgn"]);
    request.facets = "year".parse().expect("a facet");
    request.min_games = MinGames::Fixed(2);
    workshop.expand(&request).await;
    let desk = Desk::over(&workshop).await;
    for (since, total) in [("2000", (1, 1, 2)), ("2011", (0, 0, 2))] {
        let asked = ExplorerQuery {
            since: Some(since.to_owned()),
            ..query("e2e4,e7e5,g1f3,b8c6,f1c4,f8c5")
        };
        let answer = desk.ask(&asked).await;
        assert_eq!(counts(&answer), total, "{since}");
        let castled: &[(&str, u64)] = if since == "2000" { &[("O-O", 2)] } else { &[] };
        assert_eq!(moves(&answer), castled, "{since}");
    }
}

#[tokio::test]
async fn a_filter_without_its_facet_says_how_to_build_it() {
    let workshop = built("games", "rating").await;
    let desk = Desk::over(&workshop).await;
    let asked = ExplorerQuery {
        since: Some("2000".to_owned()),
        ..ExplorerQuery::default()
    };
    let error = masters(&desk.warm, &asked).await.expect_err("no years");
    assert_eq!(
        error.to_string(),
        "since asks for some of the games, and those of the collection \"games\" are not told apart by year"
    );
    assert!(error.hints()[0].contains("--facets year"), "{:?}", error.hints());
    assert!(error.is_usage() && matches!(error, AskError::NotToldApart { .. }));
}

#[tokio::test]
async fn masters_are_asked_first() {
    let workshop = built("club", "").await;
    let desk = Desk::over(&workshop).await;
    assert_eq!(
        counts(&masters(&desk.warm, &ExplorerQuery::default()).await.expect("all")),
        (2, 1, 1)
    );
    add(&workshop, "masters", "year").await;
    desk.warm.reload().await.expect("a snapshot");
    let answer = masters(&desk.warm, &ExplorerQuery::default()).await.expect("masters");
    assert_eq!((counts(&answer), answer.recent_games), ((2, 1, 1), None));
    let all = desk.ask(&ExplorerQuery::default()).await;
    assert_eq!(
        (counts(&all), all.recent_games.map(|games| games.len())),
        ((4, 2, 2), Some(8))
    );
    let since = ExplorerQuery {
        since: Some("2012".to_owned()),
        ..ExplorerQuery::default()
    };
    assert_eq!(counts(&masters(&desk.warm, &since).await.expect("masters")), (1, 0, 0));
    assert_eq!(counts(&lichess(&desk.warm, &since).await.expect("all")), (2, 0, 0));
}

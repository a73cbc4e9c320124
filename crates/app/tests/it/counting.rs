//! Counts that are true: of every position, move, result, rating and year.

use std::collections::{BTreeMap, BTreeSet};

use tabiya_app::{
    AppError,
    build::{MinGames, count::LeftOut},
};
use tabiya_chess::{PositionId, Stats};
use tabiya_counts::CountError;

use crate::{
    random_games::{RandomGame, naive_count, pgn, random_games},
    workshop::{Sums, TEN_NAMES, Workshop, assert_same, epd_after, game},
};

const MAX_PLY: u16 = 12;

fn number(games: &[RandomGame], of: impl Fn(&&RandomGame) -> bool) -> u64 {
    games.iter().filter(of).count() as u64
}

#[tokio::test]
async fn counts_equal_a_naive_count_on_any_number_of_threads() {
    let games = random_games(1, 700);
    let expected = naive_count(&games, MAX_PLY.into(), |_| true);
    assert!(expected.nodes.len() > 500 && expected.nodes.values().any(|stats| stats.games() > 50));
    let mut dumps = Vec::new();
    for threads in [1, 2, 5] {
        let workshop = Workshop::named(TEN_NAMES).await;
        workshop.write("games.pgn", &pgn(&games));
        let mut request = workshop.request(&["games.pgn"]);
        request.threads = threads;
        request.max_ply = Some(MAX_PLY);
        let report = workshop.expand(&request).await;
        assert!(Sums::of(&workshop.graph().await) == expected, "on {threads} threads");

        let [file] = report.files.as_slice() else {
            panic!("{report:?}")
        };
        assert_eq!(file.games, games.len() as u64);
        assert_eq!(file.counted + file.duplicates + file.left_out.total(), file.games);
        let broken = |game: &&RandomGame| !game.from_fen && game.is_broken(MAX_PLY.into());
        let left_out = LeftOut {
            no_result: number(&games, |game| !game.from_fen && !broken(game) && game.result == "*"),
            broken: number(&games, broken),
            other_start: number(&games, |game| game.from_fen),
            ..LeftOut::default()
        };
        assert_eq!(file.left_out, left_out);
        assert!(file.duplicates > 20, "{file:?}");
        dumps.push(workshop.dump().await);
    }
    assert_same(&dumps[0], &dumps[1]);
    assert_same(&dumps[0], &dumps[2]);
}

#[tokio::test]
async fn filters_choose_games_by_rating_and_date() {
    let games = random_games(2, 300);
    let workshop = Workshop::named(TEN_NAMES).await;
    workshop.write("games.pgn", &pgn(&games));
    let mut request = workshop.request(&["games.pgn"]);
    request.max_ply = Some(MAX_PLY);
    request.filter.min_elo = Some(1800);
    workshop.expand(&request).await;
    let strong = |game: &RandomGame| game.elos.iter().all(|elo| elo.is_some_and(|elo| elo >= 1800));
    let expected = naive_count(&games, MAX_PLY.into(), strong);
    assert!(!expected.nodes.is_empty() && Sums::of(&workshop.graph().await) == expected);

    request.filter.min_elo = None;
    request.filter.since = "1990".parse().ok();
    request.filter.until = "2005-06".parse().ok();
    workshop.expand(&request).await;
    let in_time = |game: &RandomGame| game.year.is_some_and(|year| (1990..=2005).contains(&year));
    let expected = naive_count(&games, MAX_PLY.into(), in_time);
    assert!(!expected.nodes.is_empty() && Sums::of(&workshop.graph().await) == expected);
}

#[tokio::test]
async fn facets_add_up_to_totals() {
    let workshop = Workshop::named(TEN_NAMES).await;
    workshop.write("games.pgn", &pgn(&random_games(3, 400)));
    let mut request = workshop.request(&["games.pgn"]);
    request.facets = "year,rating,speed".parse().expect("three facets");
    // Moves below the threshold must not be lost to their positions.
    request.min_games = MinGames::Fixed(4);
    workshop.expand(&request).await;
    let store = workshop.store().await;
    let graph = workshop.graph().await;
    let results = |stats: &Stats| [stats.white, stats.draws, stats.black, stats.rating_sum, stats.rated];
    let mut edges: BTreeMap<(PositionId, &str), [u64; 5]> = BTreeMap::new();
    for edge in graph.edges.iter().filter(|edge| edge.stats.games() > 0) {
        edges.insert((edge.parent, &edge.uci), results(&edge.stats));
    }
    let mut kinds = BTreeSet::new();
    let mut told = 0;
    for node in &graph.nodes {
        let mut total = [0; 5];
        let mut by_move: BTreeMap<String, [u64; 5]> = BTreeMap::new();
        for part in store.facets(node.id, "games").await.expect("facets") {
            kinds.insert(part.facet.speed);
            let of_move = by_move.entry(part.uci).or_default();
            for (at, value) in results(&part.stats).into_iter().enumerate() {
                total[at] += value;
                of_move[at] += value;
            }
        }
        assert_eq!(total, results(&node.stats), "{}", node.epd);
        by_move.remove("");
        for (uci, sum) in by_move {
            assert_eq!(Some(&sum), edges.get(&(node.id, uci.as_str())), "{uci} in {}", node.epd);
            told += 1;
        }
    }
    assert_eq!(told, edges.len());
    assert!(kinds.len() == 5, "{kinds:?}");
}

#[tokio::test]
async fn a_file_counted_twice_is_recognised() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let games = pgn(&random_games(4, 60));
    workshop.write("games.pgn", &games);
    let request = workshop.request(&["games.pgn"]);
    let first = workshop.expand(&request).await;
    let before = workshop.dump().await;
    assert!(workshop.expand(&request).await.skipped);
    // Under another name, and beside another file.
    workshop.write("copy.pgn", &games);
    workshop.write("more.pgn", &game(1, "", "e4 e5", "1-0"));
    let mut request = workshop.request(&["copy.pgn"]);
    request.add = true;
    let again = workshop.expand(&request).await;
    assert!(again.files[0].known && again.games == first.games, "{again:?}");
    assert_same(&workshop.dump().await, &before);
    let mut request = workshop.request(&["copy.pgn", "more.pgn"]);
    request.add = true;
    let more = workshop.expand(&request).await;
    assert_eq!(
        more.files.iter().map(|file| file.known).collect::<Vec<_>>(),
        [true, false]
    );
    assert_eq!(more.games, first.games + 1);
    // The same games in another file are duplicates, one by one.
    workshop.write("other.pgn", &format!("{games}\n\n"));
    let mut request = workshop.request(&["other.pgn"]);
    request.add = true;
    let other = workshop.expand(&request).await;
    assert_eq!((other.games, other.files[0].counted), (more.games, 0));
}

#[tokio::test]
async fn collections_are_summed_for_the_threshold() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let two = |from: usize| game(from, "", "a3 a6", "1-0") + &game(from + 1, "", "a3 h6", "0-1");
    workshop.write("one.pgn", &two(0));
    workshop.write("two.pgn", &two(10));
    let mut request = workshop.request(&["one.pgn"]);
    request.min_games = MinGames::Fixed(3);
    workshop.expand(&request).await;
    assert!(workshop.node("a3").await.is_none(), "two games of three");
    request = workshop.request(&["two.pgn"]);
    request.collection = "others".to_owned();
    request.min_games = MinGames::Fixed(3);
    let report = workshop.expand(&request).await;
    assert_eq!((report.games, report.all_games), (2, 4));
    let node = workshop.node("a3").await.expect("four games of three");
    assert_eq!((node.game_count(), node.children.len()), (4, 0));
    let store = workshop.store().await;
    for collection in ["games", "others"] {
        let share = store
            .node(PositionId::of(&crate::book::after("a3")), Some(collection))
            .await;
        assert_eq!(share.expect("readable").expect("a node").game_count(), 2);
    }
}

/// All collections are kept alike, so the settings of the last build hold for all of them.
#[tokio::test]
async fn another_collection_does_not_pass_for_the_one_at_hand() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let games = random_games(8, 120);
    workshop.write("one.pgn", &pgn(&games[..60]));
    workshop.write("two.pgn", &pgn(&games[60..]));
    let mut one = workshop.request(&["one.pgn"]);
    one.facets = "year".parse().expect("a facet");
    one.max_ply = Some(10);
    let mut two = workshop.request(&["two.pgn"]);
    two.collection = "others".to_owned();
    two.min_games = MinGames::Fixed(20);
    for request in [&two, &one] {
        workshop.expand(request).await;
    }
    let expected = workshop.dump().await;
    workshop.expand(&two).await;
    let pruned = workshop.dump().await;
    assert!(
        pruned.len() < expected.len() / 2,
        "{} of {}",
        pruned.len(),
        expected.len()
    );
    assert!(!workshop.expand(&one).await.skipped, "its moves are to be brought back");
    assert_same(&workshop.dump().await, &expected);
    assert!(workshop.expand(&one).await.skipped);
    let collections = workshop.store().await.collections().await.expect("collections");
    let plies: Vec<_> = collections
        .iter()
        .map(|known| (known.name.as_str(), known.max_ply))
        .collect();
    assert_eq!(plies, [("games", Some(10)), ("openings", None), ("others", None)]);
}

#[tokio::test]
async fn the_threshold_rises_until_the_graph_is_small_enough() {
    let workshop = Workshop::named(TEN_NAMES).await;
    workshop.write("games.pgn", &pgn(&random_games(5, 500)));
    let mut request = workshop.request(&["games.pgn"]);
    let all = workshop.expand(&request).await;
    assert_eq!((all.asked_min_games, all.min_games), (1, 1));
    request.max_nodes = 100;
    let cut = workshop.expand(&request).await;
    assert!(all.nodes > 1000 && cut.nodes <= 100 && cut.nodes > 11, "{cut:?}");
    assert!(cut.asked_min_games == 1 && cut.min_games > 1, "{cut:?}");
    let graph = workshop.graph().await;
    assert_eq!(graph.nodes.len() as u64, cut.nodes);
    let skeleton: Vec<PositionId> = graph
        .nodes
        .iter()
        .filter(|node| node.named)
        .map(|node| node.id)
        .collect();
    for edge in graph.edges.iter().filter(|edge| !skeleton.contains(&edge.child)) {
        assert!(edge.stats.games() >= cut.min_games, "{} {:?}", edge.san, edge.stats);
    }
    let collections = workshop.store().await.collections().await.expect("collections");
    assert!(collections.iter().any(|known| known.min_games == cut.min_games));
    // The names alone are more than this.
    request.max_nodes = 5;
    let before = workshop.dump().await;
    let error = workshop.try_expand(&request).await.expect_err("too few");
    assert!(error.to_string().contains("raise --max-nodes"), "{error}");
    assert_same(&workshop.dump().await, &before);
}

#[tokio::test]
async fn the_threshold_is_the_lowest_that_fits() {
    let workshop = Workshop::named(TEN_NAMES).await;
    workshop.write("games.pgn", &pgn(&random_games(5, 500)));
    let mut request = workshop.request(&["games.pgn"]);
    request.max_nodes = 10;
    let error = workshop.try_expand(&request).await.expect_err("eleven are named");
    assert!(
        error.to_string().contains("have 11 positions; raise --max-nodes"),
        "{error}"
    );
    assert!(
        !workshop.path("tabiya.db.counts").exists(),
        "found before games are counted"
    );
    for max_nodes in [11, 12, 50, 400] {
        request.max_nodes = max_nodes;
        request.min_games = MinGames::Fixed(1);
        let cut = workshop.expand(&request).await;
        assert!(cut.nodes <= max_nodes && cut.min_games > 1, "{cut:?}");
        request.max_nodes = 1_000_000;
        request.min_games = MinGames::Fixed(cut.min_games);
        assert_eq!(workshop.expand(&request).await.nodes, cut.nodes);
        request.min_games = MinGames::Fixed(cut.min_games - 1);
        let lower = workshop.expand(&request).await;
        assert!(lower.nodes > max_nodes, "{cut:?}, and with one less {lower:?}");
    }
}

#[tokio::test]
async fn games_of_different_days_are_different_games() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let on = |tags: &str| game(1, tags, "e4 e5 Nf3", "1-0");
    // Early archives of Lichess have no other date.
    let lichess = |day: &str| on(&format!("[Date \"????.??.??\"]\n[UTCDate \"{day}\"]\n"));
    workshop.write(
        "games.pgn",
        &[
            lichess("2013.01.01"),
            lichess("2013.01.02"),
            lichess("2013.01.02"),
            on("[Date \"2013.01.01\"]\n"),
        ]
        .concat(),
    );
    let report = workshop.expand(&workshop.request(&["games.pgn"])).await;
    assert_eq!((report.files[0].counted, report.files[0].duplicates), (2, 2));
}

#[tokio::test]
async fn what_follows_the_counted_moves_breaks_no_game() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let games = ["e4 e5 -- d5", "e4 c5 Ke5", "e4 -- d4"];
    let games = games.iter().enumerate();
    let games: String = games.map(|(number, line)| game(number, "", line, "1-0")).collect();
    workshop.write("games.pgn", &games);
    let mut request = workshop.request(&["games.pgn"]);
    request.max_ply = Some(2);
    let report = workshop.expand(&request).await;
    assert_eq!((report.files[0].counted, report.files[0].left_out.broken), (2, 1));
}

#[tokio::test]
async fn depth_is_counted_from_the_nearest_name() {
    let workshop = Workshop::named("eco,name,pgn\nC50,Italian Game,1.e4 e5 2.Nf3 Nc6 3.Bc4\n").await;
    workshop.write(
        "games.pgn",
        &(game(1, "", "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d4", "1-0") + &game(2, "", "d4 d5 c4 e6", "0-1")),
    );
    let lines = |graph: &tabiya_store::KnowledgeGraph| -> BTreeSet<String> {
        graph.nodes.iter().map(|node| node.epd.clone()).collect()
    };
    // To a named position, and so many half-moves beyond each; the initial one counts as such.
    let stem = ["", "e4", "e4 e5", "e4 e5 Nf3", "e4 e5 Nf3 Nc6", "e4 e5 Nf3 Nc6 Bc4"];
    let cases: [(u16, &[&str]); 3] = [
        (1, &["e4 e5 Nf3 Nc6 Bc4 Bc5", "d4"]),
        (2, &["e4 e5 Nf3 Nc6 Bc4 Bc5", "e4 e5 Nf3 Nc6 Bc4 Bc5 c3", "d4", "d4 d5"]),
        (
            3,
            &[
                "e4 e5 Nf3 Nc6 Bc4 Bc5",
                "e4 e5 Nf3 Nc6 Bc4 Bc5 c3",
                "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6",
                "d4",
                "d4 d5",
                "d4 d5 c4",
            ],
        ),
    ];
    for (depth, more) in cases {
        let mut request = workshop.request(&["games.pgn"]);
        request.depth = depth;
        workshop.expand(&request).await;
        let expected: BTreeSet<String> = stem.iter().chain(more).map(|line| epd_after(line)).collect();
        assert_eq!(lines(&workshop.graph().await), expected, "depth {depth}");
        for line in ["e4", "e4 e5 Nf3 Nc6", "e4 e5 Nf3 Nc6 Bc4 Bc5"] {
            assert_eq!(workshop.node(line).await.expect(line).game_count(), 1);
        }
    }
}

#[tokio::test]
async fn a_build_that_is_told_to_stop_leaves_everything_as_it_was() {
    let workshop = Workshop::named(TEN_NAMES).await;
    workshop.write("games.pgn", &pgn(&random_games(6, 50)));
    let before = workshop.dump().await;
    let request = workshop.request(&["games.pgn"]);
    request.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let error = workshop.try_expand(&request).await.expect_err("it was stopped");
    assert!(matches!(error, AppError::Count(CountError::Stopped)) && error.is_stop());
    assert_same(&workshop.dump().await, &before);
    let request = workshop.request(&["games.pgn"]);
    assert!(workshop.expand(&request).await.games > 0);
}

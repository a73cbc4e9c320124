//! A real Stockfish, on positions whose value is not in dispute.

use std::{fs, time::Duration};

use shakmaty::{CastlingMode, Color};
use tabiya_chess::{Analysis, Eval, SearchLimit, parse_fen_with_mode};
use tabiya_engine::{Answer, EngineConfig, Memory, NotDone, Pool, PoolConfig, Search, Unit, probe};
use tokio::time::{sleep, timeout};

use crate::fixture::{AGES, after, all, done, fen, is_alive, real_engine, write_program};

async fn pool(workers: usize) -> Pool {
    let mut config = PoolConfig::new(EngineConfig::new(real_engine()));
    config.workers = workers;
    Pool::start(config).await.unwrap()
}

fn asked(position: shakmaty::Chess, limit: SearchLimit, multipv: u8) -> Search {
    Search {
        position,
        limit,
        multipv,
    }
}

/// Everything but the time it took.
fn timeless(mut analysis: Analysis) -> Analysis {
    analysis.millis = 0;
    analysis
}

#[tokio::test(flavor = "multi_thread")]
async fn one_move_is_thought_about_and_no_other() {
    let pool = pool(1).await;
    let position = fen("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1");
    let only = tabiya_chess::from_uci(&position, "a1a2").unwrap();
    let analysis = done(pool.analyse_move(asked(position, SearchLimit::depth(8), 3), only).await);
    assert_eq!(analysis.lines.len(), 1);
    assert_eq!(analysis.lines[0].moves[0].to_string(), "a1a2");
    assert_ne!(analysis.lines[0].eval, Eval::Mate(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn chess960_castles() {
    let pool = pool(1).await;
    // A rook on b1 that may castle is a thing of Chess960.
    let text = "8/8/8/8/8/4k3/8/1R2K3 w B - 0 1";
    let position = parse_fen_with_mode(text, CastlingMode::Chess960).unwrap().position;
    let castles = tabiya_chess::from_uci(&position, "e1b1").unwrap();
    assert!(castles.is_castle());
    let limit = SearchLimit::depth(6);
    let analysis = done(pool.analyse_move(asked(position.clone(), limit, 1), castles).await);
    assert_eq!(analysis.lines[0].moves[0].to_string(), "e1b1");
    // The same engine goes back and forth between both games.
    let standard = done(
        pool.analyse(asked(fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), limit, 1))
            .await,
    );
    assert!(standard.best().is_some());
    let again = done(pool.analyse_move(asked(position, limit, 1), castles).await);
    assert_eq!(timeless(again), timeless(analysis));
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_are_not_in_dispute() {
    let id = probe(EngineConfig::new(real_engine())).await.unwrap();
    assert!(id.version().is_some_and(|version| version >= (16, 0)), "{id}");
    assert_eq!(id.warning(), None);

    let pool = pool(2).await;
    assert_eq!(pool.engine(), &id);
    let ask = async |position, depth| done(pool.analyse(asked(position, SearchLimit::depth(depth), 1)).await);

    let mate_in_one = ask(fen("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"), 5).await;
    assert_eq!(mate_in_one.best().unwrap().eval, Eval::Mate(1));
    assert_eq!(mate_in_one.best().unwrap().moves[0].to_string(), "a1a8");
    assert_eq!(mate_in_one.engine, id.name);

    // The ladder, and the same with colours turned round: Black mates, White's view is negative.
    let mate_in_two = ask(fen("7k/8/8/8/8/8/1R6/R5K1 w - - 0 1"), 20).await;
    assert_eq!(mate_in_two.best().unwrap().eval, Eval::Mate(2));
    let black_mates = ask(fen("r5k1/1r6/8/8/8/8/8/7K b - - 0 1"), 20).await;
    assert_eq!(black_mates.best().unwrap().eval, Eval::Mate(-2));

    let queen_up = ask(fen("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"), 8).await;
    assert!(queen_up.best().unwrap().eval.is_winning_for(Color::White));
    assert!(matches!(queen_up.best().unwrap().eval, Eval::Cp(500..) | Eval::Mate(_)));

    let start = ask(after(""), 12).await;
    assert!(matches!(start.best().unwrap().eval, Eval::Cp(-20..=80)), "{start:?}");
    assert_eq!(start.depth(), 12);
    let wdl = start.best().unwrap().wdl.unwrap();
    assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
    assert!(start.nodes > 0 && start.hashfull.is_some());
    pool.stop(AGES).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_lines_from_best_to_worst() {
    let pool = pool(1).await;
    for (position, expected) in [
        (after("e2e4 e7e5 g1f3"), 3),
        // Two legal moves: no third line.
        (fen("7k/8/5K2/8/8/8/8/R7 b - - 0 1"), 2),
    ] {
        let analysis = done(pool.analyse(asked(position, SearchLimit::nodes(30_000), 3)).await);
        assert_eq!(analysis.multipv, 3);
        let indexes: Vec<_> = analysis.lines.iter().map(|line| line.index).collect();
        assert_eq!(indexes, (1..=expected).collect::<Vec<u8>>());
        assert!(
            analysis
                .lines
                .iter()
                .all(|line| line.depth == analysis.depth() && !line.moves.is_empty())
        );
    }
    // And back to one.
    let one = done(pool.analyse(asked(after("d2d4"), SearchLimit::millis(100), 1)).await);
    assert_eq!(one.lines.len(), 1);
    assert!(one.millis >= 90, "{one:?}");
    pool.stop(AGES).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_do_not_depend_on_the_number_of_workers() {
    let games = [
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
        "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6",
        "c2c4 e7e5 b1c3 g8f6",
        "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4",
    ];
    let units = |memory| {
        games.map(|game| {
            let moves: Vec<_> = game.split(' ').collect();
            let searches = (0..=moves.len())
                .map(|ply| asked(after(&moves[..ply].join(" ")), SearchLimit::nodes(4_000), 2))
                .collect();
            Unit { searches, memory }
        })
    };
    for memory in [Memory::Nothing, Memory::OfUnit] {
        let mut seen: Vec<Vec<Analysis>> = Vec::new();
        for workers in [1, 3] {
            let pool = pool(workers).await;
            let [a, b, c, d] = units(memory).map(|unit| all(&pool, unit));
            let (a, b, c, d) = tokio::join!(a, b, c, d);
            pool.stop(AGES).await;
            seen.push(
                [a, b, c, d]
                    .concat()
                    .into_iter()
                    .map(|answer| timeless(done(answer)))
                    .collect(),
            );
        }
        assert_eq!(seen[0].len(), 26);
        assert_eq!(seen[0], seen[1], "{memory:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_in_the_middle_leaves_nobody_behind() {
    // A wrapper that notes its process id, which stays the engine's.
    let dir = tempfile::tempdir().unwrap();
    let (wrapper, ledger) = (dir.path().join("stockfish"), dir.path().join("ledger"));
    let script = format!(
        "#!/bin/sh\necho $$ >>'{}'\nexec '{}' \"$@\"\n",
        ledger.display(),
        real_engine().display()
    );
    write_program(&wrapper, &script);
    let mut config = PoolConfig::new(EngineConfig::new(wrapper));
    config.workers = 2;
    let pool = Pool::start(config).await.unwrap();

    let deep = |moves| asked(after(moves), SearchLimit::depth(60), 1);
    let unit = || Unit {
        searches: vec![deep("e2e4"), deep("")],
        memory: Memory::Nothing,
    };
    let mut replies = [pool.submit(unit()), pool.submit(unit())];
    let both = async {
        loop {
            let pids = fs::read_to_string(&ledger).unwrap();
            if pids.lines().count() == 2 {
                break pids.lines().map(|pid| pid.parse().unwrap()).collect::<Vec<u32>>();
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    let pids = timeout(AGES, both).await.unwrap();
    sleep(Duration::from_millis(500)).await;
    assert!(pids.iter().all(|pid| is_alive(*pid)), "{pids:?}");
    timeout(AGES, pool.stop(Duration::from_millis(100))).await.unwrap();
    assert!(!pids.iter().any(|pid| is_alive(*pid)), "{pids:?}");
    for replies in &mut replies {
        for index in 0..2 {
            assert_eq!(replies.next().await, Some((index, Answer::NotDone(NotDone::Stopped))));
        }
    }
}

/// Castling from b1 with a rook on g1, and from the usual squares with a rook on g8.
const SHUFFLED: &str = "r3k1r1/pppppppp/8/8/8/8/PPPPPPPP/RK4R1 w GAga - 0 1";

fn chess960(text: &str) -> shakmaty::Chess {
    let start = tabiya_chess::parse_fen_with_mode(text, shakmaty::CastlingMode::Chess960);
    start.unwrap().position
}

#[tokio::test(flavor = "multi_thread")]
async fn chess960_is_asked_about_between_positions_of_standard_chess() {
    let pool = pool(1).await;
    let limit = SearchLimit::nodes(3_000);
    let ask = async |position| timeless(done(pool.analyse(asked(position, limit, 1)).await));
    let before = ask(after("e2e4 e7e5")).await;
    let shuffled = ask(chess960(SHUFFLED)).await;
    // Every move was played on a board, castling among them where it came.
    assert!(!shuffled.best().unwrap().moves.is_empty());
    assert_eq!(ask(after("e2e4 e7e5")).await, before, "the option leaves no trace");
    assert_eq!(ask(chess960(SHUFFLED)).await, shuffled);
}

//! The conversation itself, word for word.

use tabiya_chess::{Eval, SearchLimit, Wdl};
use tabiya_engine::{Answer, Memory, Search, Unit};

use crate::fixture::{Fake, after, all, done, fen};

/// Plays a unit on a script; a command that the script does not expect ends the engine, and the test.
async fn converse(script: &str, unit: Unit) -> Vec<Answer> {
    let fake = Fake::script(script);
    let pool = fake.pool().await;
    all(&pool, unit).await
}

fn asked(position: shakmaty::Chess, limit: &str, multipv: u8) -> Search {
    Search {
        position,
        limit: limit.parse().unwrap(),
        multipv,
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_of_two_positions() {
    let script = "
        < uci
        > id name Stockfish 17
        > id author the Stockfish developers
        > option name Threads type spin default 1 min 1 max 1024
        > option name Hash type spin default 16 min 1 max 33554432
        > option name Clear Hash type button
        > option name MultiPV type spin default 1 min 1 max 256
        > option name UCI_ShowWDL type check default false
        > uciok
        < setoption name Threads value 1
        < setoption name Hash value 16
        < setoption name UCI_ShowWDL value true
        < isready
        > readyok
        < setoption name MultiPV value 2
        < ucinewgame
        < isready
        > readyok
        < position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
        < go depth 10 nodes 5000
        > info string NNUE evaluation using nn-1c0000000000.nnue
        > info depth 10 seldepth 14 multipv 1 score cp 31 wdl 60 930 10 nodes 4900 nps 490000 hashfull 2 tbhits 0 time 10 pv e2e4 e7e5
        > info depth 10 seldepth 12 multipv 2 score cp 28 wdl 55 935 10 nodes 4950 nps 495000 hashfull 3 tbhits 1 time 11 pv d2d4
        > info depth 11 seldepth 15 multipv 1 score cp 40 lowerbound nodes 5001 nps 500000 hashfull 4 tbhits 2 time 12 pv d2d4
        > bestmove d2d4
        < isready
        > readyok
        < position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
        < go depth 10 nodes 5000
        > info depth 9 seldepth 14 multipv 1 score cp -31 wdl 10 930 60 nodes 4900 time 9 pv e7e5
        > info depth 9 seldepth 12 multipv 2 score mate -7 nodes 4950 time 9 pv f7f6 e4e5
        > bestmove e7e5 ponder g1f3";
    let limit = "depth 10 nodes 5000";
    let unit = Unit {
        searches: vec![asked(after(""), limit, 2), asked(after("e2e4"), limit, 2)],
        memory: Memory::OfUnit,
    };
    let [first, second] = <[Answer; 2]>::try_from(converse(script, unit).await).unwrap().map(done);

    assert_eq!(first.engine, "Stockfish 17");
    assert_eq!(
        first.limit,
        SearchLimit {
            depth: Some(10),
            nodes: Some(5000),
            millis: None
        }
    );
    assert_eq!((first.multipv, first.nodes, first.millis), (2, 5001, 12));
    assert_eq!((first.hashfull, first.tbhits), (Some(4), 2));
    let best = &first.lines[0];
    assert_eq!(
        (best.index, best.depth, best.seldepth, best.eval),
        (1, 10, Some(14), Eval::Cp(31))
    );
    assert_eq!(
        best.wdl,
        Some(Wdl {
            win: 60,
            draw: 930,
            loss: 10
        })
    );
    assert_eq!(
        best.moves.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["e2e4", "e7e5"]
    );
    assert_eq!((first.lines[1].index, first.lines[1].eval), (2, Eval::Cp(28)));

    // Black's to move: the engine's view is turned round.
    assert_eq!(second.lines[0].eval, Eval::Cp(31));
    assert_eq!(
        second.lines[0].wdl,
        Some(Wdl {
            win: 60,
            draw: 930,
            loss: 10
        })
    );
    assert_eq!(second.lines[1].eval, Eval::Mate(7));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_whose_hash_is_cleared_by_hand() {
    let script = "
        < uci
        > id name Other 3
        > option name Clear Hash type button
        > uciok
        < isready
        > readyok
        < ucinewgame
        < setoption name Clear Hash
        < isready
        > readyok
        < position fen *
        < go nodes 10
        > info depth 1 score cp 1 pv e2e4
        > bestmove e2e4
        < ucinewgame
        < setoption name Clear Hash
        < isready
        > readyok
        < position fen *
        < go movetime 50
        > info depth 1 score cp 1 pv e2e4
        > bestmove e2e4";
    let unit = Unit {
        searches: vec![asked(after(""), "nodes 10", 1), asked(fen(START), "movetime 50", 1)],
        memory: Memory::Nothing,
    };
    for answer in converse(script, unit).await {
        let analysis = done(answer);
        // It does not number its only line, and says neither nodes nor time.
        assert_eq!(
            (analysis.lines[0].index, analysis.nodes, analysis.hashfull),
            (1, 0, None)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_still_on_its_way_is_not_taken_for_the_answer() {
    let script = "
        < uci
        > id name Slow 1
        > uciok
        < isready
        > readyok
        < ucinewgame
        < isready
        > info depth 30 score cp 900 pv a2a3
        > bestmove a2a3
        > readyok
        < position fen *
        < go depth 3
        > info depth 3 score cp 12 pv g1f3
        > bestmove g1f3";
    let unit = Unit {
        searches: vec![asked(after(""), "depth 3", 1)],
        memory: Memory::Nothing,
    };
    let analysis = done(converse(script, unit).await.remove(0));
    assert_eq!((analysis.depth(), analysis.lines[0].eval), (3, Eval::Cp(12)));
}

#[tokio::test(flavor = "multi_thread")]
async fn castling_comes_out_as_the_king_s_two_steps() {
    let castling = |text: &str| {
        format!(
            "< uci\n> id name A 1\n> uciok\n< isready\n> readyok\n< ucinewgame\n< isready\n> readyok\n< position fen *\n< go depth 1\n\
             > info depth 1 score mate 1 pv {text}\n> bestmove {text}"
        )
    };
    let position = fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for text in ["e1g1", "e1h1"] {
        let unit = Unit {
            searches: vec![asked(position.clone(), "depth 1", 1)],
            memory: Memory::Nothing,
        };
        let analysis = done(converse(&castling(text), unit).await.remove(0));
        assert_eq!(analysis.lines[0].moves[0].to_string(), "e1g1");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mate_in_none_is_nonsense_where_there_are_moves() {
    let script = "
        < uci
        > uciok
        < isready
        > readyok
        < ucinewgame
        < isready
        > readyok
        < position fen *
        < go depth 1
        > info depth 1 score mate 0 pv e2e4
        > bestmove e2e4";
    let unit = Unit {
        searches: vec![asked(after(""), "depth 1", 1)],
        memory: Memory::Nothing,
    };
    let answer = converse(script, unit).await.remove(0);
    assert!(
        matches!(&answer, Answer::Quarantined { reason, .. } if reason.contains("no score")),
        "{answer:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_knows_no_chess960_is_not_asked_about_it() {
    let script = "
        < uci
        > id name Old
        > uciok
        < isready
        > readyok
        < ucinewgame
        < isready
        > readyok
        < position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
        < go depth 3
        > info depth 3 score cp 31 pv e2e4
        > bestmove e2e4";
    let text = "bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w GDgd - 0 1";
    let shuffled = tabiya_chess::parse_fen_with_mode(text, shakmaty::CastlingMode::Chess960);
    let unit = Unit {
        searches: vec![
            asked(shuffled.unwrap().position, "depth 3", 1),
            asked(fen(START), "depth 3", 1),
        ],
        memory: Memory::Nothing,
    };
    let [refused, answered] = <[Answer; 2]>::try_from(converse(script, unit).await).unwrap();
    let (tries, reason) = crate::fixture::quarantined(refused);
    assert_eq!((tries, reason.contains("Chess960")), (1, true), "{reason}");
    assert_eq!(done(answered).best().unwrap().eval, Eval::Cp(31));
}

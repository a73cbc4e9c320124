//! Openings that everybody has an opinion of, and whether an engine shares it.

use tabiya_chess::{SearchLimit, StoredEval};
use tabiya_engine::{Answer, EngineConfig, Memory, Pool, PoolConfig, Search, Unit};

use crate::{book::after, engines::real_engine};

/// Lines and what modern engines make of them, in White's centipawns.
const KNOWN: [(&str, &str, i32); 20] = [
    ("initial position", "", 25),
    ("Open Sicilian to be", "e4 c5 Nf3", 30),
    ("Open Game", "e4 e5", 30),
    ("Berlin Defence", "e4 e5 Nf3 Nc6 Bb5 Nf6", 25),
    ("King's Gambit", "e4 e5 f4", -40),
    ("Latvian Gambit", "e4 e5 Nf3 f5", 150),
    ("Elephant Gambit", "e4 e5 Nf3 d5", 130),
    ("Damiano Defence", "e4 e5 Nf3 f6", 200),
    ("Scandinavian Defence", "e4 d5", 60),
    ("French Defence", "e4 e6 d4 d5", 40),
    ("Caro-Kann Defence", "e4 c6 d4 d5", 40),
    ("Alekhine Defence", "e4 Nf6", 65),
    ("Pirc Defence", "e4 d6 d4 Nf6", 55),
    ("Queen's Gambit Declined", "d4 d5 c4 e6", 30),
    ("Queen's Gambit Accepted", "d4 d5 c4 dxc4", 40),
    ("King's Indian Defence", "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6", 70),
    ("Budapest Gambit", "d4 Nf6 c4 e5", 80),
    ("Benko Gambit", "d4 Nf6 c4 c5 d5 b5", 75),
    ("Englund Gambit", "d4 e5", 130),
    ("Grob Opening", "g4", -90),
];

/// Beyond this somebody should look.
const WORTH_A_LOOK: u32 = 50;

/// Beyond this something is broken: a sign, a unit, a position.
const BROKEN: u32 = 300;

#[tokio::test]
async fn an_engine_thinks_of_known_openings_what_is_known_of_them() {
    let mut config = PoolConfig::new(EngineConfig::new(real_engine()));
    config.workers = 2;
    let pool = Pool::start(config).await.expect("an engine");
    let searches = KNOWN.iter().map(|(_, line, _)| Search {
        position: after(line),
        limit: SearchLimit::nodes(40_000),
        multipv: 1,
    });
    let units = searches.map(|search| {
        pool.submit(Unit {
            searches: vec![search],
            memory: Memory::Nothing,
        })
    });
    // All at once: both engines have something to do.
    let replies: Vec<_> = units.collect();
    for ((name, line, known), mut replies) in KNOWN.into_iter().zip(replies) {
        let Some((_, Answer::Done(analysis))) = replies.next().await else {
            panic!("{name} was not evaluated");
        };
        let best = analysis.best().expect("a line");
        let StoredEval { cp, .. } = best.eval.into();
        let apart = cp.abs_diff(known);
        if apart > WORTH_A_LOOK {
            println!("{name} ({line}): {cp} at depth {}, known as {known}", best.depth);
        }
        assert!(apart <= BROKEN, "{name} ({line}): {cp}, known as {known}");
    }
    pool.stop(std::time::Duration::from_secs(5)).await;
}

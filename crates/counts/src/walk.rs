//! Goes through everything that was counted, with the texts of positions.

use std::sync::atomic::{AtomicBool, Ordering};

use tabiya_chess::{Facet, FacetKinds, Stats, parse_fen, write_uci};

use crate::{
    CountError, KeptMove, PackedMove, State,
    extract::slices,
    group::{Group, Lists},
    partition::{Slice, Sorted},
    sieve::Sieve,
};

/// Departures whose texts are held at once: about 100 bytes each.
const HELD: u64 = 1 << 20;

/// All departures from one position by one move, of one facet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Departed<'a> {
    pub epd: &'a str,
    /// Empty for games that were not followed further.
    pub uci: &'a str,
    pub facet: Facet,
    pub stats: Stats,
}

/// Gives every sum of `state`, which must keep texts. The order is that of keys, then of moves, then of facets, and so
/// the same whatever order the games came in.
pub fn walk<E: From<CountError>>(
    state: &State,
    facets: FacetKinds,
    stop: &AtomicBool,
    mut each: impl FnMut(&Departed<'_>) -> Result<(), E>,
) -> Result<(), E> {
    for slice in slices(&[state], HELD) {
        if stop.load(Ordering::Relaxed) {
            return Err(CountError::Stopped.into());
        }
        walk_slice(state, slice, facets, &mut each)?;
    }
    Ok(())
}

fn walk_slice<E: From<CountError>>(
    state: &State,
    slice: Slice,
    facets: FacetKinds,
    each: &mut impl FnMut(&Departed<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let texts = state.read_texts(slice.part, |key| slice.holds(key))?;
    let departures = state.departures(slice.part)?;
    let mut sorted = Sorted::read(state, &departures, slice, &Sieve::open(), facets)?;
    let mut crowded: Vec<u64> = sorted.crowded_keys().collect();
    crowded.sort_unstable();
    let mut crowded = crowded.into_iter().peekable();
    let mut group = Group::default();
    let mut uci = String::new();
    loop {
        let key = match (sorted.peek(), crowded.peek()) {
            (Some(key), Some(full)) => key.min(*full),
            (Some(key), None) => key,
            (None, Some(full)) => *full,
            (None, None) => return Ok(()),
        };
        crowded.next_if_eq(&key);
        sorted.gather(key, facets, Lists::Without, &mut group);
        let epd = texts.get(key).ok_or_else(|| state.no_text(key))?;
        let illegal = || CountError::IllegalMove { epd: epd.to_owned() };
        let pos = parse_fen(epd).map_err(|_| illegal())?.position;
        group.moves.sort_unstable_by_key(|known| (known.by, known.facet));
        for KeptMove { by, facet, stats } in &group.moves {
            uci.clear();
            if *by != PackedMove::NONE {
                write_uci(&pos, by.unpack(&pos).ok_or_else(illegal)?, &mut uci);
            }
            each(&Departed {
                epd,
                uci: &uci,
                facet: *facet,
                stats: *stats,
            })?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use shakmaty::{Chess, Position as _};
    use tabiya_chess::{Outcome, RatingBand, Speed, from_uci};

    use super::*;
    use crate::{Block, CountedSource, GameInfo, Month, Rules, Tally};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    const CASTLES: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1";

    fn source(games: usize) -> CountedSource {
        CountedSource {
            name: "games".to_owned(),
            fingerprint: None,
            games: games as u64,
            counted: games as u64,
            duplicates: 0,
        }
    }

    fn count(dir: &Path, texts: bool, games: &[(&str, u16)]) -> State {
        let rules = Rules {
            max_ply: 40,
            min_elo: None,
            since: None,
            until: None,
        };
        let create = if texts { State::create_with_texts } else { State::create };
        let mut state = create(dir, rules).expect("a new state");
        for (number, (line, year)) in games.iter().enumerate() {
            let block = Block::default();
            let mut tally = if texts { Tally::with_texts } else { Tally::new }(block, 40);
            let mut pos = Chess::default();
            tally.begin(&pos);
            for uci in line.split_whitespace() {
                let m = from_uci(&pos, uci).expect("a legal move");
                tally.playing(&pos, m);
                pos.play_unchecked(m);
                tally.reached(&pos);
            }
            tally.tell_apart(number as u64);
            let info = GameInfo::new(Outcome::White, Some(2500), Month::new(*year, None), Speed::Blitz);
            tally.count(info, |_| {});
            state.add(&tally.into_block()).expect("room on the disk");
        }
        state.commit(source(games.len())).expect("room on the disk");
        state
    }

    type Row = (String, String, Facet, Stats);

    fn rows(state: &State, facets: FacetKinds) -> Result<Vec<Row>, CountError> {
        let mut rows = Vec::new();
        walk(state, facets, &AtomicBool::new(false), |row| {
            rows.push((row.epd.to_owned(), row.uci.to_owned(), row.facet, row.stats));
            Ok::<(), CountError>(())
        })?;
        Ok(rows)
    }

    #[test]
    fn every_departure_is_in_one_row_whatever_the_order_of_games() {
        let games = [(CASTLES, 1999), ("e2e4", 2001), ("d2d4 d7d5", 2000), (CASTLES, 2003)];
        let backwards: Vec<_> = games.into_iter().rev().collect();
        let dir = tempfile::tempdir().expect("a directory");
        let one = count(&dir.path().join("one"), true, &games);
        let other = count(&dir.path().join("other"), true, &backwards);
        for facets in ["", "year", "year,rating,speed"] {
            let facets = facets.parse().expect("facets");
            assert_eq!(rows(&one, facets).expect("rows"), rows(&other, facets).expect("rows"));
        }
        let all = rows(&one, FacetKinds::default()).expect("rows");
        // Nine moves out of eight positions; three of the lines end, each at a place of its own.
        assert_eq!(all.len(), 12);
        let from_start: Vec<(&str, u64)> = all
            .iter()
            .filter(|row| row.0 == START)
            .map(|row| (row.1.as_str(), row.3.games()))
            .collect();
        assert_eq!(from_start, [("d2d4", 1), ("e2e4", 3)]);
        let castled = all
            .iter()
            .find(|row| row.1 == "e1g1")
            .expect("castling as the king's move");
        assert_eq!(
            (castled.3.games(), castled.3.first_year, castled.3.last_year),
            (2, 1999, 2003)
        );
        assert_eq!(
            all.iter()
                .filter(|row| row.1.is_empty())
                .map(|row| row.3.games())
                .sum::<u64>(),
            4
        );
    }

    #[test]
    fn facets_are_told_apart_only_where_asked_for() {
        let dir = tempfile::tempdir().expect("a directory");
        let state = count(dir.path(), true, &[("e2e4", 1999), ("e2e4", 2001)]);
        let facets = rows(&state, "year,rating".parse().expect("facets")).expect("rows");
        let of_e4: Vec<Facet> = facets.iter().filter(|row| row.1 == "e2e4").map(|row| row.2).collect();
        let facet = |year| Facet {
            year,
            band: RatingBand::of(Some(2500)),
            speed: Speed::Unknown,
        };
        assert_eq!(of_e4, [facet(1999), facet(2001)]);
    }

    #[test]
    fn without_texts_there_is_nothing_to_give() {
        let dir = tempfile::tempdir().expect("a directory");
        let state = count(dir.path(), false, &[("e2e4", 1999)]);
        let error = rows(&state, FacetKinds::default()).expect_err("no texts");
        assert!(matches!(error, CountError::NoText { .. }), "{error}");
    }

    #[test]
    fn texts_are_there_after_opening_again_and_gone_after_a_roll_back() {
        let dir = tempfile::tempdir().expect("a directory");
        drop(count(dir.path(), true, &[("e2e4", 1999)]));
        let mut state = State::open(dir.path()).expect("readable").expect("there");
        assert!(state.keeps_texts());
        let before = rows(&state, FacetKinds::default()).expect("rows");
        let stats = Stats::of(Outcome::Draw, None, None);
        state
            .add_sum(7, PackedMove::NONE, Facet::default(), stats)
            .expect("room on the disk");
        state.add_counted_elsewhere(1, FacetKinds::default());
        state.roll_back().expect("the same files");
        assert_eq!(state.games(), 1);
        state.commit(source(0)).expect("room on the disk");
        assert_eq!(rows(&state, FacetKinds::default()).expect("rows"), before);
    }
}

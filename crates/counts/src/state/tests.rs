//! What becomes of a state in bad times.

use shakmaty::Chess;
use tabiya_chess::{Outcome, Speed};
use tempfile::TempDir;

use super::*;
use crate::Tally;

fn rules() -> Rules {
    Rules {
        max_ply: 40,
        min_elo: None,
        since: None,
        until: None,
    }
}

fn source(games: u64) -> CountedSource {
    CountedSource {
        name: "games".to_owned(),
        fingerprint: None,
        games,
        counted: games,
        duplicates: 0,
    }
}

/// Games without a move, of players that are all different.
fn block(from: u64, to: u64) -> Block {
    let mut tally = Tally::new(Block::default(), 40);
    for game in from..to {
        tally.begin(&Chess::default());
        tally.tell_apart(game);
        let info = GameInfo::new(Outcome::Draw, None, None, Speed::Unknown);
        let white = format!("player {game}");
        tally.count(info, |out| {
            GameHeader::write_parts([None; 2], [&white, "", "", "", "", ""], out);
        });
    }
    tally.into_block()
}

/// Ten games.
fn ten() -> (TempDir, State) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut state = State::create(&dir.path().join("state"), rules()).expect("a new state");
    state.add(&block(0, 10)).expect("room on the disk");
    state.commit(source(10)).expect("room on the disk");
    (dir, state)
}

#[test]
fn a_state_that_was_merged_from_sums_has_no_games_to_list() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut state = State::create(dir.path(), rules()).expect("a new state");
    let draws = Stats {
        draws: 3,
        ..Stats::default()
    };
    state
        .add_sum(7, PackedMove::NONE, Facet::default(), draws)
        .expect("room on the disk");
    state.add_counted_elsewhere(3, FacetKinds::default());
    state.commit(source(3)).expect("room on the disk");
    assert!(state.identities(&[]).expect("nothing to read").is_empty());
    assert!(state.headers(&[]).expect("nothing to read").is_empty());
}

#[test]
fn a_directory_that_is_half_removed_is_still_ours() {
    let (dir, state) = ten();
    let path = dir.path().join("state");
    drop(state);
    // As a kill in the middle of removing it leaves it.
    Manifest::remove(&path).expect("a manifest");
    assert!(State::is_at(&path) && path.join("identities").exists());
    assert!(State::open(&path).expect("readable").is_none());
    fs::create_dir(path.join("more")).expect("a new directory");
    let state = State::create(&path, rules()).expect("a new state in its place");
    assert_eq!(state.games(), 0);
    let mut names: Vec<_> = fs::read_dir(&path).expect("readable").flatten().collect();
    names.sort_by_key(fs::DirEntry::file_name);
    let names: Vec<_> = names.iter().map(fs::DirEntry::file_name).collect();
    assert_eq!(names, ["manifest.json", "tabiya-counts"]);
}

#[test]
fn rolling_back_writes_nothing() {
    let (dir, mut state) = ten();
    let path = dir.path().join("state");
    // Larger than what is held back, so that some of it is in files.
    state.add(&block(10, 20_000)).expect("room on the disk");
    let sizes = || {
        let entries = fs::read_dir(&path).expect("readable").flatten();
        let sizes = entries.map(|entry| (entry.file_name(), entry.metadata().expect("readable").len()));
        sizes.collect::<std::collections::BTreeMap<_, _>>()
    };
    let before = sizes();
    state.roll_back().expect("readable");
    assert_eq!(state.games(), 10);
    assert_eq!(sizes(), before);
    state.add(&block(10, 15)).expect("room on the disk");
    state.commit(source(5)).expect("room on the disk");
    drop(state);
    let state = State::open(&path).expect("readable").expect("a state");
    assert_eq!(state.games(), 15);
    let headers = state.headers(&[9, 14]).expect("readable");
    assert_eq!([&headers[0].1.white, &headers[1].1.white], ["player 9", "player 14"]);
}

#[test]
fn lengths_that_cannot_be_are_damage() {
    let (dir, state) = ten();
    let path = dir.path().join("state");
    let ends = fs::read(path.join("header-ends")).expect("readable");
    for end in [u64::MAX, 1 << 40, 0] {
        let mut spoilt = ends.clone();
        spoilt[5 * 8..6 * 8].copy_from_slice(&end.to_le_bytes());
        fs::write(path.join("header-ends"), spoilt).expect("writable");
        let error = state.headers(&[5]).expect_err("damaged");
        assert!(matches!(error, CountError::Damaged { .. }), "{end}: {error}");
    }
    fs::write(path.join("header-ends"), &ends).expect("writable");
    fs::write(path.join("headers"), "").expect("writable");
    let error = state.headers(&[5]).expect_err("cut short");
    assert!(matches!(error, CountError::Damaged { .. }), "{error}");
}

#[test]
fn departures_of_games_that_never_were_are_damage() {
    let (dir, state) = ten();
    let path = dir.path().join("state");
    let file = path.join("departures");
    let mut bytes = fs::read(&file).expect("readable");
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&10_u32.to_le_bytes());
    fs::write(&file, bytes).expect("writable");
    let wanted = crate::Extraction {
        min_games: 1,
        facets: FacetKinds::default(),
        always: &hashbrown::HashMap::new(),
        threads: 1,
        stop: &std::sync::atomic::AtomicBool::new(false),
    };
    let error = crate::extract(&[&state], &wanted).expect_err("damaged");
    assert!(
        matches!(&error, CountError::Damaged { path } if *path == file),
        "{error}"
    );
}

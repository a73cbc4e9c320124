//! Against the plainest way to say the same: a map from every path to its games, and one from every position.

mod limits;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::atomic::AtomicBool,
};

use serde_json::{Value, json};
use shakmaty::{Chess, Position as _};
use tabiya_chess::{epd, parse_line};

use super::*;

const LIMITS: UploadLimits = UploadLimits {
    bytes: 1 << 20,
    games: 1_000,
    plies: 1_000,
};

fn read(name: &str, pgn: Vec<u8>, limits: UploadLimits, threads: usize) -> Result<Analysis, AppError> {
    analyze_pgn(name, pgn, limits, threads, &Arc::default())
}

pub(super) fn analysed(games: &[&str]) -> Analysis {
    let pgn: String = games
        .iter()
        .enumerate()
        .map(|(number, moves)| {
            let result = moves.rsplit(' ').next().unwrap_or("*");
            format!(
                "[White \"W{}\"]\n[Black \"B{}\"]\n[Date \"20{:02}.??.??\"]\n[Result \"{result}\"]\n\n{moves}\n\n",
                number % 3,
                number % 2,
                number % 50
            )
        })
        .collect();
    read("games", pgn.into_bytes(), LIMITS, 2).expect("games")
}

fn options(min_games: u32) -> DbOptions {
    DbOptions {
        analyzed_at: "2026-01-01T00:00:00Z".to_owned(),
        min_games,
        repertoires: 10,
    }
}

fn bytes(analysis: &Analysis, min_games: u32) -> Vec<u8> {
    let stop = AtomicBool::new(false);
    let all = analysis.db_within(&options(min_games), usize::MAX, &stop);
    all.expect("there is room")
}

fn db(analysis: &Analysis, min_games: u32) -> Value {
    serde_json::from_slice(&bytes(analysis, min_games)).expect("JSON")
}

/// Random games over few moves, so that they meet, part and meet again.
fn random_games(seed: u64, games: usize) -> Vec<Vec<String>> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut roll = |sides: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % sides
    };
    (0..games)
        .map(|_| {
            let mut pos = Chess::default();
            let mut moves = Vec::new();
            for _ in 0..roll(14) {
                // Knights that come and go, and the pawns beside the king: transpositions and repetitions.
                let wanted = |m: &shakmaty::Move| match m.role() {
                    shakmaty::Role::Knight => true,
                    shakmaty::Role::Pawn => matches!(m.to().file(), shakmaty::File::D | shakmaty::File::E),
                    _ => false,
                };
                let few: Vec<_> = pos.legal_moves().into_iter().filter(wanted).take(4).collect();
                let Some(m) = few.get(roll(few.len().max(1))) else {
                    break;
                };
                moves.push(tabiya_chess::to_san(&pos, *m));
                pos.play_unchecked(*m);
            }
            moves
        })
        .collect()
}

/// The same in the plainest way there is, as an oracle.
struct Plain {
    games: Vec<Vec<String>>,
    by_path: BTreeMap<Vec<String>, Vec<usize>>,
    by_position: BTreeMap<String, BTreeSet<usize>>,
    positions: Vec<Vec<String>>,
}

impl Plain {
    fn of(games: Vec<Vec<String>>) -> Plain {
        let mut by_path: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        let mut by_position: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        let mut positions = Vec::new();
        for (id, moves) in games.iter().enumerate() {
            for ply in 0..=moves.len() {
                by_path.entry(moves[..ply].to_vec()).or_default().push(id);
            }
            let line = parse_line(&moves.join(" ")).expect("legal");
            let mut way = vec![epd(&Chess::default())];
            way.extend(line.positions().iter().map(epd));
            for position in &way {
                by_position.entry(position.clone()).or_default().insert(id);
            }
            positions.push(way);
        }
        Plain {
            games,
            by_path,
            by_position,
            positions,
        }
    }

    fn count(&self, path: &[String]) -> usize {
        self.by_path.get(path).map_or(0, Vec::len)
    }

    /// In the order of first appearance.
    fn children(&self, path: &[String]) -> Vec<String> {
        let mut children: Vec<String> = Vec::new();
        for moves in &self.games {
            if moves.len() > path.len() && moves.starts_with(path) && !children.contains(&moves[path.len()]) {
                children.push(moves[path.len()].clone());
            }
        }
        children
    }

    fn breadth_first(&self) -> Vec<Vec<String>> {
        let mut open = VecDeque::from([Vec::new()]);
        let mut all = Vec::new();
        while let Some(path) = open.pop_front() {
            for child in self.children(&path) {
                open.push_back([path.as_slice(), &[child]].concat());
            }
            all.push(path);
        }
        all
    }

    fn is_novelty(&self, path: &[String]) -> bool {
        !path.is_empty() && self.count(path) == 1 && self.count(&path[..path.len() - 1]) > 1
    }

    fn is_new_position(&self, id: usize, ply: usize) -> bool {
        let way = &self.positions[id];
        let games = |ply: usize| self.by_position[&way[ply]].len();
        games(ply) == 1 && games(ply - 1) > 1 && !way[..ply].contains(&way[ply])
    }

    fn check(&self, db: &Value, min_games: usize) {
        let listed = db["games"].as_array().expect("games");
        assert_eq!(listed.len(), self.games.len());
        for (id, (game, moves)) in listed.iter().zip(&self.games).enumerate() {
            assert_eq!(game["id"], id);
            let mut new = Vec::new();
            let annotated: Vec<Value> = (1..=moves.len())
                .map(|ply| {
                    let path = &moves[..ply];
                    if self.is_new_position(id, ply) {
                        new.push(ply);
                    }
                    json!({"san": moves[ply - 1], "ply": ply, "gameCount": self.count(path),
                        "isNovelty": self.is_novelty(path),
                        "isBranchPoint": self.children(&path[..ply - 1]).len() > 1,
                        "isPositionNovelty": self.is_new_position(id, ply)})
                })
                .collect();
            assert_eq!(game["moves"], Value::Array(annotated), "game {id}: {moves:?}");
            assert_eq!(game["positionNoveltyPlies"], json!(new), "game {id}");
            let novelty: Vec<usize> = (1..=moves.len())
                .filter(|ply| self.is_novelty(&moves[..*ply]))
                .collect();
            assert_eq!(game["noveltyPlies"], json!(novelty), "game {id}");
        }
        let all = self.breadth_first();
        let novelties: Vec<Value> = all
            .iter()
            .filter(|path| self.is_novelty(path))
            .map(|path| {
                let (san, parent) = path.split_last().expect("not the root");
                let game = self.by_path[path][0];
                let others: Vec<String> = self.children(parent).into_iter().filter(|other| other != san).collect();
                let mover = match path.len() % 2 {
                    1 => &listed[game]["white"],
                    _ => &listed[game]["black"],
                };
                json!({"path": path, "ply": path.len(), "san": san, "playedBy": mover, "gameId": game,
                    "sharedUntilPly": parent.len(), "gamesAtParent": self.count(parent),
                    "parentGameIds": self.by_path[parent], "alternativesAtParent": others})
            })
            .collect();
        assert_eq!(db["novelties"], Value::Array(novelties));
        let branches: Vec<Value> = all
            .iter()
            .filter(|path| self.children(path).len() > 1)
            .map(|path| {
                let on: Vec<Value> = self
                    .children(path)
                    .into_iter()
                    .map(|san| json!([san.clone(), self.count(&[path.as_slice(), &[san]].concat())]))
                    .collect();
                json!([path, path.len(), self.count(path), on])
            })
            .collect();
        let found: Vec<Value> = db["branches"]
            .as_array()
            .expect("branches")
            .iter()
            .map(|branch| {
                let on = branch["continuations"].as_array().expect("moves");
                let on: Vec<Value> = on.iter().map(|next| json!([next["san"], next["gameCount"]])).collect();
                json!([branch["path"], branch["ply"], branch["gameCount"], on])
            })
            .collect();
        assert_eq!(found, branches);
        let common: Vec<Value> = all
            .iter()
            .filter(|path| !path.is_empty() && self.count(path) >= min_games)
            .map(|path| json!([path, self.count(path)]))
            .collect();
        let found: Vec<Value> = db["commonSequences"]
            .as_array()
            .expect("sequences")
            .iter()
            .map(|sequence| json!([sequence["path"], sequence["gameCount"]]))
            .collect();
        assert_eq!(found, common);
    }
}

#[test]
fn everything_is_what_the_plainest_way_says() {
    for seed in 1..60 {
        let games = random_games(seed, 1 + seed as usize);
        let texts: Vec<String> = games.iter().map(|moves| format!("{} *", moves.join(" "))).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let analysis = analysed(&texts);
        let min_games = 2 + (seed % 3) as u32;
        Plain::of(games).check(&db(&analysis, min_games), min_games as usize);
    }
}

#[test]
fn a_position_is_new_only_where_no_other_game_came_by_another_way() {
    let analysis = analysed(&["1. e4 e5 2. Nf3 Nc6 *", "1. e4 Nc6 2. Nf3 e5 3. Bb5 *", "1. d4 *"]);
    // 1...Nc6 is new by path and by position; 2.Nf3 e5 leads back to where the first game ended; 3.Bb5 is new again.
    assert_eq!(analysis.position_novelty_plies(1), [2, 5]);
    // The way through 2.Nf3 is the first game's own, though it has been left by the path before.
    assert_eq!(analysis.position_novelty_plies(0), [2]);
    let novelties: Vec<(u32, u32)> = analysis
        .novelties(usize::MAX)
        .into_iter()
        .map(|novelty| (novelty.game, novelty.ply))
        .collect();
    assert_eq!(novelties, [(2, 1), (0, 2), (1, 2)]);
}

#[test]
fn every_game_has_been_where_games_begin() {
    let analysis = analysed(&["1. Nf3 Nf6 2. Ng1 Ng8 3. e4 *", "1. d4 *"]);
    // 2...Ng8 leads back to where the other game began; 3.e4 leaves it again.
    assert_eq!(analysis.position_novelty_plies(0), [1, 5]);
    assert_eq!(analysis.position_novelty_plies(1), [1]);
}

#[test]
fn checks_and_mates_are_marked_whatever_the_file_says() {
    let analysis = analysed(&[
        "1. f3 e5 2. g4 Qh4 0-1",
        "1. e4 d5 2. Bb5 c6# 3. Qh5 *",
        "1. e4 e5 2. Qh5 Nc6 3. Qxf7+ *",
    ]);
    let sans = |game| {
        let mut sans = Vec::new();
        replay::sans(analysis.games.moves(game), &mut sans);
        sans.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(sans(0), ["f3", "e5", "g4", "Qh4#"]);
    assert_eq!(sans(1), ["e4", "d5", "Bb5+", "c6", "Qh5"]);
    assert_eq!(sans(2), ["e4", "e5", "Qh5", "Nc6", "Qxf7+"], "the king takes");
}

#[test]
fn a_beginning_of_another_game_is_a_near_duplicate() {
    // The players come round again after six games.
    let again = analysed(&["1. e4 *", "1. d4 *", "1. c4 *", "*", "*", "*", "1. e4 *"]);
    let found: Vec<_> = again
        .near_duplicates()
        .iter()
        .map(|one| (one.game_id, one.twin))
        .collect();
    assert_eq!(found, [(6, Some(0))]);
    let analysis = analysed(&[
        "1. e4 e5 *",
        "1. e4 e5 2. Nf3 *",
        "1. d4 d5 *",
        "1. d4 d5 *",
        "*",
        "1. c4 *",
    ]);
    let twin = |game_id, of: &[u32], same_moves, twin: Option<u32>| NearDuplicate {
        game_id,
        plies: 2,
        of_game_count: of.len() as u32,
        of_game_ids: of.to_vec(),
        same_moves,
        same_players: twin.is_some(),
        twin,
    };
    assert_eq!(
        analysis.near_duplicates(),
        [twin(0, &[1], false, None), twin(3, &[2], true, None)]
    );
}

#[test]
fn near_duplicates_are_what_their_definition_says() {
    let lines = ["1. e4", "1. e4 e5", "1. e4 c5", "1. e4 e5 2. Nf3", "1. d4", "1. e4", ""];
    let texts: Vec<String> = (0..60).map(|n: usize| format!("{} *", lines[n * n % 7])).collect();
    let analysis = analysed(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let found = analysis.near_duplicates();
    let games = &analysis.games;
    let mut expected = Vec::new();
    for game in 0..games.len() {
        let own = games.moves(game);
        let is_other = |other: &u32| {
            let moves = games.moves(*other);
            *other != game && moves.starts_with(own) && (*other < game || moves.len() != own.len())
        };
        let others: Vec<u32> = (0..games.len()).filter(is_other).collect();
        if own.is_empty() || others.is_empty() {
            continue;
        }
        let players = |id: u32| (games.white(id), games.black(id));
        expected.push(NearDuplicate {
            game_id: game,
            plies: own.len() as u32,
            of_game_count: others.len() as u32,
            same_moves: others.iter().any(|other| games.moves(*other).len() == own.len()),
            twin: others.iter().copied().find(|other| players(*other) == players(game)),
            same_players: others.iter().any(|other| players(*other) == players(game)),
            of_game_ids: others,
        });
    }
    assert!(expected.len() > 20 && expected.iter().any(|one| one.twin.is_some()));
    assert_eq!(found, expected);
}

#[test]
fn players_have_their_habits_whatever_the_order_of_moves() {
    let analysis = analysed(&[
        "1. Nf3 d5 2. d4 Nf6 3. c4 1-0",
        "1. d4 d5 2. Nf3 0-1",
        "1. e4 e5 *",
        "1. d4 d5 2. Nf3 Nf6 3. g3 1/2-1/2",
    ]);
    let db = db(&analysis, 2);
    let player = &db["players"][0];
    assert_eq!(
        (&player["name"], &player["asWhite"], &player["asBlack"]),
        (
            &json!("W0"),
            &json!({"games": 2, "wins": 1, "draws": 1, "losses": 0, "score": 75.0}),
            &json!({"games": 0, "wins": 0, "draws": 0, "losses": 0})
        )
    );
    let habits = player["repertoire"].as_array().expect("habits").clone();
    let of = |habit: &Value| json!([habit["side"], habit["path"], habit["games"], habit["moves"]]);
    assert_eq!(
        habits.iter().map(of).collect::<Vec<_>>(),
        [
            json!(["white", [], 2, [
                {"san": "Nf3", "games": 1, "wins": 1, "draws": 0, "losses": 0, "score": 100.0},
                {"san": "d4", "games": 1, "wins": 0, "draws": 1, "losses": 0, "score": 50.0}]]),
            json!(["white", ["Nf3", "d5", "d4", "Nf6"], 2, [
                {"san": "c4", "games": 1, "wins": 1, "draws": 0, "losses": 0, "score": 100.0},
                {"san": "g3", "games": 1, "wins": 0, "draws": 1, "losses": 0, "score": 50.0}]]),
        ]
    );
    assert_eq!(
        habits[1]["fen"],
        "rnbqkb1r/ppp1pppp/5n2/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R w KQkq - 1 3"
    );
}

#[test]
fn headers_become_fields_and_nothing_else_is_taken() {
    let pgn = "\
[White \"Ann \\\"A\\\" O\"]\n[Black \"Bob\"]\n[Date \"????.??.??\"]\n[Site \"https://lichess.org/abc\"]\n\n1. e4 1-0\n\n\
[Black \"Bob\"]\n[UTCDate \"2024.01.02\"]\n[Site \"Paris\"]\n[Link \"https://x/1\"]\n[Result \"1/2-1/2\"]\n\n1. e4 1/2-1/2\n\n\
[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. Kd2 *\n\n\
[White \"C\"]\n\n1. e4 e5 2. Nf6 *\n\n\
[White \"D\"]\n\n1. e4 -- 2. d4 *\n";
    let at = |text: &str| pgn.find(text).expect("it is there");
    let analysis = read("x.pgn", pgn.into(), LIMITS, 1).expect("games");
    let db = db(&analysis, 2);
    let of = |game: &Value| {
        json!([
            game["id"],
            game["white"],
            game["black"],
            game["result"],
            game["date"],
            game["url"]
        ])
    };
    assert_eq!(
        db["games"]
            .as_array()
            .expect("games")
            .iter()
            .map(of)
            .collect::<Vec<_>>(),
        [
            json!([0, "Ann \"A\" O", "Bob", "1-0", "", "https://lichess.org/abc"]),
            json!([1, "?", "Bob", "1/2-1/2", "2024.01.02", "https://x/1"]),
        ]
    );
    assert_eq!(db["meta"]["players"], json!(["Ann \"A\" O", "Bob"]));
    assert_eq!(db["meta"]["totalGames"], 2);
    assert_eq!(
        db["leftOut"],
        json!([
            {"file": "x.pgn", "game": 3, "offset": at("[FEN"), "reason": "it starts from a FEN"},
            {"file": "x.pgn", "game": 4, "offset": at("[White \"C"), "reason": "2. Nf6: no legal move is written like this here"},
            {"file": "x.pgn", "game": 5, "offset": at("[White \"D"), "reason": "a null move is among its moves"},
        ])
    );
}

#[test]
fn openings_are_named_by_the_last_position_that_has_a_name() {
    let analysis = analysed(&["1. e4 e5 2. Nf3 Nc6 3. Bc4 1-0", "1. Nf3 Nc6 2. e4 e5 3. Bc4 0-1", "*"]);
    let openings = analysis.openings();
    let of = |opening: &OpeningResults| (opening.eco.clone(), opening.name.clone(), opening.games, opening.white);
    assert_eq!(
        openings.iter().map(of).collect::<Vec<_>>(),
        [
            ("C50".to_owned(), "Italian Game".to_owned(), 2, 1),
            (String::new(), String::new(), 1, 0)
        ]
    );
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let games = random_games(99, 400);
    let pgn: String = games
        .iter()
        .map(|moves| format!("[White \"x\"]\n\n{} *\n\n", moves.join(" ")))
        .collect();
    let written = |threads| {
        let analysis = read("x", pgn.clone().into_bytes(), LIMITS, threads).expect("games");
        bytes(&analysis, 2)
    };
    let one = written(1);
    assert!(one == written(2) && one == written(5));
}

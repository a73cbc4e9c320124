//! Games from nowhere: random trees of legal moves, written and read again.

use pgn_import::{Game, GameResult, NodeId, ROOT, fuzzing};
use shakmaty::{Chess, Position as _};
use tabiya_chess::{full_fen, parse_fen, to_san};

use crate::support::{Random, trees};

const STARTS: [&str; 5] = [
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "8/PPPP4/8/8/8/8/4pppp/K6k b - - 12 40",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "4k3/8/8/1N3N2/8/1N3N2/8/Q3K2Q w - - 3 9",
    "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQ1RK1 w kq - 4 6",
];

const WORDS: [&str; 9] = [
    "good",
    "1-0",
    "[%clk 0:01:02]",
    "(Nf3)",
    "; semicolon",
    "%",
    "[Event \"x\"]",
    "Žížala…",
    "a \"quote\" \\",
];

pub(crate) fn random_game(random: &mut Random) -> Game {
    let mut game = Game::default();
    game.tags.push(("Event".to_owned(), text(random)));
    game.tags.push(("White".to_owned(), text(random)));
    if random.one_in(3) {
        let start = parse_fen(STARTS[random.below(STARTS.len())]).expect("a FEN").position;
        game.tags.push(("SetUp".to_owned(), "1".to_owned()));
        game.tags.push(("FEN".to_owned(), full_fen(&start)));
        let start = pgn_import::Start {
            position: start,
            kind: pgn_import::StartKind::Fen,
            setup_missing: false,
        };
        game.start = Some(start);
    }
    if random.one_in(4) {
        let comment = text(random);
        game.node_mut(ROOT).comments.push(comment);
    }
    let start = game.start.clone().expect("a start").position;
    let length = random.below(60);
    grow(&mut game, ROOT, start, length, 0, random);
    game.result = Some(*random.pick(&[
        GameResult::WhiteWins,
        GameResult::BlackWins,
        GameResult::Draw,
        GameResult::Unknown,
    ]));
    game
}

/// In the order a file has them: a move, its alternatives with all that follows them, the next move.
fn grow(game: &mut Game, from: NodeId, mut position: Chess, length: usize, depth: usize, random: &mut Random) {
    let mut from = from;
    for _ in 0..length {
        let Some(next) = one_move(game, from, &position, false, random) else {
            return;
        };
        while depth < 4 && random.one_in(8) {
            if let Some((other, after)) = one_move(game, from, &position, true, random) {
                let length = random.below(6);
                grow(game, other, after, length, depth + 1, random);
            }
        }
        (from, position) = next;
    }
}

fn one_move(
    game: &mut Game,
    from: NodeId,
    position: &Chess,
    opens_variation: bool,
    random: &mut Random,
) -> Option<(NodeId, Chess)> {
    let (id, after) = if random.one_in(40) && !position.is_check() {
        let after = position.clone().swap_turn().ok()?;
        (game.add(from, None, "--".to_owned()), after)
    } else {
        let m = random.legal_move(position)?;
        let mut after = position.clone();
        after.play_unchecked(m);
        (game.add(from, Some(m), to_san(position, m)), after)
    };
    if random.one_in(6) {
        let comment = text(random);
        game.node_mut(id).comments.push(comment);
    }
    if opens_variation && random.one_in(4) {
        let comment = text(random);
        game.node_mut(id).comments_before.push(comment);
    }
    while random.one_in(10) {
        let nag = random.next() as u8;
        game.node_mut(id).nags.push(nag);
    }
    Some((id, after))
}

fn text(random: &mut Random) -> String {
    let words: Vec<_> = (0..=random.below(12)).map(|_| *random.pick(&WORDS)).collect();
    words.join(" ")
}

#[test]
fn random_trees_come_back_as_they_were() {
    for seed in 0..400 {
        let mut game = random_game(&mut Random(seed));
        let written = game.to_string();
        let mut again = trees(written.as_bytes());
        assert_eq!(again.len(), 1, "seed {seed}:\n{written}");
        let again = &mut again[0];
        for id in std::iter::once(ROOT).chain(game.moves()).collect::<Vec<_>>() {
            // Written comments are wrapped.
            let node = again.node_mut(id);
            for comment in node.comments.iter_mut().chain(&mut node.comments_before) {
                *comment = comment.replace('\n', " ");
            }
        }
        game.at = again.at;
        assert_eq!(
            fuzzing::describe(&game),
            fuzzing::describe(again),
            "seed {seed}:\n{written}"
        );
        assert!(
            written
                .lines()
                .all(|line| line.starts_with('[') || line.chars().count() <= 80),
            "{written}"
        );
    }
}

#[test]
fn many_games_in_one_file_come_back_as_they_were() {
    let games: Vec<_> = (1_000..1_060).map(|seed| random_game(&mut Random(seed))).collect();
    let file: Vec<_> = games.iter().map(Game::to_string).collect();
    let again: Vec<_> = trees(file.join("\n").as_bytes()).iter().map(Game::to_string).collect();
    assert_eq!(file, again);
    // Without the blank lines between them too.
    assert_eq!(
        file,
        trees(file.concat().as_bytes())
            .iter()
            .map(Game::to_string)
            .collect::<Vec<_>>()
    );
}

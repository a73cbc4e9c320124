//! From what a server lists to moves that can be played.

use std::collections::HashSet;

use shakmaty::{Chess, Move};
use tabiya_chess::{UciError, from_uci, parse_san, resolve, to_san, to_uci};
use thiserror::Error;

use super::{ExplorerMove, Tally, wire};

/// Something a server listed as a move and that cannot be used as one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{uci} ({san}): {reason}")]
pub struct IllegalMove {
    /// What the server wrote as UCI.
    pub uci: String,
    /// What the server wrote as SAN.
    pub san: String,
    /// What is wrong with it.
    #[source]
    pub reason: IllegalReason,
}

/// Why a move of an answer was left out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IllegalReason {
    /// It cannot be played.
    #[error(transparent)]
    NotLegal(#[from] UciError),
    /// Its two notations do not mean the same move, so there is no telling which of them was counted.
    #[error("the UCI means {meant}, the SAN does not")]
    SanDisagrees {
        /// The SAN of what the UCI says.
        meant: String,
    },
    /// It stands in the list already; the first one was taken.
    #[error("the move is listed twice")]
    Twice,
    /// Its counts are no counts.
    #[error("{0}")]
    Counts(String),
    /// A position has at least the games of its moves.
    #[error("with it the moves have {moves} games, and the position has {position}")]
    TooMany {
        /// The games of this move and of those before it.
        moves: u64,
        /// The games of the position.
        position: u64,
    },
}

/// The moves that can be played in a position with so many games, and the others with what is wrong with them.
pub(super) fn sort_out(pos: &Chess, games: u64, listed: Vec<wire::Move>) -> (Vec<ExplorerMove>, Vec<IllegalMove>) {
    let mut seen = HashSet::new();
    let mut left = games;
    let (mut moves, mut illegal) = (Vec::with_capacity(listed.len()), Vec::new());
    for entry in listed {
        let checked = check(pos, &entry, &mut seen).and_then(|(played, tally)| {
            left = left.checked_sub(tally.games()).ok_or(IllegalReason::TooMany {
                moves: games - left + tally.games(),
                position: games,
            })?;
            Ok((played, tally))
        });
        match checked {
            Ok((played, tally)) => moves.push(ExplorerMove {
                played,
                uci: to_uci(pos, played),
                san: to_san(pos, played),
                tally,
                average_rating: wire::rating(entry.average_rating),
                game: entry.game,
                opening: entry.opening,
            }),
            Err(reason) => illegal.push(IllegalMove {
                uci: entry.uci,
                san: entry.san,
                reason,
            }),
        }
    }
    (moves, illegal)
}

fn check(pos: &Chess, entry: &wire::Move, seen: &mut HashSet<Move>) -> Result<(Move, Tally), IllegalReason> {
    let played = from_uci(pos, &entry.uci)?;
    let by_san = parse_san(entry.san.as_bytes()).and_then(|(san, ..)| resolve(pos, san).ok());
    if by_san != Some(played) {
        return Err(IllegalReason::SanDisagrees {
            meant: to_san(pos, played),
        });
    }
    let tally = wire::tally(&entry.white, &entry.draws, &entry.black).map_err(IllegalReason::Counts)?;
    if !seen.insert(played) {
        return Err(IllegalReason::Twice);
    }
    Ok((played, tally))
}

#[cfg(test)]
mod tests {
    use tabiya_chess::parse_fen;

    use crate::ExplorerAnswer;

    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

    /// Checks one listed move: the UCI and SAN that are kept, or the whole complaint.
    #[track_caller]
    fn check(fen: &str, entry: &str, expected: Result<&str, &str>) {
        let pos = parse_fen(fen).expect(fen).position;
        let json = format!(r#"{{"white":1,"draws":2,"black":3,"moves":[{entry}],"opening":null}}"#);
        let answer = ExplorerAnswer::from_json(&pos, json.as_bytes()).expect(&json);
        assert_eq!(answer.moves.len() + answer.illegal.len(), 1);
        let found = match answer.moves.first() {
            Some(m) => Ok(format!("{} {}", m.uci, m.san)),
            None => Err(answer.illegal[0].to_string()),
        };
        assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned));
    }

    fn entry(uci: &str, san: &str) -> String {
        format!(r#"{{"uci":"{uci}","san":"{san}","white":1,"draws":2,"black":3}}"#)
    }

    #[test]
    fn castling_is_read_in_both_forms() {
        check(CASTLING, &entry("e1h1", "O-O"), Ok("e1g1 O-O"));
        check(CASTLING, &entry("e1g1", "O-O"), Ok("e1g1 O-O"));
        check(CASTLING, &entry("e1a1", "O-O-O"), Ok("e1c1 O-O-O"));
    }

    #[test]
    fn what_cannot_be_played_is_left_out() {
        check(
            "startpos",
            &entry("e2e5", "e5"),
            Err("e2e5 (e5): `e2e5` is not a legal move here"),
        );
        check(
            "startpos",
            &entry("", "e4"),
            Err(" (e4): `` is not a move in UCI notation"),
        );
    }

    #[test]
    fn both_notations_mean_the_same_move() {
        for san in ["d4", "e5", "", "♔"] {
            check(
                "startpos",
                &entry("e2e4", san),
                Err(&format!("e2e4 ({san}): the UCI means e4, the SAN does not")),
            );
        }
    }

    #[test]
    fn counts_are_numbers_of_games() {
        for (white, draws, complaint) in [
            ("-1", "2", "-1, 2 and 3 are not numbers of games"),
            ("1.5", "2", "1.5, 2 and 3 are not numbers of games"),
            (
                "9223372036854775807",
                "9223372036854775807",
                "9223372036854775807, 9223372036854775807 and 3 are not numbers of games",
            ),
        ] {
            let entry = format!(r#"{{"uci":"e2e4","san":"e4","white":{white},"draws":{draws},"black":3}}"#);
            check("startpos", &entry, Err(&format!("e2e4 (e4): {complaint}")));
        }
    }

    #[test]
    fn a_move_is_listed_once() {
        let pos = parse_fen(CASTLING).expect(CASTLING).position;
        let listed = [entry("e1g1", "O-O"), entry("e1h1", "O-O")].join(",");
        let json = format!(r#"{{"white":1,"draws":2,"black":3,"moves":[{listed}]}}"#);
        let answer = ExplorerAnswer::from_json(&pos, json.as_bytes()).expect("an answer");
        assert_eq!(answer.moves.len(), 1);
        assert_eq!(answer.illegal[0].to_string(), "e1h1 (O-O): the move is listed twice");
    }

    #[test]
    fn moves_have_no_more_games_than_the_position() {
        let pos = parse_fen("startpos").expect("the start").position;
        let listed: Vec<String> = [("e2e4", "e4", 4), ("d2d4", "d4", 7), ("c2c4", "c4", 2)]
            .iter()
            .map(|(uci, san, white)| format!(r#"{{"uci":"{uci}","san":"{san}","white":{white},"draws":0,"black":0}}"#))
            .collect();
        let json = format!(r#"{{"white":6,"draws":0,"black":0,"moves":[{}]}}"#, listed.join(","));
        let answer = ExplorerAnswer::from_json(&pos, json.as_bytes()).expect("an answer");
        let kept: Vec<&str> = answer.moves.iter().map(|m| m.san.as_str()).collect();
        assert_eq!(kept, ["e4", "c4"]);
        assert_eq!(
            answer.illegal[0].to_string(),
            "d2d4 (d4): with it the moves have 11 games, and the position has 6"
        );
    }

    #[test]
    fn an_answer_without_sensible_counts_is_none() {
        let pos = parse_fen("startpos").expect("the start").position;
        for (json, complaint) in [
            (
                r#"{"white":-1,"draws":2,"black":3,"moves":[]}"#,
                "-1, 2 and 3 are not numbers of games",
            ),
            (
                r#"{"white":9223372036854775807,"draws":0,"black":0,"moves":[]}"#,
                "9223372036854775807, 0 and 0 are not numbers of games",
            ),
            (r#"{"white":1,"draws":2,"moves":[]}"#, "missing field `black`"),
            (r#"{"error":"no such thing"}"#, "missing field"),
        ] {
            let err = ExplorerAnswer::from_json(&pos, json.as_bytes()).expect_err(json);
            assert!(err.is_data() && err.to_string().contains(complaint), "{err}");
        }
    }

    #[test]
    fn a_game_that_cannot_be_read_costs_nothing_else() {
        let pos = parse_fen("startpos").expect("the start").position;
        let game = r#"{"id":"abcdefgh","winner":"black","white":{"name":"A","rating":2500},"black":{"name":"B"},"year":1999,"month":"1999-12"}"#;
        let json = format!(
            r#"{{"white":0,"draws":0,"black":2,"averageRating":2487.5,"moves":[
                {{"uci":"e2e4","san":"e4","averageRating":2500,"white":0,"draws":0,"black":1,"game":{game},"opening":{{"eco":"B00","name":"King's Pawn Game"}}}},
                {{"uci":"d2d4","san":"d4","averageRating":null,"white":0,"draws":0,"black":1,"game":{{"id":7}}}}],
                "topGames":[{game},{{"id":"odd"}}],"recentGames":null,"opening":null}}"#
        );
        let answer = ExplorerAnswer::from_json(&pos, json.as_bytes()).expect("an answer");
        assert_eq!(answer.average_rating, Some(2488));
        let [e4, d4] = &answer.moves[..] else {
            panic!("two moves")
        };
        assert_eq!(
            e4.game.as_ref().map(|g| (g.year, g.white.rating)),
            Some((Some(1999), Some(2500)))
        );
        assert_eq!(e4.opening.as_ref().map(|o| o.eco.as_str()), Some("B00"));
        assert_eq!((d4.game.as_ref(), d4.average_rating), (None, None));
        assert_eq!(answer.top_games.len(), 1);
    }
}

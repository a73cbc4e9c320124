//! Stage 2: what engines say of positions, which of it counts, and how it is written down.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::{Analysis, Eval, epd, from_uci, parse_fen_by_rights, slug, to_san, to_uci};

use super::report::{LineReport, MoveText};

/// A line of an engine, its moves played out on the board.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub eval: Eval,
    /// Whose it is: `stockfish-17`, `lichess-cloud`.
    pub source: String,
    pub depth: u8,
    /// 1 for the best.
    pub index: u8,
    pub moves: Vec<Move>,
}

impl Line {
    pub(super) fn report(&self, position: &Chess) -> LineReport {
        LineReport {
            evaluation: self.eval.into(),
            source: self.source.clone(),
            depth: self.depth,
            index: self.index,
            moves: texts(position, &self.moves),
        }
    }

    fn recorded(&self, position: &Chess) -> RecordedLine {
        let (cp, mate) = match self.eval {
            Eval::Cp(cp) => (Some(cp), None),
            Eval::Mate(moves) => (None, Some(moves)),
            // Nobody searches a position in which it is over.
            Eval::Checkmate(_) => (None, Some(0)),
        };
        RecordedLine {
            depth: self.depth,
            index: self.index,
            cp,
            mate,
            moves: texts(position, &self.moves).into_iter().map(|text| text.uci).collect(),
        }
    }
}

/// Moves in both notations.
pub(super) fn texts(position: &Chess, moves: &[Move]) -> Vec<MoveText> {
    let mut here = position.clone();
    let mut texts = Vec::with_capacity(moves.len());
    for m in moves {
        texts.push(MoveText {
            san: to_san(&here, *m),
            uci: to_uci(&here, *m),
        });
        here.play_unchecked(*m);
    }
    texts
}

/// The line that counts: the deepest, of those the one with the lowest index.
pub(super) fn top_line(lines: &[Line]) -> Option<&Line> {
    // Of equals the first: `max_by_key` would take the last.
    lines
        .iter()
        .min_by_key(|line| (std::cmp::Reverse(line.depth), line.index))
}

/// The line of another index that was found together with this one.
pub(super) fn sibling<'a>(lines: &'a [Line], line: &Line, index: u8) -> Option<&'a Line> {
    lines
        .iter()
        .find(|other| other.index == index && other.depth == line.depth && other.source == line.source)
}

/// The lines of an engine's answer.
pub(super) fn of_analysis(position: &Chess, analysis: &Analysis) -> Vec<Line> {
    let source = slug(&analysis.engine);
    let line = |line: &tabiya_chess::EngineLine| Line {
        eval: line.eval,
        source: source.clone(),
        depth: line.depth,
        index: line.index,
        moves: played_out(position, line.moves.iter().map(ToString::to_string)),
    };
    analysis.lines.iter().map(line).collect()
}

/// The moves as far as they are legal.
fn played_out(position: &Chess, texts: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<Move> {
    let mut here = position.clone();
    let mut moves = Vec::new();
    for text in texts {
        let Ok(m) = from_uci(&here, text.as_ref()) else { break };
        here.play_unchecked(m);
        moves.push(m);
    }
    moves
}

/// A position with its lines as they are written down, one to a line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedPosition {
    pub fen: String,
    pub source: String,
    pub lines: Vec<RecordedLine>,
    /// The number of the game, where several have the position: what an engine remembers of a game shows in its lines.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub game: Option<u64>,
    /// The one move that was searched, where evaluations contradicted each other.
    #[serde(rename = "with", skip_serializing_if = "Option::is_none", default)]
    pub only: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedLine {
    pub depth: u8,
    pub index: u8,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cp: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mate: Option<i32>,
    #[serde(default)]
    pub moves: Vec<String>,
}

/// Writes down what was used, an entry for lines of one source that follow each other: read back, they come in the same order.
pub(super) fn record(
    position: &Chess,
    fen: &str,
    game: u64,
    lines: &[Line],
    only: Option<Move>,
) -> Vec<RecordedPosition> {
    let mut entries: Vec<RecordedPosition> = Vec::new();
    for line in lines {
        let recorded = line.recorded(position);
        match entries.last_mut() {
            Some(entry) if entry.source == line.source => entry.lines.push(recorded),
            _ => entries.push(RecordedPosition {
                fen: fen.to_owned(),
                source: line.source.clone(),
                lines: vec![recorded],
                game: Some(game),
                only: only.map(|m| to_uci(position, m)),
            }),
        }
    }
    entries
}

/// A file of recorded lines, by position.
#[derive(Debug, Default)]
pub struct RecordedLines {
    positions: Vec<RecordedPosition>,
    /// By FEN and by EPD; numbers of `positions`.
    by_text: HashMap<String, Vec<usize>>,
}

/// A line of a file that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct BadRecord {
    pub line: usize,
    pub reason: String,
}

impl RecordedLines {
    /// Reads a whole file.
    pub fn read(text: &str) -> Result<RecordedLines, BadRecord> {
        let mut all = RecordedLines::default();
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let bad = |reason: String| BadRecord {
                line: number + 1,
                reason,
            };
            let entry: RecordedPosition = serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
            all.add(entry).map_err(bad)?;
        }
        Ok(all)
    }

    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    fn add(&mut self, entry: RecordedPosition) -> Result<(), String> {
        for line in &entry.lines {
            if line.cp.is_some() == line.mate.is_some() {
                return Err("a line has either `cp` or `mate`".to_owned());
            }
            if line.index == 0 {
                return Err("lines are counted from `index` 1".to_owned());
            }
        }
        let position = parse_fen_by_rights(&entry.fen)
            .map_err(|error| error.to_string())?
            .position;
        let place = self.positions.len();
        self.by_text.entry(epd(&position)).or_default().push(place);
        self.by_text
            .entry(tabiya_chess::full_fen(&position))
            .or_default()
            .push(place);
        self.positions.push(entry);
        Ok(())
    }

    /// The lines of a position in a game: the entries for that game and this very FEN before any others, which are about
    /// the same position.
    pub(super) fn find(&self, position: &Chess, fen: &str, game: u64, only: Option<Move>) -> Vec<Line> {
        let only = only.map(|m| to_uci(position, m));
        let of = |key: &str| self.by_text.get(key).map_or(&[][..], Vec::as_slice).iter();
        let is_asked = |place: &&usize| self.positions[**place].only == only;
        let exact: Vec<usize> = of(fen)
            .filter(is_asked)
            .filter(|place| self.positions[**place].game.is_none_or(|number| number == game))
            .copied()
            .collect();
        let found = match exact.is_empty() {
            false => exact,
            true => self.deepest(of(&epd(position)).filter(is_asked).copied()),
        };
        found
            .iter()
            .flat_map(|place| {
                let entry = &self.positions[*place];
                entry.lines.iter().map(|line| line_of(position, entry, line))
            })
            .collect()
    }
}

impl RecordedLines {
    /// Of entries from several games the deepest of each source: lines of two searches are no set.
    fn deepest(&self, places: impl Iterator<Item = usize>) -> Vec<usize> {
        let depth = |place: usize| self.positions[place].lines.iter().map(|line| line.depth).max();
        let mut chosen: Vec<usize> = Vec::new();
        for place in places {
            let source = &self.positions[place].source;
            match chosen
                .iter_mut()
                .find(|other| self.positions[**other].source == *source)
            {
                Some(other) if depth(place) > depth(*other) => *other = place,
                Some(_) => {}
                None => chosen.push(place),
            }
        }
        chosen
    }
}

fn line_of(position: &Chess, entry: &RecordedPosition, line: &RecordedLine) -> Line {
    let eval = match (line.cp, line.mate) {
        (Some(cp), _) => Eval::Cp(cp),
        (None, Some(0)) => Eval::Checkmate(!position.turn()),
        (None, moves) => Eval::Mate(moves.unwrap_or_default()),
    };
    Line {
        eval,
        source: entry.source.clone(),
        depth: line.depth,
        index: line.index,
        moves: played_out(position, &line.moves),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(depth: u8, index: u8, source: &str) -> Line {
        Line {
            eval: Eval::Cp(i32::from(depth)),
            source: source.to_owned(),
            depth,
            index,
            moves: Vec::new(),
        }
    }

    #[test]
    fn the_deepest_line_counts_then_the_lowest_index() {
        let lines = [line(10, 1, "a"), line(12, 3, "a"), line(12, 2, "a"), line(12, 2, "b")];
        let top = top_line(&lines).expect("a line");
        assert_eq!((top.depth, top.index, top.source.as_str()), (12, 2, "a"));
        // `depth − index`, which is another way to choose, would say otherwise.
        let lines = [line(11, 1, "a"), line(12, 3, "a")];
        assert_eq!(top_line(&lines).map(|line| line.depth), Some(12));
        assert_eq!(top_line(&[]), None);
    }

    #[test]
    fn the_second_line_is_of_the_same_search() {
        let lines = [line(12, 1, "a"), line(11, 2, "a"), line(12, 2, "b"), line(12, 3, "a")];
        assert_eq!(sibling(&lines, &lines[0], 2), None);
        assert_eq!(sibling(&lines, &lines[0], 3), Some(&lines[3]));
    }

    const START: &str = r#"{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","source":"stockfish-17","lines":[{"depth":20,"index":1,"cp":31,"moves":["e2e4","e7e5"]},{"depth":20,"index":2,"mate":-3,"moves":["f2f3","zzzz","e2e4"]}]}"#;

    #[test]
    fn recorded_lines_are_read_back() {
        let recorded = RecordedLines::read(&format!("\n{START}\n")).expect("a record");
        let start = Chess::default();
        let lines = recorded.find(&start, "another text", 7, None);
        assert_eq!((lines[0].eval, lines[0].moves.len()), (Eval::Cp(31), 2));
        assert_eq!(
            (lines[1].eval, lines[1].moves.len()),
            (Eval::Mate(-3), 1),
            "up to what is no move"
        );
        let fen = tabiya_chess::full_fen(&start);
        let written = record(&start, &fen, 7, &lines, None);
        let text = serde_json::to_string(&written[0]).expect("JSON");
        let again = RecordedLines::read(&text).expect("a record");
        assert_eq!(again.find(&start, &fen, 7, None), lines);
        assert!(again.find(&start, &fen, 7, Some(lines[0].moves[0])).is_empty());
    }

    #[test]
    fn a_game_has_its_own_lines() {
        let of_game = |number: u64, cp: i32| {
            START
                .replace("\"source\"", &format!("\"game\":{number},\"source\""))
                .replace("\"cp\":31", &format!("\"cp\":{cp}"))
        };
        let text = [of_game(1, 10), of_game(2, 20)].join("\n");
        let recorded = RecordedLines::read(&text).expect("a record");
        let start = Chess::default();
        let fen = tabiya_chess::full_fen(&start);
        assert_eq!(recorded.find(&start, &fen, 1, None)[0].eval, Eval::Cp(10));
        assert_eq!(recorded.find(&start, &fen, 2, None)[0].eval, Eval::Cp(20));
        let anybody_s = recorded.find(&start, &fen, 3, None);
        assert_eq!(anybody_s.len(), 2, "of one search, not of both");
    }

    #[test]
    fn en_passant_and_counters_do_not_part_positions() {
        let text = START.replace("RNBQKBNR w KQkq - 0 1", "RNBQKBNR w KQkq - 5 9");
        let recorded = RecordedLines::read(&text).expect("a record");
        let start = Chess::default();
        assert_eq!(recorded.find(&start, &tabiya_chess::full_fen(&start), 1, None).len(), 2);
    }

    #[test]
    fn nonsense_is_named_by_its_line() {
        let error = |text: &str| RecordedLines::read(text).expect_err("nonsense").to_string();
        assert!(error("\nrubbish").starts_with("line 2: "));
        let both = START.replace("\"cp\":31", "\"cp\":31,\"mate\":1");
        assert_eq!(error(&both), "line 1: a line has either `cp` or `mate`");
        assert!(error(&START.replace("\"index\":1", "\"index\":0")).contains("index"));
        assert!(error(&START.replace("8/8/8/8", "8/8/8")).contains("line 1"));
    }
}

//! An engine with opinions of its own, and a diary.
//!
//! ```text
//! EPD = cp 30                White's centipawns; everything else is worth nothing
//! EPD = mate -3              Black mates in three
//! EPD = cp 30 best e2e4      with this move
//! EPD e2e4 = cp 30           what it thinks of a move when it is asked about that alone (`searchmoves`)
//! EPD = crash                what no engine survives
//! * = slow 200               anything else, after so many milliseconds
//! ```

use std::{
    collections::HashMap,
    fs,
    io::{self, Write},
    process::exit,
    thread,
    time::Duration,
};

use shakmaty::{CastlingMode, Chess, Color, Position, fen::Fen};

#[derive(Debug)]
pub(crate) struct Opinions {
    by_epd: HashMap<String, String>,
    /// Everything that was asked, `EPD<tab>limit`, in order.
    diary: String,
}

/// One opinion, understood.
#[derive(Debug, Default)]
struct Opinion<'a> {
    score: Option<(&'a str, i32)>,
    best: Option<&'a str>,
    slow: Option<u64>,
    crash: bool,
}

impl Opinions {
    pub(crate) fn read(file: &str) -> io::Result<Opinions> {
        let text = fs::read_to_string(file)?;
        let entry = |line: &str| {
            let (epd, words) = line.split_once('=')?;
            Some((epd.trim().to_owned(), words.trim().to_owned()))
        };
        Ok(Opinions {
            by_epd: text.lines().filter_map(entry).collect(),
            diary: format!("{file}.asked"),
        })
    }

    /// What a search for `limit` has to say about a position.
    pub(crate) fn answer(&self, fen: &str, limit: &str, multipv: usize) -> io::Result<String> {
        let epd: Vec<&str> = fen.split(' ').take(4).collect();
        let epd = epd.join(" ");
        let mut diary = fs::OpenOptions::new().create(true).append(true).open(&self.diary)?;
        // At once: several engines may keep the same diary.
        diary.write_all(format!("{epd}\t{limit}\n").as_bytes())?;
        let only = word_after(limit, "searchmoves");
        let of_move = only.and_then(|uci| self.by_epd.get(&format!("{epd} {uci}")));
        let words = of_move
            .or_else(|| self.by_epd.get(&epd))
            .or_else(|| self.by_epd.get("*"));
        let mut opinion = Opinion::of(words.map_or("", String::as_str))?;
        opinion.best = only.or(opinion.best);
        if opinion.crash {
            writeln!(io::stderr(), "fake-engine: assertion failed")?;
            exit(134);
        }
        if let Some(millis) = opinion.slow {
            thread::sleep(Duration::from_millis(millis));
        }
        let position: Chess = fen
            .parse::<Fen>()
            .map_err(io::Error::other)?
            .into_position(CastlingMode::Standard)
            .map_err(io::Error::other)?;
        Ok(opinion.say(&position, limit, multipv))
    }
}

impl Opinion<'_> {
    fn of(words: &str) -> io::Result<Opinion<'_>> {
        let mut opinion = Opinion::default();
        let mut words = words.split_whitespace();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| io::Error::other(format!("{word} what?")));
            let number = |text: &str| text.parse::<i32>().map_err(io::Error::other);
            match word {
                "cp" | "mate" => opinion.score = Some((word, number(value()?)?)),
                "best" => opinion.best = Some(value()?),
                "slow" => opinion.slow = Some(u64::from(number(value()?)?.unsigned_abs())),
                "crash" => opinion.crash = true,
                _ => return Err(io::Error::other(format!("`{word}` is no opinion"))),
            }
        }
        Ok(opinion)
    }

    fn say(&self, position: &Chess, limit: &str, multipv: usize) -> String {
        let mut moves: Vec<String> = position
            .legal_moves()
            .iter()
            .map(|m| m.to_uci(CastlingMode::Standard).to_string())
            .collect();
        if let Some(best) = self.best {
            moves.sort_by_key(|uci| uci != best);
        }
        let (kind, white) = self.score.unwrap_or(("cp", 0));
        let own = if position.turn() == Color::White { white } else { -white };
        let depth = number_after(limit, "depth").unwrap_or(10);
        let nodes = number_after(limit, "nodes").unwrap_or(1000 * depth);
        let mut text = String::new();
        for (slot, uci) in moves.iter().take(multipv).enumerate() {
            // All that is not best is a matter of taste, and mate is mate.
            let score = if slot == 0 {
                format!("{kind} {own}")
            } else {
                "cp 0".to_owned()
            };
            text.push_str(&format!(
                "info depth {depth} seldepth {depth} multipv {} score {score} nodes {nodes} nps 1000000 time 1 pv {uci}\n",
                slot + 1
            ));
        }
        format!("{text}bestmove {}", moves.first().map_or("(none)", String::as_str))
    }
}

fn number_after(limit: &str, word: &str) -> Option<u64> {
    word_after(limit, word)?.parse().ok()
}

fn word_after<'a>(limit: &'a str, word: &str) -> Option<&'a str> {
    let mut words = limit.split_whitespace();
    words.find(|candidate| *candidate == word)?;
    words.next()
}

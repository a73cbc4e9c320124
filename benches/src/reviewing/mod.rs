//! Reviews: what they cost beside the engine, and how much memory long ones take.

mod judging;
mod lines;
mod share;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Result, ensure};
use tabiya_app::review::{LinesFrom, ReviewOutputs, ReviewRequest, Rules, review_games};

use self::lines::one_game;
use crate::{
    corpus::{Corpus, Slice},
    floor::{Bound, Floor},
    memory::delegate,
    report::Report,
    setting::Setting,
    table::Table,
};

/// Games that are judged without an engine.
const GAMES: usize = 400;
const FEW: u64 = 100;
const MANY: u64 = 1_000;
/// What a thousand games may take more than a hundred: what an allocator does by chance.
const FLAT: f64 = 1.15;

pub(crate) fn reviewing(
    engine: Option<&Path>,
    corpus: &Corpus,
    setting: Setting<'_>,
    report: &mut Report,
) -> Result<()> {
    let games = Slice::first(GAMES, &corpus.plain, setting.dir)?;
    judging::judging(&games.path, &corpus.name, report)?;
    memory(&games.path, setting, report)?;
    // Last: its slice takes the place of the other.
    share::share(engine, &corpus.plain, setting, report)
}

/// The same game many times over, so that the file of lines stays as small as it is.
fn memory(games: &Path, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    report.heading("Peak memory of reviews: the same game over and over, recorded lines, JSON, PGN and CSV written");
    let (game, lines) = one_game(games)?;
    let path = setting.dir.join("one.lines.jsonl");
    fs::write(&path, lines)?;
    let mut table = Table::new(&["games", "peak MB"]);
    let mut peaks = Vec::new();
    for number in [FEW, MANY] {
        let file = setting.dir.join("repeated.pgn");
        fs::write(&file, format!("{game}\n").repeat(usize::try_from(number)?))?;
        let done = delegate("review", &[&file, &path])?;
        ensure!(done.games == number, "{} games were reviewed, not {number}", done.games);
        table.row(vec![number.to_string(), format!("{:.1}", done.peak as f64 / 1e6)]);
        peaks.push(done.peak as f64);
    }
    report.table(&table);
    report.floor(Floor {
        what: format!("peak memory of reviewing {MANY} games against {FEW}"),
        measured: peaks[1] / peaks[0],
        bound: Bound::Below(FLAT),
        unit: "×",
        others: None,
    });
    Ok(())
}

/// Reviews a file with recorded lines, and gives the number of games.
pub(crate) async fn review(games: &Path, lines: &Path) -> Result<u64> {
    let out = |name: &str| -> Option<PathBuf> { Some(games.with_file_name(name)) };
    let request = ReviewRequest {
        outputs: ReviewOutputs {
            json: out("review.json"),
            pgn: out("review.pgn"),
            csv: out("review.csv"),
            ..ReviewOutputs::default()
        },
        ..request(games, LinesFrom::File(lines.to_owned()))
    };
    let outcome = review_games(&request, &|_| {}, |_, _| Ok(())).await?;
    Ok(outcome.summary.games)
}

fn request(games: &Path, lines: LinesFrom) -> ReviewRequest {
    ReviewRequest {
        inputs: vec![games.display().to_string()],
        rules: Rules::default(),
        lines,
        outputs: ReviewOutputs::default(),
        journal: None,
        stop: Arc::default(),
    }
}

//! A directory with games in a file, reviews of them, and what is looked up in those.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use tabiya_app::{
    AppError,
    engines::EngineSettings,
    review::{
        Entry, GameReview, LinesFrom, MoveReport, ReviewEvent, ReviewOutcome, ReviewOutputs, ReviewRequest, Reviewed,
        Rules, review_games,
    },
};
use tabiya_chess::{Class, SearchLimit};
use tempfile::TempDir;

use crate::engines::Opinionated;

pub(crate) const GAMES: &str = "\
[Event \"first\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 { mine [%eval 0.1] } e5 (1... c5 2. Nf3) 2. Ke2 $6 d6 3. Ke1 1-0\n\n\
[Event \"second\"]\n[White \"B\"]\n[Black \"C\"]\n\n1. e4 c5 2. Nf6 d6 *\n\n\
[Event \"third\"]\n[White \"C\"]\n[Black \"A\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
[Event \"fourth\"]\n[White \"A\"]\n[Black \"C\"]\n\n*\n\n\
[Event \"fifth\"]\n[White \"A\"]\n[Black \"C\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n";

pub(crate) const AFTER_KE2: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR b kq -";

/// Twenty games that differ.
pub(crate) fn many() -> String {
    let openings = [
        "e4 e5", "d4 d5", "c4 c5", "Nf3 Nf6", "e4 c5", "b3 e5", "f4 d5", "g3 g6", "e3 e6", "Nc3 Nc6",
    ];
    let replies = ["Nf3 a6", "h3 h6"];
    let mut text = String::new();
    for (number, opening) in openings.iter().enumerate() {
        for reply in replies {
            let reply = if opening.contains("Nf3") {
                reply.replace("Nf3", "a3")
            } else {
                reply.to_owned()
            };
            let [white, black] = [number, number + 1].map(|who| format!("Player {}", who % 4));
            text += &format!("[White \"{white}\"]\n[Black \"{black}\"]\n\n1. {opening} 2. {reply} *\n\n");
        }
    }
    text
}

/// A directory with a file of games, and a review of them.
pub(crate) struct Study {
    pub(crate) dir: TempDir,
}

impl Study {
    pub(crate) fn of(pgn: &str) -> Study {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("games.pgn"), pgn).expect("a writable directory");
        Study { dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn request(&self, engine: &Path) -> ReviewRequest {
        ReviewRequest {
            inputs: vec![self.path("games.pgn").display().to_string()],
            rules: Rules::default(),
            lines: LinesFrom::Engine {
                engine: EngineSettings {
                    engine: Some(engine.to_owned()),
                    workers: Some(1),
                    max_tries: Some(1),
                    ..EngineSettings::default()
                },
                limit: SearchLimit::nodes(5_000),
                multipv: 3,
                cloud: None,
                database: None,
            },
            outputs: ReviewOutputs::default(),
            journal: None,
            stop: Arc::default(),
        }
    }

    /// The request with recorded lines in place of engines.
    pub(crate) fn recorded(&self, file: &str) -> ReviewRequest {
        ReviewRequest {
            lines: LinesFrom::File(self.path(file)),
            ..self.request(Path::new("nobody"))
        }
    }
}

pub(crate) fn opinionated(study: &Study, opinions: &[(&str, &str)]) -> Opinionated {
    Opinionated::new(study.dir.path(), opinions)
}

pub(crate) fn run(request: &ReviewRequest) -> (ReviewOutcome, Vec<Reviewed>) {
    let mut games = Vec::new();
    let outcome = try_run(request, |entry| {
        if let Entry::Reviewed(reviewed) = entry {
            games.push((**reviewed).clone());
        }
    });
    (outcome.expect("a review"), games)
}

pub(crate) fn try_run(request: &ReviewRequest, mut each: impl FnMut(&Entry)) -> Result<ReviewOutcome, AppError> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let watch = |_: ReviewEvent<'_>| {};
    runtime.block_on(review_games(request, &watch, |_, entry| {
        each(entry);
        Ok(())
    }))
}

pub(crate) fn find<'a>(review: &'a GameReview, san: &str) -> &'a MoveReport {
    let found = review.moves.iter().find(|one| one.san == san);
    found.unwrap_or_else(|| panic!("no {san} in {}", review.white.name))
}

pub(crate) fn class(one: &MoveReport) -> Class {
    one.classification
        .unwrap_or_else(|| panic!("{} is not judged", one.san))
        .0
}

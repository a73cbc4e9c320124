//! Ways out of an error.

use pgn_import::{ForeignPacking, ImportError, InputError};
use tabiya_counts::CountError;
use tabiya_dataset::write_hint;
use tabiya_store::StoreError;

use super::AppError;
use crate::name::NamesFileError;

impl AppError {
    /// Ways out, in words.
    pub fn hints(&self) -> Vec<String> {
        // Whoever came upon it, and whatever else there is to say of that.
        if let Some(packing) = ForeignPacking::behind(self) {
            return vec![packing.hint().to_owned()];
        }
        match self {
            AppError::Store(error) => vec![error.hint().to_owned()],
            AppError::Table(error) => error.hint().map(str::to_owned).into_iter().collect(),
            AppError::Input(InputError::EmptyDirectory { .. }) => {
                vec![
                    "PGN files end in .pgn or .txt, perhaps with .zst, .gz or .bz2 behind; name others one by one"
                        .to_owned(),
                ]
            }
            AppError::Input(InputError::NotFound { .. }) => vec!["use - to read standard input".to_owned()],
            AppError::Import { source, .. } => import_hints(source),
            AppError::Explorer(error) => vec![error.hint().to_owned(), "every answer so far is kept".to_owned()],
            AppError::Cloud(error) => vec![error.hint().to_owned()],
            AppError::Games(error) => vec![error.hint().to_owned()],
            AppError::Engine(error) => vec![error.hint().to_owned()],
            AppError::Queue(error) => vec![error.hint().to_owned()],
            AppError::NoEngineLeft { .. } => vec![
                "run the same command again once the engine works, `tabiya positions` with --resume: it goes on with what was kept"
                    .to_owned(),
                "`tabiya doctor` looks at the engine".to_owned(),
            ],
            AppError::NothingToCount => vec!["name PGN files with --pgn".to_owned()],
            AppError::NoOpenings => vec!["run `tabiya build eco` first, or `tabiya build all`".to_owned()],
            AppError::NoStructure { .. } => vec!["`tabiya structure --list` shows all of them".to_owned()],
            AppError::NotAsked { .. } => {
                vec!["`tabiya build structures --review` lists the open questions".to_owned()]
            }
            AppError::EvaluationNotAsked { .. } => {
                vec!["`tabiya build annotate --review` lists the open questions".to_owned()]
            }
            AppError::CutShort { .. } => {
                vec!["nothing was written; mend the file, or get the whole of it, and run the same command again".to_owned()]
            }
            AppError::CountingCutShort { .. } => {
                vec!["nothing of this file was counted; the files before it were".to_owned()]
            }
            AppError::CountsMissing { .. } => vec![
                "name the directory that they lie in with --state".to_owned(),
                "or count all games anew, without --add".to_owned(),
            ],
            AppError::OtherCountsMissing {
                dir,
                is_lost,
                collections,
            } => {
                let mut hints = vec!["name the directory that they lie in with --state".to_owned()];
                if *is_lost {
                    hints.push(format!(
                        "where they are lost, make an empty directory {} and count the games of every collection anew, without --add; \
                         the graph stays as it was until the last of them is counted",
                        dir.display()
                    ));
                } else {
                    hints.extend(collections.iter().map(|name| count_anew(name)));
                }
                hints
            }
            AppError::OthersToCount { others, .. } => others.iter().map(|name| count_anew(name)).collect(),
            AppError::OtherCounts { dir, collection, .. } => vec![
                count_anew(collection),
                format!(
                    "where another collection's counts stand in the way of that too, remove {} first",
                    dir.display()
                ),
            ],
            AppError::CountsInUse { .. } => {
                vec!["run it again when the other one has ended, or name another directory with --state".to_owned()]
            }
            AppError::BadEvaluations { .. } => {
                vec!["name files: Lichess's lichess_db_eval.jsonl, or PGN with [%eval] comments, compressed or not".to_owned()]
            }
            AppError::EvaluationsCutShort { .. } => {
                vec!["everything before this place is kept; mend the file, or get the whole of it, and run the same command again".to_owned()]
            }
            AppError::Count(error) => count_hint(error).map(str::to_owned).into_iter().collect(),
            AppError::Corrupt(_) => vec![
                "`tabiya doctor` looks at the database; where it does not open whole, restore a backup or build it again"
                    .to_owned(),
            ],
            AppError::NothingCounted { games, left_out, .. } => {
                let mut hints = Vec::new();
                // What is no PGN at all may still be taken for games whose moves cannot be played.
                if *games == 0 || left_out.broken > 0 {
                    hints.push("is it PGN? name files of games, compressed or not, or directories of them".to_owned());
                }
                if left_out.broken < *games {
                    hints.push(
                        "games count that have a result and begin at the initial position; --min-elo, --since and --until ask for more"
                            .to_owned(),
                    );
                }
                hints
            }
            AppError::NothingFollowed { .. } | AppError::NothingToAnalyze { .. } => vec![
                "games are taken that begin at the initial position and whose moves are all legal".to_owned(),
            ],
            AppError::BadFen { .. } => vec![
                "a FEN has eight ranks with / between them, and who is to move; moves begin at the initial position, \
                 such as '1.e4 e5 2.Nf3'"
                    .to_owned(),
            ],
            AppError::BadBook { .. } => {
                vec!["name a Polyglot book, such as `tabiya export --format polyglot` writes".to_owned()]
            }
            AppError::Ledger { .. } => {
                vec!["name a file that `tabiya import --rejects FILE` has written".to_owned()]
            }
            AppError::NoGraphFormat { .. } => {
                vec!["name it .svg or .png, or name a directory for the graphs of all games".to_owned()]
            }
            AppError::LedgerOfPipe { .. } => {
                vec!["save the games as a file, mend them there, and import the file".to_owned()]
            }
            AppError::BadLine { .. } => vec!["write moves from the initial position, such as '1.e4 e5 2.Nf3'".to_owned()],
            AppError::NotPlayed { instead, .. } if instead.is_empty() => vec!["the games end there".to_owned()],
            AppError::NotPlayed { instead, .. } => vec![format!("they go on with {}", instead.join(", "))],
            AppError::Part(error) => error.hint().map(str::to_owned).into_iter().collect(),
            AppError::Export(error) => error.hint().into_iter().collect(),
            AppError::Positions(error) => error.hints(),
            AppError::Archive(error) => vec![error.hint().to_owned()],
            AppError::CannotWrite { source, .. } => vec![write_hint(source.kind()).to_owned()],
            AppError::BadLines { .. } => vec![
                "each line is one position as `tabiya review --record` writes it: {\"fen\", \"source\", \"lines\": [{\"depth\", \"index\", \"cp\" or \"mate\", \"moves\"}]}"
                    .to_owned(),
            ],
            AppError::NotAJournal { .. } => {
                vec!["name a file that is not there yet, or one that an interrupted review left; this one stays as it is".to_owned()]
            }
            AppError::UnreadableJournal { .. } => {
                vec!["check that you may read it; or remove it, and the review begins anew".to_owned()]
            }
            AppError::InUse { .. } => {
                vec!["run it again when the other one has ended, or write to another file".to_owned()]
            }
            AppError::OneOutput { .. } => vec!["give each of them a file of its own".to_owned()],
            AppError::OneGraph { .. } => vec![
                "name a directory, and every game gets a file of its own (--graph-format png for pictures)".to_owned(),
            ],
            AppError::GamesCutShort { .. } => vec!["the games before this place were reviewed".to_owned()],
            AppError::NoRepertoire { known, .. } if known.is_empty() => {
                vec![
                    "the database has no repertoires: import with --repertoire LABEL or --repertoire-from-study"
                        .to_owned(),
                ]
            }
            AppError::NoRepertoire { known, .. } => vec![format!("there are: {}", known.join(", "))],
            AppError::NoCollection { known, .. } if known.is_empty() => {
                vec!["no games were counted yet: run `tabiya build expand`".to_owned()]
            }
            AppError::NoCollection { known, .. } => vec![format!("there are: {}", known.join(", "))],
            AppError::NoDatabase { .. } => {
                vec!["import or build something first, or name the database with --db or TABIYA_DB".to_owned()]
            }
            AppError::Names(NamesFileError::Row { .. }) => {
                vec!["the first row names the columns, such as `eco,name,pgn`; each further row is one line".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

fn count_anew(collection: &str) -> String {
    format!("count its games anew: build with --collection {collection} and without --add")
}

fn count_hint(error: &CountError) -> Option<&'static str> {
    Some(match error {
        // Of other commands nothing is left to go on with, or they say themselves how to.
        CountError::Stopped => "run the same command again to go on",
        CountError::OtherRules { .. } => "ask for the same games again, or leave out --add to count anew",
        CountError::Damaged { .. }
        | CountError::IllegalMove { .. }
        | CountError::Older { .. }
        | CountError::NoText { .. } => "build again without --add",
        CountError::NotACount { .. } => "move it away, or name another directory with --state",
        CountError::Newer { .. } => {
            "use the program that wrote it, or a newer one; or count elsewhere: name another directory with --state"
        }
        CountError::NoFacets { .. } => "leave out --facets, or count the games anew with them and without --add",
        CountError::TooManyGames => "count them as two collections, each with a --collection of its own",
        CountError::Collision { .. } => "count them as two collections, so that these two do not meet",
        CountError::Io { doing, source, .. } if !READING.contains(doing) => write_hint(source.kind()),
        // What is read is the files' own, and there is more to say of it where it is told.
        _ => return None,
    })
}

/// What is done to counts that changes nothing.
const READING: [&str; 3] = ["read", "open", "look at"];

fn import_hints(error: &ImportError) -> Vec<String> {
    match error {
        ImportError::PgnParse { .. } | ImportError::IllegalMove { .. } | ImportError::Unsupported { .. } => vec![
            "all games before this one were kept".to_owned(),
            "--skip-illegal, in the place of --fail-fast, goes on past games like this, and --rejects FILE lists them"
                .to_owned(),
        ],
        ImportError::Io { .. } => vec!["everything before this place was kept".to_owned()],
        ImportError::Storage(cause) => cause
            .downcast_ref::<StoreError>()
            .map(|error| error.hint().to_owned())
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::{io, path::PathBuf};

    use super::*;

    #[test]
    fn whatever_is_wrong_with_counts_has_a_way_out() {
        let path = || PathBuf::from("tabiya.db.counts");
        let text = || "x".to_owned();
        for (error, word) in [
            (
                CountError::NotACount {
                    path: path(),
                    why: text(),
                },
                "--state",
            ),
            (
                CountError::Newer {
                    path: path(),
                    found: 9,
                    known: 1,
                },
                "newer",
            ),
            (CountError::Older { path: path() }, "without --add"),
            (CountError::Damaged { path: path() }, "without --add"),
            (
                CountError::NoFacets {
                    path: path(),
                    asked: text(),
                    known: text(),
                },
                "--facets",
            ),
            (CountError::NoText { path: path(), key: 1 }, "without --add"),
            (CountError::TooManyGames, "--collection"),
            (
                CountError::Collision {
                    key: 1,
                    one: text(),
                    other: text(),
                },
                "two collections",
            ),
            (
                CountError::Io {
                    doing: "write",
                    path: path(),
                    source: io::ErrorKind::StorageFull.into(),
                },
                "the disk is full",
            ),
            (
                CountError::Io {
                    doing: "create",
                    path: path(),
                    source: io::ErrorKind::NotFound.into(),
                },
                "may write",
            ),
        ] {
            let error = AppError::Count(error);
            let hints = error.hints().concat();
            assert!(hints.contains(word), "{error}: {hints:?}");
        }
    }

    #[test]
    fn of_what_cannot_be_read_nothing_is_said_about_writing() {
        let error = AppError::Count(CountError::Io {
            doing: "read",
            path: PathBuf::from("x"),
            source: io::ErrorKind::PermissionDenied.into(),
        });
        assert!(error.hints().is_empty(), "{:?}", error.hints());
    }

    #[test]
    fn a_database_that_does_not_hold_together_is_looked_at() {
        let error = AppError::does_not_hold_together("a move");
        assert!(error.hints().concat().contains("tabiya doctor"), "{:?}", error.hints());
    }
}

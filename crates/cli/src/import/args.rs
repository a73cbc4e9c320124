//! The options of an import, shared by `tabiya import` and `pgn-import`.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, ValueEnum};

use super::settings::{Output, Persistence, Settings};
use crate::args::{Format, either};

pub(crate) const EXAMPLES_TABIYA: &str = "\
Examples:
  tabiya import games.pgn archive/ 'twic*.pgn.zst'   files, directories, globs
  zstdcat games.pgn.zst | tabiya import -            standard input
  tabiya import --repertoire Italian italian.pgn     a repertoire, with its variations
  tabiya import --rejects bad.jsonl games.pgn        list what could not be read
  tabiya import --retry-rejects bad.jsonl            and read it again, once mended
  tabiya import --db postgres://me@host/chess games.pgn

An import that was interrupted goes on where it stopped when the same command is run again.";

pub(crate) const EXAMPLES_PGN_IMPORT: &str = "\
Examples:
  pgn-import --input lines.pgn --out-edges edges.jsonl --out-tactics tactics.parquet
  pgn-import --input studies.pgn --repertoire \"KG Romantic\" --persist --dsn postgres://me@host/chess
  pgn-import --config pgn-import.toml --input lines.pgn

A flag wins over the environment (TABIYA_DB, TABIYA_IMPORT__OWNER, …), the environment over the file, and the file over \
the default. An import that was interrupted goes on where it stopped when the same command is run again.

Exit codes: 0 done, 1 a game was rejected under --fail-fast, 2 usage or input, 3 database or disk, 130 interrupted.";

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// A PGN file, directory or glob, or - for standard input; may repeat
    ///
    /// Files may be compressed (.zst, .gz, .bz2). Of a directory, all files that end in .pgn or .txt are read, those in
    /// directories below included.
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    input: Vec<String>,
    /// Read only the games of an earlier import's reject ledger again, from where they stand
    #[arg(long, value_name = "LEDGER", help_heading = "Input")]
    retry_rejects: Option<PathBuf>,
    /// Read options from a TOML file [default for tabiya: ./tabiya.toml, where there is one]
    ///
    /// Either a file with a section [import], or one with the same keys at its top: owner, repertoire, side, max_depth,
    /// accept_variations, …, [persistence] dsn, persist, and [output] positions, edges, tactics, repertoire, rejects,
    /// report, metrics. Paths are taken from the current directory.
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(super) config: Option<PathBuf>,

    /// Who the repertoire belongs to [default: me]
    #[arg(long, value_name = "NAME", help_heading = "Repertoire")]
    owner: Option<String>,
    /// Make every move that is read part of this repertoire
    #[arg(long, value_name = "LABEL", help_heading = "Repertoire")]
    repertoire: Option<String>,
    /// Take the label from the tags of a Lichess study's chapters, where there are any
    #[arg(long, overrides_with = "no_repertoire_from_study", help_heading = "Repertoire")]
    repertoire_from_study: bool,
    #[arg(long, hide = true)]
    no_repertoire_from_study: bool,

    /// Keep only trees whose root has this side to move [default: both]
    #[arg(long, value_enum, value_name = "SIDE", help_heading = "Opening trie")]
    side: Option<Side>,
    /// Cut lines after this many half-moves [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Opening trie")]
    max_depth: Option<u32>,
    /// Merge positions that different move orders reach (on by default)
    #[arg(
        long,
        overrides_with = "no_dedupe_transpositions",
        hide_short_help = true,
        help_heading = "Opening trie"
    )]
    dedupe_transpositions: bool,
    /// Keep the literal tree: positions with other move counters are others
    #[arg(long, overrides_with = "dedupe_transpositions", help_heading = "Opening trie")]
    no_dedupe_transpositions: bool,
    /// Read variations (on by default)
    #[arg(
        long,
        overrides_with = "no_accept_variations",
        hide_short_help = true,
        help_heading = "Opening trie"
    )]
    accept_variations: bool,
    /// Read main lines only
    #[arg(long, overrides_with = "accept_variations", help_heading = "Opening trie")]
    no_accept_variations: bool,
    /// Make games that start from a FEN trees of their own, instead of tactics
    #[arg(long, overrides_with = "no_include_fen_in_trie", help_heading = "Opening trie")]
    include_fen_in_trie: bool,
    #[arg(long, hide = true)]
    no_include_fen_in_trie: bool,
    /// Read Chess960 games too
    #[arg(long, overrides_with = "no_include_chess960", help_heading = "Opening trie")]
    include_chess960: bool,
    #[arg(long, hide = true)]
    no_include_chess960: bool,

    /// Make games that start from a FEN tactics (on by default)
    #[arg(
        long,
        overrides_with = "no_tactic_from_fen",
        hide_short_help = true,
        help_heading = "Tactics"
    )]
    tactic_from_fen: bool,
    /// Leave games that start from a FEN out
    #[arg(long, overrides_with = "tactic_from_fen", help_heading = "Tactics")]
    no_tactic_from_fen: bool,
    /// One more tactic for every variation of such a game
    #[arg(long, overrides_with = "no_tactic_variations", help_heading = "Tactics")]
    tactic_variations: bool,
    #[arg(long, hide = true)]
    no_tactic_variations: bool,
    /// Look for tactics in comments and NAGs: motif words, #tactic, ! and !!
    #[arg(long, overrides_with = "no_tactic_from_comments", help_heading = "Tactics")]
    tactic_from_comments: bool,
    #[arg(long, hide = true)]
    no_tactic_from_comments: bool,

    /// Stop at the first game that cannot be understood (the default of pgn-import)
    ///
    /// All games before it are kept, nothing of it, and the exit code is 1.
    #[arg(long, conflicts_with = "skip_illegal", help_heading = "Bad games")]
    fail_fast: bool,
    /// End a branch at a bad move, report the game and go on (the default of tabiya import)
    #[arg(long, help_heading = "Bad games")]
    skip_illegal: bool,
    /// Write the ledger of games that could not be taken whole, as JSON lines
    #[arg(long, value_name = "FILE", help_heading = "Bad games")]
    rejects: Option<PathBuf>,

    /// Write the positions of this import: .jsonl, .jsonl.zst, .jsonl.gz or .parquet
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out_positions: Option<PathBuf>,
    /// Write its edges
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out_edges: Option<PathBuf>,
    /// Write its tactics
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out_tactics: Option<PathBuf>,
    /// Write which of its edges belong to which repertoire
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out_repertoire: Option<PathBuf>,
    /// Print a summary, or the whole report as JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: Format,
    /// Write the report as JSON to a file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,
    /// Write counters and timers as Prometheus text, also when the import fails
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    metrics_out: Option<PathBuf>,

    /// The database: a file name, sqlite://FILE or postgres://USER:PASSWORD@HOST/NAME
    ///
    /// Without it, TABIYA_DB or a configuration file is asked. If they are silent too, tabiya takes ./tabiya.db, and
    /// pgn-import has none.
    #[arg(long, visible_alias = "db", value_name = "URL", help_heading = "Database")]
    dsn: Option<String>,
    /// Write to the database (the default of tabiya import)
    #[arg(long, overrides_with = "no_persist", help_heading = "Database")]
    persist: bool,
    /// Write no database (the default of pgn-import)
    #[arg(long, overrides_with = "persist", help_heading = "Database")]
    no_persist: bool,
    /// Go on where an interrupted run of the same import stopped (on by default)
    #[arg(
        long,
        overrides_with = "no_resume",
        hide_short_help = true,
        help_heading = "Database"
    )]
    resume: bool,
    /// Begin anew instead of going on where an interrupted run stopped
    #[arg(long, overrides_with = "resume", help_heading = "Database")]
    no_resume: bool,
    /// Threads that read games [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Database")]
    threads: Option<NonZeroUsize>,
    /// How much PGN is read and committed at a time
    #[arg(long, value_name = "N", hide = true)]
    batch_bytes: Option<NonZeroUsize>,
}

/// Which trees are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    White,
    Black,
    Both,
}

impl ImportArgs {
    /// What the command line says, and nothing about what it does not say.
    pub(super) fn into_settings(self, mut paths: Vec<String>) -> Settings {
        paths.extend(self.input);
        Settings {
            input: paths,
            retry_rejects: self.retry_rejects,
            owner: self.owner,
            repertoire: self.repertoire,
            side: self.side.map(|side| format!("{side:?}").to_lowercase()),
            max_depth: self.max_depth,
            accept_variations: either(self.accept_variations, self.no_accept_variations),
            tactic_from_fen: either(self.tactic_from_fen, self.no_tactic_from_fen),
            tactic_from_comments: either(self.tactic_from_comments, self.no_tactic_from_comments),
            dedupe_transpositions: either(self.dedupe_transpositions, self.no_dedupe_transpositions),
            skip_illegal: either(self.skip_illegal, self.fail_fast),
            include_fen_in_trie: either(self.include_fen_in_trie, self.no_include_fen_in_trie),
            include_chess960: either(self.include_chess960, self.no_include_chess960),
            tactic_variations: either(self.tactic_variations, self.no_tactic_variations),
            repertoire_from_study: either(self.repertoire_from_study, self.no_repertoire_from_study),
            threads: self.threads,
            batch_bytes: self.batch_bytes,
            resume: either(self.resume, self.no_resume),
            persistence: Persistence {
                dsn: self.dsn,
                persist: either(self.persist, self.no_persist),
            },
            output: Output {
                positions: self.out_positions,
                edges: self.out_edges,
                tactics: self.out_tactics,
                repertoire: self.out_repertoire,
                rejects: self.rejects,
                report: self.report,
                metrics: self.metrics_out,
            },
        }
    }
}

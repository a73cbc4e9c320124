//! Log lines on standard error, written for people: few by default, and never a flood.

use std::{
    fmt::{self, Write as _},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
};
use tracing_subscriber::{
    EnvFilter, Layer,
    layer::{Context, SubscriberExt},
    registry::LookupSpan,
    util::SubscriberInitExt,
};

use crate::{
    args::Ui,
    terminal::{Label, labelled, line, say},
};

/// How many warnings are shown when nobody asked for more.
const SHOWN: u64 = 5;

/// Warnings of the importer since the start.
static WARNINGS: AtomicU64 = AtomicU64::new(0);

/// Log lines are written from now on. `RUST_LOG` decides which, if it is set.
pub(crate) fn start(ui: &Ui) {
    let level = match (ui.quiet, ui.verbose) {
        (true, _) => LevelFilter::ERROR,
        (_, 0) => LevelFilter::WARN,
        (_, 1) => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let filter = match std::env::var("RUST_LOG") {
        Ok(directives) if !directives.is_empty() => EnvFilter::new(directives),
        // A slow statement is the library's worry, not the user's.
        _ if ui.verbose < 2 => EnvFilter::new(format!("{level},sqlx=error")),
        _ => EnvFilter::new(level.to_string()),
    };
    let lines = Lines {
        most: if ui.verbose > 0 { u64::MAX } else { SHOWN },
    };
    // A second start would be a second command in one process: there is none.
    let _ = tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .try_init();
}

/// Says how many warnings were held back.
pub(crate) fn end(ui: &Ui) {
    let held_back = WARNINGS.load(Relaxed).saturating_sub(SHOWN);
    if held_back > 0 && ui.verbose == 0 && !ui.quiet {
        let more = crate::numbers::count(held_back, "more warning");
        say(
            Label::Warning,
            &format!("… and {more}; use --rejects FILE to list the games, or -v to see all"),
        );
    }
}

/// One line for each event: what happened, and its fields.
struct Lines {
    most: u64,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        if is_reported_elsewhere(metadata) {
            return;
        }
        // One for each game that is not what it should be would be thousands; of other troubles each is worth a line, for as long as
        // a server runs.
        let is_of_games = *metadata.level() == Level::WARN && metadata.target().starts_with("pgn_import");
        if is_of_games && WARNINGS.fetch_add(1, Relaxed) >= self.most {
            return;
        }
        let mut text = Text::default();
        event.record(&mut text);
        match *metadata.level() {
            Level::ERROR => labelled(Label::Error, &text.whole()),
            Level::WARN => labelled(Label::Warning, &text.whole()),
            Level::INFO => line(&format!("info: {}", text.whole())),
            _ => line(&format!("debug: {}: {}", metadata.target(), text.whole())),
        }
    }
}

/// The importer logs what ends an import, and the command ends with the same words and more.
fn is_reported_elsewhere(metadata: &Metadata<'_>) -> bool {
    *metadata.level() == Level::ERROR && metadata.target().starts_with("pgn_import")
}

/// An event's message, and its other fields as `name value`.
#[derive(Default)]
struct Text {
    source: Option<String>,
    message: String,
    fields: String,
}

impl Text {
    /// `games.pgn: message (game 3, ply 4)`.
    fn whole(self) -> String {
        let source = self.source.map(|source| format!("{source}: ")).unwrap_or_default();
        let fields = if self.fields.is_empty() {
            String::new()
        } else {
            format!(" ({})", self.fields)
        };
        format!("{source}{}{fields}", self.message)
    }
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "source" => self.source = Some(format!("{value:?}")),
            name => {
                let separator = if self.fields.is_empty() { "" } else { ", " };
                // Writing to a String cannot fail.
                let _ = write!(self.fields, "{separator}{name} {value:?}");
            }
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

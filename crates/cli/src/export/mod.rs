//! `tabiya export`: the knowledge base in the formats of other programs.

mod args;
pub(crate) mod settings;
mod summary;

use std::{process::ExitCode, sync::Arc, time::Instant};

use tabiya_app::export::{EcoRange, ExportEvent, ExportRequest, ExportWatcher, RepertoireName, export};

pub(crate) use args::{EXAMPLES, ExportArgs};

use crate::{
    args::{Face, Format, Ui},
    configuration::{file_read, layered, threads},
    failure::{Failure, INTERRUPTED},
    inputs::Inputs,
    interrupt, logging,
    progress::{Display, Stage},
    runtime::runtime,
    telling::{Telling, refuse_dash, text_path},
    terminal::{Label, say},
};
use args::WrittenFormat;
use settings::{KEYS, Settings};
use summary::Report;

pub(crate) fn run(arguments: ExportArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    let flags = arguments.settings();
    let settings: Settings = layered(Face::Tabiya, arguments.config.as_deref(), "export", &KEYS, &flags)?;
    logging::start(ui);
    let request = request(&arguments, settings)?;
    let inputs = Inputs::default()
        .files(file_read(Face::Tabiya, arguments.config.as_deref()))
        .database(&request.database);
    let telling = Telling::new(
        ui,
        arguments.report_format,
        arguments.report.as_deref(),
        &[("--output", Some(&request.output))],
        &inputs,
    )?;
    let runtime = runtime()?;
    let display = (!ui.quiet && arguments.report_format == Format::Text).then(Display::of_stages);
    let watcher = display.as_ref().map(|display| watcher(display.stage()));
    let started = Instant::now();
    let outcome = runtime.block_on(async {
        interrupt::listen(Arc::clone(&request.stop));
        export(&request, watcher).await
    });
    drop(display);
    runtime.shutdown_background();
    let report = match outcome {
        Ok(report) => Report::new(report, started.elapsed()),
        Err(error) if error.is_stop() => {
            say(Label::Note, "stopped; what was there before is there still");
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Err(error) => return Err(error.into()),
    };
    telling.tell(&report, || report.text())?;
    if !ui.quiet {
        for note in report.notes() {
            say(Label::Note, &note);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn request(arguments: &ExportArgs, settings: Settings) -> Result<ExportRequest, Failure> {
    let eco = match (&arguments.repertoire, &settings.eco) {
        // A repertoire is exported whole, whatever a file says of openings.
        (Some(_), _) | (_, None) => EcoRange::default(),
        (None, Some(text)) => text
            .parse()
            .map_err(|error| Failure::usage(format!("configuration: eco: {error}")))?,
    };
    let output = match arguments.format {
        WrittenFormat::Csv => text_path(arguments.output.clone()),
        _ => {
            refuse_dash(
                "--output",
                Some(&arguments.output),
                "name a file or a directory; --format csv goes there",
            )?;
            arguments.output.clone()
        }
    };
    Ok(ExportRequest {
        database: settings.persistence.url(),
        format: arguments.format.into(),
        output,
        eco,
        max_depth: settings.max_depth,
        min_games: settings.min_games.unwrap_or(0),
        collection: settings.collection,
        repertoire: arguments.repertoire.as_ref().map(|label| RepertoireName {
            label: label.clone(),
            owner: arguments.owner.clone(),
        }),
        threads: threads(settings.threads),
        stop: Arc::default(),
    })
}

fn watcher(stage: Stage) -> ExportWatcher {
    Arc::new(move |event| match event {
        ExportEvent::Loading => stage.set("reading the knowledge base"),
        ExportEvent::Writing { files } => stage.expect_of(files as u64, "file"),
        ExportEvent::Written { name } => stage.answered(name),
    })
}

//! Runs that wait in a queue, and machines that do them.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use tabiya_app::positions::{PositionsWorker, enqueue_positions, work_on_positions};

use super::{args::TakeArgs, settings::Settings};
use crate::{
    args::Ui,
    configuration::database,
    failure::{Failure, INTERRUPTED, WORLD},
    interrupt,
    numbers::{count, thousands},
    runtime::runtime,
    terminal::{Label, print, say},
    worker::own_name,
};

pub(super) fn enqueue(arguments: &TakeArgs, settings: Settings, ui: &Ui) -> Result<ExitCode, Failure> {
    let request = settings.request(arguments)?;
    let database = database(arguments.db.clone(), arguments.config.as_deref())?;
    let queue = arguments.queue.clone().settings();
    let enqueued = runtime()?.block_on(enqueue_positions(
        &request,
        arguments.shares.unwrap_or(1),
        &database,
        &queue,
    ))?;
    if !ui.quiet {
        let mut text = format!("enqueued    {}\n", count(enqueued.jobs, "job"));
        if enqueued.already_there > 0 {
            text.push_str(&format!(
                "            {} there already, with the settings and games they were put there with; another --output is another job\n",
                thousands(enqueued.already_there)
            ));
        }
        print(&text)?;
        for month in &enqueued.left_out_months {
            say(Label::Warning, &format!("left out: {month}"));
        }
        say(
            Label::Hint,
            "`tabiya positions --work --db URL --output DIR` does them, on any number of machines",
        );
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn work(arguments: &TakeArgs, settings: Settings, ui: &Ui) -> Result<ExitCode, Failure> {
    let database = database(arguments.db.clone(), arguments.config.as_deref())?;
    // It would be made, and most likely be the wrong one: whoever puts work there makes it.
    if arguments.queue.queue.is_none() {
        tabiya_app::check_database(&database)
            .map_err(|error| Failure::from(error).hint("`tabiya positions --enqueue` with the same --db makes it"))?;
    }
    let worker = PositionsWorker {
        database,
        queue: arguments.queue.clone().settings(),
        name: own_name(),
        directory: arguments.output.clone().unwrap_or_else(|| PathBuf::from(".")),
        readers: settings.readers(),
        download_dir: settings.download_dir.clone().map(PathBuf::from),
        engine: settings.engine.settings(),
        until_empty: arguments.until_empty,
        stop: Arc::default(),
    };
    let runtime = runtime()?;
    let worked = runtime.block_on(async {
        interrupt::listen(Arc::clone(&worker.stop));
        work_on_positions(&worker).await
    });
    runtime.shutdown_background();
    let worked = worked?;
    if !ui.quiet {
        let mut text = format!(
            "done        {}, {}\n",
            count(worked.jobs, "job"),
            count(worked.positions, "position")
        );
        for path in &worked.outputs {
            text.push_str(&format!("written     {}\n", path.display()));
        }
        print(&text)?;
        if worked.failed > 0 {
            let failed = count(worked.failed, "failure");
            let given_up = match worked.given_up {
                0 => "all of them will be tried again, or were".to_owned(),
                jobs => format!("{} given up; `tabiya workers` says why", count(jobs, "job")),
            };
            say(Label::Warning, &format!("{failed}: {given_up}"));
        }
    }
    Ok(match (worked.interrupted, worked.given_up) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, 0) => ExitCode::SUCCESS,
        (false, _) => ExitCode::from(WORLD),
    })
}

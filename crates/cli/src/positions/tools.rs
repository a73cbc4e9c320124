//! `tabiya positions inspect`, `decode`, `convert`, `shuffle`, `merge`, `dedupe`.

use std::{
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool},
};

use tabiya_app::{
    AppError,
    positions::tools::{Dedupe, SampleInputs, SampleOutput, ToolManifest, convert, decode, dedupe, inspect, shuffle},
};

use super::{
    args::{InputArgs, OutputArgs, PositionsCommand},
    bars,
    settings::output_path,
};
use crate::{
    args::{Format, Ui},
    failure::Failure,
    inputs::Inputs,
    interrupt,
    numbers::{count, thousands},
    runtime::runtime,
    telling::Telling,
    terminal::{print, print_while_read},
};

pub(super) fn run(command: PositionsCommand, ui: &Ui) -> Result<ExitCode, Failure> {
    let stop: Arc<AtomicBool> = Arc::default();
    let runtime = runtime()?;
    {
        // Interrupts are listened to on the runtime's own threads; the work is done on this one.
        let _inside = runtime.enter();
        interrupt::listen(Arc::clone(&stop));
    }
    let read = Inputs::default().files(command.read());
    let telling = Telling::new(ui, Format::Text, None, &[("--output", command.output())], &read)?;
    let manifest = match command {
        PositionsCommand::Inspect(arguments) => {
            let inspection = inspect(&inputs(arguments.input), &stop)?;
            print(&match arguments.format {
                Format::Text => bars::text(&inspection),
                Format::Json => crate::terminal::json(&inspection),
            })?;
            return Ok(ExitCode::SUCCESS);
        }
        PositionsCommand::Decode(arguments) => {
            let mut failed = None;
            decode(&inputs(arguments.input), arguments.limit, &stop, |line| {
                Ok::<bool, AppError>(print_while_read(line).unwrap_or_else(|failure| {
                    failed = Some(failure);
                    false
                }))
            })?;
            return failed.map_or(Ok(ExitCode::SUCCESS), Err);
        }
        PositionsCommand::Convert(arguments) => {
            convert("convert", &inputs(arguments.input), &output(arguments.output)?, &stop)?
        }
        PositionsCommand::Merge(arguments) => {
            convert("merge", &inputs(arguments.input), &output(arguments.output)?, &stop)?
        }
        PositionsCommand::Shuffle(arguments) => shuffle(
            &inputs(arguments.input),
            &output(arguments.output)?,
            arguments.seed,
            &stop,
        )?,
        PositionsCommand::Dedupe(arguments) => {
            let inputs = inputs(arguments.input);
            let with = SampleInputs {
                files: arguments.with,
                ..inputs.clone()
            };
            dedupe(&inputs, &Dedupe { with }, &output(arguments.output)?, &stop)?
        }
    };
    if telling.prints_text() {
        print(&summary(&manifest))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn inputs(arguments: InputArgs) -> SampleInputs {
    SampleInputs {
        files: arguments.files,
        format: arguments.from.map(Into::into),
        fen_format: arguments.from_fen.map(Into::into),
    }
}

fn output(arguments: OutputArgs) -> Result<SampleOutput, Failure> {
    let format = arguments.format.map(Into::into);
    Ok(SampleOutput {
        file: output_path(arguments.output, format)?,
        format,
        fen_format: arguments.fen_format.map(Into::into),
        batch_size: arguments.batch_size,
    })
}

fn summary(manifest: &ToolManifest) -> String {
    let counts = &manifest.counts;
    let mut text = format!("read        {}\n", count(counts.read, "position"));
    for (number, words) in [
        (counts.duplicates, "seen before"),
        (counts.known_elsewhere, "known from other files"),
    ] {
        if number > 0 {
            text.push_str(&format!("left out    {} {words}\n", thousands(number)));
        }
    }
    text.push_str(&format!(
        "written     {}, {}, {:.1} MB\n",
        manifest.output.file,
        count(manifest.output.rows, "position"),
        manifest.output.bytes as f64 / 1e6
    ));
    text
}

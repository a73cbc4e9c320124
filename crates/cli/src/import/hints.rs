//! What a user may want to do after an import.

use pgn_import::SideFilter;

use super::{plan::Plan, report::Report};
use crate::numbers::count;

/// Names at most this many inputs of a kind.
const NAMED: usize = 3;

pub(super) fn after(plan: &Plan, report: &Report) -> Vec<String> {
    let mut hints = Vec::new();
    hints.extend(empty_inputs(report));
    hints.extend(left_out(plan, report));
    hints.extend(rejected(plan, report));
    hints.extend(interrupted(plan, report));
    hints.extend(kept_nowhere(plan, report));
    hints
}

fn empty_inputs(report: &Report) -> Option<String> {
    let sources = &report.import.sources;
    let empty: Vec<&str> = sources
        .iter()
        .filter(|source| source.counters.pgn_games_total == 0 && report.is_done())
        .map(|source| {
            if source.source == "-" {
                "standard input"
            } else {
                &source.source
            }
        })
        .collect();
    match empty.as_slice() {
        [] => None,
        [one] => Some(format!("there are no games in {one}; is it PGN?")),
        many => {
            let named = many[..many.len().min(NAMED)].join(", ");
            let rest = if many.len() > NAMED { ", …" } else { "" };
            Some(format!(
                "there are no games in {} inputs ({named}{rest}); are they PGN?",
                many.len()
            ))
        }
    }
}

fn left_out(plan: &Plan, report: &Report) -> Option<String> {
    let left_out = report.import.counters.pgn_games_left_out;
    if left_out == 0 {
        return None;
    }
    let (config, options) = (&plan.request.config, &plan.request.options);
    // Which of them it was is not counted; a filter that was asked for is the likeliest by far.
    let reasons = if config.side_filter != SideFilter::Both {
        let side = config.side_filter;
        vec![format!(
            "--side {side} keeps only trees whose first move is {side}'s; --side both keeps all"
        )]
    } else {
        let mut reasons = Vec::new();
        if !options.include_chess960 {
            reasons.push("Chess960 games need --include-chess960".to_owned());
        }
        if !options.include_fen_in_trie {
            reasons.push(if config.tactic_from_fen {
                "a game without moves that starts from a FEN makes no tactic".to_owned()
            } else {
                "games that start from a FEN need --tactic-from-fen or --include-fen-in-trie".to_owned()
            });
        }
        reasons
    };
    let were = if left_out == 1 { "was" } else { "were" };
    let whole = if left_out == report.import.counters.pgn_games_total {
        "so nothing was taken: "
    } else {
        ""
    };
    Some(format!(
        "{} {were} left out, {whole}{}",
        count(left_out, "game"),
        reasons.join("; ")
    ))
}

fn rejected(plan: &Plan, report: &Report) -> Option<String> {
    let failed = report.import.counters.pgn_games_failed;
    match &plan.request.outputs.rejects {
        // An import that ended there has said so.
        _ if failed == 0 || report.has_failed() => None,
        None => Some(format!(
            "{} could not be taken whole: use --rejects FILE to list them",
            count(failed, "game")
        )),
        Some(ledger) => {
            let ledger = ledger.display();
            Some(format!(
                "mend the games in place, and read just them again with --retry-rejects {ledger}"
            ))
        }
    }
}

fn interrupted(plan: &Plan, report: &Report) -> Option<String> {
    if !report.import.interrupted {
        return None;
    }
    let request = &plan.request;
    let outputs = &request.outputs;
    let files = [
        &outputs.positions,
        &outputs.edges,
        &outputs.tactics,
        &outputs.repertoire,
    ];
    let from_stdin = request.inputs.iter().any(|input| input == "-");
    Some(match request.database {
        None if plan.keeps_something() => "interrupted: the files hold what was read so far".to_owned(),
        None => "interrupted: nothing was kept".to_owned(),
        Some(_) if from_stdin || !request.options.resume || files.iter().any(|file| file.is_some()) => {
            "interrupted: everything committed is kept; the next run begins anew and adds what is missing".to_owned()
        }
        Some(_) => {
            "interrupted: everything committed is kept; run the same command again to go on from there".to_owned()
        }
    })
}

fn kept_nowhere(plan: &Plan, report: &Report) -> Option<String> {
    if plan.database_unused {
        return Some("the database was not written to: add --persist".to_owned());
    }
    (!plan.keeps_something() && report.is_done())
        .then(|| "nothing was kept: add --out-edges FILE and its like, or --persist".to_owned())
}

//! The table of moves.

use std::fmt::Write as _;

use tabiya_app::lookup::{After, Facts, OpeningName, Stats};

use super::page::{WIDTH, value};
use crate::{numbers::thousands, prose::cut, terminal::plain};

/// So many letters a bar.
const BAR: usize = 14;
/// Where the last column begins.
const NAMES: usize = 58;

/// White's wins are full as White's squares are bright on a dark screen, Black's are nearly empty.
const LETTERS: [char; 3] = ['█', '▒', '░'];

/// The most played moves, at most so many, and how many games went on otherwise.
pub(super) fn write(facts: &Facts, most: usize, text: &mut String) {
    let node = &facts.node;
    let all: u64 = node.children.iter().map(|child| child.stats.games()).sum();
    let header = format!(
        "{:<8} {:>10} {:>5}  {:<BAR$} {:>8} {:>6} leads to",
        "move", "games", "share", "results", "W/D/B", "eval"
    );
    let _ = writeln!(text, "{header}");
    for child in node.children.iter().take(most) {
        let after = facts.after.get(&child.node_id);
        let share = match all {
            0 => String::new(),
            all => format!("{:.0} %", child.stats.games() as f64 * 100.0 / all as f64),
        };
        let eval = after.and_then(|after| after.evaluation.as_ref()).map(value);
        let line = format!(
            "{:<8} {:>10} {share:>5}  {:<BAR$} {:>8} {:>6} {}",
            child.san,
            thousands(child.stats.games()),
            bar(&child.stats),
            percents(&child.stats),
            eval.unwrap_or_default(),
            leads_to(after, node.opening.as_ref()),
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if let Some(rest) = node.children.get(most..).filter(|rest| !rest.is_empty()) {
        let games: u64 = rest.iter().map(|child| child.stats.games()).sum();
        let share = games as f64 * 100.0 / all.max(1) as f64;
        let others = format!("{} more", rest.len());
        let _ = writeln!(text, "{others:<8} {:>10} {share:>3.0} %", thousands(games));
    }
}

/// Wins, draws and losses of White's, as long as they are many. Whatever happened at all is seen.
fn bar(stats: &Stats) -> String {
    let parts = [stats.white, stats.draws, stats.black];
    let mut text = String::new();
    for (length, letter) in lengths(parts, BAR as u64).into_iter().zip(LETTERS) {
        text.extend(std::iter::repeat_n(letter, length as usize));
    }
    text
}

/// Shares a number out in proportion: what rounding leaves goes to whoever lost most by it, and nobody who has anything
/// goes without.
fn lengths(parts: [u64; 3], whole: u64) -> [u64; 3] {
    let sum: u64 = parts.iter().sum();
    if sum == 0 {
        return [0; 3];
    }
    let mut shares = parts.map(|part| (u128::from(part) * u128::from(whole) / u128::from(sum)) as u64);
    let mut order = [0, 1, 2];
    order.sort_by_key(|at: &usize| std::cmp::Reverse(u128::from(parts[*at]) * u128::from(whole) % u128::from(sum)));
    let left = whole - shares.iter().sum::<u64>();
    for at in order.into_iter().take(left as usize) {
        shares[at] += 1;
    }
    for at in 0..3 {
        if parts[at] > 0 && shares[at] == 0 {
            let longest = (0..3).max_by_key(|other| shares[*other]).unwrap_or(0);
            shares[longest] -= 1;
            shares[at] = 1;
        }
    }
    shares
}

/// `38/34/28`: whole percents that make a hundred.
fn percents(stats: &Stats) -> String {
    if stats.games() == 0 {
        return String::new();
    }
    let [white, draws, black] = lengths([stats.white, stats.draws, stats.black], 100);
    format!("{white}/{draws}/{black}")
}

/// What the position behind a move is called, where that is something else.
fn leads_to(after: Option<&After>, here: Option<&OpeningName>) -> String {
    let Some(there) = after.and_then(|after| after.opening.as_ref()) else {
        return String::new();
    };
    let name = match here {
        Some(here) if here.id == there.id => return String::new(),
        // Within a family the variation is what is new.
        Some(here) if here.family == there.family => there.variation.as_ref().unwrap_or(&there.name),
        _ => &there.name,
    };
    cut(&plain(name), WIDTH - NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(white: u64, draws: u64, black: u64) -> Stats {
        Stats {
            white,
            draws,
            black,
            ..Stats::default()
        }
    }

    #[test]
    fn bars_are_as_long_as_the_results_are_many() {
        assert_eq!(bar(&stats(1, 0, 0)), "██████████████");
        assert_eq!(bar(&stats(5, 5, 4)), "█████▒▒▒▒▒░░░░");
        assert_eq!(bar(&stats(0, 0, 0)), "");
        // One game in a million is still one.
        assert_eq!(bar(&stats(1_000_000, 1, 1)), "████████████▒░");
    }

    #[test]
    fn percents_make_a_hundred() {
        assert_eq!(percents(&stats(1, 1, 1)), "34/33/33");
        assert_eq!(percents(&stats(1000, 1, 0)), "99/1/0");
        assert_eq!(percents(&stats(0, 0, 0)), "");
        for (white, draws, black) in [(7, 11, 13), (u64::MAX / 4, 3, 1), (0, 1, 0)] {
            let sum: u64 = lengths([white, draws, black], 100).iter().sum();
            assert_eq!(sum, 100);
        }
    }
}

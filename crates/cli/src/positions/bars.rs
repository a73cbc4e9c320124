//! Histograms as people look at them.

use std::fmt::Write as _;

use tabiya_app::positions::tools::{Histogram, Inspection};

use crate::numbers::thousands;

const WIDTH: usize = 40;

pub(super) fn text(inspection: &Inspection) -> String {
    let mut text = format!("positions   {}\n", thousands(inspection.positions));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "format      {}", inspection.format);
    if inspection.format == "parquet" {
        let _ = writeln!(text, "fen         {}", inspection.fen_format);
    }
    for (variant, positions) in &inspection.variants {
        let _ = writeln!(text, "variant     {variant}: {}", thousands(*positions));
    }
    for (name, histogram) in [
        ("score, centipawns for White", &inspection.scores),
        ("ply", &inspection.plies),
        ("pieces", &inspection.pieces),
        ("rating, mean of both players", &inspection.ratings),
        ("result", &inspection.results),
    ] {
        draw(name, histogram, &mut text);
    }
    text
}

fn draw(name: &str, histogram: &Histogram, text: &mut String) {
    if histogram.bins.is_empty() && histogram.missing == 0 {
        return;
    }
    let _ = writeln!(text, "\n{name}");
    let largest = histogram.bins.iter().map(|bin| bin.positions).max().unwrap_or(0).max(1);
    for bin in &histogram.bins {
        // Whatever is there shows, however little it is.
        let length = (bin.positions as usize * WIDTH).div_ceil(largest as usize);
        let bar = "█".repeat(length);
        let line = format!("{:>14} {:>13} {bar}", bin.label, thousands(bin.positions));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if histogram.missing > 0 {
        let _ = writeln!(text, "{:>14} {:>13}", "none", thousands(histogram.missing));
    }
}

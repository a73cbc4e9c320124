//! The evaluation graph in a terminal.

/// Lines and columns of the graph.
const HEIGHT: usize = 8;
const WIDTH: usize = 72;

const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// White's expected points as columns that rise from the bottom. A long game has several half-moves to a column, a short one
/// several columns to a half-move.
pub(super) fn draw(points: &[f64]) -> String {
    if points.len() < 2 {
        return String::new();
    }
    let width = WIDTH.min((points.len() - 1) * 4);
    let levels: Vec<usize> = (0..width)
        .map(|column| {
            let at = column as f64 / (width - 1) as f64 * (points.len() - 1) as f64;
            let (left, share) = (at.floor() as usize, at.fract());
            let right = points[(left + 1).min(points.len() - 1)];
            let value = points[left] + (right - points[left]) * share;
            (value * (HEIGHT * 8) as f64).round() as usize
        })
        .collect();
    let mut text = String::new();
    for row in (0..HEIGHT).rev() {
        let label = match row {
            row if row == HEIGHT - 1 => "White ",
            row if row == HEIGHT / 2 - 1 => "equal ",
            0 => "Black ",
            _ => "      ",
        };
        text.push_str(label);
        text.push(if row == HEIGHT / 2 - 1 { '┤' } else { '│' });
        let cells = levels.iter().map(|level| EIGHTHS[level.saturating_sub(row * 8).min(8)]);
        let line: String = cells.collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_white_wins_rises() {
        let text = draw(&[0.5, 0.5, 0.5, 1.0]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), HEIGHT);
        assert!(lines[0].starts_with("White │") && lines[0].ends_with('█'), "{text}");
        assert!(lines[4].starts_with("equal ┤█"), "{text}");
        assert!(lines[7].starts_with("Black │████"), "{text}");
    }

    #[test]
    fn a_game_without_moves_has_none() {
        assert_eq!(draw(&[0.5]), "");
        assert_eq!(draw(&[]), "");
    }
}

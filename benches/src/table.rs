//! A table that reads well on a terminal and in Markdown.

/// Rows of cells; the first row is the head. The first column is text, the others are numbers.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Table {
        Table {
            rows: vec![head.iter().map(|cell| (*cell).to_owned()).collect()],
        }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|c| c.chars().count())
                .max()
        };
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0).max(3)).collect();
        let mut lines: Vec<String> = self.rows.iter().map(|row| line(row, &widths)).collect();
        let rules = widths.iter().enumerate().map(|(i, w)| {
            if i == 0 {
                "-".repeat(*w)
            } else {
                format!("{}:", "-".repeat(w - 1))
            }
        });
        lines.insert(1, line(&rules.collect::<Vec<_>>(), &widths));
        lines
    }
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cells = widths.iter().enumerate().map(|(i, width)| {
        let cell = row.get(i).map_or("", String::as_str);
        if i == 0 {
            format!("{cell:<width$}")
        } else {
            format!("{cell:>width$}")
        }
    });
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}

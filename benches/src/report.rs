//! Everything that is printed, and whether all of it is as it must be.

use crate::{floor::Floor, table::Table};

/// Collects the verdicts while it prints.
#[derive(Debug, Default)]
pub(crate) struct Report {
    floors: Vec<Floor>,
}

#[expect(clippy::print_stdout, reason = "the report is what this program is for")]
impl Report {
    pub(crate) fn heading(&self, text: &str) {
        println!("\n## {text}\n");
    }

    pub(crate) fn note(&self, text: &str) {
        println!("{text}\n");
    }

    pub(crate) fn table(&self, table: &Table) {
        for line in table.lines() {
            println!("{line}");
        }
        println!();
    }

    pub(crate) fn floor(&mut self, floor: Floor) {
        println!("- {floor}");
        self.floors.push(floor);
    }

    /// Says which floors do not hold; true if all do.
    pub(crate) fn conclude(&self) -> bool {
        self.heading("Floors");
        for floor in &self.floors {
            println!("- {floor}");
        }
        let broken = self.floors.iter().filter(|floor| !floor.holds()).count();
        if broken > 0 {
            println!(
                "\n{broken} of {} floors do not hold. Others on the machine can be the cause:",
                self.floors.len()
            );
            println!("look at what they used, and run again when it is quiet before looking for one in the code.");
        }
        broken == 0
    }
}

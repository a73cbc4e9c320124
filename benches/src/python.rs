//! A Python that knows chess, for contenders that are scripts.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};

#[derive(Debug)]
pub(crate) struct Python {
    program: Option<String>,
}

impl Python {
    /// The interpreter that `TABIYA_PYTHON` names, or the one in PATH, if python-chess is installed for it.
    pub(crate) fn find() -> Python {
        let named = std::env::var("TABIYA_PYTHON").ok().filter(|name| !name.is_empty());
        let knows_chess = |python: &String| {
            Command::new(python)
                .args(["-c", "import chess.pgn"])
                .output()
                .is_ok_and(|output| output.status.success())
        };
        Python {
            program: named.into_iter().chain(["python3".to_owned()]).find(knows_chess),
        }
    }

    pub(crate) fn installed(&self) -> bool {
        self.program.is_some()
    }

    /// The numbers that a script prints about a file.
    pub(crate) fn numbers<const N: usize>(&self, script: &str, file: &Path) -> Result<[f64; N]> {
        let python = self.program.as_deref().context("not installed")?;
        let output = Command::new(python).args(["-c", script]).arg(file).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let numbers = text.split_whitespace().filter_map(|number| number.parse().ok());
        let numbers: Vec<f64> = numbers.collect();
        ensure!(
            numbers.len() == N,
            "it says {text:?} and {:?}",
            String::from_utf8_lossy(&output.stderr)
        );
        numbers.try_into().ok().context("as many numbers as were counted")
    }
}

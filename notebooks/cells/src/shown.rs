//! Executes a notebook over a store, in a separate process, because a cell that panics ends the process.

use std::{env, path::Path, process::Command};

use serde_json::Value;

use crate::error::{Error, Result};

/// A cell that was started.
pub struct Cell {
    /// Its number in the notebook, from 0, counting text cells.
    pub number: usize,
    /// Its code.
    pub source: String,
    /// The HTML that it showed; empty if it shows nothing.
    pub shown: String,
}

impl Cell {
    /// Whether something could not be shown.
    pub fn has_notice(&self) -> bool {
        self.shown.contains("<div class=\"absent\">")
    }
}

/// The executed part of a notebook.
pub struct Shown {
    /// The cells that were started, in order.
    pub cells: Vec<Cell>,
    /// The error of the last one, if it failed.
    pub failed: Option<String>,
}

impl Shown {
    /// Executes `notebook` over the store in the folder `artifacts`.
    ///
    /// # Errors
    /// If this program cannot be started again, or its output is not understood.
    pub fn of(notebook: &str, artifacts: &Path) -> Result<Self> {
        let failed = |source| Error::Io { doing: format!("carry out {notebook}"), source };
        let own = env::current_exe().map_err(failed)?;
        let mut command = Command::new(own);
        command.args(["show", notebook]).env("RETUNE_ARTIFACTS", artifacts);
        let output = command.output().map_err(failed)?;
        let mut cells: Vec<Cell> = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let told: Value = serde_json::from_str(line)
                .map_err(|error| Error::Ended(format!("{notebook}: {error} in {line}")))?;
            let text = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
            match (told["cell"].as_u64(), cells.last_mut()) {
                (Some(number), _) => {
                    let (number, source) = (number as usize, text("source"));
                    cells.push(Cell { number, source, shown: String::new() });
                }
                (None, Some(cell)) => cell.shown = text("shown"),
                (None, None) => {}
            }
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let failed = (!output.status.success()).then_some(said);
        Ok(Self { cells, failed })
    }
}

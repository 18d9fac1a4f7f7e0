//! Reports what a notebook's cells show, line by line, so that the reader knows how far the notebook came
//! when a cell ends the process.

use std::io::Write;

use prelude::html::Html;
use serde_json::json;

/// The page of a notebook that is being executed.
pub struct Page<W> {
    to: W,
}

impl<W: Write> Page<W> {
    /// A page whose lines are written to `to`.
    pub fn new(to: W) -> Self {
        Self { to }
    }

    /// Reports the beginning of the cell with this number and source.
    pub fn begin(&mut self, cell: usize, source: &str) {
        self.tell(&json!({ "cell": cell, "source": source }));
    }

    /// Reports what the cell that began last shows.
    pub fn show(&mut self, shown: Html) {
        self.tell(&json!({ "shown": shown.0 }));
    }

    fn tell(&mut self, line: &serde_json::Value) {
        // If the reader is gone, there is nothing to report to.
        let _ = writeln!(self.to, "{line}").and_then(|()| self.to.flush());
    }
}

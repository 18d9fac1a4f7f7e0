//! What a notebook's cells show, told line by line, so that whoever reads it knows how far the notebook came
//! when a cell ends the process.

use std::io::Write;

use prelude::html::Html;
use serde_json::json;

/// The page of a notebook that is being carried out.
pub struct Page<W> {
    to: W,
}

impl<W: Write> Page<W> {
    /// A page whose lines go to `to`.
    pub fn new(to: W) -> Self {
        Self { to }
    }

    /// The cell with this number and source begins.
    pub fn begin(&mut self, cell: usize, source: &str) {
        self.tell(&json!({ "cell": cell, "source": source }));
    }

    /// The cell that began last shows this.
    pub fn show(&mut self, shown: Html) {
        self.tell(&json!({ "shown": shown.0 }));
    }

    fn tell(&mut self, line: &serde_json::Value) {
        // Nobody is left to tell when the reader is gone.
        let _ = writeln!(self.to, "{line}").and_then(|()| self.to.flush());
    }
}

//! The work of the toy's stages: how long they sleep, and how much they draw. That of an odd stage depends on what it
//! does: each kind of misbehaviour has a constant of its own.

use pipeline::work::{Inputs, Size, Work};

use super::{Draw, Mix, Number, Odd, bulk::Bulk};

/// The number of rows that take about as long as a millisecond of sleep.
const ROWS_PER_MS: f64 = 20_000.0;

impl Work for Number {
    fn work(&self, _: &Inputs) -> f64 {
        1.0
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(1, 1))
    }
}

impl Work for Draw {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.rows("number")
    }
}

impl Work for Mix {
    fn work(&self, inputs: &Inputs) -> f64 {
        self.sleep_ms as f64 + 0.01 * (1.0 + inputs.count())
    }
}

impl Work for Bulk {
    fn work(&self, inputs: &Inputs) -> f64 {
        self.sleep_ms as f64 + (self.rows as f64 + inputs.rows_of("")) / ROWS_PER_MS
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(self.rows, 1))
    }
}

impl Work for Odd {
    fn work(&self, _: &Inputs) -> f64 {
        1.0
    }

    fn variant(&self) -> String {
        self.does.clone()
    }
}

//! The side of a trust region \[Eriksson2019\]: doubled after successes in a row, halved after failures in a row.

use serde::{Deserialize, Serialize};

use crate::tuner::Error;

/// How the side moves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rules {
    /// The first side, in units of the cube.
    pub start: f64,
    /// Below this side the region is given up.
    pub least: f64,
    /// The largest side.
    pub most: f64,
    /// Successes in a row after which the side doubles.
    pub successes: u32,
    /// Failures in a row after which it is halved; `None` for the number of parameters, at least 4.
    pub failures: Option<u32>,
    /// An improvement by this share of the best loss, or less, is no success.
    pub share: f64,
}

impl Default for Rules {
    /// The constants of the authors' code.
    fn default() -> Self {
        Self {
            start: 0.8,
            least: 0.007_812_5,
            most: 1.6,
            successes: 3,
            failures: None,
            share: 1e-3,
        }
    }
}

impl Rules {
    /// # Errors
    /// If a value is out of range.
    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        if !(self.least.is_finite() && self.least > 0.0) {
            return refuse("region.least", self.least.to_string(), "a finite number > 0");
        }
        if !(self.start.is_finite() && self.start >= self.least) {
            return refuse("region.start", self.start.to_string(), "not below the least side");
        }
        if !(self.most.is_finite() && self.most >= self.start) {
            return refuse("region.most", self.most.to_string(), "not below the first side");
        }
        if !(self.share.is_finite() && self.share >= 0.0) {
            return refuse("region.share", self.share.to_string(), "a finite number ≥ 0");
        }
        for (key, count) in
            [("region.successes", Some(self.successes)), ("region.failures", self.failures)]
        {
            if count == Some(0) {
                return refuse(key, "0".to_owned(), "at least 1");
            }
        }
        Ok(())
    }
}

/// A region: its side, and what was told of it last.
#[derive(Debug, Clone)]
pub(super) struct Region {
    rules: Rules,
    patience: u32,
    side: f64,
    best: f64,
    successes: u32,
    failures: u32,
}

impl Region {
    /// A new region in this many dimensions.
    pub(super) fn new(rules: Rules, dimensions: usize) -> Self {
        let patience = rules.failures.unwrap_or((dimensions as u32).max(4));
        let (best, successes, failures) = (f64::INFINITY, 0, 0);
        Self { rules, patience, side: rules.start, best, successes, failures }
    }

    /// Records the loss of a first point, which moves nothing; +∞ for a failed one.
    pub(super) fn starts_with(&mut self, loss: f64) {
        self.best = self.best.min(loss);
    }

    /// Records the loss of a proposal; +∞ for a failed one.
    pub(super) fn told(&mut self, loss: f64) {
        let success = if self.best.is_finite() {
            loss < self.best - self.rules.share * self.best.abs()
        } else {
            loss.is_finite()
        };
        self.best = self.best.min(loss);
        (self.successes, self.failures) =
            if success { (self.successes + 1, 0) } else { (0, self.failures + 1) };
        if self.successes == self.rules.successes {
            self.side = (2.0 * self.side).min(self.rules.most);
            self.successes = 0;
        } else if self.failures == self.patience {
            self.side *= 0.5;
            self.failures = 0;
        }
    }

    /// The side; `None` when the region is to be given up.
    pub(super) fn length(&self) -> Option<f64> {
        (self.side >= self.rules.least).then_some(self.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(losses: &[f64]) -> Region {
        let mut region = Region::new(Rules::default(), 6);
        region.starts_with(100.0);
        for loss in losses {
            region.told(*loss);
        }
        region
    }

    #[test]
    fn three_successes_double_and_as_many_failures_as_parameters_halve() {
        assert_eq!(after(&[90.0, 80.0]).length(), Some(0.8));
        assert_eq!(after(&[90.0, 80.0, 70.0]).length(), Some(1.6));
        // At most 1.6, and a failure between them begins the count anew.
        assert_eq!(after(&[90.0, 80.0, 70.0, 60.0, 50.0, 40.0]).length(), Some(1.6));
        assert_eq!(after(&[90.0, 80.0, 95.0, 70.0]).length(), Some(0.8));
        assert_eq!(after(&[100.0; 5]).length(), Some(0.8));
        assert_eq!(after(&[100.0; 6]).length(), Some(0.4));
        assert_eq!(after(&[f64::INFINITY; 12]).length(), Some(0.2));
    }

    #[test]
    fn a_thousandth_of_the_best_is_no_success() {
        assert_eq!(after(&[99.95, 99.89, 99.7, 99.5, 99.3]).length(), Some(1.6));
        assert_eq!(after(&[99.95, 99.91, 99.87, 99.83, 99.8, 99.75]).length(), Some(0.4));
    }

    #[test]
    fn after_seven_halvings_it_is_given_up() {
        assert_eq!(after(&[100.0; 36]).length(), Some(0.0125));
        assert_eq!(after(&[100.0; 42]).length(), None);
    }
}

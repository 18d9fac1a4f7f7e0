//! The settings of Fabolas, and which values they may have.

use serde::{Deserialize, Serialize};

use crate::tuner::Error;

/// Settings of Fabolas.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FabolasSettings {
    /// First points, by Latin hypercube; each is evaluated on all first shares.
    pub starts: usize,
    /// First shares, as divisors of the whole.
    pub divisors: [u64; 3],
    /// The smallest share that is ever suggested, as a divisor of the whole.
    pub smallest: u64,
    /// Updates of the first chain of hyper-parameters that are not used.
    pub burn_in: usize,
    /// Updates of a chain for each suggestion; chains go on from one to the next.
    pub chain: usize,
    /// Processes from a chain, over which the acquisition is averaged.
    pub processes: usize,
    /// Points at which the minimum may lie.
    pub representers: usize,
    /// Functions drawn to see where it lies.
    pub functions: usize,
    /// Values that an observation may have.
    pub innovations: usize,
    /// Random candidates for the acquisition's maximum.
    pub candidates: usize,
    /// What a suggestion itself costs, as a share of the mean predicted cost of the whole.
    pub overhead: f64,
}

impl Default for FabolasSettings {
    /// \[Klein2017\] and its public code.
    fn default() -> Self {
        Self {
            starts: 40,
            divisors: [256, 128, 64],
            smallest: 256,
            burn_in: 100,
            chain: 100,
            processes: 10,
            representers: 50,
            functions: 200,
            innovations: 400,
            candidates: 500,
            overhead: 0.1,
        }
    }
}

impl FabolasSettings {
    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        for (key, count) in [
            ("starts", self.starts),
            ("processes", self.processes),
            ("functions", self.functions),
            ("innovations", self.innovations),
            ("candidates", self.candidates),
        ] {
            if count == 0 {
                return refuse(key, "0".to_owned(), "at least 1");
            }
        }
        if self.representers < 2 {
            return refuse("representers", self.representers.to_string(), "at least 2");
        }
        if self.chain < self.processes {
            let expected = "at least as many updates as processes";
            return refuse("chain", self.chain.to_string(), expected);
        }
        if !(self.overhead.is_finite() && self.overhead >= 0.0) {
            return refuse("overhead", self.overhead.to_string(), "a finite number >= 0");
        }
        if self.smallest < 2 {
            return refuse("smallest", self.smallest.to_string(), "a divisor of at least 2");
        }
        if let Some(bad) = self.divisors.iter().find(|d| !(1..=self.smallest).contains(*d)) {
            return refuse("divisors", bad.to_string(), "1 to the divisor of the smallest share");
        }
        Ok(())
    }
}

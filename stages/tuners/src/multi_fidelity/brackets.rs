//! Budgets and brackets of successive halving: how many configurations are evaluated with which share of the
//! resource. All arithmetic is in whole numbers.

use serde::{Deserialize, Serialize};

use crate::tuner::Error;

/// How the number of rungs between two budgets is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// `⌊log_η(max/min)⌋ + 1` in whole numbers.
    Exact,
    /// The same by a truncated quotient of floating-point logarithms, and configurations by truncated
    /// products with powers of η. DIFFERS: this is how the public code of BOHB and DEHB counts; it
    /// loses a rung where the quotient is rounded down, as for budgets from 1 to 243 with η = 3, and a
    /// configuration where the product is, as of 343 with η = 7.
    FloatLogarithm,
}

/// How large the brackets are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sizes {
    /// n₀ = ⌊m/(s+1)⌋ηˢ for m rungs, at least one configuration a rung: the public code of BOHB
    /// and DEHB.
    Code,
    /// n = ⌈mηˢ/(s+1)⌉, \[Li2018\] algorithm 1.
    Paper,
}

/// Budgets of a multi-fidelity tuner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Budgets {
    /// Smallest budget, in units of the resource.
    pub minimum: u64,
    /// The full budget.
    pub maximum: u64,
    /// Factor between budgets, and share of the configurations that goes on.
    pub eta: u64,
    /// How rungs are counted.
    pub arithmetic: Arithmetic,
    /// How large the brackets are.
    pub sizes: Sizes,
}

/// One rung of a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// Number of configurations that it evaluates.
    pub size: usize,
    /// Each is evaluated with 1/divisor of the full budget.
    pub divisor: u64,
}

/// The rungs of one run of successive halving, the smallest budget first.
pub type Bracket = Vec<Rung>;

/// ln(min/max)/ln η in floating point, which [`Arithmetic::FloatLogarithm`] truncates.
pub fn raw_log_ratio(minimum: f64, maximum: f64, eta: f64) -> f64 {
    (minimum / maximum).ln() / eta.ln()
}

/// Checked budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ladder {
    budgets: Budgets,
    rungs: u32,
}

impl Ladder {
    /// The ladder of budgets from the full one down to at least the minimum.
    ///
    /// # Errors
    /// If a setting is out of range or a bracket would not fit into memory.
    pub fn new(budgets: Budgets) -> Result<Self, Error> {
        let Budgets { minimum, maximum, eta, arithmetic, .. } = budgets;
        let refuse = |key, value: u64, expected| {
            Err(Error::Setting { key, value: value.to_string(), expected })
        };
        if minimum == 0 {
            return refuse("minimum", minimum, "a budget of at least 1");
        }
        if maximum < minimum {
            return refuse("maximum", maximum, "a budget not below the minimum");
        }
        if eta < 2 {
            return refuse("eta", eta, "at least 2");
        }
        let rungs = match arithmetic {
            Arithmetic::Exact => {
                let (mut rungs, mut budget) = (1, minimum);
                while let Some(next) = budget.checked_mul(eta).filter(|b| *b <= maximum) {
                    (rungs, budget) = (rungs + 1, next);
                }
                rungs
            }
            Arithmetic::FloatLogarithm => {
                let ratio = raw_log_ratio(minimum as f64, maximum as f64, eta as f64);
                (-ratio).trunc() as u32 + 1
            }
        };
        let largest = eta.checked_pow(rungs - 1).and_then(|n| n.checked_mul(u64::from(rungs)));
        if largest.is_none_or(|n| n > 100_000_000) {
            return refuse("minimum", minimum, "a budget less far below the maximum");
        }
        Ok(Self { budgets, rungs })
    }

    /// Number of different budgets m.
    pub fn rungs(self) -> usize {
        self.rungs as usize
    }

    /// The divisors of the full budget, the largest first.
    pub fn divisors(self) -> Vec<u64> {
        (0..self.rungs).rev().map(|k| self.budgets.eta.pow(k)).collect()
    }

    /// The budgets, the smallest first.
    pub fn values(self) -> Vec<f64> {
        self.divisors().into_iter().map(|d| self.budgets.maximum as f64 / d as f64).collect()
    }

    /// The bracket with s halvings; s below [`Self::rungs`].
    fn halvings(self, s: u32) -> Bracket {
        let (m, eta, arithmetic) =
            (u64::from(self.rungs), self.budgets.eta, self.budgets.arithmetic);
        let (steps, least) = (u64::from(s) + 1, u64::from(self.budgets.sizes == Sizes::Code));
        let first = match self.budgets.sizes {
            Sizes::Code => m / steps * eta.pow(s),
            Sizes::Paper => (m * eta.pow(s)).div_ceil(steps),
        };
        let left = |i: u32| match (arithmetic, self.budgets.sizes) {
            (Arithmetic::FloatLogarithm, Sizes::Code) => {
                (first as f64 * (eta as f64).powf(-f64::from(i))) as u64
            }
            _ => first / eta.pow(i),
        };
        let rung = |i: u32| Rung { size: left(i).max(least) as usize, divisor: eta.pow(s - i) };
        (0..=s).map(rung).collect()
    }

    /// The bracket of an iteration of Hyperband: the one with the most halvings first, repeated in cycles.
    pub fn bracket(self, iteration: u64) -> Bracket {
        let m = u64::from(self.rungs);
        self.halvings((m - 1 - iteration % m) as u32)
    }

    /// The brackets of one cycle.
    pub fn cycle(self) -> Vec<Bracket> {
        (0..u64::from(self.rungs)).map(|i| self.bracket(i)).collect()
    }

    /// The bracket that starts with `first` configurations on the smallest budget.
    pub fn starting_with(self, first: usize) -> Bracket {
        let s = self.rungs - 1;
        let size = |i: u32| (first as u64 / self.budgets.eta.pow(i)).max(1) as usize;
        (0..=s).map(|i| Rung { size: size(i), divisor: self.budgets.eta.pow(s - i) }).collect()
    }

    /// The cost of a bracket, in units of the resource: the sum of n·max/divisor, rounded once.
    pub fn cost(self, bracket: &[Rung]) -> f64 {
        let common = bracket.iter().map(|r| r.divisor).max().unwrap_or(1);
        let parts: u64 = bracket.iter().map(|r| r.size as u64 * (common / r.divisor)).sum();
        (u128::from(parts) * u128::from(self.budgets.maximum)) as f64 / common as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budgets(minimum: u64, maximum: u64, eta: u64) -> Budgets {
        Budgets { minimum, maximum, eta, arithmetic: Arithmetic::Exact, sizes: Sizes::Code }
    }

    #[test]
    fn rungs_are_counted_in_whole_numbers() {
        for eta in 2..=10_u64 {
            for power in 0..6_u32 {
                let full = eta.pow(power);
                let rungs = |min, max| Ladder::new(budgets(min, max, eta)).unwrap().rungs();
                assert_eq!(rungs(1, full), power as usize + 1, "1 to {full} by {eta}");
                assert_eq!(rungs(7, 7 * full), power as usize + 1);
                if power > 0 {
                    assert_eq!(rungs(1, full - 1), power as usize, "1 to {} by {eta}", full - 1);
                }
            }
        }
    }

    #[test]
    fn the_float_logarithm_loses_a_rung_where_it_is_known_to() {
        let float = Budgets { arithmetic: Arithmetic::FloatLogarithm, ..budgets(1, 243, 3) };
        assert_eq!(Ladder::new(float).unwrap().rungs(), 5);
        assert_eq!(Ladder::new(budgets(1, 243, 3)).unwrap().rungs(), 6);
    }

    #[test]
    fn the_float_product_loses_a_configuration_where_it_is_known_to() {
        let sizes = |arithmetic| {
            let own = Budgets { arithmetic, ..budgets(1, 343, 7) };
            let bracket = Ladder::new(own).unwrap().bracket(0);
            bracket.iter().map(|r| r.size).collect::<Vec<_>>()
        };
        assert_eq!(sizes(Arithmetic::Exact), [343, 49, 7, 1]);
        assert_eq!(sizes(Arithmetic::FloatLogarithm), [343, 49, 6, 1]);
    }

    #[test]
    fn a_known_cycle() {
        let ladder = Ladder::new(budgets(9, 243, 3)).unwrap();
        let sizes: Vec<Vec<usize>> =
            ladder.cycle().iter().map(|b| b.iter().map(|r| r.size).collect()).collect();
        assert_eq!(sizes, [vec![27, 9, 3, 1], vec![9, 3, 1], vec![6, 2], vec![4]]);
        assert_eq!(ladder.bracket(5), ladder.bracket(1));
        assert_eq!(ladder.values(), [9.0, 27.0, 81.0, 243.0]);
        let cost: f64 = ladder.cycle().iter().map(|b| ladder.cost(b)).sum();
        assert_eq!(cost, 3645.0);
    }

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let key = |b| Ladder::new(b).unwrap_err().to_string();
        assert!(key(budgets(0, 9, 3)).starts_with("minimum"));
        assert!(key(budgets(9, 3, 3)).starts_with("maximum"));
        assert!(key(budgets(1, 3, 1)).starts_with("eta"));
        assert!(key(budgets(1, u64::MAX, 2)).starts_with("minimum"));
    }
}

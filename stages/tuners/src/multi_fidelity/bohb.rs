//! BOHB \[Falkner2018\]: Hyperband whose new configurations maximise the ratio of two densities, of the good
//! and of the bad configurations on the largest budget that has enough of them.

use std::collections::BTreeMap;

use models::density::kde::{Column, Kde};
use numerics::space::{Domain, Space};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{brackets::Ladder, hyperband::HyperbandSettings, schedule::Schedule};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner, failed_last};

/// Settings of BOHB.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BohbSettings {
    /// The brackets.
    pub hyperband: HyperbandSettings,
    /// Least points in either density; `None` for d + 1, which is also the least allowed.
    pub min_points: Option<usize>,
    /// Percentage of the points that is good.
    pub top_percent: usize,
    /// Draws among which the ratio is optimised.
    pub samples: usize,
    /// Share of random configurations.
    pub random_fraction: f64,
    /// Draws are this much wider than the good density.
    pub bandwidth_factor: f64,
    /// Least bandwidth.
    pub min_bandwidth: f64,
}

impl BohbSettings {
    /// The published defaults on these brackets.
    pub fn on(hyperband: HyperbandSettings) -> Self {
        Self {
            hyperband,
            min_points: None,
            top_percent: 15,
            samples: 64,
            random_fraction: 1.0 / 3.0,
            bandwidth_factor: 3.0,
            min_bandwidth: 1e-3,
        }
    }
}

/// How points are divided between the two densities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shares {
    /// The requested number of good points.
    pub good: usize,
    /// The requested number of bad points; fewer may be left.
    pub bad: usize,
}

/// `max(min_points, p n/100)` good and `max(min_points, (100 − p) n/100)` bad of n points.
pub fn shares(n: usize, min_points: usize, top_percent: usize) -> Shares {
    Shares {
        good: min_points.max(top_percent * n / 100),
        bad: min_points.max((100 - top_percent) * n / 100),
    }
}

/// The good and the bad rows: the best by loss, and the next best. Of equals the earlier is better.
pub fn divide(losses: &[f64], shares: &Shares) -> (Vec<usize>, Vec<usize>) {
    let mut ranked: Vec<usize> = (0..losses.len()).collect();
    // The two zeros are equal losses, and a NaN of either sign is the worst.
    let loss = |i: usize| if losses[i].is_nan() { f64::NAN } else { losses[i] + 0.0 };
    ranked.sort_by(|&a, &b| loss(a).total_cmp(&loss(b)));
    let bad = ranked.iter().skip(shares.good).take(shares.bad).copied().collect();
    ranked.truncate(shares.good);
    (ranked, bad)
}

/// The densities of the good and of the bad points.
#[derive(Debug, Clone)]
pub struct Model {
    /// l of the paper.
    pub good: Kde,
    /// g of the paper.
    pub bad: Kde,
}

impl Model {
    /// The densities; `None` unless both have more rows than columns.
    pub fn fit(
        rows: &[Vec<f64>],
        losses: &[f64],
        columns: &[Column],
        shares: &Shares,
        min_bandwidth: f64,
    ) -> Option<Self> {
        let (good, bad) = divide(losses, shares);
        if good.len() <= columns.len() || bad.len() <= columns.len() {
            return None;
        }
        let fit = |chosen: &[usize]| {
            let rows: Vec<Vec<f64>> = chosen.iter().map(|&i| rows[i].clone()).collect();
            Kde::fit(&rows, columns, min_bandwidth)
        };
        Some(Self { good: fit(&good), bad: fit(&bad) })
    }

    /// g/l, both at least 1e-32, which is minimised. NaN if l is NaN.
    pub fn ratio(&self, x: &[f64]) -> f64 {
        let (l, g) = (self.good.density(x), self.bad.density(x));
        let l = if l.is_nan() { l } else { l.max(1e-32) };
        g.max(1e-32) / l
    }

    /// The best of `samples` draws; `None` if none has a finite ratio.
    fn propose(&self, settings: &BohbSettings, rng: &mut ChaCha12Rng) -> Option<Vec<f64>> {
        let mut best: (f64, Option<Vec<f64>>) = (f64::INFINITY, None);
        for _ in 0..settings.samples {
            let x = self.good.draw(settings.bandwidth_factor, rng);
            let ratio = self.ratio(&x);
            if !ratio.is_finite() {
                // DIFFERS: not in the paper. A category that no bad point has makes g infinite;
                // the public code then tries the draw at once.
                return if self.good.density(&x).is_finite() { Some(x) } else { best.1 };
            }
            if ratio < best.0 {
                best = (ratio, Some(x));
            }
        }
        best.1
    }
}

/// BOHB.
#[derive(Debug, Clone)]
pub struct Bohb {
    space: Space,
    columns: Vec<Column>,
    settings: BohbSettings,
    min_points: usize,
    schedule: Schedule,
    asked: u64,
    /// Rows and losses by the divisor of the full budget, then by the number of the suggestion.
    told: BTreeMap<u64, BTreeMap<u64, (Vec<f64>, f64)>>,
}

impl Bohb {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{
    ///     minimise::minimise,
    ///     multi_fidelity::{
    ///         bohb::{Bohb, BohbSettings},
    ///         brackets::{Arithmetic, Budgets, Sizes},
    ///         hyperband::HyperbandSettings,
    ///     },
    /// };
    ///
    /// let budgets = Budgets {
    ///     minimum: 1,
    ///     maximum: 9,
    ///     eta: 3,
    ///     arithmetic: Arithmetic::Exact,
    ///     sizes: Sizes::Paper,
    /// };
    /// let hyperband = HyperbandSettings { budgets, brackets: Some(3) };
    /// let mut tuner = Bohb::new(Bounds::cube(2, 1.0)?, BohbSettings::on(hyperband))?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// // `s.fidelity` says which part of the full resource the loss is wanted on.
    /// let found = minimise(&mut tuner, 60, &mut rng, |s| {
    ///     let share = s.fidelity.of(1.0);
    ///     s.config.iter().map(|x| x * x).sum::<f64>() + 0.1 * (1.0 - share)
    /// });
    /// assert!(found.trials.iter().any(|trial| trial.suggestion.fidelity.of(9.0) == 1.0));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: BohbSettings) -> Result<Self, Error> {
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        if !(1..=99).contains(&settings.top_percent) {
            let value = settings.top_percent.to_string();
            return refuse("top-percent", value, "1 to 99");
        }
        if settings.samples == 0 {
            return refuse("samples", "0".to_owned(), "at least 1");
        }
        if !(0.0..=1.0).contains(&settings.random_fraction) {
            return refuse("random-fraction", settings.random_fraction.to_string(), "0 to 1");
        }
        for (key, value) in [
            ("bandwidth-factor", settings.bandwidth_factor),
            ("min-bandwidth", settings.min_bandwidth),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return refuse(key, value.to_string(), "a finite number > 0");
            }
        }
        let space = space.into();
        let column = |domain| match domain {
            Domain::Categorical { choices } => Column::Choice(choices),
            Domain::Float { .. } | Domain::Int { .. } => Column::Real,
        };
        let columns: Vec<Column> = space.domains().map(column).collect();
        let min_points = settings.min_points.unwrap_or(0).max(columns.len() + 1);
        let cycle = Ladder::new(settings.hyperband.budgets)?.cycle();
        let schedule = Schedule::new(cycle, settings.hyperband.brackets);
        Ok(Self { space, columns, settings, min_points, schedule, asked: 0, told: BTreeMap::new() })
    }

    /// The densities of the largest budget that has enough points.
    fn model(&self) -> Option<Model> {
        self.told.values().find_map(|told| {
            if told.len() < self.min_points {
                return None;
            }
            let shares = shares(told.len(), self.min_points, self.settings.top_percent);
            let rows: Vec<Vec<f64>> = told.values().map(|(row, _)| row.clone()).collect();
            let losses: Vec<f64> = told.values().map(|(_, loss)| *loss).collect();
            Model::fit(&rows, &losses, &self.columns, &shares, self.settings.min_bandwidth)
        })
    }

    fn sample(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let Some(model) = self.model() else { return self.space.draw(rng) };
        if rng.random::<f64>() < self.settings.random_fraction {
            return self.space.draw(rng);
        }
        match model.propose(&self.settings, rng) {
            Some(row) => self.config(&row),
            None => self.space.draw(rng),
        }
    }

    /// Converts a row of the densities to a configuration: categories by index, the rest from [0, 1].
    fn config(&self, row: &[f64]) -> Vec<f64> {
        let value = |(domain, &v): (Domain, &f64)| match domain {
            Domain::Categorical { .. } => v,
            Domain::Float { .. } | Domain::Int { .. } => domain.from_unit(v),
        };
        self.space.domains().zip(row).map(value).collect()
    }

    fn row(&self, config: &[f64]) -> Vec<f64> {
        let value = |(domain, &v): (Domain, &f64)| match domain {
            Domain::Categorical { .. } => v,
            Domain::Float { .. } | Domain::Int { .. } => domain.to_unit(v),
        };
        self.space.domains().zip(config).map(value).collect()
    }
}

impl Tuner for Bohb {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let slot = self.schedule.next_slot()?;
        let config = slot.promoted.clone().unwrap_or_else(|| self.sample(rng));
        let id = self.asked;
        self.asked += 1;
        self.schedule.fill(&slot, id, config.clone());
        Some(Suggestion { id, config, fidelity: Fidelity::Part { divisor: slot.rung.divisor } })
    }

    fn tell(&mut self, trial: Trial) {
        let Trial { suggestion, value } = trial;
        self.schedule.told(suggestion.id, value);
        if let Fidelity::Part { divisor } = suggestion.fidelity {
            let loss = failed_last(value);
            let row = self.row(&suggestion.config);
            self.told.entry(divisor).or_default().insert(suggestion.id, (row, loss));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_shared_in_whole_numbers() {
        assert_eq!(shares(13, 7, 15), Shares { good: 7, bad: 11 });
        assert_eq!(shares(100, 7, 15), Shares { good: 15, bad: 85 });
        let (good, bad) = divide(&[3.0, f64::INFINITY, 1.0, 2.0], &Shares { good: 2, bad: 1 });
        assert_eq!((good, bad), (vec![2, 3], vec![0]));
    }

    #[test]
    fn equal_losses_keep_their_order_and_undefined_ones_are_last() {
        let losses = [1.0, 0.0, -f64::NAN, -0.0, 0.0, -0.0];
        let (good, bad) = divide(&losses, &Shares { good: 3, bad: 3 });
        assert_eq!((good, bad), (vec![1, 3, 4], vec![5, 0, 2]));
    }
}

//! The losses of fixed values, taken apart: what a replicate and what a value adds, and by how much a single training
//! scatters about their sum. The least loss of a grid is a selected one; that of a further training is not, and lies
//! above it even at a value that is as good.

use std::collections::BTreeMap;

use kit::claims::calibration::normals;
use rand_chacha::ChaCha12Rng;
use stats::moments::mean;

use super::perplexities::loss;
use crate::tables::collected::{Collected, Which};

/// The method of trainings at fixed values.
const FIXED: &str = "fixed";

/// The losses of a grid of fixed values in each replicate.
pub(super) struct FixedGrid {
    /// The mean of a replicate.
    levels: BTreeMap<u32, f64>,
    /// What a value adds to it, on average over replicates.
    added: BTreeMap<u64, f64>,
    /// The standard deviation of a training about the sum of the two.
    noise: f64,
}

/// Whether a row is a training at a fixed value that has a result.
pub(super) fn is_fixed(row: &Collected) -> bool {
    row.which.method == FIXED && loss(row.outcome.perplexity).is_finite()
}

/// Values are not negative, so that their bits have the same order.
fn value(which: &Which) -> u64 {
    which.value.unwrap_or(f64::NAN).to_bits()
}

/// The mean of each group.
fn means<K: Ord>(values: impl Iterator<Item = (K, f64)>) -> BTreeMap<K, f64> {
    let mut groups: BTreeMap<K, Vec<f64>> = BTreeMap::new();
    values.for_each(|(key, value)| groups.entry(key).or_default().push(value));
    groups.into_iter().map(|(key, own)| (key, mean(&own))).collect()
}

impl FixedGrid {
    /// Takes the losses of a table apart.
    pub(super) fn of(rows: &[Collected]) -> Self {
        let losses: Vec<(u32, u64, f64)> = rows
            .iter()
            .filter(|row| is_fixed(row))
            .map(|row| (row.which.replicate, value(&row.which), loss(row.outcome.perplexity)))
            .collect();
        let levels = means(losses.iter().map(|&(r, _, loss)| (r, loss)));
        let added = means(losses.iter().map(|&(r, v, loss)| (v, loss - levels[&r])));
        let left = losses.iter().map(|(r, v, loss)| loss - levels[r] - added[v]);
        let squares: f64 = left.map(|left| left * left).sum();
        let free = (losses.len() + 1).saturating_sub(levels.len() + added.len());
        let noise = if free == 0 { 0.0 } else { (squares / free as f64).sqrt() };
        Self { levels, added, noise }
    }

    fn around(&self, replicate: u32, added: f64, rng: &mut ChaCha12Rng) -> f64 {
        let level = self.levels.get(&replicate).copied().unwrap_or(f64::NAN);
        normals(1, level + added, self.noise, rng)[0]
    }

    /// The loss of one more training at a value of the grid.
    pub(super) fn again(&self, which: &Which, rng: &mut ChaCha12Rng) -> f64 {
        let added = self.added.get(&value(which)).copied().unwrap_or(f64::NAN);
        self.around(which.replicate, added, rng)
    }

    /// The loss of a training at a value that is not of the grid, and as good as what is best there on average.
    pub(super) fn as_good(&self, replicate: u32, rng: &mut ChaCha12Rng) -> f64 {
        let best = self.added.values().copied().fold(f64::NAN, f64::min);
        self.around(replicate, best, rng)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::tables::collected::Outcome;

    /// Trainings at these values, whose losses are the replicate's and the value's part and noise.
    pub(in crate::verdicts) fn grid(
        replicates: u32,
        added: &[f64],
        noise: f64,
        rng: &mut ChaCha12Rng,
    ) -> Vec<Collected> {
        let mut rows = Vec::new();
        for replicate in 0..replicates {
            for (i, added) in added.iter().enumerate() {
                let loss = 2.7 + 0.1 * f64::from(replicate % 5) + added;
                let loss = normals(1, loss, noise, rng)[0];
                let value = Some(0.1 * i as f64);
                let which =
                    Which { method: FIXED.to_owned(), value, replicate, ..Which::default() };
                let outcome = Outcome { perplexity: Some(loss.exp()), ..Outcome::default() };
                rows.push(Collected { which, outcome });
            }
        }
        rows
    }

    #[test]
    fn replicates_and_values_are_no_noise() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let added = [0.3, 0.0, 0.02, 0.5];
        let exact = FixedGrid::of(&grid(6, &added, 0.0, &mut rng));
        assert!(exact.noise < 1e-12);
        let row = &grid(6, &added, 0.0, &mut rng)[9];
        assert!((exact.again(&row.which, &mut rng) - loss(row.outcome.perplexity)).abs() < 1e-12);
        assert!((exact.as_good(2, &mut rng) - loss(row.outcome.perplexity)).abs() < 1e-12);
        let noisy = FixedGrid::of(&grid(1000, &added, 0.01, &mut rng));
        assert!((noisy.noise - 0.01).abs() < 3e-4, "{}", noisy.noise);
    }

    #[test]
    fn a_value_that_is_as_good_lies_above_the_least_of_the_grid() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let rows = grid(2000, &[0.0; 8], 0.01, &mut rng);
        let of = FixedGrid::of(&rows);
        let above = (0..2000).map(|replicate| {
            let own = rows.iter().filter(|row| row.which.replicate == replicate);
            let least = own.map(|row| of.again(&row.which, &mut rng)).fold(f64::NAN, f64::min);
            of.as_good(replicate, &mut rng) - least
        });
        // The mean of the least of eight standard normal values is -1.4236.
        let above = mean(&above.collect::<Vec<_>>());
        assert!((above - 0.014_236).abs() < 1e-3, "{above}");
    }
}

//! A fit of positive numbers by a product of powers: `log y = a + Σ b_j log x_j`, least squares, with the
//! few features that predict best what was left out. Knows neither stages nor records.

use serde::Serialize;

/// One observation: features, all positive, and what came out.
#[derive(Clone, Debug)]
pub struct Observation {
    /// One value a feature, in the same order everywhere.
    pub features: Vec<f64>,
    /// The outcome, positive.
    pub outcome: f64,
}

/// A fitted product of powers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The outcome where every used feature is 1.
    pub scale: f64,
    /// Feature → exponent, in the order of their use.
    pub powers: Vec<(usize, f64)>,
    /// By which factor a left-out observation is typically missed.
    pub error: f64,
    /// How many observations there were.
    pub observations: usize,
}

/// At most so many features: the observations are few and their noise is not.
const FEATURES: usize = 3;
/// A further feature must take so much of the error (in the logarithm) away.
const GAIN: f64 = 0.9;
/// The steepest power: sizes that hardly varied, or together, bring forth any, which tell nothing of
/// sizes a hundred times as large. What is computed here takes at most the cube of a size.
const STEEPEST: f64 = 3.0;
/// Below this error (in the logarithm) nothing is worth another feature.
const FINE: f64 = 0.01;

impl Fit {
    /// Fits the observations; none where there are none. The outcome cannot fall where a feature among
    /// `rising` grows.
    #[must_use]
    pub fn of(observations: &[Observation], rising: &[usize]) -> Option<Self> {
        let outcomes: Vec<f64> = observations.iter().map(|o| o.outcome.ln()).collect();
        let width = observations.first()?.features.len();
        let columns: Vec<Vec<f64>> =
            (0..width).map(|j| observations.iter().map(|o| o.features[j].ln()).collect()).collect();
        let varies = |column: &[f64]| column.iter().any(|x| (x - column[0]).abs() > 1e-9);
        let mut open: Vec<usize> = (0..width).filter(|&j| varies(&columns[j])).collect();
        let mut used: Vec<usize> = Vec::new();
        let (mut best, mut error) = solve(&[], &outcomes)?;
        while used.len() < FEATURES && error > FINE {
            let candidates = open.iter().filter_map(|&j| {
                let with: Vec<&[f64]> =
                    used.iter().chain([&j]).map(|&j| columns[j].as_slice()).collect();
                let (solution, error) = solve(&with, &outcomes)?;
                let powers = used.iter().chain([&j]).zip(&solution[1..]);
                let sound = powers.into_iter().all(|(feature, &power)| {
                    power.abs() <= STEEPEST && (power >= 0.0 || !rising.contains(feature))
                });
                sound.then_some((j, solution, error))
            });
            // Of equal ones the first.
            let Some((j, solution, less)) = candidates.reduce(|a, b| if b.2 < a.2 { b } else { a })
            else {
                break;
            };
            if less > GAIN * error {
                break;
            }
            (best, error) = (solution, less);
            used.push(j);
            open.retain(|&other| other != j);
        }
        Some(Self {
            scale: best[0].exp(),
            powers: used.into_iter().zip(best[1..].iter().copied()).collect(),
            error: error.exp(),
            observations: observations.len(),
        })
    }

    /// What comes out at these features.
    #[must_use]
    pub fn at(&self, features: &[f64]) -> f64 {
        self.powers.iter().fold(self.scale, |y, &(j, power)| y * features[j].powf(power))
    }
}

/// Least squares on a constant and these columns: the coefficients, and the root mean square of the
/// errors at observations left out one at a time.
fn solve(columns: &[&[f64]], outcomes: &[f64]) -> Option<(Vec<f64>, f64)> {
    let (n, k) = (outcomes.len(), columns.len() + 1);
    if k > 1 && n < k + 2 {
        return None; // nothing would be left to tell how good it is
    }
    let row = |i: usize| -> Vec<f64> {
        std::iter::once(1.0).chain(columns.iter().map(|column| column[i])).collect()
    };
    let mut gram = vec![vec![0.0; k]; k];
    let mut right = vec![0.0; k];
    for (i, y) in outcomes.iter().enumerate() {
        let x = row(i);
        for a in 0..k {
            for b in 0..k {
                gram[a][b] += x[a] * x[b];
            }
            right[a] += x[a] * y;
        }
    }
    let inverse = inverse(gram)?;
    let product = |x: &[f64]| -> Vec<f64> {
        inverse.iter().map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
    };
    let coefficients = product(&right);
    if n == 1 {
        return Some((coefficients, std::f64::consts::LN_2)); // one says nothing of its own error
    }
    let mut sum = 0.0;
    for (i, y) in outcomes.iter().enumerate() {
        let x = row(i);
        let fitted: f64 = x.iter().zip(&coefficients).map(|(a, b)| a * b).sum();
        let leverage: f64 = x.iter().zip(product(&x)).map(|(a, b)| a * b).sum();
        // An observation that alone decides its own fit cannot be left out.
        let rest = 1.0 - leverage;
        if !(rest.is_finite() && rest > 1e-9) {
            return None;
        }
        sum += ((y - fitted) / rest).powi(2);
    }
    let error = (sum / n as f64).sqrt();
    error.is_finite().then_some((coefficients, error))
}

/// The inverse of a small symmetric matrix; none where it is singular.
fn inverse(mut a: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let k = a.len();
    let size = a.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let mut b: Vec<Vec<f64>> =
        (0..k).map(|i| (0..k).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for column in 0..k {
        let pivot =
            (column..k).max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs()))?;
        a.swap(column, pivot);
        b.swap(column, pivot);
        let p = a[column][column];
        let sound = p.abs() > 1e-12 * size;
        if !sound {
            return None;
        }
        for j in 0..k {
            a[column][j] /= p;
            b[column][j] /= p;
        }
        for i in (0..k).filter(|&i| i != column) {
            let factor = a[i][column];
            for j in 0..k {
                let (x, y) = (a[column][j], b[column][j]);
                a[i][j] -= factor * x;
                b[i][j] -= factor * y;
            }
        }
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha12Rng;

    use super::*;

    fn uniform(rng: &mut ChaCha12Rng) -> f64 {
        let bits = (rng.next_u64() >> 11) as f64;
        bits / (1u64 << 53) as f64
    }

    /// Outcomes 0.002 · x0^1.5 · x2, with noise of a factor up to 1 ± `noise`.
    fn observations(n: usize, noise: f64) -> Vec<Observation> {
        let mut rng = ChaCha12Rng::seed_from_u64(5);
        let mut one = || {
            let features: Vec<f64> =
                (0..4).map(|_| 10f64.powf(1.0 + 2.0 * uniform(&mut rng))).collect();
            let wobble = 1.0 + noise * (2.0 * uniform(&mut rng) - 1.0);
            Observation { outcome: 0.002 * features[0].powf(1.5) * features[2] * wobble, features }
        };
        (0..n).map(|_| one()).collect()
    }

    #[test]
    fn exact_powers_are_found() {
        let fit = Fit::of(&observations(20, 0.0), &[]).expect("fits");
        assert_eq!(fit.powers.len(), 2, "{fit:?}");
        for (feature, power) in &fit.powers {
            let wanted = [1.5, 0.0, 1.0, 0.0][*feature];
            assert!((power - wanted).abs() < 1e-9, "{fit:?}");
        }
        assert!((fit.scale / 0.002 - 1.0).abs() < 1e-8, "{fit:?}");
        assert!(fit.error < 1.0 + 1e-6);
    }

    #[test]
    fn noise_adds_no_feature_and_is_told() {
        let fit = Fit::of(&observations(40, 0.2), &[]).expect("fits");
        let mut used: Vec<_> = fit.powers.iter().map(|(feature, _)| *feature).collect();
        used.sort_unstable();
        assert_eq!(used, [0, 2]);
        assert!((1.05..1.3).contains(&fit.error), "{fit:?}");
        // Ten times as far out as anything seen, it is still near.
        let far = fit.at(&[1e4, 50.0, 1e4, 50.0]);
        assert!((far / (0.002 * 1e6 * 1e4)).ln().abs() < 0.5, "{far}");
    }

    #[test]
    fn powers_that_no_cost_has_are_not_believed() {
        // The second size varied by 2 %, and by chance with the outcome.
        let one = |i: u32| Observation {
            features: vec![f64::from(1 << (i % 4)), 1000.0 + f64::from(i)],
            outcome: f64::from(1 << (i % 4)) * 1.3f64.powi(i as i32 / 4),
        };
        let fit = Fit::of(&(0..20).map(one).collect::<Vec<_>>(), &[]).expect("fits");
        assert_eq!(fit.powers.iter().map(|p| p.0).collect::<Vec<_>>(), [0], "{fit:?}");
        assert!(fit.at(&[8.0, 1e6]) < 100.0);
    }

    #[test]
    fn a_cost_does_not_fall_where_its_size_grows() {
        let falling = |i: u32| Observation {
            features: vec![f64::from(1 << i)],
            outcome: 1.0 / f64::from(1 << i),
        };
        let all: Vec<_> = (0..6).map(falling).collect();
        let power = |rising: &[usize]| Fit::of(&all, rising).expect("fits").powers;
        assert!((power(&[])[0].1 + 1.0).abs() < 1e-9);
        assert!(power(&[0]).is_empty());
    }

    #[test]
    fn few_observations_give_their_mean_and_no_more() {
        let two = [1.0, 4.0].map(|x| Observation { features: vec![x], outcome: x * x });
        let fit = Fit::of(&two, &[]).expect("fits");
        assert!(fit.powers.is_empty() && (fit.scale - 4.0).abs() < 1e-12, "{fit:?}");
        assert!(Fit::of(&[], &[]).is_none());
        let same = vec![Observation { features: vec![3.0], outcome: 7.0 }; 9];
        let fit = Fit::of(&same, &[]).expect("fits");
        assert!(fit.powers.is_empty() && (fit.at(&[100.0]) - 7.0).abs() < 1e-12);
    }
}

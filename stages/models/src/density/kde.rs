//! Kernel density estimation of mixed rows, as in BOHB: Gaussian kernels for numbers in [0, 1],
//! Aitchison–Aitken kernels for categories.

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use crate::density::truncated_normal;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Numbers in [0, 1].
    Real,
    /// Categories 0, 1, …; the number of categories.
    Choice(usize),
}

/// A density estimate: the mean over rows of a product of kernels.
#[derive(Debug, Clone)]
pub struct Kde {
    columns: Vec<Column>,
    /// n×d, row after row.
    rows: Vec<f64>,
    bandwidths: Vec<f64>,
    /// The kernel of a category at (its own, another) category; (1, 1) for numbers.
    weights: Vec<(f64, f64)>,
    /// Π 1/(√2π h) over the numbers, divided by n.
    scale: f64,
}

impl Kde {
    /// The estimate with h = 1.06 σ n^(−1/(4+d)) for each column, with σ the population standard deviation,
    /// at least `minimum`. `rows` is n×d with n > 0.
    ///
    /// DIFFERS: as in the library that BOHB uses, the rule is applied to category numbers too, h
    /// may exceed 1 there, so that densities may be negative, and a category counts as one of those
    /// seen in the rows: one that alone is seen makes all others infinitely likely.
    pub fn fit(rows: &[Vec<f64>], columns: &[Column], minimum: f64) -> Self {
        let (n, d) = (rows.len() as f64, columns.len());
        let factor = 1.06 * n.powf(-1.0 / (4.0 + d as f64));
        let bandwidths: Vec<f64> = (0..d)
            .map(|j| {
                let mean = rows.iter().map(|r| r[j]).sum::<f64>() / n;
                let square = rows.iter().map(|r| (r[j] - mean) * (r[j] - mean)).sum::<f64>() / n;
                (factor * square.sqrt()).max(minimum)
            })
            .collect();
        let mut scale = 1.0 / n;
        let mut weights = Vec::with_capacity(d);
        for (j, (column, h)) in columns.iter().zip(&bandwidths).enumerate() {
            weights.push(match column {
                Column::Real => {
                    scale /= std::f64::consts::TAU.sqrt() * h;
                    (1.0, 1.0)
                }
                Column::Choice(_) => (1.0 - h, h / (distinct(rows, j) - 1) as f64),
            });
        }
        Self { columns: columns.to_vec(), rows: rows.concat(), bandwidths, weights, scale }
    }

    /// Bandwidths, one per column.
    pub fn bandwidths(&self) -> &[f64] {
        &self.bandwidths
    }

    /// Density at a point (length d).
    pub fn density(&self, x: &[f64]) -> f64 {
        let d = self.columns.len();
        let total: f64 = self
            .rows
            .chunks_exact(d)
            .map(|row| {
                let (mut square, mut product) = (0.0, 1.0);
                for j in 0..d {
                    match self.columns[j] {
                        Column::Real => {
                            let z = (x[j] - row[j]) / self.bandwidths[j];
                            square += z * z;
                        }
                        Column::Choice(_) => {
                            let (same, other) = self.weights[j];
                            product *= if x[j] == row[j] { same } else { other };
                        }
                    }
                }
                product * (-0.5 * square).exp()
            })
            .sum();
        total * self.scale
    }

    /// A point near a random row: numbers are normal with `widen` times the bandwidth, truncated to [0, 1];
    /// categories are kept with probability 1 − h and otherwise uniform.
    pub fn draw(&self, widen: f64, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let d = self.columns.len();
        let row = rng.random_range(0..self.rows.len() / d);
        let row = &self.rows[row * d..(row + 1) * d];
        let mut x = Vec::with_capacity(d);
        for (j, column) in self.columns.iter().enumerate() {
            x.push(match *column {
                Column::Real => truncated_normal::draw(row[j], widen * self.bandwidths[j], rng),
                Column::Choice(choices) => {
                    if rng.random::<f64>() < 1.0 - self.bandwidths[j] {
                        row[j]
                    } else {
                        rng.random_range(0..choices) as f64
                    }
                }
            });
        }
        x
    }
}

/// The number of different values of column `j`.
fn distinct(rows: &[Vec<f64>], j: usize) -> usize {
    let mut seen: Vec<f64> = rows.iter().map(|r| r[j]).collect();
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    seen.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng as _;

    const COLUMNS: [Column; 2] = [Column::Real, Column::Choice(3)];

    fn rows() -> Vec<Vec<f64>> {
        vec![vec![0.2, 0.0], vec![0.4, 1.0], vec![0.9, 1.0], vec![0.5, 2.0]]
    }

    #[test]
    fn a_density_by_hand() {
        let kde = Kde::fit(&rows(), &COLUMNS, 1e-3);
        let shrink = 1.06 * 4.0_f64.powf(-1.0 / 6.0);
        let h = [shrink * (0.065_f64).sqrt(), shrink * (0.5_f64).sqrt()];
        assert!(kde.bandwidths().iter().zip(h).all(|(a, b)| (a - b).abs() < 1e-15));
        let gauss = |z: f64| (-0.5 * z * z).exp() / (std::f64::consts::TAU.sqrt() * h[0]);
        let kernel = |r: &Vec<f64>| {
            gauss((0.3 - r[0]) / h[0]) * if r[1] == 1.0 { 1.0 - h[1] } else { h[1] / 2.0 }
        };
        let expected = rows().iter().map(kernel).sum::<f64>() / 4.0;
        assert!((kde.density(&[0.3, 1.0]) / expected - 1.0).abs() < 1e-14);
    }

    #[test]
    fn it_integrates_to_one_where_the_bandwidths_are_small() {
        let kde = Kde::fit(&rows(), &COLUMNS, 1e-3);
        let (n, low, high) = (4000, -3.0, 4.0);
        let step = (high - low) / f64::from(n);
        let at = |i: i32, c: f64| kde.density(&[low + (f64::from(i) + 0.5) * step, c]) * step;
        let total: f64 = (0..n).map(|i| (0..3).map(|c| at(i, f64::from(c))).sum::<f64>()).sum();
        assert!((total - 1.0).abs() < 1e-9, "{total}");
    }

    #[test]
    fn draws_stay_inside() {
        let (kde, mut rng) = (Kde::fit(&rows(), &COLUMNS, 1e-3), ChaCha12Rng::seed_from_u64(1));
        for _ in 0..200 {
            let x = kde.draw(3.0, &mut rng);
            assert!((0.0..=1.0).contains(&x[0]) && [0.0, 1.0, 2.0].contains(&x[1]));
        }
    }
}

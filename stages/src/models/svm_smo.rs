//! Sequential minimal optimisation with second-order choice of the pair \[Fan2005\]. Knows kernel
//! rows, not what they are computed from.
//!
//! Signed multipliers β = yα: minimise ½ βᵀKβ − yᵀβ under Σβ = 0 and 0 ≤ yβ ≤ C. With the gradient
//! F = Kβ − y a step raises β_i and lowers β_j.

use super::svm_kernel::{Cache, RbfRows};
use crate::linalg::wide::wide;

/// How the dual is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smo {
    /// Largest violation of the optimality conditions that ends the iteration.
    pub tolerance: f64,
    /// Bytes of kernel rows that are kept.
    pub cache: usize,
    /// Most steps.
    pub max_iterations: usize,
}

impl Default for Smo {
    /// The settings of scikit-learn's SVC, with the limit of its library.
    fn default() -> Self {
        Self { tolerance: 1e-3, cache: 200 << 20, max_iterations: 10_000_000 }
    }
}

/// A solved dual.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Solution {
    /// yᵢαᵢ.
    pub(crate) beta: Vec<f64>,
    /// Subtracted from Σ βᵢ K(xᵢ, ·).
    pub(crate) rho: f64,
    /// ½ αᵀQα − Σα.
    pub(crate) objective: f64,
    /// Steps made.
    pub(crate) iterations: usize,
    /// Whether the tolerance was reached.
    pub(crate) converged: bool,
}

/// Curvatures below this count as this: two equal points with different signs.
const LEAST_CURVATURE: f64 = 1e-12;
/// Independent maxima of a search.
const LANES: usize = 8;

/// The first position of `value`; 0 if there is none.
fn position(values: impl Iterator<Item = f64>, value: f64) -> usize {
    values.enumerate().find(|(_, v)| *v == value).map_or(0, |(i, _)| i)
}

/// The largest of `LANES` independent maxima.
#[inline(always)]
fn top(lanes: [f64; LANES]) -> f64 {
    lanes.into_iter().fold(f64::NEG_INFINITY, |m, v| if v > m { v } else { m })
}

wide! {
    /// F += step (K_i − K_j), then the largest −F among those that may rise.
    fn move_along['a]['a](
        step: f64,
        i: &'a [f32],
        j: &'a [f32],
        f: &'a mut [f64],
        may_rise: &'a [f64],
    ) -> f64 {
        let mut most = [f64::NEG_INFINITY; LANES];
        let blocks = f.chunks_mut(LANES).zip(may_rise.chunks(LANES));
        for ((f, rise), (i, j)) in blocks.zip(i.chunks(LANES).zip(j.chunks(LANES))) {
            for l in 0..f.len() {
                f[l] = step.mul_add(f64::from(i[l]) - f64::from(j[l]), f[l]);
                let v = rise[l] - f[l];
                most[l] = if v > most[l] { v } else { most[l] };
            }
        }
        top(most)
    }
}

wide! {
    /// Fills `gains` with the decrease that lowering each β_t together with raising β_i promises, −1
    /// where none; returns the largest gain and the largest F among those that may fall.
    fn weigh_partners['a]['a](
        raised: f64,
        row: &'a [f32],
        f: &'a [f64],
        may_fall: &'a [f64],
        gains: &'a mut [f64],
    ) -> (f64, f64) {
        let mut best = [-1.0; LANES];
        let mut most = [f64::NEG_INFINITY; LANES];
        let blocks = gains.chunks_mut(LANES).zip(row.chunks(LANES));
        for ((gains, row), (f, fall)) in blocks.zip(f.chunks(LANES).zip(may_fall.chunks(LANES))) {
            for l in 0..gains.len() {
                let v = f[l] + fall[l];
                most[l] = if v > most[l] { v } else { most[l] };
                let slope = raised + v;
                let curvature = 2.0 - 2.0 * f64::from(row[l]);
                let curvature =
                    if curvature > LEAST_CURVATURE { curvature } else { LEAST_CURVATURE };
                gains[l] = if slope > 0.0 { slope * slope / curvature } else { -1.0 };
                best[l] = if gains[l] > best[l] { gains[l] } else { best[l] };
            }
        }
        (top(best), top(most))
    }
}

impl Smo {
    /// Solves the dual for points with signs ±1 and the bound `c`.
    pub(crate) fn solve(&self, kernel: &RbfRows, signs: &[f64], c: f64) -> Solution {
        let n = signs.len();
        let mut cache = Cache::new(kernel, self.cache);
        let mut beta = vec![0.0_f64; n];
        let mut f: Vec<f64> = signs.iter().map(|y| -y).collect();
        let bounds: Vec<(f64, f64)> =
            signs.iter().map(|&y| if y > 0.0 { (0.0, c) } else { (-c, 0.0) }).collect();
        // 0 where β may rise or fall, −∞ where it is at its bound.
        let mask = |free: bool| if free { 0.0 } else { f64::NEG_INFINITY };
        let mut may_rise: Vec<f64> = signs.iter().map(|&y| mask(y > 0.0)).collect();
        let mut may_fall: Vec<f64> = signs.iter().map(|&y| mask(y < 0.0)).collect();
        let mut gains = vec![0.0; n];
        let mut raised = 1.0;
        let mut iterations = 0;
        let converged = loop {
            let rising = f.iter().zip(&may_rise).map(|(f, rise)| rise - f);
            let i = position(rising, raised);
            let (gain, most) = weigh_partners(raised, cache.row(i), &f, &may_fall, &mut gains);
            let violation = raised + most;
            if violation <= self.tolerance {
                break true;
            }
            if violation.is_nan() || iterations == self.max_iterations {
                break false;
            }
            iterations += 1;
            let j = position(gains.iter().copied(), gain);
            let (row_i, row_j) = cache.pair(i, j);
            let curvature = (2.0 - 2.0 * f64::from(row_i[j])).max(LEAST_CURVATURE);
            let (room_i, room_j) = (bounds[i].1 - beta[i], beta[j] - bounds[j].0);
            let free = (f[j] - f[i]) / curvature;
            let step = free.min(room_i).min(room_j);
            // A bound is reached exactly, whatever the sum rounds to.
            beta[i] = if step == room_i { bounds[i].1 } else { beta[i] + step };
            beta[j] = if step == room_j { bounds[j].0 } else { beta[j] - step };
            for t in [i, j] {
                may_rise[t] = mask(beta[t] < bounds[t].1);
                may_fall[t] = mask(beta[t] > bounds[t].0);
            }
            raised = move_along(step, row_i, row_j, &mut f, &may_rise);
        };
        let objective =
            0.5 * beta.iter().zip(&f).zip(signs).map(|((b, f), y)| b * (f - y)).sum::<f64>();
        let rho = offset(&beta, &f, &may_rise, &may_fall);
        Solution { beta, rho, objective, iterations, converged }
    }
}

/// ρ: the mean of F over multipliers between their bounds; without any, the middle of what the
/// bounds allow.
fn offset(beta: &[f64], f: &[f64], may_rise: &[f64], may_fall: &[f64]) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for t in 0..beta.len() {
        match (may_rise[t] == 0.0, may_fall[t] == 0.0) {
            (true, true) => (sum, count) = (sum + f[t], count + 1),
            (true, false) => high = high.min(f[t]),
            (false, true) => low = low.max(f[t]),
            (false, false) => (),
        }
    }
    if count > 0 { sum / count as f64 } else { 0.5 * (low + high) }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn the_solution_meets_the_optimality_conditions(
            n in 2_usize..70, d in 1_usize..4, c in 0.1_f64..20.0, gamma in 0.05_f64..3.0,
            values in prop::collection::vec(-2.0_f64..2.0, 220), shift in 0_usize..7,
        ) {
            let x = Array2::from_shape_fn((n, d), |(i, j)| values[i * d + j]);
            let signs: Vec<f64> =
                (0..n).map(|i| if i == 0 || (i * i + shift) % 5 < 2 { 1.0 } else { -1.0 }).collect();
            prop_assume!(signs.contains(&-1.0));
            let kernel = RbfRows::new(x.view(), gamma);
            let smo = Smo { tolerance: 1e-6, cache: 5 * 4 * n, ..Smo::default() };
            let Solution { beta, rho, objective, converged, .. } = smo.solve(&kernel, &signs, c);
            prop_assert!(converged);
            prop_assert!(beta.iter().sum::<f64>().abs() < 1e-9 * c * n as f64);
            let (mut row, mut total) = (vec![0.0; n], 0.0);
            for i in 0..n {
                kernel.against(&x.row(i).to_vec(), &mut row);
                let product: f64 = row.iter().zip(&beta).map(|(k, b)| k * b).sum();
                total += beta[i] * (0.5 * product - signs[i]);
                let (margin, alpha) = (signs[i] * (product - rho), signs[i] * beta[i]);
                prop_assert!((0.0..=c).contains(&alpha));
                // Single-precision kernel values: 1e-7 of Σ|β| at most.
                let slack = 1e-5 * (1.0 + c * n as f64 * 0.01);
                if alpha > 0.0 {
                    prop_assert!(margin < 1.0 + slack, "{margin}");
                }
                if alpha < c {
                    prop_assert!(margin > 1.0 - slack, "{margin}");
                }
            }
            prop_assert!((total - objective).abs() < 1e-5 * (1.0 + objective.abs()));
        }
    }

    #[test]
    fn two_points_have_the_known_solution() {
        let x = Array2::from_shape_vec((2, 1), vec![0.0, 1.0]).unwrap();
        let kernel = RbfRows::new(x.view(), 1.0);
        let solution = Smo::default().solve(&kernel, &[1.0, -1.0], 100.0);
        let expected = 1.0 / (1.0 - (-1.0_f64).exp());
        assert!((solution.beta[0] - expected).abs() < 1e-6 && solution.iterations == 1);
        assert!(solution.rho.abs() < 1e-6 && (solution.objective + expected).abs() < 1e-6);
        let bounded = Smo::default().solve(&kernel, &[1.0, -1.0], 0.5);
        assert_eq!(bounded.beta, [0.5, -0.5]);
    }
}

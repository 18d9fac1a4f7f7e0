//! Sequential minimal optimisation with second-order choice of the pair \[Fan2005\]. The kernel's rows are
//! provided by `active`.
//!
//! Signed multipliers β = yα: minimise ½ βᵀKβ − yᵀβ under Σβ = 0 and 0 ≤ yβ ≤ C. With the gradient
//! F = Kβ − y a step raises `β_i` and lowers `β_j`.

use crate::svm::{
    active::Active,
    kernel::RbfRows,
    search::{LEAST_CURVATURE, move_along, weigh_partners},
};

/// Settings of the solver of the dual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smo {
    /// The violation of the optimality conditions at which the iteration ends.
    pub tolerance: f64,
    /// Bytes of kernel rows that each pair of classes being solved keeps.
    pub cache: usize,
    /// Maximum number of steps.
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
    /// The offset that is subtracted from Σ βᵢ K(xᵢ, ·).
    pub(crate) rho: f64,
    /// ½ αᵀQα − Σα.
    pub(crate) objective: f64,
    /// Number of steps.
    pub(crate) iterations: usize,
    /// Whether the tolerance was reached.
    pub(crate) converged: bool,
    /// Number of kernel values computed.
    pub(crate) evaluations: u64,
}

/// The smallest number of points from which some are made inactive. With fewer points, a pass over all costs
/// less than repacking the rest.
const LEAST_TO_SHRINK: usize = 2000;
/// Number of steps between two checks for points that can be made inactive.
const STEPS_TO_SHRINK: usize = 1000;
/// Points are made inactive if at most this share stays active.
const WORTH_SHRINKING: f64 = 0.7;
/// How often inactive points may have to be reactivated before all points stay active.
const RETURNS: usize = 4;

/// Why the iteration paused, with the largest −F of those that can rise and the largest F of those that can
/// fall.
enum Pause {
    /// The active points satisfy the optimality conditions.
    Optimal((f64, f64)),
    /// The steps are used up, or a number is NaN.
    Limit,
    /// Only these active points are still useful.
    Idle(Vec<u32>),
}

impl Smo {
    /// Solves the dual for points with signs ±1 and the bound `c`.
    pub(crate) fn solve(&self, kernel: &RbfRows, signs: &[f64], c: f64) -> Solution {
        let mut active = Active::new(kernel, signs, c, self.cache);
        let (mut iterations, mut returns) = (0, 0);
        let converged = loop {
            match self.descend(&mut active, &mut iterations, returns < RETURNS) {
                Pause::Idle(keep) => active.narrow(&keep),
                Pause::Optimal(_) if active.is_whole() => break true,
                Pause::Optimal(ends) => {
                    returns += 1;
                    if active.widen(ends, self.tolerance, returns == RETURNS) == 0 {
                        break true;
                    }
                }
                Pause::Limit => {
                    // For ρ and the objective; no point is reactivated.
                    active.widen((0.0, 0.0), f64::INFINITY, false);
                    break false;
                }
            }
        };
        let (all, evaluations) = active.into_all();
        let n = signs.len();
        let (mut beta, f) = (all.beta, &all.f[..n]);
        beta.truncate(n);
        let objective =
            0.5 * beta.iter().zip(f).zip(signs).map(|((b, f), y)| b * (f - y)).sum::<f64>();
        let rho = offset(f, &all.may_rise, &all.may_fall);
        Solution { beta, rho, objective, iterations, converged, evaluations }
    }

    /// Makes steps until the active points are optimal or something else has to be done.
    fn descend(&self, active: &mut Active<'_>, iterations: &mut usize, shrink: bool) -> Pause {
        let still = vec![0.0; active.kernel.width()];
        let Active { kernel, cache, now, .. } = active;
        let mut rising = move_along(0.0, &still, &still, &mut now.f, &now.may_rise);
        let mut next_look = *iterations + STEPS_TO_SHRINK;
        loop {
            let (raised, i) = rising.best();
            let place_i = cache.bring(kernel, i, || rising.soon());
            let row_i = cache.row(place_i);
            let (partners, most) = weigh_partners(raised, row_i, &now.f, &now.may_fall);
            let violation = raised + most;
            if violation <= self.tolerance {
                return Pause::Optimal((raised, most));
            }
            if violation.is_nan() || *iterations >= self.max_iterations {
                return Pause::Limit;
            }
            if shrink && kernel.len() >= LEAST_TO_SHRINK && *iterations >= next_look {
                next_look = *iterations + STEPS_TO_SHRINK;
                let keep = now.useful(kernel.len(), raised, most);
                if (keep.len() as f64) <= WORTH_SHRINKING * kernel.len() as f64 {
                    return Pause::Idle(keep);
                }
            }
            *iterations += 1;
            let (_, j) = partners.best();
            let place_j = cache.bring(kernel, j, || partners.soon());
            let (row_i, row_j) = (cache.row(place_i), cache.row(place_j));
            let curvature = (2.0 - 2.0 * f64::from(row_i[j])).max(LEAST_CURVATURE);
            let ((_, high), (low, _)) = (now.bounds(i), now.bounds(j));
            let (room_i, room_j) = (high - now.beta[i], now.beta[j] - low);
            let free = (now.f[j] - now.f[i]) / curvature;
            let step = free.min(room_i).min(room_j);
            // A bound is reached exactly, however the sum is rounded.
            now.set(i, if step == room_i { high } else { now.beta[i] + step });
            now.set(j, if step == room_j { low } else { now.beta[j] - step });
            rising = move_along(step, row_i, row_j, &mut now.f, &now.may_rise);
        }
    }
}

/// ρ: the mean of F over multipliers between their bounds; without any, the midpoint of the interval that the
/// bounds allow.
fn offset(f: &[f64], may_rise: &[f64], may_fall: &[f64]) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for t in 0..f.len() {
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
    use ndarray::{Array2, ArrayView1};
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
            let mut total = 0.0;
            for i in 0..n {
                let distance = |z: ArrayView1<'_, f64>| (&z - &x.row(i)).mapv(|v| v * v).sum();
                let values = x.rows().into_iter().zip(&beta);
                let product: f64 = values.map(|(z, b)| b * (-gamma * distance(z)).exp()).sum();
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
    fn points_that_were_out_of_play_are_optimal_too() {
        let (n, gamma, c) = (LEAST_TO_SHRINK + 333, 0.5, 10.0);
        let x = Array2::from_shape_fn((n, 2), |(i, j)| ((i * i * (j + 2)) as f64 * 0.013).sin());
        // One point in eleven lies on the wrong side.
        let sign = |i: usize| {
            (x[[i, 0]] - x[[i, 1]]).signum() * if i.is_multiple_of(11) { -1.0 } else { 1.0 }
        };
        let signs: Vec<f64> = (0..n).map(sign).collect();
        let kernel = RbfRows::new(x.view(), gamma);
        let smo = Smo { tolerance: 1e-5, ..Smo::default() };
        let mut active = Active::new(&kernel, &signs, c, smo.cache);
        let paused = smo.descend(&mut active, &mut 0, true);
        assert!(matches!(paused, Pause::Idle(_)), "nothing was taken out of play");
        let Solution { beta, rho, converged, .. } = smo.solve(&kernel, &signs, c);
        assert!(converged);
        for (i, row) in x.rows().into_iter().enumerate() {
            let (mut product, mut weight) = (0.0, 0.0);
            for (z, b) in x.rows().into_iter().zip(&beta).filter(|(_, b)| **b != 0.0) {
                let d = &z - &row;
                product += b * (-gamma * d.dot(&d)).exp();
                weight += b.abs();
            }
            let (margin, alpha) = (signs[i] * (product - rho), signs[i] * beta[i]);
            // Single-precision kernel values.
            let slack = 1e-5 + 6e-8 * weight;
            assert!(alpha == 0.0 || margin < 1.0 + slack, "{i}: {margin}");
            assert!(alpha == c || margin > 1.0 - slack, "{i}: {margin}");
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

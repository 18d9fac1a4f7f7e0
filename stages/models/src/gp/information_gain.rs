//! The expected information gain of one more observation about the location of a function's minimum: entropy
//! search \[Hennig2012\] over a few representer points.

use ndarray::{Array1, Array2};
use numerics::linalg::{
    cholesky::{Cholesky, NotPositiveDefinite},
    simd_dispatch::wide,
    vector::dot,
};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};

/// Functions drawn from a posterior N(μ, Σ) at R representers, to be conditioned on observations that
/// have not been made.
///
/// DIFFERS: \[Klein2017\] gets the law of the minimum by expectation propagation and its change by a
/// second-order expansion. Here it is counted over drawn functions, each of which is conditioned
/// exactly, with the same draws for all candidates.
#[derive(Debug, Clone)]
pub struct InformationGain {
    /// Σ = L Lᵀ.
    factor: Cholesky,
    /// S × R standard normal numbers, and one more per function for what the representers do not determine.
    draws: Vec<Vec<f64>>,
    own: Vec<f64>,
    /// S × R values at the representers.
    values: Vec<Vec<f64>>,
    /// ln of the density that the representers were drawn from, up to a constant.
    ln_measure: Vec<f64>,
    /// Observed values in units of their predictive deviation, ascending, all equally likely.
    innovations: Vec<f64>,
    /// p and p ln p of p = 0, 1/S, …, 1.
    shares: Vec<(f64, f64)>,
    /// Relative entropy of the current distribution of the minimum.
    now: f64,
}

impl InformationGain {
    /// Draws `functions` functions. `innovations` are standard normal numbers in ascending order.
    ///
    /// # Errors
    /// If Σ is not positive definite.
    pub fn new(
        mean: &[f64],
        covariance: &Array2<f64>,
        ln_measure: Vec<f64>,
        functions: usize,
        innovations: Vec<f64>,
        rng: &mut ChaCha12Rng,
    ) -> Result<Self, NotPositiveDefinite> {
        let r = mean.len();
        let factor = Cholesky::new(covariance)?;
        let mut normal =
            |count: usize| -> Vec<f64> { (0..count).map(|_| StandardNormal.sample(rng)).collect() };
        let draws: Vec<Vec<f64>> = (0..functions).map(|_| normal(r)).collect();
        let own = normal(functions);
        let value =
            |u: &Vec<f64>| factor.times_lower(u).iter().zip(mean).map(|(v, m)| v + m).collect();
        let values: Vec<Vec<f64>> = draws.iter().map(value).collect();
        let mut counts = vec![0; r];
        for f in &values {
            let lowest = (0..r).min_by(|&a, &b| f[a].total_cmp(&f[b]));
            if let Some(i) = lowest {
                counts[i] += 1;
            }
        }
        let share = |count: usize| {
            let p = count as f64 / functions as f64;
            (p, if count == 0 { 0.0 } else { p * p.ln() })
        };
        let shares = (0..=functions).map(share).collect();
        let mut gain =
            Self { factor, draws, own, values, ln_measure, innovations, shares, now: 0.0 };
        gain.now = gain.relative_entropy(&counts);
        Ok(gain)
    }

    /// Σ p (ln p + ln m): the entropy relative to a uniform distribution, since representers stand for cells
    /// of volume 1/m.
    fn relative_entropy(&self, counts: &[u32]) -> f64 {
        relative_entropy(&self.shares, &self.ln_measure, counts)
    }

    /// By how much an observation is expected to raise the relative entropy. `shift` is its
    /// covariance with each representer over its predictive deviation, noise included (length R).
    pub fn expected(&self, shift: &[f64]) -> f64 {
        // The part of the observation that the representers determine.
        let known = self.factor.solve_lower(Array1::from(shift.to_vec()).view());
        let known = known.as_slice().expect("a new vector is contiguous");
        let rest = (1.0 - dot(known, known)).max(0.0).sqrt();
        // As the observation grows, values move with `shift`: those that fall most become minimal.
        let mut order: Vec<usize> = (0..shift.len()).collect();
        order.sort_by(|&a, &b| shift[b].total_cmp(&shift[a]).then(a.cmp(&b)));
        let functions = self.draws.iter().zip(&self.own);
        let observed: Vec<f64> = functions.map(|(u, e)| dot(known, u) + rest * e).collect();
        let total = total_after(self, &observed, shift, &order);
        total / self.innovations.len() as f64 - self.now
    }
}

/// Σ p (ln p + ln m) of the shares p of these counts.
#[inline(always)]
fn relative_entropy(shares: &[(f64, f64)], ln_measure: &[f64], counts: &[u32]) -> f64 {
    let term = |(&count, m): (&u32, &f64)| {
        let (p, p_ln_p) = shares[count as usize];
        p.mul_add(*m, p_ln_p)
    };
    counts.iter().zip(ln_measure).map(term).sum()
}

wide! {
    /// The sum over all innovations of the relative entropy after each. The functions have the values `observed` at
    /// the observation; `order` has the representers with the largest `shift` first.
    fn total_after['a]['a](
        gain: &'a InformationGain,
        observed: &'a [f64],
        shift: &'a [f64],
        order: &'a [usize],
    ) -> f64 {
        let (r, p) = (order.len(), gain.innovations.len());
        // counts[k][i] − counts[k − 1][i] of representer i at innovation k.
        let mut changes = vec![0_i32; (p + 1) * r];
        let (first, last) = match &*gain.innovations {
            [only] => (*only, *only),
            [first, .., last] => (*first, *last),
            [] => return 0.0,
        };
        let slopes: Vec<f64> = order.iter().map(|&i| shift[i]).collect();
        let (mut levels, mut ends) = (vec![0.0; r], vec![(0.0, 0.0); r]);
        let (mut lines, mut envelope) = (Vec::with_capacity(r), Vec::with_capacity(r));
        for (f, &z) in gain.values.iter().zip(observed) {
            for ((level, slope), &i) in levels.iter_mut().zip(&slopes).zip(order) {
                *level = f[i] - slope * z;
            }
            for ((end, level), slope) in ends.iter_mut().zip(&levels).zip(&slopes) {
                *end = (slope.mul_add(first, *level), slope.mul_add(last, *level));
            }
            // Most lines are above that which is lowest at the first innovation, or that which is at the last, between
            // the two.
            let (mut left, mut right) = (ends[0], ends[0]);
            for &end in &ends {
                left = if end.0 < left.0 { end } else { left };
                right = if end.1 < right.1 { end } else { right };
            }
            let above = (right.0 + CLEARLY * (1.0 + right.0.abs()), left.1 + CLEARLY * (1.0 + left.1.abs()));
            lines.clear();
            for (i, end) in ends.iter().enumerate() {
                if end.0 <= above.0 && end.1 <= above.1 {
                    lines.push(Line { representer: order[i], slope: slopes[i], level: levels[i] });
                }
            }
            lower_envelope(&lines, &mut envelope);
            let mut from = 0;
            for (at, &(line, end)) in envelope.iter().enumerate() {
                let last = at + 1 == envelope.len();
                let to = if last { p } else { gain.innovations.partition_point(|w| *w < end) };
                if to > from {
                    let i = line.representer;
                    changes[from * r + i] += 1;
                    changes[to * r + i] -= 1;
                    from = to;
                }
            }
        }
        let (mut total, mut after) = (0.0, 0.0);
        let mut counts = vec![0_u32; r];
        for changes in changes.chunks_exact(r).take(p) {
            let mut changed = 0;
            for (count, &change) in counts.iter_mut().zip(changes) {
                changed |= change;
                *count = count.saturating_add_signed(change);
            }
            if changed != 0 {
                after = relative_entropy(&gain.shares, &gain.ln_measure, &counts);
            }
            total += after;
        }
        total
    }
}

/// By how much of its size a value is above another for certain, whatever rounding did.
const CLEARLY: f64 = 1e-9;

/// The value of a representer as the observation w grows: level + slope w.
#[derive(Clone, Copy)]
struct Line {
    representer: usize,
    slope: f64,
    level: f64,
}

/// The lines that are lowest somewhere, from w = −∞ on, each with the w from which on the next one is lowest
/// (∞ for the last). `lines` has the steepest first.
#[inline(always)]
fn lower_envelope(lines: &[Line], out: &mut Vec<(Line, f64)>) {
    out.clear();
    for line in lines {
        // The point from which on the new line is below the last one kept.
        let mut drop = false;
        while let Some((kept, _)) = out.last() {
            let (down, gap) = (kept.slope - line.slope, line.level - kept.level);
            if down <= 0.0 {
                // Parallel: the lower one stays.
                if gap >= 0.0 {
                    drop = true;
                    break;
                }
                out.pop();
                continue;
            }
            let cross = gap / down;
            let before = out.len().checked_sub(2).map_or(f64::NEG_INFINITY, |k| out[k].1);
            if cross > before {
                break;
            }
            out.pop();
        }
        if drop {
            continue;
        }
        if let Some((kept, end)) = out.last_mut() {
            *end = (line.level - kept.level) / (kept.slope - line.slope);
        }
        out.push((*line, f64::INFINITY));
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn the_envelope_is_the_minimum_of_all_lines() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        for round in 0..200 {
            let n = 1 + round % 12;
            // Coarse, so that some lines are parallel or equal.
            let mut coarse = || (rng.random::<f64>() * 8.0 - 4.0).round() / 2.0;
            let (slope, level): (Vec<f64>, Vec<f64>) = (0..n).map(|_| (coarse(), coarse())).unzip();
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&a, &b| slope[b].total_cmp(&slope[a]).then(a.cmp(&b)));
            let mut envelope = Vec::new();
            let line = |&i: &usize| Line { representer: i, slope: slope[i], level: level[i] };
            let lines: Vec<Line> = order.iter().map(line).collect();
            lower_envelope(&lines, &mut envelope);
            for step in -50..=50 {
                let w = f64::from(step) * 0.1 + 0.013;
                let value = |i: usize| level[i] + slope[i] * w;
                let lowest = (0..n).map(value).fold(f64::INFINITY, f64::min);
                let on = envelope.iter().find(|(_, end)| w < *end).unwrap().0.representer;
                assert!((value(on) - lowest).abs() < 1e-12, "{slope:?} {level:?} {w}");
            }
        }
    }

    fn quantiles(n: usize) -> Vec<f64> {
        // By bisection of the distribution function.
        let at = |p: f64| {
            let (mut low, mut high) = (-9.0, 9.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                let cdf = 0.5 * libm::erfc(-middle / std::f64::consts::SQRT_2);
                if cdf < p { low = middle } else { high = middle }
            }
            low
        };
        (0..n).map(|i| at((i as f64 + 0.5) / n as f64)).collect()
    }

    /// Two independent values of variance 1 at equal distance: the minimum is one or the other. A noise-free
    /// observation of the first leaves it the probability Φ(y): the expected negative entropy is 2∫₀¹ p ln p
    /// dp = −½, which is ln 2 − ½ above that of a coin.
    #[test]
    fn two_values_and_a_look_at_one() {
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let covariance = Array2::eye(2);
        let (mean, measure) = ([0.0, 0.0], vec![0.0, 0.0]);
        let gain =
            InformationGain::new(&mean, &covariance, measure, 20_000, quantiles(400), &mut rng);
        let gain = gain.unwrap();
        assert!((gain.now + 2.0_f64.ln()).abs() < 1e-3);
        // With 20 000 functions the standard deviation of a share is below 0.004, that of the gain below
        // 0.003.
        let expected = 2.0_f64.ln() - 0.5;
        assert!((gain.expected(&[1.0, 0.0]) - expected).abs() < 0.01);
        // An observation with noise of variance 1 tells less; one that is independent of the values tells
        // nothing.
        let noisy = gain.expected(&[0.5_f64.sqrt(), 0.0]);
        assert!(0.05 < noisy && noisy < expected - 0.05, "{noisy}");
        assert!(gain.expected(&[0.0, 0.0]).abs() < 0.01);
    }

    /// Conditioning drawn functions is the same as conditioning the distribution: checked against many draws
    /// from N(μ + bω, Σ − bbᵀ).
    #[test]
    fn conditioned_functions_have_the_conditional_law() {
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let covariance = ndarray::array![[1.0, 0.5, 0.2], [0.5, 1.2, 0.3], [0.2, 0.3, 0.8]];
        let (mean, shift) = ([0.1, -0.2, 0.0], [0.7, 0.4, -0.3]);
        let gain = InformationGain::new(
            &mean,
            &covariance,
            vec![0.3, 0.0, -0.2],
            40_000,
            vec![-1.0, 0.8],
            &mut rng,
        );
        let gain = gain.unwrap();
        let mut after = 0.0;
        for w in [-1.0, 0.8] {
            let rest =
                Array2::from_shape_fn((3, 3), |(i, j)| covariance[(i, j)] - shift[i] * shift[j]);
            let factor = Cholesky::new(&rest).unwrap();
            let mut counts = [0_u32; 3];
            for _ in 0..40_000 {
                let u: Vec<f64> = (0..3).map(|_| StandardNormal.sample(&mut rng)).collect();
                let f = factor.times_lower(&u);
                let value = |i: usize| f[i] + mean[i] + shift[i] * w;
                let lowest = (0..3).min_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap();
                counts[lowest] += 1;
            }
            after += 0.5 * gain.relative_entropy(&counts);
        }
        assert!((gain.expected(&shift) - (after - gain.now)).abs() < 0.015);
    }

    #[test]
    fn each_innovation_counts_where_a_function_is_lowest_after_it() {
        let mut rng = ChaCha12Rng::seed_from_u64(4);
        for r in [1, 2, 12] {
            let near = |i: usize, j: usize| (-(i.abs_diff(j) as f64 / 3.0).powi(2)).exp();
            let covariance =
                Array2::from_shape_fn((r, r), |(i, j)| near(i, j) + f64::from(u8::from(i == j)));
            let mean: Vec<f64> = (0..r).map(|_| rng.random()).collect();
            let measure: Vec<f64> = (0..r).map(|_| rng.random()).collect();
            let gain =
                InformationGain::new(&mean, &covariance, measure, 60, quantiles(21), &mut rng);
            let gain = gain.unwrap();
            for at in [0.0, 2.5, 7.0] {
                let shift: Vec<f64> =
                    (0..r).map(|i| (-((i as f64 - at) / 3.0).powi(2)).exp()).collect();
                let known = gain.factor.solve_lower(Array1::from(shift.clone()).view());
                let rest = (1.0 - known.dot(&known)).max(0.0).sqrt();
                let mut after = 0.0;
                for w in &gain.innovations {
                    let mut counts = vec![0; r];
                    let functions = gain.values.iter().zip(&gain.draws).zip(&gain.own);
                    for ((f, u), e) in functions {
                        let z = dot(known.as_slice().unwrap(), u) + rest * e;
                        let value = |i: usize| f[i] + shift[i] * (w - z);
                        let all = 0..r;
                        counts[all.min_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap()] += 1;
                    }
                    after += gain.relative_entropy(&counts) / 21.0;
                }
                let expected = after - gain.now;
                assert!((gain.expected(&shift) - expected).abs() < 1e-12, "{r} {at}");
            }
        }
    }
}

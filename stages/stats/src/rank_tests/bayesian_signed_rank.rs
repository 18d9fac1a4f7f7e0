//! The Bayesian signed-rank test with a region of practical equivalence \[Benavoli2014\].

use rand_chacha::ChaCha12Rng;
use statrs::function::beta::beta_reg;

/// The differences of pairs, with a pseudo-observation at 0.
///
/// The weights of the observations have a Dirichlet distribution with the prior's strength for the
/// pseudo-observation and 1 for each other observation. A pair of observations counts for the right if its
/// sum exceeds twice the region's half width; a sum equal to it counts half.
#[derive(Clone, Debug, PartialEq)]
pub struct BayesianSignedRanks {
    /// z, the pseudo-observation first.
    differences: Vec<f64>,
    rope: f64,
    prior_strength: f64,
}

/// A value for each of the left, the region of practical equivalence, and the right.
pub type Sides = [f64; 3];

impl BayesianSignedRanks {
    /// The test of `differences` (y − x of each pair) with the region [−`rope`, `rope`].
    ///
    /// ```
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use stats::rank_tests::bayesian_signed_rank::BayesianSignedRanks;
    ///
    /// let test = BayesianSignedRanks::new(&[0.2, 0.3, 0.25, 0.4, 0.1], 0.01, 0.5);
    /// let [left, rope, right] = test.probabilities(10_000, &mut ChaCha12Rng::seed_from_u64(1));
    /// assert!(right > 0.95 && left + rope < 0.05);
    /// ```
    #[must_use]
    pub fn new(differences: &[f64], rope: f64, prior_strength: f64) -> Self {
        let differences = [&[0.0], differences].concat();
        Self { differences, rope, prior_strength }
    }

    /// How much the pair counts for each side.
    fn kernel(&self, i: usize, j: usize) -> Sides {
        let (sum, width) = (self.differences[i] + self.differences[j], 2.0 * self.rope);
        let beyond = |value: f64, bound: f64| {
            if value > bound {
                1.0
            } else if value == bound {
                0.5
            } else {
                0.0
            }
        };
        let right = beyond(sum, width);
        // Without a region, what does not count for the right counts for the left.
        let left = if self.rope == 0.0 { 1.0 - right } else { beyond(-sum, width) };
        [left, 1.0 - left - right, right]
    }

    fn strength(&self, i: usize) -> f64 {
        if i == 0 { self.prior_strength } else { 1.0 }
    }

    /// Σ over all pairs of `weight` × what they count for each side.
    fn sum(&self, weight: impl Fn(usize, usize) -> f64) -> Sides {
        let mut sides = [0.0; 3];
        for i in 0..self.differences.len() {
            for j in 0..self.differences.len() {
                let weight = weight(i, j);
                for (side, kernel) in sides.iter_mut().zip(self.kernel(i, j)) {
                    *side += weight * kernel;
                }
            }
        }
        sides
    }

    /// The posterior means of how much of the distribution lies on each side, exact.
    #[must_use]
    pub fn means(&self) -> Sides {
        let all: f64 = (0..self.differences.len()).map(|i| self.strength(i)).sum();
        self.sum(|i, j| {
            let same = if i == j { 1.0 } else { 0.0 };
            self.strength(i) * (self.strength(j) + same) / (all * (all + 1.0))
        })
    }

    /// The posterior probability of each side that most of the distribution lies there: exact if all
    /// differences are equal, otherwise estimated from `draws` draws.
    pub fn probabilities(&self, draws: usize, rng: &mut ChaCha12Rng) -> Sides {
        self.exact().unwrap_or_else(|| self.sampled(draws, rng))
    }

    /// The share of `draws` draws in which a side has the largest mass; sides with equal mass share the draw.
    pub fn sampled(&self, draws: usize, rng: &mut ChaCha12Rng) -> Sides {
        let n = self.differences.len();
        let pairs = Pairs::new(self);
        let mut won = [0.0; 3];
        let mut weights = vec![0.0; n];
        for _ in 0..draws {
            // Gamma variables in proportion are Dirichlet; their sum does not matter for the largest.
            for (i, weight) in weights.iter_mut().enumerate() {
                *weight = gamma(self.strength(i), rng);
            }
            share(&mut won, pairs.sides(&weights), 1.0);
        }
        won.map(|count| count / draws as f64)
    }

    /// The probabilities if all differences are equal: then the weight of the pseudo-observation decides,
    /// which has a Beta distribution, and each side's share is a quadratic function of it. `None` otherwise.
    #[must_use]
    pub fn exact(&self) -> Option<Sides> {
        let (first, rest) = self.differences[1..].split_first()?;
        if rest.iter().any(|z| z != first) {
            return None;
        }
        let (own, mixed, other) = (self.kernel(0, 0), self.kernel(0, 1), self.kernel(1, 1));
        let at = |w: f64| {
            let side = |s: usize| {
                own[s] * w * w + 2.0 * mixed[s] * w * (1.0 - w) + other[s] * (1.0 - w).powi(2)
            };
            [side(0), side(1), side(2)]
        };
        let mut cuts = vec![0.0, 1.0];
        for (s, t) in [(0, 1), (0, 2), (1, 2)] {
            let d = |of: Sides| of[s] - of[t];
            let (a, b, c) =
                (d(own) - 2.0 * d(mixed) + d(other), 2.0 * (d(mixed) - d(other)), d(other));
            cuts.extend(roots(a, b, c).into_iter().filter(|w| *w > 0.0 && *w < 1.0));
        }
        cuts.sort_by(f64::total_cmp);
        let n = (self.differences.len() - 1) as f64;
        let below = |w: f64| match w {
            w if w <= 0.0 => 0.0,
            w if w >= 1.0 => 1.0,
            w => beta_reg(self.prior_strength, n, w),
        };
        let mut won = [0.0; 3];
        for ends in cuts.windows(2) {
            let mass = below(ends[1]) - below(ends[0]);
            share(&mut won, at(f64::midpoint(ends[0], ends[1])), mass);
        }
        Some(won)
    }
}

/// For each observation, which others count with it for a side: those from a place on in the order of the
/// differences. So a draw takes as many steps as there are observations, and not pairs.
struct Pairs {
    /// Observations by rising difference.
    order: Vec<usize>,
    /// By observation: how many others are on the left with it, half on the left or within, not on the right,
    /// and not even half.
    ends: Vec<[usize; 4]>,
}

impl Pairs {
    fn new(test: &BayesianSignedRanks) -> Self {
        let n = test.differences.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| test.differences[a].total_cmp(&test.differences[b]));
        let ends = |i: usize| {
            let count = |within: &dyn Fn(Sides) -> bool| {
                order.iter().filter(|&&j| within(test.kernel(i, j))).count()
            };
            [
                count(&|[left, ..]| left == 1.0),
                count(&|[left, ..]| left > 0.0),
                n - count(&|[_, _, right]| right > 0.0),
                n - count(&|[_, _, right]| right == 1.0),
            ]
        };
        let ends = (0..n).map(ends).collect();
        Self { order, ends }
    }

    /// Σ over all pairs of the product of their weights × what they count for each side.
    fn sides(&self, weights: &[f64]) -> Sides {
        // The weight of so many observations with the lowest differences.
        let (mut lowest, mut all) = (Vec::with_capacity(weights.len() + 1), 0.0);
        lowest.push(all);
        for &i in &self.order {
            all += weights[i];
            lowest.push(all);
        }
        let mut sides = [0.0; 3];
        for (weight, [left, half_left, not_right, not_half]) in weights.iter().zip(&self.ends) {
            // What counts half is in one of the two sums.
            let left = 0.5 * (lowest[*left] + lowest[*half_left]);
            let right = 0.5 * ((all - lowest[*not_right]) + (all - lowest[*not_half]));
            sides[0] += weight * left;
            sides[1] += weight * (all - left - right);
            sides[2] += weight * right;
        }
        sides
    }
}

/// Gives `mass` to the largest side.
fn share(won: &mut Sides, sides: Sides, mass: f64) {
    let most = sides.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let winners = sides.iter().filter(|side| **side == most).count() as f64;
    for (won, side) in won.iter_mut().zip(sides) {
        if side == most {
            *won += mass / winners;
        }
    }
}

/// The real roots of a w² + b w + c.
fn roots(a: f64, b: f64, c: f64) -> Vec<f64> {
    if a == 0.0 {
        return if b == 0.0 { Vec::new() } else { vec![-c / b] };
    }
    let square = b * b - 4.0 * a * c;
    if square < 0.0 {
        return Vec::new();
    }
    // Computed so that neither root is a difference of nearly equal numbers.
    let q = -0.5 * (b + square.sqrt().copysign(b));
    if q == 0.0 { vec![0.0] } else { vec![q / a, c / q] }
}

/// A Gamma(shape, 1) variable, shape > 0 \[Marsaglia2000\].
fn gamma(shape: f64, rng: &mut ChaCha12Rng) -> f64 {
    use rand_distr::{Distribution as _, Gamma};
    Gamma::new(shape, 1.0).map_or(f64::NAN, |gamma| gamma.sample(rng))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn exact_probabilities_are_those_of_draws() {
        let mut rng = ChaCha12Rng::seed_from_u64(5);
        for (differences, rope) in
            [(&[0.25][..], 0.0625), (&[0.09375], 0.0625), (&[-0.5; 5], 0.1), (&[0.125; 3], 0.0625)]
        {
            let test = BayesianSignedRanks::new(differences, rope, 0.5);
            let (exact, drawn) = (test.exact().expect("equal"), test.sampled(40_000, &mut rng));
            for (exact, drawn) in exact.iter().zip(drawn) {
                // Four standard errors.
                assert!((exact - drawn).abs() < 0.01, "{differences:?}: {exact} {drawn}");
            }
            assert!((exact.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn draws_count_every_pair() {
        let weights = [0.5, 1.25, 2.0, 0.125, 3.0, 1.0, 0.75];
        for z in [[0.5, -0.25, 0.25, 0.0, -0.5, 1.0], [0.25; 6], [0.0; 6], [-0.25; 6]] {
            for rope in [0.0, 0.125, 0.25, 2.0] {
                let test = BayesianSignedRanks::new(&z, rope, 0.5);
                // Whole multiples of small powers of two: exact in any order.
                let all = test.sum(|i, j| weights[i] * weights[j]);
                assert_eq!(Pairs::new(&test).sides(&weights), all, "{z:?} {rope}");
            }
        }
    }

    #[test]
    fn equal_sides_share_every_draw() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let test = BayesianSignedRanks::new(&[0.0; 9], 0.0, 0.5);
        assert_eq!(test.sampled(1000, &mut rng), [0.5, 0.0, 0.5]);
    }

    #[test]
    fn sides_turn_round_with_the_differences() {
        let z = [0.3, -0.1, 0.2, 0.05, 0.4];
        let test = BayesianSignedRanks::new(&z, 0.1, 0.5);
        let turned = BayesianSignedRanks::new(&z.map(|z| -z), 0.1, 0.5);
        let ([left, rope, right], [l, s, r]) = (test.means(), turned.means());
        assert!((left - r).abs() < 1e-15 && (rope - s).abs() < 1e-15 && (right - l).abs() < 1e-15);
        assert!((left + rope + right - 1.0).abs() < 1e-15);
        assert!(test.exact().is_none(), "not equal");
    }
}

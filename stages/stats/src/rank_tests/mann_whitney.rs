//! The Mann–Whitney U test of two samples \[Mann1947\].

use super::{ranks::ranks, u_distribution::upper_tail};
use crate::{alternative::Alternative, distribution::normal_sf};

/// If the smaller sample is larger than this, the normal approximation is chosen.
pub const EXACT_UP_TO: usize = 8;

/// The U statistic of two samples, with what its distributions need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MannWhitney {
    /// `R_a − n_a(n_a+1)/2` with `R_a` the sum of the first sample's ranks: the number of pairs in which the
    /// first sample's value is larger, where equal values count half. NaN if a value is NaN or a sample is
    /// empty.
    pub u_a: f64,
    /// The same of the second sample: `n_a n_b − U_a`.
    pub u_b: f64,
    /// Size of the first sample.
    pub n_a: usize,
    /// Size of the second.
    pub n_b: usize,
    /// Σ (t³ − t) over ties in both together.
    pub tie_sum: f64,
}

impl MannWhitney {
    /// Compares two samples.
    ///
    /// ```
    /// use stats::{alternative::Alternative, rank_tests::mann_whitney::MannWhitney};
    ///
    /// // One of the 20 ways to choose three of six values.
    /// let test = MannWhitney::new(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]);
    /// assert!((test.exact_p(Alternative::Less) - 0.05).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn new(a: &[f64], b: &[f64]) -> Self {
        let r = ranks(&[a, b].concat());
        let n = a.len() as f64;
        let defined = !a.is_empty() && !b.is_empty();
        let sum = if defined { r.ranks[..a.len()].iter().sum() } else { f64::NAN };
        let u_a = sum - 0.5 * n * (n + 1.0);
        let u_b = n * b.len() as f64 - u_a;
        Self { u_a, u_b, n_a: a.len(), n_b: b.len(), tie_sum: r.tie_sum }
    }

    /// Whether two values are equal, in one sample or across.
    #[must_use]
    pub fn has_ties(&self) -> bool {
        self.tie_sum > 0.0
    }

    /// p by the normal approximation, its variance corrected for ties and, if wanted, with the continuity
    /// correction of ½. NaN for an empty sample; if all values are equal, NaN without the correction and 1
    /// with it.
    #[must_use]
    pub fn asymptotic_p(&self, alternative: Alternative, continuity: bool) -> f64 {
        let (n_a, n_b) = (self.n_a as f64, self.n_b as f64);
        let n = n_a + n_b;
        let variance = n_a * n_b / (12.0 * n * (n - 1.0)) * (n * n * n - n - self.tie_sum);
        let correction = if continuity { 0.5 } else { 0.0 };
        let tail = |u: f64| normal_sf((u - 0.5 * n_a * n_b - correction) / variance.sqrt());
        alternative.p(tail(self.u_a), tail(self.u_b))
    }

    /// p by counting arrangements. It is exact without ties; with ties it is the p of samples without ties
    /// whose U is this one rounded down, which is only useful for comparison with programs that do so. NaN
    /// for an empty sample.
    #[must_use]
    pub fn exact_p(&self, alternative: Alternative) -> f64 {
        if self.u_a.is_nan() {
            return f64::NAN;
        }
        let tail = |u: f64| upper_tail(self.n_a, self.n_b, u as usize);
        alternative.p(tail(self.u_a), tail(self.u_b))
    }

    /// p by the rule that scipy's `auto` follows: exact without ties if a sample has at most [`EXACT_UP_TO`]
    /// values, otherwise asymptotic with the continuity correction.
    #[must_use]
    pub fn p(&self, alternative: Alternative) -> f64 {
        if !self.has_ties() && self.n_a.min(self.n_b) <= EXACT_UP_TO {
            self.exact_p(alternative)
        } else {
            self.asymptotic_p(alternative, true)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Alternative::{Greater, Less, TwoSided};
    use super::*;

    fn close(ours: f64, exact: f64) {
        assert!((ours - exact).abs() <= 1e-12 * exact, "{ours} {exact}");
    }

    #[test]
    fn one_sided_reference_values() {
        let a = [0.3, 1.7, 2.2, 4.1, 0.9];
        let b = [1.1, 2.9, 3.3, 5.0, 2.5, 6.1, 3.0];
        let t = MannWhitney::new(&a, &b);
        assert_eq!((t.u_a, t.u_b), (7.0, 28.0));
        close(t.exact_p(TwoSided), 0.106_060_606_060_606_06);
        close(t.exact_p(Greater), 0.963_383_838_383_838_5);
        close(t.exact_p(Less), 0.053_030_303_030_303_03);
        close(t.asymptotic_p(Greater, true), 0.962_982_376_072_551_7);
        close(t.asymptotic_p(Less, true), 0.052_188_343_299_878_044);
        close(t.asymptotic_p(Less, false), 0.044_078_967_709_897_28);
        assert_eq!(t.p(TwoSided), t.exact_p(TwoSided));
    }

    #[test]
    fn reference_values_with_ties() {
        let a = [1.0, 2.0, 2.0, 3.0, 5.0, 5.0, 5.0, 8.0, 9.0];
        let b = [2.0, 3.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 9.0, 10.0, 11.0];
        let t = MannWhitney::new(&a, &b);
        assert_eq!(t.u_a, 31.5);
        close(t.asymptotic_p(TwoSided, true), 0.180_026_130_696_865_68);
        close(t.asymptotic_p(Greater, true), 0.921_800_125_935_184_2);
        close(t.asymptotic_p(Greater, false), 0.916_049_473_467_606_8);
        close(t.exact_p(TwoSided), 0.201_369_373_660_395_34);
        assert_eq!(t.p(Less), t.asymptotic_p(Less, true));
    }

    #[test]
    fn undefined_tests_have_no_p() {
        let alternatives = [TwoSided, Greater, Less];
        for t in [
            MannWhitney::new(&[], &[1.0]),
            MannWhitney::new(&[1.0], &[]),
            MannWhitney::new(&[1.0], &[f64::NAN]),
            MannWhitney::new(&[], &[f64::NAN]),
        ] {
            for alternative in alternatives {
                assert!(t.p(alternative).is_nan() && t.exact_p(alternative).is_nan());
                assert!(t.asymptotic_p(alternative, true).is_nan());
            }
        }
        let constant = MannWhitney::new(&[2.0; 4], &[2.0; 3]);
        assert_eq!(constant.p(TwoSided), 1.0);
        assert!(constant.asymptotic_p(TwoSided, false).is_nan());
    }

    fn sample() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec((-6..6).prop_map(f64::from), 1..14)
    }

    proptest! {
        #[test]
        fn the_samples_mirror_each_other(a in sample(), b in sample()) {
            let (t, s) = (MannWhitney::new(&a, &b), MannWhitney::new(&b, &a));
            prop_assert_eq!((t.u_a, t.u_b), (s.u_b, s.u_a));
            prop_assert_eq!(t.u_a + t.u_b, (a.len() * b.len()) as f64);
            prop_assert_eq!(t.p(Greater), s.p(Less));
            prop_assert_eq!(t.p(TwoSided), s.p(TwoSided));
        }

        #[test]
        fn u_counts_pairs(a in sample(), b in sample()) {
            let pair = |x: f64, y: f64| if x > y { 1.0 } else if x == y { 0.5 } else { 0.0 };
            let count: f64 = a.iter().flat_map(|x| b.iter().map(move |y| pair(*x, *y))).sum();
            prop_assert_eq!(MannWhitney::new(&a, &b).u_a, count);
        }

        #[test]
        fn only_the_order_of_values_counts(a in sample(), b in sample()) {
            let each = |v: &[f64]| v.iter().rev().map(|x| x.exp()).collect::<Vec<_>>();
            prop_assert_eq!(MannWhitney::new(&a, &b), MannWhitney::new(&each(&a), &each(&b)));
        }
    }
}

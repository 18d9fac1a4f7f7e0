//! Wilcoxon's signed-rank test of paired values \[Wilcoxon1945\].

use super::ranks::{Ranks, ranks};
use crate::{alternative::Alternative, distribution::normal_sf};

/// Up to this many differences the exact distribution is chosen.
pub const EXACT_UP_TO: usize = 50;

/// How differences that are zero are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeros {
    /// They are left out before ranking, by Wilcoxon's own rule.
    Dropped,
    /// They are ranked, and their ranks are left out \[Pratt1959\]; moments after \[Cureton1967\].
    Ranked,
    /// They are ranked, and each side gets half of their ranks.
    Split,
}

/// The signed ranks of some differences.
#[derive(Clone, Debug, PartialEq)]
pub struct SignedRanks {
    /// Sum of the ranks of positive differences; NaN if a difference is NaN.
    pub plus: f64,
    /// Sum of the ranks of negative differences.
    pub minus: f64,
    /// How many differences are not zero.
    pub n: usize,
    /// How many differences were ranked.
    ranked: usize,
    /// The ranks of differences that are not zero.
    ranks: Vec<f64>,
    /// What each side gets whatever the signs are.
    shared: f64,
    /// Centre of the sum of the positive ranks.
    centre: f64,
    /// Variance of that sum.
    variance: f64,
}

impl SignedRanks {
    /// Ranks the differences, first minus second of each pair, without those that are zero.
    ///
    /// ```
    /// use stats::{alternative::Alternative, rank_tests::wilcoxon::SignedRanks};
    ///
    /// // All of three differences are positive: one of the eight ways to give them signs.
    /// let test = SignedRanks::new(&[1.0, 2.0, 3.0]);
    /// assert!((test.exact_p(Alternative::Greater) - 0.125).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn new(differences: &[f64]) -> Self {
        Self::with(differences, Zeros::Dropped)
    }

    /// The same with another rule for differences that are zero.
    ///
    /// ```
    /// use stats::rank_tests::wilcoxon::{SignedRanks, Zeros};
    ///
    /// let differences = [0.0, 1.0, -2.0, 3.0];
    /// assert_eq!(SignedRanks::with(&differences, Zeros::Dropped).plus, 4.0);
    /// assert_eq!(SignedRanks::with(&differences, Zeros::Ranked).plus, 6.0);
    /// assert_eq!(SignedRanks::with(&differences, Zeros::Split).plus, 6.5);
    /// ```
    #[must_use]
    pub fn with(differences: &[f64], zeros: Zeros) -> Self {
        let kept: Vec<f64> = match zeros {
            Zeros::Dropped => differences.iter().copied().filter(|d| *d != 0.0).collect(),
            Zeros::Ranked | Zeros::Split => differences.to_vec(),
        };
        let Ranks { ranks, mut tie_sum } = ranks(&kept.iter().map(|d| d.abs()).collect::<Vec<_>>());
        let side = |sign: f64| -> f64 {
            let signed = kept.iter().zip(&ranks);
            // A NaN difference counts on both sides, with its NaN rank.
            signed.filter(|(d, _)| d.is_nan() || **d * sign > 0.0).map(|(_, rank)| rank).sum()
        };
        let (plus, minus) = (side(1.0), side(-1.0));
        let none = kept.iter().filter(|d| **d == 0.0).count() as f64;
        let ranked = kept.len();
        // Four times the sum of 1 to n is n (n + 1) · 2, and 24 times a quarter of the sum of squares is
        // this:
        let (sum, squares) =
            (|n: f64| 0.25 * n * (n + 1.0), |n: f64| n * (n + 1.0) * (2.0 * n + 1.0));
        let n = ranked as f64;
        let (mut centre, mut spread, mut shared) = (sum(n), squares(n), 0.0);
        match zeros {
            Zeros::Dropped => {}
            Zeros::Ranked => {
                centre -= sum(none);
                spread -= squares(none);
                tie_sum -= none.powi(3) - none;
            }
            Zeros::Split => {
                let ranks = kept.iter().zip(&ranks).filter(|(d, _)| **d == 0.0);
                shared = 0.5 * ranks.map(|(_, rank)| rank).sum::<f64>();
            }
        }
        let ranks: Vec<f64> =
            kept.iter().zip(&ranks).filter(|(d, _)| **d != 0.0).map(|(_, rank)| *rank).collect();
        Self {
            plus: plus + shared,
            minus: minus + shared,
            n: ranks.len(),
            ranked,
            ranks,
            shared,
            centre,
            variance: (spread - 0.5 * tie_sum) / 24.0,
        }
    }

    /// p over all 2ⁿ ways to give the ranks of differences that are not zero their signs; exact with ties too,
    /// which keep their shared ranks. NaN if no difference is left. Takes n³ steps.
    #[must_use]
    pub fn exact_p(&self, alternative: Alternative) -> f64 {
        if self.n == 0 || self.plus.is_nan() {
            return f64::NAN;
        }
        // Mid-ranks are halves: twice the ranks are whole numbers.
        let doubled = |sum: f64| -> usize { (2.0 * sum) as usize };
        let below = at_most(&self.ranks.iter().map(|rank| doubled(*rank)).collect::<Vec<_>>());
        // Reversed signs give the same distribution: P(plus ≥ s) = P(minus ≤ all − s).
        let of = |sum: f64| below[doubled(sum - self.shared)];
        alternative.p(of(self.minus), of(self.plus))
    }

    /// p from the distribution of sums of the ranks 1 to n, ignoring ties and zeros, with the sum rounded
    /// away from significance: what other programs call exact. NaN if a difference is NaN.
    #[must_use]
    pub fn table_p(&self, alternative: Alternative) -> f64 {
        let (upper, lower) = self.table_tails();
        alternative.p(upper, lower)
    }

    /// The upper and the lower tail from which [`Self::table_p`] follows for any alternative. Takes n³ steps.
    #[must_use]
    pub fn table_tails(&self) -> (f64, f64) {
        if self.plus.is_nan() {
            return (f64::NAN, f64::NAN);
        }
        let below = at_most(&(1..=self.ranked).collect::<Vec<_>>());
        let all = below.len() - 1;
        // P(sum ≥ s) = P(sum ≤ all − s).
        let upper = below[all - (self.plus.floor() as usize).min(all)];
        (upper, below[(self.plus.ceil() as usize).min(all)])
    }

    /// p by the normal approximation, its variance corrected for ties and, if wanted, with the
    /// continuity correction of ½. NaN if no difference is left.
    #[must_use]
    pub fn asymptotic_p(&self, alternative: Alternative, continuity: bool) -> f64 {
        let (upper, lower) = (self.z(continuity), -self.z_below(continuity));
        alternative.p(normal_sf(upper), normal_sf(lower))
    }

    /// The standard normal value that the approximation gives the sum of the positive ranks, against the
    /// alternative that it is large; NaN if no difference is left.
    #[must_use]
    pub fn z(&self, continuity: bool) -> f64 {
        self.standard(self.plus - self.centre - if continuity { 0.5 } else { 0.0 })
    }

    /// The same against the alternative that it is small.
    fn z_below(&self, continuity: bool) -> f64 {
        self.standard(self.plus - self.centre + if continuity { 0.5 } else { 0.0 })
    }

    fn standard(&self, distance: f64) -> f64 {
        if self.variance > 0.0 { distance / self.variance.sqrt() } else { f64::NAN }
    }

    /// Exact for at most [`EXACT_UP_TO`] differences, otherwise asymptotic without continuity
    /// correction.
    #[must_use]
    pub fn p(&self, alternative: Alternative) -> f64 {
        if self.n <= EXACT_UP_TO {
            self.exact_p(alternative)
        } else {
            self.asymptotic_p(alternative, false)
        }
    }
}

/// Probabilities are kept this much larger: those of hundreds of signs would be too small for normal doubles, which
/// is slow. A power of two changes no digit.
const SCALE: f64 = f64::from_bits((1023 + 900) << 52);

/// The distribution function of the sum of a random subset of `ranks`, each of which is drawn with
/// probability ½, at 0, 1, … up to the sum of all.
fn at_most(ranks: &[usize]) -> Vec<f64> {
    let mut p = vec![0.0; ranks.iter().sum::<usize>() + 1];
    p[0] = SCALE;
    let mut reached = 0;
    for &rank in ranks.iter().filter(|rank| **rank > 0) {
        reached += rank;
        // From the top down, since each sum takes what the one `rank` below had. So many do not touch each other.
        let mut end = reached + 1;
        while end > rank {
            let start = end.saturating_sub(rank).max(rank);
            let (low, high) = p.split_at_mut(start);
            for (p, with) in high[..end - start].iter_mut().zip(&low[start - rank..]) {
                *p = 0.5 * (*p + with);
            }
            end = start;
        }
        for p in &mut p[..end] {
            *p *= 0.5;
        }
    }
    let mut below = 0.0;
    for p in &mut p {
        below += *p;
        *p = below / SCALE;
    }
    p
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
    fn sums_of_subsets_have_the_digits_of_the_plain_recurrence() {
        let plain = |ranks: &[usize]| {
            let mut p = vec![0.0; ranks.iter().sum::<usize>() + 1];
            p[0] = 1.0;
            for &rank in ranks {
                let with = |sum: usize| if sum >= rank { p[sum - rank] } else { 0.0 };
                p = (0..p.len()).map(|sum| 0.5 * (p[sum] + with(sum))).collect();
            }
            p.iter()
                .scan(0.0, |below, p| {
                    Some({
                        *below += p;
                        *below
                    })
                })
                .collect::<Vec<f64>>()
        };
        for ranks in
            [&[][..], &[1], &[3, 3, 3], &[2, 5, 5, 9], &[7, 1, 0, 2], &[1, 2, 3, 4, 5, 6, 7]]
        {
            assert_eq!(at_most(ranks), plain(ranks), "{ranks:?}");
        }
        let many: Vec<usize> = (1..=60).collect();
        assert_eq!(at_most(&many), plain(&many));
    }

    #[test]
    fn both_tails_of_many_differences_are_from_one_table() {
        let test = SignedRanks::new(&(1..=300).map(f64::from).collect::<Vec<_>>());
        let (upper, lower) = test.table_tails();
        assert_eq!(upper, 0.5_f64.powi(300));
        close(lower, 1.0);
        assert_eq!(test.table_p(TwoSided), 0.5_f64.powi(299));
    }

    #[test]
    fn reference_values() {
        let t = SignedRanks::new(&[0.8, -1.3, 2.1, 0.4, 3.7, -0.2, 1.9, 2.6, -0.9, 5.1]);
        assert_eq!((t.plus, t.minus, t.n), (45.0, 10.0, 10));
        close(t.p(TwoSided), 0.083_984_375);
        close(t.p(Greater), 0.041_992_187_5);
        close(t.p(Less), 0.967_773_437_5);
        close(t.asymptotic_p(TwoSided, false), 0.074_461_831_417_405_46);
        close(t.asymptotic_p(TwoSided, true), 0.083_131_142_700_803_86);
        close(t.asymptotic_p(Less, true), 0.966_727_139_328_141_9);
    }

    #[test]
    fn reference_values_with_ties_and_zeros() {
        let d = [1.0, 2.0, 2.0, -1.0, 0.0, 3.0, 3.0, -2.0, 0.0, 4.0, 5.0, -1.0];
        let t = SignedRanks::new(&d);
        assert_eq!((t.plus, t.minus, t.n), (46.0, 9.0, 10));
        close(t.p(TwoSided), 0.0625);
        close(t.p(Greater), 0.031_25);
        close(t.p(Less), 0.978_515_625);
        close(t.asymptotic_p(TwoSided, false), 0.057_852_694_427_290_845);
        close(t.asymptotic_p(Greater, true), 0.032_478_985_388_060_67);
    }

    #[test]
    fn many_differences_take_the_normal_approximation() {
        let d = [
            0.6, 1.1, 0.6, -1.0, 1.2, 0.7, -0.2, 0.9, 0.7, 0.6, 0.3, 0.8, -0.4, 0.1, -0.2, 0.9,
            0.3, 0.0, -0.5, 0.0, 0.3, 0.0, 1.6, 1.3, -2.4, -1.6, 0.1, -0.1, 0.5, 0.5, 2.4, -0.8,
            -0.1, 2.3, 0.9, 1.0, -0.2, -1.3, 0.5, 0.4, -0.9, -0.4, 0.2, -0.6, 0.2, 0.4, 0.3, -0.2,
            0.9, 1.2, 0.6, -0.5, 1.0, -0.2, 1.2, -0.8, 1.2, 0.3, -0.9, -0.0,
        ];
        let t = SignedRanks::new(&d);
        assert_eq!((t.plus, t.minus, t.n), (1093.5, 502.5, 56));
        close(t.p(TwoSided), 0.015_849_822_235_251_353);
        close(t.p(Greater), 0.007_924_911_117_625_676);
        // The exact p of the same is near.
        assert!((t.exact_p(Greater) / t.p(Greater) - 1.0).abs() < 0.05);
    }

    #[test]
    fn undefined_tests_have_no_p() {
        for d in [&[][..], &[0.0, 0.0], &[1.0, f64::NAN]] {
            let t = SignedRanks::new(d);
            assert!(t.p(TwoSided).is_nan() && t.exact_p(Less).is_nan(), "{d:?}");
            assert!(t.asymptotic_p(Greater, true).is_nan());
        }
    }

    proptest! {
        #[test]
        fn exact_is_the_count_of_signs(
            d in prop::collection::vec((-4..5).prop_map(f64::from), 1..9)
        ) {
            let t = SignedRanks::new(&d);
            prop_assume!(t.n > 0);
            let kept: Vec<f64> = d.iter().copied().filter(|v| *v != 0.0).collect();
            let flipped = |signs: u32| -> f64 {
                let sign = |i: usize| if signs >> i & 1 == 1 { 1.0 } else { -1.0 };
                let d: Vec<f64> = kept.iter().enumerate().map(|(i, v)| sign(i) * v.abs()).collect();
                SignedRanks::new(&d).plus
            };
            let count = (0..1_u32 << kept.len()).filter(|s| flipped(*s) >= t.plus).count();
            let p = count as f64 / f64::from(1_u32 << kept.len());
            prop_assert!((t.exact_p(Greater) - p).abs() < 1e-14);
            let mirrored = SignedRanks::new(&d.iter().map(|v| -v).collect::<Vec<_>>());
            prop_assert_eq!(t.exact_p(Greater), mirrored.exact_p(Less));
        }
    }
}

//! Adjusts p values for the number of tests. A p that is NaN counts as 1, since an undefined test shows
//! nothing. Results are in the order of the input and at most 1.

/// p · m.
///
/// ```
/// assert_eq!(stats::adjust::bonferroni(&[0.25, 0.5]), [0.5, 1.0]);
/// ```
#[must_use]
pub fn bonferroni(p: &[f64]) -> Vec<f64> {
    let m = p.len() as f64;
    p.iter().map(|v| at_most_1(m * at_most_1(*v))).collect()
}

/// Step-down adjustment \[Holm1979\].
///
/// ```
/// // The smallest p times three, the next times two, and none below the one before.
/// assert_eq!(stats::adjust::holm(&[0.125, 0.5, 0.25]), [0.375, 0.5, 0.5]);
/// ```
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p.len()];
    let mut largest = 0.0_f64;
    for (below, i) in ascending(p).into_iter().enumerate() {
        largest = largest.max((p.len() - below) as f64 * at_most_1(p[i]));
        adjusted[i] = at_most_1(largest);
    }
    adjusted
}

/// Step-up adjustment for the false discovery rate of independent tests \[Benjamini1995\].
///
/// ```
/// assert_eq!(stats::adjust::benjamini_hochberg(&[0.125, 0.5]), [0.25, 0.5]);
/// ```
#[must_use]
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    step_up(p, 1.0)
}

/// The same for tests of any dependence \[Benjamini2001\].
///
/// ```
/// // As Benjamini and Hochberg, times 1 + 1/2.
/// assert_eq!(stats::adjust::benjamini_yekutieli(&[0.125, 0.5]), [0.375, 0.75]);
/// ```
#[must_use]
pub fn benjamini_yekutieli(p: &[f64]) -> Vec<f64> {
    step_up(p, (1..=p.len()).map(|i| 1.0 / i as f64).sum())
}

/// min over the ranks j ≥ i of `factor` · p_(j) · m / j.
fn step_up(p: &[f64], factor: f64) -> Vec<f64> {
    let m = p.len() as f64;
    let mut adjusted = vec![0.0; p.len()];
    let mut smallest = 1.0_f64;
    for (below, i) in ascending(p).into_iter().enumerate().rev() {
        // The quotient is taken first: it is at least 1, so that rounding never lowers a p.
        smallest = smallest.min(factor * at_most_1(p[i]) * (m / (below + 1) as f64));
        adjusted[i] = smallest;
    }
    adjusted
}

fn at_most_1(p: f64) -> f64 {
    // `min` gives 1 for NaN.
    p.min(1.0)
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&i, &j| at_most_1(p[i]).total_cmp(&at_most_1(p[j])));
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Adjust = fn(&[f64]) -> Vec<f64>;

    const METHODS: [Adjust; 4] = [bonferroni, holm, benjamini_hochberg, benjamini_yekutieli];

    #[test]
    fn the_example_of_the_first_paper() {
        // [Benjamini1995] sec. 3.2: 15 tests, of which this procedure rejects four at 5% and
        // Bonferroni's three.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0000,
        ];
        let rejected = |adjusted: Vec<f64>| adjusted.iter().filter(|p| **p <= 0.05).count();
        assert_eq!(rejected(benjamini_hochberg(&p)), 4);
        assert_eq!(rejected(bonferroni(&p)), 3);
        assert_eq!(rejected(holm(&p)), 3);
    }

    #[test]
    fn the_undefined_counts_as_1_and_nothing_stays_nothing() {
        for adjust in METHODS {
            assert_eq!(adjust(&[0.01, f64::NAN]), adjust(&[0.01, 1.0]));
            assert!(adjust(&[]).is_empty());
        }
    }

    fn p_values() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(prop_oneof![0.0..1.0, 0.0..0.01, Just(0.02)], 1..20)
    }

    proptest! {
        #[test]
        fn adjusting_keeps_order_and_bounds(p in p_values()) {
            let [bonferroni, holm, bh, by] = METHODS.map(|adjust| adjust(&p));
            for i in 0..p.len() {
                prop_assert!(p[i] <= bh[i] && bh[i] <= by[i] && by[i] <= 1.0);
                prop_assert!(bh[i] <= holm[i] * (1.0 + 1e-15) && holm[i] <= bonferroni[i]);
                for j in 0..p.len() {
                    for adjusted in [&bonferroni, &holm, &bh, &by] {
                        prop_assert!(p[i] > p[j] || adjusted[i] <= adjusted[j]);
                    }
                }
            }
        }

        #[test]
        fn step_up_rejects_the_largest_admissible_set(p in p_values(), alpha in 0.001..0.5_f64) {
            // By definition: reject the k smallest for the largest k with p_(k) <= k α / m.
            let mut sorted = p.clone();
            sorted.sort_by(f64::total_cmp);
            let m = p.len() as f64;
            let admitted = |k: &usize| sorted[k - 1] <= *k as f64 * alpha / m;
            let k = (1..=p.len()).rev().find(admitted).unwrap_or(0);
            let rejected = benjamini_hochberg(&p).iter().filter(|v| **v <= alpha).count();
            prop_assert_eq!(rejected, k);
        }

        #[test]
        fn step_down_stops_at_the_first_failure(p in p_values(), alpha in 0.001..0.5_f64) {
            let mut sorted = p.clone();
            sorted.sort_by(f64::total_cmp);
            let m = p.len();
            let admitted = |(i, v): &(usize, &f64)| (m - i) as f64 * **v <= alpha;
            let k = sorted.iter().enumerate().take_while(admitted).count();
            prop_assert_eq!(holm(&p).iter().filter(|v| **v <= alpha).count(), k);
        }
    }
}

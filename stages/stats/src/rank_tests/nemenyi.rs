//! Which treatments differ after Friedman's test \[Nemenyi1963\], \[Demsar2006\] sec. 3.2.2.

use super::studentised_range::{range_quantile, range_sf};

/// The critical difference: the smallest difference of average ranks at which two of `k` treatments differ at
/// level `alpha` over `n` blocks; NaN for fewer than two treatments or an `alpha` outside (0, 1).
///
/// ```
/// // Four classifiers on 14 data sets, \[Demsar2006\] sec. 3.2.2.
/// let difference = stats::rank_tests::nemenyi::critical_difference(4, 14, 0.05);
/// assert!((difference - 1.25).abs() < 0.01);
/// ```
#[must_use]
pub fn critical_difference(k: usize, n: usize, alpha: f64) -> f64 {
    range_quantile(alpha, k) * deviation(k, n)
}

/// p of one pair whose average ranks differ by `difference`, adjusted for all pairs.
#[must_use]
pub fn p(difference: f64, k: usize, n: usize) -> f64 {
    range_sf(difference.abs() / deviation(k, n), k)
}

/// Standard deviation of an average rank, scaled such that the ranks can be treated as independent.
fn deviation(k: usize, n: usize) -> f64 {
    let treatments = k as f64;
    (treatments * (treatments + 1.0) / (12.0 * n as f64)).sqrt()
}

/// The bars of a critical-difference diagram: the largest sets of two or more treatments whose
/// average ranks lie less than `difference` apart, each as indices from best to worst.
#[must_use]
pub fn cliques(average_ranks: &[f64], difference: f64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..average_ranks.len()).collect();
    order.sort_by(|&i, &j| average_ranks[i].total_cmp(&average_ranks[j]));
    let mut found = Vec::new();
    let mut covered = 0;
    for from in 0..order.len() {
        let close = |&&i: &&usize| average_ranks[i] - average_ranks[order[from]] < difference;
        let to = from + order[from..].iter().take_while(close).count();
        // A bar that reaches no further lies within an earlier one.
        if to > covered && to > from + 1 {
            found.push(order[from..to].to_vec());
            covered = to;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_of_the_printed_table() {
        // [Demsar2006] Table 5(a): q / √2, so that the critical difference is q √(k(k+1)/6N).
        let five = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164];
        let ten = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920];
        for (alpha, printed) in [(0.05, five), (0.10, ten)] {
            for (k, q) in (2..).zip(printed) {
                let unit = (k as f64 * (k as f64 + 1.0) / 6.0).sqrt();
                let ours = critical_difference(k, 1, alpha) / unit;
                // The table's last digits are cut in places, and rounded in others.
                assert!((ours - q).abs() < 0.001, "{k} {alpha}: {ours} {q}");
            }
        }
        // The example of the same section: four algorithms, 14 data sets.
        assert!((critical_difference(4, 14, 0.05) - 1.25).abs() < 0.005);
        assert!((critical_difference(4, 14, 0.10) - 1.12).abs() < 0.005);
    }

    #[test]
    fn p_at_the_critical_difference_is_the_level() {
        let cd = critical_difference(5, 24, 0.05);
        assert!((p(cd, 5, 24) - 0.05).abs() < 1e-13 && (p(-cd, 5, 24) - 0.05).abs() < 1e-13);
    }

    #[test]
    fn bars_are_the_largest_sets() {
        let ranks = [3.0, 1.0, 2.2, 4.5, 4.6];
        assert_eq!(cliques(&ranks, 1.25), [vec![1, 2], vec![2, 0], vec![3, 4]]);
        assert_eq!(cliques(&ranks, 0.05), Vec::<Vec<usize>>::new());
        assert_eq!(cliques(&ranks, 9.0), [vec![1, 2, 0, 3, 4]]);
        assert!(cliques(&[], 1.0).is_empty());
    }
}

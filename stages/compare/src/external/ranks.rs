//! Expected ranks: of one run of each tuner, drawn at random. Tuners may have different numbers of runs.

/// The expected rank of each tuner: 1 and, for each other tuner, the share of pairs of runs in which that one is lower;
/// equal values count half. `losses` holds one value per run and tuner, lower is better; a tuner has at least one.
#[must_use]
pub fn expected_ranks(losses: &[Vec<f64>]) -> Vec<f64> {
    let others = |i: usize| (0..losses.len()).filter(move |&j| j != i);
    (0..losses.len())
        .map(|i| 1.0 + others(i).map(|j| behind(&losses[i], &losses[j])).sum::<f64>())
        .collect()
}

/// The share of pairs in which the second is lower.
fn behind(own: &[f64], other: &[f64]) -> f64 {
    let pairs = own.iter().flat_map(|a| other.iter().map(move |b| a.total_cmp(b)));
    let points: f64 = pairs.map(|order| (f64::from(order as i8) + 1.0) / 2.0).sum();
    points / (own.len() * other.len()) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, prop_assert, proptest};
    use stats::rank_tests::ranks::ranks;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        /// It is the mean of the ranks over all draws of one run per tuner.
        #[test]
        fn they_are_the_mean_over_all_draws(
            // Few values, so that there are ties.
            a in proptest::collection::vec(0..4_u8, 1..4),
            b in proptest::collection::vec(0..4_u8, 1..4),
            c in proptest::collection::vec(0..4_u8, 1..4),
        ) {
            let losses = [a, b, c].map(|own| own.into_iter().map(f64::from).collect::<Vec<_>>());
            let mut sums = [0.0; 3];
            let mut draws = 0.0;
            for x in &losses[0] {
                for y in &losses[1] {
                    for z in &losses[2] {
                        let found = ranks(&[*x, *y, *z]).ranks;
                        sums.iter_mut().zip(found).for_each(|(sum, rank)| *sum += rank);
                        draws += 1.0;
                    }
                }
            }
            for (found, sum) in expected_ranks(&losses).into_iter().zip(sums) {
                prop_assert!((found - sum / draws).abs() < 1e-12);
            }
        }
    }
}

//! Intervals by a bootstrap that draws runs within each task \[Agarwal2021\].

use rand::RngExt;
use rand_chacha::ChaCha12Rng;
use stats::aggregates::{Scores, percentiles};

/// Coverage of the intervals.
const LEVEL: f64 = 0.95;

/// Resamples of a table of runs × tasks: which run takes the place of each.
pub struct Resamples(Vec<Vec<Vec<usize>>>);

impl Resamples {
    /// `count` resamples of `runs` × `tasks`.
    pub fn new((runs, tasks): (usize, usize), count: usize, rng: &mut ChaCha12Rng) -> Self {
        let mut one = || {
            let mut row = || (0..tasks).map(|_| rng.random_range(0..runs)).collect::<Vec<_>>();
            (0..runs).map(|_| row()).collect::<Vec<_>>()
        };
        Self((0..count).map(|_| one()).collect())
    }

    /// The ends of the intervals of several statistics of `scores`, whose shape is that of the resamples: NaN where a
    /// statistic is.
    pub fn intervals<const N: usize>(
        &self,
        scores: &Scores,
        statistics: impl Fn(&Scores) -> [f64; N],
    ) -> [(f64, f64); N] {
        let drawn = self.0.iter().filter_map(|runs| scores.resampled(runs, None));
        let found: Vec<[f64; N]> = drawn.map(|scores| statistics(&scores)).collect();
        std::array::from_fn(|i| {
            percentiles(&found.iter().map(|values| values[i]).collect::<Vec<_>>(), LEVEL)
        })
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn runs_are_drawn_within_tasks() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        // A task without spread, and one with; a draw across tasks would show in the first.
        let scores = Scores::new(vec![vec![5.0, 0.0], vec![5.0, 1.0], vec![5.0, 2.0]]).unwrap();
        let resamples = Resamples::new(scores.shape(), 500, &mut rng);
        let [mean, low, constant] =
            resamples.intervals(&scores, |s| [s.mean(), s.profile(4.0), s.profile(-1.0)]);
        // Each extreme, the same run three times, is one of 27 draws: more than a tail has.
        assert_eq!(mean, (2.5, 3.5));
        assert_eq!((low, constant), ((0.5, 0.5), (1.0, 1.0)));
    }
}

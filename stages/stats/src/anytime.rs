//! Anytime curves: the best score so far against the cost spent.

use super::better::Better;

/// The best score so far of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    steps: Vec<(f64, f64)>,
}

impl Curve {
    /// From (cost spent until then, score) of each evaluation, in any order. Evaluations with a NaN
    /// count as failed: they improve nothing.
    ///
    /// ```
    /// use stats::{anytime::Curve, better::Better};
    ///
    /// // (cost, error) of three evaluations; the curve keeps the lowest error so far.
    /// let curve = Curve::new(&[(1.0, 0.3), (2.0, 0.5), (4.0, 0.1)], Better::Lower);
    /// assert_eq!((curve.at(0.5), curve.at(3.0), curve.at(4.0)), (None, Some(0.3), Some(0.1)));
    /// ```
    #[must_use]
    pub fn new(evaluations: &[(f64, f64)], better: Better) -> Self {
        let mut sorted = evaluations.to_vec();
        sorted.retain(|(cost, score)| !cost.is_nan() && !score.is_nan());
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut steps: Vec<(f64, f64)> = Vec::new();
        for (cost, score) in sorted {
            if steps.last().is_none_or(|(_, best)| better.is_better(score, *best)) {
                steps.push((cost, score));
            }
        }
        Self { steps }
    }

    /// The costs at which the best score changed, with the new best, in order. Two changes at one cost are
    /// both listed.
    #[must_use]
    pub fn steps(&self) -> &[(f64, f64)] {
        &self.steps
    }

    /// The best score once `cost` is spent; `None` before the first evaluation ends.
    #[must_use]
    pub fn at(&self, cost: f64) -> Option<f64> {
        let spent = self.steps.partition_point(|(c, _)| *c <= cost);
        self.steps[..spent].last().map(|(_, best)| *best)
    }
}

/// The mean over `runs` at each cost of `grid`. `None` until every run has a score: a mean over the quick
/// runs would jump when the slow ones join. A run that has ended keeps its last best score.
#[must_use]
pub fn mean_on_grid(runs: &[Curve], grid: &[f64]) -> Vec<Option<f64>> {
    let mean = |cost: &f64| {
        let scores: Option<Vec<f64>> = runs.iter().map(|run| run.at(*cost)).collect();
        scores.filter(|s| !s.is_empty()).map(|s| super::moments::mean(&s))
    };
    grid.iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_so_far_never_worsens() {
        let run = [(3.0, 0.5), (1.0, 0.7), (2.0, 0.9), (4.0, f64::NAN), (3.0, 0.4), (9.0, 0.4)];
        let lower = Curve::new(&run, Better::Lower);
        assert_eq!(lower.steps(), [(1.0, 0.7), (3.0, 0.5), (3.0, 0.4)]);
        assert_eq!(lower.at(0.99), None);
        assert_eq!([1.0, 2.9, 3.0, 99.0].map(|c| lower.at(c).unwrap()), [0.7, 0.7, 0.4, 0.4]);
        let higher = Curve::new(&run, Better::Higher);
        assert_eq!(higher.steps(), [(1.0, 0.7), (2.0, 0.9)]);
    }

    #[test]
    fn means_wait_for_all_runs() {
        let runs = [
            Curve::new(&[(1.0, 4.0), (5.0, 2.0)], Better::Lower),
            Curve::new(&[(2.0, 3.0)], Better::Lower),
        ];
        let mean = mean_on_grid(&runs, &[0.0, 1.0, 2.0, 5.0]);
        assert_eq!(mean, [None, None, Some(3.5), Some(2.5)]);
        assert_eq!(mean_on_grid(&[], &[1.0]), [None]);
    }
}

//! Computes how many evaluations runs take to reach targets: expected running time and its distribution
//! \[Hansen2022\].

/// The evaluation, from 1, at which a run's best loss so far is at most `target`; `None` if it never is. A
/// NaN or an infinite loss reaches no target.
///
/// ```
/// use stats::running_time::hit;
///
/// assert_eq!(hit(&[3.0, f64::NAN, 0.5, 0.9], 1.0), Some(3));
/// assert_eq!(hit(&[3.0, 2.0], 1.0), None);
/// ```
#[must_use]
pub fn hit(losses: &[f64], target: f64) -> Option<usize> {
    let reached = |loss: &f64| *loss <= target && loss.is_finite();
    losses.iter().position(reached).map(|at| at + 1)
}

/// The expected number of evaluations to `target` (ERT): all evaluations up to the target, including those of
/// runs that never reached it, divided by the number of runs that did; infinite if none did.
///
/// ```
/// use stats::running_time::expected;
///
/// // Two evaluations of the first run, three of the second, one success.
/// assert_eq!(expected(&[vec![2.0, 1.0, 0.0], vec![4.0, 4.0, 4.0]], 1.0), 5.0);
/// ```
#[must_use]
pub fn expected(runs: &[Vec<f64>], target: f64) -> f64 {
    let hits: Vec<Option<usize>> = runs.iter().map(|run| hit(run, target)).collect();
    let spent: usize = runs.iter().zip(&hits).map(|(run, at)| at.unwrap_or(run.len())).sum();
    let successes = hits.iter().flatten().count();
    if successes == 0 { f64::INFINITY } else { spent as f64 / successes as f64 }
}

/// The share of all pairs of a run and a target that are reached within `evaluations`.
///
/// ```
/// use stats::running_time::share_reached;
///
/// let runs = [vec![2.0, 0.0], vec![0.5, 0.5]];
/// assert_eq!(share_reached(&runs, &[1.0, 0.1], 1), 0.25);
/// assert_eq!(share_reached(&runs, &[1.0, 0.1], 2), 0.75);
/// ```
#[must_use]
pub fn share_reached(runs: &[Vec<f64>], targets: &[f64], evaluations: usize) -> f64 {
    let pairs = runs.iter().flat_map(|run| targets.iter().map(|target| hit(run, *target)));
    let reached = pairs.flatten().filter(|at| *at <= evaluations).count();
    reached as f64 / (runs.len() * targets.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_grows_to_the_success_rate() {
        let runs = [vec![9.0, 4.0, 1.0], vec![8.0, 8.0, 8.0], vec![0.0]];
        let targets = [5.0, 2.0, 0.5];
        let shares: Vec<f64> = (0..5).map(|t| share_reached(&runs, &targets, t)).collect();
        assert!(shares.is_sorted(), "{shares:?}");
        let reached = runs.iter().flat_map(|run| targets.map(|target| hit(run, target)));
        let rate = reached.flatten().count() as f64 / 9.0;
        assert_eq!((shares[0], shares[4]), (0.0, rate));
        assert_eq!(expected(&runs, f64::NEG_INFINITY), f64::INFINITY);
    }
}

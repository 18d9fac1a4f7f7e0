//! Splits trials into the good ones of TPE and the others: a number of the best trials is good, where pruned
//! trials come after complete ones.

/// The outcome of a trial. Values are losses: a value to be maximised is negated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// It was completed with this loss; NaN counts as the worst.
    Complete(f64),
    /// It was pruned.
    Pruned {
        /// Its last step and the loss there, NaN for the worst; `None` if there was no step.
        last: Option<(f64, f64)>,
    },
    /// It is still running, and so is not good.
    Running,
}

/// The number of good trials among n in Optuna: a tenth, rounded up, at most 25.
///
/// ```
/// use tuners::bayesian::tpe_split::default_gamma;
///
/// assert_eq!([1, 10, 11, 400].map(default_gamma), [1, 1, 2, 25]);
/// ```
pub fn default_gamma(n: usize) -> usize {
    share_of_trials(n, 0.1, 25)
}

/// The number of good trials among n in hyperopt: a quarter of √n, rounded up, at most 25.
///
/// ```
/// use tuners::bayesian::tpe_split::hyperopt_gamma;
///
/// assert_eq!([1, 16, 17, 20_000].map(hyperopt_gamma), [1, 1, 2, 25]);
/// ```
pub fn hyperopt_gamma(n: usize) -> usize {
    ((0.25 * (n as f64).sqrt()).ceil() as usize).min(25)
}

/// A share of n trials, rounded up, and at most a given number.
pub(crate) fn share_of_trials(n: usize, share: f64, at_most: usize) -> usize {
    ((share * n as f64).ceil() as usize).min(at_most)
}

/// The numbers of the `good` best trials and of the others, each ascending.
///
/// Complete trials come first, by loss; then pruned ones, those with more steps first and among these by
/// loss, where a trial without steps counts as step −1 with loss 0. Ties are in the order of `outcomes`.
///
/// ```
/// use tuners::bayesian::tpe_split::{Outcome, split};
///
/// let pruned = |step, loss| Outcome::Pruned { last: Some((step, loss)) };
/// let trials = [pruned(3.0, 9.0), Outcome::Complete(5.0), pruned(1.0, 0.1), Outcome::Running];
/// assert_eq!(split(&trials, 2), (vec![0, 1], vec![2, 3]));
/// ```
pub fn split(outcomes: &[Outcome], good: usize) -> (Vec<usize>, Vec<usize>) {
    // The sum turns −0 into 0.
    let worst = |loss: f64| if loss.is_nan() { f64::INFINITY } else { loss + 0.0 };
    let key = |outcome: &Outcome| match *outcome {
        Outcome::Complete(loss) => Some((0, 0.0, worst(loss))),
        Outcome::Pruned { last: Some((step, loss)) } => Some((1, 0.0 - step, worst(loss))),
        Outcome::Pruned { last: None } => Some((1, 1.0, 0.0)),
        Outcome::Running => None,
    };
    let mut ranked: Vec<_> =
        outcomes.iter().enumerate().filter_map(|(i, o)| Some((key(o)?, i))).collect();
    ranked.sort_by(|(a, _), (b, _)| {
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    });
    let mut is_good = vec![false; outcomes.len()];
    for &(_, i) in ranked.iter().take(good) {
        is_good[i] = true;
    }
    (0..outcomes.len()).partition(|&i| is_good[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop_assert, prop_oneof, proptest};
    use proptest::strategy::{Just, Strategy};

    /// Few values, so that there are ties.
    fn outcome() -> impl Strategy<Value = Outcome> {
        let loss =
            || prop_oneof![Just(f64::NAN), Just(f64::INFINITY), (-1..2_i8).prop_map(f64::from)];
        prop_oneof![
            loss().prop_map(Outcome::Complete),
            ((-2..3_i8).prop_map(f64::from), loss())
                .prop_map(|last| Outcome::Pruned { last: Some(last) }),
            Just(Outcome::Pruned { last: None }),
            Just(Outcome::Running),
        ]
    }

    /// Whether one trial, given with its number, comes before another that has also ended.
    fn better(a: (usize, Outcome), b: (usize, Outcome)) -> bool {
        let below = |x: f64, y: f64| x < y || (y.is_nan() && x < f64::INFINITY);
        let or_earlier = |x: f64, y: f64| below(x, y) || (!below(y, x) && a.0 < b.0);
        let at = |last: Option<(f64, f64)>| last.unwrap_or((-1.0, 0.0));
        match (a.1, b.1) {
            (Outcome::Complete(x), Outcome::Complete(y)) => or_earlier(x, y),
            (Outcome::Pruned { last: x }, Outcome::Pruned { last: y }) => {
                let ((s, x), (t, y)) = (at(x), at(y));
                s > t || (s == t && or_earlier(x, y))
            }
            (first, _) => matches!(first, Outcome::Complete(_)),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_other_is_better_than_a_good_one(
            outcomes in proptest::collection::vec(outcome(), 0..12),
            wanted in 0..14_usize,
        ) {
            let (good, others) = split(&outcomes, wanted);
            let finished = outcomes.iter().filter(|o| **o != Outcome::Running).count();
            prop_assert!(good.len() == wanted.min(finished));
            prop_assert!(good.len() + others.len() == outcomes.len());
            prop_assert!(good.is_sorted() && others.is_sorted());
            for (&g, &o) in good.iter().flat_map(|g| others.iter().map(move |o| (g, o))) {
                if outcomes[o] != Outcome::Running {
                    prop_assert!(!better((o, outcomes[o]), (g, outcomes[g])), "{o} {g}");
                }
            }
        }
    }
}

//! Scores of predicted classes, and of optimisation runs.

/// Counts of correct and wrong predictions of class 1 (the positive class).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Confusion {
    /// True positives.
    pub tp: usize,
    /// False positives.
    pub fp: usize,
    /// True negatives.
    pub tn: usize,
    /// False negatives.
    pub fn_: usize,
}

impl Confusion {
    /// Counts `predicted` against `truth`, class 1 against all others. Extra elements of the longer
    /// slice do not count.
    ///
    /// ```
    /// use stats::metrics::Confusion;
    ///
    /// let found = Confusion::new(&[1, 1, 0, 0], &[1, 0, 0, 0]);
    /// assert_eq!((found.accuracy(), found.pd(), found.precision()), (0.75, 0.5, 1.0));
    /// ```
    pub fn new(truth: &[u32], predicted: &[u32]) -> Self {
        let mut counts = Self::default();
        for (&t, &p) in truth.iter().zip(predicted) {
            match (t == 1, p == 1) {
                (true, true) => counts.tp += 1,
                (false, true) => counts.fp += 1,
                (false, false) => counts.tn += 1,
                (true, false) => counts.fn_ += 1,
            }
        }
        counts
    }

    /// Accuracy: the share of correct predictions.
    pub fn accuracy(self) -> f64 {
        ratio(self.tp + self.tn, self.tp + self.fp + self.tn + self.fn_)
    }

    /// Recall (probability of detection); 0 without positives.
    pub fn pd(self) -> f64 {
        ratio(self.tp, self.tp + self.fn_)
    }

    /// False alarm rate; 0 without negatives.
    pub fn pf(self) -> f64 {
        ratio(self.fp, self.fp + self.tn)
    }

    /// Precision; 0 if nothing was predicted to be positive.
    pub fn precision(self) -> f64 {
        ratio(self.tp, self.tp + self.fp)
    }

    /// Harmonic mean of precision and recall; 0 where undefined.
    pub fn f1(self) -> f64 {
        ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn_)
    }

    /// Recall less false alarms.
    pub fn pd_minus_pf(self) -> f64 {
        self.pd() - self.pf()
    }

    /// Area under the ROC curve of the hard labels, whose only corner is (pf, pd).
    pub fn auc(self) -> f64 {
        0.5 * (1.0 + self.pd() - self.pf())
    }

    /// "Distance to heaven" as the authors' code scores it, larger being better:
    /// (1 − √((1 − pd)² + pf²)) / √2.
    pub fn d2h(self) -> f64 {
        (1.0 - (1.0 - self.pd()).hypot(self.pf())) / std::f64::consts::SQRT_2
    }

    /// Harmonic mean of recall and 1 − false alarm rate; 0 where undefined.
    pub fn g1(self) -> f64 {
        let (pd, specificity) = (self.pd(), 1.0 - self.pf());
        if pd + specificity > 0.0 { 2.0 * pd * specificity / (pd + specificity) } else { 0.0 }
    }
}

/// a / b, or 0 where b is 0.
fn ratio(a: usize, b: usize) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

/// Accuracy: the share of rows whose class was predicted correctly.
///
/// ```
/// assert_eq!(stats::metrics::accuracy(&[0, 1, 2, 1], &[0, 1, 1, 1]), 0.75);
/// ```
pub fn accuracy(truth: &[u32], predicted: &[u32]) -> f64 {
    let right = truth.iter().zip(predicted).filter(|(t, p)| t == p).count();
    ratio(right, truth.len())
}

/// Mean F1 of the classes that occur in either slice, each against all others.
pub fn macro_f1(truth: &[u32], predicted: &[u32]) -> f64 {
    let classes: std::collections::BTreeSet<u32> = truth.iter().chain(predicted).copied().collect();
    let only = |labels: &[u32], class| -> Vec<u32> {
        labels.iter().map(|&label| u32::from(label == class)).collect()
    };
    let scores = classes.iter().map(|&c| Confusion::new(&only(truth, c), &only(predicted, c)).f1());
    scores.sum::<f64>() / classes.len().max(1) as f64
}

/// (loss − best) / (clip − best), clipped to \[−1, 1\]: 0 at the best known loss and 1 at the loss that
/// random search reaches. NaN where `clip` is not above `best`.
pub fn normalised_regret(loss: f64, best: f64, clip: f64) -> f64 {
    if clip > best { ((loss - best) / (clip - best)).clamp(-1.0, 1.0) } else { f64::NAN }
}

/// The Bayesmark score 100 (1 − mean normalised regret) of the final losses of several trials.
pub fn bayesmark_score(losses: &[f64], best: f64, clip: f64) -> f64 {
    let total: f64 = losses.iter().map(|&loss| normalised_regret(loss, best, clip)).sum();
    100.0 * (1.0 - total / losses.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_rates_of_a_small_example() {
        let c = Confusion::new(&[1, 1, 1, 0, 0, 2], &[1, 0, 1, 1, 0, 2]);
        assert_eq!(c, Confusion { tp: 2, fp: 1, tn: 2, fn_: 1 });
        assert_eq!((c.pd(), c.pf(), c.f1()), (2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0));
        assert!((c.auc() - 2.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn undefined_rates_are_zero() {
        let c = Confusion::new(&[0, 0], &[0, 0]);
        assert_eq!((c.pd(), c.pf(), c.precision(), c.f1()), (0.0, 0.0, 0.0, 0.0));
        assert_eq!(Confusion::default().accuracy(), 0.0);
    }

    #[test]
    fn heaven_is_one_over_root_two_and_its_opposite_is_below_zero() {
        let heaven = Confusion::new(&[1, 0], &[1, 0]);
        assert!((heaven.d2h() - 0.5_f64.sqrt()).abs() < 1e-15);
        let hell = Confusion::new(&[1, 0], &[0, 1]);
        assert!((hell.d2h() - (1.0 - 2.0_f64.sqrt()) / 2.0_f64.sqrt()).abs() < 1e-15);
        assert_eq!(hell.g1(), 0.0);
    }

    #[test]
    fn regrets_are_cut_and_refuse_an_empty_range() {
        assert_eq!(normalised_regret(9.0, 0.0, 1.0), 1.0);
        assert_eq!(normalised_regret(-9.0, 0.0, 1.0), -1.0);
        assert!(normalised_regret(0.5, 1.0, 1.0).is_nan());
        assert!(bayesmark_score(&[0.5, f64::NAN], 0.0, 1.0).is_nan());
    }
}

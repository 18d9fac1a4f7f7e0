//! Learning curves: how learners, each with its usual settings, did on data sets when they were trained on parts of
//! growing size, as somebody has recorded it.

/// One recorded training and its evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The data set, by its number at `OpenML`.
    pub data_set: u32,
    /// The learner, by its place among the [learners](LearningCurves::learners).
    pub learner: usize,
    /// Instances that it was trained on.
    pub size: u32,
    /// Number of the split that set the test part apart.
    pub outer: u32,
    /// Number of the split of the rest into training and validation.
    pub inner: u32,
    /// Share of the validation part that is classified wrongly.
    pub validation: f64,
    /// Share of the test part that is classified wrongly.
    pub test: f64,
    /// Time of training, in seconds.
    pub seconds: f64,
}

impl Evaluation {
    /// What tells it from all others.
    fn key(&self) -> (u32, usize, u32, u32, u32) {
        (self.data_set, self.learner, self.size, self.outer, self.inner)
    }
}

/// The mean over the splits of a learner at a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The data set, by its number at `OpenML`.
    pub data_set: u32,
    /// The learner, by its place.
    pub learner: usize,
    /// Instances that it was trained on.
    pub size: u32,
    /// Splits.
    pub splits: usize,
    /// Mean validation error.
    pub validation: f64,
    /// Mean test error.
    pub test: f64,
    /// Mean time of training, in seconds.
    pub seconds: f64,
}

/// Recorded learning curves.
#[derive(Clone, Debug, PartialEq)]
pub struct LearningCurves {
    /// Names of the learners, in ascending order.
    pub learners: Vec<String>,
    /// All evaluations, in the order of data set, learner, size, and splits.
    pub evaluations: Vec<Evaluation>,
}

impl LearningCurves {
    /// The means over splits, in the order of data set, learner and size.
    ///
    /// ```
    /// use data::curves::{Evaluation, LearningCurves};
    ///
    /// let one = |inner, test| Evaluation {
    ///     data_set: 3, learner: 0, size: 16, outer: 0, inner, validation: 0.5, test, seconds: 1.0,
    /// };
    /// let evaluations = vec![one(0, 0.25), one(1, 0.75)];
    /// let curves = LearningCurves { learners: vec!["tree".to_owned()], evaluations };
    /// assert_eq!((curves.fault(), curves.points()[0].test), (None, 0.5));
    /// ```
    #[must_use]
    pub fn points(&self) -> Vec<Point> {
        let same = |a: &Evaluation, b: &Evaluation| {
            (a.data_set, a.learner, a.size) == (b.data_set, b.learner, b.size)
        };
        let mean = |own: &[Evaluation], of: fn(&Evaluation) -> f64| {
            own.iter().map(of).sum::<f64>() / own.len() as f64
        };
        let point = |own: &[Evaluation]| Point {
            data_set: own[0].data_set,
            learner: own[0].learner,
            size: own[0].size,
            splits: own.len(),
            validation: mean(own, |one| one.validation),
            test: mean(own, |one| one.test),
            seconds: mean(own, |one| one.seconds),
        };
        self.evaluations.chunk_by(same).map(point).collect()
    }

    /// The first inconsistency found, if there is one.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        if !self.learners.is_sorted_by(|a, b| a < b) {
            return Some("the learners are not in order, each once");
        }
        if !self.evaluations.is_sorted_by(|a, b| a.key() < b.key()) {
            return Some("the evaluations are not in order, each once");
        }
        if self.evaluations.iter().any(|one| one.learner >= self.learners.len() || one.size == 0) {
            return Some("an evaluation has no learner, or was not trained");
        }
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let sound = |one: &Evaluation| share(one.validation) && share(one.test);
        let sound = |one: &Evaluation| sound(one) && one.seconds.is_finite() && one.seconds > 0.0;
        (!self.evaluations.iter().all(sound))
            .then_some("an error is no share, or a training took no time")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves() -> LearningCurves {
        let one = |learner, size, inner, error| Evaluation {
            data_set: 3,
            learner,
            size,
            outer: 0,
            inner,
            validation: error,
            test: error / 2.0,
            seconds: 2.0,
        };
        LearningCurves {
            learners: vec!["a".to_owned(), "b".to_owned()],
            evaluations: vec![
                one(0, 16, 0, 0.5),
                one(0, 16, 1, 0.25),
                one(0, 23, 0, 0.25),
                one(1, 16, 0, 1.0),
            ],
        }
    }

    #[test]
    fn points_are_means_over_splits() {
        let found: Vec<_> = curves()
            .points()
            .iter()
            .map(|p| (p.learner, p.size, p.splits, p.validation, p.test))
            .collect();
        assert_eq!(
            found,
            [(0, 16, 2, 0.375, 0.1875), (0, 23, 1, 0.25, 0.125), (1, 16, 1, 1.0, 0.5)]
        );
    }

    #[test]
    fn faults_are_seen() {
        assert_eq!(curves().fault(), None);
        let broken: [fn(&mut LearningCurves); 6] = [
            |c| c.learners.reverse(),
            |c| c.evaluations.swap(0, 1),
            |c| c.evaluations[1] = c.evaluations[0],
            |c| c.evaluations[3].learner = 2,
            |c| c.evaluations[3].test = 1.5,
            |c| c.evaluations[0].seconds = f64::NAN,
        ];
        for (i, change) in broken.iter().enumerate() {
            let mut curves = curves();
            change(&mut curves);
            assert!(curves.fault().is_some(), "change {i}");
        }
    }
}

//! Learning curves as two tables: their means over splits, and every single training. Separate from loading, so that a
//! change to a loader reruns the loading and, if the tables are the same, nothing else.

use data::curves::LearningCurves;

use crate::{port::In, row::Row};

/// The curves.
pub const CURVES: In<CurvePoint> = In::new("curves");
/// The trainings behind them.
pub const TRAININGS: In<CurveTraining> = In::new("trainings");

/// A learner's mean errors after training on a number of instances.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct CurvePoint {
    /// number of the data set at `OpenML`
    pub data_set: u32,
    /// the learner
    pub learner: String,
    /// instances that it was trained on
    pub size: u32,
    /// splits that were averaged over
    pub splits: usize,
    /// mean share of the validation part that is classified wrongly
    pub validation: f64,
    /// mean share of the test part that is classified wrongly
    pub test: f64,
    /// mean time of training
    #[row(unit = "s")]
    pub seconds: f64,
}

/// One recorded training of a learner, with its errors.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct CurveTraining {
    /// number of the data set at `OpenML`
    pub data_set: u32,
    /// the learner
    pub learner: String,
    /// instances that it was trained on
    pub size: u32,
    /// number of the split that set the test part apart
    pub outer: u32,
    /// number of the split of the rest into training and validation
    pub inner: u32,
    /// share of the validation part that is classified wrongly
    pub validation: f64,
    /// share of the test part that is classified wrongly
    pub test: f64,
    /// time of training
    #[row(unit = "s")]
    pub seconds: f64,
}

/// The rows of the curves, in the order of data set, learner and size.
#[must_use]
pub fn points(curves: &LearningCurves) -> Vec<CurvePoint> {
    let point = |point: data::curves::Point| CurvePoint {
        data_set: point.data_set,
        learner: curves.learners[point.learner].clone(),
        size: point.size,
        splits: point.splits,
        validation: point.validation,
        test: point.test,
        seconds: point.seconds,
    };
    curves.points().into_iter().map(point).collect()
}

/// The rows of all trainings, in the order of data set, learner, size and splits.
#[must_use]
pub fn trainings(curves: &LearningCurves) -> Vec<CurveTraining> {
    let training = |one: &data::curves::Evaluation| CurveTraining {
        data_set: one.data_set,
        learner: curves.learners[one.learner].clone(),
        size: one.size,
        outer: one.outer,
        inner: one.inner,
        validation: one.validation,
        test: one.test,
        seconds: one.seconds,
    };
    curves.evaluations.iter().map(training).collect()
}

#[cfg(test)]
mod tests {
    use data::curves::Evaluation;

    use super::*;

    #[test]
    fn rows_name_their_learners() {
        let one = |learner, test| Evaluation {
            data_set: 6,
            learner,
            size: 16,
            outer: 0,
            inner: 0,
            validation: 0.5,
            test,
            seconds: 0.125,
        };
        let learners = vec!["svm".to_owned(), "tree".to_owned()];
        let evaluations = vec![one(0, 0.25), one(1, 0.75)];
        let curves = LearningCurves { learners, evaluations };
        let (points, trainings) = (points(&curves), trainings(&curves));
        let means: Vec<_> = points.iter().map(|row| (row.learner.as_str(), row.test)).collect();
        let single: Vec<_> = trainings.iter().map(|row| (row.learner.as_str(), row.test)).collect();
        assert_eq!(means, [("svm", 0.25), ("tree", 0.75)]);
        assert_eq!(means, single);
    }
}

//! Learning curves as a table: their means over splits. Separate from loading, so that a change to a loader reruns the
//! loading and, if the table is the same, nothing else.

use data::curves::LearningCurves;

use crate::{port::In, row::Row};

/// The curves.
pub const CURVES: In<CurvePoint> = In::new("curves");

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
        let rows = points(&LearningCurves { learners, evaluations });
        let found: Vec<_> = rows.iter().map(|row| (row.learner.as_str(), row.test)).collect();
        assert_eq!(found, [("svm", 0.25), ("tree", 0.75)]);
    }
}

//! Linear classifiers: one score for two classes, one score per class for more. The modules below fit their
//! weights.

pub mod elastic_sgd;
pub mod penalised;
mod quadratic_model;

use ndarray::{Array2, ArrayView2};
use numerics::linalg::vector::dot;

use super::gaussian_nb::arg_max;

/// Weights and offsets.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    /// One row of weights per score (scores × features).
    pub weights: Array2<f64>,
    /// One offset per score.
    pub offsets: Vec<f64>,
}

/// The number of scores that separate `classes` classes; the single score of two classes is for class 1.
pub(crate) fn scores(classes: usize) -> usize {
    if classes == 2 { 1 } else { classes }
}

/// The sign of a label in the binary problem of score `k`.
#[inline(always)]
pub(crate) fn sign(label: u32, k: usize, scores: usize) -> f64 {
    let own = if scores == 1 { 1 } else { k as u32 };
    if label == own { 1.0 } else { -1.0 }
}

/// The class predicted by the scores of a row: the first of the largest. NaN is neither the largest score nor
/// positive.
pub(crate) fn class(scores: &[f64]) -> u32 {
    match scores {
        [one] => u32::from(*one > 0.0),
        _ => arg_max(scores.iter().copied()),
    }
}

impl Linear {
    /// A classifier whose scores are all 0.
    pub(crate) fn zeros(scores: usize, features: usize) -> Self {
        Self { weights: Array2::zeros((scores, features)), offsets: vec![0.0; scores] }
    }

    /// The weights, score after score.
    pub(crate) fn weights_mut(&mut self) -> &mut [f64] {
        self.weights.as_slice_mut().expect("built in standard layout")
    }

    /// The scores of a row.
    pub fn scores(&self, row: &[f64]) -> Vec<f64> {
        let weights = self.weights.as_slice().expect("built in standard layout");
        let one = |(w, b): (&[f64], &f64)| dot(w, row) + b;
        weights.chunks_exact(row.len()).zip(&self.offsets).map(one).collect()
    }

    /// The class of each row (n×d).
    pub fn classify(&self, x: ArrayView2<'_, f64>) -> Vec<u32> {
        x.rows().into_iter().map(|row| class(&self.scores(&row.to_vec()))).collect()
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.weights.iter().chain(&self.offsets).all(|v| v.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_largest_score_wins_and_two_classes_need_one() {
        let x = array![[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]];
        let two = Linear { weights: array![[1.0, -1.0]], offsets: vec![0.5] };
        assert_eq!(two.classify(x.view()), [1, 0, 1]);
        let weights = array![[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]];
        let three = Linear { weights, offsets: vec![0.0, 0.0, 0.1] };
        assert_eq!(three.classify(x.view()), [0, 1, 2]);
        assert_eq!(class(&[f64::NAN]), 0);
        assert!(three.is_finite());
    }
}

//! The rules by which configurations are evaluated.

use serde::{Deserialize, Serialize};

use super::protocol::{Formula, Options, TestLabels};

/// What a family of data sets is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Share of right predictions.
    Accuracy,
    /// F1 of class 1; the mean over classes where there are more than two.
    F1,
    /// Recall less false alarm rate.
    RecallLessFalseAlarm,
}

/// The rules by which configurations are evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Rules {
    /// What is maximised.
    pub metric: Metric,
    /// Which formulas and variants are used.
    pub formula: Formula,
    /// Which variants of the treatments are used.
    pub options: Options,
    /// What the labels of the test part are.
    pub test_labels: TestLabels,
    /// Epochs of a full training.
    pub epochs: u32,
    /// Rows a step of SGD.
    pub batch: usize,
    /// Learning rate of SGD.
    pub rate: f64,
}

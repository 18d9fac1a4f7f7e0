//! The intervals of Tables V to VIII.

use kit::row::Row;

use super::label::Label;

/// 95% intervals of a treatment's medians on a task. A metric that was not measured has none.
#[derive(Row, Clone, Debug)]
pub struct Interval {
    /// The task and the treatment.
    #[row(flatten)]
    pub label: Label,
    /// repeats
    pub n: usize,
    /// lower end for the score that counts
    pub score_low: f64,
    /// its upper end
    pub score_high: f64,
    /// lower end
    pub accuracy_low: f64,
    /// upper end
    pub accuracy_high: f64,
    /// lower end
    pub f1_low: f64,
    /// upper end
    pub f1_high: f64,
    /// lower end for recall
    pub pd_low: f64,
    /// upper end for recall
    pub pd_high: f64,
    /// lower end for the false alarm rate
    pub pf_low: f64,
    /// upper end for the false alarm rate
    pub pf_high: f64,
    /// lower end
    pub precision_low: f64,
    /// upper end
    pub precision_high: f64,
}

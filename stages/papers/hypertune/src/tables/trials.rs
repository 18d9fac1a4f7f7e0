//! The evaluations and the cost of a run.

use kit::{
    row::{ReadRow, Row},
    table::{Columns, Rows, TableError},
};
use serde::{Deserialize, Serialize};

/// Number of hyper-parameters for which the tables have columns.
pub const MOST_PARAMETERS: usize = 6;

/// The description of a run: the first columns of every table of runs.
#[derive(Row, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// learner on a data set
    pub task: String,
    /// learner that was tuned
    pub learner: String,
    /// data set
    pub data: String,
    /// tuner
    pub method: String,
    /// repeat, from 0
    pub repeat: u32,
}

/// The configuration, in the order of the learner's parameters: one column each, unused ones empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters(pub Vec<f64>);

impl Row for Parameters {
    fn add(rows: &[&Self], table: Columns) -> Columns {
        (0..MOST_PARAMETERS).fold(table, |table, p| {
            let values: Vec<Option<f64>> = rows.iter().map(|row| row.0.get(p).copied()).collect();
            let values: Vec<_> = values.iter().collect();
            let what = "hyper-parameter, in its own unit";
            table.cells::<Option<f64>>(&format!("p{p}"), what, &values)
        })
    }
}

impl ReadRow for Parameters {
    fn read(table: Rows) -> Result<Vec<Self>, TableError> {
        let column = |p| table.cells::<Option<f64>>(&format!("p{p}"));
        let columns = (0..MOST_PARAMETERS).map(column).collect::<Result<Vec<_>, _>>()?;
        let row = |i: usize| Self(columns.iter().map_while(|column| column[i]).collect());
        Ok((0..table.len()).map(row).collect())
    }
}

/// One evaluation.
#[derive(Row, Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The configuration.
    #[row(flatten)]
    pub config: Parameters,
    /// one over the share of the training rows
    pub divisor: u32,
    /// error on the validation part
    pub validation: f64,
    /// error on the held-out part
    pub held_out: Option<f64>,
    /// multiplications so far
    pub work: f64,
    /// variance of the noise that the process saw
    pub noise: Option<f64>,
    /// what the run reports
    pub chosen: bool,
}

/// One evaluation of a run.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// The run.
    #[row(flatten)]
    pub label: Label,
    /// number within the run, from 0
    pub evaluation: usize,
    /// What it is.
    #[row(flatten)]
    pub entry: Entry,
}

/// The times of a run.
#[derive(Row, Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// CPU seconds of the tuner itself
    pub tuner_s: f64,
    /// CPU seconds of trainings and predictions
    pub train_s: f64,
}

/// The run of these times.
#[derive(Row, Clone, Debug)]
pub struct Taken {
    /// The run.
    #[row(flatten)]
    pub label: Label,
    /// What it took.
    #[row(flatten)]
    pub times: Times,
}

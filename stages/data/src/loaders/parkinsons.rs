//! Reads Parkinson's telemonitoring data: a comma-separated table with a header line.
//!
//! DIFFERS: \[Pedregosa2016\] gives the size as 5875 × 26; the published file has 22 columns (the
//! publisher's page speaks of 26 attributes too). Used here by default: the 19 columns that are
//! neither the subject's number nor a target, to predict `total_UPDRS`. The subject's number is
//! an identifier, not a measurement; `motor_UPDRS` is a part of `total_UPDRS`, so either would
//! give the target away.

use ndarray::Axis;

use super::super::error::LoadError;
use super::super::files::Files;
use super::super::loaded::{Features, Loaded, Target};
use super::numbers::{Separator, table, text};

const SUBJECT: &str = "subject#";
const COLUMNS: [&str; 22] = [
    SUBJECT,
    "age",
    "sex",
    "test_time",
    "motor_UPDRS",
    "total_UPDRS",
    "Jitter(%)",
    "Jitter(Abs)",
    "Jitter:RAP",
    "Jitter:PPQ5",
    "Jitter:DDP",
    "Shimmer",
    "Shimmer(dB)",
    "Shimmer:APQ3",
    "Shimmer:APQ5",
    "Shimmer:APQ11",
    "Shimmer:DDA",
    "NHR",
    "HNR",
    "RPDE",
    "DFA",
    "PPE",
];

/// Which of the two clinical scores is predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Score {
    /// The motor part of the score.
    Motor,
    /// The total score.
    #[default]
    Total,
}

impl Score {
    fn column(self) -> &'static str {
        match self {
            Self::Motor => "motor_UPDRS",
            Self::Total => "total_UPDRS",
        }
    }
}

/// Which columns are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The target.
    pub score: Score,
    /// Whether the subject's number is a feature.
    pub with_subject: bool,
    /// Whether the score that is not the target is a feature.
    pub with_other_score: bool,
}

/// 5875 × 19, target `total_UPDRS`; not standardised.
///
/// # Errors
/// If the file is malformed.
pub fn load(files: &Files) -> Result<Loaded, LoadError> {
    load_choice(files, Choice::default())
}

/// 5875 × 19 to 21 with the columns of `choice`; not standardised.
///
/// # Errors
/// If the file is malformed.
pub fn load_choice(files: &Files, choice: Choice) -> Result<Loaded, LoadError> {
    let (file, bytes) = files.read("parkinsons_updrs.data")?;
    let text = text(file, &bytes)?;
    if !text.lines().next().is_some_and(|line| line.split(',').eq(COLUMNS)) {
        return Err(LoadError::line(file, 1, format!("expected the header {}", COLUMNS.join(","))));
    }
    let all = table(file, text, 1, Separator::Comma, COLUMNS.len())?;
    let target = choice.score.column();
    let wanted = |name: &str| match name {
        SUBJECT => choice.with_subject,
        "motor_UPDRS" | "total_UPDRS" => choice.with_other_score && name != target,
        _ => true,
    };
    let columns: Vec<usize> = (0..COLUMNS.len()).filter(|&j| wanted(COLUMNS[j])).collect();
    let scores = (0..COLUMNS.len()).filter(|&j| COLUMNS[j] == target);
    let y = scores.flat_map(|j| all.column(j).to_vec()).collect();
    Ok(Loaded {
        x: Features::Dense(all.select(Axis(1), &columns)),
        y: Target::Real(y),
        feature_names: columns.iter().map(|&j| COLUMNS[j].to_owned()).collect(),
    })
}

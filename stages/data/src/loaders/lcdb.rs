//! Reads the learning curves of the package lcdb \[Mohr2022\]: one line per learner, data set, number of training
//! instances, and split. The package has accuracies; this loader gives errors, so that lower is better.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::curves::{Evaluation, LearningCurves};
use super::super::error::LoadError;
use super::super::files::Files;

/// The role of the one file.
pub const ACCURACIES: &str = "accuracies";

/// The columns of the file.
const HEADER: &str = "openmlid,learner,size_train,size_test,outer_seed,inner_seed,traintime,\
                      score_train,score_valid,score_test";

/// The curves of the file of accuracies.
///
/// # Errors
/// If the file is malformed.
pub fn accuracies(files: &Files) -> Result<LearningCurves, LoadError> {
    let (file, bytes) = files.read(ACCURACIES)?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|error| LoadError::whole(file, format!("it is no text: {error}")))?;
    curves(file, text)
}

fn curves(file: &Path, text: &str) -> Result<LearningCurves, LoadError> {
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Err(LoadError::line(file, 1, format!("expected the columns `{HEADER}`")));
    }
    let name = |line: &str| line.split(',').nth(1).unwrap_or_default().to_owned();
    let learners: BTreeSet<String> = lines.clone().map(name).collect();
    let learners: Vec<String> = learners.into_iter().collect();
    let mut evaluations = Vec::new();
    for (i, line) in lines.enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let fault = |column: usize, what: &str| LoadError::field(file, i + 2, column + 1, what);
        if fields.len() != 10 {
            return Err(LoadError::line(file, i + 2, "expected 10 columns"));
        }
        let whole = |j: usize| fields[j].parse().map_err(|_| fault(j, "expected a whole number"));
        let number = |j: usize| fields[j].parse::<f64>().map_err(|_| fault(j, "expected a number"));
        evaluations.push(Evaluation {
            data_set: whole(0)?,
            learner: learners.partition_point(|own| own.as_str() < fields[1]),
            size: whole(2)?,
            outer: whole(4)?,
            inner: whole(5)?,
            seconds: number(6)?,
            validation: 1.0 - number(8)?,
            test: 1.0 - number(9)?,
        });
    }
    evaluations.sort_by_key(|one| (one.data_set, one.learner, one.size, one.outer, one.inner));
    let curves = LearningCurves { learners, evaluations };
    curves.fault().map_or(Ok(curves), |what| Err(LoadError::whole(file, what)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<LearningCurves, String> {
        let text = [&[HEADER], lines].concat().join("\n");
        curves(Path::new("x.csv"), &text).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_come_in_order_with_errors_for_accuracies() {
        let found = read(&[
            "44,tree,16,461,0,1,0.5,1.0,0.75,0.5",
            "44,svm,16,461,0,0,0.25,1.0,0.5,1.0",
            "3,tree,23,461,2,0,0.125,1.0,1.0,0.25",
        ])
        .unwrap();
        assert_eq!(found.learners, ["svm", "tree"]);
        let places: Vec<_> = found
            .evaluations
            .iter()
            .map(|e| (e.data_set, e.learner, e.size, e.outer, e.inner))
            .collect();
        assert_eq!(places, [(3, 1, 23, 2, 0), (44, 0, 16, 0, 0), (44, 1, 16, 0, 1)]);
        let last = found.evaluations[2];
        assert_eq!((last.validation, last.test, last.seconds), (0.25, 0.5, 0.5));
    }

    #[test]
    fn what_is_no_curve_is_refused_with_its_place() {
        let line = "44,tree,16,461,0,1,0.5,1.0,0.75,0.5";
        for (lines, expected) in [
            (vec!["44,tree,16"], "x.csv, line 2: expected 10 columns"),
            (
                vec![line, "44,tree,many,461,0,1,0.5,1.0,0.75,0.5"],
                "x.csv, line 3, column 3: expected a whole number",
            ),
            (
                vec!["44,tree,16,461,0,1,0.5,1.0,good,0.5"],
                "x.csv, line 2, column 9: expected a number",
            ),
            (vec![line, line], "x.csv: the evaluations are not in order, each once"),
            (
                vec!["44,tree,16,461,0,1,0.5,1.0,NaN,0.5"],
                "x.csv: an error is no share, or a training took no time",
            ),
        ] {
            assert_eq!(read(&lines).unwrap_err(), expected);
        }
        let other = curves(Path::new("x.csv"), "a,b\n1,2").unwrap_err().to_string();
        assert!(other.starts_with("x.csv, line 1: expected the columns"), "{other}");
    }
}

//! Checks the metrics of a reference file against `metrics`.

use models::preprocess::ultrasample::exchange_labels;
use stats::metrics::{Confusion, accuracy, bayesmark_score, macro_f1, normalised_regret};

use super::sets::{Sets, VALUE, classes, number, numbers};
use crate::{
    Error,
    case::{Case, keep},
    node::Node,
};

/// The largest number of rows that a file can ask for.
const ROWS: usize = 10_000_000;

/// Scores of named predictions for `y_test`: `NAME_pred`, all ones or all zeros; `NAME_flipped` has truth and
/// predictions flipped, `NAME_on_flipped_labels` only the truth.
///
/// # Errors
/// If the section is malformed.
pub fn binary(section: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let truth = classes(&section.need("y_test")?)?;
    for (key, node) in section.members()? {
        if key == "description" || key == "y_test" || key.ends_with("_pred") {
            continue;
        }
        let (base, flip_truth, flip_both) = match key.strip_suffix("_on_flipped_labels") {
            Some(base) => (base, true, false),
            None => match key.strip_suffix("_flipped") {
                Some(base) => (base, false, true),
                None => (key, false, false),
            },
        };
        let predicted = match (base, section.get(&format!("{base}_pred"))) {
            (_, Some(given)) => classes(&given)?,
            ("all_ones", None) => vec![1; truth.len()],
            ("all_zeros", None) => vec![0; truth.len()],
            _ => {
                cases.push(Case::not_understood(node.at));
                continue;
            }
        };
        let flip = |labels: &[u32], yes: bool| {
            if yes { exchange_labels(labels) } else { labels.to_vec() }
        };
        let counts =
            Confusion::new(&flip(&truth, flip_truth || flip_both), &flip(&predicted, flip_both));
        for (metric, value) in node.members()? {
            let computed = match metric {
                "tp" => counts.tp as f64,
                "fp" => counts.fp as f64,
                "tn" => counts.tn as f64,
                "fn" => counts.fn_ as f64,
                "accuracy" => counts.accuracy(),
                "f1" => counts.f1(),
                "pd" => counts.pd(),
                "pf" => counts.pf(),
                "precision" => counts.precision(),
                "pd_minus_pf" => counts.pd_minus_pf(),
                "auc_of_hard_labels" => counts.auc(),
                "d2h" => counts.d2h(),
                "g1" => counts.g1(),
                _ => {
                    cases.push(Case::ignored(value.at));
                    continue;
                }
            };
            cases.push(value.absolute(computed, 1e-12));
        }
    }
    Ok(())
}

/// The share of the most frequent class.
fn majority(y: &[u32]) -> f64 {
    let most = y.iter().map(|&c| vec![c; y.len()]).map(|guess| accuracy(y, &guess));
    most.fold(0.0, f64::max)
}

/// Scores for more than two classes, and the labels after flipping.
///
/// # Errors
/// If the section is malformed.
pub fn multiclass(section: &Node<'_>, sets: &Sets<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    for (name, node) in section.members()? {
        if name == "description" {
            continue;
        }
        let (truth, predicted) = (classes(&node.need("y_test")?)?, classes(&node.need("pred")?)?);
        let collapsed = exchange_labels(&truth);
        let as_numbers = |y: &[u32]| y.iter().map(|&c| f64::from(c)).collect::<Vec<_>>();
        for (key, value) in node.members()? {
            match key {
                "pred" => (),
                "y_test" => match sets.split(name) {
                    Ok((_, test)) => numbers(&value, &as_numbers(&test.y), cases),
                    Err(error) => keep(Err(error), cases),
                },
                "collapsed_labels_by_original_ultrasample" => {
                    numbers(&value, &as_numbers(&collapsed), cases);
                }
                "accuracy" => number(&value, accuracy(&truth, &predicted), VALUE, cases),
                "macro_f1" => number(&value, macro_f1(&truth, &predicted), VALUE, cases),
                "majority_accuracy_true_labels" => number(&value, majority(&truth), VALUE, cases),
                "majority_accuracy_collapsed" => {
                    number(&value, majority(&collapsed), VALUE, cases);
                }
                _ => cases.push(Case::ignored(value.at)),
            }
        }
    }
    Ok(())
}

/// F1 of constant predictions from the counts of a test part, and the published value that one of
/// them rounds to.
///
/// # Errors
/// If the section is malformed.
pub fn constant(section: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    for row in section.need("rows")?.items()? {
        let n = row.need("n")?.count(ROWS, "a number of rows up to 10^7")?;
        let defective = row.need("defective")?.number()?;
        let truth: Vec<u32> = (0..n).map(|i| u32::from((i as f64) < defective)).collect();
        let always = vec![1; truth.len()];
        let plain = Confusion::new(&truth, &always).f1();
        let flipped = Confusion::new(&exchange_labels(&truth), &always).f1();
        for (key, value) in row.members()? {
            match key {
                "task" | "test_file" | "n" | "defective" => (),
                "f1_always_defective" => number(&value, plain, VALUE, cases),
                "f1_always_positive_after_label_flip" => number(&value, flipped, VALUE, cases),
                "table_vii_value" => {
                    let printed = value.extended()?;
                    let distance = |f1: f64| (100.0 * f1 - printed).abs();
                    let nearest = if distance(plain) < distance(flipped) { plain } else { flipped };
                    // Printed with one decimal.
                    cases.push(Case::absolute(value.at, 100.0 * nearest, printed, 0.05 + 1e-9));
                }
                _ => cases.push(Case::ignored(value.at)),
            }
        }
    }
    Ok(())
}

/// The Bayesmark score of a small example.
///
/// # Errors
/// If the section is malformed.
pub fn bayesmark(section: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let (best, clip) = (section.need("best")?.number()?, section.need("clip")?.number()?);
    let perf: Vec<Vec<f64>> =
        section.need("perf")?.items()?.iter().map(Node::numbers).collect::<Result<_, _>>()?;
    for (key, value) in section.members()? {
        match key {
            "description" | "best" | "clip" | "perf" => (),
            "normed" => {
                for (row, losses) in value.items()?.iter().zip(&perf) {
                    let normed: Vec<f64> =
                        losses.iter().map(|&loss| normalised_regret(loss, best, clip)).collect();
                    numbers(row, &normed, cases);
                }
            }
            "score_last" => {
                let last = perf.last().map_or(&[][..], Vec::as_slice);
                number(&value, bayesmark_score(last, best, clip), VALUE, cases);
            }
            _ => cases.push(Case::ignored(value.at)),
        }
    }
    Ok(())
}

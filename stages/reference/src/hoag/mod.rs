//! Files of bilevel reference values: which section is checked by what.
//! Knows the sections' names and no data set.

mod kernel;
mod logistic;
mod multinomial;
mod sets;
mod traces;

use models::bilevel::labelled::Labelled;
use serde_json::{Map, Value};

use crate::{
    DataSource, Error,
    case::{Case, keep},
    node::Node,
    prepare::thirds,
};
use sets::{Sets, VALUE, compare_all};

/// Checks every section of a file.
///
/// # Errors
/// If a section is malformed or data are not available.
pub fn check(top: &Map<String, Value>, source: &DataSource<'_>) -> Result<Vec<Case>, Error> {
    let protocol = top.get("protocol").and_then(Value::as_object);
    let sentences = protocol
        .into_iter()
        .flatten()
        .filter_map(|(key, text)| Some((key.clone(), text.as_str()?.to_owned())))
        .collect();
    let sets = Sets::new(source, sentences);
    let mut cases = Vec::new();
    for (key, value) in top {
        let node = Node { at: key.clone(), value };
        match key.as_str() {
            "description" | "protocol" | "note" => (),
            _ if value.is_null() => (),
            "input_checks" => keep(inputs(&node, &sets, &mut cases), &mut cases),
            "kernel_ridge" => keep(kernel::check(&node, &sets, &mut cases), &mut cases),
            "multinomial" => keep(multinomial::check(&node, &sets, &mut cases), &mut cases),
            "logistic" => keep(logistic::check(&node, &sets, &mut cases), &mut cases),
            "original_code_traces" => {
                keep(traces::published(&node, "code-head", &sets, &mut cases), &mut cases);
            }
            "paper_era_code_traces" => {
                let checked = node
                    .need("traces")
                    .and_then(|node| traces::published(&node, "code-2016", &sets, &mut cases));
                keep(checked, &mut cases);
            }
            // CPU seconds of another machine: shown, never compared.
            "timing" => cases.push(Case::informative("timing (not compared)", f64::NAN, f64::NAN)),
            _ => cases.push(Case::ignored(key)),
        }
    }
    Ok(cases)
}

/// Checks that the prepared data are the file's: a wrong input must not look like a wrong method.
fn inputs(section: &Node<'_>, sets: &Sets<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    for (name, node) in section.given()? {
        let all = match sets.prepared(name) {
            Ok(all) => all,
            Err(error) => {
                keep(Err(error), cases);
                continue;
            }
        };
        let t = thirds(&all);
        let parts = [&t.train, &t.test, &t.validation];
        let frobenius =
            |part: &Labelled| part.features.row_norms().iter().map(|v| v * v).sum::<f64>().sqrt();
        for (key, value) in node.given()? {
            let computed: Vec<f64> = match key {
                "n_rows" => parts.iter().map(|p| p.targets.len() as f64).collect(),
                "n_features" => vec![all.features.n_cols() as f64],
                "sum_b" => parts.iter().map(|p| p.targets.iter().sum()).collect(),
                "frobenius" => parts.iter().map(|p| frobenius(p)).collect(),
                "frobenius_all" => vec![frobenius(&all)],
                "train_row0_first5" | "row0" => first_row(&t.train),
                "y_first5" => all.targets.clone(),
                _ => {
                    cases.push(Case::ignored(value.at));
                    continue;
                }
            };
            compare_all(&value, &computed, VALUE, cases);
        }
    }
    Ok(())
}

/// The first row of a part.
fn first_row(part: &Labelled) -> Vec<f64> {
    let mut unit = vec![0.0; part.targets.len()];
    unit[0] = 1.0;
    let mut row = vec![0.0; part.features.n_cols()];
    part.features.transpose_times(&unit, &mut row);
    row
}

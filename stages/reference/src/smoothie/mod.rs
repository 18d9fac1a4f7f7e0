//! Files of reference values for learners on prepared data: scalers, over-sampling, label
//! engineering, smoothness and metrics. Which section is checked by what; knows no data set.

mod bounds;
mod metrics;
mod preprocess;
mod sets;

use serde_json::{Map, Value};

use crate::{
    DataSource, Error,
    case::{Case, keep},
    node::Node,
};
use sets::Sets;

/// Sections each of which makes a file of this format.
const SECTIONS: [&str; 8] = [
    "preprocessing_first3",
    "preprocessing_full_matrix",
    "label_engineering",
    "fuzzy_sampling",
    "metrics",
    "metrics_multiclass",
    "constant_classifier_f1",
    "bayesmark_score_example",
];
/// What a data set has in this format.
const CHECKED: [&str; 9] = [
    "n_rows",
    "n_train",
    "n_test",
    "train_class_counts",
    "test_class_counts",
    "gnb",
    "gnb_one_vs_rest",
    "lr",
    "ff",
];

/// Whether a file with these top-level keys has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    let checked = |set: &Value| CHECKED.iter().any(|key| set.get(*key).is_some());
    let sets = top.get("datasets").and_then(Value::as_object);
    SECTIONS.iter().any(|key| top.contains_key(*key))
        || sets.is_some_and(|sets| sets.values().any(checked))
}

/// Checks every section of a file.
///
/// # Errors
/// If a section is malformed or data are not available.
pub fn check(top: &Map<String, Value>, source: &DataSource<'_>) -> Result<Vec<Case>, Error> {
    let sets_named = top.get("datasets").and_then(Value::as_object);
    let split = top.get("protocol").and_then(|p| p.get("split")).and_then(Value::as_str);
    let names = sets_named.into_iter().flat_map(Map::keys).cloned().collect();
    let sets = Sets::new(source, names, split.unwrap_or_default());
    let mut cases = Vec::new();
    for (key, value) in top {
        let node = Node { at: key.clone(), value };
        match key.as_str() {
            "description" | "protocol" | "note" => (),
            _ if value.is_null() => (),
            "datasets" => keep(bounds::check(&node, &sets, &mut cases), &mut cases),
            "preprocessing_first3" => keep(preprocess::parts(&node, &sets, &mut cases), &mut cases),
            "preprocessing_full_matrix" => {
                keep(preprocess::whole(&node, &sets, &mut cases), &mut cases);
            }
            "fuzzy_sampling" => keep(preprocess::fuzzy(&node, &mut cases), &mut cases),
            "label_engineering" => keep(preprocess::labels(&node, &sets, &mut cases), &mut cases),
            "metrics" => keep(metrics::binary(&node, &mut cases), &mut cases),
            "metrics_multiclass" => keep(metrics::multiclass(&node, &sets, &mut cases), &mut cases),
            "constant_classifier_f1" => keep(metrics::constant(&node, &mut cases), &mut cases),
            "bayesmark_score_example" => keep(metrics::bayesmark(&node, &mut cases), &mut cases),
            _ => cases.push(Case::ignored(key)),
        }
    }
    Ok(cases)
}

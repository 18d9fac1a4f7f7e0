//! Files of reference values for learners on prepared data: scalers, over-sampling, label
//! engineering, smoothness and metrics. Which section is checked by what; knows no data set.

mod bounds;
mod metrics;
mod preprocess;
mod sets;

use serde_json::{Map, Value};

use crate::{
    DataSource, Error,
    case::{Case, Node},
};
use sets::{Sets, number_after};

/// Sections by which a file of this format is recognised.
pub const SECTIONS: [&str; 4] =
    ["preprocessing_first3", "label_engineering", "fuzzy_sampling", "metrics_multiclass"];

/// Whether a file with these top-level keys has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    SECTIONS.iter().any(|key| top.contains_key(*key))
}

/// Checks every section of a file.
///
/// # Errors
/// If a section is malformed or data are not available.
pub fn check(top: &Map<String, Value>, source: &DataSource<'_>) -> Result<Vec<Case>, Error> {
    let sets_named = top.get("datasets").and_then(Value::as_object);
    let split = top.get("protocol").and_then(|p| p.get("split")).and_then(Value::as_str);
    let every = split.and_then(|text| number_after(text, "mod ")).filter(|&n| n > 0);
    let names = sets_named.into_iter().flat_map(Map::keys).cloned().collect();
    let sets = Sets::new(source, names, every.unwrap_or(5));
    let mut cases = Vec::new();
    for (key, value) in top {
        let node = Node { at: key.clone(), value };
        match key.as_str() {
            "description" | "protocol" | "note" => (),
            "datasets" => bounds::check(&node, &sets, &mut cases)?,
            "preprocessing_first3" => preprocess::parts(&node, &sets, &mut cases)?,
            "preprocessing_full_matrix" => preprocess::whole(&node, &sets, &mut cases)?,
            "fuzzy_sampling" => preprocess::fuzzy(&node, &mut cases)?,
            "label_engineering" => preprocess::labels(&node, &sets, &mut cases)?,
            "metrics" => metrics::binary(&node, &mut cases)?,
            "metrics_multiclass" => metrics::multiclass(&node, &sets, &mut cases)?,
            "constant_classifier_f1" => metrics::constant(&node, &mut cases)?,
            "bayesmark_score_example" => metrics::bayesmark(&node, &mut cases)?,
            _ => cases.push(Case::not_understood(key)),
        }
    }
    Ok(cases)
}

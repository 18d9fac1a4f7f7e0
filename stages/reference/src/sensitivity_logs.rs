//! Summaries of the sensitivity logs that the authors of SMOOTHIE published: the best of a few configurations
//! chosen by smoothness or at random. The logs themselves are not in such a file, nor is the generator that
//! resampled them: nothing can be computed, and the file is only recognised.

use serde_json::{Map, Value};

use super::case::Case;

/// What a data set has in this format.
const SUMMARIES: [&str; 3] = ["smoothie", "random5", "least_smooth"];

/// Whether a file has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    let summary = |set: &Value| SUMMARIES.iter().all(|key| set.get(*key).is_some());
    let sets = top.get("datasets").and_then(Value::as_object);
    sets.is_some_and(|sets| sets.values().any(summary))
}

/// One line that says why nothing is compared, and any other section.
pub fn check(top: &Map<String, Value>) -> Vec<Case> {
    let known = ["protocol", "description", "note", "datasets"];
    let reason =
        "datasets (resamples of the authors' logs, which the file does not have: not compared)";
    let mut cases = vec![Case::informative(reason, f64::NAN, f64::NAN)];
    cases.extend(top.keys().filter(|key| !known.contains(&key.as_str())).map(Case::ignored));
    cases
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn summaries_are_recognised_and_never_compared() {
        let set = json!({"n": 100, "smoothie": 0.2, "random5": 0.1, "least_smooth": 0.3});
        let file = json!({"protocol": "", "datasets": {"ant": set}});
        let top = file.as_object().unwrap();
        assert!(recognises(top));
        let cases = check(top);
        assert!(cases.len() == 1 && cases[0].passed(), "{cases:?}");
        assert!(!recognises(json!({"datasets": {"ant": {"n_rows": 3}}}).as_object().unwrap()));
    }
}

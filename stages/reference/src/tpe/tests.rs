//! Tests what is understood, what is not, and what fails.

use serde_json::{Value, json};

use super::*;
use crate::case::Outcome;

/// One small case of each section: kernels of one observation in [0, 1].
fn small() -> Value {
    let settings = json!({"multivariate": true, "prior_weight": 1.0, "consider_magic_clip": true,
        "consider_endpoints": false, "weights": "default"});
    let space = json!([{"name": "c", "type": "categorical", "n_choices": 3}]);
    let kernels =
        json!({"c": {"category_weights": [[0.2, 0.2, 0.6], [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]]}});
    let prior = json!({"c": {"category_weights": [[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]]}});
    let (l, g) = ((0.3_f64 + 1.0 / 6.0).ln(), (1.0_f64 / 3.0).ln());
    json!({
        "protocol": {}, "tolerances": {"log_pdf_absolute": 1e-11, "indices": "exact"},
        "default_gamma": {"n": [1, 11], "n_below": [1, 2], "hyperopt_rule": [1, 1]},
        "default_weights": [{"n": 2, "weights": [1.0, 1.0]}],
        "parzen_estimators": [{"name": "a", "search_space": space, "settings": settings,
            "observations": [[2]], "points": [[2], ["nan"]], "expected": {"optuna_4.9.0_and_5.0.0":
            {"weights": [0.5, 0.5], "kernels": kernels, "log_pdf": [l, "nan"],
            "log_pdf_60_digits": [l, "nan"], "max_abs_difference": 0.0}}}],
        "splits": [{"name": "b", "direction": "maximize", "trials": [
            {"state": "pruned", "intermediate": {"9": 1.0, "10": "nan"}},
            {"state": "complete", "value": "-inf"}],
            "expected": {"n_below": 1, "below": [1], "above": [0]}}],
        "acquisitions": [{"name": "c", "search_space": space, "settings": settings,
            "direction": "minimize", "observations": [[2]], "values": [1.0], "points": [[0], [2]],
            "expected": {"optuna_5.0.0": {"n_below": 1, "below": [0], "above": [],
            "below_estimator": {"weights": [0.5, 0.5], "kernels": kernels},
            "above_estimator": {"weights": [1.0], "kernels": prior},
            "log_g_60_digits": [g, g], "best_point_index": 1}}}],
        "hyperopt_adaptive_parzen_normal": [{"name": "d", "inputs": {"mus": [0.5],
            "prior_weight": 1.0, "prior_mu": 0.0, "prior_sigma": 2.0, "LF": 25, "points": [],
            "low": -1.0, "high": 1.0}, "expected": {"mus": [0.0, 0.5], "prior_position": 0}}],
    })
}

fn checked(file: &Value) -> Vec<Case> {
    let top = file.as_object().unwrap();
    assert!(recognises(top));
    check(top).unwrap()
}

fn with(outcome: Outcome, file: &Value) -> usize {
    checked(file).iter().filter(|case| case.outcome == outcome).count()
}

#[test]
fn every_section_is_computed() {
    let cases = checked(&small());
    let wrong: Vec<_> = cases.iter().filter(|case| !case.passed()).collect();
    assert!(wrong.is_empty() && cases.len() > 60, "{} {wrong:?}", cases.len());
}

#[test]
fn other_numbers_fail() {
    for (at, value) in [
        ("/default_gamma/n_below/1", json!(3)),
        ("/default_weights/0/weights/1", json!(0.5)),
        ("/parzen_estimators/0/expected/optuna_4.9.0_and_5.0.0/log_pdf_60_digits/1", json!(0.0)),
        ("/splits/0/expected/below/0", json!(0)),
        ("/acquisitions/0/expected/optuna_5.0.0/best_point_index", json!(0)),
        ("/hyperopt_adaptive_parzen_normal/0/expected/mus/1", json!(0.6)),
    ] {
        let mut file = small();
        *file.pointer_mut(at).unwrap() = value;
        assert!(with(Outcome::Failed, &file) > 0, "{at}");
    }
}

#[test]
fn what_is_not_understood_is_named_and_stops_nothing_else() {
    let all = checked(&small()).len();
    for (at, key) in [
        ("", "more"),
        ("/tolerances", "more"),
        ("/default_gamma", "third_rule"),
        ("/default_weights/0", "sum"),
        ("/parzen_estimators/0", "more"),
        ("/parzen_estimators/0/settings", "group"),
        ("/parzen_estimators/0/search_space/0", "distance"),
        ("/parzen_estimators/0/expected", "optuna_6.0.0"),
        ("/parzen_estimators/0/expected/optuna_4.9.0_and_5.0.0/kernels/c", "mus"),
        ("/splits/0", "constraints"),
        ("/splits/0/trials/0", "constraint"),
        ("/acquisitions/0/expected/optuna_5.0.0", "second_best"),
        ("/acquisitions/0/expected/optuna_5.0.0/below_estimator", "more"),
        ("/hyperopt_adaptive_parzen_normal/0/inputs", "q"),
        ("/hyperopt_adaptive_parzen_normal/0/expected", "more"),
    ] {
        let mut file = small();
        file.pointer_mut(at).unwrap()[key] = json!([1.0]);
        let noted = [Outcome::NotUnderstood, Outcome::Ignored].map(|outcome| with(outcome, &file));
        assert!(noted[0] + noted[1] > 0, "{at}/{key}");
        assert!(checked(&file).len() > all / 2, "{at}/{key}");
    }
    for (at, value) in [
        ("/parzen_estimators/0/settings/weights", "uniform"),
        ("/parzen_estimators/0/search_space/0/type", "ordinal"),
        ("/splits/0/direction", "both"),
        ("/splits/0/trials/1/state", "waiting"),
        ("/acquisitions/0/direction", "both"),
    ] {
        let mut file = small();
        *file.pointer_mut(at).unwrap() = json!(value);
        assert_eq!(with(Outcome::NotUnderstood, &file), 1, "{at}");
    }
}

#[test]
fn malformed_sections_are_refused_by_place() {
    let mut file = small();
    file["parzen_estimators"][0]["points"] = json!([[0.0, 1.0]]);
    let all = checked(&small()).len();
    let cases = checked(&file);
    let odd: Vec<_> = cases.iter().filter(|c| c.outcome == Outcome::NotUnderstood).collect();
    let [odd] = odd.as_slice() else { panic!("{odd:?}") };
    assert!(odd.name.contains("parzen_estimators/a/points") && cases.len() > all / 2, "{odd:?}");
}

#[test]
fn what_need_not_be_given_is_not_needed() {
    let mut file = small();
    file["splits"][0]["trials"][0] = json!({"state": "pruned"});
    assert!(checked(&file).iter().all(Case::passed));
    for key in SECTIONS {
        let part = json!({key: small()[key]});
        assert!(checked(&part).iter().all(Case::passed), "{key}");
    }
}

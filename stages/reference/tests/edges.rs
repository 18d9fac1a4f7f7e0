//! Values at the edges of what a protocol defines, as independent programs compute them.

use std::fs;

use reference::{
    case::{Case, Outcome},
    check,
};
use serde_json::{Value, json};

fn cases(file: &Value) -> Vec<Case> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("values.json");
    fs::write(&path, file.to_string()).unwrap();
    check(&path, &|id| Err(format!("no data set is needed, not {id}"))).unwrap()
}

#[track_caller]
fn reproduced(file: &Value, least: usize) {
    let cases = cases(file);
    let wrong: Vec<_> = cases.iter().filter(|case| !case.passed()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let passed = cases.iter().filter(|case| case.outcome == Outcome::Passed).count();
    assert!(passed >= least, "{passed} of {least}");
}

#[track_caller]
fn not_understood(file: &Value) -> String {
    let cases = cases(file);
    let odd: Vec<_> = cases.iter().filter(|c| c.outcome == Outcome::NotUnderstood).collect();
    let [odd] = odd.as_slice() else { panic!("{cases:?}") };
    odd.name.clone()
}

/// The generator computes in doubles, so that whole numbers of units are off by roundings.
#[test]
fn budgets_and_their_sums_are_not_exact() {
    let file = |name: &str, n: usize, place: usize, item: Value| {
        let mut brackets = vec![json!({}); n];
        brackets[place] = item;
        let section = if name.starts_with('R') { "hyperband_paper" } else { "settings" };
        json!({section: {name: {"brackets": brackets}}})
    };
    let second =
        json!({"s": 3, "n": 34, "r": 3.703703703703703, "total_budget": 448.1481481481481});
    reproduced(&file("R100_eta3", 5, 1, second), 5);
    let first = json!({"r": 0.9999999999999999, "total_budget": 5102.999999999999});
    reproduced(&file("R729_eta3", 7, 0, first), 3);
    let sum = json!({"total_budget": 7299.999999999999});
    reproduced(&file("min10_max1460_eta3", 5, 0, sum), 2);
    let wrong = file("R729_eta3", 7, 0, json!({"total_budget": 5102.99999}));
    assert!(cases(&wrong).iter().any(|case| case.outcome == Outcome::Failed));
}

#[test]
fn budgets_are_read_in_other_spellings() {
    let one = json!({"raw_log_ratio": 0.0, "max_SH_iter": 1, "budgets": [1.0]});
    reproduced(&json!({"settings": {"min1_max1_eta3": one}}), 4);
    reproduced(
        &json!({"settings": {
            "min1e-3_max1_eta3": {"raw_log_ratio": -6.287709822868153, "max_SH_iter": 7},
            "max81_min1_eta3": {"max_SH_iter": 5},
            "min1.0_max81.0_eta3.0": {"max_SH_iter": 5},
        }}),
        4,
    );
}

#[test]
fn budgets_that_cannot_be_used_are_named() {
    for name in ["min1_max1000000000_eta10", "min1_max100_eta2.5", "min1_max100", "min0_max1_eta3"]
    {
        let file =
            json!({"settings": {name: {"max_SH_iter": 9}, "min1_max9_eta3": {"max_SH_iter": 3}}});
        let odd = not_understood(&file);
        assert!(odd.starts_with(&format!("settings/{name}")), "{odd}");
        assert!(cases(&file).iter().any(|case| case.outcome == Outcome::Passed), "{name}");
    }
}

/// BOHB's densities of a column of one category are infinite beside it.
#[test]
fn densities_can_be_infinite() {
    let protocol = "var_type uc, (levels 2)";
    let configs: Vec<[f64; 2]> = (0..8).map(|i| [0.0, f64::from(i) / 8.0]).collect();
    let case = json!({"n": 8, "configs": configs, "losses": [1, 0.0, "inf", -0.0, 0.0, 5, 6, 7],
        "good_rows": [1, 3, 4], "bad_rows": [0, 5, 6, 7, 2], "model_built": true,
        "bw_good": null, "points": [{"x": [1.0, 0.5], "l_good": "inf", "g_bad": "inf", "ratio": "nan"}]});
    reproduced(&json!({"protocol": protocol, "degenerate": null, "cases": [case]}), 15);
}

#[test]
fn a_run_without_a_name_is_understood_in_parts() {
    let initial = json!({"mean": [0.0], "sigma": 1.0, "population_size": 4});
    let told = json!([{"x": [[1.0], [0.5], [-1.0], [-2.0]], "values": [0.0, -0.0, 0.0, "-inf"]}]);
    let run = json!({"initial": initial, "generations": told,
        "states": [{"generation": 1.0, "order": [3, 0, 1, 2]}]});
    reproduced(&json!({"cma": [run]}), 5);
}

#[test]
fn scores_can_be_infinite() {
    let expected = json!({
        "mean": {"estimate": "-inf", "lower": "nan", "upper": "-inf"},
        "median": {"estimate": "-inf", "lower": "nan", "upper": "-inf"},
        "iqm": {"estimate": 0.5, "lower": "nan", "upper": 0.7375},
        "optimality_gap": {"estimate": "inf", "lower": "inf", "upper": "nan"},
        "score_profile": {"estimate": [0.75], "lower": [0.5125], "upper": [0.9875]}});
    let runs = json!([[[0.0, 0], [1, 1]], [[0, 1], [0, 1]], [[1, 0], [1, 0]]]);
    let scores = json!([["-inf", 1.0], [0.5, 0.5]]);
    reproduced(
        &json!({"scores": [{"scores": scores, "taus": [0.0], "gamma": 1.0, "run_resamples": runs,
            "expected": expected}]}),
        15,
    );
}

/// As statsmodels computes them.
#[test]
fn equivalence_is_that_of_the_package_at_its_edges() {
    let at_bound = json!({"x": [1.5, 2.5, 4.5], "y": [0.5, 1.5, 3.5], "low": -1, "high": 1,
        "expected": {"paired": {"p": "nan", "t_lower": "inf", "p_lower": 0.0, "t_upper": "nan",
            "p_upper": "nan", "df": 2.0}}});
    let constant = json!({"x": [1, 1, 1], "y": [0.5, 0.5, 0.5], "low": -1, "high": 1, "expected": {
        "independent_unequal": {"p": "nan", "t_lower": "inf", "p_lower": "nan", "df": "nan"},
        "independent_pooled": {"p": 0.0, "t_lower": "inf", "t_upper": "-inf", "df": 4.0}}});
    let single = json!({"x": [3.0], "y": [1.0, 2.0], "low": -1, "high": 1, "expected": {
        "independent_pooled": {"p": 0.6666666666666667, "t_lower": 2.886751345948129, "df": 1.0},
        "independent_unequal": {"p": null, "df": "nan"}, "paired": null}});
    reproduced(&json!({"tost": [at_bound, constant, single]}), 19);
}

#[test]
fn what_the_bayesian_test_need_not_give_is_not_needed() {
    let test = json!({"x": [0.5], "y": [0.625], "rope": 0.0, "prior_strength": 0.5, "expected": {
        "p_left": 0.0, "p_right": 1.0, "closed_form": null, "mean_theta_left": 0.1}});
    reproduced(&json!({"bayesian_signed_rank": [test]}), 3);
}

#[test]
fn running_times_can_be_written_as_doubles() {
    let run = json!({"runs": [[3.0, "nan", 1.0], [2.0]], "targets": [1.5], "times": [1.0, 3.0],
        "expected": {"ecdf": [0.0, 0.5], "per_target": [{"target": 1.5, "ert": 4.0,
            "hitting_evaluations": [3.0, null], "successes": 1.0}]}});
    reproduced(&json!({"runtime": [run]}), 6);
}

#[test]
fn a_certain_sign_has_a_site_without_variance() {
    let inputs = json!({"X": [[0.0]], "y": [0.5], "Xm": [], "dm": [], "s": [], "Xs": [[0.0]],
        "ell": [1.0], "sf2": 1.0, "sn2": 1.0, "v": 0.1});
    let case = json!({"inputs": inputs, "post_mean": [0.25], "post_var": 0.5, "site_var": null});
    let file = json!({"cases": {"a": case, "b": {"inputs": {"X": "?"}}},
        "convergence": {"a|slow": {"logZ": null}, "c|slow": {"logZ": 1.0}}});
    let cases = cases(&file);
    let passed = cases.iter().filter(|case| case.outcome == Outcome::Passed).count();
    assert_eq!((passed, cases.len()), (4, 6), "{cases:?}");
    assert!(not_understood(&file).starts_with("cases/b/inputs"));
}

#[test]
fn budgets_of_counting_ones_can_be_written_as_doubles() {
    let run = json!({"n_seeds": 3, "evaluations_per_run": 5.0,
        "any_budget": {"1": {"per_seed": [null, "nan", 1.0]}, "x": {"per_seed": [1.0]}}});
    let file = json!({"protocol": {"function": "1 categorical {0,1} + 1 uniform floats [0,1]",
        "budgets": "min 9.0, max 81.0, eta 3"}, "results": {"quantised": {"random": run}}});
    assert_eq!(
        not_understood(&file).split(':').next(),
        Some("/results/quantised/random/any_budget/x")
    );
    assert_eq!(cases(&file).len(), 2);
}

//! Small valid files, at least one per format and section; their values are only formally correct. Those
//! parts of the golden files that are quick to check are included unchanged, section by section.

use std::{fs, path::Path};

use serde_json::{Map, Value, json};

/// The seed files, each with its name.
pub fn all() -> Vec<(String, Value)> {
    let mut all = vec![
        ("counting ones".to_owned(), counting_ones()),
        ("traces".to_owned(), traces()),
        ("hoag, inputs".to_owned(), inputs()),
        ("hoag, logistic".to_owned(), logistic()),
        ("hoag, kernel ridge".to_owned(), kernel_ridge()),
        ("hoag, multinomial".to_owned(), multinomial()),
    ];
    let smoothie = ["metrics", "metrics_multiclass", "constant_classifier_f1"];
    for name in ["bohb_kde", "brackets", "gp_monotone", "harmonica", "statistics"] {
        for section in golden(name) {
            all.push(section);
        }
    }
    all.extend(golden("smoothie").into_iter().filter(|(name, _)| {
        smoothie.iter().any(|section| name.ends_with(section)) || name.ends_with("fuzzy_sampling")
    }));
    all.push(("smoothie, bounds".to_owned(), bounds()));
    all.push(("smoothie, labels".to_owned(), labels()));
    all.push(("smoothie, bayesmark".to_owned(), bayesmark()));
    all
}

/// A golden file's sections, each with a few of its cases and what makes it a file of that format.
fn golden(name: &str) -> Vec<(String, Value)> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let text = fs::read_to_string(golden.join(name).with_extension("json")).expect("is there");
    let whole: Map<String, Value> = serde_json::from_str(&text).expect("is JSON");
    let mut sections = Vec::new();
    for (key, section) in &whole {
        if ["protocol", "description", "note"].contains(&key.as_str()) {
            continue;
        }
        let mut file = match name {
            "smoothie" => json!({"fuzzy_sampling": whole["fuzzy_sampling"]}),
            "bohb_kde" => json!({"cases": [], "degenerate": whole["degenerate"]}),
            "brackets" => json!({"settings": {}, "hyperband_paper": {}}),
            "harmonica" => json!({"runs": whole["runs"]}),
            "statistics" => json!({"bh_vectors": []}),
            _ => json!({"cases": few(&whole["cases"])}),
        };
        if let Some(protocol) = whole.get("protocol") {
            file["protocol"] = protocol.clone();
        }
        file[key] = few(section);
        sections.push((format!("{name}, {key}"), file));
    }
    sections
}

/// At most three members or items.
fn few(section: &Value) -> Value {
    match section {
        Value::Array(items) => items.iter().take(3).cloned().collect(),
        Value::Object(members) if members.values().all(Value::is_object) => {
            Value::Object(members.iter().take(3).map(|(k, v)| (k.clone(), v.clone())).collect())
        }
        other => other.clone(),
    }
}

fn counting_ones() -> Value {
    let curve = json!({"1": {"per_seed": [3.0, 2.0, 2.5]}, "2.5": {"per_seed": [1.0, 2.0, 1.5]}});
    let run = |n| json!({"n_seeds": 3, "evaluations_per_run": n, "any_budget": curve, "highest_budget": curve});
    json!({
        "protocol": {
            "function": "counting ones, 2 categorical {0,1} + 2 uniform floats [0,1]",
            "budgets": "min 9, max 81, eta 3; and so on"
        },
        "results": {
            "bernoulli": {"dehb": run(30), "bohb": run(40)},
            "quantised": {"hyperband": run(30), "random": run(20)}
        }
    })
}

fn protocol() -> Value {
    json!({
        "classes": "features / 16 (no centring), b=+1 if the digit is even else -1",
        "real": "columns standardised, y standardised the same way",
        "raw": "raw features, b=+1 for class 2"
    })
}

fn inputs() -> Value {
    let checks = json!({"n_rows": [8, 8, 8], "n_features": 3, "sum_b": [0, 0, 0],
        "frobenius": [1.0, 2.0, 3.0], "frobenius_all": 4.0, "row0": [1.0, 2.0, 3.0],
        "y_first5": [1.0, -1.0]});
    json!({"protocol": protocol(), "logistic": {},
        "input_checks": {"classes": checks, "real": checks, "raw": checks}})
}

fn logistic() -> Value {
    let convention = json!({
        "points": [{"lam": 0.5, "norm_x": 1.0, "h": 2.0, "g_outer": 3.0, "g_validation": 4.0,
            "hypergrad": 0.1, "x_first3": [1.0, 2.0, 3.0]}],
        "grid97": {"lam": [-3.0, 0.0, 3.0], "f": [1.0, 2.0, 3.0]},
        "n_local_minima_on_grid97": 1, "lambda_star": -1.0, "f_star": 2.0, "grad_at_star": 0.0,
        "curvature_at_star": 1.0, "validation_at_star": 2.0
    });
    let step = json!({"k": 1, "lam": 0.0, "g": 1.0, "grad": 1.0, "eps": 0.1, "L": 2.0,
        "L_before": 1.0, "accepted": true, "branch": "grow"});
    json!({"protocol": protocol(), "logistic": {"classes": {
        "half": convention, "full": convention, "C_data_sum_of_row_norms_of_test": 3.0,
        "traces_half_convention": {
            "paper_rule_C0.25_halfL_exacteps": [step, step, step],
            "code_rule_exact_inner_eps_cubic_Cdata_single": [step, step]
        }
    }}})
}

fn traces() -> Value {
    let trace = json!({"lam": [0.0, 0.5, 0.7], "final_rel": 0.1, "best_rel": 0.1,
        "hit_1e_4_k": null, "rejected_steps": 0});
    json!({"protocol": protocol(), "logistic": {},
        "original_code_traces": {"classes|zeros|exponential": trace, "classes|randn|exact": trace},
        "paper_era_code_traces": {"traces": {"raw|zeros|cubic": trace}}})
}

fn kernel_ridge() -> Value {
    let points = json!([{"lambda1": -1.0, "lambda2": 0.5, "f": 1.0, "grad": [1.0, 2.0],
        "norm_x": 1.0, "f_validation": 3.0}]);
    json!({"protocol": protocol(), "kernel_ridge": {"dataset": "real",
        "rbf_squared_distance": {"points": points, "optimum": {"lambda_star": [0.0, 0.0],
            "f_star": 1.0, "grad": [0.0, 0.0], "hessian_eigs": [1.0, 2.0]}},
        "exp_unsquared_distance": {"points": points}}})
}

fn multinomial() -> Value {
    json!({"protocol": protocol(), "multinomial": {"lambda": "all 9 zero", "h": 1.0,
        "outer_loss_f": 1.0, "validation_loss": 1.0, "norm_W": 1.0, "hypergrad_norm": 1.0,
        "hypergrad_first5": [1.0, 2.0, 3.0, 4.0, 5.0],
        "fd_check": {"indices": [0, 2], "analytic": [1.0, 2.0], "sum_direction_fd": 1.0}}})
}

fn bounds() -> Value {
    let summary = json!({"sup": 1.0, "argmax_train_row": 3, "mean": 1.0, "min": 0.5});
    let gnb = json!({"m": 19, "n": 3, "cond_sigma": 10.0, "det_sigma": 1.0, "frob_sigma_inv": 1.0,
        "code_smoothness_closed_form": 1.0, "paper_theorem2_proof_sign_G_negative": summary,
        "paper_theorem2_theorem_statement_G_positive": summary,
        "high_precision": {"code_smoothness": 1.0, "paper_theorem2_proof_sign_at_row_3": 1.0}});
    let lr = json!({"k": 3, "m": 19, "W_shape": [3, 3], "frob_X": 1.0, "frob_W": 1.0,
        "spectral_X": 1.0, "max_row_l2_X": 1.0, "code_smoothness": 1.0});
    let ff = json!({"units": 4, "hidden_layers": 2, "batch": 8, "k": 3, "m": 19,
        "batch_frobenius_norms": [1.0, 2.0, 3.0], "Kz": 1.0, "Kw": 1.0,
        "code_smoothness_src_util": 1.0, "with_paper_factor": 1.0});
    json!({"label_engineering": labels()["label_engineering"], "protocol": {
            "split": "row i is TEST when i mod 5 == 0"},
        "datasets": {"iris": {"n_rows": 24, "n_train": 19, "n_test": 5,
            "train_class_counts": [6, 6, 7], "test_class_counts": [2, 2, 1],
            "gnb": {"none": gnb, "standardize": gnb}, "gnb_one_vs_rest": {"robust": gnb},
            "lr": {"minmax": lr, "maxabs": lr}, "ff": {"normalize": ff}}},
        "preprocessing_first3": {"description": "rows of iris", "raw_train": [[1.0, 2.0, 3.0]],
            "raw_test": [[1.0, 2.0, 3.0]], "robust": {"train": [[1.0, 2.0, 3.0]], "test": []}},
        "preprocessing_full_matrix": {"description": "fitted on all 24 rows",
            "minmax": {"first3_rows": [[1.0, 2.0, 3.0]]}}})
}

fn labels() -> Value {
    json!({"datasets": {"iris": {}}, "label_engineering": {
        "description": "iris TRAIN rows, y = [class==1]", "m": 19, "n_lost": 15, "n_kept": 4,
        "kept": [1, 5, 9, 13], "lost": [0, 2, 3, 4], "legacy_k": 1, "cython_k": 3,
        "paper_k_fourth_root_m": 3,
        "by_k": {"1": {"imputed": [0, 0, 1, 0], "distance_tie_at_k": [false, true, false, false]},
            "3": {"imputed": [0, 0, 1, 0], "distance_tie_at_k": []}}}})
}

fn bayesmark() -> Value {
    json!({"label_engineering": labels()["label_engineering"], "datasets": {"iris": {}},
        "bayesmark_score_example": {"perf": [[0.3, 0.4], [0.2, 0.3]], "best": 0.2, "clip": 0.35,
            "normed": [[1.0, 1.0], [0.5, 0.5]], "score_last": 60.0}})
}

//! Compares Gaussian processes at given hyper-parameters with scikit-learn: `tests/golden/gp_ei.json` (its
//! description says how the values were computed).

use std::path::Path;

use models::gp::acquisition::log_expected_improvement;
use models::gp::hyper::{Hyper, JITTER, Observed};
use models::gp::posterior::{Posterior, WIDTH};
use ndarray::Array2;
use serde_json::Value;

fn golden() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/gp_ei.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn reals(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(reals).collect()
}

#[test]
fn predictions_and_expected_improvement_are_scikit_learns() {
    let golden = golden();
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 3);
    for case in cases {
        let real = |key: &str| case[key].as_f64().unwrap();
        let (points, scales) = (rows(&case["points"]), reals(&case["scales"]));
        let shape = (points.len(), scales.len());
        let observed = Observed {
            points: Array2::from_shape_fn(shape, |(i, j)| points[i][j]),
            targets: reals(&case["targets"]).into(),
        };
        let (mean, amplitude, noise) = (real("mean"), real("amplitude"), real("noise"));
        let hyper = Hyper { mean, amplitude, noise, scales };
        let likelihood = hyper.log_likelihood(&observed);
        let expected = real("log_likelihood");
        assert!((likelihood - expected).abs() < 1e-9 * expected.abs(), "{likelihood} {expected}");
        let posterior = Posterior::new(&observed, &hyper).unwrap();
        let at = rows(&case["at"]);
        let mut block = vec![0.0; shape.1 * WIDTH];
        for (l, x) in at.iter().enumerate() {
            x.iter().enumerate().for_each(|(j, v)| block[j * WIDTH + l] = *v);
        }
        let block = posterior.predict(&block);
        let (means, variances) = (reals(&case["means"]), reals(&case["variances"]));
        let improvements = reals(&case["improvements"]);
        for (l, x) in at.iter().enumerate() {
            let single = posterior.predict_with_gradient(x);
            for (m, s) in [(block.means[l], block.deviations[l]), (single.mean, single.deviation)] {
                assert!((m - means[l]).abs() < 1e-10, "mean {m} {}", means[l]);
                // scikit-learn adds no jitter to the variance of a point.
                let variance = s * s - JITTER * amplitude;
                assert!((variance - variances[l]).abs() < 1e-10, "{variance} {}", variances[l]);
                let improvement =
                    log_expected_improvement(m, variance.sqrt(), real("best"), 0.0).exp();
                assert!((improvement - improvements[l]).abs() < 1e-8, "{improvement}");
            }
        }
    }
}

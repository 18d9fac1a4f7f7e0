//! Checks the smoothness of the learners on the prepared rows of a reference file.

use models::{
    curvature::{
        smoothness::{Bound, Extent, feedforward, logistic},
        smoothness_naive_bayes::{Pooled, Sign},
    },
    neural::feedforward::{Network, Shape},
    samples::Samples,
};
use ndarray::Array2;

use super::{
    preprocess::scaler,
    sets::{Sets, VALUE, number, numbers},
};
use crate::{
    Error,
    case::{Case, keep},
    node::Node,
};

/// Checks every learner on every data set and scaling.
///
/// # Errors
/// If the section is malformed.
pub fn check(section: &Node<'_>, sets: &Sets<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    for (name, node) in section.given()? {
        keep(data_set(name, &node, sets, cases), cases);
    }
    Ok(())
}

/// Checks every learner on one data set.
fn data_set(
    name: &str,
    node: &Node<'_>,
    sets: &Sets<'_>,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let (train, test) = sets.split(name)?;
    let counts = |part: &Samples| part.counts().iter().map(|&c| c as f64).collect::<Vec<_>>();
    for (key, value) in node.members()? {
        match key {
            "n_rows" => number(&value, (train.n_rows() + test.n_rows()) as f64, 0.0, cases),
            "n_train" => number(&value, train.n_rows() as f64, 0.0, cases),
            "n_test" => number(&value, test.n_rows() as f64, 0.0, cases),
            "train_class_counts" => numbers(&value, &counts(&train), cases),
            "test_class_counts" => numbers(&value, &counts(&test), cases),
            "gnb" | "gnb_one_vs_rest" | "lr" | "ff" => {
                for (scaling, block) in value.members()? {
                    let Some(scaler) = scaler(scaling) else {
                        cases.push(Case::not_understood(block.at));
                        continue;
                    };
                    let mut part = train.clone();
                    part.x = scaler.fit(train.x.view()).apply(train.x.view());
                    match key {
                        "lr" => keep(lr(&block, &part, cases), cases),
                        "ff" => keep(ff(&block, &part, cases), cases),
                        "gnb" => keep(gnb(&block, &part, cases), cases),
                        _ => {
                            part.y.iter_mut().for_each(|y| *y = u32::from(*y != 0));
                            part.classes = 2;
                            keep(gnb(&block, &part, cases), cases);
                        }
                    }
                }
            }
            _ => cases.push(Case::ignored(value.at)),
        }
    }
    Ok(())
}

/// The largest number of weights of a network.
const WEIGHTS: usize = 10_000_000;
/// Below this condition number the file's doubles are compared at 1e-9.
const WELL_CONDITIONED: f64 = 1e6;
/// Above this one a matrix is singular in doubles.
const SINGULAR: f64 = 1e15;

fn gnb(block: &Node<'_>, part: &Samples, cases: &mut Vec<Case>) -> Result<(), Error> {
    let pooled = Pooled::new(part);
    let listed = block.get("cond_sigma").and_then(|node| node.extended().ok());
    let condition = listed.unwrap_or_else(|| pooled.condition());
    let tolerance = if condition < WELL_CONDITIONED { VALUE } else { condition * 1e-15 };
    let (proof, statement) = (pooled.theorem(Sign::Proof), pooled.theorem(Sign::Statement));
    for (key, value) in block.members()? {
        let computed = match key {
            "m" => part.n_rows() as f64,
            "n" => part.x.ncols() as f64,
            "cond_sigma" if condition > SINGULAR || condition.is_nan() => {
                // What is left of the smallest eigenvalue is rounding.
                cases.push(value.informative(pooled.condition()));
                continue;
            }
            "cond_sigma" => pooled.condition(),
            "det_sigma" => pooled.det(),
            "frob_sigma_inv" => pooled.precision_norm(),
            "code_smoothness_closed_form" | "code_smoothness_tensor_eval" => pooled.code(),
            "paper_theorem2_proof_sign_G_negative" => {
                keep(summary(&value, &proof, tolerance, cases), cases);
                continue;
            }
            "paper_theorem2_theorem_statement_G_positive" => {
                keep(summary(&value, &statement, tolerance, cases), cases);
                continue;
            }
            "high_precision" => {
                keep(precise(&value, &pooled, (&proof, &statement), tolerance, cases), cases);
                continue;
            }
            _ => {
                cases.push(Case::ignored(value.at));
                continue;
            }
        };
        number(&value, computed, tolerance, cases);
    }
    Ok(())
}

/// Values computed with more digits: the same quantities, some of which name their row.
fn precise(
    block: &Node<'_>,
    pooled: &Pooled,
    (proof, statement): (&[f64], &[f64]),
    tolerance: f64,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    for (key, value) in block.members()? {
        let at_row = |prefix, values: &[f64]| {
            let row: usize = key.strip_prefix(prefix)?.parse().ok()?;
            values.get(row).copied()
        };
        let computed = match key {
            "note" => continue,
            "code_smoothness" => Some(pooled.code()),
            "frob_sigma_inv" => Some(pooled.precision_norm()),
            _ => at_row("paper_theorem2_proof_sign_at_row_", proof)
                .or_else(|| at_row("paper_theorem2_statement_sign_at_row_", statement)),
        };
        match computed {
            Some(computed) => number(&value, computed, tolerance, cases),
            None => cases.push(Case::not_understood(value.at)),
        }
    }
    Ok(())
}

/// Supremum, its row, mean and minimum over the rows.
fn summary(
    block: &Node<'_>,
    values: &[f64],
    tolerance: f64,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (key, value) in block.members()? {
        let computed = match key {
            "sup" => most,
            "mean" => values.iter().sum::<f64>() / values.len() as f64,
            "min" => values.iter().copied().fold(f64::INFINITY, f64::min),
            "argmax_train_row" => {
                let row = values.iter().position(|&v| v == most).map_or(f64::NAN, |row| row as f64);
                cases.push(value.absolute(row, 0.0));
                continue;
            }
            _ => {
                cases.push(Case::ignored(value.at));
                continue;
            }
        };
        number(&value, computed, tolerance, cases);
    }
    Ok(())
}

/// Coefficients W\[c\]\[j\] = sin(1 + 7c + 3j)/(1 + j), one row for two classes.
fn lr(block: &Node<'_>, part: &Samples, cases: &mut Vec<Case>) -> Result<(), Error> {
    let units = if part.classes == 2 { 1 } else { part.classes };
    let w = Array2::from_shape_fn((units, part.x.ncols()), |(c, j)| {
        (1.0 + 7.0 * c as f64 + 3.0 * j as f64).sin() / (1.0 + j as f64)
    });
    let bound = |extent| -> Bound { logistic(part.x.view(), w.view(), part.classes, extent) };
    let whole = bound(Extent::Batches(part.n_rows()));
    for (key, value) in block.members()? {
        let computed = match key {
            "k" => part.classes as f64,
            "m" => part.n_rows() as f64,
            "W_shape" => {
                numbers(&value, &[units as f64, part.x.ncols() as f64], cases);
                continue;
            }
            "frob_X" => whole.activations,
            "frob_W" => whole.weights,
            "spectral_X" => bound(Extent::Spectral).activations,
            "max_row_l2_X" => bound(Extent::Rows).activations,
            "code_smoothness" => whole.theorem(),
            _ => {
                cases.push(Case::ignored(value.at));
                continue;
            }
        };
        number(&value, computed, VALUE, cases);
    }
    Ok(())
}

/// The network whose hidden layers l have W\[i\]\[j\] = sin(1 + l + 2i + 5j)/√(fan in) and offsets
/// 0.01 (l + 1), and whose head has cos(1 + 2i + 5j)/√units.
fn network(shape: Shape) -> Network<f64> {
    let mut parameters = vec![0.0; shape.n_parameters()];
    let last = shape.layers().len() - 1;
    for (l, layer) in shape.layers().iter().enumerate() {
        for j in 0..layer.outputs {
            for i in 0..layer.inputs {
                let phase = 1.0 + 2.0 * i as f64 + 5.0 * j as f64;
                let wave = if l == last { phase.cos() } else { (phase + l as f64).sin() };
                let at = layer.weights + j * layer.inputs + i;
                parameters[at] = wave / (layer.inputs as f64).sqrt();
            }
            if l < last {
                parameters[layer.offsets + j] = 0.01 * (l as f64 + 1.0);
            }
        }
    }
    Network::with_parameters(shape, parameters)
}

fn ff(block: &Node<'_>, part: &Samples, cases: &mut Vec<Case>) -> Result<(), Error> {
    let count = |key| -> Result<usize, Error> {
        let (node, expected) = (block.need(key)?, "a number from 1 to 10000");
        match node.count(10_000, expected)? {
            0 => Err(Error::Shape { at: node.at, expected }),
            n => Ok(n),
        }
    };
    let (units, layers, batch) = (count("units")?, count("hidden_layers")?, count("batch")?);
    let largest = units.max(part.x.ncols()).max(part.classes);
    if layers.saturating_add(1).saturating_mul(largest).saturating_mul(units) > WEIGHTS {
        let expected = "a network of at most 10^7 weights";
        return Err(Error::Shape { at: block.at.clone(), expected });
    }
    let network = network(Shape::classifier(part.x.ncols(), layers, units, part.classes));
    let bound = feedforward(&network, part.x.view(), part.classes, Extent::Batches(batch));
    for (key, value) in block.members()? {
        let computed = match key {
            "units" | "hidden_layers" | "batch" => continue,
            "k" => part.classes as f64,
            "m" => part.n_rows() as f64,
            "batch_frobenius_norms" => {
                let hidden = network.last_hidden(part.x.view());
                numbers(&value, &Extent::Batches(batch).norms(hidden.view()), cases);
                continue;
            }
            "Kz" => bound.activations,
            "Kw" => bound.weights,
            "code_smoothness_src_util" => bound.quotient(),
            "with_paper_factor" => bound.theorem(),
            _ => {
                cases.push(Case::ignored(value.at));
                continue;
            }
        };
        number(&value, computed, VALUE, cases);
    }
    Ok(())
}

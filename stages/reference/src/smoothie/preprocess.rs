//! Checks scalers, fuzzy sampling and label engineering of a reference file.

use models::{
    preprocess::{
        fuzzy::Fuzzy,
        label_engineering::{Neighbours, lost, restore},
        scaler::Scaler,
    },
    samples::Samples,
};
use ndarray::{Array2, ArrayView2};

use super::sets::{Sets, VALUE, classes, number_after, numbers};
use crate::{
    Error,
    case::{Case, keep},
    node::Node,
};

/// The scaler with a name.
pub fn scaler(name: &str) -> Option<Scaler> {
    Some(match name {
        "none" | "raw" => Scaler::None,
        "normalize" => Scaler::Normalise,
        "standardize" => Scaler::Standardise,
        "minmax" => Scaler::MinMax,
        "maxabs" => Scaler::MaxAbs,
        "robust" => Scaler::Robust,
        _ => return None,
    })
}

/// Compares the leading rows of a matrix.
fn rows(node: &Node<'_>, x: ArrayView2<'_, f64>, cases: &mut Vec<Case>) {
    for (row, expected) in x.rows().into_iter().zip(node.listed(cases)) {
        numbers(&expected, &row.to_vec(), cases);
    }
}

/// Rows of both parts after scalers that were fitted to the training part.
///
/// # Errors
/// If the section is malformed.
pub fn parts(section: &Node<'_>, sets: &Sets<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let (train, test) = sets.split(&sets.described(section)?)?;
    for (key, node) in section.members()? {
        match (key, scaler(key)) {
            ("description", _) => (),
            ("raw_train", _) => rows(&node, train.x.view(), cases),
            ("raw_test", _) => rows(&node, test.x.view(), cases),
            (_, Some(scaler)) => {
                let scaling = scaler.fit(train.x.view());
                let scaled = |part: &Samples| scaling.apply(part.x.view());
                for (key, part) in [("train", &train), ("test", &test)] {
                    if let Some(node) = node.get(key) {
                        rows(&node, scaled(part).view(), cases);
                    }
                }
            }
            _ => cases.push(Case::ignored(node.at)),
        }
    }
    Ok(())
}

/// The first rows after scalers that were fitted to all rows. The section does not name its data set, which
/// is the one with the given number of rows.
///
/// # Errors
/// If the section is malformed.
pub fn whole(section: &Node<'_>, sets: &Sets<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let text = section.need("description")?.text()?;
    let count = number_after(text, "all ").unwrap_or(0);
    let all = sets.with_rows(count, section)?;
    for (key, node) in section.members()? {
        match (key, scaler(key)) {
            ("description", _) => (),
            (_, Some(scaler)) => {
                let scaled = scaler.fit(all.x.view()).apply(all.x.view());
                if let Some(node) = node.get("first3_rows") {
                    rows(&node, scaled.view(), cases);
                }
            }
            _ => cases.push(Case::ignored(node.at)),
        }
    }
    Ok(())
}

/// The published code's over-sampling of a small example.
///
/// # Errors
/// If the section is malformed.
pub fn fuzzy(section: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let y = classes(&section.need("y")?)?;
    let values: Vec<Vec<f64>> =
        section.need("X")?.items()?.iter().map(Node::numbers).collect::<Result<_, _>>()?;
    let columns = values.first().map_or(0, Vec::len);
    let bad = |expected| Error::Shape { at: section.at.clone(), expected };
    let x = Array2::from_shape_vec((values.len(), columns), values.concat())
        .map_err(|_| bad("rows of one length in X"))?;
    let highest = y.iter().copied().max().unwrap_or(0) as usize;
    let mut samples =
        Samples::new(x, y, (highest + 1).max(2)).map_err(|_| bad("one class a row"))?;
    let (n, counts) = (samples.n_rows(), samples.counts());
    let rare = counts.iter().copied().filter(|&c| c > 0).min().unwrap_or(0);
    let most = counts.iter().copied().max().unwrap_or(0);
    Fuzzy::Code.apply(&mut samples);
    for (key, value) in section.members()? {
        match key {
            "description" | "X" | "y" => (),
            "fraction" => {
                let fraction = rare as f64 / n as f64;
                cases.push(value.relative(fraction, 1.0, VALUE));
            }
            "copies_per_layer" => {
                let copies = Fuzzy::Code.copies(rare, n, most);
                let copies: Vec<f64> = copies.into_iter().map(|c| c as f64).collect();
                numbers(&value, &copies, cases);
            }
            "appended_rows" => {
                let appended = samples.x.view().split_at(ndarray::Axis(0), n).1;
                let there = value.items()?.len() as f64;
                let at = format!("{} (length)", value.at);
                cases.push(Case::absolute(at, appended.nrows() as f64, there, 0.0));
                rows(&value, appended, cases);
            }
            "n_total" => {
                cases.push(value.absolute(samples.n_rows() as f64, 0.0));
            }
            _ => cases.push(Case::ignored(value.at)),
        }
    }
    Ok(())
}

/// Labels restored for given rows. If the file says that the last neighbour is not unique, values are shown
/// and not compared.
///
/// # Errors
/// If the section is malformed.
pub fn labels(section: &Node<'_>, sets: &Sets<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let (mut train, _) = sets.split(&sets.described(section)?)?;
    let class = number_after(section.need("description")?.text()?, "class==").unwrap_or(1) as u32;
    train.y.iter_mut().for_each(|y| *y = u32::from(*y == class));
    train.classes = 2;
    let m = train.n_rows();
    let rows = |key| -> Result<Vec<usize>, Error> {
        Ok(classes(&section.need(key)?)?.into_iter().map(|row| row as usize).collect())
    };
    let (kept, deleted) = (rows("kept")?, rows("lost")?);
    if kept.iter().chain(&deleted).any(|&row| row >= m) {
        return Err(Error::Shape { at: section.at.clone(), expected: "numbers of training rows" });
    }
    let all: Vec<usize> = (0..m).filter(|row| !kept.contains(row)).collect();
    let exact = |value: &Node<'_>, computed: usize, cases: &mut Vec<Case>| {
        cases.push(value.absolute(computed as f64, 0.0));
    };
    for (key, value) in section.members()? {
        match key {
            "description" | "kept" => (),
            "lost" => {
                let all: Vec<f64> = all.iter().map(|&row| row as f64).collect();
                numbers(&value, &all, cases);
            }
            "m" => exact(&value, m, cases),
            "n_lost" => exact(&value, lost(m), cases),
            "n_kept" => exact(&value, m - lost(m), cases),
            "legacy_k" => exact(&value, Neighbours::Legacy.count(m, kept.len()), cases),
            "cython_k" => exact(&value, Neighbours::Cython.count(m, kept.len()), cases),
            "paper_k_fourth_root_m" => {
                exact(&value, Neighbours::Paper.count(m, kept.len()), cases);
            }
            "by_k" => {
                for (k, node) in value.members()? {
                    let Some(k) = k.parse().ok().filter(|k| (1..=kept.len()).contains(k)) else {
                        cases.push(Case::not_understood(node.at));
                        continue;
                    };
                    keep(restored(&node, &restore(&train, &deleted, &kept, k), cases), cases);
                }
            }
            _ => cases.push(Case::ignored(value.at)),
        }
    }
    Ok(())
}

fn restored(node: &Node<'_>, labels: &[u32], cases: &mut Vec<Case>) -> Result<(), Error> {
    let ties = node.get("distance_tie_at_k");
    let ambiguous = |i: usize| ties.as_ref()?.value.get(i)?.as_bool();
    for (i, (value, &label)) in node.need("imputed")?.items()?.iter().zip(labels).enumerate() {
        let computed = f64::from(label);
        cases.push(match ambiguous(i) {
            Some(true) => value.informative(computed),
            _ => value.absolute(computed, 0.0),
        });
    }
    Ok(())
}

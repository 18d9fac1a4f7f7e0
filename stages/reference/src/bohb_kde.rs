//! Checks the format of BOHB's densities: the split into good and bad rows, bandwidths, densities, ratios.
//! The rows come from the file.

use models::density::kde::{Column, Kde};
use serde_json::{Map, Value};
use tuners::multi_fidelity::bohb::{Model, divide, shares};

use super::{
    Error,
    case::{Case, Node},
};

/// Relative tolerance of bandwidths and densities.
const DENSITY: f64 = 1e-10;
/// The tuner's defaults, which belong to the method and not to a case.
const TOP_PERCENT: usize = 15;
const MIN_BANDWIDTH: f64 = 1e-3;

/// Whether a file has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    top.contains_key("cases") && top.contains_key("degenerate")
}

/// Checks every case and the degenerate one.
///
/// # Errors
/// If the file is malformed.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    let columns = columns(top)?;
    for (key, value) in top {
        let node = Node { at: key.clone(), value };
        match key.as_str() {
            "protocol" => {}
            "cases" => {
                for item in node.items()? {
                    check_case(&item, &columns, &mut cases)?;
                }
            }
            "degenerate" => degenerate(&node, &columns, &mut cases)?,
            _ => cases.push(Case::not_understood(key)),
        }
    }
    Ok(cases)
}

/// The columns that the protocol states: a string of u and c after `var_type`, and `levels`.
fn columns(top: &Map<String, Value>) -> Result<Vec<Column>, Error> {
    let shape = || Error::Shape {
        at: "protocol".to_owned(),
        expected: "`var_type` with u and c, and `(levels a,b,…)`",
    };
    let protocol = top.get("protocol").and_then(Value::as_str).ok_or_else(shape)?;
    let after = |word: &str| protocol.split_once(word).map(|(_, rest)| rest.trim_start());
    let kinds = after("var_type").ok_or_else(shape)?;
    let mut levels = after("(levels")
        .and_then(|rest| rest.split_once(')'))
        .ok_or_else(shape)?
        .0
        .split(',')
        .map(|n| n.trim().parse::<usize>());
    kinds
        .chars()
        .take_while(|c| matches!(c, 'u' | 'c'))
        .map(|kind| match kind {
            'u' => levels.next().and_then(Result::ok).map(Column::Choice).ok_or_else(shape),
            _ => Ok(Column::Real),
        })
        .collect()
}

/// Rows with a number per column, at least one.
fn rows(node: &Node<'_>, columns: &[Column]) -> Result<Vec<Vec<f64>>, Error> {
    let rows: Vec<Vec<f64>> = node.items()?.iter().map(Node::numbers).collect::<Result<_, _>>()?;
    if rows.is_empty() || rows.iter().any(|r| r.len() != columns.len()) {
        return Err(Error::Shape { at: node.at.clone(), expected: "rows with a number a column" });
    }
    Ok(rows)
}

fn check_case(case: &Node<'_>, columns: &[Column], cases: &mut Vec<Case>) -> Result<(), Error> {
    let data = rows(&case.need("configs")?, columns)?;
    let losses = case.need("losses")?.numbers()?;
    if losses.len() != data.len() {
        return Err(Error::Shape { at: case.at.clone(), expected: "as many losses as configs" });
    }
    let shares = shares(data.len(), columns.len() + 1, TOP_PERCENT);
    let (good, bad) = divide(&losses, &shares);
    let model = Model::fit(&data, &losses, columns, &shares, MIN_BANDWIDTH);
    let mut same = |at: &str, computed: &[f64], expected: &[f64], tolerance: f64| {
        let (c, e) = (computed.len() as f64, expected.len() as f64);
        cases.push(Case::absolute(format!("{at}/length"), c, e, 0.0));
        for (i, (c, e)) in computed.iter().zip(expected).enumerate() {
            let floor = f64::MIN_POSITIVE;
            cases.push(Case::relative(format!("{at}[{i}]"), *c, *e, floor, tolerance));
        }
    };
    let indices = |rows: &[usize]| rows.iter().map(|&i| i as f64).collect::<Vec<_>>();
    let distinct = |rows: &[usize]| -> Vec<f64> {
        let choice = |j: &usize| matches!(columns[*j], Column::Choice(_));
        let seen = |j: usize| {
            let values: std::collections::BTreeSet<u64> =
                rows.iter().map(|&i| data[i][j].to_bits()).collect();
            values.len() as f64
        };
        (0..columns.len()).filter(choice).map(seen).collect()
    };
    let mut unknown = Vec::new();
    for (key, node) in case.members()? {
        let at = node.at.as_str();
        match key {
            "configs" | "losses" => {}
            "n" => same(at, &[data.len() as f64], &[node.number()?], 0.0),
            "n_good" => same(at, &[shares.good as f64], &[node.number()?], 0.0),
            "n_bad" => same(at, &[shares.bad as f64], &[node.number()?], 0.0),
            "good_rows" => same(at, &indices(&good), &node.numbers()?, 0.0),
            "bad_rows" => same(at, &indices(&bad), &node.numbers()?, 0.0),
            "levels_good" => same(at, &distinct(&good), &node.numbers()?, 0.0),
            "levels_bad" => same(at, &distinct(&bad), &node.numbers()?, 0.0),
            "model_built" => {
                let expected = f64::from(u8::from(node.value.as_bool() == Some(true)));
                same(at, &[f64::from(u8::from(model.is_some()))], &[expected], 0.0);
            }
            "bw_good" | "bw_bad" => {
                let kde = model.as_ref().map(|m| if key == "bw_good" { &m.good } else { &m.bad });
                same(at, kde.map_or(&[], |k| k.bandwidths()), &node.numbers()?, DENSITY);
            }
            "points" => {
                for point in node.items()? {
                    let x = point.need("x")?.numbers()?;
                    if x.len() != columns.len() {
                        return Err(Error::Shape {
                            at: point.at,
                            expected: "x: a number a column",
                        });
                    }
                    let value = |f: fn(&Model, &[f64]) -> f64| {
                        [model.as_ref().map_or(f64::NAN, |m| f(m, &x))]
                    };
                    for (key, node) in point.members()? {
                        let computed = match key {
                            "x" => continue,
                            "l_good" => value(|m, x| m.good.density(x)),
                            "g_bad" => value(|m, x| m.bad.density(x)),
                            "ratio" => value(Model::ratio),
                            _ => {
                                unknown.push(node.at);
                                continue;
                            }
                        };
                        same(&node.at, &computed, &[node.number()?], DENSITY);
                    }
                }
            }
            _ => unknown.push(node.at),
        }
    }
    cases.extend(unknown.into_iter().map(Case::not_understood));
    Ok(())
}

/// Constant columns: the density at a row, and with a category that no row has.
fn degenerate(node: &Node<'_>, columns: &[Column], cases: &mut Vec<Case>) -> Result<(), Error> {
    let data = rows(&node.need("data")?, columns)?;
    let kde = Kde::fit(&data, columns, MIN_BANDWIDTH);
    let middle = data[data.len() / 2].clone();
    for (key, value) in node.members()? {
        match key {
            "data" | "note" => {}
            "bw" => {
                for (i, (c, e)) in kde.bandwidths().iter().zip(value.numbers()?).enumerate() {
                    cases.push(Case::relative(format!("{}[{i}]", value.at), *c, e, 0.0, DENSITY));
                }
            }
            "pdf_same_category" => {
                let expected = value.number()?;
                // The file does not name the point. Its coordinates are among the rows'.
                let nearest = product(&data)
                    .iter()
                    .map(|x| kde.density(x))
                    .min_by(|a, b| (a - expected).abs().total_cmp(&(b - expected).abs()));
                let computed = nearest.unwrap_or(f64::NAN);
                cases.push(Case::relative(value.at, computed, expected, 0.0, DENSITY));
            }
            "pdf_other_category" => {
                let mut x = middle.clone();
                if let Some(j) = columns.iter().position(|c| matches!(c, Column::Choice(_))) {
                    x[j] = 1.0 - x[j].min(1.0);
                }
                let infinite = value.value.as_str() == Some("inf");
                let agree = infinite == (kde.density(&x) == f64::INFINITY);
                let error = if agree { 0.0 } else { f64::INFINITY };
                cases.push(Case::with_error(value.at, kde.density(&x), f64::INFINITY, error, 0.0));
            }
            _ => cases.push(Case::not_understood(value.at)),
        }
    }
    Ok(())
}

/// All points each of whose coordinates occurs in some row.
fn product(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut points = vec![Vec::new()];
    for j in 0..rows[0].len() {
        let mut values: Vec<f64> = rows.iter().map(|r| r[j]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let longer = |p: &Vec<f64>| values.iter().map(|&v| [p.as_slice(), &[v]].concat()).collect();
        points = points.iter().flat_map(|p| -> Vec<Vec<f64>> { longer(p) }).collect();
    }
    points
}

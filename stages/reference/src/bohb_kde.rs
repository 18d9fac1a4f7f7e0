//! Checks the format of BOHB's densities: the split into good and bad rows, bandwidths, densities, ratios.
//! The rows come from the file.

use models::density::kde::{Column, Kde};
use serde_json::{Map, Value};
use tuners::multi_fidelity::bohb::{Model, divide, shares};

use super::{
    Error,
    case::{Case, distance, keep},
    node::Node,
};

/// Relative tolerance of bandwidths and densities.
const DENSITY: f64 = 1e-10;
/// The tuner's defaults, which belong to the method and not to a case.
const TOP_PERCENT: usize = 15;
const MIN_BANDWIDTH: f64 = 1e-3;

/// Whether a file has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    let rows = |case: &Value| case.get("configs").is_some() && case.get("losses").is_some();
    let cases = top.get("cases").and_then(Value::as_array);
    top.contains_key("degenerate") || cases.is_some_and(|list| list.iter().any(rows))
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
            "protocol" | "description" | "note" => {}
            _ if value.is_null() => {}
            "cases" => {
                for item in node.listed(&mut cases) {
                    keep(check_case(&item, &columns, &mut cases), &mut cases);
                }
            }
            "degenerate" => keep(degenerate(&node, &columns, &mut cases), &mut cases),
            _ => cases.push(Case::ignored(key)),
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
    let losses = case.need("losses")?.each(Node::extended)?;
    if losses.len() != data.len() {
        return Err(Error::Shape { at: case.at.clone(), expected: "as many losses as configs" });
    }
    let shares = shares(data.len(), columns.len() + 1, TOP_PERCENT);
    let (good, bad) = divide(&losses, &shares);
    let model = Model::fit(&data, &losses, columns, &shares, MIN_BANDWIDTH);
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
    for (key, node) in case.given()? {
        match key {
            "configs" | "losses" | "name" | "description" | "note" => {}
            "n" => cases.push(node.absolute(data.len() as f64, 0.0)),
            "n_good" => cases.push(node.absolute(shares.good as f64, 0.0)),
            "n_bad" => cases.push(node.absolute(shares.bad as f64, 0.0)),
            "good_rows" => same(&node, &indices(&good), 0.0, cases),
            "bad_rows" => same(&node, &indices(&bad), 0.0, cases),
            "levels_good" => same(&node, &distinct(&good), 0.0, cases),
            "levels_bad" => same(&node, &distinct(&bad), 0.0, cases),
            "model_built" => {
                cases.push(node.absolute(f64::from(u8::from(model.is_some())), 0.0));
            }
            "bw_good" | "bw_bad" => {
                let kde = model.as_ref().map(|m| if key == "bw_good" { &m.good } else { &m.bad });
                same(&node, kde.map_or(&[], |k| k.bandwidths()), DENSITY, cases);
            }
            "points" => {
                for point in node.listed(cases) {
                    keep(check_point(&point, model.as_ref(), columns.len(), cases), cases);
                }
            }
            _ => cases.push(Case::ignored(node.at)),
        }
    }
    Ok(())
}

/// The densities at a point. Both can be infinite, if a column of categories is constant.
fn check_point(
    point: &Node<'_>,
    model: Option<&Model>,
    columns: usize,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let x = point.need("x")?.numbers()?;
    if x.len() != columns {
        return Err(point.shape("x: a number a column"));
    }
    let value = |f: fn(&Model, &[f64]) -> f64| model.map_or(f64::NAN, |m| f(m, &x));
    for (key, node) in point.given()? {
        let computed = match key {
            "x" => continue,
            "l_good" => value(|m, x| m.good.density(x)),
            "g_bad" => value(|m, x| m.bad.density(x)),
            "ratio" => value(Model::ratio),
            _ => {
                cases.push(Case::ignored(node.at));
                continue;
            }
        };
        cases.push(node.relative(computed, f64::MIN_POSITIVE, DENSITY));
    }
    Ok(())
}

/// As many values as expected, each near the file's.
fn same(node: &Node<'_>, computed: &[f64], tolerance: f64, cases: &mut Vec<Case>) {
    let expected = node.listed(cases);
    let (c, e) = (computed.len() as f64, expected.len() as f64);
    cases.push(Case::absolute(format!("{}/length", node.at), c, e, 0.0));
    let floor = f64::MIN_POSITIVE;
    cases.extend(computed.iter().zip(expected).map(|(c, e)| e.relative(*c, floor, tolerance)));
}

/// Constant columns: the density at a row, and with a category that no row has.
fn degenerate(node: &Node<'_>, columns: &[Column], cases: &mut Vec<Case>) -> Result<(), Error> {
    let data = rows(&node.need("data")?, columns)?;
    let kde = Kde::fit(&data, columns, MIN_BANDWIDTH);
    let middle = &data[data.len() / 2];
    for (key, value) in node.given()? {
        match key {
            "data" | "note" => {}
            "bw" => {
                let expected = value.listed(cases);
                let pairs = kde.bandwidths().iter().zip(expected);
                cases.extend(pairs.map(|(c, e)| e.relative(*c, 0.0, DENSITY)));
            }
            "pdf_same_category" => {
                let expected = value.extended().unwrap_or(f64::NAN);
                // The file does not name the point. Its coordinates are among the rows'.
                let nearest = product(&data)
                    .iter()
                    .map(|x| kde.density(x))
                    .min_by(|a, b| distance(*a, expected).total_cmp(&distance(*b, expected)));
                cases.push(value.relative(nearest.unwrap_or(f64::NAN), 0.0, DENSITY));
            }
            "pdf_other_category" => {
                // Nor the column. A finite density can be that of another point.
                let densities = others(middle, &data, columns).map(|x| kde.density(&x));
                let expected = value.extended().unwrap_or(f64::NAN);
                let nearest = densities
                    .min_by(|a, b| distance(*a, expected).total_cmp(&distance(*b, expected)))
                    .unwrap_or(f64::NAN);
                cases.push(value.against(nearest, |at, e| {
                    if nearest.is_finite() && e.is_finite() {
                        Case::informative(at, nearest, e)
                    } else {
                        Case::relative(at, nearest, e, 0.0, DENSITY)
                    }
                }));
            }
            _ => cases.push(Case::ignored(value.at)),
        }
    }
    Ok(())
}

/// A point with another category in one of its columns; one that no row has, if there is one.
fn others<'a>(
    x: &'a [f64],
    rows: &'a [Vec<f64>],
    columns: &'a [Column],
) -> impl Iterator<Item = Vec<f64>> + 'a {
    columns.iter().enumerate().filter_map(move |(j, column)| {
        let Column::Choice(choices) = *column else { return None };
        let values = || (0..choices.min(rows.len() + 2)).map(|v| v as f64).filter(|v| *v != x[j]);
        let new = values().find(|v| rows.iter().all(|row| row[j] != *v));
        let mut other = x.to_vec();
        other[j] = new.or_else(|| values().next())?;
        Some(other)
    })
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

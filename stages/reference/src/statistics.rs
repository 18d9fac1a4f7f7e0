//! Checks files of statistics: samples with their tests, and vectors of p values with their adjustments.
//!
//! An undefined value is `null` in the file and NaN here; it passes if both sides have it. p values are
//! compared relative to the file's, however small. Statistics above 1 are also compared relatively, smaller
//! ones by their difference; medians are compared relative to the largest value of their sample.

use serde_json::{Map, Value};
use stats::{
    adjust::{benjamini_hochberg, benjamini_yekutieli, bonferroni, holm},
    alternative::Alternative::TwoSided,
    effect::{a12, cliffs_delta},
    flawed::{bh_of_matrix, matrix, two_stage_bh_of_matrix},
    order::median,
    rank_tests::{kruskal::kruskal, mann_whitney::MannWhitney},
};

use super::{
    Error,
    case::{Case, keep},
    node::Node,
};

/// Tolerance of every value.
pub const TOLERANCE: f64 = 1e-10;
/// Below this p values are compared by their difference.
const SMALLEST_P: f64 = 1e-290;
/// Level of the two-stage procedure's first pass, the default of the library the authors use.
const FIRST_PASS: f64 = 0.05;

/// Whether a file with these top-level keys has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    let samples = |case: &Value| case.get("groups").is_some_and(Value::is_object);
    let cases = top.get("cases").and_then(Value::as_array);
    top.contains_key("bh_vectors") || cases.is_some_and(|list| list.iter().any(samples))
}

/// Checks every section of a file.
///
/// # Errors
/// If a section is malformed.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for (key, value) in top {
        let node = Node { at: key.clone(), value };
        match key.as_str() {
            "protocol" | "description" | "note" => (),
            "cases" => {
                for item in node.listed(&mut cases) {
                    let item = Node { at: title(&node, &item), ..item };
                    let checked = Samples::new(&item).and_then(|of| of.check(&item, &mut cases));
                    keep(checked, &mut cases);
                }
            }
            "bh_vectors" => {
                for item in node.listed(&mut cases) {
                    let item = Node { at: title(&node, &item), ..item };
                    keep(vector(&item, &mut cases), &mut cases);
                }
            }
            _ => cases.push(Case::ignored(key)),
        }
    }
    Ok(cases)
}

/// The place of an item of a list: its `name` instead of its number, if it has one.
fn title(list: &Node<'_>, item: &Node<'_>) -> String {
    let name = item.get("name").and_then(|name| name.text().ok());
    name.map_or_else(|| item.at.clone(), |name| format!("{}/{name}", list.at))
}

/// The samples of one case, in the file's order.
struct Samples<'a> {
    names: Vec<&'a str>,
    values: Vec<Vec<f64>>,
    pairs: Vec<MannWhitney>,
}

impl<'a> Samples<'a> {
    fn new(case: &Node<'a>) -> Result<Self, Error> {
        let groups = case.need("groups")?;
        let names: Vec<&str> = match case.get("group_order") {
            Some(order) => order.items()?.iter().map(Node::text).collect::<Result<_, _>>()?,
            None => groups.members()?.into_iter().map(|(name, _)| name).collect(),
        };
        let of = |name: &&str| {
            let missing = || Error::Shape { at: groups.at.clone(), expected: "every named group" };
            groups.get(name).ok_or_else(missing).and_then(|node| undefined_or(&node))
        };
        let values = names.iter().map(of).collect::<Result<_, _>>()?;
        let mut samples = Self { names, values, pairs: Vec::new() };
        for pair in case.get("pairs").map_or(Ok(Vec::new()), |list| list.items())? {
            let (a, b) = samples.of_pair(&pair)?;
            let test = MannWhitney::new(&samples.values[a], &samples.values[b]);
            samples.pairs.push(test);
        }
        Ok(samples)
    }

    /// The indices of a pair's two samples.
    fn of_pair(&self, pair: &Node<'_>) -> Result<(usize, usize), Error> {
        let index = |key: &'static str| {
            let node = pair.need(key)?;
            let name = node.text()?;
            let missing = || Error::Shape { at: node.at.clone(), expected: "the name of a group" };
            self.names.iter().position(|n| *n == name).ok_or_else(missing)
        };
        Ok((index("a")?, index("b")?))
    }

    fn check(&self, case: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
        let k = self.values.len();
        let pairwise =
            || matrix(k, |i, j| MannWhitney::new(&self.values[i], &self.values[j]).p(TwoSided));
        for (key, node) in case.members()? {
            match key {
                "name" | "description" | "note" | "groups" | "group_order" => (),
                "n" => {
                    let n: Vec<f64> = self.values.iter().map(|v| v.len() as f64).collect();
                    list(&node, &n, 1.0, cases);
                }
                "medians" => self.medians(&node, cases),
                "kruskal" => keep(self.kruskal(&node, cases), cases),
                "pairs" => {
                    for (pair, test) in node.items()?.iter().zip(&self.pairs) {
                        keep(self.pair(pair, test, cases), cases);
                    }
                }
                "bh" => keep(self.benjamini_hochberg(&node, cases), cases),
                "bonferroni_adjusted_p" => {
                    list(&node, &bonferroni(&self.corrected()), SMALLEST_P, cases);
                }
                "holm_adjusted_p" => list(&node, &holm(&self.corrected()), SMALLEST_P, cases),
                "original_code_flawed_bh_matrix" => {
                    let adjusted = bh_of_matrix(&pairwise());
                    rows(&node, adjusted.rows().into_iter().map(|r| r.to_vec()), cases);
                }
                "original_bayesmark_flawed_tsbh_matrix" => {
                    let adjusted = two_stage_bh_of_matrix(&pairwise(), FIRST_PASS);
                    rows(&node, adjusted.rows().into_iter().map(|r| r.to_vec()), cases);
                }
                _ => cases.push(Case::ignored(node.at)),
            }
        }
        Ok(())
    }

    /// The p values of the listed pairs that are adjusted: asymptotic with continuity correction.
    fn corrected(&self) -> Vec<f64> {
        self.pairs.iter().map(|test| test.asymptotic_p(TwoSided, true)).collect()
    }

    fn medians(&self, node: &Node<'_>, cases: &mut Vec<Case>) {
        let expected = node.listed(cases);
        same_length(node, self.values.len(), expected.len(), cases);
        for (values, expected) in self.values.iter().zip(expected) {
            let has_nan = values.iter().any(|v| v.is_nan());
            let computed = if has_nan { f64::NAN } else { median(values) };
            let scale = values.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
            cases.push(compare(&expected, None, computed, scale));
        }
    }

    fn kruskal(&self, node: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
        let test = kruskal(&self.values);
        for (key, value) in node.members()? {
            let (computed, floor) = match key {
                "H" => (test.h, 1.0),
                "p" => (test.p, SMALLEST_P),
                "df" => (test.df as f64, 1.0),
                "note" => continue,
                _ => {
                    cases.push(Case::ignored(value.at));
                    continue;
                }
            };
            cases.push(compare(&value, None, computed, floor));
        }
        Ok(())
    }

    fn pair(
        &self,
        node: &Node<'_>,
        test: &MannWhitney,
        cases: &mut Vec<Case>,
    ) -> Result<(), Error> {
        let (a, b) = self.of_pair(node)?;
        let (x, y) = (&self.values[a], &self.values[b]);
        for (key, value) in node.members()? {
            let (computed, floor) = match key {
                "a" | "b" | "note" => continue,
                "n_a" => (test.n_a as f64, 1.0),
                "n_b" => (test.n_b as f64, 1.0),
                "U_a" => (test.u_a, 1.0),
                "U_b" => (test.u_b, 1.0),
                "has_ties" => (f64::from(u8::from(test.has_ties())), 1.0),
                "asymptotic_cc_p" => (test.asymptotic_p(TwoSided, true), SMALLEST_P),
                "asymptotic_nocc_p" => (test.asymptotic_p(TwoSided, false), SMALLEST_P),
                "exact_p" if test.has_ties() => (f64::NAN, SMALLEST_P),
                "exact_p" | "scipy_exact_ignoring_ties_p" => (test.exact_p(TwoSided), SMALLEST_P),
                "scipy_auto_p" => (test.p(TwoSided), SMALLEST_P),
                "A12_a_over_b" => (a12(x, y), 1.0),
                "cliffs_delta" => (cliffs_delta(x, y), 1.0),
                _ => {
                    cases.push(Case::ignored(value.at));
                    continue;
                }
            };
            let pair = format!(" ({}, {})", self.names[a], self.names[b]);
            cases.push(compare(&value, Some(&pair), computed, floor));
        }
        Ok(())
    }

    fn benjamini_hochberg(&self, node: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
        let adjusted = benjamini_hochberg(&self.corrected());
        for (key, value) in node.members()? {
            let level = key.strip_prefix("reject_").and_then(|level| level.parse::<f64>().ok());
            match (key, level) {
                // Any other input would be adjusted wrongly here.
                ("input", _) if value.text()?.starts_with("asymptotic_cc_p ") => (),
                ("adjusted_p", _) => list(&value, &adjusted, SMALLEST_P, cases),
                (_, Some(level)) => {
                    let rejected = |p: &f64| f64::from(u8::from(*p <= level));
                    let rejected: Vec<f64> = adjusted.iter().map(rejected).collect();
                    list(&value, &rejected, 1.0, cases);
                }
                _ => cases.push(Case::ignored(value.at)),
            }
        }
        Ok(())
    }
}

/// Checks one vector of p values.
fn vector(node: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let p = undefined_or(&node.need("p")?)?;
    for (key, value) in node.members()? {
        let adjusted = match key {
            "name" | "description" | "note" | "p" => continue,
            "fdr_bh" => benjamini_hochberg(&p),
            "fdr_by" => benjamini_yekutieli(&p),
            "holm" => holm(&p),
            "bonferroni" => bonferroni(&p),
            _ => {
                cases.push(Case::ignored(value.at));
                continue;
            }
        };
        list(&value, &adjusted, SMALLEST_P, cases);
    }
    Ok(())
}

/// A number, a truth value as 0 or 1, or NaN for `null`.
fn number(node: &Node<'_>) -> Result<f64, Error> {
    match node.value {
        Value::Null => Ok(f64::NAN),
        Value::Bool(truth) => Ok(f64::from(u8::from(*truth))),
        _ => node.extended(),
    }
}

fn undefined_or(node: &Node<'_>) -> Result<Vec<f64>, Error> {
    node.items()?.iter().map(number).collect()
}

/// Compares a value, which in these files is NaN if it is `null`; `more` is said after its place.
fn compare(node: &Node<'_>, more: Option<&str>, computed: f64, floor: f64) -> Case {
    match number(node) {
        Ok(expected) => {
            let name = format!("{}{}", node.at, more.unwrap_or_default());
            Case::relative(name, computed, expected, floor, TOLERANCE)
        }
        Err(error) => Case::not_understood(error.to_string()),
    }
}

/// Compares a list with the file's, entry by entry.
fn list(node: &Node<'_>, computed: &[f64], floor: f64, cases: &mut Vec<Case>) {
    let expected = node.listed(cases);
    same_length(node, computed.len(), expected.len(), cases);
    cases.extend(computed.iter().zip(expected).map(|(c, e)| compare(&e, None, *c, floor)));
}

/// Compares a matrix of p values with the file's, row by row.
fn rows(node: &Node<'_>, computed: impl ExactSizeIterator<Item = Vec<f64>>, cases: &mut Vec<Case>) {
    let expected = node.listed(cases);
    same_length(node, computed.len(), expected.len(), cases);
    for (row, own) in expected.iter().zip(computed) {
        list(row, &own, SMALLEST_P, cases);
    }
}

/// A list of a different length fails, whatever its entries.
fn same_length(node: &Node<'_>, computed: usize, expected: usize, cases: &mut Vec<Case>) {
    if computed != expected {
        let name = format!("{} (length)", node.at);
        cases.push(Case::absolute(name, computed as f64, expected as f64, 0.0));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::case::Outcome;
    use super::*;

    fn checked(file: &Value) -> Vec<Case> {
        check(file.as_object().unwrap()).unwrap()
    }

    /// Two samples, the second empty, with what follows from that.
    fn small() -> Value {
        json!({"protocol": "", "bh_vectors": [], "cases": [{
            "name": "x", "groups": {"a": [1.0, 3.0], "b": []}, "group_order": ["a", "b"],
            "medians": [2.0, null], "kruskal": {"H": null, "p": null, "df": 1},
            "pairs": [{"a": "a", "b": "b", "n_b": 0, "U_a": null, "has_ties": false}],
            "bonferroni_adjusted_p": [1.0]
        }]})
    }

    #[test]
    fn undefined_passes_where_it_is_expected_and_only_there() {
        let mut file = small();
        let cases = checked(&file);
        assert_eq!(cases.len(), 9);
        assert!(cases.iter().all(Case::passed), "{cases:?}");
        let case = &mut file["cases"][0];
        case["medians"] = json!([null, 0.0]);
        case["kruskal"]["H"] = json!(0.0);
        case["pairs"][0]["has_ties"] = json!(true);
        case["bonferroni_adjusted_p"] = json!([1.0, 1.0]);
        let failed = checked(&file).iter().filter(|c| c.outcome == Outcome::Failed).count();
        assert_eq!(failed, 5);
    }

    #[test]
    fn unknown_keys_are_named_and_unknown_groups_refused() {
        let mut file = small();
        file["cases"][0]["pairs"][0]["odds"] = json!(1.0);
        file["cases"][0]["kruskal"]["eta"] = json!(1.0);
        file["more"] = json!(1.0);
        let odd = checked(&file).iter().filter(|c| c.outcome == Outcome::Ignored).count();
        assert_eq!(odd, 3);
        file["cases"][0]["pairs"][0]["a"] = json!("c");
        let cases = checked(&file);
        let [odd, _] = cases.as_slice() else { panic!("{cases:?}") };
        assert!(odd.name.contains("pairs[0]/a") && odd.name.contains("name of a group"), "{odd:?}");
    }

    #[test]
    fn other_files_of_cases_are_not_taken_for_statistics() {
        assert!(recognises(small().as_object().unwrap()));
        let other = json!({"protocol": {}, "cases": [{"name": "y", "groups": 3}]});
        assert!(!recognises(other.as_object().unwrap()));
    }
}

//! Checks the format of sparse recovery: samples that a protocol describes, Lasso solutions on their
//! parities, the selected features and their tied minimisers. Cases come from the file.

use models::polynomial::{
    lasso::{Fit, Lasso},
    parity::{Basis, Design, Signs},
    sparse_parity::{Polynomial, Term},
};
use serde_json::{Map, Value};

use super::{
    Error,
    case::{Case, keep},
    harmonica_protocol::Protocol,
    node::Node,
};

/// Tolerance of coefficients, relative to the value if that exceeds 1.
const TOLERANCE: f64 = 1e-9;
/// Relative duality gap and sweeps of the solver.
const SOLVER: (f64, usize) = (1e-13, 10_000);
/// The largest number of matrix entries in a problem that is solved.
const ENTRIES: usize = 1 << 28;
/// Keys that only the machine, the generator or the solver of the recording could reproduce.
const RECORDED: [&str; 15] = [
    "stage",
    "mean_y",
    "min_y",
    "lasso_wall_s",
    "lasso_cpu_s",
    "lasso_iters",
    "nnz",
    "feat_wall_s",
    "feat_cpu_s",
    "enum_s",
    "features",
    "best",
    "final_mean",
    "best_400",
    "best_1000",
];

/// Whether a file with these top-level keys has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    let solution = |run: &Value| run.get("alpha").is_some();
    let runs = top.get("runs").and_then(Value::as_array);
    let generator = top.get("protocol").is_some_and(|protocol| protocol.get("lcg").is_some());
    generator
        || runs.is_some_and(|list| list.iter().any(solution))
        || top.keys().any(|key| key.starts_with("synthetic_runs"))
}

/// Checks every section of a file.
///
/// # Errors
/// None: what is malformed is a case of its own.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    let mut protocol = None;
    if let Some(value) = top.get("protocol") {
        let node = Node { at: "protocol".to_owned(), value };
        match Protocol::new(&node) {
            Ok(read) => {
                keep(samples(&node, &read, &mut cases), &mut cases);
                protocol = Some(read);
            }
            Err(error) => keep(Err(error), &mut cases),
        }
    }
    for (key, value) in top.iter().filter(|(_, value)| !value.is_null()) {
        let node = Node { at: key.clone(), value };
        keep(section(key, &node, protocol.as_ref(), &mut cases), &mut cases);
    }
    Ok(cases)
}

fn section(
    key: &str,
    node: &Node<'_>,
    protocol: Option<&Protocol>,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let need = || protocol.ok_or(node.shape("a `protocol` that describes the samples"));
    match key {
        "protocol" | "note" | "description" => {}
        "sum_y" => {
            let sum = need()?.y.iter().sum();
            cases.push(node.absolute(sum, TOLERANCE));
        }
        _ if key.starts_with("y_first") => close(node, &need()?.y, cases),
        "runs" => {
            let protocol = need()?;
            let design = design(protocol, node)?;
            for run in node.items()? {
                keep(check_run(&run, protocol, &design, cases), cases);
            }
        }
        _ if key.starts_with("synthetic_runs") => recorded(node, protocol, cases)?,
        _ => cases.push(Case::ignored(key)),
    }
    Ok(())
}

/// What the protocol says about its own samples.
fn samples(node: &Node<'_>, protocol: &Protocol, cases: &mut Vec<Case>) -> Result<(), Error> {
    let sign = |minus: &bool| if *minus { -1.0 } else { 1.0 };
    for (key, value) in node.members()? {
        let row = key.strip_prefix("row").and_then(|i| i.parse::<usize>().ok());
        match (key, row) {
            (_, Some(i)) => {
                let signs: Vec<f64> =
                    protocol.samples.get(i).into_iter().flatten().map(sign).collect();
                same(&value, &signs, cases);
            }
            ("sum_of_X_entries", _) => {
                let sum = protocol.samples.iter().flatten().map(sign).sum();
                cases.push(value.absolute(sum, 0.0));
            }
            ("columns", _) => {
                let all = columns(protocol.variables, protocol.degree, &value)? as f64;
                let stated = protocol.columns as f64;
                cases.push(Case::absolute(value.at, all, stated, 0.0));
            }
            ("lcg" | "f" | "objective" | "refit" | "selection" | "minimisers" | "note", _) => {}
            _ if key.starts_with("first_") && key.ends_with("_states") => {
                for (item, &state) in value.items()?.iter().zip(&protocol.states) {
                    // Compared as whole numbers: f64 does not have enough digits.
                    let stated: u64 = item.text()?.parse().map_err(|_| Error::Shape {
                        at: item.at.clone(),
                        expected: "a whole number below 2^64",
                    })?;
                    let error = stated.abs_diff(state) as f64;
                    let (computed, stated) = (state as f64, stated as f64);
                    cases.push(Case::with_error(item.at.as_str(), computed, stated, error, 0.0));
                }
            }
            _ => cases.push(Case::ignored(value.at)),
        }
    }
    Ok(())
}

fn basis(variables: usize, degree: usize, node: &Node<'_>) -> Result<Basis, Error> {
    let expected = "a basis of at most 2^24 variables and 2^32 columns";
    let shape = || Error::Shape { at: node.at.clone(), expected };
    if variables > 1 << 24 {
        return Err(shape());
    }
    Basis::new((0..variables).collect(), degree).map_err(|_| shape())
}

fn columns(variables: usize, degree: usize, node: &Node<'_>) -> Result<usize, Error> {
    Ok(basis(variables, degree, node)?.columns())
}

fn design(protocol: &Protocol, node: &Node<'_>) -> Result<Design, Error> {
    let signs = Signs::new(protocol.variables, &protocol.samples);
    let basis = basis(protocol.variables, protocol.degree, node)?;
    if basis.columns().saturating_mul(signs.rows()) > ENTRIES {
        let expected = "samples and columns with at most 2^28 entries together";
        return Err(Error::Shape { at: node.at.clone(), expected });
    }
    Ok(Design::new(signs, basis))
}

/// As many values as expected, each equal.
fn same(node: &Node<'_>, computed: &[f64], cases: &mut Vec<Case>) {
    let expected = node.listed(cases);
    let (c, e) = (computed.len() as f64, expected.len() as f64);
    cases.push(Case::absolute(format!("{}/length", node.at), c, e, 0.0));
    cases.extend(computed.iter().zip(expected).map(|(c, e)| e.absolute(*c, 0.0)));
}

/// Compares the first values one by one.
fn close(node: &Node<'_>, computed: &[f64], cases: &mut Vec<Case>) {
    for (i, e) in node.listed(cases).iter().enumerate() {
        let c = computed.get(i).copied().unwrap_or(f64::NAN);
        cases.push(e.relative(c, 1.0, TOLERANCE));
    }
}

fn indices(values: &[usize]) -> Vec<f64> {
    values.iter().map(|&v| v as f64).collect()
}

/// One α.
fn check_run(
    run: &Node<'_>,
    protocol: &Protocol,
    design: &Design,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let alpha_node = run.need("alpha")?;
    let alpha = alpha_node.number()?;
    let solver = Lasso::new(SOLVER.0, SOLVER.1);
    let fit = solver.and_then(|s| s.fit(design, &protocol.y, alpha)).map_err(|_| Error::Shape {
        at: alpha_node.at.clone(),
        expected: "a finite positive number, with finite samples",
    })?;
    let selected = Polynomial::heaviest(&fit, design.basis(), protocol.features);
    let lowest = selected.minimisers(0).map_err(|_| Error::Shape {
        at: run.at.clone(),
        expected: "features over at most 24 variables",
    })?;
    let active = |c: &usize| fit.coefficients.binary_search_by_key(c, |(c, _)| *c).is_ok();
    let correlations = || fit.correlations.iter().map(|c| c.abs()).enumerate();
    let close = |node: &Node<'_>, c: f64| node.relative(c, 1.0, TOLERANCE);
    for (key, node) in run.given()? {
        let at = node.at.as_str();
        match key {
            "alpha" | "n_iter" | "sklearn_minus_exact_max" => {}
            "intercept" => cases.push(close(&node, fit.intercept)),
            "sklearn_intercept" => {
                cases.push(node.informative(fit.intercept));
            }
            "objective" => cases.push(close(&node, fit.objective)),
            "nnz" => {
                let count = fit.coefficients.len() as f64;
                cases.push(node.absolute(count, 0.0));
            }
            "coef" => keep(coefficients(&node, &fit, design.basis(), cases), cases),
            "kkt_active_maxdev" => {
                let all = correlations().filter(|(c, _)| active(c));
                let worst = all.map(|(_, v)| (v - alpha).abs()).fold(0.0, f64::max);
                cases.push(close(&node, worst));
            }
            "kkt_inactive_max" => {
                let all = correlations().filter(|(c, _)| !active(c));
                cases.push(close(&node, all.map(|(_, v)| v).fold(0.0, f64::max)));
            }
            "sign_consistent" => {
                let own = fit.coefficients.iter().all(|(c, w)| fit.correlations[*c] * w > 0.0);
                cases.push(node.absolute(f64::from(u8::from(own)), 0.0));
            }
            "selected" => {
                let items = node.items()?;
                let (c, e) = (selected.terms.len() as f64, items.len() as f64);
                cases.push(Case::absolute(format!("{at}/length"), c, e, 0.0));
                for (term, item) in selected.terms.iter().zip(&items) {
                    let monomial = item.need("monomial")?;
                    same(&monomial, &indices(&term.monomial), cases);
                    let weight = item.need("weight")?;
                    cases.push(close(&weight, term.weight));
                }
            }
            "J" => same(&node, &indices(&selected.variables()), cases),
            "min_score" => cases.push(close(&node, lowest.lowest)),
            "n_tied_minimisers" => {
                cases.push(node.absolute(lowest.tied as f64, 0.0));
            }
            _ if key.starts_with("tied_codes") => {
                let stated = node.items()?;
                // As many as are tied, but not more than the file lists.
                let count = stated.len().min(usize::try_from(lowest.tied).unwrap_or(usize::MAX));
                let found = selected.minimisers(count).map_or(Vec::new(), |m| m.codes);
                let codes: Vec<f64> = found.into_iter().map(f64::from).collect();
                same(&node, &codes, cases);
            }
            _ => cases.push(Case::ignored(at)),
        }
    }
    Ok(())
}

/// The coefficients that are not 0: their columns, monomials and values.
fn coefficients(
    node: &Node<'_>,
    fit: &Fit,
    basis: &Basis,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let items = node.items()?;
    let (c, e) = (fit.coefficients.len() as f64, items.len() as f64);
    cases.push(Case::absolute(format!("{}/length", node.at), c, e, 0.0));
    for (item, &(column, w)) in items.iter().zip(&fit.coefficients) {
        for (key, value) in item.members()? {
            let at = value.at.as_str();
            match key {
                "column" => {
                    cases.push(value.absolute(column as f64, 0.0));
                }
                "monomial" => same(&value, &indices(&basis.monomial(column)), cases),
                "coef_exact" => {
                    cases.push(value.relative(w, 1.0, TOLERANCE));
                }
                "coef_sklearn" => cases.push(value.informative(w)),
                _ => cases.push(Case::ignored(at)),
            }
        }
    }
    Ok(())
}

/// Recorded runs: the consequences of the features that a stage selected, and the size of its basis if the
/// name of the run contains the number of variables (`…_N60_…`).
fn recorded(
    node: &Node<'_>,
    protocol: Option<&Protocol>,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let Some(runs) = node.get("runs") else { return Ok(()) };
    for (name, run) in runs.members()? {
        let Some(stages) = run.get("stages") else { continue };
        let variables = name.split('_').find_map(|part| part.strip_prefix('N')?.parse().ok());
        for stage in stages.items()? {
            keep(recorded_stage(&stage, variables, protocol, cases), cases);
        }
    }
    Ok(())
}

fn recorded_stage(
    stage: &Node<'_>,
    variables: Option<usize>,
    protocol: Option<&Protocol>,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let polynomial = polynomial(&stage.need("features")?)?;
    let shape =
        |_| Error::Shape { at: stage.at.clone(), expected: "features over at most 24 variables" };
    let tied = polynomial.minimisers(0).map_err(shape)?.tied as f64;
    for (key, value) in stage.members()? {
        let computed = match (key, variables, protocol) {
            ("n_vars", ..) => polynomial.variables().len() as f64,
            ("n_minimisers", ..) => tied,
            ("n_features", Some(n), Some(p)) => columns(n, p.degree, &value)? as f64,
            _ if RECORDED.contains(&key) => continue,
            _ => {
                cases.push(Case::ignored(value.at));
                continue;
            }
        };
        cases.push(value.absolute(computed, 0.0));
    }
    Ok(())
}

/// Pairs of a weight and a list of variables.
fn polynomial(node: &Node<'_>) -> Result<Polynomial, Error> {
    let term = |item: &Node<'_>| {
        let expected = "a weight and a list of variables";
        let shape = || Error::Shape { at: item.at.clone(), expected };
        let pair = item.items()?;
        let [weight, variables] = pair.as_slice() else { return Err(shape()) };
        let index =
            |v: &Node<'_>| v.value.as_u64().and_then(|v| usize::try_from(v).ok()).ok_or_else(shape);
        let monomial = variables.items()?.iter().map(index).collect::<Result<_, _>>()?;
        Ok(Term { monomial, weight: weight.number()? })
    };
    Ok(Polynomial { terms: node.items()?.iter().map(term).collect::<Result<_, _>>()? })
}

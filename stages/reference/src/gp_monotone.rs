//! Checks the format of monotone Gaussian processes: sites, posteriors and masses. The inputs of each case
//! are in the file.
//!
//! Variances and precisions are compared relative to themselves. Means and shifts can be zero by symmetry, so
//! they are compared relative to the largest of their list. A case whose `warning` names a tolerance is
//! compared with that tolerance.

use models::gp::{
    kernel::Kernel,
    monotone::{
        Hyper, MonotoneGp, SignSite, expectation_propagation::Approximation, kernel::ArdKernel,
    },
};
use serde_json::{Map, Value};

use super::{
    Error,
    case::{Case, Node},
};

/// Relative tolerance of every value.
const TOLERANCE: f64 = 1e-8;

/// Whether a file has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    let signed = |case: &Value| case.get("inputs").is_some_and(|i| i.get("Xm").is_some());
    let cases = top.get("cases").and_then(Value::as_object);
    cases.is_some_and(|cases| cases.values().any(signed))
}

/// Checks every case.
///
/// # Errors
/// If the file is malformed.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    let mut computed = Vec::new();
    for (key, value) in top {
        let node = Node { at: key.clone(), value };
        match key.as_str() {
            "protocol" | "description" | "note" | "convergence" => {}
            "cases" => {
                for (name, case) in node.members()? {
                    let inputs = Inputs::read(&case.need("inputs")?)?;
                    let tolerance = tolerance(&case);
                    match inputs.posteriors() {
                        Ok((gp, plain)) => {
                            let of = Checked { inputs, gp, plain, tolerance };
                            of.check(&case, &mut cases)?;
                            computed.push((name, tolerance, of.gp.ln_evidence()));
                        }
                        Err(reason) => {
                            let name = format!("{}: {reason}", case.at);
                            cases.push(Case::with_error(name, f64::NAN, 0.0, f64::NAN, tolerance));
                        }
                    }
                }
            }
            _ => cases.push(Case::not_understood(key)),
        }
    }
    if let Some(value) = top.get("convergence") {
        schedules(&Node { at: "convergence".to_owned(), value }, &computed, &mut cases)?;
    }
    Ok(cases)
}

/// The tolerance of a case: that of its warning (a number after `tolerance`), if it has one.
fn tolerance(case: &Node<'_>) -> f64 {
    let warning = case.get("warning").and_then(|w| w.text().ok()).unwrap_or_default();
    let after = warning.split_once("tolerance").map_or("", |(_, rest)| rest.trim_start());
    let number = after.split(|c: char| c.is_whitespace() || ",;)".contains(c)).next();
    number.and_then(|n| n.parse().ok()).filter(|t| *t > 0.0).unwrap_or(TOLERANCE)
}

/// Masses that other schedules of updates gave: the result does not depend on the schedule. Those of a case
/// with a warning were computed in double precision, and are only shown.
fn schedules(
    node: &Node<'_>,
    computed: &[(&str, f64, f64)],
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    for (key, run) in node.members()? {
        let name = key.split('|').next().unwrap_or_default();
        let Some((_, tolerance, ours)) = computed.iter().find(|(case, ..)| *case == name) else {
            cases.push(Case::not_understood(run.at));
            continue;
        };
        let value = run.need("logZ")?;
        let expected = value.number()?;
        cases.push(if *tolerance > TOLERANCE {
            Case::informative(value.at, *ours, expected)
        } else {
            Case::relative(value.at, *ours, expected, 1.0, *tolerance)
        });
    }
    Ok(())
}

/// The inputs of a case.
struct Inputs {
    points: Vec<Vec<f64>>,
    targets: Vec<f64>,
    sites: Vec<SignSite>,
    hyper: Hyper,
    tests: Vec<Vec<f64>>,
}

impl Inputs {
    fn read(node: &Node<'_>) -> Result<Self, Error> {
        let rows = |key| -> Result<Vec<Vec<f64>>, Error> {
            node.need(key)?.items()?.iter().map(Node::numbers).collect()
        };
        let list = |key| node.need(key)?.numbers();
        let shape = |expected| Error::Shape { at: node.at.clone(), expected };
        let (places, dimensions, signs) = (rows("Xm")?, list("dm")?, list("s")?);
        if places.len() != dimensions.len() || places.len() != signs.len() {
            return Err(shape("Xm, dm and s of one length"));
        }
        let length_scales = list("ell")?;
        let known = |d: &f64| (0..length_scales.len()).any(|j| j as f64 == *d);
        if !dimensions.iter().all(known) || !signs.iter().all(|s| s.abs() == 1.0) {
            return Err(shape("inputs from 0 in dm, and 1 or -1 in s"));
        }
        let site = |((x, d), s): ((Vec<f64>, f64), f64)| SignSite {
            x,
            dimension: d as usize,
            rising: s > 0.0,
        };
        let tests = rows("Xs")?;
        if tests.iter().any(|x| x.len() != length_scales.len()) {
            return Err(shape("as many numbers in each row of Xs as in ell"));
        }
        let amplitude = node.need("sf2")?.number()?;
        Ok(Self {
            points: rows("X")?,
            targets: list("y")?,
            sites: places.into_iter().zip(dimensions).zip(signs).map(site).collect(),
            hyper: Hyper {
                kernel: ArdKernel { form: Kernel::SquaredExponential, amplitude, length_scales },
                noise: node.need("sn2")?.number()?,
                step: node.need("v")?.number()?,
            },
            tests,
        })
    }

    /// The posterior with and without the signs, or the reason why it cannot be computed.
    fn posteriors(&self) -> Result<(MonotoneGp, MonotoneGp), String> {
        let with = |sites: &[SignSite]| {
            MonotoneGp::new(&self.points, &self.targets, sites, self.hyper.clone(), None)
                .map_err(|e| e.to_string())
        };
        Ok((with(&self.sites)?, with(&[])?))
    }
}

/// How the errors of the values in a list are measured.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    /// Each relative to itself.
    Itself,
    /// Relative to the largest of the list.
    Largest,
}

/// A case with its computed results.
struct Checked {
    inputs: Inputs,
    gp: MonotoneGp,
    plain: MonotoneGp,
    tolerance: f64,
}

impl Checked {
    fn check(&self, case: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
        use Measure::{Itself, Largest};
        let sites = |f: fn(&Approximation, usize) -> f64| -> Vec<f64> {
            let signs = self.gp.signs();
            signs.map_or(Vec::new(), |s| (0..s.tau.len()).map(|i| f(s, i)).collect())
        };
        let ln_sites = self.gp.signs().map_or(0.0, |s| s.ln_mass);
        for (key, node) in case.members()? {
            let (computed, measure) = match key {
                // Inputs, and statistics of the file's own computations.
                "inputs" | "warning" | "iterations" | "float64_vs_40digits" => continue,
                "brute_force_rejection" => {
                    self.sampled(&node, ln_sites, cases)?;
                    continue;
                }
                "no_sign_info" => {
                    self.unsigned(&node, cases)?;
                    continue;
                }
                // Values of another program, with a jitter in its covariance.
                "gpstuff_logZ" => {
                    if let Some(value) = node.value.as_f64() {
                        cases.push(Case::informative(node.at, self.gp.ln_evidence(), value));
                    }
                    continue;
                }
                "site_tau" => (sites(|s, i| s.tau[i]), Itself),
                "site_nu" => (sites(|s, i| s.nu[i]), Itself),
                "site_mean" => (sites(|s, i| s.nu[i] / s.tau[i]), Itself),
                "site_var" => (sites(|s, i| 1.0 / s.tau[i]), Itself),
                "logZ_EP" => (vec![self.gp.ln_evidence()], Itself),
                "log_Zsites" => (vec![ln_sites], Itself),
                "log_marginal_y" => (vec![self.plain.ln_evidence()], Itself),
                "post_mean" => (self.means(&self.gp), Largest),
                "post_var" => (self.variances(&self.gp), Itself),
                "deriv_post_mean" => (sites(|s, i| s.mean[i]), Itself),
                "deriv_post_var" => (sites(|s, i| s.variance[i]), Itself),
                _ => {
                    cases.push(Case::not_understood(node.at));
                    continue;
                }
            };
            self.compare(&node, &computed, measure, cases)?;
        }
        Ok(())
    }

    fn means(&self, gp: &MonotoneGp) -> Vec<f64> {
        self.inputs.tests.iter().map(|x| gp.predict(x).0).collect()
    }

    fn variances(&self, gp: &MonotoneGp) -> Vec<f64> {
        self.inputs.tests.iter().map(|x| gp.predict(x).1.powi(2)).collect()
    }

    /// Compares a number or a list.
    fn compare(
        &self,
        node: &Node<'_>,
        computed: &[f64],
        measure: Measure,
        cases: &mut Vec<Case>,
    ) -> Result<(), Error> {
        let expected = match node.value.as_f64() {
            Some(number) => vec![number],
            None => node.numbers()?,
        };
        let (c, e) = (computed.len() as f64, expected.len() as f64);
        cases.push(Case::absolute(format!("{}/length", node.at), c, e, 0.0));
        let largest = expected.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let floor = match measure {
            Measure::Itself => f64::MIN_POSITIVE,
            Measure::Largest => largest.max(f64::MIN_POSITIVE),
        };
        for (i, (c, e)) in computed.iter().zip(&expected).enumerate() {
            let name = format!("{}[{i}]", node.at);
            cases.push(Case::relative(name, *c, *e, floor, self.tolerance));
        }
        Ok(())
    }

    /// The process without signs.
    fn unsigned(&self, node: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
        for (key, value) in node.members()? {
            match key {
                "mean" => {
                    self.compare(&value, &self.means(&self.plain), Measure::Largest, cases)?;
                }
                "var" => {
                    self.compare(&value, &self.variances(&self.plain), Measure::Itself, cases)?;
                }
                "log_marginal_y" => {
                    let ours = [self.plain.ln_evidence()];
                    self.compare(&value, &ours, Measure::Itself, cases)?;
                }
                _ => cases.push(Case::not_understood(value.at)),
            }
        }
        Ok(())
    }

    /// Samples of the exact posterior, shown next to ours: their distance is the error of the approximation.
    fn sampled(&self, node: &Node<'_>, ln_sites: f64, cases: &mut Vec<Case>) -> Result<(), Error> {
        if node.value.is_null() {
            return Ok(());
        }
        for (key, value) in node.members()? {
            match key {
                "log_Zsites_EP" => self.compare(&value, &[ln_sites], Measure::Itself, cases)?,
                "log_Zsites_exact" => {
                    let expected = value.number()?;
                    cases.push(Case::informative(value.at, ln_sites, expected));
                }
                "exact_post_mean" | "exact_post_var" => {
                    let ours = if key == "exact_post_mean" {
                        self.means(&self.gp)
                    } else {
                        self.variances(&self.gp)
                    };
                    for (i, (c, e)) in ours.iter().zip(value.numbers()?).enumerate() {
                        cases.push(Case::informative(format!("{}[{i}]", value.at), *c, e));
                    }
                }
                "samples"
                | "accepted"
                | "mc_se_logZ"
                | "mc_se_mean_max"
                | "max_abs_mean_EP_minus_exact"
                | "max_rel_sd_EP_vs_exact" => {}
                _ => cases.push(Case::not_understood(value.at)),
            }
        }
        Ok(())
    }
}

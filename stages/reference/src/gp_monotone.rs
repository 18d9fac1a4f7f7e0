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
    case::{Case, keep},
    node::Node,
};

/// Relative tolerance of every value.
const TOLERANCE: f64 = 1e-8;

/// Whether a file has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    let signed = |case: &Value| case.get("inputs").is_some_and(|i| i.get("ell").is_some());
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
                for (name, case) in node.given()? {
                    let tolerance = tolerance(&case);
                    let inputs = match case.need("inputs").and_then(|node| Inputs::read(&node)) {
                        Ok(inputs) => inputs,
                        Err(error) => {
                            keep(Err(error), &mut cases);
                            continue;
                        }
                    };
                    match inputs.posteriors() {
                        Ok((gp, plain)) => {
                            let of = Checked { inputs, gp, plain, tolerance };
                            keep(of.check(&case, &mut cases), &mut cases);
                            computed.push((name, tolerance, of.gp.ln_evidence()));
                        }
                        Err(reason) => {
                            let name = format!("{}: {reason}", case.at);
                            cases.push(Case::with_error(name, f64::NAN, 0.0, f64::NAN, tolerance));
                        }
                    }
                }
            }
            _ => cases.push(Case::ignored(key)),
        }
    }
    if let Some(value) = top.get("convergence").filter(|value| !value.is_null()) {
        let node = Node { at: "convergence".to_owned(), value };
        keep(schedules(&node, &computed, &mut cases), &mut cases);
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
    for (key, run) in node.given()? {
        let name = key.split('|').next().unwrap_or_default();
        let Some((_, tolerance, ours)) = computed.iter().find(|(case, ..)| *case == name) else {
            cases.push(Case::ignored(run.at));
            continue;
        };
        // A schedule that did not converge has no mass.
        let Some(value) = run.get("logZ") else { continue };
        cases.push(if *tolerance > TOLERANCE {
            value.informative(*ours)
        } else {
            value.relative(*ours, 1.0, *tolerance)
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
            node.get(key).map_or(Ok(Vec::new()), |node| node.each(Node::numbers))
        };
        let list = |key| node.get(key).map_or(Ok(Vec::new()), |node| node.numbers());
        let shape = |expected| Error::Shape { at: node.at.clone(), expected };
        let (places, dimensions, signs) = (rows("Xm")?, list("dm")?, list("s")?);
        if places.len() != dimensions.len() || places.len() != signs.len() {
            return Err(shape("Xm, dm and s of one length"));
        }
        let length_scales = node.need("ell")?.numbers()?;
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
            points: node.need("X")?.each(Node::numbers)?,
            targets: node.need("y")?.numbers()?,
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
    /// Each relative to itself, but not to less than a share of the prior variance: what is left of a variance
    /// that observations remove is rounding.
    Variance,
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
        use Measure::{Itself, Largest, Variance};
        let sites = |f: fn(&Approximation, usize) -> f64| -> Vec<f64> {
            let signs = self.gp.signs();
            signs.map_or(Vec::new(), |s| (0..s.tau.len()).map(|i| f(s, i)).collect())
        };
        let ln_sites = self.gp.signs().map_or(0.0, |s| s.ln_mass);
        for (key, node) in case.given()? {
            let (computed, measure) = match key {
                // Inputs, and statistics of the file's own computations.
                "inputs" | "warning" | "iterations" | "float64_vs_40digits" => continue,
                "brute_force_rejection" => {
                    keep(self.sampled(&node, ln_sites, cases), cases);
                    continue;
                }
                "no_sign_info" => {
                    keep(self.unsigned(&node, cases), cases);
                    continue;
                }
                // Values of another program, with a jitter in its covariance.
                "gpstuff_logZ" => {
                    cases.push(node.informative(self.gp.ln_evidence()));
                    continue;
                }
                "site_tau" => (sites(|s, i| s.tau[i]), Itself),
                "site_nu" => (sites(|s, i| s.nu[i]), Itself),
                "site_mean" => {
                    // A precision too small for doubles leaves no mean: the file may have more digits.
                    let means = sites(|s, i| s.nu[i] / s.tau[i]);
                    if means.iter().any(|mean| mean.is_nan()) {
                        let pairs = means.iter().zip(node.listed(cases));
                        cases.extend(pairs.map(|(mean, listed)| {
                            if mean.is_nan() {
                                listed.informative(*mean)
                            } else {
                                listed.relative(*mean, f64::MIN_POSITIVE, self.tolerance)
                            }
                        }));
                        continue;
                    }
                    (means, Itself)
                }
                "site_var" => (sites(|s, i| 1.0 / s.tau[i]), Itself),
                "logZ_EP" => (vec![self.gp.ln_evidence()], Itself),
                "log_Zsites" => (vec![ln_sites], Itself),
                "log_marginal_y" => (vec![self.plain.ln_evidence()], Itself),
                "post_mean" => (self.means(&self.gp), Largest),
                "post_var" => (self.variances(&self.gp), Variance),
                "deriv_post_mean" => (sites(|s, i| s.mean[i]), Itself),
                "deriv_post_var" => (sites(|s, i| s.variance[i]), Itself),
                _ => {
                    cases.push(Case::ignored(node.at));
                    continue;
                }
            };
            self.compare(&node, &computed, measure, cases);
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
    fn compare(&self, node: &Node<'_>, computed: &[f64], measure: Measure, cases: &mut Vec<Case>) {
        let single = !node.value.is_array();
        let expected = if single { vec![node.clone()] } else { node.listed(cases) };
        let (c, e) = (computed.len() as f64, expected.len() as f64);
        cases.push(Case::absolute(format!("{}/length", node.at), c, e, 0.0));
        let finite = expected.iter().filter_map(|v| v.extended().ok()).filter(|v| v.is_finite());
        let largest = finite.fold(0.0_f64, |m, v| m.max(v.abs()));
        let floor = match measure {
            Measure::Itself => f64::MIN_POSITIVE,
            Measure::Largest => largest.max(f64::MIN_POSITIVE),
            Measure::Variance => 1e-7 * self.inputs.hyper.kernel.amplitude,
        };
        let pairs = computed.iter().zip(expected);
        cases.extend(pairs.map(|(c, e)| e.relative(*c, floor, self.tolerance)));
    }

    /// The process without signs.
    fn unsigned(&self, node: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
        for (key, value) in node.given()? {
            match key {
                "mean" => {
                    self.compare(&value, &self.means(&self.plain), Measure::Largest, cases);
                }
                "var" => {
                    self.compare(&value, &self.variances(&self.plain), Measure::Variance, cases);
                }
                "log_marginal_y" => {
                    let ours = [self.plain.ln_evidence()];
                    self.compare(&value, &ours, Measure::Itself, cases);
                }
                _ => cases.push(Case::ignored(value.at)),
            }
        }
        Ok(())
    }

    /// Samples of the exact posterior, shown next to ours: their distance is the error of the approximation.
    fn sampled(&self, node: &Node<'_>, ln_sites: f64, cases: &mut Vec<Case>) -> Result<(), Error> {
        if node.value.is_null() {
            return Ok(());
        }
        for (key, value) in node.given()? {
            match key {
                "log_Zsites_EP" => self.compare(&value, &[ln_sites], Measure::Itself, cases),
                "log_Zsites_exact" => cases.push(value.informative(ln_sites)),
                "exact_post_mean" | "exact_post_var" => {
                    let ours = if key == "exact_post_mean" {
                        self.means(&self.gp)
                    } else {
                        self.variances(&self.gp)
                    };
                    let pairs = ours.iter().zip(value.listed(cases));
                    cases.extend(pairs.map(|(c, e)| e.informative(*c)));
                }
                "samples"
                | "accepted"
                | "mc_se_logZ"
                | "mc_se_mean_max"
                | "max_abs_mean_EP_minus_exact"
                | "max_rel_sd_EP_vs_exact" => {}
                _ => cases.push(Case::ignored(value.at)),
            }
        }
        Ok(())
    }
}

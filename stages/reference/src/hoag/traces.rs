//! Checks traces of the outer rule: exact ones step by step, published ones as far as they can be recomputed.
//! The rules are parsed from the names of traces.

use std::{collections::BTreeMap, ops::ControlFlow};

use models::bilevel::logistic::{Logistic, Penalty};
use numerics::{
    linalg::vector::norm,
    problem::Bilevel as _,
    solve::{inner, optimum},
};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tuners::{
    gradient::{
        adaptive_step::AdaptiveStep,
        hoag::Hoag,
        hoag_rules::{Accuracy, HoagRules, Sequence, Start},
    },
    tuner::{BilevelTuner as _, Branch, OuterStep},
};

use super::sets::{Sets, TRACE};
use crate::{
    Error,
    case::{Case, keep},
    node::Node,
};

fn sequence(word: &str) -> Option<Sequence> {
    Some(match word {
        "exponential" => Sequence::Exponential,
        "quadratic" => Sequence::Quadratic,
        "cubic" => Sequence::Cubic,
        "exact" => Sequence::Exact,
        _ => return None,
    })
}

/// The rules that a trace name such as `paper_rule_C0.25_halfL` or
/// `code_rule_exact_inner_eps_exponential` spells; `data_c` is the C computed from the data.
fn rules_of(name: &str, data_c: f64) -> Option<HoagRules> {
    let words: Vec<&str> = name.split('_').collect();
    let (author, mut rest) = match words.as_slice() {
        ["paper", "rule", rest @ ..] => ("paper", rest),
        ["code", "rule", rest @ ..] => ("code", rest),
        _ => return None,
    };
    let preset = if author == "paper" { "paper" } else { "code-head" };
    let mut rules = HoagRules::preset(preset)?;
    while let [word, tail @ ..] = rest {
        rest = tail;
        match (*word, tail) {
            ("asprinted", _) => rules.step.quadratic = 1.0,
            ("halfL", _) => rules.step.quadratic = 0.5,
            ("exacteps", _) => {
                rules.tolerances.sequence = Sequence::Exact;
                rules.tolerances.floor = 0.0;
            }
            ("Cdata", _) => rules.step.c = data_c,
            ("single" | "2016", _) => {
                let single = HoagRules::preset("code-2016")?;
                rules.step.policy = single.step.policy;
            }
            ("double", _) => rules.step.policy = HoagRules::preset("code-head")?.step.policy,
            ("exact", ["inner", tail @ ..]) => rest = tail,
            ("eps", [word, tail @ ..]) => {
                rules.tolerances.sequence = sequence(word)?;
                rest = tail;
            }
            (other, _) => match sequence(other) {
                Some(s) => rules.tolerances.sequence = s,
                None => rules.step.c = other.strip_prefix('C')?.parse().ok()?,
            },
        }
    }
    rules.accuracy = Accuracy::Machine;
    rules.start = Start::Zeros;
    Some(rules)
}

fn run(problem: &mut Logistic, rules: HoagRules) -> Result<Vec<OuterStep>, String> {
    let mut steps = Vec::new();
    let mut observer = |step: &OuterStep, _: &[f64]| {
        steps.push(step.clone());
        ControlFlow::Continue(())
    };
    // Rules that start at zero draw no random numbers; the values of the others are never compared.
    let mut rng = ChaCha12Rng::seed_from_u64(0);
    Hoag::new(rules)
        .and_then(|tuner| tuner.run(problem, &mut rng, &mut observer))
        .map_err(|e| e.to_string())?;
    Ok(steps)
}

/// Sides of the test that differ by less than this share of g are equal to rounding: exact values of g have
/// about this error, and files were computed with different rounding.
const TIE: f64 = 1e-14;

/// Replays rules with exact subproblems along the steps of a file. If the test is a tie up to rounding, the
/// file's decision is followed.
fn replay(problem: &mut Logistic, rules: &HoagRules, file: &[Node<'_>]) -> Vec<OuterStep> {
    let mut steps = Vec::new();
    let mut lambda = problem.initial_lambda();
    let mut x = vec![0.0; problem.n_params()];
    let mut epsilon = rules.tolerances.start();
    let mut rule = AdaptiveStep::new(rules.step);
    for (row, k) in file.iter().zip(1..) {
        let at = inner::exact(problem, &lambda, x);
        x = at.x;
        let next_epsilon = rules.tolerances.after(k, epsilon);
        let accepted = row.get("accepted").and_then(|v| v.value.as_bool());
        let grown = row.get("branch").map(|v| v.value.as_str() == Some("grow"));
        if let Some(held) = accepted.or(grown) {
            rule.decide_ties(TIE, held);
        }
        let decision = rule.advance(&lambda, at.outer, &at.hypergradient, epsilon, next_epsilon);
        steps.push(OuterStep {
            k,
            lambda: std::mem::replace(&mut lambda, decision.lambda),
            outer_value: at.outer,
            gradient_norm: norm(&at.hypergradient),
            gradient: at.hypergradient,
            step: 1.0 / decision.used_lipschitz,
            lipschitz: decision.lipschitz,
            epsilon,
            branch: decision.branch,
            inner_iterations: 0,
            inner_evaluations: 0,
            hessian_products: 0,
            inner_termination: at.report.reason,
            linear_termination: at.report.reason,
        });
        epsilon = (next_epsilon * decision.tighten).max(rules.tolerances.floor);
    }
    steps
}

/// Checks traces of the outer rule with exact subproblems, every step to [`TRACE`].
///
/// # Errors
/// If the section is malformed.
pub fn rules(
    section: &Node<'_>,
    mut problem: Logistic,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let data_c = problem.outer_lipschitz();
    for (name, node) in section.members()? {
        let Some(rules) = rules_of(name, data_c) else {
            cases.push(Case::not_understood(node.at));
            continue;
        };
        let expected = node.items()?;
        let steps = replay(&mut problem, &rules, &expected);
        for (row, step) in expected.iter().zip(&steps) {
            match compare_step(row, step, cases) {
                Ok(case) => cases.push(case),
                Err(error) => keep(Err(error), cases),
            }
        }
    }
    Ok(())
}

/// One case per step: the field with the largest error.
fn compare_step(row: &Node<'_>, step: &OuterStep, cases: &mut Vec<Case>) -> Result<Case, Error> {
    let mut worst = Case::absolute(row.at.as_str(), step.k as f64, step.k as f64, TRACE);
    for (key, value) in row.members()? {
        if value.value.is_null() {
            continue;
        }
        let name = format!("{}/{key}", row.at);
        let agrees = |same: bool| if same { 0.0 } else { f64::INFINITY };
        let case = match key {
            "branch" => {
                let same = value.text()? == step.branch.as_str();
                Case::with_error(name, f64::NAN, f64::NAN, agrees(same), TRACE)
            }
            "accepted" => {
                let same = value.value.as_bool() == Some(step.branch == Branch::Grow);
                Case::with_error(name, f64::NAN, f64::NAN, agrees(same), TRACE)
            }
            _ => {
                let computed = match key {
                    "k" => step.k as f64,
                    "lam" => step.lambda[0],
                    "g" => step.outer_value,
                    "grad" => step.gradient[0],
                    "eps" => step.epsilon,
                    "L" | "L_after" => step.lipschitz,
                    "L_before" => 1.0 / step.step,
                    _ => {
                        cases.push(Case::ignored(value.at));
                        continue;
                    }
                };
                Case::relative(name, computed, value.extended()?, 1.0, TRACE)
            }
        };
        let smaller = case.error <= worst.error;
        if !smaller {
            worst = case;
        }
    }
    Ok(worst)
}

/// Checks traces published for the authors' code, which depend on its own solver bit by bit: values that
/// follow from their λ alone are recomputed, and our own run of the same rules is shown next to them.
///
/// # Errors
/// If the section is malformed or data are not available.
pub fn published(
    section: &Node<'_>,
    preset: &str,
    sets: &Sets<'_>,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let mut optima = BTreeMap::new();
    for (name, node) in section.given()? {
        keep(published_trace(name, &node, preset, sets, &mut optima, cases), cases);
    }
    Ok(())
}

/// One published trace; `optima` has the optimum of each data set, once it is known.
fn published_trace<'a>(
    name: &'a str,
    node: &Node<'_>,
    preset: &str,
    sets: &Sets<'_>,
    optima: &mut BTreeMap<&'a str, f64>,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let words: Vec<&str> = name.split('|').collect();
    let (Some(&set), Some(rule)) = (words.first(), words.last().and_then(|w| sequence(w))) else {
        cases.push(Case::not_understood(&*node.at));
        return Ok(());
    };
    let broken = |reason: String| Error::Data { name: node.at.clone(), reason };
    let mut problem =
        Logistic::new(sets.thirds(set)?, Penalty::Half).map_err(|e| broken(e.to_string()))?;
    let best =
        *optima.entry(set).or_insert_with(|| optimum::minimum_1d(&mut problem, -12.0, 12.0).value);
    let lambdas = node.need("lam")?.numbers()?;
    let gaps = suboptimality(&mut problem, &lambdas, best);
    let Some(mut rules) = HoagRules::preset(preset) else { return Ok(()) };
    rules.tolerances.sequence = rule;
    rules.start = if words.contains(&"zeros") { Start::Zeros } else { Start::Normal };
    rules.outer_iterations = lambdas.len().saturating_sub(1).max(1);
    let steps = run(&mut problem, rules).map_err(broken)?;
    let ours: Vec<f64> = steps.iter().map(|s| s.lambda[0]).collect();
    let our_gaps = suboptimality(&mut problem, &ours, best);
    let least = |g: &[f64]| g.iter().copied().fold(f64::INFINITY, f64::min);
    let hit = |g: &[f64]| g.iter().position(|v| *v <= 1e-4).map_or(f64::NAN, |i| i as f64 + 1.0);
    let rejected = steps.iter().filter(|s| s.branch == Branch::Reject).count() as f64;
    let at = |what: &str| format!("{}/{what}", node.at);
    if let Some(v) = node.get("final_rel") {
        let computed = gaps.last().copied().unwrap_or(f64::NAN);
        cases.push(v.absolute(computed, 1e-10));
    }
    if let Some(v) = node.get("best_rel") {
        cases.push(v.absolute(least(&gaps), 1e-10));
    }
    if let Some(v) = node.get("hit_1e_4_k") {
        cases.push(v.absolute(hit(&gaps), 0.0));
    }
    if let Some(v) = node.get("rejected_steps") {
        let node = Node { at: at("our run, rejected steps"), ..v };
        cases.push(node.informative(rejected));
    }
    cases.push(Case::informative(at("our run, λs to 1e-4"), hit(&our_gaps), hit(&gaps)));
    cases.push(Case::informative(at("our run, best gap"), least(&our_gaps), least(&gaps)));
    Ok(())
}

/// (f(λ) − f*)/f* at every λ.
fn suboptimality(problem: &mut Logistic, lambdas: &[f64], best: f64) -> Vec<f64> {
    let mut x = vec![0.0; problem.n_params()];
    let mut gap = |lambda: f64| {
        let at = inner::exact(problem, &[lambda], std::mem::take(&mut x));
        x = at.x;
        (at.outer - best) / best
    };
    lambdas.iter().map(|&l| gap(l)).collect()
}

//! The format of bracket arithmetic: budgets, rungs and populations of multi-fidelity tuners.
//! Settings come from the keys of the file.

use serde_json::{Map, Value};

use super::Error;
use super::case::{Case, Node};
use crate::tuners::brackets::{Arithmetic, Bracket, Budgets, Ladder, Sizes, raw_log_ratio};
use crate::tuners::dehb::population_sizes;

/// Relative tolerance of budgets, which the file computed by floating-point powers. Counts are
/// exact.
const ROUNDING: f64 = 1e-15;

/// Whether a file is of this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    top.contains_key("settings") && top.contains_key("hyperband_paper")
}

/// Checks every setting of both sections.
///
/// # Errors
/// If the file is malformed.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for (key, value) in top {
        let section = Node { at: key.clone(), value };
        let (sizes, words): (Sizes, &[&str]) = match key.as_str() {
            "protocol" => continue,
            "settings" => (Sizes::Code, &["min", "max", "eta"]),
            "hyperband_paper" => (Sizes::Paper, &["R", "eta"]),
            _ => {
                cases.push(Case::not_understood(key));
                continue;
            }
        };
        for (name, node) in section.members()? {
            let numbers: Option<Vec<u64>> = name
                .split('_')
                .zip(words)
                .map(|(part, word)| part.strip_prefix(word)?.parse().ok())
                .collect();
            let arithmetic = Arithmetic::Exact;
            let budgets = match numbers.as_deref() {
                Some(&[minimum, maximum, eta]) => {
                    Budgets { minimum, maximum, eta, arithmetic, sizes }
                }
                Some(&[maximum, eta]) => Budgets { minimum: 1, maximum, eta, arithmetic, sizes },
                _ => {
                    cases.push(Case::not_understood(node.at));
                    continue;
                }
            };
            let ladder = Ladder::new(budgets)
                .map_err(|_| Error::Shape { at: node.at.clone(), expected: "usable budgets" })?;
            check_setting(&node, budgets, ladder, &mut cases)?;
        }
    }
    Ok(cases)
}

fn check_setting(
    setting: &Node<'_>,
    budgets: Budgets,
    ladder: Ladder,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let cycle = ladder.cycle();
    let total = |f: &dyn Fn(&Bracket) -> f64| cycle.iter().map(f).sum::<f64>();
    let (minimum, maximum) = (budgets.minimum as f64, budgets.maximum as f64);
    for (key, node) in setting.members()? {
        match key {
            "raw_log_ratio" => {
                let ratio = raw_log_ratio(minimum, maximum, budgets.eta as f64);
                cases.push(Case::relative(node.at.clone(), ratio, node.number()?, 0.0, ROUNDING));
            }
            "max_SH_iter" => count(&node, ladder.rungs(), cases)?,
            "s_max" => count(&node, ladder.rungs() - 1, cases)?,
            "B" => exact(&node, ladder.rungs() as f64 * maximum, cases)?,
            "budgets" => numbers(&node, &ladder.values(), ROUNDING, cases)?,
            "brackets" => {
                let listed = node.items()?;
                length(&node, cycle.len(), listed.len(), cases);
                for (item, bracket) in listed.iter().zip(&cycle) {
                    check_bracket(item, budgets, ladder, bracket, cases)?;
                }
            }
            "cycle_evaluations" => exact(&node, total(&evaluations), cases)?,
            "cycle_total_budget" => exact(&node, total(&|b| ladder.cost(b)), cases)?,
            "dehb_subpopulations" => {
                let sizes = population_sizes(&cycle);
                let listed = node.items()?;
                length(&node, sizes.len(), listed.len(), cases);
                for (item, (&divisor, &size)) in listed.iter().zip(sizes.iter().rev()) {
                    numbers_of(item, "budget", maximum / divisor as f64, ROUNDING, cases)?;
                    numbers_of(item, "subpopulation_size", size as f64, 0.0, cases)?;
                }
            }
            _ => cases.push(Case::not_understood(node.at)),
        }
    }
    Ok(())
}

fn check_bracket(
    item: &Node<'_>,
    budgets: Budgets,
    ladder: Ladder,
    bracket: &Bracket,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let s = bracket.len() - 1;
    let sizes: Vec<f64> = bracket.iter().map(|r| r.size as f64).collect();
    let values: Vec<f64> =
        bracket.iter().map(|r| budgets.maximum as f64 / r.divisor as f64).collect();
    for (key, node) in item.members()? {
        match key {
            "iteration" => count(&node, ladder.rungs() - 1 - s, cases)?,
            "s" => count(&node, s, cases)?,
            "n" => exact(&node, sizes[0], cases)?,
            "r" => exact(&node, values[0], cases)?,
            "num_configs" => numbers(&node, &sizes, 0.0, cases)?,
            "budgets" => numbers(&node, &values, ROUNDING, cases)?,
            "total_budget" => exact(&node, ladder.cost(bracket), cases)?,
            "evaluations" => exact(&node, evaluations(bracket), cases)?,
            _ => cases.push(Case::not_understood(node.at)),
        }
    }
    Ok(())
}

fn evaluations(bracket: &Bracket) -> f64 {
    bracket.iter().map(|r| r.size as f64).sum()
}

fn exact(node: &Node<'_>, computed: f64, cases: &mut Vec<Case>) -> Result<(), Error> {
    cases.push(Case::absolute(node.at.clone(), computed, node.number()?, 0.0));
    Ok(())
}

fn count(node: &Node<'_>, computed: usize, cases: &mut Vec<Case>) -> Result<(), Error> {
    exact(node, computed as f64, cases)
}

fn length(node: &Node<'_>, computed: usize, listed: usize, cases: &mut Vec<Case>) {
    let name = format!("{}/length", node.at);
    cases.push(Case::absolute(name, computed as f64, listed as f64, 0.0));
}

fn numbers(
    node: &Node<'_>,
    computed: &[f64],
    tolerance: f64,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let expected = node.numbers()?;
    length(node, computed.len(), expected.len(), cases);
    for (i, (c, e)) in computed.iter().zip(expected).enumerate() {
        cases.push(Case::relative(format!("{}[{i}]", node.at), *c, e, 0.0, tolerance));
    }
    Ok(())
}

fn numbers_of(
    item: &Node<'_>,
    key: &'static str,
    computed: f64,
    tolerance: f64,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let node = item.need(key)?;
    cases.push(Case::relative(node.at.clone(), computed, node.number()?, 0.0, tolerance));
    Ok(())
}

//! Checks the format of bracket arithmetic: budgets, rungs and populations of multi-fidelity tuners. Settings
//! come from the keys of the file.

use serde_json::{Map, Value};
use tuners::multi_fidelity::{
    brackets::{Arithmetic, Bracket, Budgets, Ladder, Sizes, raw_log_ratio},
    dehb::population_sizes,
};

use super::{
    Error,
    case::{Case, keep},
    node::Node,
};

/// Relative tolerance of budgets, which the file computed by floating-point powers, and ours by a division: a
/// whole number of units can be off by some roundings, too. Counts are exact.
const ROUNDING: f64 = 1e-13;
/// The same for sums of budgets.
const SUMS: f64 = 1e-12;

/// Whether a file has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    top.contains_key("settings") || top.contains_key("hyperband_paper")
}

/// Checks every setting of both sections.
///
/// # Errors
/// If the file is malformed.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for (key, value) in top {
        let section = Node { at: key.clone(), value };
        let (sizes, arithmetic, words): (Sizes, Arithmetic, &[&str]) = match key.as_str() {
            "protocol" | "description" | "note" => continue,
            _ if value.is_null() => continue,
            "settings" => (Sizes::Code, Arithmetic::FloatLogarithm, &["min", "max", "eta"]),
            "hyperband_paper" => (Sizes::Paper, Arithmetic::Exact, &["R", "eta"]),
            _ => {
                cases.push(Case::ignored(key));
                continue;
            }
        };
        for (name, node) in section.members()? {
            let Some(setting) = Setting::read(name, words) else {
                let of_no_setting = !node.value.is_object();
                let odd = if of_no_setting { Case::ignored } else { Case::not_understood };
                cases.push(odd(node.at));
                continue;
            };
            let Setting { minimum, maximum, eta, .. } = setting;
            match Ladder::new(Budgets { minimum, maximum, eta, arithmetic, sizes }) {
                Ok(ladder) => {
                    keep(check_setting(&node, setting, ladder, &mut cases), &mut cases);
                }
                Err(reason) => cases.push(Case::not_understood(format!("{}: {reason}", node.at))),
            }
        }
    }
    Ok(cases)
}

/// Budgets in whole units, `scale` of which make one unit of the file, whose budgets need not be whole
/// numbers.
#[derive(Clone, Copy)]
struct Setting {
    minimum: u64,
    maximum: u64,
    eta: u64,
    scale: f64,
}

impl Setting {
    /// Budgets from a name such as `min1_max81_eta3`: the minimum (1 if it is not given), the maximum and η
    /// after their words, in any order.
    fn read(name: &str, words: &[&str]) -> Option<Self> {
        let parts: Vec<&str> = name.split('_').collect();
        let part = |word: &str| parts.iter().find_map(|part| part.strip_prefix(word));
        let texts: Vec<&str> = words.iter().map(|word| part(word)).collect::<Option<_>>()?;
        let (minimum, maximum, eta) = match texts.as_slice() {
            _ if parts.len() != words.len() => return None,
            [minimum, maximum, eta] => (*minimum, *maximum, *eta),
            [maximum, eta] => ("1", *maximum, *eta),
            _ => return None,
        };
        let places = decimals(minimum)?.max(decimals(maximum)?);
        let scale = 10.0_f64.powi(places);
        let whole = |text: &str, scale: f64| {
            let units = text.parse::<f64>().ok()? * scale;
            (1.0..=LARGEST).contains(&units.round()).then(|| units.round() as u64)
        };
        let (minimum, maximum) = (whole(minimum, scale)?, whole(maximum, scale)?);
        let eta = whole(eta, 1.0).filter(|_| decimals(eta) == Some(0))?;
        Some(Self { minimum, maximum, eta, scale })
    }

    fn minimum(self) -> f64 {
        self.minimum as f64 / self.scale
    }

    fn maximum(self) -> f64 {
        self.maximum as f64 / self.scale
    }
}

/// Units beyond 2⁵³ would not be exact.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// The number of places after the point that a number such as `0.25`, `3.0` or `1e-3` needs.
fn decimals(text: &str) -> Option<i32> {
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let places = digits.split_once('.').map_or(0, |(_, places)| places.trim_end_matches('0').len());
    Some(i32::try_from(places).ok()?.saturating_sub(exponent).max(0))
}

fn check_setting(
    section: &Node<'_>,
    setting: Setting,
    ladder: Ladder,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let cycle = ladder.cycle();
    let total = |f: &dyn Fn(&Bracket) -> f64| cycle.iter().map(f).sum::<f64>();
    let maximum = setting.maximum();
    for (key, node) in section.members()? {
        match key {
            "raw_log_ratio" => {
                let ratio = raw_log_ratio(setting.minimum(), maximum, setting.eta as f64);
                cases.push(node.relative(ratio, 0.0, ROUNDING));
            }
            "max_SH_iter" => count(&node, ladder.rungs(), cases),
            "s_max" => count(&node, ladder.rungs() - 1, cases),
            "B" => cost(&node, ladder.rungs() as f64 * setting.maximum as f64, setting, cases),
            "budgets" => {
                let values: Vec<f64> = ladder.values().iter().map(|v| v / setting.scale).collect();
                numbers(&node, &values, ROUNDING, cases);
            }
            "brackets" => {
                let listed = node.items()?;
                length(&node, cycle.len(), listed.len(), cases);
                for (item, bracket) in listed.iter().zip(&cycle) {
                    keep(check_bracket(item, setting, ladder, bracket, cases), cases);
                }
            }
            "cycle_evaluations" => exact(&node, total(&evaluations), cases),
            "cycle_total_budget" => {
                cost(&node, total(&|b| ladder.cost(b)), setting, cases);
            }
            "dehb_subpopulations" => {
                let sizes = population_sizes(&cycle);
                let listed = node.items()?;
                length(&node, sizes.len(), listed.len(), cases);
                for (item, (&divisor, &size)) in listed.iter().zip(sizes.iter().rev()) {
                    number_of(item, "budget", maximum / divisor as f64, ROUNDING, cases);
                    number_of(item, "subpopulation_size", size as f64, 0.0, cases);
                }
            }
            _ => cases.push(Case::ignored(node.at)),
        }
    }
    Ok(())
}

fn check_bracket(
    item: &Node<'_>,
    setting: Setting,
    ladder: Ladder,
    bracket: &Bracket,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let s = bracket.len() - 1;
    let sizes: Vec<f64> = bracket.iter().map(|r| r.size as f64).collect();
    let values: Vec<f64> = bracket.iter().map(|r| setting.maximum() / r.divisor as f64).collect();
    for (key, node) in item.members()? {
        match key {
            "iteration" => count(&node, ladder.rungs() - 1 - s, cases),
            "s" => count(&node, s, cases),
            "n" => exact(&node, sizes[0], cases),
            "r" => cases.push(node.relative(values[0], 0.0, ROUNDING)),
            "num_configs" => numbers(&node, &sizes, 0.0, cases),
            "budgets" => numbers(&node, &values, ROUNDING, cases),
            "total_budget" => cost(&node, ladder.cost(bracket), setting, cases),
            "evaluations" => exact(&node, evaluations(bracket), cases),
            _ => cases.push(Case::ignored(node.at)),
        }
    }
    Ok(())
}

fn evaluations(bracket: &Bracket) -> f64 {
    bracket.iter().map(|r| r.size as f64).sum()
}

fn exact(node: &Node<'_>, computed: f64, cases: &mut Vec<Case>) {
    cases.push(node.absolute(computed, 0.0));
}

/// A sum of budgets in our whole units.
fn cost(node: &Node<'_>, computed: f64, setting: Setting, cases: &mut Vec<Case>) {
    cases.push(node.relative(computed / setting.scale, 0.0, SUMS));
}

fn count(node: &Node<'_>, computed: usize, cases: &mut Vec<Case>) {
    exact(node, computed as f64, cases);
}

fn length(node: &Node<'_>, computed: usize, listed: usize, cases: &mut Vec<Case>) {
    let name = format!("{}/length", node.at);
    cases.push(Case::absolute(name, computed as f64, listed as f64, 0.0));
}

fn numbers(node: &Node<'_>, computed: &[f64], tolerance: f64, cases: &mut Vec<Case>) {
    let expected = node.listed(cases);
    length(node, computed.len(), expected.len(), cases);
    cases.extend(computed.iter().zip(expected).map(|(c, e)| e.relative(*c, 0.0, tolerance)));
}

/// One of the numbers of an object, if it is given.
fn number_of(item: &Node<'_>, key: &str, computed: f64, tolerance: f64, cases: &mut Vec<Case>) {
    cases.extend(item.get(key).map(|node| node.relative(computed, 0.0, tolerance)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed as in the public code.
    const FRACTIONS: &str = r#"
{"settings": {"min0.01_max1_eta3": {"raw_log_ratio": -4.191806548578769, "max_SH_iter": 5,
"budgets": [0.012345679012345678, 0.037037037037037035, 0.1111111111111111, 0.3333333333333333,
1.0], "brackets": [{"iteration": 0, "s": 4, "num_configs": [81, 27, 9, 3, 1], "budgets":
[0.012345679012345678, 0.037037037037037035, 0.1111111111111111, 0.3333333333333333, 1.0],
"total_budget": 5.0, "evaluations": 121}, {"iteration": 1, "s": 3, "num_configs": [27, 9, 3, 1],
"budgets": [0.037037037037037035, 0.1111111111111111, 0.3333333333333333, 1.0], "total_budget":
4.0, "evaluations": 40}, {"iteration": 2, "s": 2, "num_configs": [9, 3, 1], "budgets":
[0.1111111111111111, 0.3333333333333333, 1.0], "total_budget": 3.0, "evaluations": 13},
{"iteration": 3, "s": 1, "num_configs": [6, 2], "budgets": [0.3333333333333333, 1.0],
"total_budget": 4.0, "evaluations": 8}, {"iteration": 4, "s": 0, "num_configs": [5], "budgets":
[1.0], "total_budget": 5.0, "evaluations": 5}], "cycle_total_budget": 21.0}}, "hyperband_paper":
{}}
"#;

    #[test]
    fn budgets_need_not_be_whole_numbers() {
        let file: Value = serde_json::from_str(FRACTIONS).unwrap();
        let cases = check(file.as_object().unwrap()).unwrap();
        let wrong: Vec<_> = cases.iter().filter(|case| !case.passed()).collect();
        assert!(wrong.is_empty() && cases.len() > 40, "{} cases, {wrong:?}", cases.len());
        let other = FRACTIONS.replace("\"max_SH_iter\": 5", "\"max_SH_iter\": 6");
        let file: Value = serde_json::from_str(&other).unwrap();
        assert!(check(file.as_object().unwrap()).unwrap().iter().any(|case| !case.passed()));
    }
}

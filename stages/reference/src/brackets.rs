//! Checks the format of bracket arithmetic: budgets, rungs and populations of multi-fidelity tuners. Settings
//! come from the keys of the file.

use serde_json::{Map, Value};
use tuners::multi_fidelity::{
    brackets::{Arithmetic, Bracket, Budgets, Ladder, Sizes, raw_log_ratio},
    dehb::population_sizes,
};

use super::{
    Error,
    case::{Case, Node},
};

/// Relative tolerance of budgets, which the file computed by floating-point powers. Counts are
/// exact.
const ROUNDING: f64 = 1e-15;
/// The same for sums of budgets that are not whole numbers.
const SUMS: f64 = 1e-14;

/// Whether a file has this format.
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
        let (sizes, arithmetic, words): (Sizes, Arithmetic, &[&str]) = match key.as_str() {
            "protocol" => continue,
            "settings" => (Sizes::Code, Arithmetic::FloatLogarithm, &["min", "max", "eta"]),
            "hyperband_paper" => (Sizes::Paper, Arithmetic::Exact, &["R", "eta"]),
            _ => {
                cases.push(Case::not_understood(key));
                continue;
            }
        };
        for (name, node) in section.members()? {
            let parts = name.split('_').zip(words).map(|(part, word)| part.strip_prefix(word));
            let Some(setting) = parts.collect::<Option<Vec<_>>>().and_then(|p| Setting::read(&p))
            else {
                cases.push(Case::not_understood(node.at));
                continue;
            };
            let Setting { minimum, maximum, eta, .. } = setting;
            let ladder = Ladder::new(Budgets { minimum, maximum, eta, arithmetic, sizes })
                .map_err(|_| Error::Shape { at: node.at.clone(), expected: "usable budgets" })?;
            check_setting(&node, setting, ladder, &mut cases)?;
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
    /// Budgets from the minimum (1 if it is not given), the maximum and η as the file writes them.
    fn read(parts: &[&str]) -> Option<Self> {
        let (minimum, maximum, eta) = match parts {
            [minimum, maximum, eta] => (*minimum, *maximum, *eta),
            [maximum, eta] => ("1", *maximum, *eta),
            _ => return None,
        };
        let decimals = |text: &str| text.split_once('.').map_or(0, |(_, digits)| digits.len());
        let places = decimals(minimum).max(decimals(maximum));
        let scale = 10.0_f64.powi(i32::try_from(places).ok()?);
        let whole = |text: &str| {
            let value: f64 = text.parse().ok()?;
            (value.is_finite() && value > 0.0).then_some((value * scale).round() as u64)
        };
        let (minimum, maximum) = (whole(minimum)?, whole(maximum)?);
        Some(Self { minimum, maximum, eta: eta.parse().ok()?, scale })
    }

    fn is_whole(self) -> bool {
        self.scale == 1.0
    }

    fn minimum(self) -> f64 {
        self.minimum as f64 / self.scale
    }

    fn maximum(self) -> f64 {
        self.maximum as f64 / self.scale
    }
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
                cases.push(Case::relative(node.at.clone(), ratio, node.number()?, 0.0, ROUNDING));
            }
            "max_SH_iter" => count(&node, ladder.rungs(), cases)?,
            "s_max" => count(&node, ladder.rungs() - 1, cases)?,
            "B" => exact(&node, ladder.rungs() as f64 * maximum, cases)?,
            "budgets" => {
                let values: Vec<f64> = ladder.values().iter().map(|v| v / setting.scale).collect();
                numbers(&node, &values, ROUNDING, cases)?;
            }
            "brackets" => {
                let listed = node.items()?;
                length(&node, cycle.len(), listed.len(), cases);
                for (item, bracket) in listed.iter().zip(&cycle) {
                    check_bracket(item, setting, ladder, bracket, cases)?;
                }
            }
            "cycle_evaluations" => exact(&node, total(&evaluations), cases)?,
            "cycle_total_budget" => {
                cost(&node, total(&|b| ladder.cost(b)), setting, cases)?;
            }
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
            "iteration" => count(&node, ladder.rungs() - 1 - s, cases)?,
            "s" => count(&node, s, cases)?,
            "n" => exact(&node, sizes[0], cases)?,
            "r" => cases.push(Case::relative(
                node.at.clone(),
                values[0],
                node.number()?,
                0.0,
                if setting.is_whole() { 0.0 } else { ROUNDING },
            )),
            "num_configs" => numbers(&node, &sizes, 0.0, cases)?,
            "budgets" => numbers(&node, &values, ROUNDING, cases)?,
            "total_budget" => cost(&node, ladder.cost(bracket), setting, cases)?,
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

/// A sum of budgets in whole units: exact if these are the file's own units.
fn cost(
    node: &Node<'_>,
    computed: f64,
    setting: Setting,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    if setting.is_whole() {
        return exact(node, computed, cases);
    }
    let (ours, theirs) = (computed / setting.scale, node.number()?);
    cases.push(Case::relative(node.at.clone(), ours, theirs, 0.0, SUMS));
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

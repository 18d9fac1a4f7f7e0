//! Checks the format of recorded runs on counting ones: regrets of many seeds at checkpoints are compared
//! with those of our tuners by rank tests. Sizes, budgets and seeds come from the file.

use numerics::space::{Domain, Parameter, Space};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use rand_distr::{Binomial, Distribution as _};
use rayon::prelude::*;
use serde_json::{Map, Value};
use stats::{
    adjust::holm, alternative::Alternative, order::median, rank_tests::mann_whitney::MannWhitney,
};
use tuners::{
    evolution::Evolution,
    multi_fidelity::{
        bohb::{Bohb, BohbSettings},
        brackets::{Arithmetic, Budgets, Sizes},
        dehb::{Dehb, DehbSettings},
        hyperband::{Hyperband, HyperbandSettings},
    },
    random::Random,
    tuner::{Trial, Tuner},
};

use super::{
    Error,
    case::{Case, keep},
    node::Node,
};

/// A comparison fails if its adjusted p is below 1%.
const ERROR: f64 = 0.99;

/// The largest numbers of seeds, evaluations per run and parameters that a file can ask for.
const SEEDS: usize = 1000;
const EVALUATIONS: usize = 10_000;
const PARAMETERS: u64 = 1000;
/// The largest budget: up to here doubles are exact whole numbers.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// How the mean of a coordinate is observed with b samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noise {
    /// By b Bernoulli trials.
    Bernoulli,
    /// Rounded to multiples of 1/b.
    Quantised,
}

/// The function and the budgets that the protocol states.
#[derive(Debug, Clone)]
struct Protocol {
    space: Space,
    categories: usize,
    hyperband: HyperbandSettings,
}

/// The rule of the incumbent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// The lowest loss at the largest budget so far.
    HighestBudget,
    /// The lowest loss at any budget.
    AnyBudget,
}

/// One evaluation: budget, observed loss, true loss.
type Evaluation = (f64, f64, f64);

/// Whether a file has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    let function = top.get("protocol").and_then(|p| p.get("function"));
    top.contains_key("results") && function.is_some()
}

/// Runs every optimiser of the file on every variant and compares.
///
/// # Errors
/// If the file is malformed.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let value = Value::Object(top.clone());
    let top = Node { at: String::new(), value: &value };
    let protocol = protocol(&top.need("protocol")?)?;
    let mut cases = Vec::new();
    for (name, variant) in top.need("results")?.given()? {
        let noise = match name {
            "bernoulli" => Noise::Bernoulli,
            "quantised" => Noise::Quantised,
            _ => {
                cases.push(Case::not_understood(variant.at));
                continue;
            }
        };
        let listed = match variant.given() {
            Ok(listed) => listed,
            Err(error) => {
                keep(Err(error), &mut cases);
                continue;
            }
        };
        for (name, recorded) in listed {
            if tuner(name, &protocol).is_some() {
                keep(compare(name, noise, &protocol, &recorded, &mut cases), &mut cases);
            } else {
                cases.push(Case::not_understood(recorded.at));
            }
        }
    }
    Ok(cases)
}

fn protocol(node: &Node<'_>) -> Result<Protocol, Error> {
    let (function, budgets) = (node.need("function")?, node.need("budgets")?);
    let words = |n: &Node<'_>| -> Result<Vec<String>, Error> {
        Ok(n.text()?.split([' ', ',', ';']).filter(|w| !w.is_empty()).map(str::to_owned).collect())
    };
    // The number next to a word: before it in `8 categorical`, after it in `min 9`.
    let beside = |words: &[String], word: &str, offset: isize| {
        let at = words.iter().position(|w| w == word)?;
        let number: f64 = words.get(at.checked_add_signed(offset)?)?.parse().ok()?;
        (number.fract() == 0.0 && (0.0..=LARGEST).contains(&number)).then_some(number as u64)
    };
    let lacks = |n: &Node<'_>, expected| Error::Shape { at: n.at.clone(), expected };
    let words_of = words(&function)?;
    let count = |word| {
        let n = beside(&words_of, word, -1).filter(|n| *n <= PARAMETERS);
        n.ok_or_else(|| lacks(&function, "`N categorical` and `N uniform floats`, each up to 1000"))
    };
    let (categories, reals) = (count("categorical")? as usize, count("uniform")? as usize);
    let words_of = words(&budgets)?;
    let budget = |word| {
        let n = beside(&words_of, word, 1);
        n.ok_or_else(|| lacks(&budgets, "`min A, max B, eta C`"))
    };
    let parameter = |i: usize| Parameter {
        name: format!("x{i}"),
        domain: if i < categories {
            Domain::Categorical { choices: 2 }
        } else {
            Domain::Float { low: 0.0, high: 1.0, log: false }
        },
    };
    let space = Space::new((0..categories + reals).map(parameter).collect())
        .map_err(|_| lacks(&function, "at least one parameter"))?;
    let budgets = Budgets {
        minimum: budget("min")?,
        maximum: budget("max")?,
        eta: budget("eta")?,
        arithmetic: Arithmetic::Exact,
        sizes: Sizes::Code,
    };
    Ok(Protocol { space, categories, hyperband: HyperbandSettings { budgets, brackets: None } })
}

/// The tuner by the name that the file uses, with its published defaults.
fn tuner(name: &str, protocol: &Protocol) -> Option<Box<dyn Tuner>> {
    let (space, hyperband) = (protocol.space.clone(), protocol.hyperband);
    Some(match name {
        "random" => Box::new(Random::new(space)),
        "hyperband" => Box::new(Hyperband::new(space, hyperband).ok()?),
        "bohb" => Box::new(Bohb::new(space, BohbSettings::on(hyperband)).ok()?),
        "dehb" => {
            let settings = DehbSettings { hyperband, evolution: Evolution::default() };
            Box::new(Dehb::new(space, settings).ok()?)
        }
        _ => return None,
    })
}

/// A regret; not a number before the first evaluation is complete.
fn undefined(node: &Node<'_>) -> Result<f64, Error> {
    if node.value.is_null() { Ok(f64::NAN) } else { node.extended() }
}

/// The evaluations of one run, in order.
fn run(name: &str, noise: Noise, protocol: &Protocol, n: usize, seed: u64) -> Vec<Evaluation> {
    let Some(mut tuner) = tuner(name, protocol) else { return Vec::new() };
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let mut noise_rng = ChaCha12Rng::seed_from_u64(1_000_000 + seed);
    let full = protocol.hyperband.budgets.maximum as f64;
    let mut evaluations = Vec::with_capacity(n);
    while evaluations.len() < n {
        let Some(suggestion) = tuner.ask(&mut rng) else { break };
        let budget = suggestion.fidelity.of(full);
        let (ones, reals) = suggestion.config.split_at(protocol.categories);
        let ones: f64 = ones.iter().sum();
        let seen: f64 = reals.iter().map(|&x| observe(x, budget, noise, &mut noise_rng)).sum();
        let value = -(ones + seen);
        evaluations.push((budget, value, -(ones + reals.iter().sum::<f64>())));
        tuner.tell(Trial { suggestion, value });
    }
    evaluations
}

/// The mean of a coordinate as observed with `budget` samples.
fn observe(x: f64, budget: f64, noise: Noise, rng: &mut ChaCha12Rng) -> f64 {
    match noise {
        Noise::Quantised => (x * budget + 0.5).floor() / budget,
        Noise::Bernoulli => {
            let count = Binomial::new(budget.round() as u64, x).map_or(0, |b| b.sample(rng));
            count as f64 / budget
        }
    }
}

/// The regret of the incumbent once the cost of `cost` full evaluations is spent; NaN before the first.
fn regret(evaluations: &[Evaluation], protocol: &Protocol, rule: Rule, cost: f64) -> f64 {
    let allowed = cost * protocol.hyperband.budgets.maximum as f64;
    let (mut spent, mut best) = (0.0, None::<Evaluation>);
    for &(budget, observed, truth) in evaluations {
        spent += budget;
        // Budgets are whole numbers of samples: half a sample allows for rounding.
        if spent > allowed + 0.5 {
            break;
        }
        let wins = best.is_none_or(|(of, lowest, _)| match rule {
            Rule::AnyBudget => observed < lowest,
            Rule::HighestBudget => budget > of || (budget == of && observed < lowest),
        });
        if wins {
            best = Some((budget, observed, truth));
        }
    }
    best.map_or(f64::NAN, |(.., truth)| truth + protocol.space.dimensions() as f64)
}

fn compare(
    name: &str,
    noise: Noise,
    protocol: &Protocol,
    recorded: &Node<'_>,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let seeds = recorded.need("n_seeds")?.count(SEEDS, "a number of seeds up to 1000")? as u64;
    let n = recorded.need("evaluations_per_run")?;
    let n = n.count(EVALUATIONS, "a number of evaluations up to 10000")?;
    let runs: Vec<Vec<Evaluation>> =
        (0..seeds).into_par_iter().map(|seed| run(name, noise, protocol, n, seed)).collect();
    for (key, node) in recorded.given()? {
        let rule = match key {
            // How the recorded runs were made.
            "n_seeds" | "evaluations_per_run" | "model_based_fraction" => continue,
            "highest_budget" => Rule::HighestBudget,
            "any_budget" => Rule::AnyBudget,
            _ => {
                cases.push(Case::ignored(node.at));
                continue;
            }
        };
        let (mut names, mut medians, mut p) = (Vec::new(), Vec::new(), Vec::new());
        for (checkpoint, values) in node.members()? {
            let expected = "a number of full evaluations as the key";
            let cost = checkpoint.parse().map_err(|_| values.shape(expected));
            let read = cost.and_then(|cost| Ok((cost, values.need("per_seed")?.each(undefined)?)));
            let (cost, theirs) = match read {
                Ok(read) => read,
                Err(error) => {
                    keep(Err(error), cases);
                    continue;
                }
            };
            let ours: Vec<f64> = runs.iter().map(|run| regret(run, protocol, rule, cost)).collect();
            p.push(MannWhitney::new(&ours, &theirs).p(Alternative::TwoSided));
            medians.push((median(&ours), median(&theirs)));
            names.push(values.at);
        }
        // One family of tests per curve.
        for ((name, (ours, theirs)), p) in names.into_iter().zip(medians).zip(holm(&p)) {
            cases.push(Case::with_error(name, ours, theirs, 1.0 - p, ERROR));
        }
    }
    Ok(())
}

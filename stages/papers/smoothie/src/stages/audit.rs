//! The audit: each published number beside ours under both protocols, and beside what a constant
//! predictor would score on the true and on the flipped labels.

use std::collections::BTreeMap;

use kit::table::{Columns, Rows};
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::metrics::Confusion;

/// Published numbers.
#[derive(Serialize, Deserialize)]
pub struct Audit {
    /// In the order of the table.
    pub published: Vec<Published>,
    /// The protocols, the headline first; their standings are inputs `standings NAME`.
    pub protocols: Vec<String>,
}

/// One published number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// The task.
    pub task: String,
    /// The treatment: `method-LEARNER` or `method`.
    pub treatment: String,
    /// Column of the standings.
    pub measure: String,
    /// As printed, as a share of 1 (Table VIII: of 100).
    pub value: f64,
}

/// Medians and the share of constant choices, by task, treatment and measure.
type Ours = BTreeMap<(String, String, String), (f64, f64)>;

const MEASURES: [&str; 6] = ["accuracy", "f1", "pd", "pf", "precision", "bayesmark"];
/// Published shares are printed to a tenth of a percent.
const PRINTED: f64 = 0.0005 + 1e-9;

impl Stage for Audit {
    const KIND: &'static str = "smoothie/audit";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let ours = self
            .protocols
            .iter()
            .map(|name| standings(cx, &format!("standings {name}")))
            .collect::<Result<Vec<_>, _>>()?;
        let mut constants = BTreeMap::new();
        let roles: Vec<String> = cx.roles().map(str::to_owned).collect();
        for task in roles.iter().filter_map(|role| role.strip_prefix("cut ")) {
            constants.insert(task.to_owned(), constant(cx, &format!("cut {task}"))?);
        }
        let value = |protocol: usize, p: &Published| -> Option<(f64, f64)> {
            let key = (p.task.clone(), p.treatment.clone(), p.measure.clone());
            ours.get(protocol)?.get(&key).copied()
        };
        let always = |p: &Published, flipped: usize| -> Option<f64> {
            let scores = constants.get(&p.task)?;
            (p.measure == "f1").then_some(scores[flipped])
        };
        let rows = &self.published;
        let explained = |p: &Published| {
            let close =
                |flipped| always(p, flipped).is_some_and(|v| (v - p.value).abs() <= PRINTED);
            match (close(0), close(1)) {
                (_, true) => "a constant prediction on flipped labels",
                (true, _) => "a constant prediction",
                _ => "",
            }
        };
        let median = |at: usize| rows.iter().map(move |p| value(at, p).map(|v| v.0));
        let share = |at: usize| rows.iter().map(move |p| value(at, p).map(|v| v.1));
        let table = Columns::new()
            .text("task", "data set with its classes", rows.iter().map(|p| &p.task))
            .text("treatment", "optimiser and learner", rows.iter().map(|p| &p.treatment))
            .text("measure", "what is scored", rows.iter().map(|p| &p.measure))
            .real("published", "the paper's number", rows.iter().map(|p| p.value))
            .maybe("headline", "our median under the headline protocol", median(0))
            .maybe("headline_constant", "share of repeats whose choice is constant", share(0))
            .maybe("other", "our median under the other protocol", median(1))
            .maybe("other_constant", "share of repeats whose choice is constant", share(1))
            .maybe(
                "always_positive",
                "F1 of always predicting class 1, test part of the authors' code",
                rows.iter().map(|p| always(p, 0)),
            )
            .maybe(
                "always_positive_flipped",
                "the same on flipped labels",
                rows.iter().map(|p| always(p, 1)),
            )
            .text("explained", "what the published number equals", rows.iter().map(explained))
            .batch()?;
        Ok(cx.write("main", &table)?)
    }
}

fn standings(cx: &Context, role: &str) -> Result<Ours, Stop> {
    let table = cx.input(role)?;
    let rows = Rows(&table);
    let (task, method, learner) = (rows.text("task")?, rows.text("method")?, rows.text("learner")?);
    let constant = rows.real("constant")?;
    let mut ours = Ours::new();
    for measure in MEASURES {
        for (i, value) in rows.real(measure)?.into_iter().enumerate() {
            let treatment = match method[i].as_str() {
                "smoothie" => format!("smoothie-{}", learner[i]),
                other => other.to_owned(),
            };
            ours.insert((task[i].clone(), treatment, measure.to_owned()), (value, constant[i]));
        }
    }
    Ok(ours)
}

/// F1 of always predicting class 1 on the test part of the first repeat: on its labels, and on the
/// flipped ones.
fn constant(cx: &Context, role: &str) -> Result<[f64; 2], Stop> {
    let table = cx.input(role)?;
    let rows = Rows(&table);
    let (repeat, part, label) = (rows.index("repeat")?, rows.index("part")?, rows.index("label")?);
    let truth: Vec<u32> =
        (0..rows.len()).filter(|&i| repeat[i] == 0 && part[i] == 2).map(|i| label[i]).collect();
    let flipped: Vec<u32> = truth.iter().map(|&y| u32::from(y == 0)).collect();
    let ones = vec![1; truth.len()];
    Ok([truth, flipped].map(|y| Confusion::new(&y, &ones).f1()))
}

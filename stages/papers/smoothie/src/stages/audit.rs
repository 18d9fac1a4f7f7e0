//! The audit: compares each published number with ours under both protocols, and with the score of a constant
//! predictor on the true and on the flipped labels.

use std::collections::BTreeMap;

use kit::{
    port::{Many, Out},
    row::Row,
};
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::metrics::Confusion;

use crate::tables::{cut::Member, standings::Standing};

/// Published numbers.
#[derive(Serialize, Deserialize)]
pub struct Audit {
    /// The numbers in the order of the table.
    pub published: Vec<Published>,
    /// The protocols, the headline first.
    pub protocols: Vec<String>,
}

/// One published number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// The task.
    pub task: String,
    /// The treatment: `method-LEARNER` or `method`.
    pub treatment: String,
    /// The column of the standings.
    pub measure: String,
    /// The printed value, as a share of 1 (Table VIII: of 100).
    pub value: f64,
}

/// Medians and the share of constant choices, by task, treatment and measure.
type Ours = BTreeMap<(String, String, String), (f64, f64)>;

const MEASURES: [&str; 6] = ["accuracy", "f1", "pd", "pf", "precision", "bayesmark"];
/// Published shares are printed to a tenth of a percent.
const PRINTED: f64 = 0.0005 + 1e-9;

/// A published number with ours.
#[derive(Row)]
pub struct Audited {
    /// data set with its classes
    task: String,
    /// optimiser and learner
    treatment: String,
    /// what is scored
    measure: String,
    /// the paper's number
    published: f64,
    /// our median under the headline protocol
    headline: Option<f64>,
    /// share of repeats whose choice is constant
    headline_constant: Option<f64>,
    /// our median under the other protocol
    other: Option<f64>,
    /// share of repeats whose choice is constant
    other_constant: Option<f64>,
    /// F1 of always predicting class 1, test part of the authors' code
    always_positive: Option<f64>,
    /// the same on flipped labels
    always_positive_flipped: Option<f64>,
    /// what the published number equals
    explained: &'static str,
}

impl Audit {
    /// The standings, by protocol.
    pub const STANDINGS: Many<Standing> = Many::new("standings ");
    /// The parts by the authors' code, by task.
    pub const CUTS: Many<Member> = Many::new("cut ");
    /// All published numbers.
    pub const MAIN: Out<Audited> = Out::table("main");
}

impl Stage for Audit {
    const KIND: &'static str = "smoothie/audit";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let ours = self
            .protocols
            .iter()
            .map(|name| Ok(standings(Self::STANDINGS.at(name).read(cx)?)))
            .collect::<Result<Vec<_>, Stop>>()?;
        let cuts = Self::CUTS.read(cx)?.into_iter();
        let constants: BTreeMap<String, [f64; 2]> =
            cuts.map(|(task, members)| (task, constant(&members))).collect();
        let value = |protocol: usize, p: &Published| -> Option<(f64, f64)> {
            let key = (p.task.clone(), p.treatment.clone(), p.measure.clone());
            ours.get(protocol)?.get(&key).copied()
        };
        let always = |p: &Published, flipped: usize| -> Option<f64> {
            let scores = constants.get(&p.task)?;
            (p.measure == "f1").then_some(scores[flipped])
        };
        let explained = |p: &Published| {
            let close =
                |flipped| always(p, flipped).is_some_and(|v| (v - p.value).abs() <= PRINTED);
            match (close(0), close(1)) {
                (_, true) => "a constant prediction on flipped labels",
                (true, _) => "a constant prediction",
                _ => "",
            }
        };
        let row = |p: &Published| Audited {
            task: p.task.clone(),
            treatment: p.treatment.clone(),
            measure: p.measure.clone(),
            published: p.value,
            headline: value(0, p).map(|v| v.0),
            headline_constant: value(0, p).map(|v| v.1),
            other: value(1, p).map(|v| v.0),
            other_constant: value(1, p).map(|v| v.1),
            always_positive: always(p, 0),
            always_positive_flipped: always(p, 1),
            explained: explained(p),
        };
        Self::MAIN.write(cx, &self.published.iter().map(row).collect::<Vec<_>>())
    }
}

fn standings(rows: Vec<Standing>) -> Ours {
    let mut ours = Ours::new();
    for row in rows {
        let treatment = match row.label.method.as_str() {
            "smoothie" => format!("smoothie-{}", row.label.learner),
            other => other.to_owned(),
        };
        let bayesmark = row.bayesmark.unwrap_or(f64::NAN);
        let values = [row.accuracy, row.f1, row.pd, row.pf, row.precision, bayesmark];
        for (measure, value) in MEASURES.into_iter().zip(values) {
            let key = (row.label.task.clone(), treatment.clone(), measure.to_owned());
            ours.insert(key, (value, row.constant));
        }
    }
    ours
}

/// F1 of always predicting class 1 on the test part of the first repeat, for its labels and for the flipped
/// ones.
fn constant(members: &[Member]) -> [f64; 2] {
    let first = members.iter().filter(|m| m.repeat == 0 && m.part == 2);
    let truth: Vec<u32> = first.map(|m| m.label).collect();
    let flipped: Vec<u32> = truth.iter().map(|&y| u32::from(y == 0)).collect();
    let ones = vec![1; truth.len()];
    [truth, flipped].map(|y| Confusion::new(&y, &ones).f1())
}

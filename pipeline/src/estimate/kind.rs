//! The fits of one kind of stage, and what they say of a stage of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;
use serde_json::Value;

use super::{
    as_f64,
    features::{sizes, variant},
    fit::{Fit, Observation},
};
use crate::{
    digest::Digest,
    graph::Node,
    provenance::Account,
    store::record::{Record, Records},
};

/// Artifact → bytes.
pub(super) type Sizes = HashMap<Digest, u64>;

/// The feature beside the sizes among the parameters.
const INPUT: &str = "input bytes";
/// No more records than this are fitted; they are taken evenly.
const RECORDS: usize = 1000;
/// No more records than this are read.
const READ: usize = 10_000;
/// A size whose greatest value is less than this times its least did not vary.
const STILL: f64 = 1.001;
/// A stage takes at least so long, in seconds: clocks and starts.
const LEAST_S: f64 = 1e-4;

/// A kind with its fits.
pub(super) struct Kind {
    features: Vec<String>,
    /// Least and greatest value of each feature in the records.
    ranges: Vec<(f64, f64)>,
    seconds: Fit,
    /// CPU seconds an elapsed second.
    cpu: f64,
    outputs: BTreeMap<String, Fit>,
    shown: Shown,
    /// Features that stages have at other values than any record, with the farthest ratio.
    beyond: BTreeMap<usize, f64>,
}

/// What is recorded of a kind: its stages with their variants.
pub(super) struct Past(Vec<(String, Account)>);

impl Past {
    /// Of `kind`: all records, or as many taken evenly.
    pub(super) fn of(kind: &str, records: &Records) -> Self {
        let all: Vec<_> = records.all().filter(|record| record.kind == kind).collect();
        let step = all.len().div_ceil(READ).max(1);
        let read = |record: &&Record| {
            let account = Account::of(record, &record.name);
            (variant(&account.params), account)
        };
        Self(all.iter().step_by(step).map(read).collect())
    }
}

/// What is shown of a kind.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Shown {
    /// Stages to run.
    pub stages: usize,
    /// Of these, stages that have sizes of which no record tells the effect.
    pub blind: usize,
    /// Their CPU hours.
    pub cpu_h: f64,
    /// The fit of the seconds, in words: `0.012 · rows^1.03`.
    pub seconds: String,
    /// Records behind it.
    pub records: usize,
    /// By which factor a left-out record is typically missed.
    pub error: f64,
    /// Sizes that go beyond the records: name → how far (× or ÷), and whether the records say anything
    /// of their effect.
    pub beyond: BTreeMap<String, (f64, bool)>,
}

/// What a stage is expected to cost.
pub(super) struct Cost {
    pub(super) wall_s: f64,
    pub(super) cpu_s: f64,
    pub(super) outputs: Vec<(&'static str, f64)>,
}

impl Kind {
    /// The fits of a kind in one of its variants, or in all of them where nothing is recorded of that
    /// one; none where nothing is recorded at all.
    pub(super) fn of(own: &str, past: &Past, bytes: &Sizes) -> Option<Self> {
        let mut chosen: Vec<_> = past.0.iter().filter(|(variant, _)| variant == own).collect();
        if chosen.is_empty() {
            chosen = past.0.iter().collect();
        }
        let step = chosen.len().div_ceil(RECORDS).max(1);
        let accounts: Vec<&Account> =
            chosen.iter().step_by(step).map(|(_, account)| account).collect();
        let seen: Vec<BTreeMap<String, f64>> = accounts
            .iter()
            .map(|account| {
                let read =
                    account.inputs.iter().filter_map(|(_, digest)| bytes.get(digest.as_ref()?));
                let mut found = sizes(&account.params);
                found.insert(INPUT.to_owned(), as_f64(read.sum::<u64>()).max(1.0));
                found
            })
            .collect();
        // Only sizes that every record has can be compared.
        let mut common: BTreeSet<&String> = seen.first()?.keys().collect();
        common.retain(|name| seen.iter().all(|found| found.contains_key(*name)));
        let features: Vec<String> = common.into_iter().cloned().collect();
        let row = |found: &BTreeMap<String, f64>| features.iter().map(|name| found[name]).collect();
        let rows: Vec<Vec<f64>> = seen.iter().map(row).collect();
        let observations = |outcome: &dyn Fn(&Account) -> Option<f64>| -> Vec<Observation> {
            let pairs = accounts.iter().zip(&rows);
            pairs
                .filter_map(|(account, features)| {
                    Some(Observation { features: features.clone(), outcome: outcome(account)? })
                })
                .collect()
        };
        let rising: Vec<usize> = (0..features.len()).filter(|&j| features[j] == INPUT).collect();
        let taken = observations(&|account| Some(account.cost.wall_s.max(LEAST_S)));
        let seconds = Fit::of(&taken, &rising)?;
        let (cpu, wall) = accounts.iter().fold((0.0, 0.0), |(cpu, wall), account| {
            (cpu + account.cpu_s(), wall + account.cost.wall_s)
        });
        let names: BTreeSet<&String> = accounts
            .iter()
            .flat_map(|account| account.outputs.iter().map(|(name, _)| name))
            .collect();
        let outputs = names.into_iter().filter_map(|name| {
            let size = |account: &Account| {
                let (_, digest) = account.outputs.iter().find(|(output, _)| output == name)?;
                bytes.get(digest).map(|bytes| as_f64(*bytes).max(1.0))
            };
            Some((name.clone(), Fit::of(&observations(&size), &rising)?))
        });
        let outputs = outputs.collect();
        let range = |j: usize| {
            let values = rows.iter().map(|row: &Vec<f64>| row[j]);
            values.fold((f64::INFINITY, 0.0f64), |(low, high), x| (low.min(x), high.max(x)))
        };
        let ranges = (0..features.len()).map(range).collect();
        let shown = Shown {
            seconds: words(&seconds, &features),
            records: seconds.observations,
            error: seconds.error,
            ..Shown::default()
        };
        let cpu = if wall > 0.0 { cpu / wall } else { 1.0 };
        Some(Self { features, ranges, seconds, cpu, outputs, shown, beyond: BTreeMap::new() })
    }

    /// The expected cost of a stage whose inputs have so many bytes.
    pub(super) fn cost(&mut self, node: &Node, params: &Value, input_bytes: f64) -> Cost {
        let found = sizes(params);
        let mut features = Vec::with_capacity(self.features.len());
        let mut blind = false;
        for (j, name) in self.features.iter().enumerate() {
            let (low, high) = self.ranges[j];
            let own =
                if name == INPUT { Some(input_bytes.max(1.0)) } else { found.get(name).copied() };
            let own = own.unwrap_or(low);
            let ratio = if own > high { own / high } else { own / low };
            if !(low..=high).contains(&own) {
                let farthest = self.beyond.entry(j).or_insert(ratio);
                if ratio.ln().abs() > farthest.ln().abs() {
                    *farthest = ratio;
                }
                blind |= high <= low * STILL;
            }
            features.push(own);
        }
        let wall_s = self.seconds.at(&features);
        let cpu_s = wall_s * self.cpu;
        self.shown.stages += 1;
        self.shown.blind += usize::from(blind);
        self.shown.cpu_h += cpu_s / 3600.0;
        let bytes = |name: &str| self.outputs.get(name).map_or(0.0, |fit| fit.at(&features));
        let outputs = node.outputs.iter().map(|output| (output.name, bytes(output.name))).collect();
        Cost { wall_s, cpu_s, outputs }
    }

    pub(super) fn shown(self) -> Shown {
        let beyond = self.beyond.iter().filter_map(|(&j, &ratio)| {
            let (low, high) = self.ranges[j];
            let used = self.seconds.powers.iter().any(|(feature, _)| *feature == j);
            // Of a size that varied and made no difference, none is expected.
            let known = used || high > low * STILL;
            (used || !known).then(|| (self.features[j].clone(), (ratio, known)))
        });
        Shown { beyond: beyond.collect(), ..self.shown }
    }
}

fn words(fit: &Fit, features: &[String]) -> String {
    let mut text = format!("{:.2e}", fit.scale);
    for (j, power) in &fit.powers {
        text.push_str(&format!(" · {}^{power:.2}", features[*j]));
    }
    text
}

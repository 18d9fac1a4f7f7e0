//! What a plan will cost, from the records of smaller runs: for every kind of stage, each of its variants, a fit of seconds
//! and bytes by sizes among the parameters and by the bytes of the inputs. Says which fit, how good it
//! is, and where it goes beyond what was recorded.

pub mod features;
pub mod fit;
mod kind;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::Value;

pub use self::kind::Shown;
use self::kind::{Kind, Past, Sizes};
use crate::{
    digest::Digest,
    graph::{Graph, Id},
    plan::{Plan, State, output},
    store::{Store, record::Records},
};

/// What the stages of a plan that are not up to date will cost.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Estimate {
    /// Stages to run, those that may follow included.
    pub stages: usize,
    /// Of these, stages of kinds of which nothing is recorded: they are in no sum.
    pub unknown: usize,
    /// CPU hours.
    pub cpu_h: f64,
    /// GPU hours.
    pub gpu_h: f64,
    /// Bytes of artifacts.
    pub bytes: f64,
    /// Hours of the longest chain of stages that wait for each other.
    pub critical_h: f64,
    /// That chain, from its start.
    pub critical: Vec<String>,
    /// The sums and the fits, by kind.
    pub kinds: BTreeMap<String, Shown>,
}

impl Estimate {
    /// The estimate for all stages of `plan` that are stale or may follow.
    #[must_use]
    pub fn of(graph: &Graph, plan: &Plan, store: &Store, records: &Records) -> Self {
        let sizes = sizes(store);
        let mut kinds: BTreeMap<String, Option<Kind>> = BTreeMap::new();
        let mut pasts: HashMap<&str, Past> = HashMap::new();
        let mut costs = Costs::default();
        let mut estimate = Self::default();
        for &id in graph.order() {
            let node = &graph[id];
            if !matches!(plan.state(id), State::Stale(..) | State::Waiting(_)) {
                continue;
            }
            let inputs = node.inputs.iter().map(|edge| match plan.state(edge.from) {
                State::Fresh(_, produced) => {
                    let digest = output(produced, edge.output);
                    digest.and_then(|digest| sizes.get(&digest)).map_or(0.0, |bytes| as_f64(*bytes))
                }
                _ => costs.bytes.get(&(edge.from, edge.output)).copied().unwrap_or(0.0),
            });
            let bytes = inputs.sum();
            let params = serde_json::from_str(&node.params).unwrap_or(Value::Null);
            let (kind, variant) = (node.kind, features::variant(&params));
            let past = pasts.entry(kind).or_insert_with(|| Past::of(kind, records));
            let name =
                if variant.is_empty() { kind.to_owned() } else { format!("{kind} ({variant})") };
            let kind = kinds.entry(name).or_insert_with(|| Kind::of(&variant, past, &sizes));
            estimate.stages += 1;
            let Some(kind) = kind else {
                estimate.unknown += 1;
                costs.walk(graph, id, 0.0);
                continue;
            };
            let cost = kind.cost(node, &params, bytes);
            for (output, bytes) in &cost.outputs {
                costs.bytes.insert((id, *output), *bytes);
                estimate.bytes += bytes;
            }
            costs.walk(graph, id, cost.wall_s);
            estimate.cpu_h += cost.cpu_s / 3600.0;
            let gpu_s = cost.wall_s * node.needs.gpus as f64;
            estimate.gpu_h += gpu_s / 3600.0;
        }
        estimate.kinds =
            kinds.into_iter().filter_map(|(name, kind)| Some((name, kind?.shown()))).collect();
        (estimate.critical_h, estimate.critical) = costs.critical(graph);
        estimate
    }
}

/// What was found so far, on the way down the graph.
#[derive(Default)]
struct Costs {
    /// Bytes of an output that is not there yet.
    bytes: HashMap<(Id, &'static str), f64>,
    /// Seconds until a stage's end at the earliest, and the input that it waits for.
    ends: HashMap<Id, (f64, Option<Id>)>,
}

impl Costs {
    fn walk(&mut self, graph: &Graph, id: Id, wall_s: f64) {
        let inputs = graph[id].inputs.iter();
        let waits = inputs.filter_map(|edge| Some((self.ends.get(&edge.from)?.0, edge.from)));
        let last = waits.reduce(|a, b| if b.0 > a.0 { b } else { a });
        let start = last.map_or(0.0, |(end, _)| end);
        self.ends.insert(id, (start + wall_s, last.map(|(_, from)| from)));
    }

    fn critical(&self, graph: &Graph) -> (f64, Vec<String>) {
        // Of equal ones the first in graph order.
        let ends = graph.order().iter().filter_map(|id| Some((self.ends.get(id)?.0, *id)));
        let Some((end, mut id)) = ends.reduce(|a, b| if b.0 > a.0 { b } else { a }) else {
            return (0.0, Vec::new());
        };
        let mut names = vec![graph[id].name.clone()];
        while let Some((_, Some(before))) = self.ends.get(&id) {
            id = *before;
            names.push(graph[id].name.clone());
        }
        names.reverse();
        (end / 3600.0, names)
    }
}

/// The bytes of every artifact that the log knows.
fn sizes(store: &Store) -> Sizes {
    let log = store.facts();
    let artifacts = log.known().keys().flat_map(|(_, produced)| produced.iter());
    artifacts
        .map(|artifact| (artifact.digest, artifact.stamp.size))
        .collect::<HashMap<Digest, u64>>()
}

fn as_f64(n: u64) -> f64 {
    n as f64
}

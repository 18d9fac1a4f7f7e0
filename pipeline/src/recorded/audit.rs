//! An audit: stages of a recorded run are drawn at random, computed again and compared by digest.
//!
//! A stage is drawn with a probability proportional to the number of tables, among those that a conclusion reads,
//! that rest on it. Draws are made with replacement, so that what they show holds for that share of the evidence.
//! Only stages count that can be computed, with everything they need, in the available time and with the GPUs that are
//! here; their share of the whole is reported.

use std::collections::{BTreeMap, HashMap, HashSet};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::Line;
use crate::{
    digest::Digest,
    graph::{Graph, Id},
};

/// A recorded run and the graph that would compute it now.
pub struct Audit<'a> {
    graph: &'a Graph,
    /// Stage → its outputs as recorded.
    recorded: BTreeMap<&'a str, Vec<&'a Line>>,
    /// Stage → how many of the tables that the conclusion reads rest on it.
    weights: HashMap<Id, f64>,
    /// How many GPUs there are to compute with.
    gpus: usize,
}

/// A stage that may be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The stage.
    pub id: Id,
    /// How many of the tables that the conclusion reads rest on it.
    pub weight: f64,
    /// CPU seconds that it took with everything it needs, according to the record.
    pub cost_s: f64,
}

/// The outcome of a draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draws {
    /// The stages, as often as each was drawn.
    pub stages: Vec<Id>,
    /// The share of the evidence that could be drawn, by weight.
    pub covered: f64,
    /// CPU seconds that all of it took, according to the record.
    pub cost_s: f64,
}

/// How one output compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// The same key and the same bytes.
    Same,
    /// A different key (code, parameters or inputs differ from the record), but the same bytes.
    SameUnderOther,
    /// A different key and different bytes.
    Moved,
    /// Other bytes, on a processor of another family: the numbers are the same to the tolerance of
    /// [`near`](super::near).
    Near,
    /// Other bytes, on a processor of another family, and no recorded table to compare the numbers with.
    Unknown,
    /// The same key but different bytes: the record or this machine is wrong.
    Wrong,
}

impl<'a> Audit<'a> {
    /// The audit of what `conclusion` rests on, on a machine with this many GPUs.
    #[must_use]
    pub fn new(graph: &'a Graph, lines: &'a [Line], conclusion: Id, gpus: usize) -> Self {
        let mut recorded: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
        for line in lines {
            recorded.entry(&line.stage).or_default().push(line);
        }
        let mut weights: HashMap<Id, f64> = HashMap::new();
        let roots: HashSet<Id> = graph[conclusion].inputs.iter().map(|edge| edge.from).collect();
        for root in roots.into_iter().chain([conclusion]) {
            for id in closure(graph, root) {
                *weights.entry(id).or_default() += 1.0;
            }
        }
        Self { graph, recorded, weights, gpus }
    }

    /// The stages that may be drawn with this many CPU seconds, by name.
    #[must_use]
    pub fn candidates(&self, budget_s: f64) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = self
            .weights
            .iter()
            .filter(|(id, _)| self.compared(**id).next().is_some())
            .filter_map(|(&id, &weight)| {
                let needed = closure(self.graph, id);
                let here = needed.iter().all(|&id| self.graph[id].needs.gpus <= self.gpus);
                here.then(|| Candidate { id, weight, cost_s: self.cost(&needed) })
            })
            .filter(|candidate| candidate.cost_s <= budget_s)
            .collect();
        found.sort_by(|a, b| self.graph[a.id].name.cmp(&self.graph[b.id].name));
        found
    }

    /// Draws stages until the next one would exceed this many CPU seconds, but at most `most`.
    #[must_use]
    pub fn draw(&self, budget_s: f64, most: usize, seed: u64) -> Draws {
        let candidates = self.candidates(budget_s);
        let sum: f64 = candidates.iter().map(|candidate| candidate.weight).sum();
        let all: f64 = self
            .weights
            .iter()
            .filter(|(id, _)| self.compared(**id).next().is_some())
            .map(|(_, weight)| weight)
            .sum();
        let mut draws =
            Draws { covered: if all > 0.0 { sum / all } else { 0.0 }, ..Draws::default() };
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let mut computed: HashSet<Id> = HashSet::new();
        while draws.stages.len() < most && !candidates.is_empty() {
            let at = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 * sum;
            let mut passed = 0.0;
            let drawn = candidates.iter().find(|candidate| {
                passed += candidate.weight;
                passed > at
            });
            let id = drawn.unwrap_or(&candidates[candidates.len() - 1]).id;
            let with: HashSet<Id> = computed.union(&closure(self.graph, id)).copied().collect();
            let cost_s = self.cost(&with);
            if cost_s > budget_s {
                break;
            }
            (computed, draws.cost_s) = (with, cost_s);
            draws.stages.push(id);
        }
        draws
    }

    /// The recorded outputs of a stage that have the same bytes wherever it is computed.
    fn compared(&self, id: Id) -> impl Iterator<Item = &'a Line> + '_ {
        let node = &self.graph[id];
        let lines = self.recorded.get(node.name.as_str()).into_iter().flatten().copied();
        lines.filter(|line| {
            node.outputs.iter().any(|output| output.name == line.output && !output.measured)
        })
    }

    /// CPU seconds of these stages according to the record; stages that are not in it count as 0.
    fn cost(&self, stages: &HashSet<Id>) -> f64 {
        let mut keys = HashSet::new();
        let lines = stages.iter().filter_map(|id| {
            let line = self.recorded.get(self.graph[*id].name.as_str())?.first()?;
            keys.insert(line.key).then_some(line.cpu_s)
        });
        lines.sum()
    }

    /// How the outputs of a stage compare that was computed under `key` with these contents, by output. On a
    /// processor of another family `numbers` says of two tables with different bytes whether their numbers are the same;
    /// `None` if the recorded one was not kept.
    #[must_use]
    pub fn compare(
        &self,
        id: Id,
        key: Digest,
        outputs: &dyn Fn(&str) -> Option<Digest>,
        numbers: Option<&dyn Fn(Digest, Digest) -> Option<bool>>,
    ) -> Vec<(&'a Line, Agreement)> {
        let judge = |line: &'a Line| {
            let now = outputs(&line.output)?;
            let apart = if line.key == key { Agreement::Wrong } else { Agreement::Moved };
            let agreement = match (line.key == key, line.digest == now) {
                (true, true) => Agreement::Same,
                (false, true) => Agreement::SameUnderOther,
                (_, false) => numbers.map_or(apart, |numbers| match numbers(line.digest, now) {
                    Some(true) => Agreement::Near,
                    Some(false) => apart,
                    None => Agreement::Unknown,
                }),
            };
            Some((line, agreement))
        };
        self.compared(id).filter_map(judge).collect()
    }
}

/// A stage and everything that it needs.
pub(super) fn closure(graph: &Graph, of: Id) -> HashSet<Id> {
    let (mut found, mut left) = (HashSet::from([of]), vec![of]);
    while let Some(id) = left.pop() {
        let inputs = graph[id].inputs.iter().map(|edge| edge.from);
        left.extend(inputs.filter(|&from| found.insert(from)));
    }
    found
}

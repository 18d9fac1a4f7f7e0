//! What a plan will cost, and how much time of a run is left. Every kind of stage declares its work as a formula
//! ([`crate::work`]); the records give one constant for each kind, variant and machine, with its uncertainty. While a
//! store has no records, the rates that the program ships stand in for them ([`typical`]). What neither covers is
//! reported as unknown and is not part of any sum.

pub mod beyond;
pub mod fit;
mod outlook;
pub mod pace;
pub mod rate;
pub mod rates;
mod sizes;
mod spread;
pub mod typical;
pub mod words;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

pub use self::fit::Interval;
use self::{
    fit::{Fit, LEVEL},
    outlook::Outlook,
    rate::{Group, Rate},
    rates::Samples,
    sizes::Sizes,
};
use crate::{
    graph::{Graph, Id},
    kinds::Kinds,
    plan::{Plan, State},
    store::{Store, record::Records},
};

const HOUR_S: f64 = 3600.0;

/// What it will cost to run the stages of a plan that are not up to date.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Estimate {
    /// Stages to run, including those that may follow.
    pub stages: usize,
    /// Those among them without a record that says how long they take: they are not part of any sum, which is then a
    /// lower bound.
    pub unknown: usize,
    /// The unknown ones that take a GPU.
    pub unknown_on_gpu: usize,
    /// The probability that the truth lies in each interval.
    pub level: f64,
    /// CPU hours of the known stages.
    pub cpu_h: Interval,
    /// GPU hours of the known stages.
    pub gpu_h: Interval,
    /// Bytes of artifacts of the known stages.
    pub bytes: f64,
    /// Hours of the longest chain of stages that wait for each other, not counting unknown ones.
    pub critical_h: f64,
    /// That chain, from its start.
    pub critical: Vec<String>,
    /// The parts of the sums.
    pub kinds: BTreeMap<String, Shown>,
}

/// What is shown for a kind in one of its variants.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Shown {
    /// Stages to run.
    pub stages: usize,
    /// Those among them that no record covers: there is none of the kind, or none of a similar size.
    pub unknown: usize,
    /// Whether they take a GPU.
    pub gpu: bool,
    /// Their operations, counting only stages whose input sizes are known.
    pub operations: f64,
    /// Operations of the largest stage.
    pub largest: f64,
    /// CPU hours of the known stages; `None` if there are none.
    pub cpu_h: Option<Interval>,
    /// GPU hours of the known stages; `None` if there are none, or if they take no GPU.
    pub gpu_h: Option<Interval>,
    /// CPU seconds per operation.
    pub constant_s: Option<f64>,
    /// The number of records behind it.
    pub records: usize,
    /// Whether these records are from this machine.
    pub here: bool,
    /// The factor by which a record typically differs from it.
    pub spread: f64,
    /// The factor by which the largest or smallest stage lies outside the range of the records; 1 within it.
    pub beyond: f64,
}

/// The stages of a group that are to be run.
#[derive(Default)]
struct Heap {
    stages: usize,
    gpus: usize,
    /// Operations of all stages, and of the largest.
    operations: f64,
    largest: f64,
    /// Of the known ones: their number, their operations, the least operations of one, and Σ work · log work.
    known: usize,
    work: f64,
    least: f64,
    weighed: f64,
}

impl Heap {
    fn add(&mut self, gpus: usize, work: Option<f64>, known: bool) {
        self.stages += 1;
        self.gpus = gpus;
        let Some(work) = work else { return };
        self.operations += work;
        self.largest = self.largest.max(work);
        if known {
            self.least = if self.known == 0 { work } else { self.least.min(work) };
            self.known += 1;
            self.work += work;
            self.weighed += work * work.ln();
        }
    }

    /// The work of the known stages that take most of the time.
    fn typical(&self) -> f64 {
        (self.weighed / self.work).exp()
    }

    fn shown(&self, rate: Option<&Rate>) -> Shown {
        let mut shown = Shown {
            stages: self.stages,
            unknown: self.stages - self.known,
            gpu: self.gpus > 0,
            operations: self.operations,
            largest: self.largest,
            ..Shown::default()
        };
        let Some(rate) = rate else { return shown };
        let fit = if self.gpus > 0 { &rate.wall } else { &rate.cpu };
        shown.constant_s = Some(rate.cpu.constant_s);
        shown.records = fit.records;
        shown.here = rate.here;
        shown.spread = fit.spread.exp();
        shown.beyond = fit.beyond(self.largest);
        if self.known == 0 {
            return shown;
        }
        shown.beyond = shown.beyond.max(fit.beyond(self.least));
        let starts_s = rate.start_s * self.known as f64;
        let hours =
            |fit: &Fit| fit.seconds(self.work, self.typical()).later(starts_s).times(1.0 / HOUR_S);
        shown.cpu_h = Some(hours(&rate.cpu));
        shown.gpu_h = (self.gpus > 0).then(|| hours(&rate.wall).times(self.gpus as f64));
        shown
    }
}

impl Estimate {
    /// The estimates for the stages of `plan` that are stale or may follow, by part: `part` says to which a stage
    /// belongs, if it counts at all.
    #[must_use]
    pub fn by<K: Ord>(
        graph: &Graph,
        plan: &Plan,
        kinds: &Kinds,
        (store, records): (&Store, &Records),
        part: impl Fn(Id) -> Option<K>,
    ) -> BTreeMap<K, Self> {
        let sizes = Sizes::new(store);
        let samples = Samples::read(kinds, records, store, &sizes);
        let outlook = Outlook::new(graph, plan, kinds, &samples, &sizes);
        let mut rates: HashMap<&Group, Option<Rate>> = HashMap::new();
        let mut sums: BTreeMap<K, Sum> = BTreeMap::new();
        for &id in graph.order() {
            if !matches!(plan.state(id), State::Stale(..) | State::Waiting(_)) {
                continue;
            }
            let (Some(part), Some((group, work))) = (part(id), outlook.get(id)) else { continue };
            let rate = rates.entry(group).or_insert_with(|| samples.rate(group)).as_ref();
            sums.entry(part).or_default().add(graph, id, (group, work), rate);
        }
        sums.into_iter().map(|(part, sum)| (part, sum.estimate(graph, &rates))).collect()
    }
}

/// The sums of a part, stage by stage.
#[derive(Default)]
struct Sum<'a> {
    heaps: BTreeMap<&'a Group, Heap>,
    chains: Chains,
    estimate: Estimate,
}

impl<'a> Sum<'a> {
    fn add(
        &mut self,
        graph: &Graph,
        id: Id,
        (group, work): (&'a Group, Option<f64>),
        rate: Option<&Rate>,
    ) {
        let gpus = graph[id].needs.gpus;
        let known = rate.zip(work).filter(|(rate, work)| rate.wall.reaches(*work));
        self.heaps.entry(group).or_default().add(gpus, work, known.is_some());
        self.estimate.stages += 1;
        if known.is_none() {
            self.estimate.unknown += 1;
            self.estimate.unknown_on_gpu += usize::from(gpus > 0);
        }
        self.estimate.bytes += known.map_or(0.0, |(rate, work)| rate.bytes * work);
        let wall_s = |(rate, work): (&Rate, f64)| rate.start_s + rate.wall.constant_s * work;
        self.chains.add(graph, id, known.map_or(0.0, wall_s));
    }

    fn estimate(self, graph: &Graph, rates: &HashMap<&Group, Option<Rate>>) -> Estimate {
        let mut estimate = Estimate { level: LEVEL, ..self.estimate };
        for (group, heap) in self.heaps {
            let shown = heap.shown(rates.get(group).and_then(Option::as_ref));
            estimate.cpu_h = estimate.cpu_h.plus(shown.cpu_h.unwrap_or_default());
            estimate.gpu_h = estimate.gpu_h.plus(shown.gpu_h.unwrap_or_default());
            estimate.kinds.insert(group.to_string(), shown);
        }
        (estimate.critical_h, estimate.critical) = self.chains.longest(graph);
        estimate
    }
}

/// Chains of stages that wait for each other.
#[derive(Default)]
struct Chains {
    /// Seconds until a stage's earliest possible end, and the input that it waits for.
    ends: HashMap<Id, (f64, Option<Id>)>,
}

impl Chains {
    fn add(&mut self, graph: &Graph, id: Id, wall_s: f64) {
        let inputs = graph[id].inputs.iter();
        let waits = inputs.filter_map(|edge| Some((self.ends.get(&edge.from)?.0, edge.from)));
        let last = waits.reduce(|a, b| if b.0 > a.0 { b } else { a });
        let start = last.map_or(0.0, |(end, _)| end);
        self.ends.insert(id, (start + wall_s, last.map(|(_, from)| from)));
    }

    /// The hours of the longest chain, and the names of its stages.
    fn longest(&self, graph: &Graph) -> (f64, Vec<String>) {
        // Of equal ones, the first in graph order.
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
        (end / HOUR_S, names)
    }
}

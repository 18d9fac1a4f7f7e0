//! How long is left of a run: what the records say of each stage at first, and more and more what this
//! run measures, on this machine, as busy as it is. Knows no clock: it is told the time.

use std::collections::HashMap;

use super::{outlook::Outlook, rate::Group, rates::Samples, sizes::Sizes, spread::Spread};
use crate::{
    graph::{Graph, Id},
    kinds::Kinds,
    plan::Plan,
    store::{Store, record::Records},
};

/// What is known of the time left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// Expected seconds to go; none as long as too little is known.
    pub seconds: Option<f64>,
    /// Fewest and most seconds to go, with a chance of 90 %.
    pub between: Option<(f64, f64)>,
    /// Stages of which nothing is known yet: they are not in it.
    pub unknown: usize,
}

/// A kind of stage within a run, in one of its variants.
#[derive(Clone, Debug, Default)]
struct Own {
    /// Seconds an operation, from records.
    before_s: Option<f64>,
    /// Seconds a stage beside its work.
    start_s: f64,
    /// What this run has measured of it.
    seconds: f64,
    work: f64,
    count: f64,
}

impl Own {
    /// Seconds an operation: as measured in this run, with the records' as one measurement more, where stages
    /// take so many times as long as in the records.
    fn rate(&self, slowness: f64) -> Option<f64> {
        let before = self.before_s.map(|s| s * slowness);
        if self.count == 0.0 {
            return before;
        }
        let one = self.work / self.count;
        let measured = self.seconds / self.work;
        Some((self.seconds + before.unwrap_or(measured) * one) / (self.work + one))
    }
}

/// What a stage has to do.
#[derive(Clone, Copy, Debug)]
struct Task {
    group: usize,
    /// None where it cannot be told.
    work: Option<f64>,
    /// Whether the records tell of stages of its size.
    recorded: bool,
    threads: f64,
}

/// The pace of one run.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    groups: Vec<Own>,
    /// By node index; none for stages that take no more time.
    tasks: Vec<Option<Task>>,
    /// Running stages and when they started.
    running: HashMap<usize, f64>,
    lanes: f64,
    /// Of finished stages that records told of: seconds as measured and as expected.
    taken_s: f64,
    expected_s: f64,
    /// Slot seconds of finished stages.
    busy_s: f64,
    spread: Spread,
}

/// Less than this is no measure of how fast the machine is today.
const SETTLING_S: f64 = 5.0;
/// A run has to be as old for what it had beside each other to be a measure of what it will have.
const YOUNG_S: f64 = 10.0;
/// At least so much of one slot is thought to be in use.
const IDLE: f64 = 0.25;
/// A stage that is late is expected to take so much of its age again.
const LATE: f64 = 0.5;
/// Where more of the stages than this are unknown, nothing is said.
const DARK: f64 = 0.5;

impl Pace {
    /// Of a run of `plan` on so many slots.
    #[must_use]
    pub fn new(
        graph: &Graph,
        plan: &Plan,
        kinds: &Kinds,
        store: &Store,
        records: &Records,
        lanes: f64,
    ) -> Self {
        let sizes = Sizes::new(store);
        let samples = Samples::read(kinds, records, store, &sizes);
        let outlook = Outlook::new(graph, plan, kinds, &samples, &sizes);
        let mut places: HashMap<&Group, usize> = HashMap::new();
        let mut known = Vec::new();
        let mut pace = Self { lanes, tasks: vec![None; graph.len()], ..Self::default() };
        for &id in graph.order() {
            let Some((group, work)) = outlook.get(id) else { continue };
            let place = *places.entry(group).or_insert_with(|| {
                let rate = samples.rate(group);
                let before_s = rate.as_ref().map(|rate| rate.wall.constant_s);
                let start_s = rate.as_ref().map_or(0.0, |rate| rate.start_s);
                pace.groups.push(Own { before_s, start_s, ..Own::default() });
                known.push(rate);
                pace.groups.len() - 1
            });
            let threads = graph[id].needs.threads.max(1) as f64;
            let told = known[place].as_ref().zip(work);
            let recorded = told.is_some_and(|(rate, work)| rate.wall.reaches(work));
            pace.tasks[id.index()] = Some(Task { group: place, work, recorded, threads });
        }
        pace
    }

    /// A stage starts.
    pub fn start(&mut self, id: Id, now_s: f64) {
        self.running.insert(id.index(), now_s);
    }

    /// A stage has ended after so many seconds of computing.
    pub fn finish(&mut self, id: Id, seconds: f64) {
        let Some(task) = self.tasks[id.index()] else { return };
        let Task { group, work: Some(work), recorded, threads } = task else { return };
        let slowness = self.slowness();
        let own = &mut self.groups[group];
        if let Some(rate) = own.rate(slowness) {
            self.spread.hear(seconds, own.start_s + rate * work);
        }
        own.seconds += (seconds - own.start_s).max(0.0);
        own.work += work;
        own.count += 1.0;
        self.busy_s += seconds * threads;
        if let Some(before_s) = own.before_s.filter(|_| recorded) {
            self.taken_s += seconds;
            self.expected_s += own.start_s + before_s * work;
        }
    }

    /// A stage runs no more, however that came.
    pub fn stop(&mut self, id: Id) {
        self.running.remove(&id.index());
    }

    /// A stage takes no more time.
    pub fn forget(&mut self, id: Id) {
        self.stop(id);
        if let Some(task) = self.tasks.get_mut(id.index()) {
            *task = None;
        }
    }

    /// How many times as long as in the records stages take in this run.
    fn slowness(&self) -> f64 {
        (self.taken_s + SETTLING_S) / (self.expected_s + SETTLING_S)
    }

    /// Seconds an operation of each group: as measured in this run, with the records' as one measurement
    /// more, at the pace of this run. Stages that are late already count by their age.
    fn rates(&self, now_s: f64) -> Vec<Option<f64>> {
        let slowness = self.slowness();
        let mut rates: Vec<_> = self.groups.iter().map(|own| own.rate(slowness)).collect();
        for (&place, since_s) in &self.running {
            if let Some(Task { group, work: Some(work), .. }) = self.tasks[place]
                && let Some(rate) = &mut rates[group]
            {
                *rate = rate.max((now_s - since_s) / work);
            }
        }
        rates
    }

    /// Expected seconds of a task, where something is known.
    fn expected(&self, task: Task, rates: &[Option<f64>]) -> Option<f64> {
        let own = &self.groups[task.group];
        let known = task.recorded || own.count > 0.0;
        Some(own.start_s + rates[task.group].filter(|_| known)? * task.work?)
    }

    /// Expected seconds of a stage, where something is known.
    #[must_use]
    pub fn seconds(&self, id: Id, now_s: f64) -> Option<f64> {
        self.expected((*self.tasks.get(id.index())?)?, &self.rates(now_s))
    }

    /// Expected seconds of all stages, by node index.
    #[must_use]
    pub fn all_seconds(&self, now_s: f64) -> Vec<Option<f64>> {
        let rates = self.rates(now_s);
        let seconds = |task: &Option<Task>| task.and_then(|task| self.expected(task, &rates));
        self.tasks.iter().map(seconds).collect()
    }

    /// What is left, `now_s` after the start of the run: the work left over the slots that were in use so
    /// far, and no less than the longest chain of stages that wait for each other.
    #[must_use]
    pub fn left(&self, graph: &Graph, now_s: f64) -> Left {
        let rates = self.rates(now_s);
        let (mut sum_s, mut longest_s, mut open, mut unknown) = (0.0, 0.0f64, 0usize, 0usize);
        let mut squares = 0.0;
        let mut ways = vec![0.0f64; self.tasks.len()];
        for &id in graph.order().iter().rev() {
            let after = graph.readers(id).map(|reader| ways[reader.index()]).fold(0.0, f64::max);
            let mut own_s = 0.0;
            if let Some(task) = self.tasks[id.index()] {
                open += 1;
                let expected = self.expected(task, &rates);
                unknown += usize::from(expected.is_none());
                own_s = match (expected, self.running.get(&id.index())) {
                    (None, _) => 0.0,
                    (Some(s), None) => s,
                    (Some(s), Some(since)) => {
                        let age = now_s - since;
                        if age < s { s - age } else { age * LATE }
                    }
                };
                sum_s += own_s * task.threads;
                squares += (own_s * task.threads).powi(2);
            }
            ways[id.index()] = own_s + after;
            longest_s = longest_s.max(own_s + after);
        }
        let dark = unknown as f64 > DARK * open as f64;
        let seconds = (sum_s / self.in_use(now_s)).max(longest_s);
        let seconds = (open > 0 && !dark).then_some(seconds);
        // As uncertain as so many stages of equal length.
        let factor = self.spread.factor(if squares > 0.0 { sum_s * sum_s / squares } else { 1.0 });
        let between = seconds.map(|seconds| (seconds / factor, seconds * factor));
        Left { seconds, between, unknown }
    }

    /// How many slots this run has really had in use, on average.
    fn in_use(&self, now_s: f64) -> f64 {
        if now_s < YOUNG_S {
            return self.lanes;
        }
        let running = self.running.iter().map(|(&place, since_s)| {
            let threads = self.tasks[place].map_or(1.0, |task| task.threads);
            (now_s - since_s) * threads
        });
        let used = (self.busy_s + running.sum::<f64>()) / now_s;
        used.clamp(IDLE, self.lanes.max(IDLE))
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;

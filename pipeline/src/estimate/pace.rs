//! The time left of a run: at first from what the records say about each stage, and increasingly from what this run
//! measures on this machine under its current load. Does not read a clock: the caller passes the time.

use std::collections::HashMap;

use super::{outlook::Outlook, rate::Group, rates::Samples, sizes::Sizes, spread::Spread};
use crate::{
    graph::{Graph, Id},
    kinds::Kinds,
    plan::Plan,
    store::{Store, record::Records},
};

/// What is known about the time left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// Expected seconds left; `None` while too little is known.
    pub seconds: Option<f64>,
    /// The least and the most seconds left, with a probability of 90 %.
    pub between: Option<(f64, f64)>,
    /// Stages about which nothing is known yet: they are not included.
    pub unknown: usize,
}

/// A kind of stage within a run, in one of its variants.
#[derive(Clone, Debug, Default)]
struct Own {
    /// Seconds per operation, from records.
    before_s: Option<f64>,
    /// Seconds per stage in addition to its work.
    start_s: f64,
    /// What this run has measured for it.
    seconds: f64,
    work: f64,
    count: f64,
}

impl Own {
    /// Seconds per operation: as measured in this run, with the records' value as one more measurement, if stages
    /// take `slowness` times as long as in the records.
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
    /// `None` if it is not known.
    work: Option<f64>,
    /// Whether the records cover stages of its size.
    recorded: bool,
    threads: f64,
}

/// The pace of one run.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    groups: Vec<Own>,
    /// By node index; `None` for stages that take no more time.
    tasks: Vec<Option<Task>>,
    /// Running stages and when they started.
    running: HashMap<usize, f64>,
    lanes: f64,
    /// For finished stages that the records covered: the measured and the expected seconds.
    taken_s: f64,
    expected_s: f64,
    /// Slot seconds of finished stages.
    busy_s: f64,
    spread: Spread,
}

/// Less than this does not measure how fast the machine currently is.
const SETTLING_S: f64 = 5.0;
/// A run must be at least this old for the number of stages that it ran in parallel to predict the rest.
const YOUNG_S: f64 = 10.0;
/// At least this much of one slot is assumed to be in use.
const IDLE: f64 = 0.25;
/// A stage that is late is expected to take this share of its age again.
const LATE: f64 = 0.5;
/// If more than this share of the stages is unknown, no time is given.
const DARK: f64 = 0.5;

impl Pace {
    /// The pace of a run of `plan` on this many slots.
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

    /// A stage has ended after this many seconds of computing.
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

    /// A stage no longer runs, for whatever reason.
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

    /// How many times as long stages take in this run as in the records.
    fn slowness(&self) -> f64 {
        (self.taken_s + SETTLING_S) / (self.expected_s + SETTLING_S)
    }

    /// Seconds per operation of each group: as measured in this run, with the records' value as one more measurement,
    /// at the pace of this run. Stages that are already late count with their age.
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

    /// Expected seconds of a task, if something is known.
    fn expected(&self, task: Task, rates: &[Option<f64>]) -> Option<f64> {
        let own = &self.groups[task.group];
        let known = task.recorded || own.count > 0.0;
        Some(own.start_s + rates[task.group].filter(|_| known)? * task.work?)
    }

    /// Expected seconds of a stage, if something is known.
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

    /// What is left, `now_s` after the start of the run: the remaining work divided by the slots that were in use so
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
        // As uncertain as this many stages of equal length.
        let factor = self.spread.factor(if squares > 0.0 { sum_s * sum_s / squares } else { 1.0 });
        let between = seconds.map(|seconds| (seconds / factor, seconds * factor));
        Left { seconds, between, unknown }
    }

    /// How many slots this run has actually had in use, on average.
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

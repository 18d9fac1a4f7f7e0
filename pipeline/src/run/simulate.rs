//! A simulated cluster: the run's own queue and slots, on a clock that jumps from event to event, with nodes that
//! fail. Says how long a graph would take and how that compares with a lower bound on any schedule. Nothing is
//! computed.

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeSet, BinaryHeap},
};

use rand::Rng;
use rand_chacha::ChaCha12Rng;

use super::{
    queue::Queue,
    slots::{Slots, Taken},
};
use crate::graph::{Graph, Id, Node};

/// The simulated cluster, whose nodes are all equal.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The number of nodes.
    pub nodes: usize,
    /// CPU slots per node.
    pub threads: usize,
    /// Memory per node, in MiB.
    pub memory_mib: u64,
    /// GPUs per node.
    pub gpus: usize,
    /// Mean seconds until a node fails, if nodes fail; times are exponential.
    pub failure_s: Option<f64>,
    /// Seconds until a failed node is back.
    pub repair_s: f64,
}

/// The outcome for a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Seconds until the last stage was done.
    pub makespan_s: f64,
    /// Seconds of the longest chain of stages: no schedule is faster.
    pub critical_s: f64,
    /// Seconds that all the work takes on all slots: no schedule is faster.
    pub work_s: f64,
    /// Failures of nodes that were running stages.
    pub failures: usize,
    /// Starts of stages.
    pub starts: usize,
}

impl Outcome {
    /// The makespan over the greater of the two bounds.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.makespan_s / self.critical_s.max(self.work_s)
    }
}

/// The kinds of events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// The stage ends on the node, unless the node has failed since.
    End(Id, usize, u32),
    Fail(usize),
    Back(usize),
}

#[derive(PartialEq)]
struct When {
    at_s: f64,
    /// Of events at the same time, the one that was planned first comes first.
    order: usize,
    what: What,
}

impl Eq for When {}

impl PartialOrd for When {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for When {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at_s.total_cmp(&other.at_s).then(self.order.cmp(&other.order))
    }
}

/// A node of the cluster.
struct Machine {
    slots: Slots,
    free: usize,
    up: bool,
    /// How often it has failed.
    epoch: u32,
    running: Vec<(Id, Taken)>,
}

struct Simulation<'a> {
    graph: &'a Graph,
    cluster: &'a Cluster,
    seconds: &'a dyn Fn(&Node) -> f64,
    rng: &'a mut ChaCha12Rng,
    queue: Queue,
    machines: Vec<Machine>,
    /// Nodes that are up and have free slots, the emptiest first.
    free: BTreeSet<(Reverse<usize>, usize)>,
    events: BinaryHeap<Reverse<When>>,
    planned: usize,
    waits_for: Vec<usize>,
    now_s: f64,
    failures: usize,
    starts: usize,
}

/// How many nodes are tried for one stage: the emptiest ones.
const TRIES: usize = 4;

/// Simulates a run of `graph`, whose stages take `seconds`, on `cluster`.
///
/// # Panics
/// When a stage needs more GPUs than a node has, since it would wait forever.
#[must_use]
pub fn simulate(
    graph: &Graph,
    seconds: &dyn Fn(&Node) -> f64,
    cluster: &Cluster,
    rng: &mut ChaCha12Rng,
) -> Outcome {
    let queue = Queue::new(graph, |id| Some(seconds(&graph[id])));
    let critical_s = graph.order().iter().map(|&id| queue.way_s(id)).fold(0.0, f64::max);
    let machine = |_| Machine {
        slots: Slots::new(cluster.threads, cluster.memory_mib, cluster.gpus, 1),
        free: cluster.threads,
        up: true,
        epoch: 0,
        running: Vec::new(),
    };
    let mut simulation = Simulation {
        graph,
        cluster,
        seconds,
        rng,
        queue,
        machines: (0..cluster.nodes).map(machine).collect(),
        free: (0..cluster.nodes).map(|node| (Reverse(cluster.threads), node)).collect(),
        events: BinaryHeap::new(),
        planned: 0,
        waits_for: graph.order().iter().map(|_| 0).collect(),
        now_s: 0.0,
        failures: 0,
        starts: 0,
    };
    let mut work_s = 0.0;
    for &id in graph.order() {
        let node = &graph[id];
        assert!(node.needs.gpus <= cluster.gpus, "{} needs more GPUs than a node has", node.name);
        simulation.waits_for[id.index()] = node.inputs.len();
        let slots = node.needs.threads.clamp(1, cluster.threads) as f64;
        work_s += seconds(node) * slots;
        if node.inputs.is_empty() {
            simulation.queue.push(id);
        }
    }
    let slots = (cluster.nodes * cluster.threads) as f64;
    simulation.play();
    Outcome {
        makespan_s: simulation.now_s,
        critical_s,
        work_s: work_s / slots,
        failures: simulation.failures,
        starts: simulation.starts,
    }
}

impl Simulation<'_> {
    fn play(&mut self) {
        for node in 0..self.cluster.nodes {
            self.plan_failure(node);
        }
        let mut left = self.graph.len();
        self.start_ready();
        while left > 0
            && let Some(Reverse(When { at_s, what, .. })) = self.events.pop()
        {
            match what {
                What::End(id, node, epoch) if self.machines[node].epoch == epoch => {
                    self.now_s = at_s;
                    self.end(id, node);
                    left -= 1;
                }
                What::End(..) => {} // it was lost with its node
                What::Fail(node) => {
                    self.now_s = at_s;
                    self.fail(node);
                }
                What::Back(node) => {
                    self.now_s = at_s;
                    self.machines[node].up = true;
                    self.free.insert((Reverse(self.machines[node].free), node));
                    self.plan_failure(node);
                }
            }
            self.start_ready();
        }
    }

    fn plan(&mut self, after_s: f64, what: What) {
        self.planned += 1;
        let at_s = self.now_s + after_s;
        self.events.push(Reverse(When { at_s, order: self.planned, what }));
    }

    fn plan_failure(&mut self, node: usize) {
        if let Some(mean_s) = self.cluster.failure_s {
            let uniform = ((self.rng.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
            self.plan(-uniform.ln() * mean_s, What::Fail(node));
        }
    }

    fn start_ready(&mut self) {
        while !self.free.is_empty() {
            let (graph, free, machines) = (self.graph, &self.free, &mut self.machines);
            let found = self.queue.pop(|id| {
                free.iter().take(TRIES).find_map(|&(_, node)| {
                    machines[node].slots.take(&graph[id].needs).map(|taken| (node, taken))
                })
            });
            let Some((id, (node, taken))) = found else { return };
            self.set_free(node, |free| free - taken.threads);
            let epoch = self.machines[node].epoch;
            self.machines[node].running.push((id, taken));
            self.starts += 1;
            let seconds = (self.seconds)(&self.graph[id]);
            self.plan(seconds, What::End(id, node, epoch));
        }
    }

    /// Changes how many slots of a node are free.
    fn set_free(&mut self, node: usize, change: impl FnOnce(usize) -> usize) {
        let machine = &mut self.machines[node];
        self.free.remove(&(Reverse(machine.free), node));
        machine.free = change(machine.free);
        if machine.up && machine.free > 0 {
            self.free.insert((Reverse(machine.free), node));
        }
    }

    fn end(&mut self, id: Id, node: usize) {
        let running = &mut self.machines[node].running;
        if let Some(at) = running.iter().position(|(other, _)| *other == id) {
            let (_, taken) = running.swap_remove(at);
            let threads = taken.threads;
            self.machines[node].slots.give_back(taken);
            self.set_free(node, |free| free + threads);
        }
        for reader in self.graph.readers(id) {
            let waits_for = &mut self.waits_for[reader.index()];
            *waits_for -= 1;
            if *waits_for == 0 {
                self.queue.push(reader);
            }
        }
    }

    fn fail(&mut self, node: usize) {
        let lost = std::mem::take(&mut self.machines[node].running);
        self.failures += usize::from(!lost.is_empty());
        self.machines[node].up = false;
        self.machines[node].epoch += 1;
        let threads: usize = lost.iter().map(|(_, taken)| taken.threads).sum();
        for (id, taken) in lost {
            self.machines[node].slots.give_back(taken);
            self.queue.push(id);
        }
        self.set_free(node, |free| free + threads);
        self.plan(self.cluster.repair_s, What::Back(node));
    }
}

//! Ready stages, the one with the longest expected path to the end of the graph first, which keeps the critical path
//! moving.

use std::collections::{BinaryHeap, HashSet};

use crate::graph::{Graph, Id};

/// A ready stage; greater runs sooner.
#[derive(PartialEq)]
struct Ready {
    way_s: f64,
    id: Id,
}

impl Eq for Ready {}

impl PartialOrd for Ready {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ready {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.way_s.total_cmp(&other.way_s).then(other.id.cmp(&self.id))
    }
}

/// The ready stages of a run.
#[derive(Default)]
pub(super) struct Queue {
    ready: BinaryHeap<Ready>,
    /// Expected seconds from a stage's start to the end of the graph.
    way_s: Vec<f64>,
    announced: HashSet<Id>,
}

/// How many ready stages that do not fit the free slots are skipped while looking for one that does.
const LOOK_AHEAD: usize = 64;

impl Queue {
    /// The queue for `graph`, with expected seconds if something is known; a stage about which nothing is known is
    /// assumed to be an average one, which affects only the order.
    pub(super) fn new(graph: &Graph, seconds: impl Fn(Id) -> Option<f64>) -> Self {
        let mut own_s = vec![None; graph.len()];
        graph.order().iter().for_each(|&id| own_s[id.index()] = seconds(id));
        let known: Vec<f64> = own_s.iter().copied().flatten().collect();
        let average =
            if known.is_empty() { 1.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
        let mut way_s = vec![0.0; graph.len()];
        for &id in graph.order().iter().rev() {
            let after = graph.readers(id).map(|reader| way_s[reader.index()]).fold(0.0, f64::max);
            way_s[id.index()] = own_s[id.index()].unwrap_or(average) + after;
        }
        Self { ready: BinaryHeap::new(), way_s, announced: HashSet::new() }
    }

    /// Expected seconds from a stage's start to the end of the graph.
    pub(super) fn way_s(&self, id: Id) -> f64 {
        self.way_s[id.index()]
    }

    pub(super) fn push(&mut self, id: Id) {
        self.ready.push(Ready { way_s: self.way_s[id.index()], id });
    }

    /// The first ready stage for which `take` finds slots.
    pub(super) fn pop<T>(&mut self, mut take: impl FnMut(Id) -> Option<T>) -> Option<(Id, T)> {
        let mut passed = Vec::new();
        let mut found = None;
        while let Some(ready) = self.ready.pop() {
            match take(ready.id) {
                Some(taken) => {
                    found = Some((ready.id, taken));
                    break;
                }
                None => passed.push(ready),
            }
            if passed.len() >= LOOK_AHEAD {
                break;
            }
        }
        self.ready.extend(passed);
        found
    }

    /// True from the second call for the same stage on.
    pub(super) fn announced(&mut self, id: Id) -> bool {
        !self.announced.insert(id)
    }
}

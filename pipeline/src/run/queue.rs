//! Ready stages, the one with the longest expected way to the end of the graph first: that keeps
//! the critical path moving. Also knows how many expected seconds are left.

use std::collections::{BinaryHeap, HashSet};

use crate::graph::{Graph, Id, Node};

/// A ready stage; greater is sooner.
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
    /// Expected seconds of a stage; zero once it is settled.
    own_s: Vec<f64>,
    left_s: f64,
    known: bool,
    announced: HashSet<Id>,
}

/// How many ready stages that do not fit the free slots are passed over in search of one that does.
const LOOK_AHEAD: usize = 64;

impl Queue {
    /// For `graph`, with expected seconds where something is known.
    pub(super) fn new(graph: &Graph, seconds: impl Fn(&Node) -> Option<f64>) -> Self {
        let mut own_s = vec![1.0; graph.len()];
        let mut known = false;
        for &id in graph.order() {
            if let Some(s) = seconds(&graph[id]) {
                own_s[id.index()] = s;
                known = true;
            }
        }
        let mut way_s = vec![0.0; graph.len()];
        for &id in graph.order().iter().rev() {
            let after = graph.readers(id).map(|reader| way_s[reader.index()]).fold(0.0, f64::max);
            way_s[id.index()] = own_s[id.index()] + after;
        }
        let left_s = own_s.iter().sum();
        Self { ready: BinaryHeap::new(), way_s, own_s, left_s, known, announced: HashSet::new() }
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

    /// The stage is settled and takes no more time.
    pub(super) fn forget(&mut self, id: Id) {
        if let Some(s) = self.own_s.get_mut(id.index()) {
            self.left_s -= std::mem::take(s);
        }
    }

    /// Expected seconds left, once anything is known.
    pub(super) fn remaining_s(&self) -> Option<f64> {
        self.known.then_some(self.left_s.max(0.0))
    }

    /// True from the second call on for the same stage.
    pub(super) fn announced(&mut self, id: Id) -> bool {
        !self.announced.insert(id)
    }
}

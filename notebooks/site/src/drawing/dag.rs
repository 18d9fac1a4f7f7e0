//! Builds the graph of the stages of one paper as blocks: what each reads, its state, its cost. Sweeps are
//! folded; a paper with many sweeps is folded by kind.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pipeline::{
    digest::Digest,
    fold::{Arrow, Layers, folded},
    provenance::Account,
};

use crate::{
    absent::lacking::Lacking,
    history::{History, Origin, Run},
    state::State,
};

/// One stage.
struct Node {
    name: String,
    kind: String,
    state: State,
    key: Option<Digest>,
    cpu_s: f64,
    reads: Vec<usize>,
}

/// The stages of one paper.
pub struct Dag(Vec<Node>);

/// A stage, a folded sweep, or all stages of a kind.
pub struct Block {
    /// The name.
    pub name: String,
    /// The number of stages that it represents.
    pub stages: usize,
    /// The number of stages in each state.
    pub states: BTreeMap<State, usize>,
    /// CPU seconds of all its stages together, whenever they were computed.
    pub cpu_s: f64,
    /// The key of a single stage; of several the digest of their keys. `None` without a result.
    pub key: Option<String>,
    /// Its distance from blocks without inputs.
    pub layer: usize,
}

/// Blocks with the arrows between them.
pub struct Blocks {
    /// The blocks, inputs before readers.
    pub blocks: Vec<Block>,
    /// The arrows that are not implied by others.
    pub arrows: BTreeSet<Arrow>,
}

/// The largest number of blocks; more are folded by kind instead of by sweep.
const READABLE: usize = 32;

impl Dag {
    /// The stages of `paper` at the end of `run`, and the stages of the paper that are missing in it.
    #[must_use]
    pub fn of(paper: &str, run: &Run, history: &History, lacking: &[Lacking]) -> Self {
        let own = format!("{paper}/");
        let mut nodes = Vec::new();
        let mut makers: HashMap<Digest, usize> = HashMap::new();
        let mut inputs: Vec<Vec<Digest>> = Vec::new();
        for (name, key) in run.record.stages.iter().filter(|(name, _)| name.starts_with(&own)) {
            let Some(record) = history.records.get(*key) else { continue };
            let account = Account::of(record, name);
            for (_, digest) in &account.outputs {
                makers.entry(*digest).or_insert(nodes.len());
            }
            inputs.push(account.inputs.iter().filter_map(|(_, digest)| *digest).collect());
            let cached = run.origins.get(name).is_none_or(|origin| *origin == Origin::Cached);
            nodes.push(Node {
                name: name.clone(),
                kind: record.kind.clone(),
                state: if cached { State::Cached } else { State::Rerun },
                key: Some(*key),
                cpu_s: account.cpu_s(),
                reads: Vec::new(),
            });
        }
        for (at, read) in inputs.into_iter().enumerate() {
            let from = read.into_iter().filter_map(|digest| makers.get(&digest).copied());
            nodes[at].reads = from.filter(|from| *from != at).collect();
        }
        let first = nodes.len();
        nodes.extend(lacking.iter().map(|stage| Node {
            name: stage.name.clone(),
            kind: stage.kind.clone(),
            state: stage.state,
            key: None,
            cpu_s: 0.0,
            reads: Vec::new(),
        }));
        let places: HashMap<String, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.name.clone(), at)).collect();
        for (node, stage) in nodes[first..].iter_mut().zip(lacking) {
            node.reads = stage.reads.iter().filter_map(|name| places.get(name).copied()).collect();
        }
        Self(in_order(nodes))
    }

    /// Number of stages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every sweep as a block, for the table.
    #[must_use]
    pub fn sweeps(&self) -> Blocks {
        self.blocks(|node| folded(&node.name))
    }

    /// Few enough blocks for a picture.
    #[must_use]
    pub fn picture(&self) -> Blocks {
        let fine = self.sweeps();
        if fine.blocks.len() <= READABLE { fine } else { self.blocks(|node| node.kind.clone()) }
    }

    fn blocks(&self, label: impl Fn(&Node) -> String) -> Blocks {
        let mut blocks: Vec<Block> = Vec::new();
        let mut keys: Vec<Vec<Digest>> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut block_of = Vec::with_capacity(self.0.len());
        for node in &self.0 {
            let name = label(node);
            let at = *places.entry(name.clone()).or_insert_with(|| {
                let states = BTreeMap::new();
                blocks.push(Block { name, stages: 0, states, cpu_s: 0.0, key: None, layer: 0 });
                keys.push(Vec::new());
                blocks.len() - 1
            });
            block_of.push(at);
            blocks[at].stages += 1;
            *blocks[at].states.entry(node.state).or_default() += 1;
            blocks[at].cpu_s += node.cpu_s;
            keys[at].extend(node.key);
        }
        for (block, keys) in blocks.iter_mut().zip(&mut keys) {
            keys.sort_unstable();
            let joined = |keys: &[Digest]| {
                let bytes: Vec<u8> = keys.iter().flat_map(|key| *key.bytes()).collect();
                Digest::of(&bytes)
            };
            block.key = match keys.as_slice() {
                [] => None,
                [one] => Some(one.to_string()),
                many => Some(joined(many).to_string()),
            };
        }
        let mut arrows = BTreeSet::new();
        for (at, node) in self.0.iter().enumerate() {
            let from = node.reads.iter().map(|from| block_of[*from]);
            arrows.extend(from.filter(|from| *from != block_of[at]).map(|a| (a, block_of[at])));
        }
        let layers = Layers::new(blocks.len(), &arrows);
        for (block, layer) in blocks.iter_mut().zip(&layers.of) {
            block.layer = *layer;
        }
        Blocks { blocks, arrows: layers.reduced() }
    }
}

/// Inputs before readers, so that in a folded cycle the backward arrow is the one left out; blocks at the
/// same distance keep their order.
fn in_order(nodes: Vec<Node>) -> Vec<Node> {
    let mut depth = vec![0; nodes.len()];
    // Stages with the same bytes count as one producer, which can close a cycle; the computation still ends.
    for _ in 0..nodes.len() {
        let mut moved = false;
        for (at, node) in nodes.iter().enumerate() {
            let below = node.reads.iter().map(|from| depth[*from] + 1).max().unwrap_or(0);
            moved |= below > depth[at];
            depth[at] = depth[at].max(below);
        }
        if !moved {
            break;
        }
    }
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|at| depth[*at]);
    let mut place = vec![0; nodes.len()];
    for (new, old) in order.iter().enumerate() {
        place[*old] = new;
    }
    let mut nodes: Vec<(usize, Node)> = place.iter().copied().zip(nodes).collect();
    nodes.sort_by_key(|(new, _)| *new);
    let moved = |(_, mut node): (usize, Node)| {
        node.reads.iter_mut().for_each(|from| *from = place[*from]);
        node
    };
    nodes.into_iter().map(moved).collect()
}

impl Block {
    /// The most important state.
    #[must_use]
    pub fn state(&self) -> State {
        let has = |state: &State| self.states.contains_key(state);
        let order = [State::Failed, State::Rerun, State::Cached, State::Unavailable];
        order.into_iter().find(has).unwrap_or(State::Cached)
    }

    /// The states in words: `12 cached, 3 rerun`.
    #[must_use]
    pub fn told(&self) -> String {
        let told = self.states.iter().map(|(state, n)| format!("{n} {}", state.word()));
        told.collect::<Vec<_>>().join(", ")
    }

    /// The name with the number of stages.
    #[must_use]
    pub fn label(&self) -> String {
        if self.stages == 1 {
            self.name.clone()
        } else {
            format!("{} × {}", self.name, self.stages)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, kind: &str, state: State, reads: &[usize]) -> Node {
        let key = (state != State::Unavailable).then(|| Digest::of(name.as_bytes()));
        let (name, kind) = (name.to_owned(), kind.to_owned());
        Node { name, kind, state, key, cpu_s: 1.5, reads: reads.to_vec() }
    }

    fn dag() -> Dag {
        let mut nodes = vec![node("toy/data", "data", State::Cached, &[])];
        for i in 0..50 {
            let state = if i == 7 { State::Rerun } else { State::Cached };
            nodes.push(node(&format!("toy/run/split={i}"), "run", state, &[0]));
        }
        nodes.push(node("toy/claims", "claims", State::Cached, &(0..51).collect::<Vec<_>>()));
        Dag(nodes)
    }

    #[test]
    fn a_sweep_is_one_block_with_all_its_states() {
        let Blocks { blocks, arrows } = dag().picture();
        let labels: Vec<_> = blocks.iter().map(Block::label).collect();
        assert_eq!(labels, ["toy/data", "toy/run/split=* × 50", "toy/claims"]);
        assert_eq!(blocks[1].told(), "49 cached, 1 rerun");
        assert_eq!(blocks[1].state(), State::Rerun);
        assert!((blocks[1].cpu_s - 75.0).abs() < 1e-9);
        assert_eq!(blocks.iter().map(|b| b.layer).collect::<Vec<_>>(), [0, 1, 2]);
        // The claims also read the data, which is implied by the path through the runs.
        assert_eq!(arrows.into_iter().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    }

    #[test]
    fn rounds_are_drawn_as_they_run_whatever_their_names() {
        // By name the gathered table comes first; it consists of requested trials.
        let nodes = vec![
            node("toy/a-table", "gather", State::Cached, &[2]),
            node("toy/ask-1", "ask", State::Cached, &[]),
            node("toy/trial-1", "trial", State::Cached, &[1]),
            node("toy/x-ask-2", "ask", State::Cached, &[0]),
        ];
        let blocks = Dag(in_order(nodes)).blocks(|node| node.kind.clone());
        let names: Vec<_> = blocks.blocks.iter().map(|block| (&*block.name, block.layer)).collect();
        assert_eq!(names, [("ask", 0), ("trial", 1), ("gather", 2)]);
        assert_eq!(blocks.arrows, BTreeSet::from([(0, 1), (1, 2)]));
    }

    #[test]
    fn folding_into_a_circle_leaves_a_first_layer() {
        let name = |layer: usize, i: usize| format!("toy/{layer}-{i}");
        let mut nodes = Vec::new();
        for layer in 0..3 {
            for i in 0..20 {
                let reads = if layer == 0 { vec![] } else { vec![(layer - 1) * 20 + i] };
                // Kinds alternate: a, b, a.
                let kind = if layer == 1 { "b" } else { "a" };
                nodes.push(node(&name(layer, i), kind, State::Cached, &reads));
            }
        }
        let Blocks { blocks, arrows } = Dag(nodes).picture();
        assert_eq!(blocks.len(), 2);
        assert_eq!(arrows.len(), 1);
    }
}

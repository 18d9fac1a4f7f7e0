//! The DAG: stages with readable names, edges by name, petgraph underneath. Turns what the
//! experiments declare into nodes in a topological order; knows nothing of stores or runs.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use petgraph::graph::{DiGraph, NodeIndex};

use crate::{
    code::Code,
    error::{Error, Result, suggestion},
    registry::Kinds,
    seed::Seed,
    stage::{Needs, Output, Stage},
};

/// A stage's place in the graph.
pub type Id = NodeIndex<u32>;

/// One stage of the graph.
pub struct Node {
    /// Readable name, such as `hoag/news20/hoag-exp/split=3`.
    pub name: String,
    /// The kind of stage.
    pub kind: &'static str,
    /// The digest of its code and what that is made of.
    pub code: Arc<Code>,
    /// Its parameters as canonical JSON (declared field order, no spaces).
    pub params: String,
    /// What it reads from other stages.
    pub inputs: Vec<Edge>,
    /// What it reads from files of the user.
    pub files: Vec<PathBuf>,
    /// Its seed, when it uses randomness.
    pub seed: Option<Seed>,
    /// What of the environment its result depends on, such as a library's version.
    pub facets: Vec<(&'static str, String)>,
    /// What it takes while running.
    pub needs: Needs,
    /// What it writes.
    pub outputs: &'static [Output],
}

/// One input of a stage: output `output` of stage `from`, met under the name `role`.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The reader's name for it.
    pub role: String,
    /// The stage it comes from.
    pub from: Id,
    /// Which of that stage's outputs.
    pub output: &'static str,
    /// The reader also runs when this input is unavailable.
    pub optional: bool,
}

/// A stage being added to the graph.
pub struct Draft {
    node: Node,
    wants: Vec<Want>,
}

struct Want {
    role: String,
    stage: String,
    output: &'static str,
    optional: bool,
}

impl Draft {
    /// Reads output `main` of the stage named `stage`.
    pub fn input(&mut self, role: impl Into<String>, stage: impl Into<String>) -> &mut Self {
        self.read(role, stage, "main", false)
    }

    /// Reads `output` of the stage named `stage`; with `optional`, runs without it where that
    /// stage is unavailable.
    pub fn read(
        &mut self,
        role: impl Into<String>,
        stage: impl Into<String>,
        output: &'static str,
        optional: bool,
    ) -> &mut Self {
        self.wants.push(Want { role: role.into(), stage: stage.into(), output, optional });
        self
    }

    /// Reads a file of the user; its content enters the key.
    pub fn file(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.node.files.push(path.into());
        self
    }

    /// Gives the stage randomness.
    pub fn seed(&mut self, seed: Seed) -> &mut Self {
        self.node.seed = Some(seed);
        self
    }

    /// Declares that the result depends on this property of the environment.
    pub fn facet(&mut self, name: &'static str, value: impl Into<String>) -> &mut Self {
        self.node.facets.push((name, value.into()));
        self
    }
}

/// Collects the stages of all experiments.
pub struct Builder<'a> {
    kinds: &'a Kinds,
    drafts: Vec<Draft>,
}

impl<'a> Builder<'a> {
    /// An empty graph over the known stage kinds.
    #[must_use]
    pub fn new(kinds: &'a Kinds) -> Self {
        Self { kinds, drafts: Vec::new() }
    }

    /// Adds a stage under a name that must be new.
    ///
    /// # Errors
    /// When the kind is not registered or its parameters cannot be written as canonical JSON.
    pub fn add<S: Stage>(&mut self, name: impl Into<String>, stage: &S) -> Result<&mut Draft> {
        let name = name.into();
        let kind = self.kinds.get(S::KIND).ok_or_else(|| {
            Error::usage(format!("stage {name} is of the unregistered kind `{}`", S::KIND))
        })?;
        let params = canonical(stage).map_err(|e| {
            Error::usage(format!("the parameters of stage {name} are no data: {e}"))
        })?;
        let node = Node {
            name,
            kind: S::KIND,
            code: Arc::clone(&kind.code),
            params,
            inputs: Vec::new(),
            files: Vec::new(),
            seed: None,
            facets: Vec::new(),
            needs: stage.needs(),
            outputs: S::OUTPUTS,
        };
        self.drafts.push(Draft { node, wants: Vec::new() });
        let last = self.drafts.len() - 1;
        Ok(&mut self.drafts[last])
    }

    /// Resolves the names and orders the stages.
    ///
    /// # Errors
    /// When a name is taken twice or unknown, or the stages form a cycle (the path is named).
    pub fn build(self) -> Result<Graph> {
        let mut ids = HashMap::with_capacity(self.drafts.len());
        for (i, draft) in self.drafts.iter().enumerate() {
            if ids.insert(draft.node.name.clone(), Id::new(i)).is_some() {
                return Err(Error::usage(format!("two stages are named `{}`", draft.node.name)));
            }
        }
        let outputs: Vec<_> = self.drafts.iter().map(|draft| draft.node.outputs).collect();
        let mut dag = DiGraph::with_capacity(self.drafts.len(), self.drafts.len());
        let mut edges = Vec::new();
        for (i, Draft { mut node, wants }) in self.drafts.into_iter().enumerate() {
            for want in wants {
                let Some(&from) = ids.get(&want.stage) else {
                    let near = suggestion(&want.stage, ids.keys().map(String::as_str));
                    return Err(Error::usage(format!(
                        "stage `{}` reads `{}`, which is no stage{near}",
                        node.name, want.stage
                    )));
                };
                if !outputs[from.index()].iter().any(|output| output.name == want.output) {
                    let names: Vec<_> = outputs[from.index()].iter().map(|o| o.name).collect();
                    return Err(Error::usage(format!(
                        "stage `{}` reads output `{}` of `{}`, which has only {}",
                        node.name,
                        want.output,
                        want.stage,
                        names.join(", ")
                    )));
                }
                edges.push((from, Id::new(i)));
                let Want { role, output, optional, .. } = want;
                node.inputs.push(Edge { role, from, output, optional });
            }
            node.inputs.sort_by(|a, b| a.role.cmp(&b.role));
            dag.add_node(node);
        }
        for (from, to) in edges {
            dag.add_edge(from, to, ());
        }
        let order = order(&dag)?;
        Ok(Graph { dag, order, ids })
    }
}

/// Canonical JSON; refuses NaN and infinities, which JSON would turn into `null` silently.
fn canonical<S: Stage>(stage: &S) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(stage)?;
    // A non-finite number cannot be read back as a number: the round trip finds it.
    serde_json::from_str::<S>(&text)?;
    Ok(text)
}

fn order(dag: &DiGraph<Node, ()>) -> Result<Vec<Id>> {
    petgraph::algo::toposort(dag, None).map_err(|cycle| {
        let start = cycle.node_id();
        let mut path = vec![dag[start].name.as_str()];
        // Walk inputs that lie in the same strongly connected component until one repeats.
        let component = petgraph::algo::tarjan_scc(dag)
            .into_iter()
            .find(|component| component.contains(&start))
            .unwrap_or_default();
        let mut seen = vec![start];
        let mut at = start;
        while let Some(edge) = dag[at].inputs.iter().find(|edge| component.contains(&edge.from)) {
            at = edge.from;
            path.push(&dag[at].name);
            if let Some(first) = seen.iter().position(|&id| id == at) {
                path.drain(..first);
                break;
            }
            seen.push(at);
        }
        Error::usage(format!("the stages form a cycle: {}", path.join(" ← ")))
            .help("remove one of these inputs; `a ← b` means that a reads b")
    })
}

/// The finished DAG.
pub struct Graph {
    dag: DiGraph<Node, ()>,
    order: Vec<Id>,
    ids: HashMap<String, Id>,
}

impl Graph {
    /// The stages, inputs before readers.
    #[must_use]
    pub fn order(&self) -> &[Id] {
        &self.order
    }

    /// How many stages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.dag.node_count()
    }

    /// Whether there is no stage.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dag.node_count() == 0
    }

    /// The stages that read this one.
    pub fn readers(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        self.dag.neighbors_directed(id, petgraph::Direction::Outgoing)
    }

    /// The stage with this exact name.
    ///
    /// # Errors
    /// When there is none; the message names the nearest one.
    pub fn find(&self, name: &str) -> Result<Id> {
        self.ids.get(name).copied().ok_or_else(|| {
            let near = suggestion(name, self.ids.keys().map(String::as_str));
            Error::usage(format!("no stage is named `{name}`{near}"))
                .help("`retune status` lists the stages")
        })
    }

    /// The stages a run of `targets` needs, as a mask over node indices. A target is a name, a
    /// prefix ending at a `/`, or a pattern with `*`; no target means every stage.
    ///
    /// # Errors
    /// When a target matches nothing.
    pub fn select(&self, targets: &[String]) -> Result<Vec<bool>> {
        let mut wanted = vec![targets.is_empty(); self.len()];
        for target in targets {
            let mut any = false;
            for &id in &self.order {
                if matches(target, &self[id].name) {
                    wanted[id.index()] = true;
                    any = true;
                }
            }
            if !any {
                self.find(target)?;
            }
        }
        for &id in self.order.iter().rev() {
            if wanted[id.index()] {
                for edge in &self[id].inputs {
                    wanted[edge.from.index()] = true;
                }
            }
        }
        Ok(wanted)
    }
}

impl std::ops::Index<Id> for Graph {
    type Output = Node;

    fn index(&self, id: Id) -> &Node {
        &self.dag[id]
    }
}

/// Whether `name` is `pattern`, lies under it, or fits its `*`s (a `*` also spans `/`).
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    if let Some((head, tail)) = pattern.split_once('*') {
        let Some(rest) = name.strip_prefix(head) else { return false };
        if tail.is_empty() {
            return true;
        }
        return (0..=rest.len())
            .filter(|&i| rest.is_char_boundary(i))
            .any(|i| matches(tail, &rest[i..]));
    }
    match name.strip_prefix(pattern.trim_end_matches('/')) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

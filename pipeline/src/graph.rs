//! The DAG: stages with readable names, edges by name, stored in a petgraph graph. Turns what the experiments declare
//! into nodes in a topological order. Independent of stores and runs.

mod ids;
mod names;
mod order;
mod scope;
mod targets;

pub use scope::scoped;
pub use targets::near;

use std::{path::PathBuf, sync::Arc};

use petgraph::graph::{DiGraph, NodeIndex};

use self::ids::Ids;
use crate::{
    code::Code,
    error::{Error, Result, suggestion},
    kinds::Kinds,
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
    /// The digest of its code, and the parts behind it.
    pub code: Arc<Code>,
    /// Its parameters as canonical JSON (declared field order, no spaces).
    pub params: String,
    /// What it reads from other stages.
    pub inputs: Vec<Edge>,
    /// The user's files that it reads.
    pub files: Vec<PathBuf>,
    /// Its seed, if it uses randomness.
    pub seed: Option<Seed>,
    /// The properties of the environment that its result depends on, such as a library's version.
    pub facets: Vec<(&'static str, String)>,
    /// The files that it reads whose content is checked in another way.
    pub pinned: Vec<PathBuf>,
    /// Whether it keeps files in the downloads folder.
    pub downloads: bool,
    /// Whether its experiment is trusted with everything that the user may do.
    pub trusted: bool,
    /// What it takes while running.
    pub needs: Needs,
    /// What it writes.
    pub outputs: &'static [Output],
}

/// One input of a stage: output `output` of stage `from`, known to the stage as `role`.
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

#[derive(PartialEq)]
struct Want {
    role: String,
    stage: String,
    output: &'static str,
    optional: bool,
}

impl Draft {
    /// The stage's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.node.name
    }

    /// Reads output `main` of the stage named `stage`.
    pub fn input(&mut self, role: impl Into<String>, stage: impl Into<String>) -> &mut Self {
        self.read(role, stage, "main", false)
    }

    /// Reads `output` of the stage named `stage`; with `optional`, the reader runs without it if that stage is
    /// unavailable.
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

    /// Reads one of the user's files; its content enters the key.
    pub fn file(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.node.files.push(path.into());
        self
    }

    /// Reads a file or a folder whose content is fixed by hashes in the stage's parameters, so it does not enter the
    /// key again.
    pub fn pinned(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.node.pinned.push(path.into());
        self
    }

    /// Keeps files in [`Context::downloads`](crate::stage::Context::downloads) whose content is fixed by hashes in
    /// the stage's parameters, and may start the system's programs to fetch them.
    pub fn downloads(&mut self) -> &mut Self {
        self.node.downloads = true;
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

/// Collects the stages of all experiments. Names are resolved at the end, so that stages may be added in any
/// order.
///
/// ```
/// use pipeline::{graph::Builder, registry::Kinds, stage::{Context, Stage, Stop}, work::{Inputs, Work}};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Serialize, Deserialize)]
/// # struct Join {}
/// # impl Stage for Join {
/// #     const KIND: &'static str = "join";
/// #     const MODULE: &'static str = module_path!();
/// #     fn run(&self, _: &mut Context) -> Result<(), Stop> { Ok(()) }
/// # }
/// # impl Work for Join { fn work(&self, _: &Inputs) -> f64 { 1.0 } }
///
/// let mut kinds = Kinds::default();
/// kinds.add::<Join>(&[]);
/// let mut builder = Builder::new(&kinds);
/// builder.add("x/last", &Join {})?.input("first", "x/first");
/// builder.add("x/first", &Join {})?;
/// let graph = builder.build()?;
/// let order: Vec<&str> = graph.order().iter().map(|&id| graph[id].name.as_str()).collect();
/// assert_eq!(order, ["x/first", "x/last"]);
/// assert_eq!(graph.select(&["x/f*".to_owned()])?.iter().filter(|wanted| **wanted).count(), 1);
///
/// let mut circle = Builder::new(&kinds);
/// circle.add("x/a", &Join {})?.input("b", "x/b");
/// circle.add("x/b", &Join {})?.input("a", "x/a");
/// assert!(circle.build().is_err());
/// # Ok::<(), pipeline::Error>(())
/// ```
pub struct Builder<'a> {
    kinds: &'a Kinds,
    drafts: Vec<Draft>,
    most: usize,
    trusted: bool,
}

/// More stages than this are assumed to be a mistake.
pub const MOST_STAGES: usize = 2_000_000;

impl<'a> Builder<'a> {
    /// An empty graph over the known stage kinds.
    #[must_use]
    pub fn new(kinds: &'a Kinds) -> Self {
        Self { kinds, drafts: Vec::new(), most: MOST_STAGES, trusted: true }
    }

    /// The same with at most this many stages.
    #[must_use]
    pub fn at_most(self, stages: usize) -> Self {
        Self { most: stages, ..self }
    }

    /// Sets whether the stages that are added next are trusted.
    #[cfg(feature = "cli")]
    pub(crate) fn trust(&mut self, trusted: bool) {
        self.trusted = trusted;
    }

    /// Adds a stage under a name that must be new.
    ///
    /// # Errors
    /// When the name contains characters that are not allowed in names, there are too many stages, the kind is not
    /// registered, or its parameters cannot be written as canonical JSON.
    pub fn add<S: Stage>(&mut self, name: impl Into<String>, stage: &S) -> Result<&mut Draft> {
        let name = name.into();
        names::check(&name)?;
        if self.drafts.len() >= self.most {
            let message = format!("the configs ask for more than {} stages", self.most);
            return Err(Error::usage(message)
                .help("look for a count that is too large, or raise --max-stages"));
        }
        let kind = self.kinds.get(S::KIND).ok_or_else(|| {
            Error::usage(format!("stage {name} is of the unregistered kind `{}`", S::KIND))
        })?;
        let params = canonical(stage).map_err(|e| {
            Error::usage(format!("the parameters of stage {name} are no data: {e}")).because(e)
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
            pinned: Vec::new(),
            downloads: false,
            trusted: self.trusted,
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
    /// When a name is used twice or unknown, or the stages form a cycle (the path is named).
    pub fn build(self) -> Result<Graph> {
        let mut ids = Ids::with_capacity(self.drafts.len());
        for (i, draft) in self.drafts.iter().enumerate() {
            if !ids.add(&draft.node.name, Id::new(i), |id| &self.drafts[id.index()].node.name) {
                return Err(Error::usage(format!("two stages are named `{}`", draft.node.name)));
            }
        }
        let edges = self.drafts.iter().map(|draft| draft.wants.len()).sum();
        let mut dag: DiGraph<Node, ()> = DiGraph::with_capacity(self.drafts.len(), edges);
        let mut wants = Vec::with_capacity(self.drafts.len());
        for Draft { node, wants: own } in self.drafts {
            dag.add_node(node);
            wants.push(own);
        }
        for (i, own) in wants.into_iter().enumerate() {
            let to = Id::new(i);
            let mut inputs = Vec::with_capacity(own.len());
            for Want { role, stage, output, optional } in own {
                let Some(from) = ids.get(&stage, |id| &dag[id].name) else {
                    let near = suggestion(&stage, dag.node_weights().map(|n| n.name.as_str()));
                    return Err(Error::usage(format!(
                        "stage `{}` reads `{stage}`, which is no stage{near}",
                        dag[to].name
                    )));
                };
                if !dag[from].outputs.iter().any(|o| o.name == output) {
                    let names: Vec<_> = dag[from].outputs.iter().map(|o| o.name).collect();
                    return Err(Error::usage(format!(
                        "stage `{}` reads output `{output}` of `{stage}`, which has only {}",
                        dag[to].name,
                        names.join(", ")
                    )));
                }
                dag.add_edge(from, to, ());
                inputs.push(Edge { role, from, output, optional });
            }
            inputs.sort_by(|a, b| a.role.cmp(&b.role));
            dag[to].inputs = inputs;
        }
        let order = order::topological(&dag)?;
        Ok(Graph { dag, order, ids })
    }
}

/// Canonical JSON; refuses NaN and infinities, which JSON would silently turn into `null`.
fn canonical<S: Stage>(stage: &S) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(stage)?;
    // A non-finite number is written as `null` and cannot be read back, so the round trip finds it.
    if text.contains("null") {
        serde_json::from_str::<S>(&text)?;
    }
    Ok(text)
}

/// The finished DAG.
pub struct Graph {
    dag: DiGraph<Node, ()>,
    order: Vec<Id>,
    ids: Ids,
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

    /// Whether there are no stages.
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
        self.ids.get(name, |id| &self[id].name).ok_or_else(|| {
            let near = near(name, self.dag.node_weights().map(|n| n.name.as_str()));
            Error::usage(format!("no stage is named `{name}`{near}"))
                .help("`retune status` lists the stages")
        })
    }
}

impl std::ops::Index<Id> for Graph {
    type Output = Node;

    fn index(&self, id: Id) -> &Node {
        &self.dag[id]
    }
}

/// Whether `name` is `pattern`, lies under it, or matches its `*`s (a `*` also matches `/`).
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

//! The order in which stages can run, or the cycle that makes one impossible.

use petgraph::graph::DiGraph;

use super::{Id, Node};
use crate::error::{Error, Result};

/// The stages, inputs before readers.
///
/// # Errors
/// When they form a cycle; the message gives its path.
pub(super) fn topological(dag: &DiGraph<Node, ()>) -> Result<Vec<Id>> {
    petgraph::algo::toposort(dag, None).map_err(|cycle| {
        let start = cycle.node_id();
        let mut path = vec![dag[start].name.as_str()];
        // Follow inputs within the same strongly connected component until one repeats.
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

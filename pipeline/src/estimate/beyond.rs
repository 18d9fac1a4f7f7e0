//! What one profile asks for that another does not: whatever the code is, a stage is the same under both if its kind,
//! parameters, seed, files and environment are, and all that it reads is.

use std::collections::HashMap;

use crate::graph::{Graph, Id, Node};

/// For each stage of `graph`, by node index, whether `other` has no such stage.
#[must_use]
pub fn beyond(graph: &Graph, other: &Graph) -> Vec<bool> {
    let named: HashMap<&str, Id> =
        other.order().iter().map(|&id| (other[id].name.as_str(), id)).collect();
    let mut beyond = vec![true; graph.len()];
    // Inputs come before readers.
    for &id in graph.order() {
        let node = &graph[id];
        let Some(&twin) = named.get(node.name.as_str()) else { continue };
        let twin = &other[twin];
        beyond[id.index()] = !(alike(node, twin)
            && node.inputs.len() == twin.inputs.len()
            && node.inputs.iter().zip(&twin.inputs).all(|(own, its)| {
                (&own.role, own.output) == (&its.role, its.output)
                    && graph[own.from].name == other[its.from].name
                    && !beyond[own.from.index()]
            }));
    }
    beyond
}

/// Whether two stages compute the same from the same inputs.
fn alike(a: &Node, b: &Node) -> bool {
    (a.kind, &a.params, &a.seed, &a.files, &a.facets)
        == (b.kind, &b.params, &b.seed, &b.files, &b.facets)
}

/// The part of an experiment that a stage belongs to: the first two words of its name.
#[must_use]
pub fn part(name: &str) -> &str {
    let second = name.match_indices('/').nth(1);
    second.map_or(name, |(end, _)| &name[..end])
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::{
        graph::Builder,
        kinds::Kinds,
        stage::{Context, Stage, Stop},
        work::{Inputs, Work},
    };

    #[derive(Serialize, Deserialize)]
    struct Step {
        rows: u64,
    }

    impl Stage for Step {
        const KIND: &'static str = "step";
        const MODULE: &'static str = module_path!();
        fn run(&self, _: &mut Context) -> Result<(), Stop> {
            Ok(())
        }
    }

    impl Work for Step {
        fn work(&self, _: &Inputs) -> f64 {
            1.0
        }
    }

    /// Two data sets, each read by a fit; the fits by their statistics.
    fn graph(large: u64, fits: &[&str]) -> Graph {
        let mut kinds = Kinds::default();
        kinds.add::<Step>(&[]);
        let mut builder = Builder::new(&kinds);
        builder.add("x/small/data", &Step { rows: 10 }).unwrap();
        builder.add("x/large/data", &Step { rows: large }).unwrap();
        for fit in fits {
            builder
                .add(format!("x/{fit}/fit/split=0"), &Step { rows: 1 })
                .unwrap()
                .input("data", format!("x/{fit}/data"));
        }
        let all = builder.add("x/claims", &Step { rows: 0 }).unwrap();
        for fit in fits {
            all.input(*fit, format!("x/{fit}/fit/split=0"));
        }
        builder.build().unwrap()
    }

    fn named(graph: &Graph, beyond: &[bool]) -> Vec<String> {
        let ids = graph.order().iter().filter(|id| beyond[id.index()]);
        let mut names: Vec<String> = ids.map(|&id| graph[id].name.clone()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_reads_another_size_is_another_stage() {
        let (whole, reduced) = (graph(1000, &["small", "large"]), graph(100, &["small", "large"]));
        assert!(named(&whole, &beyond(&whole, &whole)).is_empty());
        let found = named(&whole, &beyond(&whole, &reduced));
        assert_eq!(found, ["x/claims", "x/large/data", "x/large/fit/split=0"]);
        let fewer = graph(1000, &["small"]);
        let found = named(&whole, &beyond(&whole, &fewer));
        assert_eq!(found, ["x/claims", "x/large/fit/split=0"]);
        // What the other has besides does not count, but whoever reads fewer inputs is another.
        assert_eq!(named(&fewer, &beyond(&fewer, &whole)), ["x/claims"]);
    }

    #[test]
    fn parts_are_the_first_two_words() {
        assert_eq!(part("stn/images/replicate=0/grid"), "stn/images");
        assert_eq!(part("stn/claims"), "stn/claims");
        assert_eq!(part("stn"), "stn");
    }
}

//! What one profile asks for that another does not: a stage is the same under both if its key would be, whatever the
//! results of what it reads are.

use std::collections::HashSet;

use crate::{
    digest::{Digest, Fields},
    graph::Graph,
    manifest::{Contents, key},
};

/// For each stage of `graph`, by node index, whether `other` has no such stage.
#[must_use]
pub fn beyond(graph: &Graph, other: &Graph) -> Vec<bool> {
    let known: HashSet<Digest> = identities(other).into_iter().collect();
    identities(graph).iter().map(|identity| !known.contains(identity)).collect()
}

/// By node index, the keys that stages would have if every output were named by its stage's key and every file by its
/// path.
fn identities(graph: &Graph) -> Vec<Digest> {
    let named = |parts: [&[u8]; 2]| {
        let mut fields = Fields::default();
        fields.field(parts[0]).field(parts[1]);
        fields.finish()
    };
    let mut identities = vec![named([&[], &[]]); graph.len()];
    // Inputs come before readers.
    for &id in graph.order() {
        let node = &graph[id];
        let input = |from: &Digest, output: &str| Some(named([from.bytes(), output.as_bytes()]));
        let inputs = node.inputs.iter().map(|e| input(&identities[e.from.index()], e.output));
        let files = node.files.iter().map(|path| named([&[], path.as_os_str().as_encoded_bytes()]));
        let contents = Contents { inputs: inputs.collect(), files: files.collect() };
        identities[id.index()] = key(node, &contents);
    }
    identities
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

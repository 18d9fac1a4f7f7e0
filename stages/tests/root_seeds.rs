//! Tests verdicts that are repeated under other root seeds: which stages are added, and which are not.

use std::path::Path;

use pipeline::{
    config::Config,
    graph::{Builder, Graph},
};
use stages::papers;

/// The graph of one paper under a profile, with settings as for `--set`.
fn graph(paper: &str, profile: &str) -> Graph {
    let registry = papers::registry();
    let mut experiments = registry.experiments.iter();
    let experiment = experiments.find(|e| e.id() == paper).expect("a paper of this name");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/{paper}.toml"));
    let config = Config::read(&file, profile).unwrap();
    let mut builder = Builder::new(&registry.kinds);
    experiment.expand(&config, &mut builder).unwrap();
    builder.build().unwrap()
}

/// The names of the stages under the root seed, without their scope, sorted.
fn under(graph: &Graph, root: u64) -> Vec<String> {
    let scope = format!("/root={root}/");
    let names = graph.order().iter().map(|&id| graph[id].name.as_str());
    let mut own: Vec<String> = names
        .filter(|name| name.contains(&scope))
        .map(|name| name.replacen(&scope, "/", 1))
        .collect();
    own.sort();
    own
}

#[test]
fn only_what_the_claims_rest_on_is_repeated() {
    let graph = graph("harmonica", "desk");
    let own = [
        "harmonica/calibration/H1",
        "harmonica/calibration/H2",
        "harmonica/claims",
        "harmonica/synthetic/noise",
        "harmonica/synthetic/noise@code",
        "harmonica/synthetic/recovery",
    ];
    assert_eq!(under(&graph, 20_170_603), own);
    assert_eq!(under(&graph, 20_170_604), own);
}

#[test]
fn what_another_root_seed_leaves_alone_is_there_once() {
    let graph = graph("smoothie", "recorded");
    let own = under(&graph, 20_240_118);
    let kinds = |part: &str| own.iter().filter(|name| name.contains(part)).count();
    assert!(kinds("smoothie/camel/smoothie-") > 0, "{own:#?}");
    assert_eq!(kinds("/data"), 0, "data sets are no matter of seeds: {own:#?}");
    assert_eq!(kinds("@"), 0, "other protocols do not count: {own:#?}");
    assert_eq!(kinds("smoothie/digits/"), 0, "no claim that is repeated is about it");
    // A stage of the scope reads others of the scope, and data sets outside.
    let cut = graph.find("smoothie/root=20240118/camel/cut").unwrap();
    let read: Vec<&str> =
        graph[cut].inputs.iter().map(|edge| graph[edge.from].name.as_str()).collect();
    assert!(read.iter().all(|name| *name == "smoothie/camel/data"), "{read:?}");
    let other = graph.find("smoothie/camel/cut").unwrap();
    assert_ne!(graph[cut].seed, graph[other].seed);
}

#[test]
fn the_verdicts_hear_every_root_seed() {
    for (paper, roots) in
        [("stn", [20_190_308, 20_190_309]), ("smoothie", [20_240_118, 20_240_119])]
    {
        let graph = graph(paper, "desk");
        let judge = graph.find(&format!("{paper}/claims")).unwrap();
        for root in roots {
            let other = graph.find(&format!("{paper}/root={root}/claims")).unwrap();
            let edge = graph[judge].inputs.iter().find(|edge| edge.from == other).unwrap();
            assert!(edge.optional && edge.output == "seeds", "{paper}");
            assert!(graph[other].params.contains(&format!("\"root_seed\":{root}")), "{paper}");
        }
    }
}

#[test]
fn a_paper_without_other_root_seeds_has_one() {
    let graph = graph("hoag", "desk");
    assert!(graph.order().iter().all(|&id| !graph[id].name.contains("/root=")));
}

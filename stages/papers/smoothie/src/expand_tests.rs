use std::{collections::BTreeSet, path::Path};

use kit::paper;
use pipeline::{config::Config, graph::Graph};

use crate::Smoothie;

/// The stages of the smallest profile, where the file says `to` in the place of `from`.
fn expanded(from: &str, to: &str) -> Graph {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs/smoothie.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from}");
    let config = Config::parse(&file, &text.replace(from, to), "smoke").unwrap();
    paper::graph::<Smoothie>(&config).unwrap()
}

/// The names of a task's stages under one protocol, `@NAME` or none, without what all begin with.
fn names(graph: &Graph, task: &str, protocol: &str) -> BTreeSet<String> {
    let prefix = format!("smoothie/{task}/");
    let own = graph.order().iter().filter_map(|&id| graph[id].name.strip_prefix(&prefix));
    let under = |name: &&str| match name.split_once('@') {
        Some((_, rest)) => rest.split('/').next() == protocol.strip_prefix('@'),
        None => protocol.is_empty(),
    };
    own.filter(under).map(|name| name.replace(protocol, "")).collect()
}

#[test]
fn honestly_every_tuner_has_every_learner_and_a_baseline_one() {
    let graph = expanded("repeats = 2\n", "repeats = 2\n");
    let ant = names(&graph, "ant", "");
    let mut expected: BTreeSet<String> =
        ["cut", "data", "landscape", "svm-ff/repeats=0-1"].map(str::to_owned).into();
    for learner in ["ff", "lr", "nb"] {
        for method in ["bohb-2", "bohb-6", "dehb-6", "random-2", "smoothie"] {
            expected.insert(format!("{method}-{learner}/repeats=0-1"));
        }
        expected.insert(format!("pool-{learner}/repeat=0"));
    }
    assert_eq!(ant, expected);
    // GHOST needs what an autoencoder makes of the rows, in each repeat.
    let camel = names(&graph, "camel", "");
    assert!(["encode/repeat=0", "encode/repeat=1"].iter().all(|name| camel.contains(*name)));
    assert!(camel.contains("ghost-ff/repeats=0-1") && !camel.contains("svm-ff/repeats=0-1"));
}

#[test]
fn as_published_the_others_tune_one_learner() {
    let graph = expanded("repeats = 2\n", "repeats = 2\n");
    let ant = names(&graph, "ant", "@as-published");
    let of = |method: &str| ant.iter().filter(|name| name.starts_with(method)).count();
    assert_eq!((of("smoothie-"), of("random-"), of("bohb-"), of("dehb-")), (3, 1, 2, 1));
    assert!(ant.contains("encode/repeat=0"), "the options hold it");
    assert!(!ant.contains("landscape") && !ant.contains("data"), "one of each for all protocols");
}

#[test]
fn how_repeats_are_grouped_decides_no_random_number() {
    let grouped = expanded("repeats-per-stage = 2", "repeats-per-stage = 2");
    let single = expanded("repeats-per-stage = 2", "repeats-per-stage = 1");
    let seed = |graph: &Graph, name: &str| graph[graph.find(name).unwrap()].seed;
    for method in ["smoothie-ff", "bohb-6-nb", "svm-ff"] {
        let at = |part: &str| format!("smoothie/ant/{method}/repeats={part}");
        let both = seed(&grouped, &at("0-1"));
        assert!(both.is_some());
        assert_eq!(both, seed(&single, &at("0-0")), "{method}");
        assert_eq!(both, seed(&single, &at("1-1")), "{method}");
    }
    let ff = seed(&grouped, "smoothie/ant/smoothie-ff/repeats=0-1");
    assert_ne!(ff, seed(&grouped, "smoothie/ant/smoothie-nb/repeats=0-1"));
    assert_ne!(ff, seed(&grouped, "smoothie/derby/smoothie-ff/repeats=0-1"));
}

#[test]
fn another_name_of_a_tuner_is_another_kind_of_stage_where_another_tuner_stands_behind_it() {
    let graph = expanded("repeats = 2\n", "repeats = 2\n");
    let kind = |protocol: &str| {
        let name = format!("smoothie/ant/bohb-2-ff{protocol}/repeats=0-1");
        graph[graph.find(&name).unwrap()].kind
    };
    assert_ne!(kind(""), kind("@as-published"));
}

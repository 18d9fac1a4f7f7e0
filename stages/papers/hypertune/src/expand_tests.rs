use std::path::Path;

use kit::paper::{self, Values as _};
use models::{linear::elastic_sgd::Charge, neural::residual::Device};
use pipeline::{
    config::Config,
    graph::{Graph, Node},
};

use super::*;
use crate::{HyperTune, learn::Learner};

/// The values of a profile, and its stages.
fn expanded(profile: &str) -> (HyperTuneConfig, Graph) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    paper::expanded::<HyperTune>(&root, profile).unwrap()
}

/// Whether a stage trains learners.
fn trains(node: &Node) -> bool {
    let kind = node.kind.strip_prefix("hypertune/");
    kind.is_some_and(|kind| {
        ["subset", "whole", "ei", "fabolas", "hyperband", "complexity"].contains(&kind)
    })
}

#[test]
fn networks_and_nothing_else_are_trained_by_the_program_that_can() {
    for profile in ["smoke", "desk", "paper"] {
        let (values, graph) = expanded(profile);
        let nodes: Vec<&Node> = graph.order().iter().map(|&id| &graph[id]).collect();
        let mut networks = 0;
        for node in nodes.iter().filter(|node| trains(node)) {
            let own = node.name.contains("/cnn-");
            networks += usize::from(own);
            assert_eq!(node.needs.program, own.then_some("retune-torch"), "{}", node.name);
            assert_eq!(node.facets.len(), usize::from(own), "{}", node.name);
        }
        // Subset searches, HyperTune, GP-EI, Fabolas and Hyperband.
        let methods = values.hypertune.searches + 4;
        let runs = usize::from(values.tasks["cnn-cifar-10"].runs);
        assert_eq!(networks, runs * methods * values.repeats as usize, "{profile}");
    }
}

#[test]
fn all_methods_of_a_repeat_meet_the_same_parts() {
    let (values, graph) = expanded("desk");
    let source = |node: &Node, role: &str| {
        let edge = node.inputs.iter().find(|edge| edge.role == role);
        edge.map(|edge| graph[edge.from].name.clone())
    };
    for &id in graph.order() {
        let node = &graph[id];
        if !trains(node) {
            continue;
        }
        let task = node.name.split('/').nth(1).unwrap();
        let task = &values.tasks[task];
        let (_, repeat) = node.name.rsplit_once('/').unwrap();
        let split = format!("hypertune/{}/split/{repeat}", task.data);
        assert_eq!(source(node, "split"), Some(split), "{}", node.name);
        let images = values.data[&task.data].images();
        let data = source(node, if images { "images" } else { "data" });
        assert_eq!(data, Some(format!("hypertune/{}/data", task.data)), "{}", node.name);
    }
}

#[test]
fn the_paper_has_all_rows_and_pixels() {
    let (values, _) = expanded("paper");
    for (name, data) in &values.data {
        assert_eq!((data.rows, data.side), (0, None), "{name}");
        if name.starts_with("mnist") {
            let entry = data.data_set.as_deref().and_then(data::find).unwrap();
            assert_eq!((entry.shape.rows, entry.shape.features), (70_000, 784));
        }
    }
}

#[test]
fn what_was_reduced_says_so() {
    use crate::verdicts::evidence::Place;

    let places = |profile: &str| {
        let (_, graph) = expanded(profile);
        let claims = graph.find("hypertune/claims").unwrap();
        let params: serde_json::Value = serde_json::from_str(&graph[claims].params).unwrap();
        let places: Vec<Place> =
            serde_json::from_value(params["criteria"]["places"].clone()).unwrap();
        places
    };
    assert!(places("smoke").iter().all(|place| place.scaled_down));
    assert!(places("paper").iter().all(|place| !place.scaled_down && place.reduced.is_empty()));
    // At a desk some tasks have the paper's size, but for their rivals' own settings.
    let whole = places("desk").into_iter().filter(|place| !place.scaled_down);
    let whole: Vec<(String, Vec<String>)> = whole.map(|p| (p.task, p.reduced)).collect();
    let named = [
        "elastic-net-adult",
        "elastic-net-adult-unscaled",
        "elastic-net-letter",
        "elastic-net-mnist",
        "elastic-net-vehicle", // which is not available
        "svm-rbf-letter",
        "svm-rbf-vehicle",
    ];
    assert_eq!(whole, named.map(|task| (task.to_owned(), vec!["fabolas".to_owned()])));
    // A device does not count as size, nor when a penalty is taken.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let values = HyperTuneConfig::read(
        &Config::read(&root.join("configs/hypertune.toml"), "paper").unwrap(),
    )
    .unwrap();
    let learner = values.learners["cnn"];
    assert_ne!(learner, learner.on(Device::Cpu));
    assert_eq!(learner.on(Device::Cpu).sized(), learner.sized());
    let later = Learner::ElasticNet { epochs: 20, charge: Charge::WhenUsed };
    assert_eq!(later.sized(), values.learners["elastic-net"].sized());
    assert_ne!(Learner::ElasticNet { epochs: 19, charge: Charge::WhenUsed }.sized(), later.sized());
}

#[test]
fn a_network_wants_images_and_a_side_divides_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hypertune.toml");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let text = std::fs::read_to_string(root.join("configs/hypertune.toml")).unwrap();
    for (from, to, key) in [
        (
            "learner = \"cnn\"\ndata = \"cifar-10\"",
            "learner = \"cnn\"\ndata = \"letter\"",
            "tasks.cnn-cifar-10.data",
        ),
        ("side = 16", "side = 15", "data.cifar-10.side"),
        ("adult-rbf = { rows = 4000", "adult-rbf = { side = 4, rows = 4000", "data.adult-rbf.side"),
    ] {
        assert!(text.contains(from), "{from}");
        std::fs::write(&path, text.replace(from, to)).unwrap();
        let error = HyperTuneConfig::read(&Config::read(&path, "desk").unwrap()).unwrap_err();
        assert!(error.to_string().contains(key), "{error}");
    }
}

use std::path::Path;

use kit::paper::Values as _;
use pipeline::{config::Config, graph::Graph, registry::Kinds};

use super::*;
use crate::{config::HarmonicaConfig, network::config::Scale};

/// The values of a profile, and the stages of its networks.
fn expanded(profile: &str) -> (Network, Graph) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let config = Config::read(&root.join("configs/harmonica.toml"), profile).unwrap();
    let values = HarmonicaConfig::read(&config).unwrap().network;
    let mut kinds = Kinds::default();
    kit::kinds(&mut kinds, &[]);
    crate::network::kinds(&mut kinds, &[]);
    let mut builder = Builder::new(&kinds);
    expand(&values, 1, &mut builder).unwrap();
    (values, builder.build().unwrap())
}

#[test]
fn every_training_is_asked_for_once() {
    for profile in ["smoke", "desk", "gpu", "paper"] {
        let (values, graph) = expanded(profile);
        let of = |kind: &str, within: &str| {
            let own = graph.order().iter().map(|&id| &graph[id]);
            own.filter(|n| n.kind.starts_with(kind) && n.name.contains(within)).count()
        };
        let replicates = values.replicates as usize;
        let stages = values.harmonica.stages;
        let (samples, after) = (values.harmonica.samples, values.after);
        let parts = |size: usize, scale: Scale| size.div_ceil(scale.per_stage);
        let sampling = stages * parts(samples, values.small);
        assert_eq!(of("harmonica/trial", "/sampling-"), replicates * sampling, "{profile}");
        let last = parts(after, values.small);
        assert_eq!(of("harmonica/trial", "/after/"), replicates * last, "{profile}");
        // Random search eight times as long continues where random search ends.
        let first = values.random.configurations;
        let more = parts(values.random.times.saturating_sub(1) * first, values.big);
        assert_eq!(of("harmonica/trial", "/random-"), replicates * more, "{profile}");
        let own = parts(first, values.big);
        assert_eq!(of("harmonica/trial", "/random/"), replicates * own, "{profile}");
        // Each variant has its own rounds after the shared stages.
        let rungs = halving_rounds(values.successive_halving(1)).unwrap().len();
        let variants = format!("/harmonica-{stages}/");
        assert_eq!(of("harmonica/ask", &variants), replicates * rungs, "{profile}");
        assert_eq!(of("harmonica/ask", "/gp-ei/"), replicates * values.gp_ei.trials);
    }
}

#[test]
fn the_papers_variants_are_all_there() {
    let (_, graph) = expanded("paper");
    for method in [
        "harmonica-1",
        "harmonica-2",
        "harmonica-3",
        "harmonica-1-random-search",
        "harmonica-2-random-search",
        "harmonica-2-long",
        "harmonica-3-long",
        "successive-halving",
        "hyperband",
        "random",
        "random-8x",
        "gp-ei",
        "hand-tuned",
        "transfer",
    ] {
        let within = format!("/{method}/");
        assert!(graph.order().iter().any(|&id| graph[id].name.contains(&within)), "{method}");
    }
}

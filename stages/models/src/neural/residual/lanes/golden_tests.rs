use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use serde_json::Value;

use super::{maps::LANES, network::Network, train::Learner, unit::Mode};
use crate::neural::residual::{Architecture, ResidualOptions};

const LABELS: [u8; 6] = [0, 1, 2, 3, 0, 1];

fn golden() -> Vec<Value> {
    let text = include_str!("../../../../../../tests/golden/residual.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = file["cases"].as_array().unwrap().clone();
    assert!(cases.len() >= 5, "cases are missing");
    cases
}

fn all_close(ours: &[f64], theirs: &Value, what: &str) {
    let mut flat = Vec::new();
    flatten(theirs, &mut flat);
    assert_eq!(ours.len(), flat.len(), "{what}");
    for (ours, theirs) in ours.iter().zip(flat) {
        assert!((ours - theirs).abs() <= 1e-11 * theirs.abs().max(1.0), "{what}: {ours} {theirs}");
    }
}

fn flatten(value: &Value, to: &mut Vec<f64>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| flatten(value, to)),
        number => to.push(number.as_f64().unwrap()),
    }
}

/// For each part of a flat vector: the sum of vᵢ cos i and the sum of squares.
fn summary(values: &[f64], sizes: &[usize]) -> Vec<f64> {
    let mut rest = values;
    let mut found = Vec::new();
    for &size in sizes {
        let (own, others) = rest.split_at(size);
        found.push(own.iter().enumerate().map(|(i, v)| v * (i as f64).cos()).sum());
        found.push(own.iter().map(|v| v * v).sum());
        rest = others;
    }
    assert!(rest.is_empty());
    found
}

fn learner(case: &Value) -> Learner<f64> {
    let options: ResidualOptions = serde_json::from_value(case["options"].clone()).unwrap();
    let widths = [0, 1, 2].map(|i| case["widths"][i].as_u64().unwrap() as usize);
    let depth = case["depth"].as_u64().unwrap() as usize;
    let architecture = Architecture { depth, widths, classes: 4 };
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    // More room than images, and more than one vector of it.
    let mut network = Network::new(&options, &architecture, (3, 8), LANES + 1, &mut rng);
    let wave = |k: usize, i: usize| 0.25 * (1.0 + 0.7 * k as f64 + 1.3 * i as f64).sin();
    let mut at = 0;
    for (k, &size) in network.sizes.iter().enumerate() {
        for (i, value) in network.weights[at..at + size].iter_mut().enumerate() {
            // Scales begin at 1, offsets at 0; of a convolution's weights none is exactly 1.
            let start = if *value == 1.0 { 1.0 } else { 0.0 };
            *value = start + wave(k, i);
        }
        at += size;
    }
    let before = network.sizes.len();
    for (b, link) in network.links.iter_mut().flatten().enumerate() {
        *link = 0.5 + wave(before + b, 0);
    }
    for image in 0..LABELS.len() {
        for value in 0..3 * 64 {
            let at = network.input.row(0, value / 64, value % 64 / 8) + value % 8;
            network.input.values[at].0[image] = (0.31 * (image * 3 * 64 + value) as f64).sin();
        }
    }
    let mut learner = Learner::new(&options, network);
    if options.tunes_links(0, 1) {
        learner.tune_links();
    }
    learner
}

fn logits(network: &Network<f64>) -> Vec<f64> {
    (0..LABELS.len()).flat_map(|image| network.logits(image)).collect()
}

fn summaries(network: &Network<f64>, weights: &[f64], links: Option<&[f64]>) -> Vec<f64> {
    let mut found = summary(weights, &network.sizes);
    if let Some(links) = links {
        found.extend(summary(links, &vec![1; links.len()]));
    }
    found
}

#[test]
fn outputs_and_gradients_are_pytorchs() {
    for case in golden() {
        let learner = learner(&case);
        let mut network = learner.network;
        let tuned = !case["options"]["link"]["tuned"].is_null();
        network.forward(LABELS.len(), Mode::Training(1.0), None);
        all_close(&logits(&network), &case["logits"], "logits");
        network.loss(&LABELS);
        network.backward(LABELS.len(), tuned);
        let links = tuned.then_some(&network.by_links[..]);
        let found = summaries(&network, &network.by_weights, links);
        all_close(&found, &case["gradients"], "gradients");
    }
}

#[test]
fn steps_and_statistics_are_pytorchs() {
    for case in golden() {
        let mut learner = learner(&case);
        for loss in case["losses"].as_array().unwrap() {
            let seen = learner.step(&LABELS, None);
            all_close(&[seen.loss], loss, "loss");
        }
        let mut network = learner.network;
        let tuned = !case["options"]["link"]["tuned"].is_null();
        let links = network.links.as_deref().filter(|_| tuned);
        let found = summaries(&network, &network.weights, links);
        all_close(&found, &case["parameters"], "parameters");
        network.forward(LABELS.len(), Mode::Testing, None);
        all_close(&logits(&network), &case["tested"], "outputs when testing");
    }
}

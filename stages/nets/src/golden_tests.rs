use models::neural::residual::{Architecture, ResidualOptions};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use serde_json::Value;
use tch::{Device, Kind, Reduction, Tensor};

use super::{
    block::Mode,
    learner::Learner,
    network::Network,
    parameters::{Parameters, Placement, gradients},
};

const PLACEMENT: Placement = Placement { device: Device::Cpu, kind: Kind::Double };

fn golden() -> Vec<Value> {
    let text = include_str!("../../../tests/golden/residual.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = file["cases"].as_array().unwrap().clone();
    assert!(cases.len() >= 5, "cases are missing");
    cases
}

fn close(ours: f64, theirs: f64, what: &str) {
    assert!((ours - theirs).abs() <= 1e-11 * theirs.abs().max(1.0), "{what}: {ours} {theirs}");
}

fn all_close(ours: &Tensor, theirs: &Value, what: &str) {
    let ours: Vec<f64> = ours.reshape([-1]).try_into().unwrap();
    let theirs = theirs.as_array().unwrap();
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (ours, theirs) in ours.iter().zip(theirs) {
        close(*ours, theirs.as_f64().unwrap(), what);
    }
}

/// For each part of flat vectors: the sum of vᵢ cos i and the sum of squares.
fn summary(vectors: &[(&Tensor, &Parameters)]) -> Tensor {
    let mut found: Vec<f64> = Vec::new();
    for (vector, parameters) in vectors {
        let all: Vec<f64> = (*vector).try_into().unwrap();
        let mut rest = all.as_slice();
        for part in &parameters.parts {
            let (own, others) = rest.split_at(part.numel());
            found.push(own.iter().enumerate().map(|(i, v)| v * (i as f64).cos()).sum());
            found.push(own.iter().map(|v| v * v).sum());
            rest = others;
        }
    }
    Tensor::from_slice(&found)
}

/// Value i of parameter k: its initial value plus a wave.
fn fill(parameters: &mut Parameters, before: usize) {
    let mut values = Vec::new();
    for (k, part) in parameters.parts.iter().enumerate() {
        let start = match part.dim() {
            0 => 0.5,
            // Scales begin at 1, biases at 0.
            1 => part.double_value(&[0]),
            _ => 0.0,
        };
        let wave = |i: usize| (1.0 + 0.7 * (k + before) as f64 + 1.3 * i as f64).sin();
        values.extend((0..part.numel()).map(|i| start + 0.25 * wave(i)));
    }
    parameters.flat.copy_(&Tensor::from_slice(&values));
}

fn learner(case: &Value) -> Learner {
    let options: ResidualOptions = serde_json::from_value(case["options"].clone()).unwrap();
    let widths = [0, 1, 2].map(|i| case["widths"][i].as_u64().unwrap() as usize);
    let depth = case["depth"].as_u64().unwrap() as usize;
    let architecture = Architecture { depth, widths, classes: 4 };
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let mut network = Network::new(&options, &architecture, 3, PLACEMENT, &mut rng).unwrap();
    fill(&mut network.weights, 0);
    let before = network.weights.parts.len();
    if let Some(links) = &mut network.links {
        fill(links, before);
    }
    let mut learner = Learner::new(&options, network).unwrap();
    if options.tunes_links(0, 1) {
        learner.tune_links().unwrap();
    }
    learner
}

fn batch() -> (Tensor, Tensor) {
    let pixels: Vec<f64> = (0..6 * 3 * 64).map(|i| (0.31 * f64::from(i)).sin()).collect();
    let labels: Vec<i64> = (0..6).map(|j| j % 4).collect();
    (Tensor::from_slice(&pixels).view([6, 3, 8, 8]), Tensor::from_slice(&labels))
}

#[test]
fn outputs_and_gradients_are_pytorchs() {
    let (x, y) = batch();
    for case in golden() {
        let learner = learner(&case);
        let mode = Mode::Training { share: 1.0, masks: None };
        let logits = learner.network.forward(&x, mode).unwrap();
        all_close(&logits, &case["logits"], "logits");
        let loss = logits.cross_entropy_loss::<&Tensor>(&y, None, Reduction::Mean, -100, 0.0);
        let Network { weights, links, .. } = &learner.network;
        let tuned = links.as_ref().filter(|links| links.parts[0].requires_grad());
        let of: Vec<&Parameters> = std::iter::once(weights).chain(tuned).collect();
        let found = gradients(&loss, &of).unwrap();
        let pairs: Vec<_> = found.iter().zip(of).collect();
        let expected: Vec<Value> = flat(&case["gradients"]);
        all_close(&summary(&pairs), &expected.into(), "gradients");
    }
}

#[test]
fn steps_and_statistics_are_pytorchs() {
    let (x, y) = batch();
    for case in golden() {
        let mut learner = learner(&case);
        for loss in case["losses"].as_array().unwrap() {
            let step = learner.next();
            let gradients = learner.gradients((&x, &y), None, step).unwrap();
            let ours = gradients.loss.double_value(&[]);
            learner.update(gradients).unwrap();
            close(ours, loss.as_f64().unwrap(), "loss");
        }
        let Network { weights, links, .. } = &learner.network;
        let tuned = links.as_ref().filter(|links| links.parts[0].requires_grad());
        let pairs: Vec<_> =
            std::iter::once(weights).chain(tuned).map(|group| (&group.flat, group)).collect();
        let expected: Vec<Value> = flat(&case["parameters"]);
        all_close(&summary(&pairs), &expected.into(), "parameters");
        let tested = tch::no_grad(|| learner.network.forward(&x, Mode::Testing).unwrap());
        all_close(&tested, &case["tested"], "outputs when testing");
    }
}

fn flat(pairs: &Value) -> Vec<Value> {
    pairs.as_array().unwrap().iter().flat_map(|pair| pair.as_array().unwrap().clone()).collect()
}

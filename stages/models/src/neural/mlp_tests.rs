use rand_chacha::rand_core::SeedableRng as _;

use super::*;

/// Rows x[i][j] = sin(0.31 (7i + 13j)).
fn waves(n: usize, d: usize) -> Vec<f64> {
    (0..n * d).map(|k| ((k / d * 7 + k % d * 13) as f64 * 0.31).sin()).collect()
}

fn labels(n: usize, classes: u32) -> Vec<u32> {
    (0..n as u32).map(|i| (i * i + i / 3) % classes).collect()
}

fn network(d: usize, classes: usize, settings: MlpSettings, seed: u64) -> Mlp<f64> {
    let mut net = Mlp::new(d, classes, settings, &mut ChaCha12Rng::seed_from_u64(seed));
    // Most units are active.
    net.layers[0].offsets_mut().fill(0.21);
    net
}

/// The mean cross-entropy of a loaded batch.
fn loss(layers: &[Layer<f64>; 2], batch: &mut Batch<f64>, labels: &[u32]) -> f64 {
    forward(layers, batch);
    let one = |(s, &label): (usize, &u32)| {
        let score = |c: usize| batch.score(s, c);
        let sum: f64 = (0..layers[1].outputs()).map(|c| score(c).exp()).sum();
        sum.ln() - score(label as usize)
    };
    labels.iter().enumerate().map(one).sum::<f64>() / labels.len() as f64
}

#[test]
fn steps_agree_with_finite_differences() {
    for (n, d, neurons, classes, dropout) in
        [(1, 3, 1, 2, 0.0), (5, 6, 33, 3, 0.0), (9, 5, 7, 4, 0.5), (4, 8, 40, 35, 0.3)]
    {
        let settings = MlpSettings::new(neurons, dropout, n, 1.0, 0.0).unwrap();
        let net = network(d, classes, settings, n as u64);
        let (x, y) = (waves(n, d), labels(n, classes as u32));
        let mut batch = Batch::new();
        batch.load(&x, d, &(0..n as u32).collect::<Vec<_>>());
        batch.labels.clone_from(&y);
        net.draw_mask(&mut batch, &mut ChaCha12Rng::seed_from_u64(2));
        assert_eq!(batch.mask.contains(&0.0), dropout > 0.0);
        let mut moved = net.layers.clone();
        step(&mut moved, &mut batch, 1.0, 0.0);
        let h = 1e-6;
        let mut largest: f64 = 0.0;
        for l in 0..2 {
            let (inputs, outputs) = (net.layers[l].inputs(), net.layers[l].outputs());
            // The row after the last holds the offsets.
            for (i, o) in (0..=inputs).flat_map(|i| (0..outputs).map(move |o| (i, o))) {
                let get = |layer: &Layer<f64>| {
                    if i == inputs { layer.offsets()[o] } else { layer.weight(i, o) }
                };
                let mut at = |value| {
                    let mut layers = net.layers.clone();
                    if i == inputs {
                        layers[l].offsets_mut()[o] = value;
                    } else {
                        layers[l].set_weight(i, o, value);
                    }
                    loss(&layers, &mut batch, &y)
                };
                let here = get(&net.layers[l]);
                let numeric = (at(here + h) - at(here - h)) / (2.0 * h);
                let gradient = here - get(&moved[l]);
                assert!((gradient - numeric).abs() < 2e-8, "{l} {i} {o}: {gradient} {numeric}");
                largest = largest.max(gradient.abs());
            }
        }
        assert!(largest > 1e-2, "nothing was compared");
    }
}

#[test]
fn an_epoch_is_steps_with_momentum_over_consecutive_batches() {
    // Equal rows: their order does not matter, only the batch size.
    let (d, n) = (6, 11);
    let x: Vec<f64> = (0..n).flat_map(|_| waves(1, d)).collect();
    let y = vec![1; n];
    let settings = MlpSettings::new(5, 0.0, 4, 0.1, 0.9).unwrap();
    let mut net = network(d, 3, settings, 4);
    let mut plain = net.layers.clone();
    net.train(&x, &y, 2, &mut ChaCha12Rng::seed_from_u64(1));
    let mut batch = Batch::new();
    for rows in [4, 4, 3, 4, 4, 3] {
        batch.load(&x, d, &vec![0; rows]);
        batch.labels = vec![1; rows];
        step(&mut plain, &mut batch, 0.1, 0.9);
    }
    assert_eq!(net.layers, plain);
    assert_eq!(net.visits(), 22);
}

#[test]
fn a_separable_problem_is_learned_and_runs_repeat_to_the_bit() {
    let d = 6;
    let x: Vec<f32> = waves(600, d).into_iter().map(|v| v as f32).collect();
    let class = |row: &[f32]| u32::from(row[0] + row[2] > 0.0) + u32::from(row[1] > 0.5);
    let y: Vec<u32> = x.chunks_exact(d).map(class).collect();
    let run = |seed| {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let settings = MlpSettings::new(40, 0.1, 20, 0.05, 0.9).unwrap();
        let mut net = Mlp::<f32>::new(d, 3, settings, &mut rng);
        net.train(&x, &y, 40, &mut rng);
        net
    };
    let net = run(1);
    let wrong = net.classify(&x).iter().zip(&y).filter(|(a, b)| a != b).count();
    assert!(wrong < 30, "{wrong} of 600");
    assert_eq!(net, run(1));
    assert_ne!(net, run(2));
}

#[test]
fn a_diverging_training_ends_and_says_so() {
    let (x, y) = (waves(50, 4).into_iter().map(|v| v as f32).collect::<Vec<_>>(), labels(50, 3));
    let mut rng = ChaCha12Rng::seed_from_u64(3);
    let settings = MlpSettings::new(8, 0.0, 10, 1e30, 0.9).unwrap();
    let mut net = Mlp::<f32>::new(4, 3, settings, &mut rng);
    assert!(net.is_finite());
    net.train(&x, &y, 100, &mut rng);
    assert!(!net.is_finite() && net.visits() < 5000);
}

#[test]
fn settings_out_of_range_are_refused() {
    assert!(MlpSettings::new(8, 0.0, 10, 0.1, 0.0).is_ok());
    for bad in [-0.1, 1.0, f64::NAN] {
        assert!(MlpSettings::new(8, bad, 10, 0.1, 0.0).is_err());
        assert!(MlpSettings::new(8, 0.0, 10, 0.1, bad).is_err());
    }
    for bad in [0.0, f64::NAN, f64::INFINITY] {
        assert!(MlpSettings::new(8, 0.0, 10, bad, 0.0).is_err());
    }
    assert!(MlpSettings::new(0, 0.0, 10, 0.1, 0.0).is_err());
    assert!(MlpSettings::new(8, 0.0, 0, 0.1, 0.0).is_err());
}

use ndarray::Array2;
use rand::RngExt as _;
use rand_chacha::rand_core::SeedableRng as _;

use super::*;

fn settings() -> GpEiSettings {
    GpEiSettings { grid: 500, refined: 4, burn_in: 20, samples: 4, ..GpEiSettings::default() }
}

fn drive(
    tuner: &mut GpEi,
    evaluations: usize,
    rng: &mut ChaCha12Rng,
    value: impl Fn(&[f64]) -> f64,
) -> Vec<(Vec<f64>, f64)> {
    let mut seen = Vec::new();
    for _ in 0..evaluations {
        let suggestion = tuner.ask(rng).unwrap();
        let value = value(&suggestion.config);
        seen.push((suggestion.config.clone(), value));
        tuner.tell(Trial { suggestion, value });
    }
    seen
}

#[test]
fn finds_the_bottom_of_a_bowl_on_any_scale_of_losses() {
    for scale in [1e-6, 1.0, 1e6] {
        let mut rng = ChaCha12Rng::seed_from_u64(8);
        let bounds = Bounds::new(vec![-3.0, -2.0], vec![2.0, 4.0]).unwrap();
        let mut tuner = GpEi::new(bounds, settings()).unwrap();
        let bowl = |x: &[f64]| scale * ((x[0] - 0.7).powi(2) + 2.0 * (x[1] + 1.1).powi(2));
        let seen = drive(&mut tuner, 25, &mut rng, bowl);
        let best = seen.iter().map(|(_, v)| v / scale).fold(f64::INFINITY, f64::min);
        assert!(best < 2e-3, "{best}");
    }
}

#[test]
fn the_logarithm_of_the_mean_improvement_and_its_gradient() {
    let mut rng = ChaCha12Rng::seed_from_u64(9);
    let points = Array2::from_shape_fn((15, 3), |_| rng.random::<f64>());
    let targets = points.rows().into_iter().map(|x| (6.0 * x[0]).sin() + x[1]).collect();
    let observed = Observed { points, targets };
    let hypers = sample(&observed, Priors::default(), Hyper::start(&observed), (5, 4), &mut rng);
    let processes: Vec<Posterior> =
        hypers.iter().map(|h| Posterior::new(&observed, h).unwrap()).collect();
    let cube = Bounds::new(vec![0.0; 3], vec![1.0; 3]).unwrap();
    let search = Search { processes: &processes, best: -0.5, cube: &cube };
    let all: Vec<Vec<f64>> = (0..70).map(|_| (0..3).map(|_| rng.random()).collect()).collect();
    let (first, second) = (Points::new(&all[..40]), Points::new(&all[40..]));
    // Blocks give the same ranking as single points.
    let mut expected: Vec<(f64, &Vec<f64>)> = all.iter().map(|x| (search.at(x).0, x)).collect();
    expected.sort_by(|a, b| b.0.total_cmp(&a.0));
    let found = search.best_of(&[&first, &second], 6);
    assert_eq!(found.len(), 6);
    for ((value, x), (wanted, at)) in found.iter().zip(&expected) {
        assert_eq!(x, *at);
        assert!((value - wanted).abs() < 1e-9 * wanted.abs());
    }
    let at = expected[3].1;
    let (_, gradient) = search.at(at);
    for i in 0..3 {
        let shifted = |h: f64| {
            let mut x = at.clone();
            x[i] += h;
            search.at(&x).0
        };
        let difference = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
        let scale = 1.0 + difference.abs();
        assert!((gradient[i] - difference).abs() < 1e-7 * scale, "{} {difference}", gradient[i]);
    }
    // A local search increases the value, and stays in the cube.
    let refined = search.refine(found.clone(), 30).unwrap();
    assert!(search.at(&refined).0 > found[0].0 && cube.contains(&refined));
}

#[test]
fn pending_suggestions_are_not_made_again() {
    let mut rng = ChaCha12Rng::seed_from_u64(10);
    let bounds = Bounds::new(vec![0.0], vec![1.0]).unwrap();
    let mut tuner = GpEi::new(bounds, settings()).unwrap();
    drive(&mut tuner, 8, &mut rng, |x| (9.0 * x[0]).sin());
    let batch: Vec<f64> = (0..4).map(|_| tuner.ask(&mut rng).unwrap().config[0]).collect();
    for (i, a) in batch.iter().enumerate() {
        assert!(batch[..i].iter().all(|b| (a - b).abs() > 1e-4), "{batch:?}");
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let refused = |s: GpEiSettings| GpEi::new(Bounds::cube(2, 1.0).unwrap(), s).is_err();
    let good = GpEiSettings::default();
    assert!(!refused(good));
    assert!(refused(GpEiSettings { samples: 0, ..good }));
    assert!(refused(GpEiSettings { grid: 70_000, ..good }));
    assert!(refused(GpEiSettings { starts: 0, ..good }));
    assert!(refused(GpEiSettings { spray: f64::NAN, ..good }));
    let priors = Priors { longest: -1.0, ..good.priors };
    assert!(refused(GpEiSettings { priors, ..good }));
}

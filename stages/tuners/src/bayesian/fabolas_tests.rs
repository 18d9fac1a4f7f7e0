use numerics::space::Bounds;
use rand_chacha::rand_core::SeedableRng as _;

use super::*;

fn quick() -> FabolasSettings {
    FabolasSettings {
        starts: 6,
        burn_in: 10,
        chain: 4,
        processes: 2,
        representers: 20,
        functions: 60,
        innovations: 50,
        candidates: 60,
        ..FabolasSettings::default()
    }
}

fn square() -> Space {
    Bounds::new(vec![0.0; 2], vec![1.0; 2]).unwrap().into()
}

/// An error that decreases with the share, and whose minimiser moves little with it.
fn error(x: &[f64], divisor: u64) -> f64 {
    let t = 1.0 - (divisor as f64).log2() / 8.0;
    let bowl = (x[0] - 0.3 - 0.1 * (1.0 - t)).powi(2) + (x[1] - 0.7).powi(2);
    0.02 + 0.5 * bowl + 0.2 * (1.0 - t) * (1.0 - t)
}

/// The suggested divisors, and the recommendation after `evaluations`. A full evaluation costs 1.
fn run(settings: FabolasSettings, seed: u64, evaluations: usize) -> (Vec<u64>, Vec<f64>, f64) {
    let mut tuner = Fabolas::new(square(), settings).unwrap();
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let (mut divisors, mut cost) = (Vec::new(), 0.0);
    for _ in 0..evaluations {
        let suggestion = tuner.ask(&mut rng).unwrap();
        let Fidelity::Part { divisor } = suggestion.fidelity else { panic!("no share") };
        let value = error(&suggestion.config, divisor);
        divisors.push(divisor);
        cost += 1.0 / divisor as f64;
        tuner.spent(suggestion.id, 1.0 / divisor as f64);
        tuner.tell(Trial { suggestion, value });
    }
    (divisors, tuner.recommend(&mut rng).unwrap(), cost)
}

#[test]
fn first_points_meet_all_first_shares() {
    let (divisors, ..) = run(quick(), 1, 20);
    let first: Vec<u64> = (0..6).flat_map(|_| [256, 128, 64]).collect();
    assert_eq!(divisors[..18], first);
    let mut rng = ChaCha12Rng::seed_from_u64(2);
    let points = latin_hypercube(7, 3, &mut rng);
    for j in 0..3 {
        let mut cells: Vec<usize> = points.iter().map(|p| (p[j] * 7.0) as usize).collect();
        cells.sort_unstable();
        assert_eq!(cells, [0, 1, 2, 3, 4, 5, 6]);
    }
}

/// For less than the cost of eight full evaluations it recommends a point that is better than the best of
/// eight random ones more often than by chance, which would be one in nine.
#[test]
fn cheap_evaluations_lead_to_the_minimum_on_the_whole() {
    let mut rng = ChaCha12Rng::seed_from_u64(3);
    let mut wins = 0;
    for seed in 0..10 {
        let (_, config, cost) = run(quick(), seed, 40);
        assert!(cost < 8.0, "{cost}");
        let found = error(&config, 1);
        let random = (0..8).map(|_| error(&square().draw(&mut rng), 1));
        wins += u32::from(found < random.fold(f64::INFINITY, f64::min));
    }
    // By chance 5 or more of 10 with probability 0.003.
    assert!(wins >= 5, "{wins}");
}

#[test]
fn shares_are_on_a_logarithmic_scale_and_one_over_a_whole_number() {
    let tuner = Fabolas::new(square(), quick()).unwrap();
    for divisor in [1, 2, 3, 17, 64, 255, 256] {
        assert_eq!(tuner.divisor(tuner.share(divisor)), divisor);
    }
    assert_eq!((tuner.share(256), tuner.share(16), tuner.share(1)), (0.0, 0.5, 1.0));
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    for (key, settings) in [
        ("starts", FabolasSettings { starts: 0, ..quick() }),
        ("representers", FabolasSettings { representers: 1, ..quick() }),
        ("chain", FabolasSettings { chain: 1, ..quick() }),
        ("overhead", FabolasSettings { overhead: f64::NAN, ..quick() }),
        ("smallest", FabolasSettings { smallest: 1, ..quick() }),
        ("divisors", FabolasSettings { divisors: [512, 2, 1], ..quick() }),
    ] {
        let error = Fabolas::new(square(), settings).unwrap_err().to_string();
        assert!(error.starts_with(key), "{error}");
    }
}

use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use numerics::space::{Bounds, Parameter};

fn mixed() -> Turbo {
    let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
    let real = Domain::Float { low: -1.0, high: 1.0, log: false };
    let space = Space::new(vec![
        parameter("a", real),
        parameter("kind", Domain::Categorical { choices: 3 }),
        parameter("b", real),
    ]);
    Turbo::new(space.unwrap(), TurboSettings::default()).unwrap()
}

/// The box has the volume of a cube and the proportions of the length scales.
#[test]
fn sides_are_in_proportion_to_length_scales() {
    let sides = mixed().sides(0.4, &[0.2, 9.0, 9.0, 9.0, 0.8]);
    assert_eq!(sides[1], 1.0);
    assert!((sides[0] - 0.2).abs() < 1e-12 && (sides[2] - 0.8).abs() < 1e-12, "{sides:?}");
}

#[test]
fn candidates_lie_in_the_box_and_differ_from_its_centre() {
    let (tuner, mut rng) = (mixed(), ChaCha12Rng::seed_from_u64(1));
    let (centre, sides) = ([0.9, 0.5, 0.3], [0.4, 1.0, 0.2]);
    let mut kinds = [0; 3];
    for _ in 0..600 {
        let found = tuner.candidate(&centre, &sides, &mut rng);
        assert!((0.7..=1.0).contains(&found[0]) && (0.2..=0.4).contains(&found[2]), "{found:?}");
        assert_ne!(found, centre);
        kinds[(found[1] * 3.0) as usize] += 1;
    }
    assert!(kinds.iter().all(|n| *n > 150), "{kinds:?}");
}

/// In a hundred dimensions a candidate differs in about 20 of them, and in one at least.
#[test]
fn few_coordinates_of_many_are_perturbed() {
    let wide = |perturbed| {
        let settings = TurboSettings { perturbed, ..TurboSettings::default() };
        let tuner = Turbo::new(Bounds::cube(100, 1.0).unwrap(), settings).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let centre = [0.5; 100];
        let changed = |_| {
            let found = tuner.candidate(&centre, &[0.5; 100], &mut rng);
            found.iter().filter(|x| **x != 0.5).count()
        };
        (0..200).map(changed).collect::<Vec<usize>>()
    };
    let mean = wide(20.0).iter().sum::<usize>() as f64 / 200.0;
    // The mean of 200 binomial numbers with deviation 4.
    assert!((mean - 20.0).abs() < 1.2, "{mean}");
    assert!(wide(1e-9).iter().all(|n| *n == 1));
}

/// Where nothing improves, the region is given up after seven halvings, and a new one begins with Sobol points.
#[test]
fn a_region_without_success_is_followed_by_another() {
    let bounds = Bounds::cube(2, 1.0).unwrap();
    let settings = TurboSettings { candidates: Some(20), ..TurboSettings::default() };
    let (mut tuner, mut rng) =
        (Turbo::new(bounds, settings).unwrap(), ChaCha12Rng::seed_from_u64(3));
    // Four points to begin with, and seven times four failures.
    for id in 0..36 {
        let suggestion = tuner.ask(&mut rng).unwrap();
        assert_eq!((suggestion.id, tuner.first), (id, if id < 32 { 0 } else { 32 }));
        if id >= 32 {
            let sequence = tuner.sequence.unwrap();
            let expected = tuner.space.from_unit(&sequence.point(id, 2, &mut rng));
            assert_eq!(suggestion.config, expected);
        }
        let value = if id == 0 { 0.0 } else { 1.0 };
        tuner.tell(Trial { suggestion, value });
    }
}

/// Close to the end the box is small: what is found is nearer to the bottom than any of as many random points.
#[test]
fn it_finds_the_bottom_of_a_narrow_valley() {
    let bounds = Bounds::cube(4, 1.0).unwrap();
    let mut tuner = Turbo::new(bounds, TurboSettings::default()).unwrap();
    let mut rng = ChaCha12Rng::seed_from_u64(4);
    let valley = |x: &[f64]| (x[0] - x[1]).powi(2) * 20.0 + x.iter().map(|v| v * v).sum::<f64>();
    let found = crate::minimise::minimise(&mut tuner, 60, &mut rng, |s| valley(&s.config));
    assert!(found.best().unwrap().value < 0.02, "{:?}", found.best());
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let refused = |change: fn(&mut TurboSettings)| {
        let mut settings = TurboSettings::default();
        change(&mut settings);
        Turbo::new(Bounds::cube(2, 1.0).unwrap(), settings).unwrap_err().to_string()
    };
    assert!(refused(|s| s.starts = Some(0)).starts_with("starts = 0"));
    assert!(refused(|s| s.candidates = Some(0)).starts_with("candidates = 0"));
    assert!(refused(|s| s.perturbed = f64::NAN).starts_with("perturbed = NaN"));
    assert!(refused(|s| s.region.least = 0.0).starts_with("region.least = 0"));
    assert!(refused(|s| s.region.start = 1e-3).starts_with("region.start = 0.001"));
    assert!(refused(|s| s.region.most = f64::INFINITY).starts_with("region.most = inf"));
    assert!(refused(|s| s.region.failures = Some(0)).starts_with("region.failures = 0"));
}

use std::sync::{Arc, Mutex};

use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use models::polynomial::sparse_parity::Term;
use numerics::space::Parameter;

fn binary(variables: usize) -> Space {
    let parameter =
        |i| Parameter { name: format!("b{i}"), domain: Domain::Categorical { choices: 2 } };
    Space::new((0..variables).map(parameter).collect()).unwrap()
}

fn settings() -> HarmonicaSettings {
    HarmonicaSettings { samples: 120, features: 3, stages: 2, ..HarmonicaSettings::default() }
}

fn polynomial(terms: &[(f64, &[usize])]) -> Polynomial {
    let term = |(weight, m): &(f64, &[usize])| Term { monomial: m.to_vec(), weight: *weight };
    Polynomial { terms: terms.iter().map(term).collect() }
}

/// Three heavy parities, then three light ones over other variables and two of the earlier variables.
fn planted() -> (Polynomial, Polynomial) {
    let heavy = polynomial(&[(8.0, &[0, 3]), (-7.0, &[5]), (6.0, &[1, 7, 9])]);
    let light = polynomial(&[(0.5, &[2, 4]), (-0.4, &[10]), (0.3, &[6, 8, 11])]);
    (heavy, light)
}

fn minus(config: &[f64]) -> Vec<bool> {
    config.iter().map(|&v| v == 1.0).collect()
}

/// Asks and tells some evaluations, and returns their configurations as signs.
fn drive(
    tuner: &mut Harmonica,
    evaluations: usize,
    seed: u64,
    f: impl Fn(&[bool]) -> f64,
) -> Vec<Vec<bool>> {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let mut seen = Vec::new();
    for _ in 0..evaluations {
        let suggestion = tuner.ask(&mut rng).unwrap();
        let signs = minus(&suggestion.config);
        tuner.tell(Trial { value: f(&signs), suggestion });
        seen.push(signs);
    }
    seen
}

#[test]
fn stages_fix_exactly_the_variables_of_their_features() {
    let (heavy, light) = planted();
    for seed in 0..5 {
        for residual in [Residual::Restricted, Residual::Subtracted] {
            let mut tuner =
                Harmonica::new(binary(14), HarmonicaSettings { residual, ..settings() }).unwrap();
            let f = |x: &[bool]| 100.0 + heavy.value(x) + light.value(x);
            let seen = drive(&mut tuner, 400, seed, f);
            let found = tuner.restrictions();
            assert_eq!(found.len(), 2);
            assert_eq!(found[0].variables, heavy.variables(), "seed {seed}");
            assert_eq!(found[1].variables, light.variables(), "seed {seed}, {residual:?}");
            let monomials = |g: &Polynomial| -> Vec<Vec<usize>> {
                g.terms.iter().map(|t| t.monomial.clone()).collect()
            };
            assert_eq!(monomials(&found[0].polynomial), monomials(&heavy));
            assert_eq!(monomials(&found[1].polynomial), monomials(&light));
            for (stage, later) in found.iter().zip([&seen[120..], &seen[240..]]) {
                assert_eq!(stage.codes.len(), 4);
                let code = |x: &Vec<bool>| -> u32 {
                    stage.variables.iter().enumerate().map(|(j, &v)| u32::from(x[v]) << j).sum()
                };
                assert!(later.iter().all(|x| stage.codes.contains(&code(x))));
                // Each of the t assignments is drawn.
                assert!(stage.codes.iter().all(|c| later.iter().any(|x| code(x) == *c)));
            }
            for free in [12, 13] {
                let count = seen[240..].iter().filter(|x| x[free]).count();
                // Binomial with standard deviation 6.3.
                assert!((45..115).contains(&count), "{count} of 160");
            }
            assert!(seen[240..].iter().all(|x| heavy.value(x) == -21.0));
        }
    }
}

/// All assignments of the first stage's variables are kept, so that its features keep varying: only with
/// these removed do the light ones stand out.
#[test]
fn residuals_differ_by_the_earlier_polynomials() {
    let (heavy, light) = planted();
    let weights = |residual| {
        let penalty = Penalty::Absolute { alpha: 0.05 };
        let settings = HarmonicaSettings { residual, penalty, restrictions: 64, ..settings() };
        let mut tuner = Harmonica::new(binary(14), settings).unwrap();
        drive(&mut tuner, 240, 3, |x| heavy.value(x) + light.value(x));
        let found = tuner.restrictions();
        let value = |x: &[bool]| found[0].polynomial.value(x);
        (value(&[false; 14]), found[1].polynomial.clone())
    };
    let (restricted, subtracted) = (weights(Residual::Restricted), weights(Residual::Subtracted));
    assert_eq!(restricted.0, subtracted.0);
    assert_eq!(subtracted.1.variables(), light.variables());
    assert_ne!(restricted.1, subtracted.1);
}

#[test]
fn nothing_is_fixed_where_nothing_can_be_learnt() {
    for value in [3.0, f64::NAN, f64::INFINITY] {
        let mut tuner = Harmonica::new(binary(6), settings()).unwrap();
        drive(&mut tuner, 300, 1, |_| value);
        assert!(tuner.restrictions().is_empty());
    }
}

#[test]
fn a_stage_waits_for_its_samples() {
    let mut tuner = Harmonica::new(binary(6), settings()).unwrap();
    let mut rng = ChaCha12Rng::seed_from_u64(2);
    let all: Vec<_> = std::iter::from_fn(|| tuner.ask(&mut rng)).collect();
    assert_eq!(all.len(), 120);
    for suggestion in all {
        tuner.tell(Trial { value: suggestion.config[0], suggestion });
    }
    assert_eq!(tuner.restrictions()[0].variables, [0]);
    assert!(tuner.ask(&mut rng).is_some());
}

/// A base tuner that always suggests all plus signs, and keeps what it is told.
mod recorder {
    use super::*;

    pub struct Recorder(pub Arc<Mutex<Vec<Trial>>>);

    impl Recorder {
        pub fn suggestion() -> Suggestion {
            Suggestion { id: 77, config: vec![0.0; 6], fidelity: Fidelity::Part { divisor: 9 } }
        }
    }

    impl Tuner for Recorder {
        fn ask(&mut self, _rng: &mut ChaCha12Rng) -> Option<Suggestion> {
            Some(Self::suggestion())
        }

        fn tell(&mut self, trial: Trial) {
            self.0.lock().unwrap().push(trial);
        }
    }
}

use recorder::Recorder;

#[test]
fn the_base_tuner_sees_the_restricted_function() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let base = Box::new(Recorder(Arc::clone(&told)));
    let settings = HarmonicaSettings { stages: 1, ..settings() };
    let mut tuner = Harmonica::with_base(binary(6), settings, base).unwrap();
    // The lowest assignments have x2 = -1, and x4 different from x5.
    let f = |x: &[bool]| polynomial(&[(2.0, &[2]), (1.0, &[4, 5])]).value(x);
    drive(&mut tuner, 120, 5, f);
    assert_eq!(tuner.restrictions()[0].variables, [2, 4, 5]);
    let mut rng = ChaCha12Rng::seed_from_u64(6);
    let first = tuner.ask(&mut rng).unwrap();
    let second = tuner.ask(&mut rng).unwrap();
    assert_eq!((first.id, second.id), (120, 121));
    assert_eq!(first.fidelity, Fidelity::Part { divisor: 9 });
    assert_eq!(first.config, second.config);
    // Only restricted variables were changed.
    assert_eq!((first.config[0], first.config[1], first.config[3]), (0.0, 0.0, 0.0));
    tuner.tell(Trial { suggestion: second, value: 5.0 });
    assert_eq!(*told.lock().unwrap(), [Trial { suggestion: Recorder::suggestion(), value: 5.0 }]);
}

#[test]
fn digits_keep_every_place_of_a_mixed_space() {
    let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
    let space = Space::new(vec![
        parameter("rate", Domain::Float { low: 1e-4, high: 1.0, log: true }),
        parameter("units", Domain::Int { low: -3, high: 46, log: false }),
        parameter("few", Domain::Int { low: 0, high: 2, log: false }),
        parameter("kind", Domain::Categorical { choices: 5 }),
        parameter("one", Domain::Categorical { choices: 1 }),
        parameter("two", Domain::Categorical { choices: 2 }),
    ])
    .unwrap();
    let tuner = Harmonica::new(space.clone(), HarmonicaSettings::default()).unwrap();
    assert_eq!(tuner.digits, [3, 3, 2, 3, 0, 1]);
    let mut rng = ChaCha12Rng::seed_from_u64(8);
    for _ in 0..200 {
        let unit = space.draw_unit(&mut rng);
        let encoded = tuner.encode(&unit);
        assert_eq!(encoded.minus.len(), 12);
        assert_eq!(tuner.config(&encoded), space.from_unit(&unit));
    }
    let ends = tuner.encode(&[1.0; 6]);
    assert!(space.contains(&tuner.config(&ends)) && ends.minus.iter().all(|m| *m));
    // The first digit selects the half of the interval.
    let encoded = tuner.encode(&[0.6, 0.2, 0.5, 0.9, 0.3, 0.7]);
    assert_eq!(encoded.minus[..6], [true, false, false, false, false, true]);
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let fine = HarmonicaSettings::default();
    for (bad, key) in [
        (HarmonicaSettings { samples: 0, ..fine }, "samples"),
        (HarmonicaSettings { restrictions: 0, ..fine }, "restrictions"),
        (HarmonicaSettings { features: 9, ..fine }, "features"),
        (HarmonicaSettings { degree: 0, ..fine }, "degree"),
        (HarmonicaSettings { digits: 17, ..fine }, "digits"),
        (HarmonicaSettings { penalty: Penalty::Share { share: f64::NAN }, ..fine }, "penalty"),
        (HarmonicaSettings { penalty: Penalty::Absolute { alpha: 0.0 }, ..fine }, "penalty"),
        (HarmonicaSettings { degree: 12, features: 2, ..fine }, "degree"),
    ] {
        let error = Harmonica::new(binary(400), bad).err().unwrap().to_string();
        assert!(error.starts_with(key), "{error}");
    }
}

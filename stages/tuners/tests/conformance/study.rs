//! Every tuner in a study: the same trials at any number of workers and any order of telling, also after interruptions;
//! and spaces at the edges of what is allowed.

use numerics::space::{Domain, Parameter, Space};
use rand::RngExt as _;
use tuners::study::{Answer, Assignment, Mode, Settings, Study};

use super::*;

/// How many trials are compared: more than the first configurations of every tuner.
const TRIALS: u64 = 40;

fn settings(mode: Mode) -> Settings {
    Settings { seed: 3, mode, ..Settings::default() }
}

/// Coarse, so that there are ties; some fail.
fn loss(trial: &Assignment) -> f64 {
    let failed = trial.config()[3] == 1.0 && trial.config()[0] > 1.0;
    if failed { f64::NAN } else { (evaluate(&trial.suggestion) * 40.0).round() }
}

/// The first trials of a study that is asked, told and given back at random, by up to `workers`.
fn at_random(study: &mut Study, workers: usize, seed: u64) -> Vec<Suggestion> {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let mut out: Vec<Assignment> = Vec::new();
    loop {
        let mut waits = true;
        if out.len() < workers {
            match study.ask_below(TRIALS).unwrap() {
                Answer::Trial(trial) => {
                    out.push(trial);
                    waits = false;
                }
                Answer::Wait => assert!(!out.is_empty(), "it waits for nobody"),
                Answer::Done if out.is_empty() => break,
                Answer::Done => {}
            }
        }
        if !out.is_empty() && (waits || rng.random::<f64>() < 0.3) {
            let trial = out.swap_remove((rng.random::<f64>() * out.len() as f64) as usize);
            if rng.random::<f64>() < 0.1 {
                study.give_back(trial.id()).unwrap();
            } else {
                study.tell(trial.id(), loss(&trial)).unwrap();
            }
        }
    }
    trials(study)
}

fn trials(study: &Study) -> Vec<Suggestion> {
    let suggestions = study.trials().iter().map(|record| record.suggestion.clone());
    suggestions.take(TRIALS as usize).collect()
}

#[test]
fn rounds_are_the_same_for_any_workers_and_any_order() {
    for (name, method) in methods() {
        let study = || Study::new(space(), method, settings(Mode::Rounds { size: 5 })).unwrap();
        let mut one = study();
        one.run(TRIALS, 1, loss).unwrap();
        let expected = trials(&one);
        assert!(expected.len() >= 35, "{name} asked {} times", expected.len());
        for (workers, seed) in [(2, 1), (5, 2), (11, 3)] {
            let other = at_random(&mut study(), workers, seed);
            assert_eq!(expected, other, "{name}, {workers} workers");
        }
        let mut threads = study();
        threads.run(TRIALS, 3, loss).unwrap();
        assert_eq!(expected, trials(&threads), "{name}, 3 threads");
    }
}

#[test]
fn a_file_leads_back_to_the_same_study() {
    let folder = tempfile::tempdir().unwrap();
    for (name, method) in methods() {
        for (kind, mode) in [("rounds", Mode::Rounds { size: 3 }), ("free", Mode::Asynchronous)] {
            let path = folder.path().join(format!("{name}-{kind}"));
            let open = || Study::open(&path, space(), method, settings(mode)).unwrap();
            let mut memory = Study::new(space(), method, settings(mode)).unwrap();
            let mut file = open();
            let mut seen = 0;
            while seen < 30 {
                let expected = memory.ask().unwrap();
                let Answer::Trial(trial) = file.ask().unwrap() else { break };
                assert_eq!(expected, Answer::Trial(trial.clone()), "{name} {kind}");
                memory.tell(trial.id(), loss(&trial)).unwrap();
                file.tell(trial.id(), loss(&trial)).unwrap();
                seen += 1;
                if seen % 10 == 0 {
                    drop(file);
                    file = open();
                    assert_eq!(file.trials(), memory.trials(), "{name} {kind}");
                }
            }
            assert_eq!(seen, 30, "{name} {kind}");
        }
    }
}

#[test]
fn spaces_of_one_value_and_of_a_thousand_dimensions_are_searched() {
    let one =
        vec![Parameter { name: "only".to_owned(), domain: Domain::Categorical { choices: 1 } }];
    for (name, method) in methods() {
        let method = match method {
            // The directions are of another space.
            Method::HyperTune(s) => {
                let directions = HyperTuneSettings::default().directions;
                Method::HyperTune(HyperTuneSettings { directions, ..s })
            }
            other => other,
        };
        let one = Space::new(one.clone()).unwrap();
        let mut study = Study::new(one, method, settings(Mode::Asynchronous)).unwrap();
        study.run(25, 1, |trial| trial.config()[0]).unwrap();
        assert!(study.trials().iter().all(|r| r.suggestion.config == [0.0]), "{name}");
        let many: Space = Bounds::cube(1000, 1.0).unwrap().into();
        let study = Study::new(many.clone(), method, settings(Mode::Asynchronous));
        if name == "Harmonica" {
            // It has a bound for its ±1 variables, and says so.
            assert!(study.unwrap_err().to_string().contains("expected"));
            continue;
        }
        let mut study = study.unwrap();
        study.run(8, 1, |trial| trial.config().iter().map(|x| x * x).sum::<f64>()).unwrap();
        assert!(study.trials().iter().all(|r| many.contains(&r.suggestion.config)), "{name}");
    }
}

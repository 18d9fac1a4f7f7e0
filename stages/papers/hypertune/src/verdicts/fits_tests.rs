use std::{collections::BTreeMap, path::Path};

use kit::{paper, row};
use numerics::space::Space;
use pipeline::artifacts::Artifacts;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tuners::{
    bayesian::directed::{Directed, DirectedSettings},
    tuner::{Suggestion, Trial, Tuner as _},
};

use super::*;
use crate::{
    HyperTune,
    runs::{EI, HYPERTUNE},
    tables::trials::Evaluated,
};

fn search(entries: &[(f64, Option<f64>)]) -> Trials {
    let entry = |(validation, noise): &(f64, Option<f64>)| Entry {
        validation: *validation,
        noise: *noise,
        ..Entry::default()
    };
    Trials { entries: entries.iter().map(entry).collect(), ..Trials::default() }
}

#[test]
fn the_noise_of_a_failed_fit_is_that_of_the_one_before() {
    let starts = [(0.4, None), (0.3, None)];
    let all = |rest: &[(f64, Option<f64>)]| search(&[&starts[..], rest].concat());
    let good = all(&[(0.2, Some(1e-3)), (0.1, Some(2e-3)), (0.1, Some(1e-3))]);
    assert_eq!(Fits::of([&good].into_iter()), Fits { asked: 3, failed: 0 });
    assert_eq!(Fits::of([&good].into_iter()).told(), "");
    // The first fit fails, and the last.
    let bad = all(&[(0.2, None), (0.1, Some(2e-3)), (0.1, Some(2e-3))]);
    let both = Fits::of([&good, &bad].into_iter());
    assert_eq!(both, Fits { asked: 6, failed: 2 });
    let told = "; 2 of HyperTune's 6 suggestions were drawn, since no process could be fitted";
    assert_eq!(both.told(), told);
    // Where all errors are equal, so are the processes.
    let flat = search(&[(0.4, None), (0.4, Some(1e-6)), (0.4, Some(1e-6)), (0.3, Some(1e-6))]);
    assert_eq!(Fits::of([&flat].into_iter()), Fits { asked: 3, failed: 0 });
    assert_eq!(Fits::of([].into_iter()), Fits::default());
}

/// The searches of the recorded run's table `what`, by task and method.
fn recorded(root: &Path, what: &str) -> BTreeMap<(String, String), Vec<Trials>> {
    let artifacts = Artifacts::open(&root.join("artifacts/recorded/hypertune")).unwrap();
    let batch = artifacts.table(&format!("hypertune/figures/{what}"), "main").unwrap();
    let mut all: BTreeMap<(String, String), BTreeMap<u32, Trials>> = BTreeMap::new();
    for Evaluated { label, entry, .. } in row::read::<Evaluated>(&batch).unwrap() {
        let own = all.entry((label.task, label.method)).or_default();
        own.entry(label.repeat).or_default().entries.push(entry);
    }
    all.into_iter().map(|(name, repeats)| (name, repeats.into_values().collect())).collect()
}

/// The same searches with the noise of the processes that the tuner fits again to the recorded errors: fits depend on
/// nothing else.
fn replayed(searches: &[Trials], space: &Space, settings: DirectedSettings) -> Vec<Trials> {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let mut replay = |told: &Trials| {
        let mut tuner = Directed::new(space.clone(), settings).unwrap();
        let mut told = told.clone();
        for entry in &mut told.entries {
            let asked = tuner.ask(&mut rng).unwrap();
            entry.noise = tuner.noise();
            let suggestion = Suggestion { config: entry.config.0.clone(), ..asked };
            tuner.tell(Trial { suggestion, value: entry.validation });
        }
        told
    };
    searches.iter().map(&mut replay).collect()
}

/// The recorded tables of expected improvement have no noise, so that its fits are made again, as are those of the
/// subset searches, whose noise is known.
#[test]
#[ignore = "reads the recorded run; run it by hand with --ignored --nocapture"]
#[expect(clippy::print_stdout, reason = "the notes have these numbers")]
fn the_recorded_searches_were_not_drawn() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let (values, _) = paper::expanded::<HyperTune>(&root, "recorded").unwrap();
    let space = |task: &str| values.learners[&values.tasks[task].learner].space().unwrap();
    let (mut signs, mut plain, mut again) = (Fits::default(), Fits::default(), Fits::default());
    let add = |sum: &mut Fits, searches: &[Trials]| {
        let more = Fits::of(searches.iter());
        (sum.asked, sum.failed) = (sum.asked + more.asked, sum.failed + more.failed);
    };
    for ((task, _), searches) in recorded(&root, "subsets") {
        add(&mut plain, &searches);
        let noise = |searches: &[Trials]| -> Vec<Option<f64>> {
            searches.iter().flat_map(|search| &search.entries).map(|entry| entry.noise).collect()
        };
        assert_eq!(noise(&replayed(&searches, &space(&task), values.search)), noise(&searches));
    }
    for ((task, method), searches) in recorded(&root, "runs") {
        if method.starts_with(HYPERTUNE) {
            add(&mut signs, &searches);
        } else if method == EI {
            add(&mut again, &replayed(&searches, &space(&task), values.search));
        }
    }
    println!("HyperTune {signs:?}, subset searches {plain:?}, expected improvement {again:?}");
    assert_eq!([signs.failed, plain.failed, again.failed], [0; 3]);
    assert!(signs.asked > 1000 && plain.asked > 1000 && again.asked > 1000);
}

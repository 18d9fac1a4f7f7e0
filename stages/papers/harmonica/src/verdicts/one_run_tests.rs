//! How often one run of networks would agree with Tables 1 and 3 if the features of Table 3 were all that Harmonica could
//! find: errors are these features' with the printed weights, and normal values for what else moves an error.

use std::collections::BTreeSet;

use models::{
    neural::residual::COUNT,
    polynomial::{
        lasso::Lasso,
        parity::{Basis, Design, Signs},
        sparse_parity::{Polynomial, Term, recover},
    },
};
use rand::RngExt as _;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use stats::distribution::normal_quantile;

use super::network::dominant;
use crate::{
    network::{found, table_3::TABLE_3},
    tables::features::Feature,
};

/// Section 5: samples and features of a stage, degree.
const SAMPLES: usize = 300;
const FEATURES: usize = 5;
const DEGREE: usize = 3;
/// Runs that are simulated.
const RUNS: u64 = 30;

/// A stage with the range of λ and the fewest samples of Table 1, and the deviation of what features do not explain.
type Case = (u32, [f64; 2], usize, f64);

/// With 0.036 errors of stage 1 deviate as the recorded ones do, by 0.110. The last three have about what our features
/// leave of those: 0.098, 0.06 and 0.058 of 0.110, 0.062 and 0.058.
const CASES: [Case; 5] = [
    (1, [0.01, 4.5], 250, 0.2),
    (1, [0.01, 4.5], 250, 0.036),
    (1, [0.01, 4.5], 250, 0.098),
    (2, [0.1, 2.5], 180, 0.06),
    (3, [0.5, 1.1], 150, 0.058),
];

fn monomial(name: &str) -> Vec<usize> {
    name.split('*').map(|number| number.parse::<usize>().unwrap() - 1).collect()
}

/// The samples of a stage.
struct Samples {
    minus: Vec<Vec<bool>>,
    errors: Vec<f64>,
    basis: Basis,
}

impl Samples {
    fn drawn(stage: u32, deviation: f64, rng: &mut ChaCha12Rng) -> Self {
        let of = |stage: u32| TABLE_3.iter().filter(move |(own, ..)| *own == stage);
        let first = (1..stage).flat_map(|earlier| of(earlier).take(FEATURES));
        let fixed: BTreeSet<usize> = first.flat_map(|(_, name, _)| monomial(name)).collect();
        let terms = of(stage).map(|(_, name, w)| (monomial(name), 0.01 * w));
        let terms = terms.filter(|(monomial, _)| monomial.iter().all(|v| !fixed.contains(v)));
        let terms = terms.map(|(monomial, weight)| Term { monomial, weight }).collect();
        let truth = Polynomial { terms };
        let minus: Vec<Vec<bool>> =
            (0..SAMPLES).map(|_| (0..COUNT).map(|_| rng.random()).collect()).collect();
        let error = |minus: &Vec<bool>| {
            truth.value(minus) + deviation * normal_quantile(rng.random::<f64>())
        };
        let errors = minus.iter().map(error).collect();
        let free = (0..COUNT).filter(|v| !fixed.contains(v)).collect();
        Self { minus, errors, basis: Basis::new(free, DEGREE).unwrap() }
    }

    /// The heaviest features that the first `samples` give, as `network::stages::stability` finds them.
    fn heaviest(&self, lambda: f64, samples: usize) -> Vec<Term> {
        let lasso = Lasso::new(1e-8, 100_000).unwrap();
        let design = Design::new(Signs::new(COUNT, &self.minus[..samples]), self.basis.clone());
        let alpha = lambda / (2.0 * SAMPLES as f64);
        recover(&design, &self.errors[..samples], &lasso, alpha, FEATURES).unwrap().terms
    }

    /// Whether features and signs are those of the middle of the range on all samples.
    fn stable(&self, [low, high]: [f64; 2], fewest: usize) -> [bool; 2] {
        let middle = (low * high).sqrt();
        let signed = |lambda: f64, samples: usize| -> BTreeSet<_> {
            let own = self.heaviest(lambda, samples).into_iter();
            own.map(|term| (term.monomial, term.weight > 0.0)).collect()
        };
        let reference = signed(middle, SAMPLES);
        let same =
            |lambda, samples| reference.len() == FEATURES && signed(lambda, samples) == reference;
        let half = usize::midpoint(fewest, SAMPLES);
        [same(low, SAMPLES) && same(high, SAMPLES), same(middle, fewest) && same(middle, half)]
    }

    /// Whether a run of these samples meets H5, at the λ of the networks.
    fn dominates(&self) -> bool {
        let row = |(rank, term): (u32, Term)| Feature {
            stage: 1,
            rank,
            variables: found::numbers(&term.monomial),
            weight: 100.0 * term.weight,
            ..Feature::default()
        };
        let rows: Vec<Feature> = (1..).zip(self.heaviest(1.0, SAMPLES)).map(row).collect();
        dominant(&rows)[0].met == Some(true)
    }
}

#[test]
#[ignore = "takes minutes; run it by hand with --ignored --nocapture"]
#[expect(clippy::print_stdout, reason = "the notes have these numbers")]
fn one_run_of_the_papers_features_may_miss_both_tables() {
    let mut missed = Vec::new();
    for (stage, lambda, fewest, deviation) in CASES {
        let mut counts = [0; 3];
        for seed in 0..RUNS {
            let samples = Samples::drawn(stage, deviation, &mut ChaCha12Rng::seed_from_u64(seed));
            let [by_lambda, by_samples] = samples.stable(lambda, fewest);
            let dominates = stage == 1 && samples.dominates();
            for (count, met) in counts.iter_mut().zip([by_lambda, by_samples, dominates]) {
                *count += u64::from(met);
            }
        }
        println!("stage {stage}, deviation {deviation}: λ, samples, H5 {counts:?} of {RUNS}");
        missed.push(counts);
    }
    // With the deviation of the recorded samples: fewer than 80%.
    assert!(missed[2..].iter().all(|counts| counts[..2].iter().all(|c| 10 * c < 8 * RUNS)));
    assert!(10 * missed[2][2] < 8 * RUNS);
}

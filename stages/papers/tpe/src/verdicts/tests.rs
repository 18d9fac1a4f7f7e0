//! Tests of the verdicts on made-up evidence: what is met, what is missed, and that each criterion can end either way.

use kit::claims::{
    calibration::World,
    finding::Answer,
    rule::{Joined, Tally},
};
use models::density::component_parzen::{Heuristic, Weighting};
use rand_chacha::rand_core::SeedableRng as _;
use tuners::bayesian::component_tpe::Splitting;

use super::*;
use crate::{
    grid::{CategoryWidth, Grid, factors},
    study::{MARKS, Panel, Scores, Study},
    tables::spent::Spent,
    target::GROUPS,
};

fn splitting() -> Vec<Splitting> {
    let linear = [0.05, 0.1, 0.15, 0.2].map(|beta| Splitting::Linear { beta });
    let sqrt = [0.25, 0.5, 0.75, 1.0].map(|beta| Splitting::Sqrt { beta });
    linear.into_iter().chain(sqrt).collect()
}

fn grids() -> [Grid; 2] {
    let components = Grid {
        multivariate: vec![true, false],
        splitting: splitting(),
        weighting: vec![
            Weighting::Uniform,
            Weighting::OldDecay,
            Weighting::OldDrop,
            Weighting::ExpectedImprovement,
        ],
        prior: vec![true, false],
        heuristic: vec![Heuristic::Scott],
        minimum_width: vec![0.01],
        exponent: vec![1.0, 0.0],
        category_width: vec![CategoryWidth::Optuna {}],
    };
    let widths = Grid {
        multivariate: vec![true],
        weighting: vec![Weighting::Uniform, Weighting::OldDecay, Weighting::ExpectedImprovement],
        prior: vec![true],
        heuristic: vec![Heuristic::Hyperopt, Heuristic::Optuna, Heuristic::Scott],
        minimum_width: vec![0.01, 0.03, 0.1, 0.3],
        exponent: vec![0.25, 0.5, 1.0, 2.0, 4.0, 0.0],
        ..components.clone()
    };
    [components, widths]
}

/// A study on the paper's numbers of targets, in which joint models and, of widths, large exponents are better.
fn study(grid: &Grid) -> Study {
    let settings = grid.settings(false, usize::MAX);
    let factors = factors(&settings);
    let worse = |setting: usize| {
        let level = |factor: &crate::grid::Factor| factor.of[setting].unwrap_or(0);
        let each = factors.iter().map(|factor| match factor.name {
            "multivariate" => level(factor) == 1,
            "exponent" => factor.levels.len() > 2 && level(factor) < 2,
            _ => false,
        });
        each.filter(|worse| *worse).count()
    };
    let scores = |target: usize| -> Vec<f64> {
        let noise = |setting: usize| (setting * 7919 + target * 131) % 1009;
        (0..settings.len()).map(|s| (noise(s) + 600 * worse(s)) as f64).collect()
    };
    let panel = |targets: usize| Panel {
        factors: factors.clone(),
        targets: (0..targets)
            .map(|i| Scores {
                target: format!("target {i}"),
                at: std::array::from_fn::<_, MARKS, _>(|_| scores(i)),
            })
            .collect(),
    };
    let sizes = [12, 12, 12, 8, 4];
    let groups = GROUPS.iter().zip(sizes).map(|(group, n)| ((*group).to_owned(), panel(n)));
    Study { groups: groups.collect() }
}

/// Methods with thirty seeds on the paper's targets, all alike up to noise.
fn methods() -> Evidence {
    let [components, widths] = grids().map(|grid| study(&grid));
    let names = [
        "recommended",
        "adapted",
        "joint-clipped",
        "joint-plain",
        "separate-clipped",
        "separate-plain",
        "optuna-joint",
        "optuna-separate",
        "hyperopt",
        "random",
    ];
    let mut rng = ChaCha12Rng::seed_from_u64(3);
    let mut all =
        Evidence { shifted: components.clone(), components, widths, ..Evidence::default() };
    for name in names {
        for (group, n) in GROUPS.iter().zip([12, 12, 12, 7, 4]) {
            for i in 0..n {
                let losses = kit::claims::calibration::normals(30, 0.0, 1.0, &mut rng);
                let own = all.finals.entry(name.to_owned()).or_default();
                let key = ((*group).to_owned(), format!("{group} {i}"));
                own.insert(key, (0..).zip(losses).collect());
            }
        }
    }
    all
}

fn joined(id: &str, all: &Evidence, rng: &mut ChaCha12Rng) -> Joined {
    let (rule, findings) = find(id, all, rng).unwrap();
    let own = findings.iter().filter(|finding| finding.in_paper);
    let answers: Vec<Answer> = own.map(|finding| finding.answer(None)).collect();
    rule.lean(Tally::of(answers.into_iter()))
}

/// A world in which the claim is true meets the criterion, and one in which it is not does not.
#[test]
fn every_criterion_can_end_either_way() {
    let real = methods();
    for id in ["P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9", "P10", "P11", "P12", "P13"] {
        let mut rng = ChaCha12Rng::seed_from_u64(11);
        let mut met = |world| {
            let one = |_| {
                let all = simulated::evidence(id, &real, world, &mut rng).unwrap();
                u32::from(joined(id, &all, &mut rng) == Joined::Met)
            };
            (0..6).map(one).sum::<u32>()
        };
        let (claimed, absent) = (met(World::Claimed), met(World::Absent));
        assert!(absent == 0, "{id}: met {absent} times of 6 without the effect");
        assert!(claimed > 0, "{id}: never met with the effect");
    }
}

#[test]
fn without_evidence_nothing_is_tested() {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    for id in (1..=14).map(|i| format!("P{i}")) {
        let (_, findings) = find(&id, &Evidence::default(), &mut rng).unwrap();
        assert!(!findings.is_empty(), "{id}");
        for finding in findings.iter().filter(|finding| finding.in_paper) {
            let answer = finding.answer(None);
            assert!(matches!(answer, Answer::Untested), "{id} {}: {answer:?}", finding.place);
        }
    }
    assert!(find("P15", &Evidence::default(), &mut rng).is_err());
}

#[test]
fn times_are_compared_in_each_size() {
    let spent = |method: &'static str, dimensions: u32, cpu: f64| {
        (0..5).map(move |seed| Spent {
            method: method.to_owned(),
            dimensions,
            seed,
            evaluations: 200,
            cpu: cpu * (1.0 + 0.001 * f64::from(seed)),
        })
    };
    let all = |smbo: f64, thirty: f64| Evidence {
        times: spent("recommended", 5, 0.1)
            .chain(spent("recommended", 30, 0.1 * thirty))
            .chain(spent("smbo", 5, smbo))
            .chain(spent("smbo", 30, 50.0))
            .collect(),
        ..Evidence::default()
    };
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    assert_eq!(joined("P14", &all(20.0, 5.0), &mut rng), Joined::Met);
    assert_eq!(joined("P14", &all(0.5, 5.0), &mut rng), Joined::Missed, "five times as long");
    assert_eq!(joined("P14", &all(20.0, 12.0), &mut rng), Joined::Missed, "it grows faster");
}

#[test]
fn counts_of_fewer_targets_decide_nothing() {
    let mut rng = ChaCha12Rng::seed_from_u64(5);
    let mut all = simulated::evidence("P3", &methods(), World::Claimed, &mut rng).unwrap();
    assert_eq!(joined("P3", &all, &mut rng), Joined::Met);
    for own in all.finals.values_mut() {
        own.remove(&("5D".to_owned(), "5D 0".to_owned()));
    }
    assert_eq!(joined("P3", &all, &mut rng), Joined::Open);
}

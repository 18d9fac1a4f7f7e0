//! Tests of the verdicts on made-up evidence: what is met, what is missed, and that each criterion can end either way.

use std::path::Path;

use kit::claims::{
    Claim, Judged,
    calibration::World,
    criteria::Criteria as _,
    finding::Answer,
    rule::{Joined, Tally},
};
use models::density::component_parzen::{Heuristic, Weighting};
use rand_chacha::rand_core::SeedableRng as _;
use tuners::bayesian::component_tpe::Splitting;

use super::*;
use crate::{
    grid::{CategoryWidth, Grid, factors},
    stages::claims::TpeCriteria,
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
        // P4's bounds on tables are hardly wider than intervals of eight and of four tables.
        assert!(claimed > 0 || id == "P4", "{id}: never met with the effect");
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
    let spent = |seeds: u32, method: &'static str, dimensions: u32, cpu: f64| {
        (0..seeds).map(move |seed| Spent {
            method: method.to_owned(),
            dimensions,
            seed,
            evaluations: 200,
            cpu: cpu * (1.0 + 0.001 * f64::from(seed)),
        })
    };
    let of = |seeds: u32, smbo: f64, thirty: f64| Evidence {
        times: spent(seeds, "recommended", 5, 0.1)
            .chain(spent(seeds, "recommended", 30, 0.1 * thirty))
            .chain(spent(seeds, "smbo", 5, smbo))
            .chain(spent(seeds, "smbo", 30, 50.0))
            .collect(),
        ..Evidence::default()
    };
    let all = |smbo: f64, thirty: f64| of(10, smbo, thirty);
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    assert_eq!(joined("P14", &all(20.0, 5.0), &mut rng), Joined::Met);
    assert_eq!(joined("P14", &all(0.1, 5.0), &mut rng), Joined::Missed, "no longer");
    assert_eq!(joined("P14", &all(0.5, 5.0), &mut rng), Joined::Open, "five times as long");
    assert_eq!(joined("P14", &all(20.0, 12.0), &mut rng), Joined::Missed, "it grows faster");
    assert_eq!(joined("P14", &of(7, 20.0, 5.0), &mut rng), Joined::Open, "too few replicates");
    let (_, findings) = find("P14", &all(20.0, 5.0), &mut rng).unwrap();
    assert!(findings[0].text.starts_with("smbo takes 200.0 [200.0, 200.0] times the CPU time"));
}

/// How often P3's settings win in the claimed world, on functions of one size.
#[test]
fn a_simulated_target_is_won_with_the_chance_of_the_papers_masses() {
    const DRAWS: u32 = 50;
    let real = methods();
    let mut rng = ChaCha12Rng::seed_from_u64(2);
    let mut won = [0, 0];
    for _ in 0..DRAWS {
        let all = simulated::evidence("P3", &real, World::Claimed, &mut rng).unwrap();
        for (won, group) in won.iter_mut().zip(["5D", "30D"]) {
            let names = ["joint-clipped", "joint-plain"];
            *won += methods::wins(&all, names, &[group], [(0, 10); 2]).0;
        }
    }
    // The standard deviation of both shares is below 0.02.
    for (won, mass) in won.into_iter().zip([0.26, 0.09]) {
        let share = won as f64 / f64::from(12 * DRAWS);
        assert!((share - mass).abs() < 0.08, "{share} for {mass}");
    }
}

#[test]
fn clipping_among_the_best_stands_beside_p3_at_its_own_size() {
    let mut rng = ChaCha12Rng::seed_from_u64(4);
    let [components, widths] = grids().map(|grid| (grid, usize::MAX));
    let criteria = TpeCriteria {
        components,
        widths,
        small_components: true,
        small_widths: true,
        small_methods: false,
        small_times: true,
    };
    let mut claim = claims().into_iter().find(|claim| claim.id == "P3").unwrap();
    claim.calibration = None;
    let all = methods();
    let found = criteria.find("P3", "paper", &all, &mut rng).unwrap();
    let beside: Vec<_> = found.1.iter().filter(|finding| !finding.in_paper).collect();
    assert!(beside.len() == 5 && beside.iter().all(|finding| finding.scaled_down));
    assert!(beside.iter().all(|finding| finding.met.is_none() && finding.region.is_none()));
    assert!(beside[0].text.starts_with("settings with clipping are 0."), "{}", beside[0].text);
    for finding in &beside {
        assert!(claim.published.iter().any(|paper| paper.place.as_ref() == Some(&finding.place)));
    }
    let own: Vec<_> = found.1.iter().filter(|finding| finding.in_paper).cloned().collect();
    let small = criteria.scaled_down("P3", &found.1);
    let alone = Judged::new(&claim, (found.0, own), small, None);
    let both = Judged::new(&claim, found, small, None);
    assert_eq!((both.verdict, both.reason), (alone.verdict, alone.reason));
    assert!(!both.verdict.scaled_down());
}

fn claims() -> Vec<Claim> {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs");
    kit::claims::read(&configs.join("tpe.claims.toml")).unwrap()
}

/// Makes all targets of a group alike: so many of the best thirteen of 256 settings have a prior.
fn with_prior(panel: &mut Panel, kept: usize) {
    let prior = panel.factor("prior").unwrap().clone();
    let on = prior.levels.iter().position(|level| level == "on");
    let mut left = [13 - kept, kept];
    let mut scores = Vec::new();
    for (i, of) in prior.of.iter().enumerate() {
        let best = &mut left[usize::from(*of == on)];
        scores.push(if *best > 0 { 0.0 } else { 1.0 + i as f64 });
        *best = best.saturating_sub(1);
    }
    for target in &mut panel.targets {
        target.at = std::array::from_fn::<_, MARKS, _>(|_| scores.clone());
    }
}

#[test]
fn the_priors_five_bounds_are_one_criterion() {
    let mut rng = ChaCha12Rng::seed_from_u64(6);
    let mut ended = |kept: [usize; 5], elsewhere: usize| {
        let mut all = methods();
        for (group, kept) in GROUPS.into_iter().zip(kept) {
            with_prior(all.components.groups.get_mut(group).unwrap(), kept);
        }
        all.shifted.groups.values_mut().for_each(|panel| with_prior(panel, elsewhere));
        joined("P4", &all, &mut rng)
    };
    // 9 of 13 are .69, 8 are .62, 7 are .54, 6 are .46.
    assert_eq!(ended([10, 9, 10, 7, 7], 10), Joined::Met);
    assert_eq!(ended([10, 9, 10, 7, 7], 7), Joined::InPart, "the minimum was in the middle");
    assert_eq!(ended([10, 6, 10, 7, 7], 10), Joined::Missed, "10D alone");
    assert_eq!(ended([10, 6, 10, 7, 7], 7), Joined::Missed);
    assert_eq!(ended([10, 8, 10, 7, 7], 10), Joined::Open, "10D is above a half");
    assert_eq!(ended([10, 9, 10, 9, 7], 10), Joined::Missed, "HPOBench alone");
}

#[test]
fn findings_say_their_numbers() {
    let mut rng = ChaCha12Rng::seed_from_u64(8);
    let mut all = methods();
    let (_, found) = find("P1", &all, &mut rng).unwrap();
    let wins = found[0].estimate.unwrap().value;
    let text = format!("joint models end lower on {wins} of 36 functions; 27 of 36 are asked for");
    assert_eq!(found[0].text, text);
    let (_, found) = find("P7", &all, &mut rng).unwrap();
    let mass = found[0].estimate.unwrap().told(2);
    assert_eq!(
        found[0].text,
        format!("exponent 0.25 or 0.5 has {mass} of the best 5% of settings")
    );
    // The recommended setting loses on HPOlib alone.
    for ((group, _), finals) in all.finals.get_mut("recommended").unwrap() {
        let loss = if group == "HPOlib" { 100.0 } else { -100.0 };
        finals.values_mut().for_each(|own| *own = loss);
    }
    let (_, found) = find("P12", &all, &mut rng).unwrap();
    let text = &found[0].text;
    for part in ["; ahead on 5D (1.00 against ", ", HPOBench (1.00 ", "; behind on HPOlib (5.00 "] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn counts_of_fewer_targets_decide_nothing() {
    let mut rng = ChaCha12Rng::seed_from_u64(5);
    let real = methods();
    let mut drawn = || {
        let all = simulated::evidence("P3", &real, World::Claimed, &mut rng).unwrap();
        (joined("P3", &all, &mut rng) == Joined::Met).then_some(all)
    };
    let mut all = (0..20).find_map(|_| drawn()).unwrap();
    for own in all.finals.values_mut() {
        own.remove(&("5D".to_owned(), "5D 0".to_owned()));
    }
    assert_eq!(joined("P3", &all, &mut rng), Joined::Open);
}

#[test]
fn a_condition_on_means_is_missed_only_if_resamples_hardly_ever_meet_it() {
    let mut rng = ChaCha12Rng::seed_from_u64(9);
    let mut of = |low: f64| {
        let values: Vec<f64> = (0..12).map(|i| if i % 2 == 0 { low } else { 0.6 }).collect();
        met_or_open(12, |rows| mean_of(&values, rows) > 0.5, &mut rng)
    };
    // The means are 0.55, 0.49 and 0.35; targets scatter by 0.05, 0.11 and 0.25.
    assert_eq!([of(0.5), of(0.38), of(0.1)], [Some(true), None, Some(false)]);
}

#[test]
fn a_missed_pair_contradicts_p3_only_with_the_masses() {
    let mut rng = ChaCha12Rng::seed_from_u64(10);
    let real = methods();
    let answers = |excluded: bool, rng: &mut ChaCha12Rng| -> Vec<Answer> {
        let (_, found) = methods::clipping(&real, excluded, rng);
        found[..2].iter().map(|finding| finding.answer(None)).collect()
    };
    assert_eq!(answers(true, &mut rng), [Answer::No, Answer::No]);
    assert_eq!(answers(false, &mut rng), [Answer::Open, Answer::Open]);
    let mass = |low: f64, high: f64| {
        let estimate = Estimate { value: 0.5 * (low + high), low, high, n: 12 };
        Finding::new("5D", estimate, String::new())
    };
    assert!(components::reversed("5D", &mass(0.6, 0.8)));
    assert!(!components::reversed("5D", &mass(0.4, 0.8)), "the paper's side is not excluded");
    assert!(!components::reversed("HPOlib", &mass(0.6, 0.8)));
    assert!(components::reversed("HPOlib", &mass(0.1, 0.4)));
}

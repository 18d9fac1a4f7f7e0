//! Conformance tests of all black-box tuners, which are found automatically: every `impl Tuner` below `src`
//! has to be an arm of `Method`, and every arm is tested.

#[path = "common/functions.rs"]
mod functions;
#[path = "conformance/study.rs"]
mod study;

use std::collections::BTreeSet;
use std::path::Path;

use functions::{FUNCTIONS, Function, bowl, space};
use models::gp::GpSettings;
use numerics::solve::nsga2::Nsga2;
use numerics::space::{Bounds, Domain, Parameter, Space};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;
use stats::alternative::Alternative;
use stats::rank_tests::mann_whitney::MannWhitney;
use tuners::bayesian::directed::DirectedSettings;
use tuners::bayesian::fabolas::FabolasSettings;
use tuners::bayesian::gp_ei::GpEiSettings;
use tuners::bayesian::hebo_like::HeboLikeSettings;
use tuners::bayesian::hypertune::{Directions, HyperTuneSettings};
use tuners::bayesian::smbo::{Smbo, SmboSettings};
use tuners::grid::Grid;
use tuners::harmonica::HarmonicaSettings;
use tuners::method::Method;
use tuners::multi_fidelity::brackets::{Arithmetic, Budgets, Sizes};
use tuners::multi_fidelity::hyperband::HyperbandSettings;
use tuners::tuner::{Fidelity, Suggestion, Trial, Tuner};

fn budgets() -> Budgets {
    let (arithmetic, sizes) = (Arithmetic::Exact, Sizes::Code);
    Budgets { minimum: 1, maximum: 27, eta: 3, arithmetic, sizes }
}

/// All methods, with a shorter search of the acquisition function and shorter stages where the published ones
/// are long.
fn methods() -> Vec<(String, Method)> {
    let published = Method::published(HyperbandSettings { budgets: budgets(), brackets: None });
    let shorter = |method| match method {
        Method::Smbo(s) => Method::Smbo(SmboSettings { candidates: 200, maximisations: 2, ..s }),
        Method::GpEi(s) => {
            let (burn_in, samples) = (10, 2);
            Method::GpEi(GpEiSettings { grid: 200, refined: 2, burn_in, samples, ..s })
        }
        Method::HeboLike(s) => {
            let nsga2 = Nsga2 { population: 20, generations: 10 };
            let gp = GpSettings { restarts: 0, ..s.gp };
            Method::HeboLike(HeboLikeSettings { nsga2, gp, ..s })
        }
        Method::Harmonica(s) => Method::Harmonica(HarmonicaSettings { samples: 12, ..s }),
        Method::Directed(s) => Method::Directed(DirectedSettings { candidates: 200, ..s }),
        Method::HyperTune(s) => {
            let search = DirectedSettings { candidates: 200, ..s.search };
            // The bowl decreases with the first parameter, up to 0.7.
            let directions = Directions::of(&[1, 0, 0, 0]);
            let (searches, evaluations, divisor) = (3, 6, 9);
            let sizes = HyperTuneSettings { searches, evaluations, divisor, ..s };
            Method::HyperTune(HyperTuneSettings { search, directions, ..sizes })
        }
        Method::Fabolas(s) => Method::Fabolas(FabolasSettings {
            starts: 5,
            burn_in: 5,
            chain: 2,
            processes: 2,
            representers: 10,
            functions: 30,
            innovations: 20,
            candidates: 30,
            ..s
        }),
        other => other,
    };
    let name = |m: &Method| {
        let text = format!("{m:?}");
        text.split('(').next().unwrap_or_default().to_owned()
    };
    published.into_iter().map(|m| (name(&m), shorter(m))).collect()
}

/// The loss of a suggestion on the bowl.
fn evaluate(suggestion: &Suggestion) -> f64 {
    seen_as(suggestion, bowl(&suggestion.config))
}

/// How a loss is seen. With a part of the resource it has a small error that depends on the configuration; a probe
/// shows how low it is.
fn seen_as(suggestion: &Suggestion, loss: f64) -> f64 {
    match suggestion.fidelity {
        Fidelity::Probe => -loss,
        Fidelity::Part { divisor } => {
            loss + 0.02 * (1.0 - 1.0 / divisor as f64) * (50.0 * suggestion.config[0]).sin()
        }
    }
}

/// Suggestions and values of a run, one at a time.
fn drive(
    tuner: &mut dyn Tuner,
    seed: u64,
    evaluations: usize,
    value: impl Fn(&Suggestion) -> f64,
) -> Vec<(Suggestion, f64)> {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let mut seen = Vec::new();
    while seen.len() < evaluations {
        let Some(suggestion) = tuner.ask(&mut rng) else { break };
        let value = value(&suggestion);
        seen.push((suggestion.clone(), value));
        tuner.tell(Trial { suggestion, value });
    }
    seen
}

fn tuner(method: Method) -> Box<dyn Tuner> {
    method.tuner(space()).unwrap()
}

#[test]
fn every_tuner_is_an_arm_and_every_arm_is_published() {
    let mut written = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(path).unwrap();
            let names = text.lines().filter_map(|l| l.strip_prefix("impl Tuner for "));
            written.extend(names.map(|n| n.trim_end_matches([' ', '{']).to_owned()));
        }
    }
    let registered: BTreeSet<String> = methods().into_iter().map(|(name, _)| name).collect();
    assert_eq!(written, registered);
    assert_eq!(methods().len(), registered.len());
}

#[test]
fn suggestions_are_numbered_and_inside_the_space() {
    for (name, method) in methods() {
        let seen = drive(tuner(method).as_mut(), 1, 70, evaluate);
        assert!(seen.len() >= 35, "{name} asked {} times", seen.len());
        for (i, (s, _)) in seen.iter().enumerate() {
            assert_eq!(s.id, i as u64, "{name}");
            assert!(space().contains(&s.config), "{name}: {:?}", s.config);
        }
    }
}

/// Equal ratios are equally far apart: before anything is known, half of 1 to 4096 are not above 64.
#[test]
fn whole_numbers_are_searched_on_a_logarithmic_scale() {
    let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
    let kind = Domain::Categorical { choices: 4 };
    let space = Space::new(vec![
        parameter("shift", Domain::Float { low: -3.0, high: 2.0, log: false }),
        parameter("rate", Domain::Float { low: 1e-4, high: 1.0, log: true }),
        parameter("batch", Domain::Int { low: 1, high: 4096, log: true }),
        parameter("kind", kind),
    ]);
    let space = space.unwrap();
    methods().into_par_iter().for_each(|(name, method)| {
        let suggested: Vec<Suggestion> = (0..10)
            .flat_map(|seed| drive(&mut *method.tuner(space.clone()).unwrap(), seed, 8, evaluate))
            .map(|(suggestion, _)| suggestion)
            .collect();
        assert!(suggested.iter().all(|s| space.contains(&s.config)), "{name}");
        // A grid begins at the ends of all parameters but the last; its values have a test of their own.
        if matches!(method, Method::Grid(_)) {
            return;
        }
        let small = suggested.iter().filter(|s| s.config[2] <= 64.0).count();
        let share = small as f64 / suggested.len() as f64;
        assert!((0.2..=0.8).contains(&share), "{name}: {share} of {}", suggested.len());
    });
}

#[test]
fn runs_are_deterministic_given_the_seed() {
    for (name, method) in methods() {
        let run = |seed| drive(tuner(method).as_mut(), seed, 45, evaluate);
        assert_eq!(run(5), run(5), "{name}");
        assert!(name == "Grid" || run(5) != run(6), "{name} ignores the generator");
    }
}

#[test]
fn the_order_of_telling_does_not_matter() {
    for (name, method) in methods() {
        let run = |reversed: bool| {
            let (mut tuner, mut rng) = (tuner(method), ChaCha12Rng::seed_from_u64(6));
            let mut seen = Vec::new();
            for _ in 0..8 {
                let asked = std::iter::from_fn(|| tuner.ask(&mut rng)).take(9);
                let mut batch: Vec<Suggestion> = asked.collect();
                seen.extend(batch.clone());
                if reversed {
                    batch.reverse();
                }
                for suggestion in batch {
                    // Coarse, so that there are ties.
                    let value = (evaluate(&suggestion) * 20.0).round();
                    tuner.tell(Trial { suggestion, value });
                }
            }
            seen
        };
        assert_eq!(run(false), run(true), "{name}");
    }
}

#[test]
fn failed_evaluations_are_survived() {
    for (name, method) in methods() {
        let failed = |s: &Suggestion| s.config[3] == 1.0;
        let some = |s: &Suggestion| if failed(s) { f64::NAN } else { evaluate(s) };
        let wanted = drive(tuner(method).as_mut(), 4, 40, evaluate).len();
        let seen = drive(tuner(method).as_mut(), 4, 40, some);
        assert_eq!(seen.len(), wanted, "{name}");
        assert!(seen.iter().all(|(s, _)| space().contains(&s.config)), "{name}");
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let all = drive(tuner(method).as_mut(), 4, 40, |_| value);
            assert_eq!(all.len(), wanted, "{name}, all {value}");
        }
    }
}

/// The method with a limit.
fn limited(mut method: Method, brackets: u64) -> Method {
    let limit = Some(brackets);
    match &mut method {
        Method::SuccessiveHalving(s) => s.brackets = limit,
        Method::Hyperband(s) => s.brackets = limit,
        Method::Bohb(s) => s.hyperband.brackets = limit,
        Method::Dehb(s) => s.hyperband.brackets = limit,
        Method::PriorBand(s) => s.hyperband.brackets = limit,
        _ => {}
    }
    method
}

#[test]
fn rungs_and_budgets_are_those_of_the_brackets() {
    let mut tested = 0;
    for (name, method) in methods() {
        let cycle = method.cycle().unwrap();
        if cycle.is_empty() {
            continue;
        }
        tested += 1;
        let twice = [cycle.as_slice(), cycle.as_slice()].concat();
        let planned: Vec<Fidelity> = twice
            .iter()
            .flatten()
            .flat_map(|r| vec![Fidelity::Part { divisor: r.divisor }; r.size])
            .collect();
        let method = limited(method, twice.len() as u64);
        // One at a time, rungs come one after another.
        let seen = drive(tuner(method).as_mut(), 7, usize::MAX, evaluate);
        let asked: Vec<Fidelity> = seen.iter().map(|(s, _)| s.fidelity).collect();
        assert_eq!(asked, planned, "{name}");
        // Many at once, brackets overlap: the same number for each budget.
        let (mut tuner, mut rng) = (tuner(method), ChaCha12Rng::seed_from_u64(8));
        let mut asked = Vec::new();
        loop {
            let next = std::iter::from_fn(|| tuner.ask(&mut rng));
            let batch: Vec<Suggestion> = next.take(50).collect();
            if batch.is_empty() {
                break;
            }
            for suggestion in batch {
                asked.push(suggestion.fidelity);
                let value = evaluate(&suggestion);
                tuner.tell(Trial { suggestion, value });
            }
        }
        let sorted = |mut all: Vec<Fidelity>| {
            all.sort_unstable();
            all
        };
        assert_eq!(sorted(asked), sorted(planned), "{name}");
    }
    assert_eq!(tested, 5);
}

/// The best full evaluation for the cost of `resource` full evaluations, over seeds.
fn bests(method: Method, resource: f64, function: Function) -> Vec<f64> {
    let run = |seed| {
        let (mut tuner, mut rng) = (tuner(method), ChaCha12Rng::seed_from_u64(seed));
        let (mut spent, mut best) = (0.0, f64::INFINITY);
        while let Some(suggestion) = tuner.ask(&mut rng) {
            spent += suggestion.fidelity.of(1.0);
            if spent > resource + 1e-9 {
                break;
            }
            let value = seen_as(&suggestion, function(&suggestion.config));
            if suggestion.fidelity == Fidelity::FULL {
                best = value.min(best);
            }
            tuner.tell(Trial { suggestion, value });
        }
        best
    };
    (100..130).into_par_iter().map(run).collect()
}

/// Where a tuner is not shown to beat random search, and why. It has to be no worse there.
const NOT_SHOWN: [(&str, &str, &str); 3] = [
    ("Tpe", "valley", "each parameter is modelled by itself, and the valley is oblique to all"),
    (
        "SmacLike",
        "terrace",
        "steps hide differences from the forest: 30 evaluations do not suffice at 1%",
    ),
    ("Harmonica", "terrace", "steps hide the small coefficients of its parities"),
];

/// Every tuner that learns from full or partial evaluations beats random search of the same cost on five functions
/// of different kinds: on each by a one-sided rank test over 30 seeds, at 1%, with the exceptions of [`NOT_SHOWN`].
#[test]
fn learning_beats_chance() {
    let mut failed = Vec::new();
    for (name, method) in methods() {
        // Exceptions are random search itself and Sobol search, which learn nothing; a grid, which depends on its
        // position; SMOOTHIE, which learns only from its probes; DODGE, which searches for new results, not for low
        // ones; and Fabolas, which recommends configurations that it has not evaluated in full: that is tested
        // separately.
        if ["Random", "Sobol", "Grid", "Smoothie", "Dodge", "Fabolas"].contains(&name.as_str()) {
            continue;
        }
        let cycle = method.cycle().unwrap();
        let cost: f64 = cycle.iter().flatten().map(|r| r.size as f64 / r.divisor as f64).sum();
        let method = match method {
            // It learns from its stages.
            Method::Harmonica(_) => Method::Harmonica(HarmonicaSettings::default()),
            other => other,
        };
        let resource = match method {
            // The stages and a third of another one.
            Method::Harmonica(s) => (s.stages * s.samples + s.samples / 3) as f64,
            // Ten generations, four cycles of brackets, or 30 evaluations.
            Method::DifferentialEvolution(s) => 10.0 * s.population as f64,
            // Its population in four dimensions is 8.
            Method::CmaEs(_) => 80.0,
            _ if cost > 0.0 => 4.0 * cost,
            _ => 30.0,
        };
        for (kind, function) in FUNCTIONS {
            // Only there does the first parameter lead downwards, up to 0.7, as the method is told.
            if matches!(method, Method::HyperTune(_)) && kind != "bowl" {
                continue;
            }
            let random = bests(Method::Random {}, resource, function);
            let test = MannWhitney::new(&bests(method, resource, function), &random);
            let excepted = NOT_SHOWN.iter().any(|(who, at, _)| (*who, *at) == (&name, kind));
            let p = test.p(Alternative::Less);
            let fails = if excepted { test.p(Alternative::Greater) < 0.01 } else { p >= 0.01 };
            if fails {
                failed.push(format!("{name} on the {kind}: p {p}"));
            }
        }
    }
    let known = |who: &str| methods().iter().any(|(name, _)| name == who);
    let there = |at: &str| FUNCTIONS.iter().any(|(kind, _)| *kind == at);
    for (who, at, why) in NOT_SHOWN {
        assert!(known(who) && there(at), "{who} on the {at} ({why}) is no case");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn smbo_finds_the_bottom_of_a_bowl() {
    let bounds = Bounds::new(vec![-3.0, -2.0], vec![2.0, 4.0]).unwrap();
    let settings = SmboSettings { candidates: 200, maximisations: 2, ..SmboSettings::default() };
    let mut tuner = Smbo::new(bounds, settings).unwrap();
    let bowl = |s: &Suggestion| (s.config[0] - 0.7).powi(2) + 2.0 * (s.config[1] + 1.1).powi(2);
    let seen = drive(&mut tuner, 3, 20, bowl);
    let best = seen.iter().map(|(_, v)| *v).fold(f64::INFINITY, f64::min);
    assert!(best < 1e-2, "{best}");
}

#[test]
fn the_grid_is_a_full_factorial_and_then_ends() {
    let mut grid = Grid::new(Bounds::cube(2, 12.0).unwrap(), 3).unwrap();
    let seen = drive(&mut grid, 0, 100, |_| 0.0);
    assert_eq!(seen.len(), 9);
    assert_eq!(seen[0].0.config, [-12.0, -12.0]);
    assert_eq!(seen[1].0.config, [-12.0, 0.0]);
    assert_eq!(seen[8].0.config, [12.0, 12.0]);
    assert!(Grid::new(Bounds::cube(1, 1.0).unwrap(), 1).is_err());
    let mixed = drive(&mut Grid::new(space(), 3).unwrap(), 0, 1000, |_| 0.0);
    assert_eq!(mixed.len(), 3 * 3 * 3 * 4);
    let distinct: BTreeSet<String> = mixed.iter().map(|(s, _)| format!("{:?}", s.config)).collect();
    assert_eq!(distinct.len(), mixed.len());
}

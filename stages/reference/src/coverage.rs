//! Checks the format of the coverage of intervals of a mean in small samples: the coverage is simulated
//! again, and compared within four standard errors.

use std::f64::consts::E;

use rand::RngExt as _;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use rand_distr::{Distribution as _, StandardNormal};
use rayon::prelude::*;
use serde_json::{Map, Value};
use stats::{moments::mean, order::median, resampling::Resampled, student::StudentMean};

use super::{
    Error,
    case::{Case, keep},
    node::Node,
};

/// Simulated samples per case: standard errors of 0.01 and less.
const SIMULATIONS: usize = 2500;
const SEED: u64 = 1979;
/// The accepted difference of the two estimates, in standard errors of that difference.
const ERRORS: f64 = 4.0;
const LEVEL: f64 = 0.95;
/// The largest sample or number of resamples of a sensible case.
const MOST: usize = 10_000;

/// Whether a file has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    let covered = |case: &Value| case.get("distribution").is_some() && case.get("n").is_some();
    let cases = top.get("cases").and_then(Value::as_array);
    cases.is_some_and(|list| list.iter().any(covered))
}

/// Simulates every case.
///
/// # Errors
/// If the file is malformed.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    let node = |key: &str| top.get(key).map(|value| Node { at: key.to_owned(), value });
    let shape = || Error::Shape { at: "resamples".to_owned(), expected: "1 to 10000" };
    let resamples = node("resamples").ok_or_else(shape)?.whole()?;
    if !(1..=MOST).contains(&resamples) {
        return Err(shape());
    }
    let simulated = node("simulations").map_or(Ok(0), |node| node.whole())?;
    for (key, value) in top {
        match key.as_str() {
            "protocol" | "tolerances" | "simulations" | "resamples" | "description" | "note" => {}
            "cases" => {
                let items = (Node { at: key.clone(), value }).items()?;
                let one = |(i, item)| {
                    let mut own = Vec::new();
                    keep(case(item, i as u64, (resamples, simulated), &mut own), &mut own);
                    own
                };
                let all: Vec<_> = items.par_iter().enumerate().map(one).collect();
                cases.extend(all.into_iter().flatten());
            }
            _ => cases.push(Case::ignored(key)),
        }
    }
    Ok(cases)
}

/// The distribution of values.
#[derive(Clone, Copy)]
enum Source {
    Normal,
    Lognormal,
    TwoPoint(f64),
}

impl Source {
    fn named(name: &str) -> Option<Self> {
        match name {
            "normal" => Some(Self::Normal),
            "lognormal" => Some(Self::Lognormal),
            other => {
                let p: f64 = other.strip_prefix("two_point_p")?.parse().ok()?;
                (0.0..=1.0).contains(&p).then_some(Self::TwoPoint(p))
            }
        }
    }

    fn mean(self) -> f64 {
        match self {
            Self::Normal => 0.0,
            Self::Lognormal => E.sqrt(),
            Self::TwoPoint(p) => p,
        }
    }

    fn draw(self, rng: &mut ChaCha12Rng) -> f64 {
        let normal = |rng: &mut ChaCha12Rng| -> f64 { StandardNormal.sample(rng) };
        match self {
            Self::Normal => normal(rng),
            Self::Lognormal => normal(rng).exp(),
            Self::TwoPoint(p) => f64::from(u8::from(rng.random::<f64>() < p)),
        }
    }
}

const METHODS: [&str; 3] = ["t", "percentile", "bca"];

/// Intervals of one method.
#[derive(Default)]
struct Intervals {
    below: usize,
    above: usize,
    undefined: usize,
    widths: Vec<f64>,
}

impl Intervals {
    fn add(&mut self, (low, high): (f64, f64), truth: f64) {
        if low.is_nan() || high.is_nan() {
            self.undefined += 1;
            return;
        }
        self.below += usize::from(high < truth);
        self.above += usize::from(low > truth);
        self.widths.push(high - low);
    }

    fn covered(&self) -> f64 {
        (self.widths.len() - self.below - self.above) as f64 / SIMULATIONS as f64
    }
}

fn simulated(
    source: Source,
    n: usize,
    resamples: usize,
    rng: &mut ChaCha12Rng,
) -> ([Intervals; 3], usize) {
    let mut found: [Intervals; 3] = Default::default();
    let (mut constant, truth) = (0, source.mean());
    for _ in 0..SIMULATIONS {
        let sample: Vec<f64> = (0..n).map(|_| source.draw(rng)).collect();
        constant += usize::from(sample.iter().all(|v| *v == sample[0]));
        let student = StudentMean::new(&sample, LEVEL);
        found[0].add((student.low, student.high), truth);
        let places: Vec<Vec<usize>> =
            (0..resamples).map(|_| (0..n).map(|_| rng.random_range(0..n)).collect()).collect();
        let resampled = Resampled::new(&sample, &places, mean);
        found[1].add(resampled.percentile(LEVEL), truth);
        found[2].add(resampled.corrected(LEVEL), truth);
    }
    (found, constant)
}

/// Standard error of a share of this many.
fn error(share: f64, of: usize) -> f64 {
    // A share of none or all also has an error: that of one more.
    let least = 1.0 / of as f64;
    let share = share.clamp(least, 1.0 - least);
    (share * (1.0 - share) / of as f64).sqrt()
}

fn case(
    item: &Node<'_>,
    stream: u64,
    (resamples, theirs): (usize, usize),
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let name = item.need("distribution")?.text()?;
    let n = item.need("n")?.whole()?;
    let at = format!("{name} n={n}");
    let source = Source::named(name).filter(|_| (2..=MOST).contains(&n));
    let Some(source) = source else {
        cases.push(Case::not_understood(at));
        return Ok(());
    };
    let mut rng = ChaCha12Rng::seed_from_u64(SEED);
    rng.set_stream(stream);
    let (found, constant) = simulated(source, n, resamples, &mut rng);
    let share = |name: &str, ours: f64, listed: f64, their_error: f64| {
        let tolerance = ERRORS * error(ours, SIMULATIONS).hypot(their_error);
        Case::absolute(format!("{at}/{name}"), ours, listed, tolerance)
    };
    let their_error = |share: f64| if theirs > 0 { error(share, theirs) } else { 0.0 };
    for (key, node) in item.given()? {
        match key {
            "note" | "description" | "name" => {}
            "distribution" | "n" | "bca_max_abs_difference_to_scipy_first_20" => {}
            "true_mean" => {
                let node = Node { at: format!("{at}/true_mean"), ..node };
                cases.push(node.absolute(source.mean(), 1e-12));
            }
            "degenerate_samples" => {
                let (ours, listed) = (constant as f64 / SIMULATIONS as f64, node.extended()?);
                cases.push(share(key, ours, listed, their_error(listed)));
            }
            "bca_undefined" => {
                let ours = found[2].undefined as f64 / SIMULATIONS as f64;
                let listed = node.extended()?;
                cases.push(share(key, ours, listed, their_error(listed)));
            }
            "exact_coverage" => {
                for (name, node) in node.members()? {
                    // With infinitely many resamples; if our number matters, the file has it.
                    let place = match name {
                        "t" => 0,
                        "percentile_ideal" if matches!(source, Source::TwoPoint(_)) => continue,
                        "percentile_ideal" => 1,
                        name if name == format!("percentile_{resamples}") => 1,
                        _ => {
                            cases.push(Case::ignored(node.at));
                            continue;
                        }
                    };
                    let ours = found[place].covered();
                    cases.push(share(&format!("exact {name}"), ours, node.extended()?, 0.0));
                }
            }
            "methods" => {
                for (name, node) in node.members()? {
                    match METHODS.iter().position(|method| *method == name) {
                        Some(place) => {
                            keep(method(&node, &found[place], &share, their_error, cases), cases);
                        }
                        None => cases.push(Case::not_understood(node.at)),
                    }
                }
            }
            _ => cases.push(Case::ignored(node.at)),
        }
    }
    Ok(())
}

fn method(
    expected: &Node<'_>,
    found: &Intervals,
    share: &dyn Fn(&str, f64, f64, f64) -> Case,
    their_error: impl Fn(f64) -> f64,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let method = expected.at.rsplit('/').next().unwrap_or_default();
    let of_all = |count: usize| count as f64 / SIMULATIONS as f64;
    for (key, node) in expected.members()? {
        let ours = match key {
            "coverage" => found.covered(),
            "interval_below_mean" => of_all(found.below),
            "interval_above_mean" => of_all(found.above),
            "mean_width" => {
                let deviation = stats::moments::variance(&found.widths).sqrt();
                let ours = deviation / (found.widths.len() as f64).sqrt();
                let theirs = expected.get("mean_width_se").map_or(Ok(0.0), |se| se.number())?;
                let (own, listed) = (mean(&found.widths), node.extended()?);
                let tolerance = ERRORS * ours.hypot(theirs);
                cases.push(Case::absolute(node.at.clone(), own, listed, tolerance));
                continue;
            }
            "median_width" => {
                cases.push(node.informative(median(&found.widths)));
                continue;
            }
            "coverage_se" | "mean_width_se" => continue,
            _ => {
                cases.push(Case::ignored(node.at));
                continue;
            }
        };
        let listed = node.extended()?;
        cases.push(share(&format!("{method} {key}"), ours, listed, their_error(listed)));
    }
    Ok(())
}

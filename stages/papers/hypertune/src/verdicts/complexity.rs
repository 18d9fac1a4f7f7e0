//! Figure 1: the subset's optimum is simpler than that of the whole data, and up to it the performance on the
//! whole data increases.

use kit::claims::{
    calibration::{Level, World, normals},
    finding::Finding,
};
use rand_chacha::ChaCha12Rng;
use stats::{
    bootstrap::{Estimate, interval},
    distribution::t_quantile,
    moments::mean,
    trends::correlation::spearman,
};

use super::{
    evidence::{Evidence, Way},
    line::{Line, RISES, SIMPLER},
};

/// The smallest number of learners.
const LEARNERS: usize = 3;

/// Means over the repeats, point by point.
fn mean_way(ways: &[&Way]) -> Way {
    let Some(first) = ways.first() else { return Vec::new() };
    let at = |i: usize| {
        let of = |pick: fn(&(f64, f64, f64)) -> f64| {
            mean(&ways.iter().map(|way| pick(&way[i])).collect::<Vec<_>>())
        };
        (first[i].0, of(|p| p.1), of(|p| p.2))
    };
    (0..first.len()).map(at).collect()
}

/// The points of the lowest error of the subset and of the whole, of equals the simplest; and the rank
/// correlation of point and performance of the whole up to the subset's optimum, NaN if that is the first
/// point.
fn measured(way: &Way) -> (f64, f64, f64) {
    let lowest = |pick: fn(&(f64, f64, f64)) -> f64| {
        let best = way.iter().min_by(|a, b| pick(a).total_cmp(&pick(b)));
        best.map_or(f64::NAN, |p| p.0)
    };
    let (small, whole) = (lowest(|p| p.1), lowest(|p| p.2));
    let up_to = way.iter().filter(|p| p.0 <= small).map(|p| (p.0, -p.2));
    (small, whole, spearman(&up_to.collect::<Vec<_>>()).r)
}

/// The line of each learner that has one.
pub(super) fn lines(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Vec<Line> {
    let places = evidence.places.iter().filter(|place| place.complexity);
    let line = |place: &super::evidence::Place| {
        let repeats = evidence.ways.get(&place.task)?;
        let ways: Vec<&Way> = repeats.values().collect();
        let (small, whole, _) = measured(&mean_way(&ways));
        let further = interval(&ways, rng, |ways| {
            let (small, whole, _) = measured(&mean_way(ways));
            whole - small
        });
        let rise = interval(&ways, rng, |ways| measured(&mean_way(ways)).2);
        // A model of the subset is measured by the same error on the same validation rows in both tables. The lowest of
        // a search is one of few noisy errors, and so a little low by itself: that can leave the answer open, and can
        // not decide it.
        let both = |(repeat, way): (&u32, &Way)| {
            let found = evidence.searches.get(&(place.task.clone(), *repeat))?;
            let along = way.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
            Some((along, mean(found)))
        };
        let both: Vec<(f64, f64)> = repeats.iter().filter_map(both).collect();
        let lower = (!both.is_empty()).then(|| {
            let less: Vec<f64> = both.iter().map(|(along, found)| along - found).collect();
            let (along, found): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
            ([mean(&along), mean(&found)], interval(&less, rng, mean))
        });
        let step = ways.first().and_then(|way| Some(way.get(1)?.0 - way[0].0)).unwrap_or(0.0);
        let (task, learner) = (place.task.clone(), place.learner.clone());
        Some(Line { task, learner, optima: [small, whole], step, further, rise, lower })
    };
    places.filter_map(line).collect()
}

/// Two findings per learner, with the mean curves of its repeats.
pub(super) fn rises(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    judge(evidence, evidence.lines.get_or_init(|| lines(evidence, rng)))
}

fn judge(evidence: &Evidence, lines: &[Line]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for place in evidence.places.iter().filter(|place| place.complexity) {
        match lines.iter().find(|line| line.task == place.task) {
            Some(line) => findings.extend(line.findings()),
            None => findings.push(Finding::missing(&place.task, "its data are not available")),
        }
    }
    let mut learners: Vec<&str> = lines.iter().map(|line| line.learner.as_str()).collect();
    learners.sort_unstable();
    learners.dedup();
    if !findings.is_empty() && learners.len() < LEARNERS {
        let why = format!(
            "the criterion asks for {LEARNERS} learners, and {} were measured",
            learners.len()
        );
        findings.push(Finding::missing("another learner", &why));
    }
    findings
}

/// The findings around the levels of a world, which scatter as ours do. In both worlds the line passes the optimum: the
/// subset searches are as low as it is. `None` if a level is not known.
pub(super) fn simulated(
    evidence: &Evidence,
    levels: &[Level],
    world: World,
    rng: &mut ChaCha12Rng,
) -> Option<Vec<Finding>> {
    let level = |place: &str| {
        let of = levels.iter().find(|level| level.place.as_deref() == Some(place))?;
        world.pick(of.claimed, Some(of.absent.unwrap_or(0.0)))
    };
    let (further, rise) = (level(SIMPLER)?, level(RISES)?);
    let lines = evidence.lines.get_or_init(|| lines(evidence, rng));
    let imagined = |line: &Line| Line {
        further: drawn(&line.further, further, rng),
        rise: drawn(&line.rise, rise, rng),
        lower: line.lower.map(|(errors, lead)| (errors, drawn(&lead, 0.0, rng))),
        ..line.clone()
    };
    let lines: Vec<Line> = lines.iter().map(imagined).collect();
    Some(judge(evidence, &lines))
}

/// An estimate around `centre` from as many normal values as `like` has, which scatter as its interval implies.
fn drawn(like: &Estimate, centre: f64, rng: &mut ChaCha12Rng) -> Estimate {
    let width = like.high - like.low;
    if !width.is_finite() {
        return Estimate { value: centre, low: f64::NAN, high: f64::NAN, n: like.n };
    }
    if width == 0.0 {
        return Estimate::exact(centre, like.n);
    }
    let n = like.n as f64;
    let deviation = 0.5 * width / t_quantile(0.975, n - 1.0) * n.sqrt();
    interval(&normals(like.n, centre, deviation, rng), rng, mean)
}

#[cfg(test)]
#[path = "complexity_tests.rs"]
mod tests;

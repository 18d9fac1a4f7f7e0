//! Figure 1: the subset's optimum is simpler than that of the whole data, and up to it the performance on the
//! whole data increases.

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{
    bootstrap::{Estimate, interval},
    moments::mean,
    trends::correlation::spearman,
};

use super::evidence::{Evidence, Way};

/// The smallest rank correlation that counts as monotone.
const MONOTONE: f64 = 0.9;

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

/// By how much the whole's optimum lies further than the subset's. Each is known to half the distance of two points, so
/// that an interval is wider by one on both sides: equal points say that the optima are close, not that they are one.
fn simpler(ways: &[&Way], rng: &mut ChaCha12Rng) -> Estimate {
    let estimate = interval(ways, rng, |ways| {
        let (small, whole, _) = measured(&mean_way(ways));
        whole - small
    });
    let step = ways.first().map_or(0.0, |way| way[1].0 - way[0].0);
    Estimate { low: estimate.low - step, high: estimate.high + step, ..estimate }
}

/// Two findings per learner, with the mean curves of its repeats.
pub(super) fn rises(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let mut findings = Vec::new();
    for place in evidence.places.iter().filter(|p| p.complexity) {
        let Some(ways) = evidence.ways.get(&place.task) else {
            findings.push(Finding::missing(&place.task, "its data are not available"));
            continue;
        };
        let all: Vec<&Way> = ways.iter().collect();
        let (small, whole, r) = measured(&mean_way(&all));
        let text = format!(
            "optimum of subsets at {small:.2}, of the whole at {whole:.2} of the way from simple to \
             complex"
        );
        let name = format!("{}, the subset's optimum is simpler", place.task);
        let further = simpler(&all, rng);
        findings
            .push(Finding::new(&name, further, text).within(Region::above(0.0)).of_replicates());
        let estimate = interval(&all, rng, |ways| measured(&mean_way(ways)).2);
        let text = format!("rank correlation up to the subset's optimum {r:.2}");
        let name = format!("{}, performance rises up to it", place.task);
        findings.push(
            Finding::new(&name, estimate, text).within(Region::above(MONOTONE)).of_replicates(),
        );
    }
    findings
}

#[cfg(test)]
mod tests {
    use kit::claims::finding::Answer;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    /// Eight repeats whose optima lie on the same point contradict nothing: between the points they may differ.
    #[test]
    fn optima_are_known_to_the_distance_of_points() {
        let way: Way = vec![(0.0, 0.9, 0.8), (0.1, 0.4, 0.3), (0.2, 0.5, 0.6)];
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let found = simpler(&[&way; 8], &mut rng);
        assert_eq!((found.low, found.value, found.high), (-0.1, 0.0, 0.1));
        let name = "the subset's optimum is simpler";
        let finding = Finding::new(name, found, String::new()).within(Region::above(0.0));
        assert_eq!(finding.of_replicates().answer(None), Answer::Open);
    }

    #[test]
    fn optima_and_the_rise_up_to_the_subsets() {
        // Errors of subsets have their minimum at 0.5, of the whole at 0.75.
        let way = |bump: f64| -> Way {
            vec![
                (0.0, 0.9, 0.8),
                (0.25, 0.5, 0.6 + bump),
                (0.5, 0.4, 0.5),
                (0.75, 0.6, 0.2),
                (1.0, 0.7, 0.3),
            ]
        };
        assert_eq!(measured(&way(0.0)), (0.5, 0.75, 1.0));
        assert!(measured(&way(0.3)).2 < MONOTONE);
        let both = [way(0.0), way(0.3)];
        let middle = mean_way(&both.iter().collect::<Vec<_>>());
        assert!((middle[1].2 - 0.75).abs() < 1e-12 && middle[1].0 == 0.25);
        // There are no points before an optimum at the simplest point.
        assert!(measured(&vec![(0.0, 0.1, 0.5), (1.0, 0.2, 0.4)]).2.is_nan());
    }
}

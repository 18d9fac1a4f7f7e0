//! Computes the median and quartiles of repeated runs, as step functions of time.

use figures::Scale;

/// The runs of one series summarised at increasing `x`. All four have the same length.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The points at which the runs are compared.
    pub x: Vec<f64>,
    /// Their lower quartile.
    pub low: Vec<f64>,
    /// Their median.
    pub mid: Vec<f64>,
    /// Their upper quartile.
    pub high: Vec<f64>,
}

/// The `q`-quantile of `sorted`, linear between order statistics (type 7 of Hyndman and Fan 1996).
///
/// # Panics
/// If `sorted` is empty.
#[must_use]
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = place.ceil() as usize;
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

fn upper_median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Summarises `runs`, each a list of (x, y) with x increasing. A run keeps its last y, which is its result at
/// that time. The curve goes from where all runs have begun, so that it covers the same runs everywhere, to
/// where half of them have ended, at `points` points spaced by `scale`, or at the runs' own points if these
/// are all the same. Points that are not numbers are left out.
#[must_use]
pub fn curve(runs: &[Vec<(f64, f64)>], scale: Scale, points: usize) -> Option<Curve> {
    let runs: Vec<Vec<(f64, f64)>> = runs
        .iter()
        .map(|run| run.iter().copied().filter(|(x, y)| scale.holds(*x) && y.is_finite()).collect())
        .filter(|run: &Vec<_>| !run.is_empty())
        .collect();
    let begin = runs.iter().map(|run| run[0].0).reduce(f64::max)?;
    let end = upper_median(runs.iter().map(|run| run[run.len() - 1].0).collect())?;
    let places: Vec<f64> = runs[0].iter().map(|p| p.0).collect();
    let same = runs.iter().all(|run| run.iter().map(|p| &p.0).eq(&places));
    let x = if same { places } else { spaced(begin, end.max(begin), scale, points) };
    let mut curve = Curve { x, low: Vec::new(), mid: Vec::new(), high: Vec::new() };
    for &at in &curve.x {
        let mut values: Vec<f64> = (runs.iter())
            .filter_map(|run| run[..run.partition_point(|p| p.0 <= at)].last())
            .map(|p| p.1)
            .collect();
        values.sort_by(f64::total_cmp);
        curve.low.push(quantile(&values, 0.25));
        curve.mid.push(quantile(&values, 0.5));
        curve.high.push(quantile(&values, 0.75));
    }
    Some(curve)
}

fn spaced(begin: f64, end: f64, scale: Scale, points: usize) -> Vec<f64> {
    if begin == end {
        return vec![begin];
    }
    let share = |i: usize| i as f64 / (points - 1) as f64;
    let mut x: Vec<f64> = match scale {
        Scale::Linear => (0..points).map(|i| begin + share(i) * (end - begin)).collect(),
        Scale::Log => (0..points).map(|i| begin * (end / begin).powf(share(i))).collect(),
    };
    // Rounding must not move the ends outside the range of the runs.
    x[0] = begin;
    x[points - 1] = end;
    x
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_against_a_hand_computation() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile(&sorted, 0.5), 3.0);
        assert_eq!(quantile(&sorted, 0.25), 1.75);
        assert_eq!(quantile(&[5.0], 0.75), 5.0);
    }

    #[test]
    fn a_run_holds_its_last_value() {
        let runs = [vec![(1.0, 4.0), (2.0, 2.0)], vec![(1.5, 8.0), (9.0, 6.0)], vec![(1.5, 6.0)]];
        let curve = curve(&runs, Scale::Linear, 2).unwrap();
        assert_eq!(curve.x, [1.5, 2.0]);
        assert_eq!(curve.mid, [6.0, 6.0]);
        assert_eq!(curve.low, [5.0, 4.0]);
    }

    #[test]
    fn a_curve_is_of_the_same_runs_everywhere() {
        // Values that never increase have a median that never increases.
        let runs = [vec![(1.0, 4.0), (5.0, 3.0)], vec![(3.0, 9.0), (5.0, 8.0)], vec![(2.0, 7.0)]];
        let curve = curve(&runs, Scale::Linear, 9).unwrap();
        assert_eq!((curve.x[0], curve.x[8]), (3.0, 5.0));
        assert!(curve.mid.is_sorted_by(|a, b| a >= b), "{:?}", curve.mid);
    }

    #[test]
    fn common_places_are_kept() {
        let runs = [vec![(1.0, 1.0), (3.0, 0.5)], vec![(1.0, 3.0), (3.0, 1.5)]];
        assert_eq!(curve(&runs, Scale::Log, 50).unwrap().x, [1.0, 3.0]);
    }

    #[test]
    fn runs_without_a_number_are_no_runs() {
        assert!(curve(&[vec![(1.0, f64::NAN)], vec![]], Scale::Linear, 5).is_none());
        assert!(curve(&[vec![(0.0, 1.0)]], Scale::Log, 5).is_none());
    }

    proptest! {
        #[test]
        fn the_band_holds_the_median_and_x_increases(
            runs in prop::collection::vec(prop::collection::vec((1e-3..1e3f64, -1e3..1e3f64), 1..20), 1..8),
        ) {
            let runs: Vec<Vec<(f64, f64)>> = runs
                .into_iter()
                .map(|mut run| { run.sort_by(|a, b| a.0.total_cmp(&b.0)); run })
                .collect();
            let curve = curve(&runs, Scale::Log, 30).unwrap();
            prop_assert!(curve.x.is_sorted());
            for i in 0..curve.x.len() {
                prop_assert!(curve.low[i] <= curve.mid[i] && curve.mid[i] <= curve.high[i]);
            }
        }
    }
}

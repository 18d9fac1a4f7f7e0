//! Writes schedules of hyper-parameters as tables, and lets a training follow one.

use std::collections::BTreeMap;

use models::neural::self_tuning::{Control, Hyper, Range, Schedule, Trace};
use pipeline::stage::Stop;

use crate::tables::schedule::Point;

/// The relative distance that a given value keeps from the ends of its range.
const INSIDE: f64 = 1e-9;

/// The course of the hyper-parameters of a training, with every change.
#[must_use]
pub fn of(trace: &Trace, hypers: &[Hyper]) -> Vec<Point> {
    let step = |step: &models::neural::self_tuning::StepRecord| {
        let batches = step.batches;
        let both = hypers.iter().zip(step.values.clone());
        both.map(move |(hyper, value)| Point { name: hyper.name.clone(), batches, value })
            .collect::<Vec<_>>()
    };
    trace.steps.iter().flat_map(step).collect()
}

/// Makes hyper-parameters follow a course: a single point is the fixed value, or the initial value of what
/// they do; several points are their values batch by batch. Those without a point are unchanged.
///
/// # Errors
/// If the training tunes its hyper-parameters.
pub fn follow(points: &[Point], hypers: &mut [Hyper], control: &mut Control) -> Result<(), Stop> {
    let Control::Given(courses) = control else {
        return Err(Stop::Failed("hyper-parameters that are tuned follow no course".to_owned()));
    };
    let mut all: BTreeMap<&str, Vec<(u64, f64)>> = BTreeMap::new();
    for point in points {
        all.entry(&point.name).or_default().push((point.batches, point.value));
    }
    for (hyper, course) in hypers.iter_mut().zip(courses) {
        match all.get(hyper.name.as_str()).map(Vec::as_slice) {
            None | Some([]) => {}
            Some([(_, value)]) => hyper.start = inside(hyper.range, *value),
            Some(several) => *course = Schedule::Listed(listed(several, hyper.range)),
        }
    }
    Ok(())
}

/// The value in force at each training batch, up to the last change.
fn listed(points: &[(u64, f64)], range: Range) -> Vec<f64> {
    let last = points.iter().map(|p| p.0).max().unwrap_or(0);
    let mut values = Vec::new();
    let mut now = points[0].1;
    let mut next = points.iter().peekable();
    for batch in 0..=last {
        while let Some((_, value)) = next.next_if(|p| p.0 <= batch) {
            now = *value;
        }
        values.push(inside(range, now));
    }
    values
}

/// The nearest number strictly inside a range.
#[must_use]
pub fn inside(range: Range, value: f64) -> f64 {
    let (low, high) = range.ends();
    value.max(low + INSIDE).min(high - INSIDE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::neural::self_tuning::StepRecord;

    fn hyper(name: &str) -> Hyper {
        let range = Range::Interval { low: 0.0, high: 0.9 };
        Hyper { name: name.to_owned(), range, start: 0.05, shared: false }
    }

    fn point(name: &str, batches: u64, value: f64) -> Point {
        Point { name: name.to_owned(), batches, value }
    }

    #[test]
    fn a_training_follows_what_another_one_did() {
        let hypers = [hyper("a"), hyper("b")];
        let step = |batches, values: [f64; 2]| StepRecord {
            batches,
            values: values.to_vec(),
            scales: Vec::new(),
        };
        // Two changes after the fourth batch: the second is in force.
        let steps = vec![
            step(0, [0.1, 0.5]),
            step(2, [0.2, 0.6]),
            step(4, [0.3, 0.7]),
            step(4, [0.4, 0.8]),
        ];
        let trace = Trace { steps, ..Trace::default() };
        let points = of(&trace, &hypers);
        let (mut own, mut control) = (hypers.clone(), Control::Given(vec![Schedule::Fixed; 2]));
        follow(&points, &mut own, &mut control).unwrap();
        let listed = |values: &[f64]| Schedule::Listed(values.to_vec());
        let all = [listed(&[0.1, 0.1, 0.2, 0.2, 0.4]), listed(&[0.5, 0.5, 0.6, 0.6, 0.8])];
        assert_eq!(control, Control::Given(all.to_vec()));
        assert_eq!(own, hypers);
    }

    #[test]
    fn one_point_is_a_start() {
        let mut hypers = [hyper("a"), hyper("b")];
        let noise = Schedule::Noise { deviation: 0.1 };
        let mut control = Control::Given(vec![Schedule::Fixed, noise.clone()]);
        follow(&[point("b", 0, 0.9)], &mut hypers, &mut control).unwrap();
        assert_eq!(control, Control::Given(vec![Schedule::Fixed, noise]));
        assert_eq!((hypers[0].start, hypers[1].start), (0.05, 0.9 - INSIDE));
        assert!(hypers.iter().all(|hyper| hyper.check().is_ok()));
        assert_eq!(inside(Range::Positive, 0.0), INSIDE);
    }
}

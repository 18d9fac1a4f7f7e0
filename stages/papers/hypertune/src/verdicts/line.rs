//! What is measured on a learner along the line from simple to complex, and the findings that it gives.

use kit::claims::finding::{Answer, Finding, Region};
use stats::bootstrap::Estimate;

/// The smallest rank correlation that counts as monotone.
pub(super) const MONOTONE: f64 = 0.9;
/// The places of the two findings on a learner, after the task.
pub(super) const SIMPLER: &str = "the subset's optimum is simpler";
pub(super) const RISES: &str = "performance rises up to it";

/// What is measured on a learner, over its repeats.
#[derive(Clone, Debug)]
pub struct Line {
    pub(super) task: String,
    pub(super) learner: String,
    /// The optima of the subset and of the whole along the line, on mean curves.
    pub(super) optima: [f64; 2],
    /// The distance of two points.
    pub(super) step: f64,
    /// By how much the whole's optimum lies further than the subset's.
    pub(super) further: Estimate,
    /// The rank correlation of point and performance of the whole up to the subset's optimum.
    pub(super) rise: Estimate,
    /// The subset's mean lowest errors along the line and in the subset searches, and by how much the latter is lower;
    /// none without searches.
    pub(super) lower: Option<([f64; 2], Estimate)>,
}

impl Line {
    /// Whether the subset searches find surely lower errors than the line has: then the subset's optimum lies
    /// elsewhere, and its place on the line says nothing of it.
    fn misses_the_optimum(&self) -> bool {
        self.lower.is_none_or(|(_, lead)| {
            let found = Finding::new("", lead, String::new()).within(Region::above(0.0));
            found.of_replicates().answer(None) == Answer::Yes
        })
    }

    /// Two findings. Optima are known to half the distance of two points, so that the interval of the first is wider by
    /// one on both sides: equal points say that the optima are close, not that they are one.
    pub(super) fn findings(&self) -> [Finding; 2] {
        let Self { task, optima: [small, whole], step, further, rise, .. } = self;
        let along = format!(
            "optimum of subsets at {small:.2}, of the whole at {whole:.2} of the way from simple to complex"
        );
        let open = self.misses_the_optimum();
        let text = match self.lower {
            Some(([line, found], lead)) => {
                let errors = format!(
                    "the subset's lowest error is {line:.3} along the line and {found:.3} in subset searches, lower by \
                     {}",
                    lead.told(3)
                );
                if open {
                    format!("the subset's optimum is not on this line: {errors}; along it, {along}")
                } else {
                    format!("{along}; {errors}")
                }
            }
            None => format!(
                "no subset search says whether the subset's optimum is on this line; along it, {along}"
            ),
        };
        let wider = Estimate { low: further.low - step, high: further.high + step, ..*further };
        let first = Finding::new(&format!("{task}, {SIMPLER}"), wider, text);
        let first = first.within(Region::above(0.0)).of_replicates();
        let text = format!("rank correlation up to the subset's optimum {:.2}", rise.value);
        let second = Finding::new(&format!("{task}, {RISES}"), *rise, text);
        let second = second.within(Region::above(MONOTONE)).without_effect(0.0).of_replicates();
        [if open { first.met(None) } else { first }, second]
    }
}

//! Which of two runs is less than the other, so that a lesser run does not replace a recorded one unasked.

use super::Recorded;

impl Recorded {
    /// Whether this is less than `other`: fewer stages, or less than half of its CPU time where that is more than a
    /// minute; machines differ by less.
    #[must_use]
    pub fn is_less_than(&self, other: &Self) -> bool {
        self.stages < other.stages || (other.cpu_s > 60.0 && self.cpu_s < other.cpu_s / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_is_less_by_its_stages_or_by_much_of_its_time() {
        let run = |stages: usize, cpu_s: f64| -> Recorded {
            serde_json::from_value(json!({"format": 1, "experiment": "toy", "profile": "full", "overrides": [],
                "program": "", "finished": 0, "machines": {}, "cpu_s": cpu_s, "stages": stages, "kept": 0, "lacking": []}))
            .unwrap()
        };
        let old = run(10, 7200.0);
        assert!(run(9, 9000.0).is_less_than(&old) && run(10, 3500.0).is_less_than(&old));
        assert!(!run(10, 3700.0).is_less_than(&old), "another machine");
        assert!(!run(10, 1.0).is_less_than(&run(10, 50.0)), "seconds say nothing");
    }
}

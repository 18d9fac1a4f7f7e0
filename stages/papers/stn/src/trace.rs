//! Writes a training as tables: its epochs, the steps of its hyper-parameters, and the time of each epoch.

use std::time::Instant;

use models::neural::self_tuning::{EpochRecord, Hyper, StepRecord, Trace};
use pipeline::machine;

use super::tables::{
    label::Label,
    trace::{Ended, Epoch, Step, Taken},
};

/// Maximum number of steps shown of a training.
pub const SHOWN: usize = 500;

/// The time of each epoch, measured where it was trained.
#[derive(Debug)]
pub struct Clock {
    last: (f64, Instant),
    taken: Vec<(f64, f64)>,
}

impl Clock {
    /// Starts the clock.
    #[must_use]
    pub fn start() -> Self {
        Self { last: (machine::cpu_seconds(), Instant::now()), taken: Vec::new() }
    }

    /// Records the end of an epoch.
    pub fn tick(&mut self) {
        let now = (machine::cpu_seconds(), Instant::now());
        self.taken.push((now.0 - self.last.0, (now.1 - self.last.1).as_secs_f64()));
        self.last = now;
    }

    /// CPU and elapsed seconds of each epoch so far.
    #[must_use]
    pub fn seconds(&self) -> &[(f64, f64)] {
        &self.taken
    }
}

/// One row per epoch.
#[must_use]
pub fn epochs(label: &Label, trace: &Trace) -> Vec<Epoch> {
    let row = |(epoch, of): (usize, &EpochRecord)| {
        let EpochRecord { batches, moves, train_loss, valid_loss, .. } = *of;
        let EpochRecord { valid_error, test_loss, test_error, rate, .. } = *of;
        let ended = Ended {
            epoch,
            batches,
            moves,
            train_loss,
            valid_loss,
            valid_error,
            test_loss,
            test_error,
            rate,
        };
        Epoch { label: label.clone(), ended }
    };
    (1..).zip(&trace.epochs).map(row).collect()
}

/// One row per step and hyper-parameter: steps evenly thinned to 500, including the first and the last.
#[must_use]
pub fn steps(label: &Label, trace: &Trace, hypers: &[Hyper]) -> Vec<Step> {
    let of = |step: &StepRecord| {
        let row = |(k, hyper): (usize, &Hyper)| Step {
            label: label.clone(),
            batches: step.batches,
            name: hyper.name.clone(),
            value: step.values[k],
            scale: step.scales.get(k).copied(),
        };
        hypers.iter().enumerate().map(row).collect::<Vec<_>>()
    };
    thinned(trace.steps.len()).flat_map(|i| of(&trace.steps[i])).collect()
}

/// One row per epoch: its time. An epoch of a killed attempt has no time.
#[must_use]
pub fn times(label: &Label, trace: &Trace, clock: &Clock) -> Vec<Taken> {
    let missing = trace.epochs.len().saturating_sub(clock.taken.len());
    let unknown = std::iter::repeat_n((f64::NAN, f64::NAN), missing);
    let seconds = unknown.chain(clock.taken.iter().copied()).take(trace.epochs.len());
    taken(label, (1..).zip(seconds))
}

/// The times of epochs, each with its number.
pub fn taken(label: &Label, epochs: impl Iterator<Item = (usize, (f64, f64))>) -> Vec<Taken> {
    epochs
        .map(|(epoch, (cpu_s, wall_s))| Taken { label: label.clone(), epoch, cpu_s, wall_s })
        .collect()
}

/// At most [`SHOWN`] of `count` numbers from 0, evenly spaced, including both ends.
fn thinned(count: usize) -> impl Iterator<Item = usize> {
    let shown = count.min(SHOWN);
    (0..shown).map(move |i| if count <= SHOWN { i } else { i * (count - 1) / (SHOWN - 1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::neural::self_tuning::Range;

    fn label() -> Label {
        Label { method: "stn".to_owned(), replicate: 3 }
    }

    fn trace(steps: u64) -> Trace {
        let epoch = |i: u64| EpochRecord {
            batches: 10 * i,
            moves: 5 * i,
            train_loss: 1.0,
            valid_loss: 2.0 / i as f64,
            valid_error: None,
            test_loss: Some(3.0),
            test_error: None,
            rate: 0.01,
        };
        let step = |i: u64| StepRecord { batches: i, values: vec![i as f64, 0.5], scales: vec![] };
        Trace {
            epochs: (1..=3).map(epoch).collect(),
            steps: (0..steps).map(step).collect(),
            diverged: false,
        }
    }

    #[test]
    fn long_courses_are_thinned_between_their_ends() {
        let range = Range::Positive;
        let hyper = |name: &str| Hyper { name: name.to_owned(), range, start: 1.0, shared: false };
        let hypers = [hyper("a"), hyper("b")];
        for (steps, shown) in [(0, 0), (1, 1), (500, 500), (501, 500), (12_345, 500)] {
            let rows = super::steps(&label(), &trace(steps), &hypers);
            let batches: Vec<u64> = rows.iter().map(|row| row.batches).collect();
            assert_eq!(batches.len(), 2 * shown);
            assert_eq!(batches.last().copied(), steps.checked_sub(1));
            assert!(batches.chunks_exact(2).is_sorted_by(|a, b| a[0] < b[0] && a[0] == a[1]));
            assert!(rows.chunks_exact(2).all(|both| both[1].value == 0.5));
        }
    }

    #[test]
    fn epochs_of_an_earlier_attempt_have_no_time() {
        let mut clock = Clock::start();
        clock.tick();
        let taken = times(&label(), &trace(0), &clock);
        let known: Vec<bool> = taken.iter().map(|row| row.wall_s.is_finite()).collect();
        assert_eq!(known, [false, false, true]);
        let epochs = epochs(&label(), &trace(0));
        assert!(epochs.iter().all(|row| row.label == label() && row.ended.valid_error.is_none()));
        let losses: Vec<_> = epochs.iter().map(|r| (r.ended.epoch, r.ended.valid_loss)).collect();
        assert_eq!(losses, [(1, 2.0), (2, 1.0), (3, 2.0 / 3.0)]);
    }
}

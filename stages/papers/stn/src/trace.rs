//! A training as tables: its epochs, the steps of its hyper-parameters, and what each epoch took.

use std::time::Instant;

use arrow_array::RecordBatch;
use kit::table::{Columns, TableError};
use models::neural::self_tuning::{EpochRecord, Hyper, Trace};
use pipeline::machine;

/// Steps shown of a training at most.
pub const SHOWN: usize = 500;

/// Which training it is.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// What was done.
    pub method: &'a str,
    /// Which repeat.
    pub replicate: u32,
}

/// What each epoch took, measured where it was trained.
#[derive(Debug)]
pub struct Clock {
    last: (f64, Instant),
    taken: Vec<(f64, f64)>,
}

impl Clock {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Self { last: (machine::cpu_seconds(), Instant::now()), taken: Vec::new() }
    }

    /// An epoch is over.
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

impl Run<'_> {
    /// The columns that say which training `rows` rows are of.
    pub(super) fn columns(&self, rows: usize) -> Columns {
        Columns::new().text("method", "what was done", (0..rows).map(|_| self.method)).index(
            "replicate",
            "which repeat",
            (0..rows).map(|_| self.replicate),
        )
    }

    /// One row an epoch.
    ///
    /// # Errors
    /// When columns have different numbers of rows; here all are made of the same ones.
    pub fn epochs(&self, trace: &Trace) -> Result<RecordBatch, TableError> {
        let all = &trace.epochs;
        let maybe = |part: fn(&EpochRecord) -> Option<f64>| all.iter().map(part);
        self.columns(all.len())
            .index("epoch", "epoch, from 1", 1..=all.len() as u32)
            .count("batches", "training batches up to its end", all.iter().map(|e| e.batches))
            .count("moves", "validation batches that moved hyper-parameters", {
                all.iter().map(|e| e.moves)
            })
            .real("train_loss", "mean training loss, perturbed", all.iter().map(|e| e.train_loss))
            .real("valid_loss", "validation loss at its end", all.iter().map(|e| e.valid_loss))
            .maybe("valid_error", "validation error rate", maybe(|e| e.valid_error))
            .maybe("test_loss", "test loss where validation is best so far", maybe(|e| e.test_loss))
            .maybe("test_error", "test error rate, likewise", maybe(|e| e.test_error))
            .real("rate", "learning rate of the weights", all.iter().map(|e| e.rate))
            .batch()
    }

    /// One row per step and hyper-parameter: steps evenly thinned to 500, the first and the last among
    /// them.
    ///
    /// # Errors
    /// When columns have different numbers of rows; here all are made of the same ones.
    pub fn steps(&self, trace: &Trace, hypers: &[Hyper]) -> Result<RecordBatch, TableError> {
        let all: Vec<_> = thinned(trace.steps.len())
            .map(|i| &trace.steps[i])
            .flat_map(|step| hypers.iter().enumerate().map(move |(k, hyper)| (step, k, hyper)))
            .collect();
        self.columns(all.len())
            .count("batches", "training batches before", all.iter().map(|(s, ..)| s.batches))
            .text("name", "hyper-parameter", all.iter().map(|(.., hyper)| &hyper.name))
            .real("value", "its value", all.iter().map(|(s, k, _)| s.values[*k]))
            .maybe("scale", "standard deviation of its perturbation, unconstrained", {
                all.iter().map(|(s, k, _)| s.scales.get(*k).copied())
            })
            .batch()
    }

    /// One row an epoch: what it took. An epoch of an attempt that was killed has no time.
    ///
    /// # Errors
    /// When columns have different numbers of rows; here all are made of the same ones.
    pub fn times(&self, trace: &Trace, clock: &Clock) -> Result<RecordBatch, TableError> {
        let count = trace.epochs.len();
        let before = count.saturating_sub(clock.taken.len());
        let taken = |i: usize| i.checked_sub(before).map(|i| clock.taken[i]);
        self.columns(count)
            .index("epoch", "epoch, from 1", 1..=count as u32)
            .maybe("cpu_s", "CPU seconds of it", (0..count).map(|i| Some(taken(i)?.0)))
            .maybe("wall_s", "elapsed seconds of it", (0..count).map(|i| Some(taken(i)?.1)))
            .batch()
    }
}

/// At most [`SHOWN`] of `count` numbers from 0, evenly, with both ends.
fn thinned(count: usize) -> impl Iterator<Item = usize> {
    let shown = count.min(SHOWN);
    (0..shown).map(move |i| if count <= SHOWN { i } else { i * (count - 1) / (SHOWN - 1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::table::Rows;
    use models::neural::self_tuning::{Range, StepRecord};

    const RUN: Run<'static> = Run { method: "stn", replicate: 3 };

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
            let table = RUN.steps(&trace(steps), &hypers).unwrap();
            let batches = Rows(&table).count("batches").unwrap();
            assert_eq!(batches.len(), 2 * shown);
            assert_eq!(batches.last().copied(), steps.checked_sub(1));
            assert!(batches.chunks_exact(2).is_sorted_by(|a, b| a[0] < b[0] && a[0] == a[1]));
            let value = Rows(&table).real("value").unwrap();
            assert!(value.chunks_exact(2).zip(&batches).all(|(v, _)| v[1] == 0.5));
        }
    }

    #[test]
    fn epochs_of_an_earlier_attempt_have_no_time() {
        let mut clock = Clock::start();
        clock.tick();
        let table = RUN.times(&trace(0), &clock).unwrap();
        let wall = Rows(&table).real("wall_s").unwrap();
        assert_eq!(wall.iter().map(|w| w.is_finite()).collect::<Vec<_>>(), [false, false, true]);
        let epochs = RUN.epochs(&trace(0)).unwrap();
        assert_eq!(Rows(&epochs).index("epoch").unwrap(), [1, 2, 3]);
        assert_eq!(Rows(&epochs).index("replicate").unwrap(), [3; 3]);
        assert_eq!(Rows(&epochs).real("valid_loss").unwrap(), [2.0, 1.0, 2.0 / 3.0]);
        assert!(Rows(&epochs).real("valid_error").unwrap()[0].is_nan());
    }
}

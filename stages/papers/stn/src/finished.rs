//! Keeps the finished trainings of a search in a file, so that a search that was killed need not repeat them.
//! Numbers are stored by their bits, so that they are restored exactly.

use std::{
    fs,
    path::{Path, PathBuf},
};

use models::neural::self_tuning::{EpochRecord, Trace};
use pipeline::stage::Stop;
use serde::{Deserialize, Serialize};

/// A finished training.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finished {
    /// Its epochs; only the last ones if it continued an earlier training.
    pub epochs: Vec<EpochRecord>,
    /// Whether it diverged.
    pub diverged: bool,
    /// CPU and elapsed seconds of each epoch, as far as measured.
    pub seconds: Vec<(f64, f64)>,
}

/// The form in which it is written.
#[derive(Serialize, Deserialize)]
struct Line {
    epochs: Vec<[u64; 8]>,
    diverged: bool,
    seconds: Vec<(f64, f64)>,
}

impl Finished {
    /// From a training: its epochs after the first `before` ones.
    #[must_use]
    pub fn since(mut trace: Trace, before: usize, seconds: Vec<(f64, f64)>) -> Self {
        trace.epochs.drain(..before.min(trace.epochs.len()));
        Self { epochs: trace.epochs, diverged: trace.diverged, seconds }
    }

    /// CPU and elapsed seconds of each epoch, and of the one in which it diverged; NaN for those of a killed
    /// attempt, which were not measured.
    #[must_use]
    pub fn all_seconds(&self) -> Vec<(f64, f64)> {
        let count = self.epochs.len() + usize::from(self.diverged);
        let missing = count.saturating_sub(self.seconds.len());
        let unknown = (0..missing).map(|_| (f64::NAN, f64::NAN));
        unknown.chain(self.seconds.iter().copied()).collect()
    }

    fn line(&self) -> Line {
        let or_nan = |value: Option<f64>| value.unwrap_or(f64::NAN).to_bits();
        let bits = |e: &EpochRecord| {
            let losses = [e.train_loss, e.valid_loss, e.rate].map(f64::to_bits);
            let maybe = [e.valid_error, e.test_loss, e.test_error].map(or_nan);
            let [train, valid, rate] = losses;
            [e.batches, e.moves, train, valid, maybe[0], maybe[1], maybe[2], rate]
        };
        let epochs = self.epochs.iter().map(bits).collect();
        Line { epochs, diverged: self.diverged, seconds: self.seconds.clone() }
    }
}

impl From<Line> for Finished {
    fn from(line: Line) -> Self {
        let some = |bits| Some(f64::from_bits(bits)).filter(|value| !value.is_nan());
        let epoch = |row: [u64; 8]| EpochRecord {
            batches: row[0],
            moves: row[1],
            train_loss: f64::from_bits(row[2]),
            valid_loss: f64::from_bits(row[3]),
            valid_error: some(row[4]),
            test_loss: some(row[5]),
            test_error: some(row[6]),
            rate: f64::from_bits(row[7]),
        };
        let epochs = line.epochs.into_iter().map(epoch).collect();
        Self { epochs, diverged: line.diverged, seconds: line.seconds }
    }
}

/// The finished trainings of a search, in the order of asking.
#[derive(Debug)]
pub struct Shelf {
    file: Option<PathBuf>,
    all: Vec<Finished>,
}

impl Shelf {
    /// Reads the trainings kept in a folder; none without a folder.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub fn open(folder: Option<&Path>) -> Result<Self, Stop> {
        let file = folder.map(|folder| folder.join("finished.json"));
        let Some(path) = file.as_ref().filter(|path| path.exists()) else {
            return Ok(Self { file, all: Vec::new() });
        };
        let broken = |why: &dyn std::fmt::Display| {
            Stop::Failed(format!("{}: {why}; delete it to search anew", path.display()))
        };
        let text = fs::read_to_string(path).map_err(|e| broken(&e))?;
        let lines: Vec<Line> = serde_json::from_str(&text).map_err(|e| broken(&e))?;
        Ok(Self { file, all: lines.into_iter().map(Finished::from).collect() })
    }

    /// The training with this number, if it has finished.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&Finished> {
        self.all.get(number)
    }

    /// Adds the next one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn push(&mut self, finished: Finished) -> Result<(), Stop> {
        self.all.push(finished);
        let Some(file) = &self.file else { return Ok(()) };
        let lines: Vec<Line> = self.all.iter().map(Finished::line).collect();
        let text = serde_json::to_string(&lines).map_err(|e| Stop::Failed(e.to_string()))?;
        let new = file.with_extension("new");
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, file))
            .map_err(|e| Stop::Failed(format!("cannot write {}: {e}", file.display())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trainings_come_back_bit_by_bit() {
        let folder = tempfile::tempdir().unwrap();
        let epoch = |i: u32| EpochRecord {
            batches: u64::from(i),
            moves: 3,
            train_loss: 0.1 + f64::from(i) / 3.0,
            valid_loss: 2.0_f64.sqrt(),
            valid_error: None,
            test_loss: Some(1.0 / 3.0),
            test_error: None,
            rate: 1e-300 / 7.0,
        };
        let first = Finished { epochs: (0..5).map(epoch).collect(), ..Finished::default() };
        let second = Finished { diverged: true, seconds: vec![(0.5, 0.25)], ..Finished::default() };
        let mut shelf = Shelf::open(Some(folder.path())).unwrap();
        assert_eq!(shelf.get(0), None);
        shelf.push(first.clone()).unwrap();
        shelf.push(second.clone()).unwrap();
        let back = Shelf::open(Some(folder.path())).unwrap();
        assert_eq!([0, 1, 2].map(|i| back.get(i).cloned()), [Some(first), Some(second), None]);
        fs::write(folder.path().join("finished.json"), "[").unwrap();
        let error = Shelf::open(Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains("finished.json") && error.contains("delete it"), "{error}");
    }
}

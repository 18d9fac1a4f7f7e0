//! A run: its evaluations and its cost.

use kit::port::Out;
use pipeline::stage::{Context, Output, Stop};

pub use super::tables::trials::Entry;
use super::tables::trials::{Evaluated, Label, Taken, Times};

/// The evaluations of a run.
pub const MAIN: Out<Evaluated> = Out::table("main");
/// The times.
pub const TIMES: Out<Taken> = Out::measured("times");
/// The outputs of a run.
pub const OUTPUTS: &[Output] = &[MAIN.output(), TIMES.output()];

/// A run.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    /// Its evaluations in order.
    pub entries: Vec<Entry>,
    /// The times.
    pub times: Times,
}

impl Trials {
    /// The total work.
    #[must_use]
    pub fn work(&self) -> f64 {
        self.entries.last().map_or(0.0, |e| e.work)
    }

    /// The lowest validation error of an evaluation on the whole training part; ∞ without one.
    #[must_use]
    pub fn lowest(&self) -> f64 {
        let whole = self.entries.iter().filter(|e| e.divisor == 1);
        whole.map(|e| e.validation).fold(f64::INFINITY, f64::min)
    }

    /// The first evaluation with the lowest validation error.
    #[must_use]
    pub fn best(&self) -> Option<&Entry> {
        // `min_by` takes the first of equals.
        self.entries.iter().min_by(|a, b| a.validation.total_cmp(&b.validation))
    }

    /// Writes both tables.
    ///
    /// # Errors
    /// If writing to disk fails.
    pub fn write(self, cx: &mut Context, label: &Label) -> Result<(), Stop> {
        TIMES.write(cx, &[Taken { label: label.clone(), times: self.times }])?;
        MAIN.write(cx, &self.rows(label))
    }

    fn rows(self, label: &Label) -> Vec<Evaluated> {
        let numbered = self.entries.into_iter().enumerate();
        let row = |(evaluation, entry)| Evaluated { label: label.clone(), evaluation, entry };
        numbered.map(row).collect()
    }
}

impl From<Vec<Evaluated>> for Trials {
    /// The run of these rows; its times are not in the table.
    fn from(rows: Vec<Evaluated>) -> Self {
        let entries = rows.into_iter().map(|row| row.entry).collect();
        Self { entries, times: Times::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::trials::Parameters;
    use kit::row;

    #[test]
    fn a_table_of_runs_leads_back() {
        let label = Label {
            task: "net-letter".to_owned(),
            learner: "net".to_owned(),
            data: "letter".to_owned(),
            method: "ei".to_owned(),
            repeat: 3,
        };
        let entry = |config: &[f64], divisor, validation: f64, work| Entry {
            config: Parameters(config.to_vec()),
            divisor,
            validation,
            work,
            ..Entry::default()
        };
        let first = Entry { noise: Some(1e-3), ..entry(&[0.5, -2.0], 1, 0.3, 10.0) };
        let second =
            Entry { held_out: Some(0.2), chosen: true, ..entry(&[0.1, 1.0], 1, 0.1, 25.0) };
        let third = entry(&[0.7, 0.0], 8, 0.05, 26.0);
        let entries = vec![first, second, third];
        let trials = Trials { entries: entries.clone(), times: Times::default() };
        let rows = trials.clone().rows(&label);
        let back = row::read::<Evaluated>(&row::batch(&rows).unwrap()).unwrap();
        assert_eq!(back, rows);
        assert_eq!(Trials::from(back).entries, entries);
        // The lowest error is one on the whole training part; the best can be any.
        assert_eq!((trials.work(), trials.lowest()), (26.0, 0.1));
        assert_eq!(trials.best().map(|e| e.divisor), Some(8));
    }
}

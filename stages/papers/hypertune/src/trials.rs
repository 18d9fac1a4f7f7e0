//! What a run evaluated and spent, as tables and back.

use arrow_array::RecordBatch;
use kit::table::{Columns, Rows, TableError};
use pipeline::stage::{Context, Output, Stop};
use serde::{Deserialize, Serialize};

/// Hyper-parameters that the tables have columns for.
pub const MOST_PARAMETERS: usize = 6;

/// The outputs of a run.
pub const OUTPUTS: &[Output] = &[Output::table("main"), Output::measured("times")];

/// What a run is about: the first columns of every table of runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// The task: a learner on a data set.
    pub task: String,
    /// The learner.
    pub learner: String,
    /// The data set, as the config calls it.
    pub data: String,
    /// The method.
    pub method: String,
    /// Repeat, from 0.
    pub repeat: u32,
}

impl Label {
    fn columns(&self, n: usize) -> Columns {
        let all = |text: &str| std::iter::repeat_n(text.to_owned(), n);
        Columns::new()
            .text("task", "learner on a data set", all(&self.task))
            .text("learner", "learner that was tuned", all(&self.learner))
            .text("data", "data set", all(&self.data))
            .text("method", "tuner", all(&self.method))
            .index("repeat", "repeat, from 0", std::iter::repeat_n(self.repeat, n))
    }
}

/// One evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The configuration, in the order of the learner's parameters.
    pub config: Vec<f64>,
    /// 1/divisor of the training rows.
    pub divisor: u32,
    /// Error on the validation part.
    pub validation: f64,
    /// Error on the held-out part, where it could become what the run reports.
    pub held_out: Option<f64>,
    /// Work so far, this evaluation and what came before the run included.
    pub work: f64,
    /// Variance of the noise that the tuner's process saw when it suggested this.
    pub noise: Option<f64>,
    /// Whether this is what the run reports.
    pub chosen: bool,
}

/// CPU seconds of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// The tuner itself.
    pub tuner_s: f64,
    /// Trainings and predictions.
    pub train_s: f64,
}

/// A run.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    /// Its evaluations in order.
    pub entries: Vec<Entry>,
    /// What it took.
    pub times: Times,
}

impl Trials {
    /// The work of all of it.
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
        // Of equals `min_by` takes the first.
        self.entries.iter().min_by(|a, b| a.validation.total_cmp(&b.validation))
    }

    /// Writes both tables.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write(&self, cx: &mut Context, label: &Label) -> Result<(), Stop> {
        cx.write("main", &self.table(label)?)?;
        let times = label
            .columns(1)
            .real("tuner_s", "CPU seconds of the tuner itself", [self.times.tuner_s])
            .real("train_s", "CPU seconds of trainings and predictions", [self.times.train_s])
            .batch()?;
        Ok(cx.write("times", &times)?)
    }

    fn table(&self, label: &Label) -> Result<RecordBatch, TableError> {
        let rows = &self.entries;
        let number = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        let mut columns = label.columns(rows.len()).index(
            "evaluation",
            "number within the run, from 0",
            (0..rows.len()).map(number),
        );
        for p in 0..MOST_PARAMETERS {
            let values = rows.iter().map(move |r| r.config.get(p).copied());
            columns = columns.maybe(&format!("p{p}"), "hyper-parameter, in its own unit", values);
        }
        columns
            .index(
                "divisor",
                "one over the share of the training rows",
                rows.iter().map(|r| r.divisor),
            )
            .real("validation", "error on the validation part", rows.iter().map(|r| r.validation))
            .maybe("held_out", "error on the held-out part", rows.iter().map(|r| r.held_out))
            .real("work", "multiplications so far", rows.iter().map(|r| r.work))
            .maybe(
                "noise",
                "variance of the noise that the process saw",
                rows.iter().map(|r| r.noise),
            )
            .flag("chosen", "what the run reports", rows.iter().map(|r| r.chosen))
            .batch()
    }

    /// Reads the run at `role`; its times are not in the table.
    ///
    /// # Errors
    /// When the table is corrupt or lacks a column.
    pub fn read(cx: &Context, role: &str) -> Result<Self, Stop> {
        let table = cx.input(role)?;
        let labelled = read(&table)?;
        let entries = labelled.into_iter().map(|(_, _, entry)| entry).collect();
        Ok(Self { entries, times: Times::default() })
    }
}

/// All rows of a table of runs: label, number within the run, evaluation.
///
/// # Errors
/// When the table lacks a column.
pub fn read(table: &RecordBatch) -> Result<Vec<(Label, u32, Entry)>, TableError> {
    let rows = Rows(table);
    let [task, learner, data, method] =
        ["task", "learner", "data", "method"].map(|name| rows.text(name));
    let (task, learner, data, method) = (task?, learner?, data?, method?);
    let (repeat, number, divisor) =
        (rows.index("repeat")?, rows.index("evaluation")?, rows.index("divisor")?);
    let (validation, held_out) = (rows.real("validation")?, rows.real("held_out")?);
    let (work, noise, chosen) = (rows.real("work")?, rows.real("noise")?, rows.flag("chosen")?);
    let parameters = (0..MOST_PARAMETERS)
        .map(|p| rows.real(&format!("p{p}")))
        .collect::<Result<Vec<_>, TableError>>()?;
    let known = |value: f64| Some(value).filter(|v| !v.is_nan());
    let entry = |i: usize| {
        let label = Label {
            task: task[i].clone(),
            learner: learner[i].clone(),
            data: data[i].clone(),
            method: method[i].clone(),
            repeat: repeat[i],
        };
        let entry = Entry {
            config: parameters.iter().map_while(|p| known(p[i])).collect(),
            divisor: divisor[i],
            validation: validation[i],
            held_out: known(held_out[i]),
            work: work[i],
            noise: known(noise[i]),
            chosen: chosen[i],
        };
        (label, number[i], entry)
    };
    Ok((0..rows.len()).map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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
            config: config.to_vec(),
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
        let back = read(&trials.table(&label).unwrap()).unwrap();
        assert_eq!(back.len(), 3);
        for (i, (own, number, entry)) in back.into_iter().enumerate() {
            assert_eq!((own, number as usize, entry), (label.clone(), i, entries[i].clone()));
        }
        // The lowest error is one of the whole; the best is any.
        assert_eq!((trials.work(), trials.lowest()), (26.0, 0.1));
        assert_eq!(trials.best().map(|e| e.divisor), Some(8));
    }
}

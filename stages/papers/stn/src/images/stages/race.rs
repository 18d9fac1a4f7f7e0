//! What each run found and spent, and how soon.

use std::collections::BTreeSet;

use arrow_array::RecordBatch;
use kit::table::{Columns, Rows, TableError};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::images::rows::{self, Row};

/// Steps of the budget at which curves are compared.
const STEPS: u32 = 40;

/// One run of a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The method.
    pub method: String,
    /// The replicate.
    pub replicate: u32,
    /// The role of its epochs; `… times` has what they took.
    pub role: String,
}

/// Compares the runs.
#[derive(Serialize, Deserialize)]
pub struct Race {
    /// The runs.
    pub entries: Vec<Entry>,
    /// Multiplications that each could spend.
    pub budget: f64,
}

/// A run with its tables.
struct Runner<'a> {
    entry: &'a Entry,
    rows: Vec<Row>,
    /// CPU and elapsed seconds up to the end of each row, as far as measured.
    until: Vec<(f64, f64)>,
}

impl Stage for Race {
    const KIND: &'static str = "stn/images/race";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Output::table("main"), Output::table("anytime"), Output::measured("times")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let given: BTreeSet<String> = cx.roles().map(str::to_owned).collect();
        let runs: Vec<Runner> = self
            .entries
            .iter()
            .filter(|entry| given.contains(&entry.role))
            .map(|entry| Runner::read(cx, entry))
            .collect::<Result<_, _>>()?;
        if runs.is_empty() {
            return Err(Stop::Unavailable("no network could be trained".to_owned()));
        }
        cx.write("main", &main(&runs)?)?;
        cx.write("anytime", &self.anytime(&runs)?)?;
        Ok(cx.write("times", &times(&runs)?)?)
    }
}

impl<'a> Runner<'a> {
    fn read(cx: &Context, entry: &'a Entry) -> Result<Self, Stop> {
        let rows = rows::read(&cx.input(&entry.role)?)?;
        let table = cx.input(&format!("{} times", entry.role))?;
        let (cpu, wall) = (Rows(&table).real("cpu_s")?, Rows(&table).real("wall_s")?);
        let add = |sum: &mut (f64, f64), (cpu, wall): (&f64, &f64)| {
            *sum = (sum.0 + cpu, sum.1 + wall);
            Some(*sum)
        };
        let until = cpu.iter().zip(&wall).scan((0.0, 0.0), add).collect();
        Ok(Self { entry, rows, until })
    }

    /// The rows that improved the validation loss, by number.
    fn improvements(&self) -> Vec<usize> {
        let mut least = f64::INFINITY;
        let better = |&i: &usize| match self.rows[i].valid_loss {
            Some(loss) if loss < least => {
                least = loss;
                true
            }
            _ => false,
        };
        (0..self.rows.len()).filter(better).collect()
    }

    fn best(&self) -> Option<&Row> {
        self.improvements().last().map(|&i| &self.rows[i])
    }

    /// The row of least validation loss once `cost` is spent.
    fn at(&self, cost: f64) -> Option<&Row> {
        let all = self.improvements().into_iter().map(|i| &self.rows[i]);
        // A budget is used up in whole epochs; a part of a product more is rounding.
        all.take_while(|row| row.cost <= cost * (1.0 + 1e-9)).last()
    }
}

fn labels<'a>(entries: impl Iterator<Item = &'a Entry> + Clone) -> Columns {
    Columns::new().text("method", "what was done", entries.clone().map(|e| &e.method)).index(
        "replicate",
        "which repeat",
        entries.map(|e| e.replicate),
    )
}

fn main(runs: &[Runner]) -> Result<RecordBatch, TableError> {
    let best = |part: fn(&Row) -> Option<f64>| runs.iter().map(move |r| r.best().and_then(part));
    let trainings = |r: &Runner| r.rows.iter().map(|row| row.training).collect::<BTreeSet<_>>();
    let diverged = |r: &Runner| r.rows.iter().filter(|row| row.valid_loss.is_none()).count();
    labels(runs.iter().map(|r| r.entry))
        .maybe("valid_loss", "least validation loss of an epoch", best(|row| row.valid_loss))
        .maybe("valid_error", "validation error rate there", best(|row| row.valid_error))
        .maybe("test_loss", "test loss there", best(|row| row.test_loss))
        .maybe("test_error", "test error rate there", best(|row| row.test_error))
        .index("epoch", "epoch of its training there, from 1", {
            runs.iter().map(|r| r.best().map_or(0, |row| row.epoch))
        })
        .real("cost", "multiplications spent in all", {
            runs.iter().map(|r| r.rows.last().map_or(0.0, |row| row.cost))
        })
        .index("trainings", "trainings", runs.iter().map(|r| trainings(r).len() as u32))
        .index("epochs", "epochs of all trainings", runs.iter().map(|r| r.rows.len() as u32))
        .index("diverged", "trainings that diverged", runs.iter().map(|r| diverged(r) as u32))
        .batch()
}

impl Race {
    /// One row per run and step of the budget.
    fn anytime(&self, runs: &[Runner]) -> Result<RecordBatch, TableError> {
        let steps = || (1..=STEPS).map(|step| f64::from(step) / f64::from(STEPS));
        let all: Vec<(&Runner, f64)> =
            runs.iter().flat_map(|run| steps().map(move |share| (run, share))).collect();
        let at = |part: fn(&Row) -> Option<f64>| {
            let value = |(run, share): &(&Runner, f64)| run.at(share * self.budget).and_then(part);
            all.iter().map(value).collect::<Vec<_>>()
        };
        labels(all.iter().map(|(run, _)| run.entry))
            .real("share", "share of the budget", all.iter().map(|(_, share)| *share))
            .real("cost", "multiplications", all.iter().map(|(_, share)| share * self.budget))
            .maybe("valid_loss", "least validation loss by then", at(|row| row.valid_loss))
            .maybe("test_loss", "test loss there", at(|row| row.test_loss))
            .batch()
    }
}

/// One row per run and improvement of its validation loss, and one at its end.
fn times(runs: &[Runner]) -> Result<RecordBatch, TableError> {
    let mut all = Vec::new();
    for run in runs {
        let last = run.until.len().checked_sub(1);
        let best = run.best().and_then(|row| row.valid_loss);
        let improved = run.improvements().into_iter().filter(|&i| i < run.until.len());
        all.extend(improved.map(|i| (run, i, run.rows[i].valid_loss)));
        all.extend(last.map(|i| (run, i, best)));
    }
    labels(all.iter().map(|(run, ..)| run.entry))
        .real("cpu_s", "CPU seconds of the run so far", all.iter().map(|(r, i, _)| r.until[*i].0))
        .real("wall_s", "elapsed seconds of its trainings so far", {
            all.iter().map(|(r, i, _)| r.until[*i].1)
        })
        .maybe("valid_loss", "least validation loss by then", all.iter().map(|(.., loss)| *loss))
        .batch()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_loss_by_then_counts() {
        let row = |cost, valid_loss: Option<f64>| Row {
            training: 0,
            epoch: 1,
            cost,
            valid_loss,
            valid_error: None,
            test_loss: valid_loss.map(|loss| loss + 1.0),
            test_error: None,
        };
        let rows = vec![
            row(1.0, Some(3.0)),
            row(2.0, None),
            row(5.0, Some(2.0)),
            row(7.0, Some(2.5)),
            row(10.0, Some(1.0)),
        ];
        let (method, role) = ("stn".to_owned(), "r".to_owned());
        let entry = Entry { method, replicate: 4, role };
        let until = vec![(1.0, 2.0); 5];
        let runs = [Runner { entry: &entry, rows, until }];
        assert_eq!(runs[0].improvements(), [0, 2, 4]);
        let race = Race { entries: Vec::new(), budget: 20.0 };
        let table = race.anytime(&runs).unwrap();
        let loss = Rows(&table).real("valid_loss").unwrap();
        // Steps of 0.5.
        assert!(loss[0].is_nan());
        assert_eq!([1, 8, 9, 18, 19, 39].map(|i| loss[i]), [3.0, 3.0, 2.0, 2.0, 1.0, 1.0]);
        let table = main(&runs).unwrap();
        let of = |name| Rows(&table).real(name).unwrap()[0];
        assert_eq!((of("valid_loss"), of("test_loss"), of("cost")), (1.0, 2.0, 10.0));
        assert_eq!(Rows(&table).index("diverged").unwrap(), [1]);
        assert_eq!(Rows(&times(&runs).unwrap()).real("cpu_s").unwrap().len(), 4);
    }
}

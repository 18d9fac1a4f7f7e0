//! The result and the cost of each run, and its progress.

use std::collections::BTreeSet;

use kit::{
    port::{Many, Out},
    row::Row,
};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::tables::{
    image_race::{Raced, Sooner},
    images::{Reached, Trained},
    label::Label,
    trace::Taken,
};

/// Number of steps of the budget at which curves are compared.
const STEPS: u32 = 40;

/// One run of a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The method.
    pub method: String,
    /// The replicate.
    pub replicate: u32,
    /// The role of its epochs.
    pub role: String,
}

/// Compares the runs.
#[derive(Serialize, Deserialize)]
pub struct Race {
    /// The runs.
    pub entries: Vec<Entry>,
    /// The number of multiplications that each could spend.
    pub budget: f64,
}

impl Entry {
    /// The role of the times of its epochs.
    #[must_use]
    pub fn times(&self) -> String {
        format!("{} times", self.role)
    }

    fn label(&self) -> Label {
        Label { method: self.method.clone(), replicate: self.replicate }
    }
}

/// The improvements of a run, and its end.
#[derive(Row)]
pub struct Improved {
    #[row(flatten)]
    label: Label,
    /// CPU seconds of the run so far
    cpu_s: f64,
    /// elapsed seconds of its trainings so far
    wall_s: f64,
    /// least validation loss by then
    valid_loss: Option<f64>,
}

impl Race {
    /// The epochs of runs, by their roles.
    pub const TRAINED: Many<Trained> = Many::new("");
    /// Their times, by [`Entry::times`].
    pub const TAKEN: Many<Taken> = Many::new("");
    /// The result of each run.
    pub const MAIN: Out<Raced> = Out::table("main");
    /// The progress by cost.
    pub const ANYTIME: Out<Sooner> = Out::table("anytime");
    /// The progress by time.
    pub const TIMES: Out<Improved> = Out::measured("times");
}

/// A run with its tables.
struct Runner<'a> {
    entry: &'a Entry,
    rows: Vec<Reached>,
    /// CPU and elapsed seconds up to the end of each row, as far as measured.
    until: Vec<(f64, f64)>,
}

impl Stage for Race {
    const KIND: &'static str = "stn/images/race";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::ANYTIME.output(), Self::TIMES.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs: Vec<Runner> = self
            .entries
            .iter()
            .filter(|entry| Self::TRAINED.at(&entry.role).is_there(cx))
            .map(|entry| Runner::read(cx, entry))
            .collect::<Result<_, _>>()?;
        if runs.is_empty() {
            return Err(Stop::Unavailable("no network could be trained".to_owned()));
        }
        Self::MAIN.write(cx, &runs.iter().map(Runner::raced).collect::<Vec<_>>())?;
        let sooner = runs.iter().flat_map(|run| run.sooner(self.budget));
        Self::ANYTIME.write(cx, &sooner.collect::<Vec<_>>())?;
        Self::TIMES.write(cx, &runs.iter().flat_map(Runner::times).collect::<Vec<_>>())
    }
}

impl<'a> Runner<'a> {
    fn read(cx: &Context, entry: &'a Entry) -> Result<Self, Stop> {
        let trained = Race::TRAINED.at(&entry.role).read(cx)?;
        let rows = trained.into_iter().map(|row| row.reached).collect();
        let taken = Race::TAKEN.at(entry.times()).read(cx)?;
        let add = |sum: &mut (f64, f64), taken: &Taken| {
            *sum = (sum.0 + taken.cpu_s, sum.1 + taken.wall_s);
            Some(*sum)
        };
        let until = taken.iter().scan((0.0, 0.0), add).collect();
        Ok(Self { entry, rows, until })
    }

    /// The indices of the rows that improved the validation loss.
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

    fn best(&self) -> Option<&Reached> {
        self.improvements().last().map(|&i| &self.rows[i])
    }

    /// The row with the lowest validation loss once `cost` is spent.
    fn at(&self, cost: f64) -> Option<&Reached> {
        let all = self.improvements().into_iter().map(|i| &self.rows[i]);
        // A budget is used up in whole epochs; an excess of less than one product is rounding.
        all.take_while(|row| row.cost <= cost * (1.0 + 1e-9)).last()
    }
}

impl Runner<'_> {
    fn raced(&self) -> Raced {
        let best = self.best();
        let trainings: BTreeSet<usize> = self.rows.iter().map(|row| row.training).collect();
        Raced {
            label: self.entry.label(),
            valid_loss: best.and_then(|row| row.valid_loss),
            valid_error: best.and_then(|row| row.valid_error),
            test_loss: best.and_then(|row| row.test_loss),
            test_error: best.and_then(|row| row.test_error),
            epoch: best.map_or(0, |row| row.epoch),
            cost: self.rows.last().map_or(0.0, |row| row.cost),
            trainings: trainings.len(),
            epochs: self.rows.len(),
            diverged: self.rows.iter().filter(|row| row.valid_loss.is_none()).count(),
        }
    }

    /// One row per step of the budget.
    fn sooner(&self, budget: f64) -> impl Iterator<Item = Sooner> {
        let shares = (1..=STEPS).map(|step| f64::from(step) / f64::from(STEPS));
        shares.map(move |share| {
            let row = self.at(share * budget);
            Sooner {
                label: self.entry.label(),
                share,
                cost: share * budget,
                valid_loss: row.and_then(|row| row.valid_loss),
                test_loss: row.and_then(|row| row.test_loss),
            }
        })
    }

    /// One row per improvement of the validation loss, and one at the end.
    fn times(&self) -> Vec<Improved> {
        let last = self.until.len().checked_sub(1);
        let best = self.best().and_then(|row| row.valid_loss);
        let improved = self.improvements().into_iter().filter(|&i| i < self.until.len());
        let improved = improved.map(|i| (i, self.rows[i].valid_loss));
        let row = |(i, valid_loss): (usize, Option<f64>)| {
            let (cpu_s, wall_s) = self.until[i];
            Improved { label: self.entry.label(), cpu_s, wall_s, valid_loss }
        };
        improved.chain(last.map(|i| (i, best))).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_loss_by_then_counts() {
        let row = |cost, valid_loss: Option<f64>| Reached {
            epoch: 1,
            cost,
            valid_loss,
            test_loss: valid_loss.map(|loss| loss + 1.0),
            ..Reached::default()
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
        let run = Runner { entry: &entry, rows, until: vec![(1.0, 2.0); 5] };
        assert_eq!(run.improvements(), [0, 2, 4]);
        // Steps of 0.5.
        let loss: Vec<Option<f64>> = run.sooner(20.0).map(|row| row.valid_loss).collect();
        assert_eq!(loss[0], None);
        let expected = [3.0, 3.0, 2.0, 2.0, 1.0, 1.0].map(Some);
        assert_eq!([1, 8, 9, 18, 19, 39].map(|i| loss[i]), expected);
        let raced = run.raced();
        assert_eq!((raced.valid_loss, raced.test_loss, raced.cost), (Some(1.0), Some(2.0), 10.0));
        assert_eq!((raced.diverged, run.times().len()), (1, 4));
    }
}

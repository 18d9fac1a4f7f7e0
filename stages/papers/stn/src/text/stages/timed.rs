//! Figure 4 (a) against time: when each method had found what the race says, by the seconds that were measured. A run's
//! trainings follow each other, as they do in the counted cost. Suggestions, which take other stages, are not counted.

use kit::port::{In, Many, Out};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use super::race::Run;
use crate::{
    tables::{
        text_race::NewBest,
        text_times::ByThen,
        trace::{Cost, Taken},
    },
    text::trained,
};

/// Adds times to the progress of the runs.
#[derive(Serialize, Deserialize)]
pub struct Timed {
    /// The runs.
    pub runs: Vec<Run>,
}

/// An epoch of a run: its cost, CPU seconds and elapsed seconds.
type Spent = [f64; 3];

impl Timed {
    /// The progress of the runs, by cost.
    pub const CURVES: In<NewBest> = In::new("curves");
    /// The times of trainings, by [`Timed::times`].
    pub const TAKEN: Many<Taken> = Many::new("");
    /// The progress by time.
    pub const MAIN: Out<ByThen> = Out::measured("main");

    /// The role of a training's times.
    #[must_use]
    pub fn times(training: &str) -> String {
        format!("{training} times")
    }
}

impl Stage for Timed {
    const KIND: &'static str = "stn/text/timed";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let curves = Self::CURVES.read(cx)?;
        let mut rows = Vec::new();
        for run in &self.runs {
            let own = |best: &&NewBest| {
                (best.run.method.as_str(), best.run.replicate) == (&run.method, run.replicate)
            };
            let bests: Vec<&NewBest> = curves.iter().filter(own).collect();
            // A run of which a training is not available is not in the race.
            if bests.is_empty() {
                continue;
            }
            let mut trainings = Vec::new();
            for training in &run.trainings {
                let costs = trained::cost(training).read(cx)?;
                let taken = Self::TAKEN.at(Self::times(training)).read(cx)?;
                trainings.push((costs, taken));
            }
            rows.extend(by_then(&bests, &spent(&trainings)));
        }
        Self::MAIN.write(cx, &rows)
    }
}

/// What a run has spent at the end of each epoch of its trainings.
fn spent(trainings: &[(Vec<Cost>, Vec<Taken>)]) -> Vec<Spent> {
    let (mut all, mut before) = (Vec::new(), [0.0; 3]);
    for (costs, taken) in trainings {
        let [start, mut cpu_s, mut wall_s] = before;
        for (cost, taken) in costs.iter().zip(taken) {
            cpu_s += taken.cpu_s;
            wall_s += taken.wall_s;
            before = [start + cost.cost, cpu_s, wall_s];
            all.push(before);
        }
    }
    all
}

/// One row per new best, at the end of its epoch, and one at the end of the run.
fn by_then(bests: &[&NewBest], spent: &[Spent]) -> Vec<ByThen> {
    let row = |best: &NewBest, &[_, cpu_s, wall_s]: &Spent| {
        let NewBest { run, perplexity, .. } = best;
        ByThen { run: run.clone(), cpu_s, wall_s, perplexity: *perplexity }
    };
    let at = |best: &NewBest| {
        // Sums of shares of passes are only exact up to rounding.
        let reached = spent.iter().find(|epoch| epoch[0] >= best.cost * (1.0 - 1e-9));
        reached.map(|epoch| row(best, epoch))
    };
    let end = bests.last().zip(spent.last()).map(|(best, epoch)| row(best, epoch));
    bests.iter().filter_map(|best| at(best)).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::label::Label;

    #[test]
    fn a_best_has_the_time_of_all_epochs_before() {
        let training = |costs: &[f64], seconds: &[f64]| {
            let cost = |(epoch, &cost): (usize, &f64)| Cost { epoch, cost };
            let label = Label { method: "random".to_owned(), replicate: 0 };
            let taken = |(epoch, &cpu_s): (usize, &f64)| Taken {
                label: label.clone(),
                epoch,
                cpu_s,
                wall_s: 2.0 * cpu_s,
            };
            let costs: Vec<Cost> = (1..).zip(costs).map(cost).collect();
            (costs, (1..).zip(seconds).map(taken).collect::<Vec<_>>())
        };
        let third = 1.0 / 3.0;
        let all = [
            training(&[third, 2.0 * third, 1.0], &[5.0, 6.0, 7.0]),
            training(&[third, 2.0 * third], &[1.0, 2.0]),
        ];
        let best = |cost, perplexity| NewBest { cost, perplexity, ..NewBest::default() };
        let bests = [best(third, 90.0), best(1.0 + third, 80.0)];
        let rows = by_then(&bests.iter().collect::<Vec<_>>(), &spent(&all));
        let seen: Vec<_> = rows.iter().map(|r| (r.cpu_s, r.wall_s, r.perplexity)).collect();
        assert_eq!(seen, [(5.0, 10.0, 90.0), (19.0, 38.0, 80.0), (21.0, 42.0, 80.0)]);
    }

    #[test]
    fn what_was_not_measured_has_no_time_and_neither_has_what_follows() {
        let label = Label { method: "stn".to_owned(), replicate: 0 };
        let taken = |cpu_s| Taken { label: label.clone(), epoch: 1, cpu_s, wall_s: cpu_s };
        let costs = [1.0, 2.0, 3.0].map(|cost| Cost { epoch: 1, cost }).to_vec();
        let times = [1.0, f64::NAN, 1.0].map(taken).to_vec();
        let seconds: Vec<f64> = spent(&[(costs, times)]).iter().map(|epoch| epoch[1]).collect();
        assert!(seconds[0] == 1.0 && seconds[1].is_nan() && seconds[2].is_nan());
    }
}

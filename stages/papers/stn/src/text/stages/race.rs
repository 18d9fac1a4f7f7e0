//! Table 2 and figure 4 (a): the best validation perplexity of each method against its cost.

use kit::port::Out;
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use super::collect::name_of_text;
use crate::{
    tables::{
        text_race::{NewBest, Raced, RunName},
        trace::{Cost, Epoch},
    },
    text::trained,
};

/// One run of a method: its trainings in the order in which they were suggested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The method.
    pub method: String,
    /// The replicate.
    pub replicate: u32,
    /// The stages that trained.
    pub trainings: Vec<String>,
}

/// Compares the runs.
#[derive(Serialize, Deserialize)]
pub struct Race {
    /// The runs.
    pub runs: Vec<Run>,
    /// The budget of each, in passes of the plain network.
    pub budget: f64,
}

/// A new best of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Best {
    cost: f64,
    valid: f64,
    test: f64,
}

impl Race {
    /// The result of each run.
    pub const MAIN: Out<Raced> = Out::table("main");
    /// The progress of each run.
    pub const CURVES: Out<NewBest> = Out::table("curves");
}

impl Stage for Race {
    const KIND: &'static str = "stn/text/race";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::CURVES.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let given = |training: &String| trained::epochs(training).is_there(cx);
        let whole = |run: &&Run| run.trainings.iter().all(given);
        let text = name_of_text(cx)?;
        let (mut main, mut curves) = (Vec::new(), Vec::new());
        for run in self.runs.iter().filter(whole) {
            let mut trainings = Vec::new();
            for training in &run.trainings {
                let cost = trained::cost(training).read(cx)?;
                trainings.push((trained::epochs(training).read(cx)?, cost));
            }
            let (bests, spent) = bests(&trainings, self.budget);
            let (method, replicate) = (run.method.clone(), run.replicate);
            let name = RunName { text: text.clone(), method, replicate };
            main.push(Raced {
                run: name.clone(),
                perplexity: bests.last().map(|best| best.valid.exp()),
                test: bests.last().map(|best| best.test.exp()),
                trainings: trainings.len(),
                cost: spent,
                budget: self.budget,
            });
            curves.extend(bests.iter().map(|best| NewBest {
                run: name.clone(),
                cost: best.cost,
                perplexity: best.valid.exp(),
            }));
        }
        if main.is_empty() {
            return Err(Stop::Unavailable("no network could be trained on a text".to_owned()));
        }
        Self::MAIN.write(cx, &main)?;
        Self::CURVES.write(cx, &curves)
    }
}

/// The new bests of consecutive trainings within a budget, and the cost of all of them.
fn bests(trainings: &[(Vec<Epoch>, Vec<Cost>)], budget: f64) -> (Vec<Best>, f64) {
    let (mut all, mut before) = (Vec::<Best>::new(), 0.0);
    for (epochs, cost) in trainings {
        for (epoch, spent) in epochs.iter().zip(cost) {
            let (valid, test) = (epoch.ended.valid_loss, epoch.ended.test_loss);
            let best = Best { cost: before + spent.cost, valid, test: test.unwrap_or(f64::NAN) };
            let better = all.last().is_none_or(|last| best.valid < last.valid);
            // Sums of shares of passes are only exact up to rounding.
            if better && best.cost <= budget * (1.0 + 1e-9) {
                all.push(best);
            }
        }
        before += cost.last().map_or(0.0, |last| last.cost);
    }
    (all, before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::trace::Ended;

    #[test]
    fn trainings_follow_each_other_within_the_budget() {
        let training = |valid: &[f64]| {
            let epoch = |&valid_loss: &f64| {
                let ended =
                    Ended { valid_loss, test_loss: Some(valid_loss + 1.0), ..Ended::default() };
                Epoch { ended, ..Epoch::default() }
            };
            let cost = |epoch: usize| Cost { epoch, cost: epoch as f64 };
            (valid.iter().map(epoch).collect(), (1..=valid.len()).map(cost).collect())
        };
        let all = [training(&[5.0, 4.0, 4.5]), training(&[3.0, 3.5]), training(&[1.0])];
        let seen = |budget| {
            let (bests, spent) = bests(&all, budget);
            assert_eq!(spent, 6.0);
            bests.into_iter().map(|b| (b.cost, b.valid)).collect::<Vec<_>>()
        };
        assert_eq!(seen(5.0), [(1.0, 5.0), (2.0, 4.0), (4.0, 3.0)]);
        assert_eq!(seen(6.0).last(), Some(&(6.0, 1.0)));
    }
}

//! Table 2 and figure 4 (a): the best validation perplexity of each method against what it has spent.

use arrow_array::RecordBatch;
use kit::table::{Columns, Rows};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use super::collect::name_of_text;

/// One run of a method: its trainings in the order in which they were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The method.
    pub method: String,
    /// The replicate.
    pub replicate: u32,
    /// The stages that trained.
    pub trainings: Vec<String>,
}

/// The role of the epochs of a training, or of what they cost.
#[must_use]
pub fn role(training: &str, output: &str) -> String {
    format!("{training} {output}")
}

/// Compares the runs.
#[derive(Serialize, Deserialize)]
pub struct Race {
    /// The runs.
    pub runs: Vec<Run>,
    /// What each may spend, in passes of the plain network.
    pub budget: f64,
}

/// A new best of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Best {
    cost: f64,
    valid: f64,
    test: f64,
}

impl Stage for Race {
    const KIND: &'static str = "stn/text/race";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Output::table("main"), Output::table("curves")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let given = |training: &String| cx.roles().any(|r| r == role(training, "main"));
        let whole = |run: &&Run| run.trainings.iter().all(given);
        let mut all = Vec::new();
        for run in self.runs.iter().filter(whole) {
            let mut trainings = Vec::new();
            for training in &run.trainings {
                let cost = cx.input(&role(training, "cost"))?;
                trainings.push((cx.input(&role(training, "main"))?, cost));
            }
            let (bests, spent) = bests(&trainings, self.budget)?;
            all.push((run, bests, spent));
        }
        if all.is_empty() {
            return Err(Stop::Unavailable("no network could be trained on a text".to_owned()));
        }
        let last = |bests: &[Best], of: fn(&Best) -> f64| bests.last().map(of);
        let text = &name_of_text(cx)?;
        let about = "the text that networks are trained on";
        let main = Columns::new()
            .text("text", about, all.iter().map(|_| text))
            .text("method", "the method", all.iter().map(|r| &r.0.method))
            .index("replicate", "which repeat", all.iter().map(|r| r.0.replicate))
            .maybe(
                "perplexity",
                "least validation perplexity within the budget",
                all.iter().map(|r| last(&r.1, |b| b.valid.exp())),
            )
            .maybe(
                "test",
                "test perplexity there",
                all.iter().map(|r| last(&r.1, |b| b.test.exp())),
            )
            .index("trainings", "trainings", all.iter().map(|r| r.0.trainings.len() as u32))
            .real("cost", "passes of the plain network, all told", all.iter().map(|r| r.2))
            .real("budget", "passes that it may spend", all.iter().map(|_| self.budget))
            .batch()?;
        let rows: Vec<(&Run, &Best)> =
            all.iter().flat_map(|(run, bests, _)| bests.iter().map(move |b| (*run, b))).collect();
        let curves = Columns::new()
            .text("text", about, rows.iter().map(|_| text))
            .text("method", "the method", rows.iter().map(|r| &r.0.method))
            .index("replicate", "which repeat", rows.iter().map(|r| r.0.replicate))
            .real("cost", "passes of the plain network before", rows.iter().map(|r| r.1.cost))
            .real(
                "perplexity",
                "least validation perplexity so far",
                rows.iter().map(|r| r.1.valid.exp()),
            )
            .batch()?;
        cx.write("main", &main)?;
        Ok(cx.write("curves", &curves)?)
    }
}

/// The new bests of trainings that follow each other, within a budget, and what all of them cost.
fn bests(trainings: &[(RecordBatch, RecordBatch)], budget: f64) -> Result<(Vec<Best>, f64), Stop> {
    let (mut all, mut before) = (Vec::<Best>::new(), 0.0);
    for (epochs, cost) in trainings {
        let (valid, test) = (Rows(epochs).real("valid_loss")?, Rows(epochs).real("test_loss")?);
        let cost = Rows(cost).real("cost")?;
        for (i, spent) in cost.iter().enumerate() {
            let best = Best { cost: before + spent, valid: valid[i], test: test[i] };
            let better = all.last().is_none_or(|last| best.valid < last.valid);
            // Sums of shares of passes are exact only up to rounding.
            if better && best.cost <= budget * (1.0 + 1e-9) {
                all.push(best);
            }
        }
        before += cost.last().copied().unwrap_or(0.0);
    }
    Ok((all, before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trainings_follow_each_other_within_the_budget() {
        let training = |valid: &[f64]| {
            let epochs = Columns::new()
                .real("valid_loss", "", valid.iter().copied())
                .real("test_loss", "", valid.iter().map(|v| v + 1.0))
                .batch()
                .unwrap();
            let cost = (1..=valid.len()).map(|i| i as f64);
            (epochs, Columns::new().real("cost", "", cost).batch().unwrap())
        };
        let all = [training(&[5.0, 4.0, 4.5]), training(&[3.0, 3.5]), training(&[1.0])];
        let seen = |budget| {
            let (bests, spent) = bests(&all, budget).unwrap();
            assert_eq!(spent, 6.0);
            bests.into_iter().map(|b| (b.cost, b.valid)).collect::<Vec<_>>()
        };
        assert_eq!(seen(5.0), [(1.0, 5.0), (2.0, 4.0), (4.0, 3.0)]);
        assert_eq!(seen(6.0).last(), Some(&(6.0, 1.0)));
    }
}

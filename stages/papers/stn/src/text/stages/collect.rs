//! Collects the trainings of one experiment in three tables: the result of each, its epochs, and the courses
//! of its hyper-parameters.

use kit::port::{In, Out};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    tables::{
        collected::{Collected, CollectedEpoch, CollectedStep, Named, Outcome, Which},
        trace::{Cost, Epoch, Step},
    },
    text::trained,
};

/// A training and its part in the experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The kind of training.
    pub method: String,
    /// The value that was set, if one was, and a second one.
    pub value: Option<f64>,
    /// See `value`.
    pub second: Option<f64>,
    /// The replicate.
    pub replicate: u32,
    /// The stage that trained.
    pub stage: String,
}

impl Entry {
    fn which(&self, text: &str) -> Which {
        Which {
            text: text.to_owned(),
            method: self.method.clone(),
            value: self.value,
            second: self.second,
            replicate: self.replicate,
        }
    }
}

/// Concatenates trainings.
#[derive(Serialize, Deserialize)]
pub struct Collect {
    /// The trainings in the order of the tables.
    pub entries: Vec<Entry>,
    /// The epochs that are kept; all if the list is empty.
    pub shown: Vec<u32>,
}

impl Collect {
    /// The results.
    pub const MAIN: Out<Collected> = Out::table("main");
    /// Their epochs.
    pub const EPOCHS: Out<CollectedEpoch> = Out::table("epochs");
    /// The courses of hyper-parameters.
    pub const STEPS: Out<CollectedStep> = Out::table("steps");
}

impl Stage for Collect {
    const KIND: &'static str = "stn/text/collect";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::EPOCHS.output(), Self::STEPS.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let text = name_of_text(cx)?;
        let shown = |epoch: &Epoch| {
            self.shown.is_empty() || self.shown.iter().any(|e| *e as usize == epoch.ended.epoch)
        };
        let (mut main, mut all_epochs, mut all_steps) = (Vec::new(), Vec::new(), Vec::new());
        for entry in &self.entries {
            let Some(epochs) = trained::epochs(&entry.stage).read_if_there(cx)? else { continue };
            let (which, cost) = (entry.which(&text), trained::cost(&entry.stage).read(cx)?);
            main.push(Collected { which: which.clone(), outcome: Outcome::of(&epochs, &cost) });
            let which = || which.clone();
            let kept = epochs.into_iter().filter(shown);
            all_epochs.extend(kept.map(|e| CollectedEpoch { which: which(), ended: e.ended }));
            let steps = trained::steps(&entry.stage).read(cx)?.into_iter();
            all_steps.extend(steps.map(|Step { batches, name, value: at, scale, .. }| {
                CollectedStep { which: which(), batches, name, at, scale }
            }));
        }
        if main.is_empty() {
            return Err(Stop::Unavailable("no network could be trained on a text".to_owned()));
        }
        Self::MAIN.write(cx, &main)?;
        Self::EPOCHS.write(cx, &all_epochs)?;
        Self::STEPS.write(cx, &all_steps)
    }
}

impl Outcome {
    fn of(epochs: &[Epoch], cost: &[Cost]) -> Self {
        let all = epochs.iter().map(|epoch| &epoch.ended).enumerate();
        let best = all.min_by(|a, b| a.1.valid_loss.total_cmp(&b.1.valid_loss));
        Self {
            perplexity: best.map(|(_, epoch)| epoch.valid_loss.exp()),
            test: best.map(|(_, epoch)| epoch.test_loss.unwrap_or(f64::NAN).exp()),
            best_epoch: best.map_or(0, |(at, _)| at + 1),
            epochs: epochs.len(),
            cost: cost.last().map_or(0.0, |last| last.cost),
        }
    }
}

/// The text of the trainings.
pub const TEXT: In<Named> = In::new("text");

/// Its name.
///
/// # Errors
/// If the input holds no name.
pub fn name_of_text(cx: &Context) -> Result<String, Stop> {
    let first = TEXT.read(cx)?.into_iter().next();
    first.map(|row| row.text).ok_or_else(|| Stop::Failed("the text has no name".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::trace::Ended;

    #[test]
    fn a_training_is_worth_its_best_epoch() {
        let epoch = |&valid_loss: &f64| {
            let test_loss = (valid_loss < 2.0).then_some(2.0 * valid_loss);
            let ended = Ended { valid_loss, test_loss, ..Ended::default() };
            Epoch { ended, ..Epoch::default() }
        };
        let epochs = |valid: &[f64]| valid.iter().map(epoch).collect::<Vec<_>>();
        let cost = [1.5, 3.0, 4.5].map(|cost| Cost { epoch: 1, cost });
        let found = Outcome::of(&epochs(&[2.0, 1.0, 3.0]), &cost);
        assert_eq!((found.perplexity, found.test), (Some(1f64.exp()), Some(2f64.exp())));
        assert_eq!((found.best_epoch, found.epochs, found.cost), (2, 3, 4.5));
        let found = Outcome::of(&[], &[]);
        assert_eq!((found.perplexity, found.best_epoch), (None, 0));
    }
}

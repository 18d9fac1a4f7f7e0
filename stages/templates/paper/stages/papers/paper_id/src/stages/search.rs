//! One search: a method, its evaluations, the lowest loss so far.

use kit::table::Columns;
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::{method::Method, minimise::minimise, tuner::Suggestion};

use crate::objective;

/// Searches once. What is in here decides the result and enters the stage's key.
#[derive(Serialize, Deserialize)]
pub struct Search {
    /// The method's name in tables.
    pub method: String,
    /// The method. It may be any tuner: an edit of one reruns the searches of all.
    pub tuner: Method,
    /// Evaluations.
    pub evaluations: usize,
    /// Number of the repeat, from 0.
    pub repeat: u32,
}

impl Stage for Search {
    const KIND: &'static str = "paper_id/search";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let tuner = self.tuner.tuner(objective::space());
        let mut tuner = tuner.map_err(|e| Stop::Failed(e.to_string()))?;
        // DIFFERS: what the paper does otherwise is said in a comment like this one, with the
        // reason; the report lists them all.
        let mut rng = cx.rng("search")?;
        let loss = |s: &Suggestion| objective::loss(&s.config);
        let found = minimise(&mut *tuner, self.evaluations, &mut rng, loss);
        let losses: Vec<f64> = found.trials.iter().map(|trial| trial.value).collect();
        let best = losses.iter().scan(f64::INFINITY, |best, &loss| {
            *best = best.min(loss);
            Some(*best)
        });
        let n = losses.len();
        let table = Columns::new()
            .text("problem", "what is tuned", (0..n).map(|_| objective::NAME))
            .text("method", "the method", (0..n).map(|_| &self.method))
            .index("repeat", "number of the repeat", (0..n).map(|_| self.repeat))
            .index("evaluation", "evaluations so far", (1..=n).map(|i| i as u32))
            .real("loss", "the loss of this one", losses.iter().copied())
            .real("best", "the lowest loss so far", best)
            .batch()?;
        Ok(cx.write("main", &table)?)
    }
}

//! One search: a method, its evaluations, the lowest loss so far.

use kit::port::Out;
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::{
    method::Method,
    minimise::minimise,
    tuner::{Suggestion, Trial},
};

use crate::{objective, tried::Tried};

/// Searches once. These fields decide the result and are part of the stage's key.
#[derive(Serialize, Deserialize)]
pub struct Search {
    /// The method's name in tables.
    pub method: String,
    /// The method. It can be any tuner: an edit of one tuner reruns the searches of all.
    pub tuner: Method,
    /// Number of evaluations.
    pub evaluations: usize,
    /// Number of the repeat, from 0.
    pub repeat: u32,
}

impl Search {
    /// The evaluations.
    pub const MAIN: Out<Tried> = Out::table("main");
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
        let mut best = f64::INFINITY;
        let row = |(i, trial): (usize, &Trial)| {
            best = best.min(trial.value);
            Tried {
                problem: objective::NAME.to_owned(),
                method: self.method.clone(),
                repeat: self.repeat,
                evaluation: i + 1,
                loss: trial.value,
                best,
            }
        };
        let tried: Vec<Tried> = found.trials.iter().enumerate().map(row).collect();
        Self::MAIN.write(cx, &tried)
    }
}

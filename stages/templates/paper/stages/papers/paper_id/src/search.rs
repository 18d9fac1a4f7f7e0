//! One search: a method, its evaluations, the lowest loss so far.

use kit::{port::Out, tried::Tried};
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::method::Method;

use crate::objective;

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
        let mut tuner = self.tuner.tuner(objective::space()).map_err(Stop::failed)?;
        // DIFFERS: a departure from the paper is said in a comment like this one, with the reason.
        let (mut rng, mut losses) = (cx.rng("search")?, Vec::new());
        driver::Search::new(&mut *tuner, &mut rng).run(self.evaluations, |asked, _| {
            losses.push(objective::loss(&asked.config));
            Ok(losses.last().map(|&loss| loss.into()))
        })?;
        Self::MAIN.write(cx, &Tried::run(objective::NAME, &self.method, self.repeat, &losses))
    }
}

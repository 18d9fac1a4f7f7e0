//! One method on one target, for some seeds.

use kit::port::Out;
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::method::Method;

use crate::{search::search, tables::run::Run, target::Target};

/// Points of a curve.
const POINTS: u32 = 20;

/// A method on a target.
#[derive(Serialize, Deserialize)]
pub struct Arm {
    /// The method's name in tables.
    pub name: String,
    /// The method. It can be any tuner: an edit of one tuner reruns the runs of all.
    pub method: Method,
    /// What is minimised.
    pub target: Target,
    /// Evaluations of a run.
    pub evaluations: u32,
    /// The first seed.
    pub first: u32,
    /// Number of seeds.
    pub seeds: u32,
}

impl Arm {
    /// The runs, at some numbers of evaluations.
    pub const MAIN: Out<Run> = Out::table("main");
}

impl Stage for Arm {
    const KIND: &'static str = "tpe/arm";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let target = self.target.open(cx)?;
        let every = (self.evaluations / POINTS).max(1);
        let mut rows = Vec::new();
        for seed in self.first..self.first + self.seeds {
            let tuner = self.method.tuner(target.space.clone());
            let mut tuner = tuner.map_err(|e| Stop::Failed(e.to_string()))?;
            let mut asking = cx.rng(&format!("ask {seed}"))?;
            let mut looking = cx.rng(&format!("look up {seed}"))?;
            let streams = (&mut asking, &mut looking);
            let found = search(&target, &mut *tuner, self.evaluations, streams);
            for (evaluations, incumbent) in (1..).zip(&found) {
                if evaluations % every == 0 || evaluations == self.evaluations {
                    rows.push(Run {
                        method: self.name.clone(),
                        group: self.target.group(),
                        target: self.target.name(),
                        seed,
                        evaluations,
                        best: incumbent.best,
                        mean: incumbent.mean,
                    });
                }
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}

//! All settings of a grid on one target, with the random numbers of one seed.

use kit::port::Out;
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::bayesian::component_tpe::ComponentTpe;

use crate::{grid::Grid, search::search, study::MARKS, tables::ablated::Ablated, target::Target};

/// The settings on a target.
#[derive(Serialize, Deserialize)]
pub struct Ablation {
    /// The settings.
    pub grid: Grid,
    /// How many of them are tried.
    pub draw: usize,
    /// What is minimised.
    pub target: Target,
    /// Evaluations of a run.
    pub evaluations: u32,
    /// Number of the seed.
    pub number: u32,
}

impl Ablation {
    /// The runs.
    pub const MAIN: Out<Ablated> = Out::table("main");
}

impl Stage for Ablation {
    const KIND: &'static str = "tpe/ablation";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let target = self.target.open(cx)?;
        // All settings have the same random numbers, and so the same first trials.
        let asking = cx.rng(&format!("ask {}", self.number))?;
        let looking = cx.rng(&format!("look up {}", self.number))?;
        let mut rows = Vec::new();
        for (setting, settings) in
            (0..).zip(self.grid.settings(self.target.categorical(), self.draw))
        {
            let mut tuner = ComponentTpe::new(target.space.clone(), settings)
                .map_err(|e| Stop::Failed(e.to_string()))?;
            let streams = (&mut asking.clone(), &mut looking.clone());
            let found = search(&target, &mut tuner, self.evaluations, streams);
            let after = |mark: usize| {
                let evaluations = self.evaluations as usize * mark / MARKS;
                found.get(evaluations.max(1) - 1).map_or(f64::NAN, |one| one.best)
            };
            rows.push(Ablated {
                group: self.target.group(),
                target: self.target.name(),
                seed: self.number,
                setting,
                quarter: after(1),
                half: after(2),
                three_quarters: after(3),
                whole: after(4),
            });
        }
        Self::MAIN.write(cx, &rows)
    }
}

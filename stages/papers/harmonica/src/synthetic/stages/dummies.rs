//! Claim H6 on a synthetic function: what Harmonica selects if some variables have no effect.

use kit::port::Out;
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::harmonica::HarmonicaSettings;

use crate::{
    synthetic::{
        config::Dummies,
        function::Weights,
        run::{function, noisy_stages},
    },
    tables::dummies::{Selected, dummies_among},
};

/// Harmonica on functions of only the first variables.
#[derive(Serialize, Deserialize)]
pub struct DummiesStage {
    /// How the function is drawn.
    pub weights: Weights,
    /// Number of variables, including the dummies.
    pub variables: usize,
    /// Harmonica's settings.
    pub settings: HarmonicaSettings,
    /// Active variables, noise, seeds.
    pub values: Dummies,
}

impl DummiesStage {
    /// The features.
    pub const MAIN: Out<Selected> = Out::table("main");
}

impl Stage for DummiesStage {
    const KIND: &'static str = "harmonica/dummies";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(200)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let idle = self.variables - self.values.active;
        let chance = dummies_among(self.variables, idle, self.settings.degree);
        let mut rows = Vec::new();
        for seed in 0..self.values.seeds {
            let HarmonicaSettings { stages: levels, features, degree, .. } = self.settings;
            let shape = (self.values.active, degree);
            let h = function(cx, seed, self.weights, shape, (levels, features))?;
            let noise = (self.weights, self.values.noise);
            let all = noisy_stages(cx, seed, &h, noise, self.settings, self.variables)?;
            for (i, stage) in all.iter().enumerate() {
                for (rank, term) in stage.polynomial().terms.iter().enumerate() {
                    let idle = term.monomial.iter().filter(|&&v| v >= self.values.active).count();
                    let name = |v: &usize| format!("x{}", v + 1);
                    rows.push(Selected {
                        seed,
                        stage: i + 1,
                        rank: rank + 1,
                        feature: term.monomial.iter().map(name).collect::<Vec<_>>().join(" "),
                        weight: term.weight,
                        dummies: idle,
                        alone: idle == 1 && term.monomial.len() == 1,
                        chance,
                    });
                }
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}

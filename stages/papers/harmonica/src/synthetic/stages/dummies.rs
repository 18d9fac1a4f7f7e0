//! Claim H6 on a synthetic function: what Harmonica selects where some variables do nothing.

use kit::table::Columns;
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::harmonica::HarmonicaSettings;

use crate::{
    dummies_among,
    synthetic::{
        config::Dummies,
        function::Weights,
        run::{function, noisy_stages},
    },
};

/// Harmonica on functions of the first variables alone.
#[derive(Serialize, Deserialize)]
pub struct DummiesStage {
    /// How the function is drawn.
    pub weights: Weights,
    /// Variables, the dummies included.
    pub variables: usize,
    /// Harmonica's.
    pub settings: HarmonicaSettings,
    /// Active variables, noise, seeds.
    pub values: Dummies,
}

struct Row {
    seed: u32,
    stage: u32,
    rank: u32,
    feature: String,
    weight: f64,
    dummies: u32,
    alone: bool,
}

impl Stage for DummiesStage {
    const KIND: &'static str = "harmonica/dummies";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(200)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
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
                    rows.push(Row {
                        seed,
                        stage: i as u32 + 1,
                        rank: rank as u32 + 1,
                        feature: term.monomial.iter().map(name).collect::<Vec<_>>().join(" "),
                        weight: term.weight,
                        dummies: idle as u32,
                        alone: idle == 1 && term.monomial.len() == 1,
                    });
                }
            }
        }
        let chance = dummies_among(
            self.variables,
            self.variables - self.values.active,
            self.settings.degree,
        );
        let table = Columns::new()
            .index("seed", "function and samples", rows.iter().map(|r| r.seed))
            .index("stage", "stage, from 1", rows.iter().map(|r| r.stage))
            .index("rank", "place by the size of its weight", rows.iter().map(|r| r.rank))
            .text("feature", "its variables", rows.iter().map(|r| &r.feature))
            .real("weight", "its weight", rows.iter().map(|r| r.weight))
            .index("dummies", "how many of them do nothing", rows.iter().map(|r| r.dummies))
            .flag("alone", "whether it is one dummy variable", rows.iter().map(|r| r.alone))
            .real(
                "chance",
                "the share of such features among all that could be selected",
                rows.iter().map(|_| chance),
            )
            .batch()?;
        Ok(cx.write("main", &table)?)
    }
}

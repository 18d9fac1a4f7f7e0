//! Table 1 on a synthetic function: whether the features of a stage and their signs stay the same as the
//! Lasso's weight and the number of samples vary. The samples are drawn once and kept.

use std::collections::BTreeSet;

use kit::port::Out;
use models::polynomial::{
    lasso::{Lasso, largest_alpha},
    sparse_parity::{Polynomial, recover},
};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::harmonica::HarmonicaSettings;

use crate::{
    synthetic::{
        config::{Range, Stability},
        function::Weights,
        run::{self, function, noisy_stages},
    },
    tables::stability::Moved,
};

/// Relative duality gap and sweeps of the Lasso.
const SOLVER: (f64, usize) = (1e-8, 100_000);

/// Table 1 for every function.
#[derive(Serialize, Deserialize)]
pub struct StabilityStage {
    /// How the function is drawn.
    pub weights: Weights,
    /// Number of variables.
    pub variables: usize,
    /// Harmonica's settings.
    pub settings: HarmonicaSettings,
    /// Ranges, noise, seeds.
    pub values: Stability,
}

/// A feature with the sign of its weight.
type Signed = BTreeSet<(Vec<usize>, bool)>;

fn signed(g: &Polynomial) -> Signed {
    g.terms.iter().map(|t| (t.monomial.clone(), t.weight > 0.0)).collect()
}

impl StabilityStage {
    /// Table 1.
    pub const MAIN: Out<Moved> = Out::table("main");
}

impl Stage for StabilityStage {
    const KIND: &'static str = "harmonica/stability";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut rows = Vec::new();
        for seed in 0..self.values.seeds {
            let HarmonicaSettings { stages: levels, features, degree, .. } = self.settings;
            let shape = (self.variables, degree);
            let h = function(cx, seed, self.weights, shape, (levels, features))?;
            let noise = (self.weights, self.values.noise);
            let all = noisy_stages(cx, seed, &h, noise, self.settings, self.variables)?;
            for (i, (stage, range)) in all.iter().zip(&self.values.stages).enumerate() {
                rows.extend(self.stage(seed, i as u32 + 1, stage, range)?);
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}

impl StabilityStage {
    fn stage(
        &self,
        seed: u32,
        stage: u32,
        run: &run::Stage,
        range: &Range,
    ) -> Result<Vec<Moved>, Stop> {
        let fail = |e: &dyn std::fmt::Display| Stop::Failed(format!("seed {seed}: {e}"));
        let all = run.samples.len();
        let targets = run.targets(self.settings.residual);
        let whole = run.design(all, self.settings.degree)?;
        // DIFFERS: Table 1 has λ for test errors. Here α keeps its proportion to the largest weight.
        let largest = largest_alpha(&whole, &targets).map_err(|e| fail(&e))?;
        let features = |lambda: f64, rows: usize| -> Result<(f64, Signed), Stop> {
            let alpha = lambda / (2.0 * all as f64) / range.first_weight * largest;
            let design = run.design(rows, self.settings.degree)?;
            let lasso = Lasso::new(SOLVER.0, SOLVER.1).map_err(|e| fail(&e))?;
            let g = recover(&design, &targets[..rows], &lasso, alpha, self.settings.features);
            Ok((2.0 * rows as f64 * alpha, signed(&g.map_err(|e| fail(&e))?)))
        };
        let [low, high] = range.lambda;
        let middle = (low * high).sqrt();
        let (_, expected) = features(middle, all)?;
        let mut rows = Vec::new();
        let mut row = |moved: &'static str, at: &'static str, value, found: &Signed| {
            let (shared, same) = (found.intersection(&expected).count(), *found == expected);
            let (moved, at) = (moved.into(), at.into());
            rows.push(Moved { seed, stage, moved, at, value, shared, same });
        };
        for (at, lambda) in [("low", low), ("middle", middle), ("high", high)] {
            let (value, found) = features(lambda, all)?;
            row("lambda", at, value, &found);
        }
        let (_, found) = features(middle, range.samples)?;
        row("samples", "fewest", range.samples as f64, &found);
        Ok(rows)
    }
}

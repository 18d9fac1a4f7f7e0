//! Figures 2 and 3 on a synthetic function: Harmonica-1 against random search and Hyperband, which can spend
//! several times as much.
//!
//! A full evaluation costs 1 and has noise of level A; one on 1/k of the resource costs 1/k and has √k times
//! the noise, as a mean of fewer observations. A sample of Harmonica's stage is such a partial evaluation:
//! the paper takes it from a smaller network.

use driver::{Budget, Search};
use kit::port::Out;
use numerics::space::Space;
use pipeline::stage::{Context, Needs, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use tuners::{
    harmonica::{Harmonica, HarmonicaSettings},
    multi_fidelity::{
        hyperband::{Hyperband, HyperbandSettings},
        successive_halving::{SuccessiveHalving, SuccessiveHalvingSettings},
    },
    random::Random,
    tuner::{Error, Fidelity, Tuner},
};

use crate::{
    synthetic::{
        config::Contest,
        function::{Hierarchy, Weights},
        run::{function, minus, space},
    },
    tables::contest::Played,
};

/// All methods on the same functions.
#[derive(Serialize, Deserialize)]
pub struct ContestStage {
    /// How the function is drawn.
    pub weights: Weights,
    /// Number of variables.
    pub variables: usize,
    /// Number of levels of the function.
    pub levels: usize,
    /// Harmonica's settings.
    pub settings: HarmonicaSettings,
    /// Costs, noise, seeds.
    pub values: Contest,
}

/// The budget of a run: a number of cheap samples first, then a number of full evaluations.
struct Purse {
    samples: usize,
    resource: f64,
}

/// A method with its name and its budget.
type Player = (String, Box<dyn Tuner>, Purse);

impl ContestStage {
    /// All runs.
    pub const MAIN: Out<Played> = Out::table("main");
}

impl Stage for ContestStage {
    const KIND: &'static str = "harmonica/contest";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(200)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut rows = Vec::new();
        for seed in 0..self.values.seeds {
            let HarmonicaSettings { features, degree, .. } = self.settings;
            let shape = (self.variables, degree);
            let h = function(cx, seed, self.weights, shape, (self.levels, features))?;
            for (method, mut tuner, purse) in self.methods(&space(self.variables)?)? {
                let mut asking = cx.rng(&format!("ask {seed} {method}"))?;
                let mut noise = cx.rng(&format!("noise {seed} {method}"))?;
                let row = self.play(&h, tuner.as_mut(), &purse, &mut asking, &mut noise)?;
                rows.push(Played { method, seed, ..row });
            }
        }
        let lowest: Vec<f64> = rows.iter().map(|row| lowest(&rows, row.seed)).collect();
        for (row, lowest) in rows.iter_mut().zip(lowest) {
            row.regret = row.value - lowest;
        }
        Self::MAIN.write(cx, &rows)
    }
}

/// The lowest value of all methods on a function.
fn lowest(rows: &[Played], seed: u32) -> f64 {
    let own = rows.iter().filter(|r| r.seed == seed).map(|r| r.value);
    own.fold(f64::INFINITY, f64::min)
}

impl ContestStage {
    fn methods(&self, space: &Space) -> Result<Vec<Player>, Stop> {
        let fail = |e: Error| Stop::Failed(e.to_string());
        let values = &self.values;
        let cheap = self.settings.stages * self.settings.samples;
        let base = values.base_resource as f64;
        let whole = cheap as f64 / values.sample_divisor as f64 + base;
        let configurations = usize::try_from(values.budgets.maximum / values.budgets.minimum);
        let halving = SuccessiveHalvingSettings {
            budgets: values.budgets,
            configurations: configurations.unwrap_or(usize::MAX),
            brackets: None,
        };
        let halving = SuccessiveHalving::new(space.clone(), halving).map_err(fail)?;
        let harmonica = Harmonica::with_base(space.clone(), self.settings, Box::new(halving));
        let hyperband = HyperbandSettings { budgets: values.budgets, brackets: None };
        let hyperband = Hyperband::new(space.clone(), hyperband).map_err(fail)?;
        let times = |k: u64| Purse { samples: 0, resource: k as f64 * whole };
        Ok(vec![
            (
                format!("harmonica-{}", self.settings.stages),
                Box::new(harmonica.map_err(fail)?),
                Purse { samples: cheap, resource: base },
            ),
            (
                format!("random-{}x", values.random_times),
                Box::new(Random::new(space.clone())),
                times(values.random_times),
            ),
            ("hyperband".to_owned(), Box::new(hyperband), times(values.hyperband_times)),
        ])
    }

    /// Asks until the budget is spent. The lowest full evaluation is chosen.
    fn play(
        &self,
        h: &Hierarchy,
        tuner: &mut dyn Tuner,
        purse: &Purse,
        asking: &mut ChaCha12Rng,
        noise: &mut ChaCha12Rng,
    ) -> Result<Played, Stop> {
        let (mut evaluations, mut cost, mut budget) = (0, 0.0, Budget::new(purse.resource));
        let (mut observed, mut value) = (f64::INFINITY, f64::NAN);
        Search::new(tuner, asking).run(usize::MAX, |suggestion, _| {
            let sample = evaluations < purse.samples;
            let divisor = match suggestion.fidelity {
                _ if sample => self.values.sample_divisor,
                Fidelity::Part { divisor } => divisor,
                Fidelity::Probe => 1,
            };
            let price = 1.0 / divisor as f64;
            if !sample && !budget.take(price) {
                return Ok(None);
            }
            cost += price;
            evaluations += 1;
            let x = minus(&suggestion.config);
            let level = self.values.noise * (divisor as f64).sqrt();
            let (exact, seen) = (h.value(&x), self.weights.noise(level, noise));
            if !sample && divisor == 1 && exact + seen < observed {
                (observed, value) = (exact + seen, exact);
            }
            Ok(Some((exact + seen).into()))
        })?;
        Ok(Played { evaluations, cost, observed, value, ..Played::default() })
    }
}

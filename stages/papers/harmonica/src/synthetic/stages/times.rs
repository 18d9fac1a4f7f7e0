//! Figure 5: the time that optimisers spend on choosing what to evaluate. The function costs nothing.

use std::time::Instant;

use kit::port::Out;
use pipeline::{
    machine,
    stage::{Context, Needs, Output, Stage, Stop},
};
use serde::{Deserialize, Serialize};
use tuners::{
    bayesian::gp_ei::GpEiSettings,
    harmonica::HarmonicaSettings,
    method::Method,
    multi_fidelity::{brackets::Budgets, hyperband::HyperbandSettings},
    tuner::{Trial, Tuner},
};

use crate::{
    synthetic::{
        function::Weights,
        run::{function, minus, space},
    },
    tables::times::Spent,
};

/// All optimisers on one number of variables, one after another.
#[derive(Serialize, Deserialize)]
pub struct TimesStage {
    /// How the function is drawn.
    pub weights: Weights,
    /// Number of variables.
    pub variables: usize,
    /// Harmonica's settings, except the number of samples.
    pub settings: HarmonicaSettings,
    /// Hyperband's settings.
    pub budgets: Budgets,
    /// Numbers of samples, ascending. Harmonica takes each of them in each of its stages.
    pub samples: Vec<u32>,
    /// Maximum number of samples of GP-EI, and its settings; `None` if it does not run.
    pub gp_ei: Option<(u32, GpEiSettings)>,
    /// The noise level A.
    pub noise: f64,
    /// Number of functions.
    pub seeds: u32,
}

impl TimesStage {
    /// All optimisers.
    pub const MAIN: Out<Spent> = Out::measured("main");
}

impl Stage for TimesStage {
    const KIND: &'static str = "harmonica/times";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output()];

    fn needs(&self) -> Needs {
        Needs::worker(1500)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let (variables, mut rows) = (self.variables, Vec::new());
        for seed in 0..self.seeds {
            for &samples in &self.samples {
                let settings = HarmonicaSettings { samples: samples as usize, ..self.settings };
                let all = u32::try_from(self.settings.stages).unwrap_or(u32::MAX) * samples;
                let found = self.run(cx, seed, Method::Harmonica(settings), &[all])?;
                let row = |(evaluations, cpu_s, wall_s)| Spent {
                    variables,
                    method: "harmonica".into(),
                    seed,
                    samples,
                    evaluations,
                    cpu_s,
                    wall_s,
                };
                rows.extend(found.into_iter().map(row));
            }
            let hyperband = HyperbandSettings { budgets: self.budgets, brackets: None };
            let others = [("random", Method::Random), ("hyperband", Method::Hyperband(hyperband))];
            let surrogate = self.gp_ei.map(|(most, s)| ("gp-ei", Method::GpEi(s), most));
            let others = others.map(|(name, method)| (name, method, u32::MAX));
            for (name, method, most) in others.into_iter().chain(surrogate) {
                let marks: Vec<u32> = self.samples.iter().copied().filter(|s| *s <= most).collect();
                for (samples, cpu_s, wall_s) in self.run(cx, seed, method, &marks)? {
                    rows.push(Spent {
                        variables,
                        method: name.into(),
                        seed,
                        samples,
                        evaluations: samples,
                        cpu_s,
                        wall_s,
                    });
                }
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}

impl TimesStage {
    /// Evaluations, CPU seconds and wall seconds of an optimiser at each mark, which is a number of
    /// evaluations told.
    fn run(
        &self,
        cx: &Context,
        seed: u32,
        method: Method,
        marks: &[u32],
    ) -> Result<Vec<(u32, f64, f64)>, Stop> {
        let fail = |e: &dyn std::fmt::Display| Stop::Failed(e.to_string());
        let HarmonicaSettings { stages, features, degree, .. } = self.settings;
        let shape = (self.variables, degree);
        let h = function(cx, seed, self.weights, shape, (stages, features))?;
        let mut noise = cx.rng(&format!("noise {seed}"))?;
        let mut asking = cx.rng(&format!("ask {seed}"))?;
        let space = space(self.variables)?;
        let (cpu, wall) = (machine::cpu_seconds(), Instant::now());
        let mut tuner: Box<dyn Tuner> = method.tuner(space).map_err(|e| fail(&e))?;
        let (mut cpu_s, mut wall_s) = (machine::cpu_seconds() - cpu, wall.elapsed().as_secs_f64());
        let (mut told, mut found) = (0, Vec::new());
        for &mark in marks {
            while told < mark {
                let (cpu, wall) = (machine::cpu_seconds(), Instant::now());
                let suggestion = tuner.ask(&mut asking);
                (cpu_s, wall_s) =
                    (cpu_s + machine::cpu_seconds() - cpu, wall_s + wall.elapsed().as_secs_f64());
                let Some(suggestion) = suggestion else {
                    return Err(Stop::Failed(format!(
                        "{method:?} stopped after {told} evaluations"
                    )));
                };
                let x = minus(&suggestion.config);
                let value = h.value(&x) + self.weights.noise(self.noise, &mut noise);
                let (cpu, wall) = (machine::cpu_seconds(), Instant::now());
                tuner.tell(Trial { suggestion, value });
                (cpu_s, wall_s) =
                    (cpu_s + machine::cpu_seconds() - cpu, wall_s + wall.elapsed().as_secs_f64());
                told += 1;
                if cx.cancelled() {
                    return Err(Stop::Failed("cancelled".to_owned()));
                }
            }
            found.push((told, cpu_s, wall_s));
        }
        Ok(found)
    }
}

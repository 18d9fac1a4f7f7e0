//! The time that methods themselves take, on the sphere function.

use kit::port::Out;
use pipeline::{
    machine,
    stage::{Context, Needs, Output, Stage, Stop},
};
use serde::{Deserialize, Serialize};
use tuners::{method::Method, tuner::Trial};

use crate::{function::Function, tables::spent::Spent, target::Target};

/// A method on the sphere, one run after another.
#[derive(Serialize, Deserialize)]
pub struct Runtime {
    /// The method's name in tables.
    pub name: String,
    /// The method.
    pub method: Method,
    /// Number of dimensions.
    pub dimensions: usize,
    /// Evaluations of a run.
    pub evaluations: u32,
    /// Number of runs.
    pub seeds: u32,
}

impl Runtime {
    /// The times.
    pub const MAIN: Out<Spent> = Out::measured("main");
}

impl Stage for Runtime {
    const KIND: &'static str = "tpe/runtime";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output()];

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let dimensions = self.dimensions;
        let sphere = Target::Function { function: Function::Sphere, dimensions, shifted: false };
        let target = sphere.open(cx)?;
        let mut rows = Vec::new();
        for seed in 0..self.seeds {
            let tuner = self.method.tuner(target.space.clone());
            let mut tuner = tuner.map_err(|e| Stop::Failed(e.to_string()))?;
            let mut asking = cx.rng(&format!("ask {seed}"))?;
            let mut looking = cx.rng(&format!("look up {seed}"))?;
            let clock = machine::cpu_seconds();
            for _ in 0..self.evaluations {
                let Some(suggestion) = tuner.ask(&mut asking) else { break };
                let (value, _) = target.evaluate(&suggestion.config, &mut looking);
                tuner.tell(Trial { suggestion, value });
            }
            rows.push(Spent {
                method: self.name.clone(),
                dimensions: dimensions as u32,
                seed,
                evaluations: self.evaluations,
                cpu: machine::cpu_seconds() - clock,
            });
        }
        Self::MAIN.write(cx, &rows)
    }
}

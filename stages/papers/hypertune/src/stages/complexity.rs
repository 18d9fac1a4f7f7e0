//! Figure 1, measured: errors along the axis from the simplest model to the most complex, for models trained
//! on small subsets and on the whole training part.

use kit::port::Out;
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::bayesian::hypertune::Directions;

use crate::{
    evaluator::Evaluator,
    tables::{complexity::Along, trials::Label},
    task::{Task, fail},
};

/// Errors along the axis.
#[derive(Serialize, Deserialize)]
pub struct Complexity {
    /// The task.
    pub task: Task,
    /// Number of points on the axis.
    pub points: usize,
    /// A subset is 1/divisor of the training rows.
    pub divisor: u64,
    /// Number of subsets, over which errors are averaged.
    pub subsets: usize,
    /// The value, in \[0, 1\], of parameters that do not affect complexity.
    pub neutral: f64,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Complexity {
    /// Errors along the axis.
    pub const MAIN: Out<Along> = Out::table("main");
}

impl Stage for Complexity {
    const KIND: &'static str = "hypertune/complexity";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        self.task.needs(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let evaluator = Evaluator::read(cx, self.task.view, self.task.learner.input_kind())?;
        let space = self.task.learner.space().map_err(fail)?;
        let directions = Directions::of(self.task.learner.directions());
        let mut drawing = cx.rng("subsets")?;
        let small: Vec<Vec<usize>> =
            (0..self.subsets).map(|_| evaluator.subset(self.divisor, &mut drawing)).collect();
        let all = evaluator.train.clone();
        let mut rows = Vec::new();
        for point in 0..self.points {
            let place = point as f64 / (self.points - 1) as f64;
            let coordinate = |d: usize| match directions.rises(d) {
                Some(true) => place,
                Some(false) => 1.0 - place,
                None => self.neutral,
            };
            let unit: Vec<f64> = (0..space.dimensions()).map(coordinate).collect();
            let config = space.from_unit(&unit);
            let error = |part: &[usize], purpose: &str| -> Result<f64, Stop> {
                let mut rng = cx.rng(&format!("{purpose} {point}"))?;
                let with: (_, &dyn Fn() -> bool) = (&mut rng, &|| cx.cancelled());
                let never = f64::NEG_INFINITY;
                Ok(evaluator.evaluate(self.task.learner, &config, part, never, with)?.validation)
            };
            let mut total = 0.0;
            for (i, part) in small.iter().enumerate() {
                total += error(part, &format!("subset {i}"))?;
            }
            for (size, validation) in
                [("subset", total / small.len() as f64), ("whole", error(&all, "whole")?)]
            {
                let Label { task, learner, data, repeat, .. } = self.task.label.clone();
                let (size, complexity) = (size.into(), place);
                rows.push(Along { task, learner, data, repeat, size, complexity, validation });
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}

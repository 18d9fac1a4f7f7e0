//! The work of the paper's stages, in operations, on which estimates rest. An edit here reruns nothing.

use pipeline::work::{Inputs, Size, Work};

use super::{
    stages::{
        ablation::Ablation, arm::Arm, importance::Importances, ranks::Ranks, runtime::Runtime,
    },
    target::Target,
};

/// Dimensions that a table is taken for.
const TABLE: f64 = 8.0;
/// Columns of a table of settings.
const COLUMNS: usize = 8;

/// Each trial is compared with all earlier ones, in each dimension.
fn run(target: &Target, evaluations: u32) -> f64 {
    let dimensions = match target {
        Target::Function { dimensions, .. } => *dimensions as f64,
        Target::Table { .. } => TABLE,
    };
    f64::from(evaluations).powi(2) * (1.0 + dimensions)
}

/// Settings × evaluations² × dimensions.
impl Work for Ablation {
    fn work(&self, _: &Inputs) -> f64 {
        let settings = self.grid.size(self.target.categorical()).min(self.draw);
        settings as f64 * run(&self.target, self.evaluations)
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        let settings = self.grid.size(self.target.categorical()).min(self.draw);
        (output == "main").then(|| Size::new(settings, COLUMNS))
    }
}

/// Runs × evaluations² × dimensions; each method has a constant of its own.
impl Work for Arm {
    fn work(&self, _: &Inputs) -> f64 {
        f64::from(self.seeds) * run(&self.target, self.evaluations)
    }

    fn variant(&self) -> String {
        self.name.clone()
    }
}

impl Work for Importances {}
impl Work for Ranks {}

/// Runs × evaluations³ × dimensions: what takes long is a Gaussian process.
impl Work for Runtime {
    fn work(&self, _: &Inputs) -> f64 {
        f64::from(self.seeds) * f64::from(self.evaluations).powi(3) * (1.0 + self.dimensions as f64)
    }

    fn variant(&self) -> String {
        self.name.clone()
    }
}

//! The work of the comparison's stages, in operations, on which estimates rest. An edit here reruns nothing.

use pipeline::work::{Inputs, Size, Work};

use super::{
    arm::Arm,
    external::{parity::Compared, tune::TuneExternal},
    multi_fidelity::{self, external::TuneExternalParts, parts::Parts, tune::TuneParts},
    stages::{
        aggregates::Aggregates, anytime::Anytime, pairs::Pairs, rising_curves::RisingCurves,
        running_time::RunningTime, standings::Standings, subset_optimum::SubsetOptimum, tune::Tune,
    },
};

/// Columns of a table of traces.
const TRACE_COLUMNS: usize = 12;

/// Runs × evaluations²: most tuners fit a model to all evaluations so far for each suggestion. Each tuner is a kind,
/// with a constant of its own.
impl<A: Arm> Work for Tune<A> {
    fn work(&self, _: &Inputs) -> f64 {
        f64::from(self.cell.runs) * f64::from(self.cell.evaluations).powi(2)
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        let rows = (self.cell.runs * self.cell.evaluations) as usize;
        (output == "main").then(|| Size::new(rows, TRACE_COLUMNS))
    }
}

/// Runs × evaluations², as for ours; each optimiser is a variant, with a constant of its own.
impl Work for TuneExternal {
    fn work(&self, _: &Inputs) -> f64 {
        f64::from(self.cell.runs) * f64::from(self.cell.evaluations).powi(2)
    }

    fn variant(&self) -> String {
        self.program.name.clone()
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        let rows = (self.cell.runs * self.cell.evaluations) as usize;
        (output == "main").then(|| Size::new(rows, TRACE_COLUMNS))
    }
}

impl Work for Compared {}
impl Work for Standings {}

impl Work for RunningTime {}
impl Work for Pairs {}

/// Rows × resamples.
impl Work for Aggregates {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.joined() * self.resamples as f64
    }
}

/// Rows × resamples.
impl Work for Anytime {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.joined() * self.resamples as f64
    }
}

/// Rows, for each part.
impl Work for Parts {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.joined() * self.divisors.len() as f64
    }
}

/// Runs × what each may spend. Each tuner is a kind, with a constant of its own.
impl<A: multi_fidelity::arm::Arm> Work for TuneParts<A> {
    fn work(&self, _: &Inputs) -> f64 {
        f64::from(self.runs.runs) * self.runs.most()
    }
}

/// As for ours; each optimiser is a variant, with a constant of its own.
impl Work for TuneExternalParts {
    fn work(&self, _: &Inputs) -> f64 {
        f64::from(self.runs.runs) * self.runs.most()
    }

    fn variant(&self) -> String {
        self.program.name.clone()
    }
}

impl Work for multi_fidelity::parity::Compared {}
impl Work for multi_fidelity::standings::Standings {}

/// Rows, for each divisor.
impl Work for SubsetOptimum {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.joined() * self.divisors.len() as f64
    }
}

impl Work for RisingCurves {}

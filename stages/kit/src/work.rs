//! The work formulas of the stages that papers share, and common parts of formulas. Formulas are not part of
//! a stage's key: no stage names this module or one like it, and an edit here reruns nothing.

use data::matrix;
use models::polynomial::parity::Basis;
use pipeline::work::{FIXED_ROWS, Inputs, Size, Work};
use serde::Serialize;

use crate::{
    beside::Beside,
    claims::{
        calibration::DRAWS,
        criteria::{CalibrationStage, ClaimsStage, Criteria},
    },
    contest::Contest,
    data_sets::{
        benchmark::LoadBenchmark, corpus::LoadCorpus, curves::LoadCurves, images::LoadImages,
        load::LoadData,
    },
    differs::Differs,
    gather::Gather,
    printed::Printed,
};

/// Columns of a table of images in addition to the pixels.
const IMAGE_COLUMNS: usize = 3;

impl Work for Beside {}
impl Work for Contest {}

/// Notes.
impl Work for Differs {
    fn work(&self, _: &Inputs) -> f64 {
        FIXED_ROWS + self.notes.len() as f64
    }
}

/// Points.
impl Work for Printed {
    fn work(&self, _: &Inputs) -> f64 {
        FIXED_ROWS + self.points.len() as f64
    }
}

impl<C: Criteria> Work for ClaimsStage<C> {}

/// Findings are recomputed for each simulation, which is most of the work, whatever the number of rows.
impl<C: Criteria> Work for CalibrationStage<C> {
    fn work(&self, inputs: &Inputs) -> f64 {
        f64::from(2 * DRAWS) + inputs.joined()
    }

    fn variant(&self) -> String {
        self.claim.id.clone()
    }
}

/// Number of parity columns up to `degree` over this many variables.
#[must_use]
pub fn parities(variables: usize, degree: usize) -> f64 {
    Basis::new((0..variables).collect(), degree).map_or(0.0, |basis| basis.columns() as f64)
}

/// The size of a table of this many images with this many values each.
#[must_use]
pub fn images(count: usize, values: usize) -> Size {
    Size::new(count, values + IMAGE_COLUMNS)
}

/// The values of one image behind the input `role`.
#[must_use]
pub fn values(inputs: &Inputs, role: &str) -> f64 {
    (inputs.size(role).columns - IMAGE_COLUMNS as f64).max(1.0)
}

/// The catalogue's entry of a loader.
fn entry(loader: &impl Serialize) -> Option<&'static data::DataSet> {
    let params = serde_json::to_value(loader).ok()?;
    data::find(params.get("data_set")?.as_str()?)
}

fn cells(loader: &impl Serialize) -> f64 {
    entry(loader).map_or(1.0, |entry| (entry.shape.rows * entry.shape.features.max(1)) as f64)
}

fn name(loader: &impl Serialize) -> String {
    entry(loader).map_or_else(String::new, |entry| entry.id.to_owned())
}

/// Values read; each file has its own format, so each data set has its own constant.
impl Work for LoadData {
    fn work(&self, _: &Inputs) -> f64 {
        cells(self)
    }

    fn variant(&self) -> String {
        name(self)
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        let shape = entry(self)?.shape;
        match output {
            matrix::TARGET => Some(Size::new(shape.rows, 1)),
            matrix::NAMES => Some(Size::new(shape.features + shape.classes.unwrap_or(0), 2)),
            // Only the file tells how many entries a sparse matrix has; a matrix this wide is sparse.
            "main" if shape.features <= MOST_DENSE => Some(Size::new(shape.rows, shape.features)),
            _ => None,
        }
    }
}

/// Wider design matrices are stored as entries.
const MOST_DENSE: usize = 5000;

/// Values read.
impl Work for LoadImages {
    fn work(&self, _: &Inputs) -> f64 {
        cells(self)
    }

    fn variant(&self) -> String {
        name(self)
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        entry(self).map(|entry| images(entry.shape.rows, entry.shape.features))
    }
}

/// Words read.
impl Work for LoadCorpus {
    fn work(&self, _: &Inputs) -> f64 {
        cells(self)
    }

    fn variant(&self) -> String {
        name(self)
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        let shape = entry(self)?.shape;
        match output {
            "main" => Some(Size::new(shape.rows, 2)),
            _ => Some(Size::new(shape.classes?, 1)),
        }
    }
}

/// Configurations read.
impl Work for LoadBenchmark {
    fn work(&self, _: &Inputs) -> f64 {
        cells(self)
    }

    fn variant(&self) -> String {
        name(self)
    }
}

/// Evaluations read.
impl Work for LoadCurves {
    fn work(&self, _: &Inputs) -> f64 {
        cells(self)
    }

    fn variant(&self) -> String {
        name(self)
    }
}

impl<const MEASURED: bool> Work for Gather<MEASURED> {}

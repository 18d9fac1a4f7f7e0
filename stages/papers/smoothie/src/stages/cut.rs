//! The parts of every repeat of one task.

use data::loaded::Target;
use kit::{data_sets::stored, port::Out};
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    cut::{self, Classes, Cut, TestPart},
    protocol::{Defects, SelectOn},
    tables::cut::Member,
};

/// Cuts one data set, once for each repeat.
#[derive(Serialize, Deserialize)]
pub struct CutStage {
    /// Id of the data set.
    pub data_set: String,
    /// How the target becomes classes.
    pub classes: Classes,
    /// How the test part is chosen.
    pub test_part: TestPart,
    /// How defect data are cut.
    pub defects: Defects,
    /// Whether there is a validation part.
    pub select_on: SelectOn,
    /// The share of the validation part in the training rows.
    pub validation_share: f64,
    /// Number of rows used, drawn at random before the cut; 0 for all.
    pub rows: usize,
    /// Number of repeats.
    pub repeats: u32,
}

impl CutStage {
    /// The members of the parts.
    pub const MAIN: Out<Member> = Out::table("main");
}

impl Stage for CutStage {
    const KIND: &'static str = "smoothie/cut";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let data = cut::classified(stored::read(cx)?, &self.classes).map_err(Stop::Failed)?;
        let Target::Classes { labels, .. } = &data.y else {
            return Err(Stop::Failed("the target is a real number; give it classes".to_owned()));
        };
        let mut cuts = Vec::new();
        for repeat in 0..self.repeats {
            let mut rng = cx.rng(&format!("cut {repeat}"))?;
            let parts = self
                .test_part
                .rows(&self.data_set, labels.len(), self.defects, &mut rng)
                .map_err(Stop::Failed)?;
            let share = if self.rows == 0 { 1.0 } else { self.rows as f64 / labels.len() as f64 };
            let thin = |rows: Vec<usize>, rng: &mut _| {
                if share < 1.0 { cut::set_aside(&rows, labels, share, rng).1 } else { rows }
            };
            let (train, test) = (thin(parts.train, &mut rng), thin(parts.test, &mut rng));
            let (train, validation) = match self.select_on {
                SelectOn::Test => (train, Vec::new()),
                SelectOn::Validation => {
                    cut::set_aside(&train, labels, self.validation_share, &mut rng)
                }
            };
            cuts.push(Cut { train, validation, test });
        }
        Self::MAIN.write(cx, &cut::members(&cuts, labels))
    }
}

//! "Ultrasample" of one repeat: for each scaler, with and without label engineering.

use kit::port::Out;
use models::preprocess::scaler::Scaler;
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    cut::Field,
    encoded::{self, Encoded},
    protocol::Defects,
    rules::Rules,
    space::Treatment,
    tables::encoded::EncodedRow,
};

/// Trains the autoencoders.
#[derive(Serialize, Deserialize)]
pub struct Encode {
    /// Which variants and labels are used.
    pub rules: Rules,
    /// How defect data are treated; `None` for other data.
    pub defects: Option<Defects>,
    /// The treatments before it, in order.
    pub before: Vec<(Scaler, bool)>,
    /// The repeat.
    pub repeat: u32,
}

impl Encode {
    /// The output.
    pub const MAIN: Out<EncodedRow> = Out::table("main");
}

impl Stage for Encode {
    const KIND: &'static str = "smoothie/encode";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let evaluator = Field::read(cx, self.defects)?.evaluator(self.repeat)?;
        let mut all = Encoded::new();
        for &(scaler, label_engineering) in &self.before {
            let mut rng = cx.rng(&format!("{scaler:?} {label_engineering}"))?;
            let treatment =
                Treatment { scaler, label_engineering, ultrasample: true, ..Treatment::NONE };
            let parts = evaluator.prepare(treatment, &self.rules, &mut rng);
            // An autoencoder that diverged has no code to train on.
            let finite = |part: &models::samples::Samples| part.x.iter().all(|v| v.is_finite());
            if finite(&parts.train) && finite(&parts.test) && parts.validation.iter().all(finite) {
                all.insert((scaler, label_engineering), parts);
            }
        }
        Self::MAIN.write(cx, &encoded::rows(&all))
    }
}

//! The network that was tuned by hand.

use kit::port::Out;
use models::neural::residual;
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::network::rows::Asked;

/// Asks for the options of \[He2016\].
#[derive(Serialize, Deserialize)]
pub struct Usual {
    /// Epochs of a full training.
    pub epochs: u32,
}

impl Usual {
    /// The options.
    pub const MAIN: Out<Asked> = Out::table("main");
}

impl Stage for Usual {
    const KIND: &'static str = "harmonica/usual";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let asked = Asked { number: 0, minus: residual::usual().to_vec(), epochs: self.epochs };
        Self::MAIN.write(cx, &[asked])
    }
}

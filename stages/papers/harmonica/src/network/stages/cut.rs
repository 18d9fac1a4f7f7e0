//! The images that networks are trained and tested on: a part of the published ones, possibly downscaled.

use kit::{
    data_sets::image_table::ImageTable,
    port::{In, Out},
};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

/// Draws images of each part, class by class, and averages their pixels.
#[derive(Serialize, Deserialize)]
pub struct Cut {
    /// Images of the training part.
    pub train: usize,
    /// Images of the test part.
    pub test: usize,
    /// Pixels along one side.
    pub size: usize,
}

impl Cut {
    /// The published ones.
    pub const IMAGES: In<ImageTable> = In::new("images");
    /// The drawn images.
    pub const MAIN: Out<ImageTable> = Out::table("main");
}

impl Stage for Cut {
    const KIND: &'static str = "harmonica/cut";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        // The published images twice, as bytes, and the drawn ones.
        Needs::worker(900)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let images = Self::IMAGES.read(cx)?;
        let drawn = images.drawn(self.train, self.test, &mut cx.rng("cut")?);
        let small = drawn.shrunk(self.size).ok_or_else(|| {
            Stop::Failed(format!(
                "images of side {} cannot be averaged to {}",
                images.size, self.size
            ))
        })?;
        Self::MAIN.write(cx, small)
    }
}

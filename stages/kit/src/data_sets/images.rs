//! The stage of a set of images: it is fetched, checked, read, and stored as bytes for every paper.

use data::{DataSet, Places};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{data_sets::image_table::ImageTable, port::Out};

/// Loads one set of images.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadImages {
    data_set: String,
    /// The pinned hashes of its files: other content is another result.
    content: Vec<String>,
}

impl LoadImages {
    /// The images.
    pub const MAIN: Out<ImageTable> = Out::table("main");

    /// For this data set.
    #[must_use]
    pub fn new(entry: &DataSet) -> Self {
        Self { data_set: entry.id.to_owned(), content: entry.pins() }
    }
}

impl Stage for LoadImages {
    const KIND: &'static str = "data/images";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(1000)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let places = Places::from_env(cx.downloads());
        let images = data::load_images(&self.data_set, &places).map_err(|error| match error {
            data::Error::Unavailable(why) => Stop::Unavailable(why.to_string()),
            other => Stop::Failed(other.to_string()),
        })?;
        Self::MAIN.write(cx, images)
    }
}

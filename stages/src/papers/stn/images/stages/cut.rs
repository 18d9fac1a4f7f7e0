//! The images of the three parts: some of the published ones, perhaps smaller.

use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    data::{image_table, images::Images, split},
    papers::stn::images::arena::Sizes,
};

/// Draws images of each part, class by class, and averages their pixels.
///
/// DIFFERS: the public code validates on the last 10 000 training images; here the validation part
/// is drawn, so that a small one has all classes alike.
#[derive(Serialize, Deserialize)]
pub struct Cut {
    /// Images of each part.
    pub sizes: Sizes,
    /// Pixels along one side.
    pub side: usize,
}

impl Stage for Cut {
    const KIND: &'static str = "stn/images/cut";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        // The published images three times, as bytes.
        Needs::worker(1000)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let fail = |e: image_table::ImageTableError| Stop::Failed(e.to_string());
        let images = image_table::decode(&cx.input("images")?).map_err(fail)?;
        let Sizes { train, validation, test } = self.sizes;
        let mut rng = cx.rng("cut")?;
        let drawn = images.drawn(train + validation, test, &mut rng);
        if (drawn.train, drawn.len()) != (train + validation, train + validation + test) {
            let why = format!("{} and {} images", images.train, images.len() - images.train);
            return Err(Stop::Failed(format!("the data set has only {why} to train and to test")));
        }
        let aside = split::stratified(&drawn.labels[..drawn.train], validation, &mut rng);
        let small = with_validation_last(&drawn, &aside).shrunk(self.side).ok_or_else(|| {
            let Images { size, .. } = images;
            Stop::Failed(format!("images of side {size} cannot be averaged to {}", self.side))
        })?;
        Ok(cx.write("main", &image_table::encode(small).map_err(fail)?)?)
    }
}

/// The same images, with these rows (ascending) of the training part at its end.
fn with_validation_last(images: &Images, aside: &[usize]) -> Images {
    let others = (0..images.train).filter(|row| aside.binary_search(row).is_err());
    let rows: Vec<usize> =
        others.chain(aside.iter().copied()).chain(images.train..images.len()).collect();
    Images {
        pixels: rows.iter().flat_map(|&row| images.image(row)).copied().collect(),
        labels: rows.iter().map(|&row| images.labels[row]).collect(),
        ..*images
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validation_images_come_after_the_others() {
        let images = Images {
            pixels: (0..6).collect(),
            labels: vec![0, 1, 2, 3, 4, 5],
            size: 1,
            channels: 1,
            train: 5,
        };
        let moved = with_validation_last(&images, &[1, 3]);
        assert_eq!(moved.labels, [0, 2, 4, 1, 3, 5]);
        assert_eq!((moved.pixels, moved.train), (vec![0, 2, 4, 1, 3, 5], 5));
    }
}

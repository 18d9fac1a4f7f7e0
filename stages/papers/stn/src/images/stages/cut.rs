//! The images of the three parts: some of the published ones, possibly downscaled.

use data::{images::Images, split};
use kit::{
    data_sets::image_table::ImageTable,
    port::{In, Out},
};
use pipeline::stage::{Context, Needs, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::images::setting::Sizes;

/// Which of the published training images are validated on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Validation {
    /// Some that are drawn, of each class as many: the paper gives their share alone, and a small part
    /// has all classes then.
    Drawn,
    /// The last, as the authors' code has it.
    Last,
}

/// Draws images of each part, class by class, and averages their pixels.
#[derive(Serialize, Deserialize)]
pub struct Cut {
    /// Images of each part.
    pub sizes: Sizes,
    /// The choice of the validation set.
    pub validated: Validation,
    /// Pixels along one side.
    pub side: usize,
}

impl Cut {
    /// The published images.
    pub const IMAGES: In<ImageTable> = In::new("images");
    /// The images of the three parts.
    pub const MAIN: Out<ImageTable> = Out::table("main");
}

impl Stage for Cut {
    const KIND: &'static str = "stn/images/cut";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        // The published images three times, as bytes.
        Needs::worker(1000)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let images = Self::IMAGES.read(cx)?;
        let Sizes { train, validation, test } = self.sizes;
        let mut rng = cx.rng("cut")?;
        let parted = match self.validated {
            Validation::Drawn => drawn(&images, self.sizes, &mut rng),
            Validation::Last => last(&images, self.sizes, &mut rng),
        };
        if (parted.train, parted.len()) != (train + validation, train + validation + test) {
            let why = format!("{} and {} images", images.train, images.len() - images.train);
            return Err(Stop::Failed(format!("the data set has only {why} to train and to test")));
        }
        let small = parted.shrunk(self.side).ok_or_else(|| {
            let Images { size, .. } = images;
            Stop::Failed(format!("images of side {size} cannot be averaged to {}", self.side))
        })?;
        Self::MAIN.write(cx, small)
    }
}

/// Images of each part, with a drawn validation set, which is placed last among the training images.
fn drawn(images: &Images, sizes: Sizes, rng: &mut ChaCha12Rng) -> Images {
    let Sizes { train, validation, test } = sizes;
    let drawn = images.drawn(train + validation, test, rng);
    let aside = split::stratified(&drawn.labels[..drawn.train], validation, rng);
    let others = (0..drawn.train).filter(|row| aside.binary_search(row).is_err());
    let rows = others.chain(aside.iter().copied()).chain(drawn.train..drawn.len()).collect();
    of(&drawn, rows, drawn.train)
}

/// Images of each part, with the last published training images as the validation set.
fn last(images: &Images, sizes: Sizes, rng: &mut ChaCha12Rng) -> Images {
    let Sizes { train, validation, test } = sizes;
    let first = images.train.saturating_sub(validation);
    let others = (0..first).chain(images.train..images.len()).collect();
    let drawn = of(images, others, first).drawn(train, test, rng);
    let aside = of(images, (first..images.train).collect(), images.train - first);
    let (before, after) = drawn.pixels.split_at(drawn.train * drawn.values());
    Images {
        pixels: [before, &aside.pixels, after].concat(),
        labels: [&drawn.labels[..drawn.train], &aside.labels, &drawn.labels[drawn.train..]]
            .concat(),
        train: drawn.train + aside.len(),
        ..*images
    }
}

/// These rows, the first `train` of them to train on.
fn of(images: &Images, rows: Vec<usize>, train: usize) -> Images {
    Images {
        pixels: rows.iter().flat_map(|&row| images.image(row)).copied().collect(),
        labels: rows.iter().map(|&row| images.labels[row]).collect(),
        train,
        ..*images
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    /// Twelve training images of two alternating classes, then four test images; the pixels of each are its
    /// number.
    fn numbered() -> Images {
        Images {
            pixels: (0..16).collect(),
            labels: (0..16).map(|row| row % 2).collect(),
            size: 1,
            channels: 1,
            train: 12,
        }
    }

    fn parts(part: fn(&Images, Sizes, &mut ChaCha12Rng) -> Images) -> [Vec<u8>; 3] {
        let sizes = Sizes { train: 6, validation: 4, test: 2 };
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let parted = part(&numbered(), sizes, &mut rng);
        assert_eq!((parted.train, parted.len()), (10, 12));
        assert!(parted.pixels.iter().zip(&parted.labels).all(|(p, l)| p % 2 == *l));
        let cut = |from: usize, to: usize| parted.pixels[from..to].to_vec();
        [cut(0, 6), cut(6, 10), cut(10, 12)]
    }

    #[test]
    fn parts_share_no_image_and_have_both_classes() {
        let [train, validation, test] = parts(drawn);
        assert!(train.iter().all(|image| *image < 12 && !validation.contains(image)));
        assert!(validation.iter().all(|image| *image < 12) && test.iter().all(|i| *i >= 12));
        let odd = |images: &[u8]| images.iter().filter(|image| **image % 2 == 1).count();
        assert_eq!([odd(&train), odd(&validation), odd(&test)], [3, 2, 1]);
    }

    #[test]
    fn the_authors_code_validates_on_the_last_training_images() {
        let [train, validation, test] = parts(last);
        assert_eq!(validation, [8, 9, 10, 11]);
        assert!(train.iter().all(|image| *image < 8) && test.iter().all(|image| *image >= 12));
    }
}

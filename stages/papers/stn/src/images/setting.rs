//! The settings that every training shares: the images in their three parts, the network, and the training of
//! weights. This is the interface of stages to libtorch: a program without libtorch has the same stages, and
//! its engine runs them in a worker of the program with libtorch.

use std::path::Path;

use data::images::Images;
use kit::{
    data_sets::image_table::ImageTable,
    libtorch::{Slot, carried_out_by},
    port::In,
};
use models::neural::{
    alexnet::AlexNet,
    residual::{self, Device},
    self_tuning::{Control, EpochRecord, Hyper, SgdConfig, Trace},
    self_tuning_cnn::{Parts, StCnn},
};
use pipeline::stage::{Context, Needs, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

/// Trains a network on images, as [`Setting::train`].
pub type Train = fn(
    &Setting,
    &Context,
    &StCnn,
    &Images,
    Option<&Path>,
    &mut ChaCha12Rng,
    &mut dyn FnMut(&EpochRecord),
) -> Result<Trace, Stop>;

/// The function that trains, in the program with libtorch.
pub static TRAIN: Slot<Train> = Slot::new();
carried_out_by!(nets::link::images);

/// The images of the three parts.
pub const IMAGES: In<ImageTable> = In::new("images");

/// Images of each part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sizes {
    /// To train weights on.
    pub train: usize,
    /// To tune hyper-parameters on, and to choose by.
    pub validation: usize,
    /// On which nothing is chosen.
    pub test: usize,
}

/// A network and the training of its weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Images of each part.
    pub sizes: Sizes,
    /// The network.
    pub network: AlexNet,
    /// Minibatch size.
    pub batch: usize,
    /// How weights are trained.
    pub descent: SgdConfig,
    /// The device, not `auto`.
    pub device: Device,
}

impl Setting {
    /// The needs of a stage that trains with this setting.
    #[must_use]
    pub fn needs(&self) -> Needs {
        let gpus = usize::from(matches!(self.device, Device::Cuda(_)));
        let needs = Needs::worker_of("retune-torch", self.memory_mib());
        Needs { gpus, checkpoints: true, ..needs }
    }

    /// Memory of a training, MiB: libtorch, the images, ten copies of the weights and their response, and a
    /// dozen feature maps per layer for a batch.
    fn memory_mib(&self) -> u64 {
        if matches!(self.device, Device::Cuda(_)) {
            return 4000;
        }
        let Sizes { train, validation, test } = self.sizes;
        let side = self.network.side;
        let layers = self.network.convolutions();
        let weights = layers.map(|layer| 9 * layer.from * layer.to).iter().sum::<usize>()
            + self.network.dense().map(|layer| layer.from * layer.to).iter().sum::<usize>();
        let maps = layers.map(|layer| layer.to).iter().sum::<usize>() * (side / 2).pow(2);
        let bytes = 10 * 2 * 4 * weights
            + 12 * 2 * 4 * self.batch * maps
            + 3 * side * side * 3 * (train + validation + test);
        400 + (bytes >> 20) as u64
    }

    /// Training batches per epoch.
    #[must_use]
    pub fn batches(&self) -> usize {
        self.sizes.train.div_ceil(self.batch)
    }

    /// The settings of a training.
    #[must_use]
    pub fn settings(&self, hypers: Vec<Hyper>, control: Control, epochs: usize) -> StCnn {
        let descent = SgdConfig { epochs, ..self.descent };
        StCnn { network: self.network, hypers, control, descent, batch: self.batch }
    }

    /// The images.
    ///
    /// # Errors
    /// If the artifact is corrupt or holds other images.
    pub fn images(&self, cx: &Context) -> Result<Images, Stop> {
        let images = IMAGES.read(cx)?;
        let Sizes { train, validation, test } = self.sizes;
        let fits = images.train == train + validation && images.len() == images.train + test;
        if fits { Ok(images) } else { Err(Stop::Failed("other images than expected".to_owned())) }
    }

    /// Their three parts.
    pub fn parts<'a>(&self, images: &'a Images) -> Parts<'a> {
        let part = |first: usize, count: usize| residual::Images {
            pixels: &images.pixels[first * images.values()..(first + count) * images.values()],
            labels: &images.labels[first..first + count],
            size: images.size,
            channels: images.channels,
        };
        let Sizes { train, validation, test } = self.sizes;
        Parts {
            training: part(0, train),
            validation: part(train, validation),
            test: part(train + validation, test),
        }
    }

    /// Trains a network, resuming from the checkpoint in `folder` if there is one. `after` is called after
    /// each epoch.
    ///
    /// # Errors
    /// If this program is without libtorch, libtorch fails, a checkpoint cannot be written, or the run was
    /// interrupted.
    pub fn train(
        &self,
        cx: &Context,
        settings: &StCnn,
        images: &Images,
        folder: Option<&Path>,
        rng: &mut ChaCha12Rng,
        after: &mut dyn FnMut(&EpochRecord),
    ) -> Result<Trace, Stop> {
        settings.check(&self.parts(images)).map_err(|e| Stop::Failed(e.to_string()))?;
        TRAIN.get()?(self, cx, settings, images, folder, rng, after)
    }
}

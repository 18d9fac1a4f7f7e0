//! Provides the training of self-tuning networks on images.

use std::path::Path;

use data::images::Images;
use models::neural::{
    self_tuning::{EpochRecord, Trace},
    self_tuning_cnn::StCnn,
};
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;
use stn::images::setting::{Setting, TRAIN, Train};

use crate::{
    device,
    hyper::{Folder, Keep, Nowhere},
    st_cnn,
};

/// Registers the function.
pub(super) fn link() {
    TRAIN.fill(train as Train);
}

fn train(
    setting: &Setting,
    cx: &Context,
    settings: &StCnn,
    images: &Images,
    folder: Option<&Path>,
    rng: &mut ChaCha12Rng,
    after: &mut dyn FnMut(&EpochRecord),
) -> Result<Trace, Stop> {
    device::check(setting.device, "images")?;
    let mut keep: Box<dyn Keep> = match folder {
        Some(folder) => Box::new(Folder::new(folder)),
        None => Box::new(Nowhere),
    };
    let (parts, stop) = (setting.parts(images), || cx.cancelled());
    st_cnn::train(settings, &parts, setting.device, rng, keep.as_mut(), after, &stop)
        .map_err(|e| Stop::Failed(e.to_string()))
}

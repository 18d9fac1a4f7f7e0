//! Provides the functions that the stages of the papers call to train their networks: each module fills in
//! one function of `stages::papers`, and a stage names the module that provides it (`carried_out_by!`).

mod harmonica;
mod hypertune;
mod images;
mod text;

use models::neural::residual::Device;
use pipeline::stage::Stop;

use crate::device;

/// Enables this program to train networks.
pub fn link() {
    harmonica::link();
    hypertune::link();
    images::link();
    text::link();
}

/// Rejects a GPU that libtorch does not have; `section` of the config names the device.
fn check(device: Device, section: &str) -> Result<(), Stop> {
    if matches!(device, Device::Cuda(_)) && device::available() == 0 {
        let why = format!("needs a libtorch for CUDA, or `device = \"cpu\"` in `[{section}]`");
        return Err(Stop::Unavailable(why));
    }
    Ok(())
}

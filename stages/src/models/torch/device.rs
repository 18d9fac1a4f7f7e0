//! From a device's name to the device, and the one thread on the CPU.

use super::error::TorchError;
use crate::models::residual::Device;

/// The GPUs that libtorch can use here.
pub fn available() -> usize {
    usize::try_from(tch::Cuda::device_count()).unwrap_or(0)
}

/// The device of that name.
///
/// libtorch sums in another order with another number of threads, so it gets one, whatever the
/// device. The number is OpenMP's and belongs to the calling thread: it is set wherever a training
/// starts.
///
/// # Errors
/// If there is no such device.
pub fn resolve(device: Device) -> Result<tch::Device, TorchError> {
    tch::set_num_threads(1);
    let devices = available();
    match device {
        Device::Cpu => Ok(tch::Device::Cpu),
        Device::Auto if devices == 0 => Ok(tch::Device::Cpu),
        Device::Auto => Ok(tch::Device::Cuda(0)),
        Device::Cuda(n) if n < devices => Ok(tch::Device::Cuda(n)),
        Device::Cuda(_) => Err(TorchError::Device { device, devices }),
    }
}

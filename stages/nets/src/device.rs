//! Finds a device by its name, says whether it is there, and sets the number of threads and the memory allocation on the CPU.

use models::neural::residual::Device;
use pipeline::stage::Stop;
use tch::{Kind, TchError, Tensor};

use super::error::TorchError;

/// Number of GPUs that libtorch can use here.
pub fn available() -> usize {
    usize::try_from(tch::Cuda::device_count()).unwrap_or(0)
}

/// Rejects a GPU that libtorch does not have; `section` of the config names the device.
///
/// # Errors
/// If there is no GPU: the stage is unavailable here.
pub fn check(device: Device, section: &str) -> Result<(), Stop> {
    if matches!(device, Device::Cuda(_)) && available() == 0 {
        let why = format!("needs a libtorch for CUDA, or `device = \"cpu\"` in `[{section}]`");
        return Err(Stop::Unavailable(why));
    }
    Ok(())
}

/// Size in bytes of the block that [`keep_memory`] frees: glibc adapts to blocks of up to 32 MiB.
const LARGEST: i64 = 30 << 20;

/// Keeps the memory that one step frees for the next: glibc returns the end of the heap to the system once
/// more is free there than twice the largest block freed so far, and networks on small images free much
/// memory in small blocks. The page faults would cost a fifth to a third of a step.
///
/// # Errors
/// If memory cannot be allocated.
pub fn keep_memory() -> Result<(), TchError> {
    // Never written to, so it takes no memory.
    Tensor::f_empty([LARGEST], (Kind::Uint8, tch::Device::Cpu)).map(drop)
}

/// The device with this name.
///
/// The order of summation in libtorch depends on the number of threads, so that it is set to one, whatever
/// the device. The number is OpenMP's and belongs to the calling thread: it is set at the start of every
/// training. So is the choice of a GPU's algorithms.
///
/// # Errors
/// If there is no such device.
pub fn resolve(device: Device) -> Result<tch::Device, TorchError> {
    tch::set_num_threads(1);
    cuda::cudnn::make_reproducible();
    let devices = available();
    match device {
        Device::Cpu => Ok(tch::Device::Cpu),
        Device::Auto if devices == 0 => Ok(tch::Device::Cpu),
        Device::Auto => Ok(tch::Device::Cuda(0)),
        Device::Cuda(n) if n < devices => Ok(tch::Device::Cuda(n)),
        Device::Cuda(_) => Err(TorchError::Device { device, devices }),
    }
}

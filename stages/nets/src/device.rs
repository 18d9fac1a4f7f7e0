//! From a device's name to the device; the one thread and the memory on the CPU.

use models::neural::residual::Device;
use tch::{Kind, TchError, Tensor};

use super::error::TorchError;

/// The GPUs that libtorch can use here.
pub fn available() -> usize {
    usize::try_from(tch::Cuda::device_count()).unwrap_or(0)
}

/// Bytes of the block that [`keep_memory`] frees: glibc learns from blocks of up to 32 MiB.
const LARGEST: i64 = 30 << 20;

/// Lets the memory that one step frees serve the next: glibc returns the end of the heap to the
/// system once more is free there than twice the largest block freed so far, and networks of small
/// images free much in small blocks. That would cost a fifth to a third of a step in page faults.
///
/// # Errors
/// If there is no such memory.
pub fn keep_memory() -> Result<(), TchError> {
    // Never written to, so it takes no memory.
    Tensor::f_empty([LARGEST], (Kind::Uint8, tch::Device::Cpu)).map(drop)
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

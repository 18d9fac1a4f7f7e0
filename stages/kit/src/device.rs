//! The device on which networks are trained, as the graph has to know it before anything runs.

use models::neural::residual::Device;
use pipeline::{graph::Draft, kernels::Kernels, machine, stage::Needs};

/// The device itself: `auto` is the first GPU if there is one.
#[must_use]
pub fn resolved(device: Device) -> Device {
    match device {
        Device::Auto if machine::gpus() > 0 => Device::Cuda(0),
        Device::Auto => Device::Cpu,
        named => named,
    }
}

/// The needs of a stage that trains on the device.
#[must_use]
pub fn needs(device: Device, memory_mib: u64) -> Needs {
    let gpus = usize::from(matches!(device, Device::Cuda(_)));
    Needs { gpus, ..Needs::worker_of("retune-torch", memory_mib) }
}

/// Adds to the stage's key the facts by which libtorch chooses its kernels, since the last digits of a
/// training depend on them.
pub fn facet(draft: &mut Draft, device: Device) {
    let kind = match (device, Kernels::here()) {
        (Device::Cuda(_), _) => "cuda",
        (_, Kernels::Avx512) => "cpu avx512",
        (_, Kernels::Avx2) => "cpu avx2",
        (_, Kernels::Other) => "cpu",
    };
    draft.facet("libtorch runs on", kind);
}

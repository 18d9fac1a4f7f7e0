//! Where networks are trained: what `auto` comes to, and what the last digits then depend on.

use pipeline::machine;

use crate::models::residual::Device;

/// The device that is meant: a GPU for `auto`, if the machine has one.
#[must_use]
pub fn chosen(device: Device) -> Device {
    match device {
        Device::Auto if machine::gpus() > 0 => Device::Cuda(0),
        Device::Auto => Device::Cpu,
        named => named,
    }
}

/// What the last digits of a training depend on: libtorch chooses its kernels by it.
#[must_use]
pub fn processor(device: Device) -> &'static str {
    match device {
        Device::Cuda(_) => "cuda",
        #[cfg(target_arch = "x86_64")]
        _ if std::arch::is_x86_feature_detected!("avx512f") => "cpu avx512",
        #[cfg(target_arch = "x86_64")]
        _ if std::arch::is_x86_feature_detected!("avx2") => "cpu avx2",
        _ => "cpu",
    }
}

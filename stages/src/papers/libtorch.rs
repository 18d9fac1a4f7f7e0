//! What the last digits of a training by libtorch depend on beside its stage. Does not know libtorch.

use crate::models::residual::Device;

/// By what libtorch chooses its kernels on this machine.
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

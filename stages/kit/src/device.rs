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
        (Device::Cuda(_), _) => gpu(&machine::Machine::here().gpus),
        (_, Kernels::IntelAvx512) => "cpu intel avx512".to_owned(),
        (_, Kernels::IntelAvx2) => "cpu intel avx2".to_owned(),
        (_, Kernels::Avx512) => "cpu avx512".to_owned(),
        (_, Kernels::Avx2) => "cpu avx2".to_owned(),
        (_, Kernels::Other) => "cpu".to_owned(),
    };
    draft.facet("libtorch runs on", kind);
}

/// The kind of GPU: its model, by which kernels and the order of their sums are chosen. A machine with several
/// models, of which any may serve a stage, is a kind of its own.
fn gpu(models: &[String]) -> String {
    let mut models: Vec<&str> = models.iter().map(String::as_str).collect();
    models.dedup();
    format!("cuda {}", models.join(", ")).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_of_two_models_are_two_kinds() {
        let of = |models: &[&str]| gpu(&models.iter().map(|m| (*m).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["NVIDIA H200", "NVIDIA H200"]), of(&["NVIDIA H200"]));
        assert_ne!(of(&["NVIDIA A100"]), of(&["NVIDIA H200"]));
        assert_eq!(of(&[]), "cuda");
    }
}

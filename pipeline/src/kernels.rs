//! The families of kernels among which numerical libraries choose by processor. A library that chose by the exact
//! model would round differently on each; restricted to a family, it gives the same bits on all machines of that
//! family.

use std::sync::LazyLock;

use crate::machine;

/// A family: what every processor in it supports, whatever else it supports. MKL, which multiplies matrices for
/// libtorch, obeys a request for a kernel on Intel's processors alone and has kernels of its own for other makers'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// Intel's x86-64 with AVX-512.
    IntelAvx512,
    /// Intel's x86-64 with AVX2.
    IntelAvx2,
    /// Other makers' x86-64 with AVX-512.
    Avx512,
    /// Other makers' x86-64 with AVX2.
    Avx2,
    /// Any other processor: libraries choose freely.
    Other,
}

impl Kernels {
    /// The family of this machine.
    #[must_use]
    pub fn here() -> Self {
        static HERE: LazyLock<Kernels> = LazyLock::new(|| {
            #[cfg(target_arch = "x86_64")]
            let (avx512, avx2) = (
                std::arch::is_x86_feature_detected!("avx512f"),
                std::arch::is_x86_feature_detected!("avx2"),
            );
            #[cfg(not(target_arch = "x86_64"))]
            let (avx512, avx2) = (false, false);
            let maker = machine::line_of("/proc/cpuinfo", "vendor_id").unwrap_or_default();
            Kernels::of(&maker, avx512, avx2)
        });
        *HERE
    }

    /// The family of a processor by its maker, as the kernel names it, and the instructions it has.
    fn of(maker: &str, avx512: bool, avx2: bool) -> Self {
        match (maker, avx512, avx2) {
            ("GenuineIntel", true, _) => Self::IntelAvx512,
            ("GenuineIntel", false, true) => Self::IntelAvx2,
            (_, true, _) => Self::Avx512,
            (_, false, true) => Self::Avx2,
            _ => Self::Other,
        }
    }

    /// Its name: of the first family that results were recorded on, without a maker.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::IntelAvx512 => "Intel x86-64 with AVX-512",
            Self::IntelAvx2 => "Intel x86-64 with AVX2",
            Self::Avx512 => "x86-64 with AVX-512",
            Self::Avx2 => "x86-64 with AVX2",
            Self::Other => std::env::consts::ARCH,
        }
    }

    /// The environment variables that restrict libtorch to this family: its own kernels, those of MKL and of
    /// `oneDNN`.
    #[must_use]
    pub fn environment(self) -> Vec<(&'static str, &'static str)> {
        let mkl = match self {
            Self::IntelAvx512 => "AVX512",
            Self::IntelAvx2 => "AVX2",
            // The same bits in each run, by the kernels that MKL has for this maker.
            Self::Avx512 | Self::Avx2 => "AUTO",
            Self::Other => return Vec::new(),
        };
        let rest: &[_] = match self {
            // libtorch has no wider kernels of its own, and does not check whether a requested capability is
            // available.
            Self::IntelAvx512 | Self::Avx512 => &[("ONEDNN_MAX_CPU_ISA", "AVX512_CORE")],
            _ => &[("ONEDNN_MAX_CPU_ISA", "AVX2"), ("ATEN_CPU_CAPABILITY", "avx2")],
        };
        [&[("MKL_CBWR", mkl)], rest].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makers_are_families_of_their_own() {
        assert_eq!(Kernels::of("GenuineIntel", true, true), Kernels::IntelAvx512);
        assert_eq!(Kernels::of("GenuineIntel", false, true), Kernels::IntelAvx2);
        assert_eq!(Kernels::of("AuthenticAMD", true, true), Kernels::Avx512);
        assert_eq!(Kernels::of("AuthenticAMD", false, true), Kernels::Avx2);
        assert_eq!(Kernels::of("", false, false), Kernels::Other);
        let (intel, other) = (Kernels::IntelAvx512, Kernels::Avx512);
        assert_ne!(intel.name(), other.name(), "an audit compares bits within a name");
    }
}

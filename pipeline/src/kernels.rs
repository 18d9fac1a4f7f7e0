//! The families of kernels among which numerical libraries choose by processor. A library that chose by the exact
//! model would round differently on each; restricted to a family, it gives the same bits on all machines of that
//! family.

/// A family: what every processor in it supports, whatever else it supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// x86-64 with AVX-512.
    Avx512,
    /// x86-64 with AVX2.
    Avx2,
    /// Any other processor: libraries choose freely.
    Other,
}

impl Kernels {
    /// The family of this machine.
    #[must_use]
    pub fn here() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx512f") {
            return Self::Avx512;
        } else if std::arch::is_x86_feature_detected!("avx2") {
            return Self::Avx2;
        }
        Self::Other
    }

    /// The environment variables that restrict libtorch to this family: its own kernels, those of MKL and of
    /// `oneDNN`.
    #[must_use]
    pub fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // libtorch has no wider kernels of its own, and does not check whether a requested capability is
            // available.
            Self::Avx512 => &[("MKL_CBWR", "AVX512"), ("ONEDNN_MAX_CPU_ISA", "AVX512_CORE")],
            Self::Avx2 => &[
                ("MKL_CBWR", "AVX2"),
                ("ONEDNN_MAX_CPU_ISA", "AVX2"),
                ("ATEN_CPU_CAPABILITY", "avx2"),
            ],
            Self::Other => &[],
        }
    }
}

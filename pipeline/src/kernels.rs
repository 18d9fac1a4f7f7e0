//! The families of kernels among which numerical libraries choose by processor. A library that went by the
//! very model would round differently on each; held to a family, it is to give the same bits on all its machines.

/// A family: what every processor of it can do, whatever else it could.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// x86-64 with AVX-512.
    Avx512,
    /// x86-64 with AVX2.
    Avx2,
    /// Any other processor: its libraries choose as they like.
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

    /// The environment variables that hold libtorch to this family: kernels of its own, of MKL and of `oneDNN`.
    #[must_use]
    pub fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // libtorch has nothing wider of its own, and asked for it would not look whether it is there.
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

//! Vector registers of the processor's width, for kernels whose sums have to stay in them.

use pulp::{Simd, bytemuck};

use super::maps::{LANES, Lane};
use crate::neural::feedforward::scalar::Scalar;

/// A number of which registers hold several.
pub trait Wide: Scalar {
    /// A register.
    type Register<S: Simd>: Copy;

    /// Registers per vector of images.
    fn registers<S: Simd>() -> usize;
    /// The same number in all places.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Register<S>;
    /// a · b + c, with a single rounding.
    fn multiply_add<S: Simd>(
        simd: S,
        a: Self::Register<S>,
        b: Self::Register<S>,
        c: Self::Register<S>,
    ) -> Self::Register<S>;
    /// Part `at` of a vector.
    fn get<S: Simd>(lane: &Lane<Self>, at: usize) -> Self::Register<S>;
    /// Sets part `at` of a vector.
    fn set<S: Simd>(lane: &mut Lane<Self>, at: usize, value: Self::Register<S>);
}

macro_rules! wide {
    ($t:ty, $register:ident, $lanes:ident, $splat:ident, $fused:ident) => {
        impl Wide for $t {
            type Register<S: Simd> = S::$register;

            #[inline(always)]
            fn registers<S: Simd>() -> usize {
                LANES / S::$lanes
            }
            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: Self) -> S::$register {
                simd.$splat(value)
            }
            #[inline(always)]
            fn multiply_add<S: Simd>(
                simd: S,
                a: S::$register,
                b: S::$register,
                c: S::$register,
            ) -> S::$register {
                simd.$fused(a, b, c)
            }
            #[inline(always)]
            fn get<S: Simd>(lane: &Lane<Self>, at: usize) -> S::$register {
                bytemuck::cast_slice(&lane.0)[at]
            }
            #[inline(always)]
            fn set<S: Simd>(lane: &mut Lane<Self>, at: usize, value: S::$register) {
                bytemuck::cast_slice_mut(&mut lane.0)[at] = value;
            }
        }
    };
}
wide!(f32, f32s, F32_LANES, splat_f32s, mul_add_f32s);
wide!(f64, f64s, F64_LANES, splat_f64s, mul_add_f64s);

//! Compiles kernels for several register widths and runs the widest that the processor has.
//!
//! `f64::mul_add` is exactly rounded whether or not the processor has the instruction, and every sum keeps
//! its order, so the choice changes only the speed, never a bit of the result.

/// Defines a function whose body is compiled once for each register width and chosen at run time.
///
/// The generic parameters are written twice, with and without bounds, in brackets. A plain closure would not
/// be enough: the compiler might not inline it, leaving it compiled for the narrowest registers.
#[macro_export]
macro_rules! wide {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident[$($generic:tt)*][$($used:tt)*]($($arg:ident: $ty:ty),* $(,)?)
        -> $ret:ty $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name<$($generic)*>($($arg: $ty),*) -> $ret {
            struct Kernel<$($generic)*> {
                $($arg: $ty),*
            }
            impl<$($generic)*> pulp::WithSimd for Kernel<$($used)*> {
                type Output = $ret;
                #[inline(always)]
                fn with_simd<Registers: pulp::Simd>(self, _: Registers) -> $ret {
                    let Self { $($arg),* } = self;
                    $body
                }
            }
            pulp::Arch::new().dispatch(Kernel { $($arg),* })
        }
    };
}
pub use wide;

/// Turns products A x into weights, block by block, inside a matrix kernel.
///
/// Implementations for named types should be `#[inline(always)]`, so that they are compiled with the kernel.
pub trait Weigh {
    /// Replaces z, the products of the rows from `first` on, by their weights.
    fn weigh(&mut self, first: usize, z: &mut [f64]);
}

impl<F: FnMut(usize, &mut [f64])> Weigh for F {
    #[inline(always)]
    fn weigh(&mut self, first: usize, z: &mut [f64]) {
        self(first, z);
    }
}

/// As [`Weigh`] for several vectors at once.
pub trait WeighClasses {
    /// Replaces z[c·rows + r], the product of row first + r with vector c, by its weight.
    fn weigh(&mut self, first: usize, rows: usize, z: &mut [f64]);
}

impl<F: FnMut(usize, usize, &mut [f64])> WeighClasses for F {
    #[inline(always)]
    fn weigh(&mut self, first: usize, rows: usize, z: &mut [f64]) {
        self(first, rows, z);
    }
}

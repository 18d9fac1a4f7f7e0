//! The switches of libtorch's cuDNN that its bindings leave out: which algorithms convolutions on a GPU may use,
//! and in what precision. They hold for the whole process. Without a GPU they are remembered and change nothing.

/// Makes convolutions on GPUs reproducible: only algorithms that add in a fixed order, chosen by shapes alone and
/// not by timing them, and 32-bit factors that are not shortened to the 10 bits of TF32, as libtorch does unless
/// it is told otherwise.
pub fn make_reproducible() {
    // SAFETY: the three functions of libtorch 2.11 (the version that the bindings demand) have these arguments, the
    // context lives as long as the process, and a member function takes its object first.
    unsafe {
        let context = libtorch::global_context();
        libtorch::set_deterministic(context, true);
        libtorch::set_benchmark(context, false);
        libtorch::allow_tf32(context, false);
    }
}

/// Functions of `ATen/Context.h`, by their C++ names.
mod libtorch {
    /// `at::Context`, whose fields stay libtorch's.
    #[repr(C)]
    pub struct Context {
        fields: [u8; 0],
    }

    unsafe extern "C" {
        /// `at::globalContext()`
        #[link_name = "_ZN2at13globalContextEv"]
        pub fn global_context() -> *mut Context;
        /// `at::Context::setDeterministicCuDNN(bool)`
        #[link_name = "_ZN2at7Context21setDeterministicCuDNNEb"]
        pub fn set_deterministic(context: *mut Context, on: bool);
        /// `at::Context::setBenchmarkCuDNN(bool)`
        #[link_name = "_ZN2at7Context17setBenchmarkCuDNNEb"]
        pub fn set_benchmark(context: *mut Context, on: bool);
        /// `at::Context::setAllowTF32CuDNN(bool)`
        #[link_name = "_ZN2at7Context17setAllowTF32CuDNNEb"]
        pub fn allow_tf32(context: *mut Context, on: bool);
    }
}

//! Links OpenBLAS for `ndarray-linalg`, with the feature `lapack`.
//!
//! `ndarray-linalg`'s own `openblas-system` feature would put OpenBLAS first on the link line, and it
//! would take over libtorch's matrix products in `nets`, which is built on this crate.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_LAPACK").is_some() {
        println!("cargo:rustc-link-lib=dylib=openblas");
    }
}

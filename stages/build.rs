//! Links OpenBLAS for `ndarray-linalg` (its own `openblas-system` feature would put OpenBLAS
//! before other libraries on the link line and take over their matrix products).

fn main() {
    println!("cargo:rustc-link-lib=dylib=openblas");
}

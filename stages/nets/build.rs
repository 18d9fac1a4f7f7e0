//! Links libtorch before the OpenBLAS that `stages` brings for `ndarray-linalg`. The order matters: the other
//! way round, OpenBLAS would take over libtorch's matrix products, which makes training half as fast and its
//! numbers dependent on the processor.

use std::{env, error::Error};

fn main() -> Result<(), Box<dyn Error>> {
    let libtorch = env::var("DEP_TCH_LIBTORCH_LIB")?;
    println!("cargo:rustc-link-search=native={libtorch}");
    println!("cargo:rustc-link-lib=dylib=torch_cpu");
    // Found at run time without environment variables.
    println!("cargo:rustc-link-arg=-Wl,-rpath,{libtorch}");
    // No code refers to a symbol of libtorch.so, which loads the CUDA libraries if they are installed.
    for argument in ["-Wl,--no-as-needed", "-ltorch"] {
        println!("cargo:rustc-link-arg={argument}");
    }
    Ok(())
}

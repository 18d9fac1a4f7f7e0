//! Links libtorch, before the OpenBLAS that `stages` brings for `ndarray-linalg`: in this order on
//! purpose. The other way round OpenBLAS would take over libtorch's matrix products: training is then half
//! as fast, and its numbers change with the processor.

use std::{env, error::Error};

fn main() -> Result<(), Box<dyn Error>> {
    let libtorch = env::var("DEP_TCH_LIBTORCH_LIB")?;
    println!("cargo:rustc-link-search=native={libtorch}");
    println!("cargo:rustc-link-lib=dylib=torch_cpu");
    // Found at run time without environment variables.
    println!("cargo:rustc-link-arg=-Wl,-rpath,{libtorch}");
    // Nothing names a symbol of libtorch.so, which brings the CUDA libraries where they are there.
    for argument in ["-Wl,--no-as-needed", "-ltorch"] {
        println!("cargo:rustc-link-arg={argument}");
    }
    Ok(())
}

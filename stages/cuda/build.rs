//! Compiles the C++ that catches libtorch's exceptions.

use std::{env, error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=src/graph.cpp");
    let libtorch = env::var("DEP_TCH_LIBTORCH_LIB")?;
    let headers = Path::new(&libtorch).with_file_name("include");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").flag("-isystem").flag(headers);
    build.file("src/graph.cpp").compile("cuda-graph");
    Ok(())
}

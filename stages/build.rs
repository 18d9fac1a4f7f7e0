//! Makes the table of code digests, and links OpenBLAS for `ndarray-linalg` and, where networks are
//! wanted, libtorch: in this order on purpose.
//!
//! `ndarray-linalg`'s own `openblas-system` feature would put OpenBLAS first on the link line, and it
//! would take over libtorch's matrix products: training is then half as fast, and its numbers change
//! with the processor.

use std::{env, error::Error, fs, path::Path};

use codehash::Crate;

fn main() -> Result<(), Box<dyn Error>> {
    if env::var_os("CARGO_FEATURE_TORCH").is_some() {
        let libtorch = env::var("DEP_TCH_LIBTORCH_LIB")?;
        // Found at run time without environment variables.
        println!("cargo:rustc-link-arg=-Wl,-rpath,{libtorch}");
        println!("cargo:rustc-link-arg=-L{libtorch}");
        // Nothing names a symbol of libtorch.so, which brings the CUDA libraries where they are there.
        println!("cargo:rustc-link-arg-bin=retune-torch=-Wl,--no-as-needed");
        for argument in ["-ltorch_cpu", "-ltorch", "-lopenblas"] {
            println!("cargo:rustc-link-arg={argument}");
        }
    } else {
        println!("cargo:rustc-link-lib=dylib=openblas");
    }

    let (own, engine, lock) =
        (Path::new("src"), Path::new("../pipeline/src"), Path::new("../Cargo.lock"));
    for path in [own, engine, lock] {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    let own = Crate { name: "stages", source: own };
    let engine = Crate { name: "pipeline", source: engine };
    let digests = codehash::digests(own, &[engine], &fs::read_to_string(lock)?)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("code.rs"), codehash::source(&digests))?;
    Ok(())
}

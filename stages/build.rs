//! Makes the table of code digests, and links OpenBLAS for `ndarray-linalg`.
//!
//! `ndarray-linalg`'s own `openblas-system` feature would put OpenBLAS first on the link line, and it
//! would take over libtorch's matrix products in `nets`, which is built on this crate.

use std::{env, error::Error, fs, path::Path};

use codehash::Crate;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rustc-link-lib=dylib=openblas");

    let (own, nets) = (Path::new("src"), Path::new("nets/src"));
    let (engine, lock) = (Path::new("../pipeline/src"), Path::new("../Cargo.lock"));
    for path in [own, nets, engine, lock] {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    // Networks are trained by a crate above this one; what carries a stage out counts all the same.
    let own = [Crate { name: "stages", source: own }, Crate { name: "nets", source: nets }];
    let engine = Crate { name: "pipeline", source: engine };
    let digests = codehash::digests(&own, &[engine], &fs::read_to_string(lock)?)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("code.rs"), codehash::source(&digests))?;
    Ok(())
}

//! Makes the table of code digests, and links OpenBLAS for `ndarray-linalg` (its own
//! `openblas-system` feature would put OpenBLAS before other libraries on the link line and take
//! over their matrix products).

use std::{env, error::Error, fs, path::Path};

use codehash::Crate;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rustc-link-lib=dylib=openblas");

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

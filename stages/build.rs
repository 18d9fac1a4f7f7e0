//! Makes the table of code digests, over all crates that stages are made of.

use std::{
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
};

use codehash::Crate;

/// Folders whose folders are crates that stages are made of.
const CRATES: [&str; 2] = [".", "papers"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut own = vec![("stages".to_owned(), PathBuf::from("src"))];
    for folder in CRATES {
        println!("cargo:rerun-if-changed={folder}");
        own.extend(crates(Path::new(folder))?);
    }
    let (engine, lock) = (Path::new("../pipeline/src"), Path::new("../Cargo.lock"));
    for path in own.iter().map(|(_, source)| source.as_path()).chain([engine, lock]) {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    let own: Vec<_> = own.iter().map(|(name, source)| Crate { name, source }).collect();
    let engine = Crate { name: "pipeline", source: engine };
    let digests = codehash::digests(&own, &[engine], &fs::read_to_string(lock)?)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("code.rs"), codehash::source(&digests))?;
    Ok(())
}

/// The crates in `folder`, each with its sources.
fn crates(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let source = entry.path().join("src");
        if entry.path().join("Cargo.toml").is_file() {
            found.push((entry.file_name().to_string_lossy().into_owned(), source));
        }
    }
    found.sort();
    Ok(found)
}

//! Writes down what the program is built with and from: the compiler, the target, and the versions of
//! all libraries that the lock file names. Records of results refer to it.

use std::{
    env,
    error::Error,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn main() -> Result<(), Box<dyn Error>> {
    let lock = lock_file(Path::new(&env::var("CARGO_MANIFEST_DIR")?));
    let text = match &lock {
        Some(path) => {
            println!("cargo:rerun-if-changed={}", path.display());
            fs::read_to_string(path)?
        }
        None => String::new(),
    };
    println!("cargo:rerun-if-changed=build.rs");
    let mut source = "&[\n".to_owned();
    for (name, version) in libraries(&text) {
        writeln!(source, "    ({name:?}, {version:?}),")?;
    }
    source.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("libraries.rs"), source)?;

    let compiler = Command::new(env::var("RUSTC")?).arg("--version").output()?;
    let compiler = String::from_utf8_lossy(&compiler.stdout).trim().to_owned();
    println!("cargo:rustc-env=RETUNE_COMPILER={compiler}");
    for (name, variable) in [("RETUNE_TARGET", "TARGET"), ("RETUNE_BUILD", "PROFILE")] {
        println!("cargo:rustc-env={name}={}", env::var(variable)?);
    }
    Ok(())
}

/// The lock file of the workspace that this crate lies in.
fn lock_file(own: &Path) -> Option<PathBuf> {
    own.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file())
}

/// Name and version of every package that comes from a registry, in the lock file's order.
fn libraries(lock: &str) -> Vec<(String, String)> {
    let packages = lock.split("[[package]]").skip(1);
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
        line.and_then(|rest| rest.strip_suffix('"')).map(str::to_owned)
    };
    packages
        .filter(|package| value(package, "source").is_some())
        .filter_map(|package| Some((value(package, "name")?, value(package, "version")?)))
        .collect()
}

//! Records what the program is built with and from: the compiler, the target, and the version, checksum and
//! licence of every library in the lock file (licences come from `audits.tsv`). Records of results and the bill
//! of materials refer to it.

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
    let audits = lock.map(|path| path.with_file_name("audits.tsv")).filter(|path| path.is_file());
    let audits = match &audits {
        Some(path) => {
            println!("cargo:rerun-if-changed={}", path.display());
            fs::read_to_string(path)?
        }
        None => String::new(),
    };
    let mut source = "&[\n".to_owned();
    for [name, version, checksum] in packages(&text) {
        let licence = licence(&audits, &name, &version);
        writeln!(
            source,
            "    Package {{ name: {name:?}, version: {version:?}, checksum: {checksum:?}, licence: {licence:?} }},"
        )?;
    }
    source.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("packages.rs"), source)?;

    let compiler = Command::new(env::var("RUSTC")?).arg("--version").output()?;
    let compiler = String::from_utf8_lossy(&compiler.stdout).trim().to_owned();
    println!("cargo:rustc-env=RETUNE_COMPILER={compiler}");
    for (name, variable) in [("RETUNE_TARGET", "TARGET"), ("RETUNE_BUILD", "PROFILE")] {
        println!("cargo:rustc-env={name}={}", env::var(variable)?);
    }
    Ok(())
}

/// The lock file of the workspace that contains this crate.
fn lock_file(own: &Path) -> Option<PathBuf> {
    own.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file())
}

/// Name, version and checksum of every package that comes from a registry, in the lock file's order.
fn packages(lock: &str) -> Vec<[String; 3]> {
    let packages = lock.split("[[package]]").skip(1);
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
        line.and_then(|rest| rest.strip_suffix('"')).map(str::to_owned)
    };
    packages
        .filter(|package| value(package, "source").is_some())
        .filter_map(|package| {
            let checksum = value(package, "checksum").unwrap_or_default();
            Some([value(package, "name")?, value(package, "version")?, checksum])
        })
        .collect()
}

/// The licence of a package, if the table of audits lists this version of it.
fn licence<'a>(audits: &'a str, name: &str, version: &str) -> &'a str {
    let licence = |line: &'a str| {
        let cells: Vec<&str> = line.split('\t').collect();
        (cells.first() == Some(&name) && cells.get(1) == Some(&version))
            .then(|| cells.get(2).copied())
    };
    audits.lines().find_map(licence).flatten().unwrap_or_default()
}

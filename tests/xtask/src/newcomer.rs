//! The guides to a change (`docs/book/src/change.md`), a new tuner (`tuner.md`) and a new paper (`paper.md`), carried out
//! in a copy of the checkout, in `target/newcomer`. What was compiled of dependencies is shared; what the copy builds itself is not
//! optimised.

use std::{
    collections::BTreeSet,
    env, fs,
    io::Write,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use crate::tools::{Checkout, End, ensure, run, said, say};

/// The chapters that are carried out, one after the other in the same copy; the first needs no build.
const GUIDES: [(&str, &str); 3] =
    [("change.md", "a change"), ("tuner.md", "a new tuner"), ("paper.md", "a new paper")];

pub fn check(checkout: &Checkout, _: &[String]) -> Result<(), End> {
    // Whoever has followed the guide here has nothing left to find out.
    let made = ["stages/papers/random_search", "stages/tuners/src/anneal.rs"];
    if made.iter().any(|path| checkout.root.join(path).exists()) {
        say("not tested: the guides, which have been followed in this checkout");
        return Ok(());
    }
    let retune = checkout.retune()?;
    let built = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let built = checkout.root.join(built).canonicalize()?;
    let folder = checkout.root.join("target/newcomer/checkout");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    copy(checkout, &folder)?;
    let artifacts =
        env::var_os("RETUNE_ARTIFACTS").map_or_else(|| "artifacts".into(), PathBuf::from);
    let data = checkout.root.join(artifacts).join("data");
    fs::create_dir_all(&data)?;
    symlink(&checkout.tools, folder.join(".tools"))?;
    symlink(checkout.root.join(".venv"), folder.join(".venv"))?;
    fs::create_dir_all(folder.join("artifacts"))?;
    fs::create_dir_all(folder.join("target/debug"))?;
    symlink(data, folder.join("artifacts/data"))?;
    // Until the guide builds its own.
    symlink(retune, folder.join("target/debug/retune"))?;
    let mut config = fs::OpenOptions::new().append(true).open(folder.join(".cargo/config.toml"))?;
    writeln!(config, "\n[profile.dev]\nopt-level = 0\ndebug = false")?;
    for name in optimised(checkout)? {
        writeln!(config, "\n[profile.dev.package.{name}]\nopt-level = 0")?;
    }
    let path = path(checkout)?;
    for (chapter, what) in GUIDES {
        let mut guide = checkout.command("python3");
        guide.current_dir(&folder).arg(checkout.root.join("tests/checks/guide.py"));
        guide.arg(checkout.root.join("docs/book/src").join(chapter));
        guide.env("CARGO_TARGET_DIR", folder.join("target")).env("CARGO_BUILD_BUILD_DIR", &built);
        guide.env("PATH", &path);
        // Results are the copy's own.
        run(guide.env_remove("RETUNE_ARTIFACTS"))?;
        say(&format!("the guide to {what} does what it says"));
    }
    Ok(())
}

/// The crates of the workspace that the manifest optimises in the dev profile. The copy compiles them otherwise, as it does
/// all others: what is compiled of dependencies is shared, and cargo would take a crate of the copy for the checkout's own.
fn optimised(checkout: &Checkout) -> Result<Vec<String>, End> {
    let manifest = fs::read_to_string(checkout.root.join("Cargo.toml"))?;
    let (_, section) = manifest
        .split_once("\n[profile.dev.package]\n")
        .ok_or_else(|| End::Failed("Cargo.toml has no [profile.dev.package]".into()))?;
    let section = section.split_once("\n[").map_or(section, |(section, _)| section);
    let mut own = BTreeSet::new();
    let list = tracked(checkout)?;
    for path in list.iter().filter(|path| path.ends_with("Cargo.toml")) {
        let text = fs::read_to_string(checkout.root.join(path))?;
        own.extend(text.lines().find_map(|line| Some(line.strip_prefix("name = ")?.to_owned())));
    }
    let names = section.lines().filter_map(|line| Some(line.split_once(" = {")?.0));
    let found: Vec<_> =
        names.filter(|name| own.contains(&format!("\"{name}\""))).map(str::to_owned).collect();
    ensure(!found.is_empty(), "Cargo.toml optimises no crate of the workspace in the dev profile")?;
    Ok(found)
}

/// The user's, with what the project installs before it.
fn path(checkout: &Checkout) -> Result<std::ffi::OsString, End> {
    let old = env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(checkout.tools.join("bin")).chain(env::split_paths(&old));
    env::join_paths(all).map_err(|e| End::Failed(format!("PATH: {e}")))
}

/// Copies the files that git knows or would know, with their times, so that what is unchanged since the last check is
/// not built again.
fn copy(checkout: &Checkout, to: &Path) -> Result<(), End> {
    for some in tracked(checkout)?.chunks(500) {
        run(checkout.command("cp").args(["-p", "--parents", "-t"]).arg(to).args(some))?;
    }
    Ok(())
}

/// The files that git knows or would know.
fn tracked(checkout: &Checkout) -> Result<Vec<String>, End> {
    let mut list = checkout.command("git");
    let (output, _) =
        said(list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]))?;
    ensure(output.status.success(), "git cannot list the files of the checkout")?;
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    // Some are deleted and not yet committed.
    let there = |name: &&str| !name.is_empty() && checkout.root.join(name).exists();
    Ok(names.split('\0').filter(there).map(str::to_owned).collect())
}

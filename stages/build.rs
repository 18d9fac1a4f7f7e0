//! Generates three tables over all crates that stages consist of: the digests of their code, its files, and the
//! comments that say what differs from a paper.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fmt::Write,
    fs, io,
    path::{Component, Path, PathBuf},
};

use codehash::{Crate, Module, Modules, notes};

/// Folders whose subfolders are crates that stages consist of.
const CRATES: [&str; 2] = [".", "papers"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut own = vec![Own::of(Path::new("."))?];
    for folder in CRATES {
        println!("cargo:rerun-if-changed={folder}");
        own.extend(crates(Path::new(folder))?);
    }
    let (engine, lock) = (Path::new("../pipeline/src"), Path::new("../Cargo.lock"));
    for path in own.iter().map(|one| one.source.as_path()).chain([engine, lock]) {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    let own: Vec<_> = own.iter().map(Own::named).collect();
    let modules = Modules::of(&own)?;
    let engine = Crate { name: "pipeline", package: "pipeline", source: engine };
    let engine = Modules::of(&[engine])?;
    let digests = codehash::digests(&modules, &engine, &fs::read_to_string(lock)?)?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("code.rs"), codehash::source(&digests))?;
    fs::write(out.join("files.rs"), files(&modules)?)?;
    fs::write(out.join("differs.rs"), differs(&modules)?)?;
    Ok(())
}

/// The mark with which a comment begins that says what differs from a paper.
const MARK: &str = "DIFFERS:";
/// Modules that list everything there is, with all below them: what they name is not what those who name them use.
const LISTS: [&str; 3] = ["data::catalogue", "reference", "tuners::method"];
/// The same, where what is below is named by itself.
const LINKS: &str = "nets::link";

/// Whether reachability continues through a module.
fn followed(at: &str) -> bool {
    let below = |list: &str| {
        at.strip_prefix(list).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    at != LINKS && !LISTS.into_iter().any(below)
}

/// The notes of each paper (as `papers/ID`), and of each tuner by its name in configs, as Rust source: sorted
/// by name, with the file and the text of each note.
fn differs(modules: &Modules) -> Result<String, Box<dyn Error>> {
    let text = |at: &str| fs::read_to_string(&modules[at].file);
    let papers: Vec<String> =
        crates(Path::new("papers"))?.into_iter().map(|one| one.name).collect();
    let paper = |at: &str| papers.iter().find(|id| at.split("::").next() == Some(id));
    let mut starts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for id in &papers {
        // Code that is written for a paper cites it, also if it is found by the id of a data set.
        let cited = citation(&text(id)?);
        let mut own = Vec::new();
        for at in modules.paths() {
            let cites = |text: &str| cited.as_ref().is_some_and(|cited| text.contains(cited));
            if paper(at) == Some(id) || paper(at).is_none() && followed(at) && cites(&text(at)?) {
                own.push(at);
            }
        }
        starts.insert(format!("papers/{id}"), own);
    }
    for at in modules.paths().filter(|at| at.starts_with("tuners::") && followed(at)) {
        let name = at.rsplit("::").next().unwrap_or_default().replace('_', "-");
        starts.entry(name).or_default().push(at);
    }
    let mut source = "&[\n".to_owned();
    for (name, starts) in starts {
        writeln!(source, "    ({name:?}, &[")?;
        for at in modules.reached(starts, followed) {
            let file = file(&modules[at]);
            for note in notes(&text(at)?, MARK) {
                writeln!(source, "        ({:?}, {note:?}),", file.display().to_string())?;
            }
        }
        source.push_str("    ]),\n");
    }
    Ok(source + "]\n")
}

/// The file of a module, relative to the workspace.
fn file(module: &Module) -> PathBuf {
    let parts = module.file.components().filter(|part| *part != Component::CurDir);
    Path::new("stages").join(parts.collect::<PathBuf>())
}

/// Module → file, as Rust source, sorted.
fn files(modules: &Modules) -> Result<String, std::fmt::Error> {
    let mut source = "&[\n".to_owned();
    for at in modules.paths() {
        writeln!(source, "    ({at:?}, {:?}),", file(&modules[at]).display().to_string())?;
    }
    Ok(source + "]\n")
}

/// The first word of a text that has the form of a citation: letters, then a year.
fn citation(text: &str) -> Option<String> {
    let made = |word: &&str| {
        let (name, year) = word.split_at(word.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        year.len() == 4 && name.len() > 1 && name.chars().all(char::is_alphabetic)
    };
    text.split(|c: char| !c.is_alphanumeric()).find(made).map(str::to_owned)
}

/// A crate that stages consist of.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Own {
    /// Its name in paths, which is its folder's.
    name: String,
    /// Its package's: another where the crate is published.
    package: String,
    source: PathBuf,
}

impl Own {
    /// The crate in `folder`.
    fn of(folder: &Path) -> io::Result<Self> {
        let manifest = folder.join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        let package = text.lines().find_map(|line| line.strip_prefix("name = "));
        let none = || io::Error::other(format!("{} names no package", manifest.display()));
        let package = package.ok_or_else(none)?.trim_matches('"').to_owned();
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or(&package).to_owned();
        Ok(Self { name, package, source: folder.join("src") })
    }

    fn named(&self) -> Crate<'_> {
        Crate { name: &self.name, package: &self.package, source: &self.source }
    }
}

/// The crates in `folder`, sorted.
fn crates(folder: &Path) -> io::Result<Vec<Own>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let folder = entry?.path();
        if folder.join("Cargo.toml").is_file() {
            found.push(Own::of(&folder)?);
        }
    }
    found.sort();
    Ok(found)
}

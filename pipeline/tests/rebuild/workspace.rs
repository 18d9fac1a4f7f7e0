//! The program that is edited: two stages, the modules that they reach, one that they do not reach, and a dependency.
//! It is in the build folder and shares that folder, so that the engine is built once.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use toml::{Table, Value};

const FILES: [(&str, &str); 11] = [
    (
        "helper/Cargo.toml",
        "[package]\nname = \"helper\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    ),
    ("helper/src/lib.rs", "pub fn add(a: i64, b: i64) -> i64 { a + b }\n"),
    ("configs/tiny.toml", "[profiles.only]\n"),
    (
        "build.rs",
        r#"use std::{env, fs, path::Path};
fn main() {
    for path in ["src", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={path}");
    }
    let own = codehash::Crate { name: "tiny", package: "tiny", source: Path::new("src") };
    let own = codehash::Modules::of(&[own]).expect("parses");
    let lock = fs::read_to_string("Cargo.lock").expect("a lock file");
    let digests = codehash::digests(&own, &Default::default(), &lock).expect("parses");
    let out = env::var("OUT_DIR").expect("set");
    fs::write(Path::new(&out).join("code.rs"), codehash::source(&digests)).expect("written");
}
"#,
    ),
    (
        "src/lib.rs",
        r#"pub mod alpha;
pub mod beta;
mod deep;
pub mod idle;
mod shared;
mod work;
pub const CODE: pipeline::code::Table = include!(concat!(env!("OUT_DIR"), "/code.rs"));
"#,
    ),
    (
        "src/main.rs",
        r#"use pipeline::{Result, config::Config, graph::Builder, registry::{Experiment, Kinds, Registry}};
use tiny::{CODE, alpha::Alpha, beta::Beta};
struct Tiny;
impl Experiment for Tiny {
    fn id(&self) -> &'static str { "tiny" }
    fn expand(&self, _: &Config, builder: &mut Builder) -> Result<()> {
        builder.add("tiny/alpha", &Alpha {})?;
        builder.add("tiny/beta", &Beta {})?;
        Ok(())
    }
}
fn main() -> std::process::ExitCode {
    let mut kinds = Kinds::default();
    kinds.add::<Alpha>(CODE).add::<Beta>(CODE);
    pipeline::cli::run(Registry {
        program: "tiny", about: "two stages", trusted: &["tiny"], recording: Default::default(), default_profile: "only", kinds: kinds.into(),
        experiments: vec![Box::new(Tiny)],
    }, Vec::new())
}
"#,
    ),
    (
        "src/alpha.rs",
        r#"// A remark.
use pipeline::stage::{Context, Stage, Stop};
use crate::shared::{self, row};
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Alpha {}
impl Stage for Alpha {
    const KIND: &'static str = "alpha";
    const MODULE: &'static str = module_path!();
    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        Ok(cx.write("main", &row(shared::HALF)?)?)
    }
}
"#,
    ),
    (
        "src/beta.rs",
        r#"use pipeline::stage::{Context, Stage, Stop};
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Beta {}
impl Stage for Beta {
    const KIND: &'static str = "beta";
    const MODULE: &'static str = module_path!();
    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let values: arrow_array::Int64Array = vec![helper::add(1, 7)].into();
        let columns = [("value", std::sync::Arc::new(values) as _)];
        let batch = arrow_array::RecordBatch::try_from_iter(columns);
        Ok(cx.write("main", &batch.map_err(|e| Stop::Failed(e.to_string()))?)?)
    }
}
"#,
    ),
    (
        "src/shared.rs",
        r#"use pipeline::stage::Stop;
pub const HALF: i64 = crate::deep::WHOLE / 2;
pub fn row(value: i64) -> Result<arrow_array::RecordBatch, Stop> {
    let values: arrow_array::Int64Array = vec![value].into();
    arrow_array::RecordBatch::try_from_iter([("value", std::sync::Arc::new(values) as _)])
        .map_err(|e| Stop::Failed(e.to_string()))
}
"#,
    ),
    (
        "src/work.rs",
        r"use pipeline::work::{Inputs, Work};
use crate::{alpha::Alpha, beta::Beta};
impl Work for Alpha {
    fn work(&self, _: &Inputs) -> f64 { 1.0 }
}
impl Work for Beta {
    fn work(&self, _: &Inputs) -> f64 { 1.0 }
}
",
    ),
    ("src/deep.rs", "pub const WHOLE: i64 = 21;\n"),
];

pub struct Workspace {
    dir: PathBuf,
    target: PathBuf,
}

impl Workspace {
    pub fn new() -> Self {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rebuild");
        let target = dir.ancestors().nth(2).expect("TARGET/tmp/rebuild").to_owned();
        if dir.exists() {
            fs::remove_dir_all(&dir).expect("an earlier test's can be removed");
        }
        let tiny = Self { dir, target };
        for (file, text) in FILES {
            tiny.write(file, text);
        }
        tiny.write("src/idle.rs", "pub const IDLE: u8 = 1;\n");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the checkout");
        tiny.write("Cargo.toml", &manifest(root));
        let lock = fs::read_to_string(root.join("Cargo.lock")).expect("is there");
        tiny.write("Cargo.lock", &lock);
        tiny
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.dir.join(file);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("can be made");
        fs::write(path, text).expect("can be written");
    }

    /// Replaces a part of a file, which must exist.
    pub fn edit(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.dir.join(file)).expect("is there");
        assert!(text.contains(from), "{file} has no {from:?}");
        self.write(file, &text.replacen(from, to, 1));
    }

    pub fn rename(&self, from: &str, to: &str) {
        fs::rename(self.dir.join(from), self.dir.join(to)).expect("is there");
    }

    pub fn rebuild(&self) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--offline", "--quiet"]).current_dir(&self.dir);
        cargo.env("CARGO_TARGET_DIR", &self.target);
        good(&cargo.output().expect("cargo starts"));
    }

    fn tiny(&self, args: &[&str]) -> Output {
        let mut tiny = Command::new(self.target.join("debug/tiny"));
        tiny.current_dir(&self.dir).args(args).env_remove("PROFILE").env_remove("JOBS");
        tiny.output().expect("starts")
    }

    /// Standard output of a command that must succeed.
    pub fn good(&self, args: &[&str]) -> String {
        good(&self.tiny(args))
    }

    pub fn why(&self, stage: &str) -> String {
        self.good(&["why", &format!("tiny/{stage}")])
    }

    /// Checks that `stage` alone runs again, for the reasons named, and runs it.
    #[track_caller]
    pub fn reruns(&self, stage: &str, other: &str, named: &[&str]) {
        let why = self.why(stage);
        let reasons: Vec<_> = why.lines().skip(1).map(str::trim).collect();
        assert_eq!(reasons.len(), named.len(), "{why}");
        assert!(reasons.iter().all(|r| named.iter().any(|n| r.starts_with(n))), "{why}");
        assert!(self.why(other).contains("is up to date"), "{}", self.why(other));
        assert!(self.good(&["run"]).starts_with("1 stage computed"));
    }
}

#[track_caller]
fn good(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// With this checkout's profiles, and naming what its crates name of other crates, so that features unify to those of
/// the checkout's own build, and what that has built is not built again. What only macros and build scripts need is
/// named as theirs, and the crate that is both as both: cargo compiles for build scripts in another way.
fn manifest(root: &Path) -> String {
    let mut ours = table(&root.join("Cargo.toml"));
    let workspace = ours.remove("workspace").and_then(|w| w.try_into().ok()).expect("a table");
    let mut dev = ours["profile"]["dev"].clone();
    if let Some(packages) = dev.get_mut("package").and_then(Value::as_table_mut) {
        let own =
            "data harmonica hoag hypertune kit models numerics reference smoothie stats stn tuners";
        for name in own.split(' ') {
            packages.remove(name);
        }
        // The one crate that is built only for this: its key depends on the workspace.
        let quickly = Table::from_iter([("opt-level".to_owned(), 0.into())]);
        packages.insert("pipeline".to_owned(), quickly.into());
    }
    let head = format!(
        "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
         [build-dependencies]\ncodehash.path = \"{0}/pipeline/codehash\"\n\
         [dependencies]\npipeline.path = \"{0}/pipeline\"\nhelper.path = \"helper\"\n\
         codehash.path = \"{0}/pipeline/codehash\"\n",
        root.display()
    );
    let mut tiny: Table = head.parse().expect("TOML");
    let [programs, macros] = dependencies(root, &workspace);
    for (part, more) in [("dependencies", programs), ("build-dependencies", macros)] {
        tiny[part].as_table_mut().expect("a table").extend(more);
    }
    tiny.insert("profile".to_owned(), Table::from_iter([("dev".to_owned(), dev)]).into());
    toml::to_string(&tiny).expect("TOML")
}

fn table(path: &Path) -> Table {
    fs::read_to_string(path).expect("is there").parse().expect("TOML")
}

/// The folders of a member: those inside it if the member ends in a star.
fn folders(root: &Path, member: &str) -> Vec<PathBuf> {
    let Some(parent) = member.strip_suffix("/*") else { return vec![root.join(member)] };
    let entries = fs::read_dir(root.join(parent)).expect("can be listed");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// What the members need, including for their tests, of third-party crates, with all features: the programs, and the
/// macros with the build scripts.
fn dependencies(root: &Path, workspace: &Table) -> [Table; 2] {
    let [mut programs, mut macros] = [Table::new(), Table::new()];
    let members = workspace["members"].as_array().expect("a list");
    for member in members.iter().flat_map(|path| folders(root, path.as_str().expect("a path"))) {
        let own = table(&member.join("Cargo.toml"));
        let is_macro = own.get("lib").is_some_and(|lib| lib.get("proc-macro").is_some());
        for part in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let of_macros = is_macro || part == "build-dependencies";
            let all = if of_macros { &mut macros } else { &mut programs };
            let wanted = own.get(part).and_then(Value::as_table);
            add(all, wanted.into_iter().flatten(), workspace);
        }
    }
    [programs, macros]
}

/// Adds what a manifest names of third-party crates.
fn add<'a>(
    all: &mut Table,
    named: impl Iterator<Item = (&'a String, &'a Value)>,
    workspace: &Table,
) {
    for (name, wanted) in named {
        let common = wanted.get("workspace").map(|_| &workspace["dependencies"][name]);
        let theirs = common.unwrap_or(wanted);
        if wanted.get("optional").is_some() || theirs.get("path").is_some() {
            continue;
        }
        let entry = all.entry(name).or_insert_with(|| match theirs {
            Value::Table(theirs) => theirs.clone().into(),
            version => Table::from_iter([("version".to_owned(), version.clone())]).into(),
        });
        let more = wanted.get("features").and_then(Value::as_array);
        let entry = entry.as_table_mut().expect("just made one");
        let features = entry.entry("features").or_insert_with(|| Value::Array(Vec::new()));
        features.as_array_mut().expect("a list").extend(more.into_iter().flatten().cloned());
    }
}

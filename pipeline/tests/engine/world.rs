//! A folder with a config, data and a store, and the toy program to run in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use nix::fcntl::{FcntlArg, fcntl};
use pipeline::digest::Digest;
use serde_json::Value;
use tempfile::TempDir;

/// The config that every test starts from.
pub const CONFIG: &str = r#"seed = 1
below = 100
label = 0
sets = ["a", "b"]
methods = [2, 3]
splits = 2
files = "data"
worker = false
sleep_ms = 0
report = "toy/report"

[dag]
layers = 2
width = 2
plus = 1

[profiles.full]
[profiles.wide]
splits = 3
"#;

/// The toy program, built beside the tests.
pub fn program() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a file");
    let target = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
    let program = target.join("examples").join("toy");
    assert!(
        program.is_file(),
        "{} is missing; `cargo test` builds it, or `cargo build -p pipeline --example toy`",
        program.display()
    );
    program
}

/// A set of names.
pub fn set<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> BTreeSet<String> {
    names.into_iter().map(|name| name.as_ref().to_owned()).collect()
}

pub struct World {
    dir: TempDir,
}

/// The outcome of a finished command.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// A run as described by its events.
#[derive(Debug)]
pub struct Ran {
    pub ended: Ended,
    pub events: Vec<Value>,
}

impl Ran {
    /// The stages of all events of one kind.
    pub fn stages(&self, event: &str) -> BTreeSet<String> {
        let of_kind = self.events.iter().filter(|e| e["event"] == event);
        of_kind.map(|e| e["stage"].as_str().expect("a stage event").to_owned()).collect()
    }

    /// The stages that were started.
    pub fn executed(&self) -> BTreeSet<String> {
        self.stages("start")
    }

    /// The number of times that a stage was started.
    pub fn starts(&self, stage: &str) -> usize {
        let starts = self.events.iter().filter(|e| e["event"] == "start");
        starts.filter(|e| e["stage"] == stage).count()
    }

    /// The stages of one list of the summary.
    pub fn summary(&self, list: &str) -> BTreeSet<String> {
        let end = self.events.iter().rfind(|e| e["event"] == "end").expect("the run ended");
        let list = end["summary"][list].as_array().expect("a list");
        set(list.iter().map(|entry| entry.as_str().or(entry[0].as_str()).expect("a stage")))
    }
}

impl World {
    pub fn new() -> Self {
        let world = Self { dir: TempDir::new().expect("a temporary folder") };
        world.write("configs/toy.toml", CONFIG);
        world.write("data/a.txt", "10");
        world.write("data/b.txt", "2000");
        world.write("data/c.txt", "300000");
        for i in 0..8 {
            world.write(&format!("data/source-{i}.txt"), &(70 + i * i).to_string());
        }
        world
    }

    /// A world whose config was edited before anything ran.
    pub fn with(from: &str, to: &str) -> Self {
        let world = Self::new();
        world.edit(from, to);
        world
    }

    /// A world with one misbehaving stage `toy/odd/x`.
    pub fn odd(does: &str, timeout_s: u64, retries: u32) -> Self {
        let world = Self::new();
        world.add_odd("x", does, timeout_s, retries);
        world
    }

    pub fn add_odd(&self, name: &str, does: &str, timeout_s: u64, retries: u32) {
        let flag = self.path(&format!("flag-{name}"));
        let odd = format!(
            "\n[[odd]]\nname = \"{name}\"\ndoes = \"{does}\"\ntimeout_s = {timeout_s}\n\
             retries = {retries}\nflag = \"{}\"\n[profiles.full]",
            flag.display()
        );
        self.edit("\n[profiles.full]", &odd);
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.dir.path().join(relative)
    }

    pub fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("can be made");
        fs::write(path, text).expect("can be written");
    }

    /// Replaces a part of the config, which must exist.
    pub fn edit(&self, from: &str, to: &str) {
        let old = fs::read_to_string(self.path("configs/toy.toml")).expect("is there");
        assert!(old.contains(from), "the config has no {from:?}");
        self.write("configs/toy.toml", &old.replacen(from, to, 1));
    }

    pub fn command(&self, args: &[&str]) -> Command {
        self.command_of(&program(), args)
    }

    /// The same for a copy of the program.
    pub fn command_of(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.dir.path()).args(args).stdin(Stdio::null());
        command.env_remove("PROFILE").env_remove("JOBS").env("TOY_TRACE", self.path("trace"));
        command
    }

    /// What the stages themselves report about their starts and ends, in order: `start NAME PID`.
    pub fn trace(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("trace")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub fn toy(&self, args: &[&str]) -> Ended {
        self.command(args).output().expect("starts").into()
    }

    fn run_args<'a>(args: &[&'a str]) -> Vec<&'a str> {
        [&["run", "--log-format", "json"], args].concat()
    }

    /// Starts a run whose events are read when it ends.
    pub fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(&Self::run_args(args));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("starts");
        // All events fit into the pipe: of two runs that wait for each other, neither may wait for its reader.
        let stdout = child.stdout.as_ref().expect("is piped");
        fcntl(stdout, FcntlArg::F_SETPIPE_SZ(1 << 20)).expect("a pipe may be this large");
        child
    }

    pub fn finish(child: Child) -> Ran {
        let ended = Ended::from(child.wait_with_output().expect("ends"));
        let events = ended.stdout.lines().filter_map(|line| serde_json::from_str(line).ok());
        Ran { events: events.collect(), ended }
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Self::finish(self.start(args))
    }

    /// A run that must succeed.
    pub fn good_run(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.ended.code, 0, "{}", ran.ended.stderr);
        ran
    }

    /// Stage → state, as planned.
    pub fn plan(&self, args: &[&str]) -> BTreeMap<String, String> {
        let ended = self.toy(&[&["status", "--json"], args].concat());
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let rows = report["stages"].as_array().expect("a list");
        rows.iter().map(|row| (text(&row["stage"]), text(&row["state"]))).collect()
    }

    /// The planned stages in `state`.
    pub fn planned(&self, state: &str) -> BTreeSet<String> {
        let plan = self.plan(&[]);
        plan.into_iter().filter(|(_, s)| s == state).map(|(stage, _)| stage).collect()
    }

    /// The value that a stage of the toy registry computed.
    pub fn value(&self, stage: &str) -> i64 {
        let shown = self.toy(&["show", stage, "--csv"]);
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        shown.stdout.lines().nth(1).and_then(|line| line.parse().ok()).expect("one value")
    }

    /// The path of a stage's output `main`.
    pub fn object(&self, stage: &str) -> PathBuf {
        let shown = self.toy(&["show", stage, "--path"]);
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        self.path(shown.stdout.trim())
    }

    /// Stage → digest of its output `main`, according to the log.
    pub fn digests(&self) -> BTreeMap<String, String> {
        self.bindings("artifacts")
    }

    /// The same for another store.
    pub fn bindings(&self, store: &str) -> BTreeMap<String, String> {
        let log = fs::read(self.path(store).join("store/v1/log")).expect("is there");
        let (mut keys, mut by_key) = (BTreeMap::new(), BTreeMap::new());
        for line in String::from_utf8_lossy(&log).lines() {
            let words: Vec<_> = sound(line).unwrap_or_default().split(' ').collect();
            match words[..] {
                ["d", key, name, outputs] => {
                    let main = outputs.split(',').find_map(|o| o.strip_prefix("main:"));
                    let Some(digest) = main.and_then(|m| m.split(':').next()) else { continue };
                    by_key.insert(key.to_owned(), digest.to_owned());
                    keys.insert(name.to_owned(), key.to_owned());
                }
                ["b", key, name] => drop(keys.insert(name.to_owned(), key.to_owned())),
                _ => {}
            }
        }
        // Only now, since a name may be bound to a key whose line was lost and written again later.
        let digest = |(name, key)| Some((name, by_key.get(&key)?.clone()));
        keys.into_iter().filter_map(digest).collect()
    }

    /// Stage → bytes of its output `main`.
    pub fn artifacts(&self) -> BTreeMap<String, Vec<u8>> {
        let bytes = |digest: &str| {
            let object = format!("artifacts/store/v1/objects/{}/{digest}.parquet", &digest[..2]);
            fs::read(self.path(&object)).expect("what the log names is there")
        };
        self.digests().into_iter().map(|(stage, digest)| (stage, bytes(&digest))).collect()
    }

    /// Whether any process works in this folder: nothing may outlive a run.
    pub fn someone_works(&self) -> bool {
        let here = self.dir.path().canonicalize().expect("is there");
        let processes = fs::read_dir("/proc").expect("Linux").flatten();
        processes
            .filter(|process| !is_zombie(&process.path()))
            .any(|process| fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == here))
    }
}

fn is_zombie(process: &Path) -> bool {
    let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
}

/// A log line without its checksum, if the checksum agrees.
pub fn sound(line: &str) -> Option<&str> {
    let (body, sum) = line.rsplit_once(" ~")?;
    let digest = Digest::of(body.as_bytes()).to_string();
    (digest[..8] == *sum).then_some(body)
}

/// A number that may be set in the environment.
pub fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Waits until `done` returns true; fails the test after ten seconds.
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(10), "waited too long for: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

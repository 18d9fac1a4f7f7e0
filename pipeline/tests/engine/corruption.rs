//! Random corruption, of artifacts and of the log. A spoilt artifact is reported, moved to quarantine and computed
//! again, and nothing is ever computed from it. In a third of the cases its size and all its times are as recorded,
//! as if the disk itself had lost a bit, so that only hashing finds it. A spoilt log line is dropped, and exactly
//! what it recorded is computed again.
//!
//! `CORRUPTIONS=1000` tries more of them, `CORRUPTION_SEED=500` other ones, `CORRUPTION=17` a single one.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;

use crate::{
    harm::{below, forge_stamp, noise, overwrite, spoil},
    world::{World, number, set, sound},
};

const TARGET: &str = "toy/dag";
const LAYERS: usize = 10;
const WIDTH: usize = 8;
const LOG: &str = "artifacts/store/v1/log";
const INDEX: &str = "artifacts/store/v1/log.index";

/// A store that is up to date, and what its artifacts must be.
struct Bench {
    world: World,
    artifacts: BTreeMap<String, Vec<u8>>,
}

impl Bench {
    fn new() -> Self {
        // Large enough for a snapshot of the log, and for artifacts that are mapped and not read.
        let bulk = "layers = 10\nwidth = 8\nbulk = { rows = 900, worker_every = 80, sleep_ms = 0 }";
        let world = World::with("layers = 2\nwidth = 2", bulk);
        world.good_run(&[TARGET]);
        let artifacts = world.artifacts();
        assert_eq!(artifacts.len(), LAYERS * WIDTH);
        assert!(world.path(INDEX).is_file(), "a snapshot was written");
        Self { world, artifacts }
    }

    fn up_to_date(&self) {
        assert!(self.world.artifacts() == self.artifacts, "artifacts differ");
        assert!(self.world.good_run(&[TARGET]).executed().is_empty(), "nothing is left to do");
    }
}

/// Which parts of a file's stamp still agree after it was spoilt.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    Nothing,
    ModificationTime,
    /// The change time and the size, too.
    All,
}

struct Spoilt<'a> {
    bench: &'a Bench,
    rng: ChaCha12Rng,
    layer: usize,
    i: usize,
    path: PathBuf,
    kept: Kept,
}

impl<'a> Spoilt<'a> {
    fn new(bench: &'a Bench, mut rng: ChaCha12Rng) -> Self {
        let world = &bench.world;
        let (layer, i) = (below(&mut rng, LAYERS), below(&mut rng, WIDTH));
        let stage = format!("toy/dag/layer={layer}/i={i}");
        let path = world.object(&stage);
        let was = &bench.artifacts[&stage];
        let bytes = spoil(&mut rng, was);
        let kept = match below(&mut rng, 3) {
            0 => Kept::Nothing,
            1 => Kept::ModificationTime,
            _ if bytes.len() == was.len() => Kept::All,
            _ => Kept::ModificationTime,
        };
        if kept == Kept::Nothing {
            fs::write(&path, &bytes).expect("can be written");
        } else {
            overwrite(&path, &bytes);
        }
        if kept == Kept::All {
            forge_stamp(world, &path);
            assert_eq!(world.toy(&["verify"]).code, 0, "the stamp agrees");
        }
        Self { bench, rng, layer, i, path, kept }
    }

    fn stage(&self) -> String {
        format!("toy/dag/layer={}/i={}", self.layer, self.i)
    }

    fn reported_by_plan(&self) {
        let status = self.bench.world.toy(&["status", "--json", &self.stage()]);
        let report: serde_json::Value = serde_json::from_str(&status.stdout).expect("JSON");
        let rows = report["stages"].as_array().expect("a list");
        let row = rows.iter().find(|row| row["stage"] == *self.stage()).expect("is asked for");
        assert_eq!((&row["state"], &row["why"]["reason"]), (&"stale".into(), &"corrupt".into()));
    }

    fn reported_by_verify(&self, args: &[&str]) {
        let verify = self.bench.world.toy(args);
        let name = self.path.file_name().and_then(|name| name.to_str()).expect("a name");
        let lines: Vec<_> = verify.stdout.lines().filter(|l| l.starts_with("corrupt ")).collect();
        assert_eq!((verify.code, lines.len()), (1, 1), "{}{}", verify.stdout, verify.stderr);
        assert!(lines[0].contains(name), "{} lacks {name}", lines[0]);
    }

    /// A reader that has to run again hashes what it reads.
    fn refused_by_a_reader(&self) -> BTreeSet<String> {
        let reader = format!("toy/dag/layer={}/i={}", self.layer + 1, self.i);
        let ran = self.bench.world.run(&["--force", &reader, &reader]);
        if self.kept == Kept::All {
            assert_eq!((ran.ended.code, ran.summary("failed")), (1, set([&reader])));
            let said = &ran.ended.stdout;
            assert!(said.contains("is corrupt: content "), "{said}");
        } else {
            assert_eq!(ran.ended.code, 0, "{}", ran.ended.stderr);
            assert!(ran.executed().contains(&reader));
        }
        ran.executed()
    }

    fn judge(mut self) {
        let spoilt = fs::read(&self.path).expect("is there");
        let hidden = self.kept == Kept::All;
        let has_reader = self.layer + 1 < LAYERS;
        let mut executed = BTreeSet::new();
        match below(&mut self.rng, 5) {
            0 if !hidden => self.reported_by_plan(),
            1 if !hidden => self.reported_by_verify(&["verify"]),
            2 if !hidden => {} // the run itself notices
            3 if has_reader => executed = self.refused_by_a_reader(),
            _ => self.reported_by_verify(&["verify", "--deep"]),
        }
        let world = &self.bench.world;
        executed.extend(world.good_run(&[TARGET]).executed());
        assert!(executed.contains(&self.stage()), "was not computed again: {executed:?}");
        let name = self.path.file_name().expect("a name");
        let aside = fs::read(world.path("artifacts/store/v1/quarantine").join(name));
        assert!(aside.expect("is in quarantine") == spoilt, "quarantine holds what was spoilt");
        self.bench.up_to_date();
    }
}

/// Spoils the log or its snapshot and compares what then runs with what the log has lost.
fn garble(bench: &Bench, mut rng: ChaCha12Rng) {
    let Bench { world, .. } = bench;
    let file = if below(&mut rng, 4) == 0 { INDEX } else { LOG };
    let mut bytes = fs::read(world.path(file)).expect("is there");
    let at = below(&mut rng, bytes.len());
    let end = (at + 1 + below(&mut rng, 500)).min(bytes.len());
    let kind = below(&mut rng, 6);
    match kind {
        0 => bytes[at] ^= 1 << below(&mut rng, 8),
        1 => drop(bytes.splice(at..end, noise(&mut rng, 500))),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let torn = bytes.len().saturating_sub(1 + below(&mut rng, 500));
            bytes.truncate(torn);
        }
        4 => {
            let again = bytes[at..end].to_vec();
            let to = below(&mut rng, bytes.len());
            drop(bytes.splice(to..to, again));
        }
        _ => bytes[at..end].fill(0),
    }
    fs::write(world.path(file), &bytes).expect("can be written");
    let log = fs::read(world.path(LOG)).expect("is there");
    let complete = log.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
    let lines: Vec<_> = log[..complete].split(|&b| b == b'\n').filter(|l| !l.is_empty()).collect();
    let said = |line: &[u8]| sound(str::from_utf8(line).ok()?).map(str::to_owned);
    let facts: Vec<_> = lines.iter().filter_map(|line| said(line)).collect();
    let done = |fact: &String| Some(fact.strip_prefix("d ")?.split(' ').nth(1)?.to_owned());
    let known: BTreeSet<String> = facts.iter().filter_map(done).collect();
    // Torn exactly before its end of line, the last fact is whole again as soon as another is appended.
    let spared = said(&log[complete..]).as_ref().and_then(done);
    let lost: BTreeSet<_> =
        bench.artifacts.keys().filter(|stage| !known.contains(*stage)).cloned().collect();

    let verify = world.toy(&["verify"]);
    assert_eq!(verify.code, 0, "kind {kind}: {}", verify.stderr);
    let dropped = lines.len() - facts.len();
    let told = format!("{dropped} garbled log lines were dropped");
    assert_eq!(verify.stdout.contains(&told), dropped > 0, "{}", verify.stdout);
    let executed = world.good_run(&[TARGET]).executed();
    let mended =
        lost.iter().filter(|stage| Some(*stage) == spared.as_ref() && !executed.contains(*stage));
    let expected: BTreeSet<_> = executed.iter().chain(mended).cloned().collect();
    assert_eq!(expected, lost, "kind {kind}: what runs is what was lost");
    bench.up_to_date();
}

/// Tries all seeds, on two stores in parallel.
fn each_seed(count: u64, check: impl Fn(&Bench, ChaCha12Rng) + Sync + std::panic::RefUnwindSafe) {
    let first = number("CORRUPTION_SEED", 0);
    let seeds = match std::env::var("CORRUPTION") {
        Ok(one) => vec![one.parse().expect("CORRUPTION is a number")],
        Err(_) => (first..first + count).collect(),
    };
    let every_other = |skipped: usize| {
        let bench = Bench::new();
        for &seed in seeds.iter().skip(skipped).step_by(2) {
            let rng = ChaCha12Rng::seed_from_u64(seed);
            let unwound = std::panic::AssertUnwindSafe(|| check(&bench, rng));
            let sound = std::panic::catch_unwind(unwound);
            assert!(sound.is_ok(), "replay with CORRUPTION={seed}");
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| every_other(1));
        every_other(0);
    });
}

#[test]
fn a_spoilt_artifact_is_never_used() {
    each_seed(number("CORRUPTIONS", 200), |bench, rng| Spoilt::new(bench, rng).judge());
}

#[test]
fn a_spoilt_log_costs_what_it_said() {
    each_seed(number("CORRUPTIONS", 200).div_ceil(2), garble);
}

#[test]
fn objects_are_protected_and_a_sample_of_all_finds_what_hides() {
    use std::os::unix::fs::PermissionsExt as _;
    const STAGE: &str = "toy/a/draw/split=0";
    let world = World::new();
    world.good_run(&[]);
    let object = world.object(STAGE);
    let rights = fs::metadata(&object).unwrap().permissions();
    assert_eq!(rights.mode() & 0o222, 0, "nobody writes to it by accident");
    let bytes = fs::read(&object).unwrap();
    let mut spoilt = bytes.clone();
    spoilt[bytes.len() / 2] ^= 1;
    overwrite(&object, &spoilt);
    forge_stamp(&world, &object);
    let none = world.toy(&["verify", "--sample", "0"]);
    assert!(none.code == 0 && none.stdout.starts_with("0 artifacts hashed"), "{}", none.stdout);
    assert_eq!(world.toy(&["verify", "--sample", "100%"]).code, 1);
    assert_eq!(world.toy(&["verify", "--sample", "101"]).code, 2);
    assert!(world.good_run(&[]).executed().contains(STAGE));
}

/// Puts something else in the place of a stage's object.
type Misplace = fn(&std::path::Path);

#[test]
fn what_else_has_the_name_of_an_object_is_moved_aside() {
    const STAGE: &str = "toy/a/draw/split=0";
    let loops: Misplace = |object| {
        fs::remove_file(object).unwrap();
        std::os::unix::fs::symlink(object, object).unwrap();
    };
    let folder: Misplace = |object| {
        fs::remove_file(object).unwrap();
        fs::create_dir(object).unwrap();
        fs::write(object.join("x"), "y").unwrap();
    };
    let above: Misplace = |object| {
        let folder = object.parent().unwrap();
        fs::remove_dir_all(folder).unwrap();
        fs::write(folder, "no folder").unwrap();
    };
    for misplace in [loops, folder, above] {
        let world = World::new();
        world.good_run(&[]);
        let sound = world.artifacts();
        misplace(&world.object(STAGE));
        assert_eq!(world.toy(&["verify", "--deep"]).code, 1, "it is noticed");
        assert!(world.good_run(&[]).executed().contains(STAGE), "and computed again");
        assert!(world.artifacts() == sound);
        assert_eq!(world.toy(&["verify", "--deep"]).code, 0);
    }
}

#[test]
fn what_else_has_the_name_of_a_part_of_the_store_is_one_error_with_a_remedy() {
    for part in ["tmp", "quarantine", "runs", "objects", "lock", "log"] {
        let world = World::new();
        world.good_run(&[]);
        let path = world.path(&format!("artifacts/store/v1/{part}"));
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
            fs::write(&path, "no folder").unwrap();
        } else {
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
        }
        let ended = world.toy(&["run"]);
        assert_eq!(ended.code, 3, "{part}: {}", ended.stderr);
        let named = ended.stderr.contains(&format!("store/v1/{part}"));
        assert!(named && ended.stderr.contains("move that away"), "{part}: {}", ended.stderr);
    }
}

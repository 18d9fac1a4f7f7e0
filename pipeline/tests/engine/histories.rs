//! Random histories: edits of config and data, spoilt artifacts and logs, garbage collections, kills of engines and
//! workers, and several runs of different targets at the same time, in random order; at the end of each, every
//! stage's value must be what a fresh store computes. A failing history is named by its seed: `HISTORY=17 cargo test
//! histories`. `HISTORIES=2000` runs more of them, `HISTORY_SEED=500` other ones.

use std::{
    fs,
    path::PathBuf,
    process::Child,
    sync::atomic::{AtomicU64, Ordering},
    thread::sleep,
    time::{Duration, Instant},
};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::{
    harm::{below, noise, overwrite, spoil, writable},
    victims::kill_worker,
    world::{World, number},
};

/// The targets of runs; an empty list means everything.
const TARGETS: [&[&str]; 6] =
    [&[], &["toy/report"], &["toy/dag"], &["toy/a"], &["toy/dag/layer=1"], &["toy/*/draw/*"]];

/// The config's values; drawn at random, changed at random.
struct Values {
    seed: u64,
    below: u64,
    label: u64,
    sets: Vec<&'static str>,
    methods: Vec<u64>,
    splits: u64,
    worker: bool,
    layers: u64,
    width: u64,
    plus: u64,
    /// Rows of the synthetic graph's artifacts, and how many of its stages have a worker.
    bulk: Option<(u64, u64)>,
}

struct History {
    rng: ChaCha12Rng,
    world: World,
    values: Values,
    /// What happened, for the report of a failure.
    told: Vec<String>,
}

impl History {
    fn new(seed: u64) -> Self {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let mut below = |n: u64| rng.next_u64() % n;
        let values = Values {
            seed: below(3),
            below: 2 + below(5),
            label: below(3),
            sets: vec!["a"],
            methods: vec![1 + below(4)],
            splits: 1 + below(2),
            worker: below(3) == 0,
            layers: below(4),
            width: 1 + below(4),
            plus: below(3),
            bulk: (below(2) == 0).then(|| (1 + below(3000), 2 + below(6))),
        };
        let history = Self { rng, world: World::new(), values, told: Vec::new() };
        history.save();
        history
    }

    fn below(&mut self, n: u64) -> u64 {
        self.rng.next_u64() % n
    }

    fn save(&self) {
        let Values { seed, below, label, sets, methods, splits, worker, layers, width, plus, bulk } =
            &self.values;
        let bulk = bulk.map_or(String::new(), |(rows, every)| {
            format!("bulk = {{ rows = {rows}, worker_every = {every}, sleep_ms = 1 }}\n")
        });
        let text = format!(
            "seed = {seed}\nbelow = {below}\nlabel = {label}\nsets = {sets:?}\n\
             methods = {methods:?}\nsplits = {splits}\nfiles = \"data\"\nworker = {worker}\n\
             sleep_ms = 0\nreport = \"toy/report\"\n[dag]\nlayers = {layers}\nwidth = {width}\n\
             plus = {plus}\n{bulk}[profiles.full]\n"
        );
        self.world.write("configs/toy.toml", &text);
    }

    /// Small ranges on purpose, so that values recur, contents coincide and results are shared.
    fn edit_value(&mut self) {
        let value = self.below(4);
        match self.below(9) {
            0 => self.values.seed = value,
            1 => self.values.below = 1 + value,
            2 => self.values.label = value,
            3 => {
                self.values.sets =
                    [&["a"][..], &["b"], &["a", "b"], &["b", "c"]][self.below(4) as usize].to_vec();
            }
            4 => self.values.methods = (0..=value).collect(),
            5 => self.values.splits = 1 + value % 3,
            6 => self.values.layers = value,
            7 => self.values.width = 1 + value,
            _ => self.values.plus = value,
        }
        self.save();
    }

    fn edit_data(&mut self) {
        let names = ["a", "b", "c", "source-0", "source-1", "source-2"];
        let name = names[self.below(6) as usize];
        let text = ["1", "2", " 2\n", "3"][self.below(4) as usize];
        self.told.push(format!("  {name} = {text:?}"));
        // White space does not matter; a large file takes a while to read.
        let space = if self.below(3) == 0 { "\n".repeat(200_000) } else { String::new() };
        self.world.write(&format!("data/{name}.txt"), &(text.to_owned() + &space));
    }

    fn objects(&self) -> Vec<PathBuf> {
        let files = |dir: PathBuf| -> Vec<_> {
            fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
        };
        let folders = files(self.world.path("artifacts/store/v1/objects"));
        let mut objects: Vec<_> = folders.into_iter().flat_map(files).collect();
        objects.sort();
        objects
    }

    fn harm(&mut self) {
        let objects = self.objects();
        if objects.is_empty() {
            return;
        }
        let object = &objects[self.below(objects.len() as u64) as usize];
        let bytes = fs::read(object).expect("can be read");
        match self.below(3) {
            0 => fs::remove_file(object).expect("is there"),
            _ if bytes.is_empty() => {} // it has been spoilt before
            1 => overwrite(object, &spoil(&mut self.rng, &bytes)),
            _ => {
                writable(object);
                fs::write(object, spoil(&mut self.rng, &bytes)).expect("can be written");
            }
        }
    }

    /// Cuts or garbles the log or its snapshot, as a crash of the machine could.
    fn harm_log(&mut self) {
        let file = if self.below(4) == 0 { "log.index" } else { "log" };
        let path = self.world.path("artifacts/store/v1").join(file);
        let Ok(mut bytes) = fs::read(&path) else { return };
        let cut = self.below(120) as usize;
        match self.below(3) {
            0 => bytes.truncate(bytes.len().saturating_sub(cut)),
            1 => bytes.extend_from_slice(b"d 12 \xff"),
            _ if bytes.is_empty() => {}
            _ => {
                let at = below(&mut self.rng, bytes.len());
                let end = (at + cut).min(bytes.len());
                drop(bytes.splice(at..end, noise(&mut self.rng, 60)));
            }
        }
        fs::write(path, bytes).expect("can be written");
    }

    fn start(&mut self) -> Child {
        let targets = TARGETS[self.below(TARGETS.len() as u64) as usize];
        // A target for which this config has no stage is a usage error.
        let known = self.world.toy(&[&["plan"], targets].concat()).code == 0;
        self.told.push(format!("  run {targets:?}, known: {known}"));
        self.world.start(if known { targets } else { &[] })
    }

    /// A run whose engine, worker, or both are killed.
    fn kill(&mut self) {
        let mut child = self.start();
        let (ms, victim, which) = (self.below(40), self.below(3), self.below(8));
        sleep(Duration::from_millis(ms));
        if victim > 0 {
            kill_worker(&mut child, which);
        }
        if victim != 1 {
            drop(child.kill()); // it may have ended already
        }
        child.wait().expect("ends");
    }

    /// Several runs at the same time, some of which are killed; the others must not be affected.
    fn together(&mut self) {
        let mut runs = Vec::new();
        for _ in 0..2 + self.below(2) {
            runs.push(self.start());
            sleep(Duration::from_millis(self.below(15)));
        }
        if self.below(3) == 0 {
            let mut killed = runs.swap_remove(0);
            drop(killed.kill());
            killed.wait().expect("ends");
        }
        for child in runs {
            let ran = World::finish(child);
            assert_eq!(ran.ended.code, 0, "{}{}", ran.ended.stdout, ran.ended.stderr);
        }
    }

    fn step(&mut self) {
        let what = self.below(16);
        self.told.push(format!("step {what}"));
        match what {
            0..=3 => self.edit_value(),
            4 | 5 => self.edit_data(),
            6 | 7 => self.harm(),
            8 => self.harm_log(),
            9 | 10 => self.kill(),
            11 | 12 => self.together(),
            13 => {
                let child = self.start();
                sleep(Duration::from_millis(self.below(15)));
                self.edit_data();
                let ran = World::finish(child);
                assert!(ran.ended.code <= 1, "data changed under it: {}", ran.ended.stderr);
            }
            14 => {
                let child = self.start();
                sleep(Duration::from_millis(self.below(30)));
                let gc = self.world.toy(&["gc"]);
                assert!([0, 2].contains(&gc.code), "beside a run: {}", gc.stderr);
                let ran = World::finish(child);
                assert!([0, 2].contains(&ran.ended.code), "beside gc: {}", ran.ended.stderr);
            }
            _ => self.collect(),
        }
    }

    /// `gc` on a store that nobody uses: the worker of a killed engine may still be working on its stage for a
    /// moment.
    fn collect(&self) {
        let patience = Instant::now() + Duration::from_mins(1);
        loop {
            let gc = self.world.toy(&["gc"]);
            let busy = gc.code == 2 && gc.stderr.contains("a run is using this store");
            if !busy || Instant::now() > patience {
                assert_eq!(gc.code, 0, "{}", gc.stderr);
                return;
            }
            sleep(Duration::from_millis(10));
        }
    }

    /// Compares the history's store with a fresh one.
    fn judge(&self) {
        let planned = self.world.plan(&[]);
        let ran = self.world.good_run(&[]);
        for stage in ran.executed() {
            assert_ne!(planned[&stage], "fresh", "{stage} ran although planned as fresh");
        }
        let again = self.world.good_run(&[]);
        assert!(again.executed().is_empty(), "a run right after a run: {:?}", again.executed());
        let naive = self.world.good_run(&["--store", "fresh"]);
        assert_eq!(naive.executed().len() + naive.summary("cut_off").len(), planned.len());
        let mut artifacts = self.world.bindings("artifacts");
        artifacts.retain(|name, _| planned.contains_key(name));
        assert_eq!(artifacts, self.world.bindings("fresh"), "results differ from a fresh store's");
        // Stages of earlier configs may still be spoilt: nobody asks for them any more.
        self.collect();
        let verify = self.world.toy(&["verify", "--deep"]);
        assert_eq!(verify.code, 0, "{}", verify.stdout);
    }
}

/// Prints the history if the thread panics, so that a failure can be replayed by its seed.
struct Teller<'a>(u64, &'a mut History);

impl Drop for Teller<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let config = fs::read_to_string(self.1.world.path("configs/toy.toml"));
            let told = format!("HISTORY={}\n{}\n{config:?}", self.0, self.1.told.join("\n"));
            let path = std::env::temp_dir().join(format!("history-{}.txt", self.0));
            fs::write(path, told).expect("can be written");
        }
    }
}

fn replay(seed: u64) {
    let mut history = History::new(seed);
    let teller = Teller(seed, &mut history);
    let steps = 3 + teller.1.below(8);
    for _ in 0..steps {
        teller.1.step();
    }
    teller.1.judge();
}

#[test]
fn histories_end_as_if_everything_had_been_computed_afresh() {
    if let Ok(seed) = std::env::var("HISTORY") {
        return replay(seed.parse().expect("HISTORY is a number"));
    }
    let first = number("HISTORY_SEED", 0);
    let (end, next) = (first + number("HISTORIES", 100), AtomicU64::new(first));
    let each = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                break;
            }
            let replayed = std::panic::catch_unwind(|| replay(seed));
            assert!(replayed.is_ok(), "replay with HISTORY={seed}");
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(each);
        each();
    });
}

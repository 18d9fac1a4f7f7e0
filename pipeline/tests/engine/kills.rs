//! Kills at random moments: 200 stages, a fifth of them in workers, and SIGKILL to the engine, to one of its workers,
//! or to both. After each kill of an engine, nothing that it started is still running, so nobody keeps writing; and
//! what it had finished is never computed again. After eight kills a plain `run` finishes the store, whose artifacts
//! are then, byte for byte, those of an undisturbed run. Every artifact enters all those after it, so a wrong byte
//! anywhere would show.
//!
//! The moments are sorted uniform draws over the duration of an undisturbed run, measured here, plus the time that
//! each restart costs, so that every part of a run is hit equally often. `KILLS=1000` kills more often; `KILL_SEED=7
//! KILLS=8` repeats the store that began with seed 7.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::{Child, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread::sleep,
    time::{Duration, Instant},
};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::{
    victims::kill_worker,
    world::{World, number, wait_until},
};

const TARGET: &str = "toy/dag";
const STAGES: usize = 200;
const KILLS_A_STORE: u64 = 8;

fn big() -> World {
    let bulk = "layers = 25\nwidth = 8\nbulk = { rows = 400, worker_every = 5, sleep_ms = 0 }";
    World::with("layers = 2\nwidth = 2", bulk)
}

/// What an undisturbed run leaves, and how long it and an idle run take.
struct Undisturbed {
    artifacts: BTreeMap<String, Vec<u8>>,
    whole: Duration,
    idle: Duration,
}

fn undisturbed() -> Undisturbed {
    let world = big();
    let timed = || {
        let start = Instant::now();
        world.good_run(&[TARGET]);
        start.elapsed()
    };
    let (whole, idle) = (timed(), timed());
    let artifacts = world.artifacts();
    assert_eq!(artifacts.len(), STAGES);
    Undisturbed { artifacts, whole, idle }
}

/// A store that is killed again and again.
struct Killed<'a> {
    world: World,
    rng: ChaCha12Rng,
    engine: Option<Child>,
    /// After this many lines of the trace these stages were done: none may start again.
    done: Vec<(usize, BTreeSet<String>)>,
    undisturbed: &'a Undisturbed,
}

impl<'a> Killed<'a> {
    fn new(seed: u64, undisturbed: &'a Undisturbed) -> Self {
        let rng = ChaCha12Rng::seed_from_u64(seed);
        Self { world: big(), rng, engine: None, done: Vec::new(), undisturbed }
    }

    /// The pauses before each kill.
    fn pauses(&mut self) -> Vec<Duration> {
        let kills = u32::try_from(KILLS_A_STORE).expect("is small");
        let span = (self.undisturbed.whole + self.undisturbed.idle * kills).as_secs_f64();
        let uniform = |rng: &mut ChaCha12Rng| (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut moments: Vec<f64> = (0..kills).map(|_| uniform(&mut self.rng) * span).collect();
        moments.sort_by(f64::total_cmp);
        let before = std::iter::once(0.0).chain(moments.iter().copied());
        let pauses = moments.iter().zip(before).map(|(moment, before)| moment - before);
        pauses.map(Duration::from_secs_f64).collect()
    }

    fn start(&self) -> Child {
        let mut run = self.world.command(&["run", TARGET]);
        run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts")
    }

    /// Kills after a pause; returns whether any process was hit.
    fn strike(&mut self, pause: Duration) -> bool {
        let mut engine = self.engine.take().unwrap_or_else(|| self.start());
        sleep(pause);
        let (victim, which) = (self.rng.next_u64() % 3, self.rng.next_u64());
        if engine.try_wait().expect("is ours").is_some() {
            return false;
        }
        if victim > 0 {
            let hit = kill_worker(&mut engine, which);
            if victim == 1 {
                // Its stage fails and the others go on: the next kill meets the same engine.
                self.engine = Some(engine);
                return hit;
            }
        }
        self.end(engine);
        true
    }

    fn end(&mut self, mut engine: Child) {
        let world = &self.world;
        // Nothing that has begun ends by itself from here on.
        world.write("trace.hold", "");
        drop(engine.kill()); // it may have ended just now
        engine.wait().expect("ends");
        wait_until("the end of all that the engine started", || !world.someone_works());
        fs::remove_file(world.path("trace.hold")).expect("is there");
        if world.path("artifacts/store/v1/log").is_file() {
            self.done.push((world.trace().len(), world.digests().into_keys().collect()));
        }
    }

    /// A plain run finishes the store, which is then as if nothing had happened.
    fn judge(mut self) {
        if let Some(engine) = self.engine.take() {
            self.end(engine);
        }
        let world = &self.world;
        world.good_run(&[TARGET]);
        assert!(world.artifacts() == self.undisturbed.artifacts, "artifacts differ");
        assert!(world.good_run(&[TARGET]).executed().is_empty(), "nothing is left to do");
        let left = fs::read_dir(world.path("artifacts/store/v1/tmp")).expect("is there").count();
        assert_eq!(left, 0, "what the killed left is swept");
        let trace = world.trace();
        for (after, done) in self.done {
            let started = trace[after..].iter().filter_map(|line| line.strip_prefix("start "));
            let names = started.filter_map(|line| line.split(' ').next());
            let again: Vec<_> = names.filter(|name| done.contains(*name)).collect();
            assert!(again.is_empty(), "was done before the kill, ran again: {again:?}");
        }
    }
}

/// The number of kills that hit a process before one store was finished.
fn kill_a_store(seed: u64, undisturbed: &Undisturbed) -> u64 {
    let mut store = Killed::new(seed, undisturbed);
    let hits = store.pauses().into_iter().filter(|&pause| store.strike(pause)).count();
    store.judge();
    hits as u64
}

#[test]
fn kills_at_any_moment_change_no_byte() {
    let (kills, seed) = (number("KILLS", 200), number("KILL_SEED", 0));
    let undisturbed = undisturbed();
    let (next, hits) = (AtomicU64::new(seed), AtomicU64::new(0));
    let until_enough = || {
        while hits.load(Ordering::Relaxed) < kills {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let hit = std::panic::catch_unwind(|| kill_a_store(seed, &undisturbed));
            let hit = hit.unwrap_or_else(|_| panic!("replay with KILL_SEED={seed} KILLS=8"));
            hits.fetch_add(hit, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(until_enough);
        until_enough();
    });
    let stores = next.load(Ordering::Relaxed) - seed;
    assert!(stores <= kills, "{stores} stores for {kills} kills: hardly any hit");
}

//! A small experiment, and what its user does with a store on a failing disk.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    fs,
    ops::Range,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use pipeline::{
    Error,
    config::Config,
    digest::Digest,
    disk::Disk,
    event::Event,
    graph::{Builder, Graph},
    plan::{self, Plan, State},
    registry::Registry,
    run::{self, Backend, Options, sandbox::Confined, slots::Slots},
    store::{
        Fact, Store,
        gc::Keep,
        runs::RunRecord,
        verify::{Depth, Report},
    },
};
use rand_chacha::ChaCha12Rng;
use tempfile::TempDir;

use crate::{
    memory::{Memory, Trouble},
    toy,
};

/// The experiment before and after edits that change its last stage.
pub struct Experiment {
    data: TempDir,
    registry: Registry,
    edits: Vec<Graph>,
    /// For every edit, the results of an undisturbed run.
    results: Vec<Results>,
}

/// Stage, output, content digest.
type Results = BTreeSet<(String, String, Digest)>;

const EDITS: usize = 3;
const LAST: usize = EDITS - 1;

impl Experiment {
    pub fn new() -> Self {
        let data = tempfile::tempdir().expect("a temporary folder");
        fs::write(data.path().join("a.txt"), "10").expect("can be written");
        let registry = toy::registry();
        let edits = (0..EDITS).map(|label| graph(&registry, data.path(), label)).collect();
        let mut experiment = Self { data, registry, edits, results: Vec::new() };
        let undisturbed = Scene::new(&experiment);
        let results = (0..EDITS).map(|edit| {
            undisturbed.run(edit).expect("nothing disturbs it");
            undisturbed.results(edit)
        });
        experiment.results = results.collect();
        experiment
    }
}

fn graph(registry: &Registry, data: &Path, label: usize) -> Graph {
    let text = format!(
        "seed = 1\nbelow = 100\nlabel = {label}\nsets = [\"a\"]\nmethods = [2]\nsplits = 1\n\
         files = \"{}\"\nworker = false\nsleep_ms = 0\nreport = \"toy/report\"\n\
         [dag]\nlayers = 0\nwidth = 0\nplus = 0\n[profiles.full]",
        data.display()
    );
    let config = Config::parse(Path::new("toy.toml"), &text, "full").expect("is right");
    let mut builder = Builder::new(&registry.kinds);
    registry.experiments[0].expand(&config, &mut builder).expect("is right");
    builder.build().expect("has no cycle")
}

/// A store of its own.
pub struct Scene<'a> {
    experiment: &'a Experiment,
    /// The locks are in a folder of the machine.
    locks: TempDir,
    pub memory: Memory,
    /// What runs have reported as done: edit and stage.
    done: RefCell<BTreeSet<(usize, String)>>,
    /// Whether the first run was reported as pinned.
    pinned: Cell<bool>,
    /// Whether the log was compacted.
    pub compacted: Cell<bool>,
}

/// The message of a command that ended early.
type Told = String;

fn told(error: Error) -> Told {
    format!("{error}\nhelp: {}", error.remedy().unwrap_or("NONE"))
}

impl<'a> Scene<'a> {
    pub fn new(experiment: &'a Experiment) -> Self {
        let locks = tempfile::tempdir().expect("a temporary folder");
        let root = locks.path().join("store/v1");
        fs::create_dir_all(&root).expect("can be made");
        let memory = Memory::new(&root);
        let (done, pinned, compacted) = Default::default();
        Self { experiment, locks, memory, done, pinned, compacted }
    }

    /// Another, empty one.
    pub fn again(&self) -> Self {
        Self::new(self.experiment)
    }

    fn store(&self) -> Result<Arc<Store>, Error> {
        let disk = Disk::new(self.memory.clone());
        Store::open_on(disk, self.locks.path()).map(Arc::new)
    }

    /// Brings the experiment up to date and records the run. Returns the stages that were computed.
    fn run(&self, edit: usize) -> Result<Vec<String>, Told> {
        let store = self.store().map_err(told)?;
        let graph = &self.experiment.edits[edit];
        let options = Options {
            backend: Backend::Here(Slots::new(1, 1000, 0, 1)),
            keep_going: true,
            program: "toy".into(),
            interrupted: Arc::new(AtomicBool::new(false)),
            limit: None,
            sandbox: Confined::None,
            remote: None,
            sources: None,
            forced: Vec::new(),
            given: foldhash::HashMap::default(),
        };
        let mut hear = |event: &Event| {
            if let Event::Done { stage, .. } = event {
                self.done.borrow_mut().insert((edit, stage.clone()));
            }
        };
        let wanted = vec![true; graph.len()];
        drop(store.survey_ahead()); // nobody looks in parallel with the plan, so calls have an order
        let kinds = &self.experiment.registry.kinds;
        let summary = run::run(graph, &wanted, &store, kinds, &options, &mut hear).map_err(told)?;
        if let Some((_, why)) = summary.failed.first() {
            return Err(why.clone());
        }
        record(&store, graph).map_err(told)?;
        Ok(summary.executed)
    }

    fn collect_garbage(&self) -> Result<(), Error> {
        let store = self.store()?;
        let alone = store.alone()?;
        let (runs, garbled) = store.runs()?;
        if let Some(error) = garbled.into_iter().next() {
            return Err(error);
        }
        let mut keep = Keep::default();
        let pinned = runs.iter().filter(|run| run.pinned);
        keep.pinned.extend(pinned.flat_map(|run| run.stages.values()));
        let current = keys(&store, &self.experiment.edits[LAST])?;
        keep.current.extend(current.into_iter().map(|(_, key)| key));
        store.collect_garbage(&alone, &keep, false)?;
        if store.compact(&alone, 0, false)?.is_some() {
            self.compacted.set(true);
        }
        Ok(())
    }

    fn verify(&self) -> Result<Report, Told> {
        self.store().and_then(|store| store.verify(Depth::All)).map_err(told)
    }

    /// Everything that a user does: a run that is pinned, other work, an edit, a run whose results are discarded,
    /// another edit, a run, and tidying up, which compacts the log.
    pub fn all(&self) -> Result<(), Told> {
        self.run(0)?;
        self.store().and_then(|store| store.pin(1, true)).map_err(told)?;
        self.pinned.set(true);
        let (key, name) = (Digest::of(b"other work"), "x".repeat(200));
        // Enough for a snapshot of the log, and for its compaction.
        let other: Vec<_> = (0..60).map(|_| Fact::Bound(key, &name)).collect();
        self.store().and_then(|store| store.append(&other)).map_err(told)?;
        self.run(1)?;
        self.run(LAST)?;
        self.collect_garbage().map_err(told)?;
        match self.verify()?.findings.first() {
            None => Ok(()),
            Some(finding) => Err(format!("{}\nhelp: run again", finding.path.display())),
        }
    }

    /// Some calls fail. Whoever is told of it learns where, and what to do.
    pub fn disturb(&self, when: Range<usize>, trouble: Trouble) {
        self.memory.trouble(when, trouble);
        let ended = self.all();
        self.memory.mend();
        if let Err(told) = ended {
            let data = self.experiment.data.path();
            let named =
                [self.locks.path(), data].iter().any(|dir| told.contains(dir.to_str().unwrap()));
            assert!(named && told.contains("\nhelp: ") && !told.ends_with("NONE"), "told: {told}");
            assert!(!matches!(trouble, Trouble::Interrupted | Trouble::Short), "told: {told}");
        }
    }

    /// The power fails. What was computed may be lost; what was reported about a run is not.
    pub fn cut(&self, rng: &mut ChaCha12Rng) {
        self.memory.cut(rng);
        self.done.borrow_mut().clear();
    }

    /// Now that the disk is mended, plain runs end as if nothing had happened.
    pub fn judge(&self) {
        const MENDED: &str = "the disk is mended";
        if self.pinned.get() {
            let run = self.store().and_then(|store| store.run_record(1));
            assert!(run.expect("is there").pinned, "it was promised");
        }
        let done = self.done.take();
        for edit in [0, LAST] {
            let again = self.run(edit).expect(MENDED);
            let again: Vec<_> =
                again.iter().filter(|stage| done.contains(&(edit, (*stage).clone()))).collect();
            assert!(again.is_empty(), "was done, and ran again: {again:?}");
            assert_eq!(self.results(edit), self.experiment.results[edit], "results differ");
        }
        assert!(self.run(LAST).expect(MENDED).is_empty(), "nothing is left to do");
        assert_eq!(self.verify().expect(MENDED).findings, [], "what is there is sound");
        self.collect_garbage().expect(MENDED);
        let left = self.store().map(|store| store.disk().list(&store.root().join("tmp")));
        assert_eq!(left.expect(MENDED).expect(MENDED), [], "nothing lies about");
    }

    /// The number of calls of a run that has nothing to do.
    pub fn idle(&self) -> usize {
        self.memory.mend();
        assert!(self.run(LAST).expect("the disk is sound").is_empty());
        self.memory.mend()
    }

    /// What the store has for the experiment, with each content as it is on the disk.
    fn results(&self, edit: usize) -> Results {
        let store = self.store().expect("can be read");
        let mut found = Results::new();
        for (stage, key) in keys(&store, &self.experiment.edits[edit]).expect("can be read") {
            let produced = store.facts().known().done(key).expect("is done").clone();
            for artifact in produced.iter() {
                let content = store.disk().digest(&store.object(artifact.digest));
                let content = content.expect("is there");
                found.insert((stage.clone(), artifact.output.to_string(), content));
            }
        }
        found
    }
}

/// The stages that are up to date.
fn keys(store: &Store, graph: &Graph) -> Result<Vec<(String, Digest)>, Error> {
    drop(store.survey_ahead());
    let wanted = vec![true; graph.len()];
    let plan = Plan::new(graph, &wanted, store, plan::Options::default())?;
    let stages = graph.order().iter().filter_map(|&id| match plan.state(id) {
        State::Fresh(key, _) => Some((graph[id].name.clone(), *key)),
        _ => None,
    });
    Ok(stages.collect())
}

fn record(store: &Store, graph: &Graph) -> Result<(), Error> {
    let stages = keys(store, graph)?;
    let run = RunRecord {
        id: 0,
        finished: 0,
        host: String::new(),
        profile: "full".to_owned(),
        overrides: Vec::new(),
        targets: None,
        pinned: false,
        stages: stages.into_iter().collect(),
        lacking: BTreeMap::new(),
    };
    store.record_run(run).map(drop)
}

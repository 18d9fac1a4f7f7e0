//! What a stage is: typed parameters with a `run` method. The parameters define the stage: everything in them enters
//! its key, and nothing else of the config does.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    sync::atomic::{AtomicBool, Ordering},
};

use arrow_array::RecordBatch;
use rand_chacha::ChaCha12Rng;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    digest::Digest,
    disk::{Disk, Handle},
    error::{Error, Result},
    seed::Seed,
    table,
};

/// One kind of stage.
pub trait Stage: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The kind's name, unique in the program.
    const KIND: &'static str;
    /// The module whose code decides the result: `module_path!()`.
    const MODULE: &'static str;
    /// The tables that it writes.
    const OUTPUTS: &'static [Output] = &[Output::table("main")];

    /// What it takes from the machine while running. Invariant: this does not enter the key.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Computes the outputs.
    ///
    /// # Errors
    /// [`Stop`] says whether the stage failed or cannot run here.
    fn run(&self, cx: &mut Context) -> Result<(), Stop>;
}

/// One table that a stage writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its name among the stage's outputs.
    pub name: &'static str,
    /// Whether the values are measured (times, memory) and may differ from run to run; all others must not.
    pub measured: bool,
}

impl Output {
    /// A table that has the same bytes for the same key.
    #[must_use]
    pub const fn table(name: &'static str) -> Self {
        Self { name, measured: false }
    }

    /// A table of measurements.
    #[must_use]
    pub const fn measured(name: &'static str) -> Self {
        Self { name, measured: true }
    }
}

/// What a running stage takes from the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// CPU slots, also the number of threads the stage may start.
    pub threads: usize,
    /// Memory slots, in MiB.
    pub memory_mib: u64,
    /// GPU slots.
    pub gpus: usize,
    /// Its own process (heavy, may crash, measured) or a thread of the engine (light and pure).
    pub worker: bool,
    /// The program whose worker it takes, which is in the same folder as the one that plans; `None` means that one
    /// itself. Both are built from the same sources.
    pub program: Option<&'static str>,
    /// It is killed after this many seconds.
    pub timeout_s: Option<u64>,
    /// It is tried again this many times after a failure.
    pub retries: u32,
    /// Whether it keeps checkpoints, see [`Context::checkpoints`].
    pub checkpoints: bool,
}

impl Default for Needs {
    fn default() -> Self {
        Self {
            threads: 1,
            memory_mib: 64,
            gpus: 0,
            worker: false,
            program: None,
            timeout_s: None,
            retries: 0,
            checkpoints: false,
        }
    }
}

impl Needs {
    /// A stage in its own process with one thread.
    #[must_use]
    pub fn worker(memory_mib: u64) -> Self {
        Self { memory_mib, worker: true, ..Self::default() }
    }

    /// A stage in a process of another program, with one thread.
    #[must_use]
    pub fn worker_of(program: &'static str, memory_mib: u64) -> Self {
        Self { program: Some(program), ..Self::worker(memory_mib) }
    }
}

/// Why a stage stopped without a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// It failed.
    #[error("{0}")]
    Failed(String),
    /// Something that it needs is not available here (a data set, a GPU). Not an error: what does not
    /// depend on it still runs, and optional readers run without it.
    #[error("unavailable: {0}")]
    Unavailable(String),
}

impl Stop {
    /// A failure that is caused by another error.
    #[must_use]
    pub fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(match error.remedy() {
            Some(help) => format!("{error}\nhelp: {help}"),
            None => error.to_string(),
        })
    }
}

/// One input as the stage sees it: a file in the store, and the digest that it must have.
#[derive(Clone, Debug, Serialize, serde::Deserialize)]
pub struct Input {
    /// The path of the artifact.
    pub path: PathBuf,
    /// The digest its content must have.
    pub digest: Digest,
    /// The stage it came from, for messages.
    pub stage: String,
}

/// What a running stage sees: its inputs, its seed, its threads, and where to put its outputs.
pub struct Context {
    pub(crate) name: String,
    pub(crate) inputs: BTreeMap<String, Input>,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) seed: Option<Seed>,
    pub(crate) threads: usize,
    pub(crate) downloads: PathBuf,
    pub(crate) checkpoints: Option<PathBuf>,
    pub(crate) dir: PathBuf,
    pub(crate) outputs: &'static [Output],
    pub(crate) written: Vec<&'static str>,
    pub(crate) disk: Disk,
    pub(crate) flush: bool,
    pub(crate) cancelled: Arc<AtomicBool>,
    /// What the disk reported when it refused an output: not an error of the stage.
    pub(crate) refused: Option<(String, Option<String>)>,
}

impl Context {
    /// The stage's name in the graph. For messages only: it is not part of the key.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many threads the stage may use. The result must not depend on it.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// True once the run was interrupted; a long stage checks it now and then.
    #[must_use]
    pub fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The roles of the available inputs, sorted. An optional input that is unavailable is not among them.
    pub fn roles(&self) -> impl Iterator<Item = &str> {
        self.inputs.keys().map(String::as_str)
    }

    /// The table at `role`. Its content is checked against its digest before it is used.
    ///
    /// # Errors
    /// When there is no such input, or its content is not what the store recorded.
    pub fn input(&self, role: &str) -> Result<RecordBatch> {
        let input = self
            .inputs
            .get(role)
            .ok_or_else(|| Error::usage(format!("stage {} has no input `{role}`", self.name)))?;
        table::read_checked(&self.disk, &input.path, input.digest)?.map_err(|found| {
            crate::store::corrupt(&self.disk, &input.path, &input.stage, input.digest, found)
        })
    }

    /// The digest of the artifact at `role`, which a report cites as evidence.
    #[must_use]
    pub fn evidence(&self, role: &str) -> Option<Digest> {
        self.inputs.get(role).map(|input| input.digest)
    }

    /// The files declared when the stage was added to the graph, in that order.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// A folder that outlives the stage, for downloads that are checked against hashes of their own.
    #[must_use]
    pub fn downloads(&self) -> &Path {
        &self.downloads
    }

    /// A folder that outlives a killed attempt, for data from which the next attempt can continue: it is there for
    /// the same key only, and removed when the stage is done. `None` unless the stage declared in its [`Needs`] that
    /// it keeps checkpoints. The result must not depend on it.
    #[must_use]
    pub fn checkpoints(&self) -> Option<&Path> {
        self.checkpoints.as_deref()
    }

    /// A generator for one purpose within the stage.
    ///
    /// # Errors
    /// When the stage was added to the graph without a seed.
    pub fn rng(&self, purpose: &str) -> Result<ChaCha12Rng> {
        match self.seed {
            Some(seed) => Ok(seed.rng(purpose)),
            None => Err(Error::usage(format!(
                "stage {} uses randomness but was added without a seed",
                self.name
            ))),
        }
    }

    /// Writes one output.
    ///
    /// # Errors
    /// When the name is not among [`Stage::OUTPUTS`], the output was written before, or the disk refuses.
    pub fn write(&mut self, name: &str, batch: &RecordBatch) -> Result<()> {
        let Some(output) = self.outputs.iter().find(|output| output.name == name) else {
            return Err(Error::usage(format!("stage {} declares no output `{name}`", self.name)));
        };
        let path = table::file_name(&self.dir, name);
        let flush = |file: Handle| {
            if !self.flush {
                return Ok(());
            }
            file.sync().map_err(|e| Error::io("flush", &path, &e))
        };
        if let Err(e) = table::write_on(&self.disk, &path, batch).and_then(flush) {
            if e.refused() {
                self.refused = Some((e.to_string(), e.remedy().map(str::to_owned)));
            }
            return Err(e);
        }
        self.written.push(output.name);
        Ok(())
    }
}

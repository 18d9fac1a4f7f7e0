//! One attempt at one stage: its input, how it is carried out in this process, and its outcome. The same job runs on
//! a thread of the engine, in a worker process, or elsewhere.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

use serde::{Deserialize, Serialize};

use super::confined::Sandbox;
use crate::{
    digest::Digest,
    disk::Disk,
    error::{Error, Result},
    kinds::Kinds,
    machine::Machine,
    regular,
    seed::Seed,
    stage::{Context, Input, Stop},
    store::record::Cost,
};

/// Everything an attempt needs to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub(crate) key: Digest,
    pub(crate) kind: String,
    /// The digest of the kind's code: the worker must be the same program.
    pub(crate) code: Digest,
    pub(crate) name: String,
    pub(crate) params: String,
    pub(crate) inputs: BTreeMap<String, Input>,
    pub(crate) files: Vec<PathBuf>,
    /// The digests of those files when the key was computed.
    pub(crate) contents: Vec<Digest>,
    pub(crate) seed: Option<Seed>,
    pub(crate) threads: usize,
    /// The downloads folder.
    pub(crate) downloads: PathBuf,
    /// The checkpoints folder, if the stage keeps any.
    pub(crate) checkpoints: Option<PathBuf>,
    /// The folder of the outputs.
    pub(crate) dir: PathBuf,
    /// What else it can reach, if it is confined to what it declares.
    pub(crate) sandbox: Option<Sandbox>,
}

/// How an attempt ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Ending {
    /// With this report.
    Done(Report),
    /// It failed, and why.
    Failed(String),
    /// It cannot run here, and why.
    Unavailable(String),
    /// The disk refused what it wrote: what happened, and the remedy.
    Refused(String, Option<String>),
}

/// The report of an attempt that succeeded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The outputs it wrote.
    pub outputs: Vec<String>,
    /// What it cost.
    pub cost: Cost,
    /// Where it ran, if not in the engine's own process.
    pub machine: Option<Box<Machine>>,
}

impl Job {
    /// Carries the job out in this process. Outputs are written through `disk`, and flushed if `flush` says so.
    #[must_use]
    pub(crate) fn execute(
        &self,
        kinds: &Kinds,
        cancelled: Arc<AtomicBool>,
        disk: &Disk,
        flush: bool,
    ) -> Ending {
        let Some(kind) = kinds.get(&self.kind) else {
            return Ending::Failed(format!("this program knows no stage kind `{}`", self.kind));
        };
        if kind.code.digest != self.code {
            let program = std::env::current_exe().unwrap_or_default();
            return Ending::Failed(format!(
                "{} was built from other sources than the program that planned: build both anew \
                 and run again",
                program.display()
            ));
        }
        let start = Instant::now();
        let mut cx = Context {
            name: self.name.clone(),
            inputs: self.inputs.clone(),
            files: self.files.clone(),
            seed: self.seed,
            threads: self.threads,
            downloads: self.downloads.clone(),
            checkpoints: self.checkpoints.clone(),
            dir: self.dir.clone(),
            disk: disk.clone(),
            outputs: kind.outputs,
            written: Vec::new(),
            flush,
            cancelled,
            refused: None,
        };
        match (kind.run)(&self.params, &mut cx) {
            Ok(()) => {
                let outputs = kind.outputs.iter().map(|output| output.name.to_owned()).collect();
                let cost = Cost { wall_s: start.elapsed().as_secs_f64(), ..Cost::default() };
                Ending::Done(Report { outputs, cost, machine: None })
            }
            Err(Stop::Failed(why)) => match cx.refused {
                Some((what, help)) => Ending::Refused(what, help),
                None => Ending::Failed(why),
            },
            Err(Stop::Unavailable(why)) => Ending::Unavailable(why),
        }
    }

    /// Writes the job where a worker process will find it.
    pub(crate) fn save(&self) -> Result<()> {
        write_json(&self.dir.join("job.json"), self)
    }

    /// Reads the job that a worker process was given.
    ///
    /// # Errors
    /// When the folder does not contain a job.
    pub fn load(dir: &Path) -> Result<Self> {
        read_json(&dir.join("job.json"))
    }
}

impl Ending {
    /// The ending of an attempt that was stopped because its time was up.
    pub(super) fn out_of_time(limit_s: u64) -> Self {
        Self::Failed(format!("took longer than its limit of {limit_s} s and was stopped"))
    }

    pub(crate) fn save(&self, dir: &Path) -> Result<()> {
        write_json(&dir.join("ending.json"), self)
    }

    pub(crate) fn load(dir: &Path) -> Result<Self> {
        read_json(&dir.join("ending.json"))
    }
}

/// No job and no ending is this large; but a stage can leave an ending of any size.
const MOST: u64 = 1 << 26;

fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let bytes = serde_json::to_vec(value)
        .map_err(|e| Error::usage(format!("cannot write {}: {e}", path.display())).because(e))?;
    fs::write(path, bytes).map_err(|e| Error::io("write", path, &e))
}

fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T> {
    let bytes = regular::read_up_to(path, MOST).map_err(|e| Error::io("read", path, &e))?;
    serde_json::from_slice(&bytes)
        .map_err(|e| Error::usage(format!("cannot read {}: {e}", path.display())).because(e))
}

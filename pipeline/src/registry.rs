//! What a program built on the engine provides: its stage kinds and its experiments. The engine knows them only
//! through these types.

use std::sync::Arc;

pub use crate::kinds::{Kind, Kinds, Load};
use crate::{config::Config, error::Result, graph::Builder};

/// An experiment: one config file that expands to stages.
pub trait Experiment: Send + Sync {
    /// Its name: the config file's stem and the first part of its stages' names.
    fn id(&self) -> &'static str;

    /// Adds the stages that `config` asks for.
    ///
    /// # Errors
    /// When the config is wrong; the error names file, line and key.
    fn expand(&self, config: &Config, builder: &mut Builder) -> Result<()>;
}

/// What `record` keeps of an experiment's run; names are given without the experiment's own, except in `too_large`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recording {
    /// The stage that summarises the experiment. What it reads is kept, and an audit weighs stages by it.
    pub conclusion: &'static str,
    /// Profiles that only show that a program works: their runs are not recorded.
    pub meaningless: &'static [&'static str],
    /// The columns of its table that name a row.
    pub labels: &'static [&'static str],
    /// The column of its table that holds a row's answer: `diff` reports first where it changed.
    pub answer: &'static str,
    /// Patterns of other stages to keep.
    pub keeps: &'static [&'static str],
    /// Prefixes of the kinds of which nothing is kept, whatever reads it: data that belong to others.
    pub never: &'static [&'static str],
    /// Patterns of stages, with the names of their experiments, whose tables are too large to keep: only their digests
    /// are in the list.
    pub too_large: &'static [&'static str],
}

/// Everything a program registers.
pub struct Registry {
    /// The program's name.
    pub program: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
    /// The profile that is used if none is named.
    pub default_profile: &'static str,
    /// Stage kinds.
    pub kinds: Arc<Kinds>,
    /// Experiments, in the order in which they are listed.
    pub experiments: Vec<Box<dyn Experiment>>,
    /// The ids of the experiments whose stages may do everything that the user may; `run` confines the stages of all
    /// others.
    pub trusted: &'static [&'static str],
    /// What is worth keeping of a run, and for what purpose.
    pub recording: Recording,
}

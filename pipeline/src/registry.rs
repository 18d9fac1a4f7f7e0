//! What a program built on the engine brings along: its stage kinds and its experiments. The engine knows
//! them only through these types.

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

/// What of an experiment's run is kept by `record`; names without the experiment's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recording {
    /// The stage that sums the experiment up. What it reads is kept, and is what an audit weighs stages by.
    pub conclusion: &'static str,
    /// The columns of its table that name a row.
    pub labels: &'static [&'static str],
    /// The column of its table that holds a row's answer: where it is another one, `diff` says so first.
    pub answer: &'static str,
    /// Patterns of other stages to keep.
    pub keeps: &'static [&'static str],
    /// How the kinds begin of which nothing is kept, whatever reads it: data that are others'.
    pub never: &'static [&'static str],
    /// Patterns of stages whose tables are too large to keep: their digests are in the list.
    pub too_large: &'static [&'static str],
}

/// Everything a program registers.
pub struct Registry {
    /// The program's name.
    pub program: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
    /// The profile used when none is named.
    pub default_profile: &'static str,
    /// Stage kinds.
    pub kinds: Arc<Kinds>,
    /// Experiments, in the order they are listed.
    pub experiments: Vec<Box<dyn Experiment>>,
    /// The ids of those whose stages may do what the user may; `run` confines those of others.
    pub trusted: &'static [&'static str],
    /// What is worth keeping of a run, and what it is kept for.
    pub recording: Recording,
}

//! The flags of `run`, and those of other commands that run stages.

use std::{fmt::Display, path::PathBuf, str::FromStr};

use clap::{Args, ValueEnum};

use crate::run::sandbox::Confined;

/// More slots than any machine has: a typing error must not start a million threads.
const MOST: usize = 4096;

fn bounded<T: FromStr + PartialOrd + Display>(text: &str, least: T, most: T) -> Result<T, String> {
    let value = text.parse().ok().filter(|value| (&least..=&most).contains(&value));
    value.ok_or_else(|| format!("expected {least} to {most}"))
}

/// Reads a number of slots.
pub(super) fn slots(text: &str) -> Result<usize, String> {
    bounded(text, 1, MOST)
}

/// Reads a number of GPUs; a run may do without.
fn gpus(text: &str) -> Result<usize, String> {
    bounded(text, 0, MOST)
}

/// Reads MiB of memory: up to 1 EiB.
fn memory(text: &str) -> Result<u64, String> {
    bounded(text, 1, 1 << 40)
}

#[derive(Args)]
pub(super) struct Run {
    /// Stage names, prefixes such as `hoag/digits`, or patterns with `*` [default: all]
    pub targets: Vec<String>,
    /// CPU slots [default: all cores]
    #[arg(long, short, env = "JOBS", hide_env = true, value_parser = slots)]
    pub jobs: Option<usize>,
    /// Memory slots in MiB [default: nine tenths of the machine's]
    #[arg(long, value_name = "MIB", value_parser = memory)]
    pub memory: Option<u64>,
    /// GPU slots [default: all of the machine's]
    #[arg(long, value_name = "N", value_parser = gpus)]
    pub gpus: Option<usize>,
    /// Stages that share a GPU at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = slots)]
    pub gpu_share: usize,
    /// Run these stages even if they are up to date
    #[arg(long, value_name = "STAGE")]
    pub force: Vec<String>,
    /// Compute at most this many stages, for example to learn what the others will cost
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Start nothing more after a failure (by default independent stages go on)
    #[arg(long)]
    pub fail_fast: bool,
    /// Which stages read only what they declare and write only their outputs (Linux, Landlock); `--sandbox`
    /// alone says all
    #[arg(long, value_enum, value_name = "STAGES", default_value_t, default_missing_value = "all")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub sandbox: Confined,
    /// Look for results there before computing them, and put there what was computed: a folder, or
    /// `s3://BUCKET/PREFIX`; or only look for them: a tar archive of such a folder, or `https://…`, for a folder on a
    /// web server
    #[arg(long, value_name = "URL")]
    pub remote: Option<String>,
    /// Sign what is put there, with the private key in this file (`key new` makes one)
    #[arg(long, value_name = "FILE", requires = "remote")]
    pub sign: Option<PathBuf>,
    /// Take from there only what is signed with this key: a public key, or a file with one per line; may be
    /// given several times
    #[arg(long, value_name = "KEY", requires = "remote")]
    pub trust: Vec<String>,
    /// Where stages are carried out
    #[arg(long, value_enum, default_value_t)]
    pub executor: Executor,
    /// Settings for `--executor slurm` [default: `slurm.toml` among the configs, if it exists]
    #[arg(long, value_name = "FILE")]
    pub slurm: Option<PathBuf>,
    /// On a terminal, too, print lines instead of the table of what is running
    #[arg(long)]
    pub plain: bool,
    /// What to print while running
    #[arg(long, value_enum, default_value_t)]
    pub log_format: LogFormat,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Executor {
    /// On this machine
    #[default]
    Local,
    /// As job arrays on a Slurm cluster whose nodes see the store and this program
    Slurm,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// A table on a terminal (none with `--plain`), else a line per minute, trouble and a summary
    #[default]
    Text,
    /// One JSON event per line on standard output
    Json,
}

//! The engine's commands and flags.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::run_args::Run;
use crate::config::Override;

/// Twelve times the largest profile of the papers here: a graph of this size is still refused within a second.
const MOST_STAGES: usize = 200_000;

/// Exit codes, shown with `--help`.
const EXITS: &str = "Exit codes: 0 all is well (stages that are unavailable here are listed, and are \
                     no error) · 1 a stage failed or a check did not pass · 2 the command line, a \
                     config or the graph is wrong · 3 the store or another file cannot be read or \
                     written · 130 interrupted; the next run goes on from there";

#[derive(Parser)]
#[command(version, after_help = EXITS, subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Cli {
    #[command(flatten)]
    pub globals: Globals,
    #[command(subcommand)]
    pub verb: Verb,
}

/// Flags of every command.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options of every command")]
pub struct Globals {
    /// The profile of the configs to use [default: the program's own]
    #[arg(long, global = true, env = "PROFILE", hide_env = true)]
    pub profile: Option<String>,
    /// Override a config value for this call, such as `section.key=value` (every config that has
    /// the key) or `experiment.section.key=value`; may be given several times
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// The folder that holds the artifacts
    #[arg(
        long,
        global = true,
        default_value = "artifacts",
        value_name = "DIR",
        env = "RETUNE_ARTIFACTS",
        hide_env = true
    )]
    pub store: PathBuf,
    /// The folder that holds the configs
    #[arg(long, global = true, default_value = "configs", value_name = "DIR")]
    pub configs: PathBuf,
    /// Configs that ask for more stages than this are refused
    #[arg(long, global = true, default_value_t = MOST_STAGES, value_name = "N")]
    pub max_stages: usize,
    /// Leave long lines as they are, also on a terminal
    #[arg(long, global = true)]
    pub wide: bool,
}

impl Globals {
    pub(super) fn parsed_overrides(&self) -> crate::Result<Vec<Override>> {
        let parse = |text: &String| {
            text.parse().map_err(|e| crate::Error::usage(format!("--set {text}: {e}")).because(e))
        };
        self.overrides.iter().map(parse).collect()
    }
}

/// Reads `10` or `10%`.
fn percent(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('%').parse().ok();
    value.filter(|x| (0.0..=100.0).contains(x)).ok_or_else(|| "expected 0 to 100".to_owned())
}

#[derive(Subcommand)]
pub(super) enum Verb {
    /// Bring stages and everything they need up to date
    Run(Run),
    /// Say what a run would do, without running anything
    Plan(Planning),
    /// Say why a stage would run, or that it would not
    Why {
        /// The stage's name, as `status --all` lists it, a prefix or a pattern with `*`
        stage: String,
    },
    /// List stages by state
    Status(Status),
    /// Draw the stages and what they read
    Graph(Draw),
    /// Show the outputs of stages as tables
    Show(Show),
    /// Check artifacts against what was recorded; corrupt ones are moved to quarantine
    Verify {
        /// Hash every artifact instead of looking at sizes and times
        #[arg(long)]
        deep: bool,
        /// Hash a random share of the artifacts, in percent; a different one each time
        #[arg(long, conflicts_with = "deep", value_name = "PERCENT", value_parser = percent)]
        sample: Option<f64>,
    },
    /// Check everything in the store: all objects, the log, records, runs, leftovers
    Fsck {
        /// Hash a random share of the objects, in percent; a different one each time [default: all]
        #[arg(long, value_name = "PERCENT", value_parser = percent)]
        sample: Option<f64>,
        /// Move aside what is unsound, drop what cannot be read, and say what will be computed again
        #[arg(long)]
        repair: bool,
    },
    /// Compute results again, drawn at random, and compare them with what the store has
    Rerun(super::rerun::Rerun),
    /// Keep a run's results with the sources, in artifacts/recorded/EXPERIMENT: what its verdicts and figures
    /// rest on, and the digests of everything else
    Record(super::record::Record),
    /// List the runs that are kept with the sources
    Recorded,
    /// Compute stages of the recorded runs again, drawn at random, and compare; exit code 1 where one differs
    Audit(super::audit::Audit),
    /// Put results that are up to date on a remote, for other stores
    Push(super::share::Push),
    /// Get results from a remote, in the order of the stages, without computing any
    Pull(super::share::Pull),
    /// Keys by which results are signed that stores share
    Key {
        #[command(subcommand)]
        what: super::key::Key,
    },
    /// List the runs of this store
    Runs {
        /// Machine-readable output
        #[arg(long)]
        json: bool,
    },
    /// Keep a run's results: `gc` leaves them alone, whatever the configs say
    Pin {
        /// The run's number, as `runs` lists it
        run: u64,
    },
    /// Let `gc` remove the results of a pinned run again
    Unpin {
        /// The run's number, as `runs` lists it
        run: u64,
    },
    /// Remove artifacts that no config reaches under any profile and no pinned run used
    Gc {
        /// Only say what would go, and how much
        #[arg(long)]
        dry_run: bool,
    },
    /// Compare two runs: which verdicts and results moved, by how much, and what changed
    Diff(Diff),
    /// Say how results came about: code, parameters, inputs, seed, machine, cost, libraries
    Log(Log),
    /// Say how fast each kind of stage is by the records, and how well its formula of work holds
    Rates(Rates),
    /// Write down how a run's results came about, in formats for others
    Export(Export),
    /// Print a shell's completion script
    #[command(alias = "complete")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual's pages, one per command
    Man {
        /// The folder to write, such as one called `man1` on the manual's path
        dir: PathBuf,
    },
    /// Run one job in this process (used by the engine)
    #[command(hide = true)]
    ExecStage {
        /// The job's folder, or with `--task` the array's
        dir: PathBuf,
        /// The process that it works for: it ends when that process ends
        engine: Option<i32>,
        /// The task of the array
        #[arg(long, conflicts_with = "engine")]
        task: Option<usize>,
    },
    /// Run one job after another in this process (used by the engine)
    #[command(hide = true)]
    ServeStages {
        /// The process that it works for: it ends when that process ends
        engine: i32,
    },
}

#[derive(Args)]
pub(super) struct Listing {
    /// Stage names, prefixes or patterns [default: all]
    pub targets: Vec<String>,
    /// Machine-readable output
    #[arg(long)]
    pub json: bool,
    /// List every stage instead of folding sweeps
    #[arg(long)]
    pub all: bool,
}

#[derive(Args)]
pub(super) struct Planning {
    #[command(flatten)]
    pub listing: Listing,
    /// Only what this profile does not ask for, in parts, with what each will cost
    #[arg(long, value_name = "PROFILE")]
    pub beyond: Option<String>,
}

#[derive(Args)]
pub(super) struct Status {
    #[command(flatten)]
    pub listing: Listing,
    /// On a terminal, look again every second until all is up to date
    #[arg(long, conflicts_with = "json")]
    pub watch: bool,
}

#[derive(Args)]
pub(super) struct Diff {
    /// Run numbers, as `runs` lists them [default: the last two of one profile, that of `--profile` or else of
    /// the last run]; one number is compared with the last other run of its profile
    #[arg(num_args = 0..=2, value_name = "RUN")]
    pub runs: Vec<u64>,
    /// List every stage instead of folding sweeps
    #[arg(long)]
    pub all: bool,
    /// Machine-readable output
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub(super) struct Log {
    /// A stage, a prefix, a pattern with `*`, a key or an artifact's digest (six digits or more) [default: the
    /// latest results]
    pub what: Option<String>,
    /// How many of the latest results to list; 0 for all
    #[arg(long, default_value_t = 40)]
    pub rows: usize,
    /// Machine-readable output
    #[arg(long)]
    pub json: bool,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Args)]
pub(super) struct Rates {
    /// Machine-readable output
    #[arg(long)]
    pub json: bool,
    /// Lines with small and large stages of each kind, for checking formulas where there are no records
    #[arg(long, conflicts_with = "json")]
    pub table: bool,
    /// Lines of JSON for a program to ship, for machines that have no records yet
    #[arg(long, conflicts_with_all = ["json", "table"])]
    pub typical: bool,
    /// Fail where records of two sizes contradict a formula by more than a factor of two
    #[arg(long)]
    pub check: bool,
}

#[derive(Args)]
pub(super) struct Export {
    #[command(subcommand)]
    pub what: Exported,
    /// The run's number [default: the last]
    #[arg(long, global = true)]
    pub run: Option<u64>,
}

#[derive(Subcommand)]
pub(super) enum Exported {
    /// A research object with all artifacts: a Workflow Run RO-Crate, profile Provenance Run Crate
    RoCrate {
        /// A new folder
        dir: PathBuf,
        /// The licence of the results
        #[arg(long, value_name = "URL")]
        licence: Option<String>,
        /// Who is responsible for the run
        #[arg(long, value_name = "NAME")]
        author: Option<String>,
    },
    /// The W3C's provenance model, as PROV-JSON
    Prov {
        /// The file to write
        file: PathBuf,
    },
    /// A sheet for artifact evaluation: badges and checklist, in Markdown
    Sheet {
        /// The file to write
        file: PathBuf,
    },
    /// The runs that are kept with the sources, ready to be deposited at Zenodo: archives, checksums, metadata, licence
    Zenodo {
        /// A new folder
        dir: PathBuf,
        /// The licence of the results, such as `https://creativecommons.org/licenses/by/4.0/`
        #[arg(long, value_name = "URL")]
        licence: String,
        /// Who is responsible, as `Family, Given`
        #[arg(long, value_name = "NAME")]
        author: String,
    },
    /// What this program is built from, whatever it ran: a bill of materials, as CycloneDX
    Sbom {
        /// The file to write
        file: PathBuf,
    },
}

#[derive(Args)]
pub(super) struct Draw {
    /// Stage names, prefixes or patterns [default: all]
    pub targets: Vec<String>,
    /// The picture's format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Draw sweeps unfolded, one box per stage
    #[arg(long)]
    pub all: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A picture
    #[default]
    Svg,
    /// For Graphviz
    Dot,
    /// For Markdown
    Mermaid,
}

#[derive(Args)]
pub(super) struct Show {
    /// The stage's name, as `status --all` lists it, a prefix or a pattern with `*`
    pub stage: String,
    /// Which of its outputs
    #[arg(long, default_value = "main")]
    pub output: String,
    /// Rows to show of a table; 0 for all
    #[arg(long, default_value_t = 40)]
    pub rows: usize,
    /// Comma-separated values, all rows
    #[arg(long, conflicts_with_all = ["json", "path"])]
    pub csv: bool,
    /// One JSON object per row, all rows
    #[arg(long, conflicts_with = "path")]
    pub json: bool,
    /// Only the Parquet file's path
    #[arg(long)]
    pub path: bool,
}

//! Which tables hold anytime curves and which hold contests of methods: stage names and columns,
//! the one place of this crate that names papers. A table that is not there is left out.

use figures::Scale;

/// Where the problem of a row is told.
pub enum Problem {
    /// In this column.
    Column(&'static str),
    /// The table has one problem alone.
    Only(&'static str),
}

/// A table with the progress of methods on problems.
pub struct Curves {
    /// The paper. All its tables run one race.
    pub paper: &'static str,
    /// The stage.
    pub stage: &'static str,
    /// Its output.
    pub output: &'static str,
    /// What the figure is called, after the paper.
    pub title: &'static str,
    /// Rows count where these text columns have these values.
    pub only: &'static [(&'static str, &'static str)],
    /// The problem.
    pub problem: Problem,
    /// The column with the method.
    pub method: &'static str,
    /// Whether methods end in budgets that differ from problem to problem.
    pub budgets: bool,
    /// The column with the repeat.
    pub repeat: &'static str,
    /// The column with the budget spent so far.
    pub at: &'static str,
    /// What the budget is.
    pub budget: &'static str,
    /// The column with the value reached.
    pub value: &'static str,
    /// What the value is.
    pub label: &'static str,
    /// Whether more is better.
    pub more: bool,
    /// How budgets are spread.
    pub across: Scale,
    /// How values are spread.
    pub up: Scale,
}

/// The tables of anytime curves, those of one paper together.
pub static CURVES: [Curves; 5] = [
    Curves {
        paper: "hoag",
        stage: "hoag/figures/convergence",
        output: "main",
        title: "suboptimality against inner iterations",
        only: &[("rules", "paper-half-L")],
        problem: Problem::Column("problem"),
        method: "method",
        budgets: false,
        repeat: "split",
        at: "inner_iterations",
        budget: "inner iterations",
        value: "suboptimality",
        label: "lowest relative suboptimality so far",
        more: false,
        across: Scale::Log,
        up: Scale::Log,
    },
    Curves {
        paper: "hypertune",
        stage: "hypertune/figures/convergence",
        output: "main",
        title: "validation error against work",
        only: &[("axis", "work")],
        problem: Problem::Column("task"),
        method: "method",
        budgets: false,
        repeat: "repeat",
        at: "at",
        budget: "work, as a share of HyperTune's",
        value: "error",
        label: "lowest validation error so far",
        more: false,
        across: Scale::Linear,
        up: Scale::Linear,
    },
    Curves {
        paper: "smoothie",
        stage: "smoothie/figures/runs",
        output: "main",
        title: "score of feed-forward networks against evaluations",
        only: &[("learner", "FF")],
        problem: Problem::Column("task"),
        method: "method",
        budgets: true,
        repeat: "repeat",
        at: "evaluation",
        budget: "evaluations, probes and short trainings among them",
        value: "selection",
        label: "highest score so far where configurations are compared",
        more: true,
        across: Scale::Linear,
        up: Scale::Linear,
    },
    Curves {
        paper: "stn",
        stage: "stn/text/figures/race",
        output: "curves",
        title: "validation perplexity against cost",
        only: &[],
        problem: Problem::Column("text"),
        method: "method",
        budgets: false,
        repeat: "replicate",
        at: "cost",
        budget: "passes of the plain network",
        value: "perplexity",
        label: "lowest validation perplexity so far",
        more: false,
        across: Scale::Linear,
        up: Scale::Log,
    },
    Curves {
        paper: "stn",
        stage: "stn/images/figures/race",
        output: "anytime",
        title: "validation loss against cost",
        only: &[],
        problem: Problem::Only("CIFAR-10"),
        method: "method",
        budgets: false,
        repeat: "replicate",
        at: "share",
        budget: "multiplications, as a share of the budget",
        value: "valid_loss",
        label: "lowest validation loss so far",
        more: false,
        across: Scale::Linear,
        up: Scale::Linear,
    },
];

/// A table with one value for each method and block, or several to be averaged.
pub struct Table {
    /// The stage.
    pub stage: &'static str,
    /// Its output.
    pub output: &'static str,
    /// Rows count where these text columns have these values.
    pub only: &'static [(&'static str, &'static str)],
    /// What all its blocks have in common; empty where their names tell it.
    pub within: Problem,
    /// The column with the data set, problem, function or repeat: methods are ranked within each.
    pub block: &'static str,
    /// The columns that name the method together.
    pub method: &'static [&'static str],
    /// The column with the value.
    pub value: &'static str,
}

/// Methods that met on several blocks.
pub struct Contest {
    /// The paper.
    pub paper: &'static str,
    /// What it was about, where a paper has several.
    pub about: &'static str,
    /// The tables.
    pub tables: &'static [Table],
    /// Whether methods end in budgets that differ from block to block.
    pub budgets: bool,
    /// What a block is.
    pub blocks: &'static str,
    /// What the value is.
    pub label: &'static str,
    /// Whether more is better.
    pub more: bool,
    /// What a reader should know beside; a sentence, or nothing.
    pub note: &'static str,
}

/// Replicates share more than problems do.
const REPLICATES: &str = " Blocks are replicates on few data sets: the test takes them to differ as data sets do, so that \
                          its bars say more than they would over as many data sets.";

/// The contests.
pub static CONTESTS: [Contest; 6] = [
    Contest {
        paper: "harmonica",
        about: "synthetic functions",
        tables: &[Table {
            stage: "harmonica/synthetic/contest",
            output: "main",
            only: &[],
            within: Problem::Only(""),
            block: "seed",
            method: &["method"],
            value: "regret",
        }],
        budgets: false,
        blocks: "random function",
        label: "regret of the best point found",
        more: false,
        note: "",
    },
    Contest {
        paper: "harmonica",
        about: "networks",
        tables: &[Table {
            stage: "harmonica/network/figures/race",
            output: "main",
            only: &[],
            within: Problem::Only("CIFAR-10"),
            block: "replicate",
            method: &["method"],
            value: "error",
        }],
        budgets: false,
        blocks: "replicate",
        label: "lowest test error of a full training, at unequal cost",
        more: false,
        note: REPLICATES,
    },
    Contest {
        paper: "hoag",
        about: "",
        tables: &[Table {
            stage: "hoag/figures/convergence",
            output: "main",
            only: &[("rules", "paper-half-L")],
            within: Problem::Only(""),
            block: "problem",
            method: &["method"],
            value: "suboptimality",
        }],
        budgets: false,
        blocks: "problem",
        label: "lowest relative suboptimality, its median over splits",
        more: false,
        note: "",
    },
    Contest {
        paper: "hypertune",
        about: "",
        tables: &[Table {
            stage: "hypertune/figures/standings",
            output: "main",
            only: &[],
            within: Problem::Only(""),
            block: "task",
            method: &["method"],
            value: "held_out",
        }],
        budgets: false,
        blocks: "task",
        label: "held-out error, averaged over repeats",
        more: false,
        note: "",
    },
    Contest {
        paper: "smoothie",
        about: "",
        tables: &[Table {
            stage: "smoothie/figures/standings",
            output: "main",
            only: &[],
            within: Problem::Only(""),
            block: "task",
            method: &["treatment"],
            value: "median",
        }],
        budgets: true,
        blocks: "data set",
        label: "median score over repeats",
        more: true,
        note: "",
    },
    Contest {
        paper: "stn",
        about: "",
        tables: &[
            Table {
                stage: "stn/text/figures/race",
                output: "main",
                only: &[],
                within: Problem::Column("text"),
                block: "replicate",
                method: &["method"],
                value: "perplexity",
            },
            Table {
                stage: "stn/images/figures/race",
                output: "main",
                only: &[],
                within: Problem::Only("CIFAR-10"),
                block: "replicate",
                method: &["method"],
                value: "valid_loss",
            },
        ],
        budgets: false,
        blocks: "replicate",
        label: "lowest validation perplexity (text) or loss (CIFAR-10) at equal cost",
        more: false,
        note: REPLICATES,
    },
];

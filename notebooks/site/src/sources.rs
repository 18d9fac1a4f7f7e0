//! Lists the tables with anytime curves and the stages with contests of methods: stage names and columns. It
//! and `traces` are the only modules of this crate that name papers. A missing table is left out.

use figures::Scale;

/// The source of a row's problem.
pub enum Problem {
    /// In this column.
    Column(&'static str),
    /// The table has only one problem.
    Only(&'static str),
}

/// What the values of a run are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// Values found: the best so far is drawn, and the tables of a paper make one race.
    Found,
    /// Values of what the run would choose now, which can get worse.
    Chosen,
}

/// A table with the progress of methods on problems.
pub struct Curves {
    /// The paper. All its tables belong to one race.
    pub paper: &'static str,
    /// The stage.
    pub stage: &'static str,
    /// Its output.
    pub output: &'static str,
    /// The title of the figure, after the paper's name.
    pub title: &'static str,
    /// Only rows in which these text columns have these values count.
    pub only: &'static [(&'static str, &'static str)],
    /// The problem.
    pub problem: Problem,
    /// The column with the method.
    pub method: &'static str,
    /// Whether names of methods end in budgets that differ from problem to problem.
    pub budgets: bool,
    /// The column with the repeat.
    pub repeat: &'static str,
    /// The column with the budget spent so far.
    pub at: &'static str,
    /// The meaning of the budget.
    pub budget: &'static str,
    /// The column with the value reached.
    pub value: &'static str,
    /// The meaning of the value.
    pub label: &'static str,
    /// Whether larger values are better.
    pub more: bool,
    /// What the values are.
    pub course: Course,
    /// The scale of budgets.
    pub across: Scale,
    /// The scale of values.
    pub up: Scale,
}

/// The tables of anytime curves, those of one paper together.
pub static CURVES: [Curves; 7] = [
    Curves {
        paper: "compare",
        stage: "compare/anytime",
        output: "runs",
        title: "normalised regret against evaluations",
        only: &[],
        problem: Problem::Column("task"),
        method: "tuner",
        budgets: false,
        repeat: "run",
        at: "evaluations",
        budget: "evaluations",
        value: "normalised",
        label: "lowest normalised regret so far",
        more: false,
        course: Course::Found,
        across: Scale::Linear,
        up: Scale::Linear,
    },
    Curves {
        paper: "compare",
        stage: "compare/multi-fidelity/lcdb-accuracy/standings",
        output: "runs",
        title: "excess error against trainings, on parts of the data first",
        only: &[],
        problem: Problem::Only("which learner?"),
        method: "tuner",
        budgets: false,
        repeat: "run",
        at: "spent",
        budget: "trainings on all of the data",
        value: "excess",
        label: "test error above the best learner's, averaged over data sets,",
        more: false,
        course: Course::Chosen,
        across: Scale::Log,
        up: Scale::Log,
    },
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
        course: Course::Found,
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
        course: Course::Found,
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
        course: Course::Found,
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
        course: Course::Found,
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
        course: Course::Found,
        across: Scale::Linear,
        up: Scale::Linear,
    },
];

/// Methods that met on several blocks.
pub struct Contest {
    /// The paper.
    pub paper: &'static str,
    /// What it was about, where a paper has several.
    pub about: &'static str,
    /// The stage that compares them: the tables `main`, `ranks` and `bars`.
    pub stage: &'static str,
    /// What a block is.
    pub blocks: &'static str,
    /// What the value is.
    pub label: &'static str,
    /// What a reader should know beside; a sentence, or nothing.
    pub note: &'static str,
}

/// Replicates share more than problems do.
const REPLICATES: &str = " Blocks are replicates on few data sets and not independent data sets: the test overstates the \
                          evidence.";

/// The contests.
pub static CONTESTS: [Contest; 9] = [
    Contest {
        paper: "compare",
        about: "tabular benchmarks",
        stage: "compare/contests/tasks",
        blocks: "table",
        label: "mean normalised regret of the configuration chosen at the end",
        note: "",
    },
    Contest {
        paper: "compare",
        about: "learners on parts of the data",
        stage: "compare/contests/lcdb-accuracy",
        blocks: "data set",
        label: "test error of the learner chosen at the end above the best learner's",
        note: "",
    },
    Contest {
        paper: "harmonica",
        about: "synthetic functions",
        stage: "harmonica/contests/synthetic",
        blocks: "random function",
        label: "regret of the best point found",
        note: "",
    },
    Contest {
        paper: "harmonica",
        about: "networks",
        stage: "harmonica/contests/networks",
        blocks: "replicate",
        label: "lowest test error of a full training, at unequal cost",
        note: REPLICATES,
    },
    Contest {
        paper: "hoag",
        about: "",
        stage: "hoag/contests/problems",
        blocks: "problem",
        label: "lowest relative suboptimality, its median over splits",
        note: "",
    },
    Contest {
        paper: "hypertune",
        about: "",
        stage: "hypertune/contests/tasks",
        blocks: "task",
        label: "held-out error, averaged over repeats",
        note: "",
    },
    Contest {
        paper: "smoothie",
        about: "",
        stage: "smoothie/contests/tasks",
        blocks: "data set",
        label: "median score over repeats",
        note: "",
    },
    Contest {
        paper: "stn",
        about: "",
        stage: "stn/contests/searches",
        blocks: "replicate",
        label: "lowest validation perplexity (text) or loss (CIFAR-10) at equal cost",
        note: REPLICATES,
    },
    Contest {
        paper: "tpe",
        about: "",
        stage: "tpe/contests/targets",
        blocks: "function or table",
        label: "lowest loss of a run, averaged over seeds",
        note: " Functions in several numbers of dimensions are blocks of their own, and more alike than others.",
    },
];

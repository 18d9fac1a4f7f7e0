//! Which tables hold anytime curves and which hold contests of methods: stage names and columns,
//! the one place of this crate that names papers. A table that is not there is left out.

use crate::plot::Scale;

/// A table with the progress of methods on problems.
pub struct Curves {
    /// The stage.
    pub stage: &'static str,
    /// What the figure is called.
    pub title: &'static str,
    /// Rows count where these text columns have these values.
    pub only: &'static [(&'static str, &'static str)],
    /// The column with the problem.
    pub problem: &'static str,
    /// The column with the method.
    pub method: &'static str,
    /// The column with the repeat.
    pub repeat: &'static str,
    /// The column with the budget spent so far.
    pub at: &'static str,
    /// What the budget is.
    pub budget: &'static str,
    /// The column with the value reached; smaller is better.
    pub value: &'static str,
    /// What the value is.
    pub label: &'static str,
    /// How budgets are spread.
    pub across: Scale,
    /// How values are spread.
    pub up: Scale,
}

/// The tables of anytime curves.
pub const CURVES: [Curves; 2] = [
    Curves {
        stage: "hoag/figures/convergence",
        title: "hoag: suboptimality against inner iterations",
        only: &[("rules", "paper-half-L")],
        problem: "problem",
        method: "method",
        repeat: "split",
        at: "inner_iterations",
        budget: "inner iterations",
        value: "suboptimality",
        label: "lowest relative suboptimality so far",
        across: Scale::Log,
        up: Scale::Log,
    },
    Curves {
        stage: "hypertune/figures/convergence",
        title: "hypertune: validation error against work",
        only: &[("axis", "work")],
        problem: "task",
        method: "method",
        repeat: "repeat",
        at: "at",
        budget: "work, as a share of HyperTune's",
        value: "error",
        label: "lowest validation error so far",
        across: Scale::Linear,
        up: Scale::Linear,
    },
];

/// A table with one value for each method and data set, or several to be averaged.
pub struct Contest {
    /// The paper.
    pub paper: &'static str,
    /// The stage.
    pub stage: &'static str,
    /// Rows count where these text columns have these values.
    pub only: &'static [(&'static str, &'static str)],
    /// The column with the data set, problem or function: methods are ranked within each.
    pub block: &'static str,
    /// What a block is.
    pub blocks: &'static str,
    /// The columns that name the method together.
    pub method: &'static [&'static str],
    /// The column with the value.
    pub value: &'static str,
    /// What the value is.
    pub label: &'static str,
    /// Whether more is better.
    pub more: bool,
}

/// The tables of contests.
pub const CONTESTS: [Contest; 4] = [
    Contest {
        paper: "harmonica",
        stage: "harmonica/synthetic/contest",
        only: &[],
        block: "seed",
        blocks: "random function",
        method: &["method"],
        value: "regret",
        label: "regret of the best point found",
        more: false,
    },
    Contest {
        paper: "hoag",
        stage: "hoag/figures/convergence",
        only: &[("rules", "paper-half-L")],
        block: "problem",
        blocks: "problem",
        method: &["method"],
        value: "suboptimality",
        label: "lowest relative suboptimality, averaged over splits",
        more: false,
    },
    Contest {
        paper: "hypertune",
        stage: "hypertune/figures/standings",
        only: &[],
        block: "task",
        blocks: "task",
        method: &["method"],
        value: "held_out",
        label: "held-out error, averaged over repeats",
        more: false,
    },
    Contest {
        paper: "smoothie",
        stage: "smoothie/figures/standings",
        only: &[],
        block: "task",
        blocks: "data set",
        method: &["method", "learner"],
        value: "median",
        label: "median score over repeats",
        more: true,
    },
];
